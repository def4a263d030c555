//! The trace of a function as text: one line an event, with the values it works on and what held.

use std::fmt::Write;

use crate::Understood;
use crate::clean;
use crate::flow::cond::{Cond, CondId, Test};
use crate::flow::event::{Access, Acquire, Event, EventKind, SqlEvent, Summary};
use crate::flow::value::{Value, ValueId};
use crate::resolve::FnId;
use crate::source::Sources;
use crate::sql::Statement;

/// How deep values and conditions are written out.
const DEPTH: u32 = 5;

/// The traces of the functions whose path holds `part`; functions without events are left out.
pub fn traces(understood: &Understood, sources: &Sources, part: &str) -> String {
    let mut text = String::new();
    for (index, summary) in understood.summaries.iter().enumerate() {
        let function = understood.program.function(FnId(index as u32));
        let Some(summary) = summary.as_ref().filter(|summary| !summary.events.is_empty()) else { continue };
        if !function.path.contains(part) {
            continue;
        }
        let source = understood.program.source(FnId(index as u32));
        let file = &sources.get(source.span.source).name;
        let _ =
            writeln!(text, "fn {}", clean::line(&format!("{} ({file}:{})", function.path, sources.line(source.span))));
        let show = Show { understood, sources, summary };
        for (number, event) in summary.events.iter().enumerate() {
            let _ = writeln!(text, "  {}", clean::line(&show.event(number, event)));
        }
        if let Some(ret) = summary.ret {
            let _ = writeln!(text, "  gives {}", clean::line(&show.value(ret, DEPTH)));
        }
        if summary.truncated {
            let _ = writeln!(text, "  (and more events than are kept)");
        }
        text.push('\n');
    }
    text
}

struct Show<'a> {
    understood: &'a Understood,
    sources: &'a Sources,
    summary: &'a Summary,
}

