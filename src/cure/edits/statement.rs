//! SQL: the write carries the check itself, and whoever it leaves out takes the way that the check leaves by.

use super::{Mechanical, append, literal};
use crate::cure::code::{Code, Guard, Method, Place, mirrored, opposite};
use crate::cure::{Case, predicate, resource};
use crate::finding::{Applicability, Edit};
use crate::flow::cond::Test;
use crate::flow::value::EventId;
use crate::intern::Symbol;
use crate::ir::{ExprId, ExprKind};
use crate::models::row::Outcome;
use crate::resolve::Ty;
use crate::schema::Schema;
use crate::source::Span;
use crate::sql::{ConflictAction, Dialect, Evidence, Kind, Predicate, Statement};
use crate::window::database::RowWindow;
use crate::window::decision::{Decider, Question};

/// The write as it stands in the code: a statement of its own, after an `if` that leaves.
struct Write<'k, 'c, 'v> {
    case: &'k Case<'c, 'v>,
    code: &'k Code<'c>,
    window: &'k RowWindow,
    statement: &'c Statement,
    at: Place<'c>,
    /// Where the check is seen from here.
    seen: Span,
    condition: ExprId,
    leave: ExprId,
}

pub fn edit(case: &Case, check: EventId, act: EventId) -> Option<Mechanical> {
    let window = resource::window(case)?;
    let (code, seen) = Code::of_act(case, check, act)?;
    let sql = case.view.sql(act).filter(|sql| sql.result == Outcome::Affected)?;
    let at = code.place(case.view.event(act).span)?;
    let Guard::Leaves { condition, leave, .. } = code.guard(seen, at)? else { return None };
    if sql.statement.evidence != Evidence::Parsed {
        return None;
    }
    let write = Write { case, code: &code, window, statement: &sql.statement, at, seen, condition, leave };
    match sql.statement.kind {
        Kind::Update | Kind::Delete => write.conditional(),
        Kind::Insert if sql.statement.conflict.is_some() => write.keeps_the_first(),
        Kind::Insert => write.inserts_once(),
        _ => None,
    }
}

