//! A small run for the tests of the formats.

use crate::finding::{Applicability, Edit, Evidence, Finding, Fix, Label, Role, Skipped, Step, Suppressed};
use crate::report::{Format, Options, Report, Summary, fingerprint, write};
use crate::rule::{Confidence, Group, Item, Rule, Severity};
use crate::source::{LineIndex, Source, SourceId, SourceKind, Sources, Span};

static SOLD_TWICE: Rule = Rule {
    name: "stock-sold-twice",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "A stock is checked, then written",
    page: "# stock-sold-twice\n\nTwo requests may both see the last item.\n",
};

static ODD_FILE: Rule = Rule {
    name: "odd-file",
    group: Group::Meta,
    severity: Severity::Note,
    item: None,
    advisory: false,
    summary: "A file is odd",
    page: "# odd-file\n",
};

static RULES: [&Rule; 2] = [&SOLD_TWICE, &ODD_FILE];

const CART: &str = "\
pub async fn take(db: &Pool, id: i64) -> Result<()> {
    let quantity: i64 =
        query(\"SELECT quantity FROM items WHERE id = $1\").bind(id).one(db).await?;
    if quantity < 1 {
        return Err(Error::SoldOut);
    }
    query(\"UPDATE items SET quantity = $1\").bind(quantity - 1).run(db).await
}
";
const LIB: &str = "mod cart;\nfn main() {}\n";
const SCHEMA: &str = "CREATE TABLE items (\n  id BIGINT,\n  quantity BIGINT NOT NULL\n);\n";

/// The parts that a [`Report`] borrows.
pub struct Sample {
    pub sources: Sources,
    pub findings: Vec<Finding>,
    pub suppressed: Vec<Suppressed>,
    pub skipped: Vec<Skipped>,
    pub evidence: Vec<Evidence>,
    pub fingerprints: Vec<String>,
}

impl Sample {
    pub fn new() -> Sample {
        let mut sources = Sources::default();
        let cart = add(&mut sources, "src/cart.rs", SourceKind::Rust, CART);
        let lib = add(&mut sources, "src/lib.rs", SourceKind::Rust, LIB);
        let schema = add(&mut sources, "db/schema.sql", SourceKind::Sql, SCHEMA);
        let findings = vec![sold_twice(cart, schema), odd_file(Span { source: lib, start: 10, end: 22 })];
        let suppressed = Suppressed { finding: findings[1].clone(), reason: Some("made by a tool".to_owned()) };
        let evidence = Evidence {
            item: Item::C6,
            text: "`items` is read and written in one transaction".to_owned(),
            span: at(cart, CART, "query(\"SELECT"),
        };
        Sample {
            fingerprints: fingerprint::all(&findings, &sources),
            sources,
            findings,
            suppressed: vec![suppressed],
            skipped: vec![Skipped { file: "src/odd.rs".to_owned(), reason: "over 4 MB".to_owned() }],
            evidence: vec![evidence],
        }
    }

    pub fn report(&self) -> Report<'_> {
        Report {
            findings: &self.findings,
            fingerprints: &self.fingerprints,
            suppressed: &self.suppressed,
            skipped: &self.skipped,
            sources: &self.sources,
            summary: Summary { files: 2, functions: 3, suppressed: 1, baselined: 0 },
            rules: &RULES,
            evidence: &self.evidence,
            options: Options::default(),
        }
    }

    pub fn render(&self, format: Format) -> String {
        render(&self.report(), format)
    }
}

/// The text of a report.
pub fn render(report: &Report, format: Format) -> String {
    let mut out = Vec::new();
    write(report, format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn add(sources: &mut Sources, name: &str, kind: SourceKind, text: &str) -> SourceId {
    sources.push(Source {
        name: name.to_owned(),
        path: name.into(),
        kind,
        text: text.to_owned(),
        lines: LineIndex::new(text),
        reported: true,
    })
}

fn at(source: SourceId, text: &str, part: &str) -> Span {
    let start = text.find(part).unwrap() as u32;
    Span { source, start, end: start + part.len() as u32 }
}

fn sold_twice(cart: SourceId, schema: SourceId) -> Finding {
    let check = at(cart, CART, "query(\"SELECT quantity FROM items WHERE id = $1\")");
    let decision = at(cart, CART, "quantity < 1");
    let act = at(cart, CART, "query(\"UPDATE items SET quantity = $1\")");
    let label = |role, span, message: &str| Label { role, span, message: message.to_owned() };
    let step = |actor, text: &str, span| Step { actor, text: text.to_owned(), span };
    Finding {
        rule: &SOLD_TWICE,
        severity: Severity::Error,
        confidence: Confidence::High,
        message: "`items.quantity` is checked, then written".to_owned(),
        resource: "items.quantity".to_owned(),
        span: act,
        labels: vec![
            label(Role::Check, check, "`items.quantity` is read"),
            label(Role::Decision, decision, "the decision is taken on the value read"),
            label(Role::Act, act, "the write does not repeat the check"),
            label(Role::Schema, at(schema, SCHEMA, "quantity BIGINT NOT NULL"), "no CHECK holds it"),
        ],
        witness: vec![
            step("A", "reads quantity = 1", Some(check)),
            step("B", "reads quantity = 1", Some(check)),
            step("A", "sets quantity = 0", Some(act)),
            step("B", "sets quantity = 0", Some(act)),
            step("", "one item is sold twice", None),
        ],
        fixes: fixes(act),
        function: "shop::cart::take".to_owned(),
        act: "query(\"UPDATEitemsSETquantity=$1\").bind(_1-1)".to_owned(),
    }
}

fn fixes(act: Span) -> Vec<Fix> {
    let text = "query(\"UPDATE items SET quantity = quantity - 1 WHERE quantity > 0\")".to_owned();
    vec![
        Fix {
            title: "repeat the check in the UPDATE".to_owned(),
            applicability: Applicability::Safe,
            edits: vec![Edit { span: act, text }],
        },
        Fix {
            title: "lock the row:\nSELECT quantity FROM items WHERE id = $1 FOR UPDATE".to_owned(),
            applicability: Applicability::Advice,
            edits: vec![],
        },
    ]
}

fn odd_file(span: Span) -> Finding {
    Finding {
        rule: &ODD_FILE,
        severity: Severity::Note,
        confidence: Confidence::Medium,
        message: "nothing to see".to_owned(),
        resource: String::new(),
        span,
        labels: vec![],
        witness: vec![],
        fixes: vec![],
        function: String::new(),
        act: String::new(),
    }
}
