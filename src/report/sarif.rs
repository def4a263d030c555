//! SARIF 2.1.0, for code scanning: the two requests of a witness are the thread flows of a code flow.

mod model;

use std::io;

use crate::clean;
use crate::finding::{Applicability, Finding, Fix, Skipped, Suppressed};
use crate::report::{Report, markdown, place, words};
use crate::rule::{Group, Rule, Severity};
use crate::source::Span;
use model::*;

/// Writes the log of one run.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let rules = rules(report);
    let mut results: Vec<Result> = Vec::new();
    for (index, finding) in report.findings.iter().enumerate() {
        let mut result = result(report, &rules, finding);
        result.partial_fingerprints = Some(Fingerprints { racelint: report.fingerprint(index).to_owned() });
        results.push(result);
    }
    results.extend(report.suppressed.iter().map(|suppressed| hidden(report, &rules, suppressed)));
    let log = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver: driver(&rules) },
            invocations: [Invocation {
                execution_successful: true,
                notifications: report.skipped.iter().map(|skipped| notification(report, skipped)).collect(),
            }],
            column_kind: "unicodeCodePoints",
            results,
        }],
    };
    let text = serde_json::to_string_pretty(&log)?;
    writeln!(out, "{}", clean::json(text))
}

/// The rules that ran and those of the findings, each once, by name.
fn rules(report: &Report) -> Vec<&'static Rule> {
    let found = report.findings.iter().chain(report.suppressed.iter().map(|suppressed| &suppressed.finding));
    let mut rules: Vec<_> = report.rules.iter().copied().chain(found.map(|finding| finding.rule)).collect();
    rules.sort_by_key(|rule| rule.name);
    rules.dedup_by_key(|rule| rule.name);
    rules
}

fn driver(rules: &[&'static Rule]) -> Driver {
    let descriptor = |rule: &&'static Rule| Descriptor {
        id: rule.name,
        short_description: Text::new(rule.summary),
        help: Help { text: rule.page, markdown: rule.page },
        default_configuration: Configuration { level: words::severity(rule.severity) },
        properties: RuleProperties {
            tags: tags(rule),
            precision: if rule.advisory { "medium" } else { "high" },
            problem_severity: match rule.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "recommendation",
            },
        },
    };
    Driver {
        name: "racelint",
        version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules: rules.iter().map(descriptor).collect(),
    }
}

fn tags(rule: &Rule) -> Vec<String> {
    let group = match rule.group {
        Group::Database => "database",
        Group::Transaction => "transaction",
        Group::Store => "store",
        Group::Memory => "memory",
        Group::Filesystem => "filesystem",
        Group::Request => "request",
        Group::Test => "test",
        Group::Schema => "schema",
        Group::Meta => "meta",
    };
    let item = rule.item.map(|item| format!("{item:?}"));
    ["concurrency".to_owned(), group.to_owned()].into_iter().chain(item).collect()
}