impl Show<'_> {
    fn event(&self, number: usize, event: &Event) -> String {
        let mut line = format!("#{number} line {}: {}", self.sources.line(event.span), self.kind(&event.kind));
        for site in event.path.iter() {
            let _ = write!(line, " in {}", self.understood.program.function(site.callee).path);
        }
        if !event.held.is_empty() {
            let held: Vec<_> = event.held.iter().map(|held| format!("#{}", held.0)).collect();
            let _ = write!(line, ", holding {}", held.join(" "));
        }
        if !event.loops.is_empty() {
            let _ = write!(line, ", in {} loops", event.loops.len());
        }
        if event.context.spawned > 0 {
            let _ = write!(line, ", in spawn {}", event.context.spawned);
        }
        let cond = self.cond(event.cond, DEPTH);
        if cond != "always" {
            let _ = write!(line, ", if {cond}");
        }
        line
    }

    fn kind(&self, kind: &EventKind) -> String {
        let show = |id: &ValueId| self.value(*id, DEPTH);
        let on = |id: &Option<ValueId>| id.as_ref().map_or_else(|| "?".to_owned(), show);
        match kind {
            EventKind::Sql(sql) => self.sql(sql),
            EventKind::Access(access) => self.access(access),
            EventKind::Acquire(Acquire { lock, mode, attempt, .. }) => {
                format!("{}acquire {mode:?} {}", if *attempt { "try to " } else { "" }, show(lock))
            }
            EventKind::Release(guard) => format!("release {}", show(guard)),
            EventKind::Begin { on: handle, isolation, savepoint } => {
                format!("begin{} {isolation:?} on {}", if *savepoint { " savepoint" } else { "" }, on(handle))
            }
            EventKind::Commit(handle) => format!("commit {}", show(handle)),
            EventKind::Rollback(handle) => format!("rollback {}", show(handle)),
            EventKind::Isolation { on, level } => format!("isolation {level:?} on {}", show(on)),
            EventKind::External { what, args } => format!("external {what}({})", self.list(args, DEPTH)),
            EventKind::Sleep => "sleep".to_owned(),
            EventKind::Wait(value) => format!("wait for {}", show(value)),
            EventKind::Spawn { number } => format!("spawn {number}"),
            EventKind::Invoke { callee, args } => format!("invoke {}({})", show(callee), self.list(args, DEPTH)),
            EventKind::Assert(value) => format!("assert {}", show(value)),
            EventKind::Concurrent => "several at once".to_owned(),
        }
    }

    fn sql(&self, event: &SqlEvent) -> String {
        let args: Vec<_> =
            event.args.iter().map(|arg| arg.map_or_else(|| "?".to_owned(), |arg| self.value(arg, DEPTH))).collect();
        let on = event.executor.map_or_else(|| "?".to_owned(), |on| self.value(on, DEPTH));
        format!("sql {} [{}] on {on} giving {:?}", statement(&event.statement), args.join(", "), event.result)
    }

    fn access(&self, access: &Access) -> String {
        let mut text =
            format!("{:?} {} {:?} {}", access.op, access.name, access.domain, self.value(access.place, DEPTH));
        for (what, value) in [("key", access.key), ("value", access.value), ("target", access.target)] {
            if let Some(value) = value {
                let _ = write!(text, " {what} {}", self.value(value, DEPTH));
            }
        }
        for (set, what) in
            [(access.conditional, "conditional"), (access.expires, "expires"), (access.attempt, "attempt")]
        {
            if set {
                let _ = write!(text, " {what}");
            }
        }
        text
    }

    fn list(&self, values: &[ValueId], depth: u32) -> String {
        values.iter().map(|value| self.value(*value, depth)).collect::<Vec<_>>().join(", ")
    }

    fn value(&self, id: ValueId, depth: u32) -> String {
        let Some(depth) = depth.checked_sub(1) else { return "…".to_owned() };
        let show = |id: ValueId| self.value(id, depth);
        match self.summary.arena.get(id) {
            Value::Unknown(number) => format!("?{number}"),
            Value::Param(number) => format!("param{number}"),
            Value::Static(id) => self.understood.program.static_(*id).path.clone(),
            Value::Lit(text) => format!("`{text}`"),
            Value::Const(path) => path.to_string(),
            Value::Field(base, name) => format!("{}.{name}", show(*base)),
            Value::Element(of) => format!("element({})", show(*of)),
            Value::Outcome(event) => format!("answer#{}", event.0),
            Value::Guard(event) => format!("guard#{}", event.0),
            Value::Content(of) => format!("*{}", show(*of)),
            Value::Op(name, args) => format!("{name}({})", self.list(args, depth)),
            Value::Record { name, fields, base } => {
                let mut parts: Vec<_> =
                    fields.iter().map(|(name, value)| format!("{name}: {}", show(*value))).collect();
                parts.extend(base.map(|base| format!("..{}", show(base))));
                format!("{}{{{}}}", name.map_or("", |name| name.as_str()), parts.join(", "))
            }
            Value::Wrap(name, inner) => format!("{name}({})", show(*inner)),
            Value::Phi(arms) => {
                let arms: Vec<_> = arms
                    .iter()
                    .map(|(cond, value)| format!("{} if {}", show(*value), self.cond(*cond, depth)))
                    .collect();
                format!("({})", arms.join(" | "))
            }
            Value::Query(query) => format!("query<{}>", statement(&query.statement)),
            Value::Pred(_) => "predicate".to_owned(),
            Value::Table(name) => format!("table {name}"),
            Value::Column(table, name) => format!("column {}.{name}", table.map_or("?", |table| table.as_str())),
            Value::Closure(_) => "closure".to_owned(),
            Value::Function(id) => format!("fn {}", self.understood.program.function(*id).path),
            Value::Flags(flags) => {
                let on: Vec<_> =
                    flags.iter().map(|(name, on)| format!("{}{name}", if *on { "" } else { "!" })).collect();
                format!("flags[{}]", on.join(" "))
            }
            Value::Command(words) => format!("command[{}]", self.list(words, depth)),
            Value::Entry(place, key) => format!("{}[{}]", show(*place), show(*key)),
            Value::Given(from, kind) => format!("{kind:?} of {}", show(*from)),
        }
    }

    fn cond(&self, id: CondId, depth: u32) -> String {
        let arena = &self.summary.arena;
        let Some(less) = depth.checked_sub(1) else { return "…".to_owned() };
        match arena.cond(id) {
            Cond::True => "always".to_owned(),
            Cond::False => "never".to_owned(),
            Cond::Test { value, test, negated } => {
                format!("{}{}", if *negated { "not " } else { "" }, self.test(*value, *test, less))
            }
            Cond::And(parts) => self.joined(parts, " and ", less),
            Cond::Or(parts) => self.joined(parts, " or ", less),
            Cond::Then(..) => self.path(id, less),
        }
    }

    /// The steps of a path, in order.
    fn path(&self, mut at: CondId, depth: u32) -> String {
        let mut steps = Vec::new();
        while let Cond::Then(before, last) = self.summary.arena.cond(at) {
            steps.push(self.cond(*last, depth));
            at = *before;
        }
        if *self.summary.arena.cond(at) != Cond::True {
            steps.push(self.cond(at, depth));
        }
        steps.reverse();
        steps.join(", then ")
    }

    fn joined(&self, parts: &[CondId], word: &str, depth: u32) -> String {
        let parts: Vec<_> = parts.iter().map(|part| self.cond(*part, depth)).collect();
        format!("({})", parts.join(word))
    }

    fn test(&self, value: ValueId, test: Test, depth: u32) -> String {
        let value = self.value(value, depth);
        match test {
            Test::True => value,
            Test::Some => format!("{value} is Some"),
            Test::Ok => format!("{value} is Ok"),
            Test::Compare(op, other) => format!("{value} {op:?} {}", self.value(other, depth)),
            Test::Variant(name) => format!("{value} is {name}"),
            Test::Empty => format!("{value} is empty"),
            Test::Pattern => format!("{value} matches"),
        }
    }
}

fn statement(statement: &Statement) -> String {
    let mut text = format!("{:?} {}", statement.kind, statement.table.map_or("?", |table| table.as_str()));
    if !statement.filters.is_empty() {
        let _ = write!(text, " where {}", statement.filters.len());
    }
    if statement.lock.is_some() {
        text.push_str(" locking");
    }
    if statement.conflict.is_some() {
        text.push_str(" on conflict");
    }
    text
}