impl Write<'_, '_, '_> {
    fn act(&self) -> EventId {
        self.window.act
    }

    fn dialect(&self) -> Dialect {
        self.case.view.dialect(self.act())
    }

    /// `… WHERE id = $1` becomes `… WHERE id = $1 AND quantity > 0`, and zero rows leave as the check does.
    fn conditional(&self) -> Option<Mechanical> {
        let text = literal(self.case, self.act())?.1.to_uppercase();
        let ends_with_where = text.matches(" WHERE ").count() == 1
            && ![" OR ", " RETURNING ", " LIMIT ", " ORDER BY ", "(SELECT"].iter().any(|word| text.contains(word));
        // What was computed from the value read is stale whatever the WHERE says.
        if !ends_with_where
            || self.window.is_data()
            || self.statement.filters.iter().any(|filter| matches!(filter, Predicate::Or(_)))
        {
            return None;
        }
        let (predicate, bound) = self.predicate()?;
        let mut edits = vec![append(self.case, self.act(), &format!(" AND {predicate}"))?];
        edits.extend(bound);
        edits.extend(self.counted()?);
        let title = format!("repeat the check in the write, `AND {predicate}`, and refuse where it changed no row");
        // Some drivers of MySQL count the rows that changed, not those that were found.
        let applicability = match self.dialect() {
            Dialect::Mysql => Applicability::Unsafe,
            _ => Applicability::Safe,
        };
        Some(Mechanical { title, applicability, edits })
    }

    /// What the check asks of a column, as SQL, and the edit that binds a value for it.
    fn predicate(&self) -> Option<(String, Option<Edit>)> {
        let there = Question::Presence { absent: false };
        let mut asked = self.window.deciders.iter().filter(|decider| {
            decider.event == self.window.check && decider.question != there && decider.question != Question::Failure
        });
        let decider = asked.next().filter(|_| asked.next().is_none())?;
        let column = self.column(decider)?;
        match decider.atom.test {
            Test::Some => Some((format!("{column} IS {}NULL", if decider.atom.negated { "" } else { "NOT " }), None)),
            Test::True => Some((format!("{column} = {}", if decider.atom.negated { "FALSE" } else { "TRUE" }), None)),
            Test::Compare(..) => self.comparison(column),
            _ => None,
        }
    }

    /// The one column of the table that a test looks at.
    fn column(&self, decider: &Decider) -> Option<Symbol> {
        let check = self.case.view.sql(self.window.check)?.statement.effective();
        let plain = check.projections.iter().all(|projection| projection.aggregate.is_none()) && check.inner.is_empty();
        let columns = self.case.view.columns_of_part(decider.event, decider.part);
        match &columns[..] {
            [column] if plain && column.table.is_none_or(|table| table == self.window.table) => Some(column.name),
            _ => None,
        }
    }

    /// The comparison as it is written: `column op literal`, or with a value to bind.
    fn comparison(&self, column: Symbol) -> Option<(String, Option<Edit>)> {
        let asked = self.code.asked(self.condition);
        let (op, left, right) = self.code.binary(asked.question)?;
        let (op, operand) = match (self.code.looks_at(left, self.seen, 2), self.code.looks_at(right, self.seen, 2)) {
            (true, false) => (op, right),
            (false, true) => (mirrored(op), left),
            _ => return None,
        };
        // The branch leaves where the comparison holds; the write must run where it does not.
        let op = if asked.negated { op } else { opposite(op)? };
        let sql = predicate::compare(op, false);
        if let Some(text) = self.code.sql_literal(operand) {
            return Some((format!("{column} {sql} {text}"), None));
        }
        let (placeholder, bind) = self.bound(operand)?;
        Some((format!("{column} {sql} {placeholder}"), bind))
    }

    /// The placeholder of a value: of the one that is bound already, or a new one with the edit that binds it.
    fn bound(&self, operand: ExprId) -> Option<(String, Option<Edit>)> {
        let text = literal(self.case, self.act())?.1;
        let run = self.code.method(self.code.call_at(self.case.view.event(self.act()).span)?)?;
        let numbered = ['$', '?']
            .into_iter()
            .find(|sign| text.split(*sign).skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit())));
        let known = self.values(run).iter().position(|value| *value == self.code.text(operand));
        if let (Some(sign), Some(index)) = (numbered, known) {
            return Some((format!("{sign}{}", index + 1), None));
        }
        let last = self.code.method(run.receiver).filter(|last| last.name == "bind" && self.is_plain(operand))?;
        let placeholder = match numbered {
            Some(sign) => format!("{sign}{}", self.statement.params + 1),
            None => text.contains('?').then(|| "?".to_owned())?,
        };
        let (at, before) = (self.code.span(run.receiver), self.code.span(last.receiver).end);
        let gap = self.code.between(before, at);
        let bind = self.code.insert(at, at.end, format!("{gap}.bind({})", self.code.text(operand)));
        Some((placeholder, Some(bind)))
    }

    /// The values that are bound, in order, as written: `.bind(a).bind(b)` or `&[&a, &b]`.
    fn values(&self, run: Method<'_>) -> Vec<&str> {
        let mut out = Vec::new();
        let mut at = run.receiver;
        while let Some(call) = self.code.method(at) {
            if let ("bind", [value]) = (call.name, call.args) {
                out.push(self.code.text(*value));
            }
            at = call.receiver;
        }
        out.reverse();
        if let Some(list) = run.args.get(1) {
            let elements = self.code.elements(*list).into_iter().map(|element| self.code.text(element));
            out.extend(elements.map(|text| text.strip_prefix('&').unwrap_or(text)));
        }
        out
    }

    /// A value that can be bound once more: a number, or a text that is only borrowed.
    fn is_plain(&self, operand: ExprId) -> bool {
        let borrowed = matches!(self.code.typed.expr(self.code.peel(operand)), Ty::Ref(..));
        let Ty::Ext(path, _) = self.code.ty(operand) else { return false };
        let number =
            matches!(path.as_str(), "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "f32" | "f64");
        let simple = matches!(
            self.code.expr(self.code.peel(operand)).kind,
            ExprKind::Local(_) | ExprKind::Path(_) | ExprKind::Field { .. }
        );
        simple && (number && !borrowed || borrowed && *path == "str")
    }

    /// `write?;` becomes `let done = write?; if done.rows_affected() == 0 { leave }`, with the body of the branch that leaves after the check.
    fn counted(&self) -> Option<[Edit; 2]> {
        let whole = self.code.whole(self.at).filter(|_| self.at.index < self.at.block.stmts.len())?;
        let ExprKind::Try(_) = self.code.expr(whole).kind else { return None };
        let count = match self.code.ty(whole) {
            Ty::Ext(path, _) if matches!(path.as_str(), "u64" | "usize") => "",
            _ if self.has_count() => ".rows_affected()",
            _ => return None,
        };
        let done = ["done", "written", "outcome"].into_iter().find_map(|name| self.code.free_name(name))?;
        let (start, end) = (self.code.span(whole), self.code.span_of(self.at)?);
        // A macro that leaves (`ensure!`) has no body to repeat.
        let leave = Some(self.code.text(self.leave)).filter(|leave| leave.starts_with('{'))?;
        let refusal = format!("\n{}if {done}{count} == 0 {leave}", self.code.indent(start));
        let name = self.code.insert(start, start.start, format!("let {done} = "));
        Some([name, self.code.insert(end, end.end, refusal)])
    }

    /// What the statement answers has a count of rows by that name.
    fn has_count(&self) -> bool {
        let models = self.case.view.models;
        let Some(library) = self.code.call_at(self.case.view.event(self.act()).span).and_then(|id| {
            let row = self.code.typed.targets.get(&id)?.row?;
            models.on(row).first().map(|on| on.as_str().split("::").next().unwrap_or_default())
        }) else {
            return false;
        };
        models
            .calls_by_method("rows_affected")
            .iter()
            .any(|row| models.on(*row).iter().any(|on| on.as_str().split("::").next() == Some(library)))
    }

    /// `DO UPDATE SET …` becomes `DO NOTHING`.
    fn keeps_the_first(&self) -> Option<Mechanical> {
        let conflict = self.statement.conflict.as_ref()?;
        let (span, text) = literal(self.case, self.act())?;
        let at = text.to_uppercase().find("DO UPDATE")?;
        let clause = &text[at..];
        let plain = matches!(conflict.action, ConflictAction::Update { .. })
            && !self.statement.returning
            && !clause.contains(['$', '?', ':']);
        if !plain {
            return None;
        }
        let start = span.start + u32::try_from(at).ok()?;
        let mut edits = vec![self.code.replace(Span { start, ..span }, "DO NOTHING")];
        edits.extend(self.counted()?);
        let title = "insert with DO NOTHING, and refuse where it inserted no row: the first one stays".to_owned();
        Some(Mechanical { title, applicability: Applicability::Safe, edits })
    }

    /// `INSERT …` becomes `INSERT … ON CONFLICT (…) DO NOTHING`, which needs a constraint on what was checked.
    fn inserts_once(&self) -> Option<Mechanical> {
        let schema: &Schema = self.case.scope.schema_of(self.case.candidate.function);
        let known = schema.tables.contains_key(self.window.table.as_str());
        let keys = self.case.view.sql(self.window.check)?.statement.effective().key_columns();
        let asks_presence = !self.window.decides(|question| question == Question::Amount) && self.window.absent();
        let writes = asks_presence && keys.iter().all(|key| self.statement.sets.iter().any(|set| set.column == *key));
        if known || self.dialect() == Dialect::Mysql || keys.is_empty() || !writes || self.statement.returning {
            return None;
        }
        let columns = keys.iter().map(|key| key.as_str()).collect::<Vec<_>>().join(", ");
        let mut edits = vec![append(self.case, self.act(), &format!(" ON CONFLICT ({columns}) DO NOTHING"))?];
        edits.extend(self.counted()?);
        let title = format!(
            "with a unique index on {} ({columns}), insert with ON CONFLICT DO NOTHING and refuse where it inserted no row",
            self.window.table
        );
        Some(Mechanical { title, applicability: Applicability::Unsafe, edits })
    }
}