fn result(report: &Report, rules: &[&'static Rule], finding: &Finding) -> Result {
    let function = Some(finding.function.clone()).filter(|name| !name.is_empty());
    let mut own = location(report, finding.span, None);
    own.logical_locations = function.map(|name| [Logical { fully_qualified_name: name, kind: "function" }]);
    let related = finding.labels.iter().enumerate().map(|(index, label)| {
        let message = plain(&label.message);
        Location { id: Some(index), ..location(report, label.span, Some(message)) }
    });
    Result {
        rule_id: finding.rule.name,
        rule_index: rules.iter().position(|rule| rule.name == finding.rule.name).unwrap_or_default(),
        level: words::severity(finding.severity),
        message: plain(&finding.message),
        locations: [own],
        related_locations: related.collect(),
        code_flows: flow(report, finding).into_iter().collect(),
        fixes: finding.fixes.iter().filter_map(|one| fix(report, one)).collect(),
        partial_fingerprints: None,
        suppressions: None,
        properties: ResultProperties {
            confidence: words::confidence(finding.confidence),
            resource: finding.resource.clone(),
            advice: finding.fixes.iter().map(|one| clean::block(&one.title).into_owned()).collect(),
        },
    }
}

fn hidden(report: &Report, rules: &[&'static Rule], suppressed: &Suppressed) -> Result {
    let mut result = result(report, rules, &suppressed.finding);
    result.suppressions = Some([Suppression {
        kind: "inSource",
        status: "accepted",
        justification: suppressed.reason.as_deref().map(|reason| clean::line(reason).into_owned()),
    }]);
    result
}

/// One thread flow for each request, whose steps keep their order across both. A step that is nowhere stands at the finding.
fn flow(report: &Report, finding: &Finding) -> Option<CodeFlow> {
    let mut flows: Vec<ThreadFlow> = Vec::new();
    for (order, step) in (1..).zip(finding.witness.iter().filter(|step| !step.actor.is_empty())) {
        let place = location(report, step.span.unwrap_or(finding.span), Some(plain(&step.text)));
        let at = flows.iter().position(|flow| flow.id == step.actor).unwrap_or_else(|| {
            flows.push(ThreadFlow { id: step.actor, locations: Vec::new() });
            flows.len() - 1
        });
        flows[at].locations.push(FlowLocation { location: place, execution_order: order });
    }
    let ends = finding.witness.iter().find(|step| step.actor.is_empty());
    let message = ends.map_or_else(|| Text::new("how two requests break it"), |step| plain(&step.text));
    (!flows.is_empty()).then_some(CodeFlow { message, thread_flows: flows })
}

/// SARIF fixes hold edits; advice is told in the properties.
fn fix(report: &Report, fix: &Fix) -> Option<SarifFix> {
    let mut changes: Vec<(Span, Change)> = Vec::new();
    for edit in &fix.edits {
        let replacement = Replacement {
            deleted_region: region(report, edit.span),
            inserted_content: Content { text: edit.text.clone() },
        };
        match changes.iter_mut().find(|(span, _)| span.source == edit.span.source) {
            Some((_, change)) => change.replacements.push(replacement),
            None => changes.push((
                edit.span,
                Change {
                    artifact_location: artifact(report, place::name(report, edit.span)),
                    replacements: vec![replacement],
                },
            )),
        }
    }
    let note = if fix.applicability == Applicability::Unsafe { " (may change behaviour)" } else { "" };
    let description = Text::new(&format!("{}{note}", words::first_line(&fix.title)));
    let artifact_changes: Vec<_> = changes.into_iter().map(|(_, change)| change).collect();
    (!artifact_changes.is_empty()).then_some(SarifFix { description, artifact_changes })
}

fn notification(report: &Report, skipped: &Skipped) -> Notification {
    let location = Location {
        id: None,
        physical_location: Physical { artifact_location: artifact(report, &skipped.file), region: None },
        logical_locations: None,
        message: None,
    };
    Notification {
        level: "warning",
        message: plain(&format!("not looked at: {}", skipped.reason)),
        locations: [location],
    }
}

fn location(report: &Report, span: Span, message: Option<Text>) -> Location {
    Location {
        id: None,
        physical_location: Physical {
            artifact_location: artifact(report, place::name(report, span)),
            region: Some(region(report, span)),
        },
        logical_locations: None,
        message,
    }
}

/// A name that no root holds is a URL of its own.
fn artifact(report: &Report, name: &str) -> Artifact {
    let path = place::from_root(report, name);
    let uri = markdown::percent(&path);
    if path.starts_with('/') {
        return Artifact { uri: format!("file://{uri}"), uri_base_id: None };
    }
    Artifact { uri, uri_base_id: Some("%SRCROOT%") }
}

fn region(report: &Report, span: Span) -> Region {
    let (start, end) = place::range(report.sources, span);
    Region { start_line: start.line, start_column: start.column, end_line: end.line, end_column: end.column }
}

/// In SARIF messages `[text](target)` is a link; names must not make one.
fn plain(text: &str) -> Text {
    Text { text: clean::line(text).replace("](", "] (") }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_sarif::sarif::Sarif;

    use crate::report::{Format, sample};

    /// What the types made from the official schema keep of the log: all of it, or some key is not SARIF.
    #[test]
    fn the_log_is_sarif() {
        let text = sample::Sample::new().render(Format::Sarif);
        let log: Sarif = serde_json::from_str(&text).unwrap();
        let kept = serde_json::to_value(&log).unwrap();
        let own: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(lost(&own, &kept, "$"), Vec::<String>::new());
    }

    fn lost(own: &Value, kept: &Value, path: &str) -> Vec<String> {
        match (own, kept) {
            (Value::Object(a), Value::Object(b)) => {
                let each = a.iter().map(|(key, value)| match b.get(key) {
                    Some(other) => lost(value, other, &format!("{path}.{key}")),
                    None => vec![format!("{path}.{key}")],
                });
                each.flatten().collect()
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                let each = a.iter().zip(b).enumerate();
                each.flat_map(|(index, (a, b))| lost(a, b, &format!("{path}[{index}]"))).collect()
            }
            (a, b) if a == b => vec![],
            _ => vec![path.to_owned()],
        }
    }

    #[test]
    fn two_requests_are_two_thread_flows() {
        let value: Value = serde_json::from_str(&sample::Sample::new().render(Format::Sarif)).unwrap();
        let result = &value["runs"][0]["results"][0];
        let flows = result["codeFlows"][0]["threadFlows"].as_array().unwrap();
        assert_eq!((flows[0]["id"].as_str(), flows[1]["id"].as_str()), (Some("A"), Some("B")));
        let orders = flows.iter().flat_map(|flow| flow["locations"].as_array().unwrap());
        let orders: Vec<_> = orders.map(|location| location["executionOrder"].as_u64().unwrap()).collect();
        assert_eq!(orders, [1, 3, 2, 4]);
        assert_eq!(result["codeFlows"][0]["message"]["text"], "one item is sold twice");
    }

    #[test]
    fn results_point_at_their_rule_and_place() {
        let sample = sample::Sample::new();
        let mut report = sample.report();
        report.options.directory = "/home/me/shop/api".into();
        report.options.root = Some("/home/me/shop".into());
        let value: Value = serde_json::from_str(&sample::render(&report, Format::Sarif)).unwrap();
        let run = &value["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 3);
        for result in results {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        }
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "api/src/cart.rs");
        assert_eq!((&place["region"]["startLine"], &place["region"]["endColumn"]), (&7.into(), &44.into()));
        assert_eq!(results[0]["partialFingerprints"]["racelint/v1"], Value::from(sample.fingerprints[0].as_str()));
        assert_eq!(results[0]["fixes"].as_array().unwrap().len(), 1);
        assert_eq!(results[2]["suppressions"][0]["justification"], "made by a tool");
        let notes = &run["invocations"][0]["toolExecutionNotifications"];
        assert_eq!(notes[0]["message"]["text"], "not looked at: over 4 MB");
    }
}
