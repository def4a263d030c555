//! What must hold after any number of callers, taken from the window: the bound that a check keeps, the rows that it lets in, the one caller that wins.

use super::amount::{self, Amount, Story};
use super::{Case, resource, witness};
use crate::flow::event::{Access, AccessOp, EventKind};
use crate::flow::value::EventId;
use crate::intern::Symbol;
use crate::rules::conflict_ignored;
use crate::sql::{Dialect, Kind};
use crate::window::database::RowWindow;
use crate::window::decision::Question;

/// What must hold, and how a database that has been running for a while is asked whether it did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invariant {
    /// `tickets.quantity`, `self.sessions`.
    pub resource: String,
    /// `reads quantity = 1`: what a caller does first, where the check lets it through.
    pub reads: Option<String>,
    pub claims: Vec<Claim>,
    /// How the number that a claim looks at is read; none of a place that no statement reads.
    pub query: Option<String>,
    /// The query whose rows are races that were lost. `<…>` in it is what the code does not say.
    pub reconciliation: Option<String>,
}

/// One thing that must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The number that is read is never less than this.
    AtLeast(Amount),
    /// It is never more.
    AtMost(Amount),
    /// It is exactly this.
    Exactly(i64),
    /// It changes by this with each caller that succeeds; a name stands for what each asks for.
    EachCounts(Amount),
    /// One caller succeeds, all others are told that they did not.
    OneWinner,
}

impl Invariant {
    /// The same in the words of a test, which has another name for `self`.
    pub fn seen_from_outside(self, receiver: &str) -> Invariant {
        let of = |text: String| format!(" {text}").replace(" self.", &format!(" {receiver}.")).split_off(1);
        Invariant { resource: of(self.resource), reads: self.reads.map(of), ..self }
    }
}

impl Claim {
    /// The claim is about a number that is read afterwards.
    pub fn reads(&self) -> bool {
        *self != Claim::OneWinner
    }
}

/// What a case breaks. Where no check and act are at hand, and the act is no claim by itself, nobody can tell from the code: there are no claims.
pub fn of(case: &Case) -> Invariant {
    let unknown = Invariant { resource: case.resource.clone(), ..Invariant::default() };
    let one = Invariant { claims: vec![Claim::OneWinner], ..unknown.clone() };
    let Some(act) = case.candidate.act else { return unknown };
    let check = case.candidate.check.filter(|check| !matches!(case.view.event(*check).kind, EventKind::Begin { .. }));
    let Some(check) = check else { return if is_claim(case, act) { one } else { unknown } };
    let story = amount::story(case, check, act);
    let reads = Some(witness::reads(case, check, story.as_ref()));
    match resource::window(case) {
        Some(window) => Invariant { reads, ..of_rows(case, window, story.as_ref(), one) },
        None => {
            let changed = story.as_ref().map(changed).filter(|claims| !claims.is_empty());
            Invariant { reads, claims: changed.unwrap_or_else(|| one.claims.clone()), ..one }
        }
    }
}

/// One step that finds its state or does nothing.
fn is_claim(case: &Case, act: EventId) -> bool {
    let atomic = |access: &Access| access.op == AccessOp::Atomic && access.conditional;
    case.view.access(act).is_some_and(atomic) || conflict_ignored::is_claim(case.view, act)
}

/// What a number that is compared and changed must keep.
fn changed(story: &Story) -> Vec<Claim> {
    let Some(change) = &story.change else { return Vec::new() };
    let last = story.seen.plus(change.by);
    let mut claims = Vec::new();
    if story.compared {
        claims.push(if change.by < 0 { Claim::AtLeast(last) } else { Claim::AtMost(last) });
    }
    if !change.relative {
        let named = story.wanted.as_ref().map(|wanted| Amount::named(wanted, 0));
        claims.push(Claim::EachCounts(named.unwrap_or_else(|| Amount::number(change.by))));
    }
    claims
}

fn of_rows(case: &Case, window: &RowWindow, story: Option<&Story>, one: Invariant) -> Invariant {
    let kind = case.view.sql(window.act).map(|sql| sql.statement.effective().kind);
    let rows = Rows::of(case, window);
    match (kind, story) {
        (Some(Kind::Insert), Some(Story { change: Some(_), .. })) if resource::column(case, window).is_some() => {
            rows.numbered(resource::column(case, window), one)
        }
        (Some(Kind::Insert), Some(story)) if window.decides(|question| question == Question::Amount) => {
            rows.limited(Claim::AtMost(story.seen.plus(1)), &story.seen.plus(1), one)
        }
        (Some(Kind::Insert), _) if !rows.keys.is_empty() => rows.limited(Claim::Exactly(1), &Amount::number(1), one),
        (Some(Kind::Update), Some(story)) if !changed(story).is_empty() => match resource::column(case, window) {
            Some(column) => rows.counted(column, changed(story), one),
            None => one,
        },
        (Some(Kind::Update), _) if window.is_data() => match resource::column(case, window) {
            Some(column) => {
                rows.counted(column, vec![Claim::EachCounts(Amount::named("<what one caller adds>", 0))], one)
            }
            None => one,
        },
        _ => rows.won(one),
    }
}

/// The rows that a check looks at.
struct Rows {
    table: Symbol,
    keys: Vec<Symbol>,
    dialect: Dialect,
}

impl Rows {
    fn of(case: &Case, window: &RowWindow) -> Rows {
        let check = case.view.sql(window.check);
        let keys = check.map(|sql| sql.statement.effective().key_columns()).unwrap_or_default();
        Rows { table: window.table, keys, dialect: case.view.dialect(window.act) }
    }

    /// `SELECT …` over the rows that have the key.
    fn select(&self, what: &str) -> Option<String> {
        let mark = |place: usize| match self.dialect {
            Dialect::Postgres | Dialect::Unknown => format!("${}", place + 1),
            _ => "?".to_owned(),
        };
        let keys = self.keys.iter().enumerate().map(|(place, key)| format!("{key} = {}", mark(place)));
        let keys: Vec<String> = keys.collect();
        let filter = if keys.is_empty() { String::new() } else { format!(" WHERE {}", keys.join(" AND ")) };
        Some(format!("SELECT {what} FROM {}{filter}", self.table))
    }

    /// The groups of which there are more rows than may be.
    fn crowded(&self, more: &[Symbol], most: &Amount) -> Option<String> {
        let table = self.table;
        let group: Vec<&str> = self.keys.iter().chain(more).map(|key| key.as_str()).collect();
        let most = most.as_sql();
        Some(match group.is_empty() {
            true => format!("SELECT COUNT(*) FROM {table} HAVING COUNT(*) > {most}"),
            false => {
                let group = group.join(", ");
                format!("SELECT {group}, COUNT(*) FROM {table} GROUP BY {group} HAVING COUNT(*) > {most}")
            }
        })
    }

    fn limited(&self, claim: Claim, most: &Amount, one: Invariant) -> Invariant {
        let reconciliation = self.crowded(&[], most);
        let resource = format!("the number of rows of {}", self.table);
        Invariant { resource, claims: vec![claim], query: self.select("COUNT(*)"), reconciliation, ..one }
    }

    /// Each number is given once.
    fn numbered(mut self, number: Option<Symbol>, one: Invariant) -> Invariant {
        self.keys.retain(|key| Some(*key) != number);
        let query = number.and_then(|number| self.select(&format!("COUNT(*) - COUNT(DISTINCT {number})")));
        let reconciliation = self.crowded(number.as_slice(), &Amount::number(1));
        Invariant { claims: vec![Claim::Exactly(0)], query, reconciliation, ..one }
    }

    /// A column of one row keeps its bound, and loses no change.
    fn counted(&self, column: Symbol, claims: Vec<Claim>, one: Invariant) -> Invariant {
        let table = self.table;
        let past = claims.iter().find_map(|claim| match claim {
            Claim::AtLeast(bound) => Some(format!("SELECT * FROM {table} WHERE {column} < {}", bound.as_sql())),
            Claim::AtMost(bound) => Some(format!("SELECT * FROM {table} WHERE {column} > {}", bound.as_sql())),
            _ => None,
        });
        let summed = || {
            format!(
                "SELECT t.* FROM {table} t WHERE t.{column} <> (SELECT <the start> + COALESCE(SUM(<amount>), 0) FROM <the record of each change> WHERE <it is of t>)"
            )
        };
        let query = self.select(column.as_str());
        Invariant { claims, query, reconciliation: Some(past.unwrap_or_else(summed)), ..one }
    }

    /// What follows is done once for a row.
    fn won(&self, one: Invariant) -> Invariant {
        let table = self.table;
        let twice = format!(
            "SELECT <the key of {table}>, COUNT(*) FROM <what the winner writes> GROUP BY <the key of {table}> HAVING COUNT(*) > 1"
        );
        Invariant { reconciliation: Some(twice), ..one }
    }
}
