//! Windows on database rows: a SELECT whose answer decides a later write to the same table.

use std::collections::HashMap;
use std::sync::Arc;

use super::View;
use super::asked::Deciders;
use super::decision::{Decider, Question};
use super::handle::Tx;
use super::key::{KeyValue, Relation};
use super::protect::overwrites;
use crate::flow::cond::{Atom, Test};
use crate::flow::event::{AccessOp, Domain, EventKind, SqlEvent};
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::rule::Confidence;
use crate::sql::{Column, Kind, Op, Operand, Predicate, Statement};

/// Where the check and the act ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enclosure {
    /// Neither in a transaction.
    Auto,
    /// Both in the same one.
    Same,
    /// In two transactions, or one of them outside the other's.
    Split,
    /// Both on something that the caller gave: what it is, it knows.
    Caller,
}

/// A check and an act on rows of one table.
#[derive(Clone, Debug)]
pub struct RowWindow {
    pub check: EventId,
    pub act: EventId,
    pub table: Symbol,
    pub deciders: Vec<Decider>,
    /// The columns of the checked row that the decision looks at.
    pub looked_at: Vec<Symbol>,
    /// Assignments of the act whose value is computed from the check: the column set and the columns it came from.
    pub computed: Vec<(Symbol, Vec<Symbol>)>,
    /// A whole row that was read is written back.
    pub whole: bool,
    /// An upsert that puts its values over the rows that the check asked for.
    pub replaces: bool,
    /// The act goes through the rows that were read, one by one, by their keys.
    pub each: bool,
    pub relation: Relation,
    pub enclosure: Enclosure,
    pub confidence: Confidence,
}

impl RowWindow {
    pub fn absent(&self) -> bool {
        self.deciders.iter().any(|d| d.question == Question::Presence { absent: true })
    }

    pub fn decides(&self, question: impl Fn(Question) -> bool) -> bool {
        self.deciders.iter().any(|d| question(d.question))
    }

    /// A column is written that was computed from what it held itself, or a whole row.
    pub fn is_own_data(&self) -> bool {
        self.whole || self.computes_own()
    }

    /// A column is written that was computed from what it held itself.
    pub fn computes_own(&self) -> bool {
        let own = |(column, from): &(Symbol, Vec<Symbol>)| {
            from.is_empty() || from.contains(column) || from.iter().any(|from| *from == "*")
        };
        self.computed.iter().any(own)
    }

    pub fn is_data(&self) -> bool {
        self.whole || !self.computed.is_empty()
    }
}

impl View<'_> {
    /// All pairs of a trace in which a check decides an act on the same rows; the nearest check of each kind for each act.
    pub fn row_windows(&self) -> Vec<RowWindow> {
        let mut reads: HashMap<Symbol, Vec<EventId>> = HashMap::new();
        let mut out = Vec::new();
        for (id, event) in self.events() {
            let EventKind::Sql(sql) = &event.kind else { continue };
            let statement = sql.statement.effective();
            if is_row_write(statement)
                && let Some(table) = statement.table
            {
                let checks = reads.get(&table).map_or(&[][..], Vec::as_slice);
                self.pair(id, table, checks, &mut out);
            }
            for table in checked_tables(&sql.statement) {
                reads.entry(table).or_default().push(id);
            }
        }
        out
    }

    fn pair(&self, act: EventId, table: Symbol, checks: &[EventId], out: &mut Vec<RowWindow>) {
        if checks.is_empty() {
            return;
        }
        let deciders = self.deciders(act);
        for &check in checks.iter().rev().take(24) {
            if !self.may_follow(check, act) || self.is_seen_within_a_call(check, act) {
                continue;
            }
            if let Some(window) = self.row_window(check, act, table, &deciders) {
                out.push(window);
            }
        }
    }

    /// Both can happen in one run, in one implementation of what was called.
    pub fn may_follow(&self, check: EventId, act: EventId) -> bool {
        let (c, a) = (self.event(check), self.event(act));
        let one = match (c.choice, a.choice) {
            (Some((of, by)), Some((other, and))) => of != other || by == and,
            _ => true,
        };
        one && !self.initialised_before(check, act)
    }

    /// One function is called twice, and each call reads and writes by itself: that pair is judged within a call, not across both.
    fn is_seen_within_a_call(&self, check: EventId, act: EventId) -> bool {
        let (c, a) = (self.event(check), self.event(act));
        let shared = self.common(c, a).len();
        let (Some(first), Some(second)) = (c.path.get(shared), a.path.get(shared)) else { return false };
        let own = |id: EventId| {
            let event = self.event(id);
            event.origin == c.origin && event.path.get(..=shared) == a.path.get(..=shared)
        };
        first.callee == second.callee && (0..act.0).map(EventId).any(own)
    }

    /// The act stands in the initialiser of a slot that was filled by the time of the check: it will not run again.
    fn initialised_before(&self, check: EventId, act: EventId) -> bool {
        let slot = |id: EventId| {
            let access = self.access(id)?;
            (access.domain == Domain::Slot && access.op == AccessOp::Atomic).then_some(access.place)
        };
        let filled: Vec<ValueId> = self.events().take(check.0 as usize).filter_map(|(id, _)| slot(id)).collect();
        if filled.is_empty() {
            return false;
        }
        self.trace.arena.atoms(self.event(act).cond).iter().any(|atom| {
            let Value::Outcome(initialised) = self.trace.arena.get(atom.value) else { return false };
            let fills = atom.test == Test::Some && atom.negated && atom.strong && *initialised > check;
            let place = slot(*initialised).filter(|_| fills);
            place.is_some_and(|place| filled.iter().any(|other| self.same_value(*other, place) == Relation::Same))
        })
    }

    fn row_window(&self, check: EventId, act: EventId, table: Symbol, deciders: &Deciders) -> Option<RowWindow> {
        let sql = self.sql(act)?;
        let mine: Vec<Decider> = deciders
            .of(check)
            .filter(|decider| decider.question != Question::Failure)
            .filter(|decider| self.is_about(table, decider))
            .collect();
        let mine = self.only_one_way(act, mine);
        let mine = self.without_settled_absence(check, act, table, mine);
        let mine = self.joined_absence(check, table, sql, mine);
        let computed = self.computed_from(check, sql);
        let whole = self.saves_row(check, sql);
        let each = self.each_row(check, act);
        if mine.is_empty() && computed.is_empty() && !whole && !each {
            return None;
        }
        // What a write answered is its own business, but for an UPDATE that found nothing before an INSERT.
        let kind = |id| self.sql(id).map(|sql| sql.statement.effective().kind);
        match (kind(check), kind(act)) {
            (Some(Kind::Select), _) | (Some(Kind::Update), Some(Kind::Insert)) => {}
            _ if !computed.is_empty() => {}
            _ => return None,
        }
        let relation = self.same_rows(check, act);
        if relation == Relation::Different {
            return None;
        }
        let looked_at = self.looked_at(table, &mine);
        if computed.is_empty() && !whole && !each && self.only_admits(check, act, &mine, &looked_at) {
            return None;
        }
        let enclosure = self.enclosure(check, act);
        let mut window = RowWindow {
            check,
            act,
            table,
            deciders: mine,
            looked_at,
            computed,
            whole,
            replaces: self.replaces(check, act),
            each,
            relation,
            enclosure,
            confidence: Confidence::High,
        };
        window.confidence = self.row_confidence(&window);
        Some(window)
    }

    /// One call looks, another sets other columns, and what the first saw is one of several reasons to go on: it says who may come here.
    fn only_admits(&self, check: EventId, act: EventId, deciders: &[Decider], looked_at: &[Symbol]) -> bool {
        let statement = self.sql(act).map(|sql| sql.statement.effective());
        let others = statement.is_some_and(|statement| {
            statement.kind == Kind::Update && statement.sets.iter().all(|set| !looked_at.contains(&set.column))
        });
        let (looks, acts) = (self.event(check).path.first(), self.event(act).path.first());
        let apart = looks.is_some() && acts.is_some() && looks != acts;
        let admits = |decider: &Decider| match decider.question {
            Question::Presence { absent } => !absent || !decider.atom.strong,
            Question::Content => !decider.atom.strong,
            Question::Amount | Question::Failure => false,
        };
        others && apart && deciders.iter().all(admits)
    }

    /// Without the absence that another write has answered: where no row was found, one was made before the ways met again.
    fn without_settled_absence(
        &self,
        check: EventId,
        act: EventId,
        table: Symbol,
        deciders: Vec<Decider>,
    ) -> Vec<Decider> {
        let absent = |decider: &Decider| decider.question == Question::Presence { absent: true };
        let made = |decider: &Decider| {
            (check.0 + 1..act.0).map(EventId).any(|id| {
                let inserts = self.sql(id).map(|sql| sql.statement.effective());
                let inserts = inserts.is_some_and(|made| made.kind == Kind::Insert && made.table == Some(table));
                inserts
                    && self
                        .deciders(id)
                        .of(check)
                        .any(|d| absent(&d) && d.atom.strong && d.atom.value == decider.atom.value)
            })
        };
        deciders.iter().filter(|d| !(absent(d) && !d.atom.strong && made(d))).copied().collect()
    }

    /// Without the tests of which both answers lead to the act: `find(…).or_else(make)` gives a row either way.
    fn only_one_way(&self, act: EventId, deciders: Vec<Decider>) -> Vec<Decider> {
        let cond = self.event(act).cond;
        let opposite = |a: &Atom, b: &Atom| a.value == b.value && a.test == b.test && a.negated != b.negated;
        let undecided = |decider: &Decider| {
            deciders.iter().any(|other| opposite(&decider.atom, &other.atom))
                && self.trace.arena.goes_both_ways(cond, &decider.atom)
        };
        deciders.iter().filter(|decider| !undecided(decider)).copied().collect()
    }

    /// What the test looks at may be of this table. A row of several tables also tells who may do something, by columns of others.
    fn is_about(&self, table: Symbol, decider: &Decider) -> bool {
        if decider.part.is_none() && matches!(decider.question, Question::Presence { .. }) {
            return self.compares(decider.event, table);
        }
        let columns = self.columns_of_part(decider.event, decider.part);
        if !columns.is_empty() && columns.iter().all(|column| !is_of(column, table)) {
            return false;
        }
        let other = if let Test::Compare(_, other) = decider.atom.test { Some(other) } else { None };
        let mut names = Vec::new();
        // What the answer is compared with may be a field of anything.
        let sides = [Some(decider.atom.value), other].into_iter().flatten();
        for side in sides.filter(|side| self.touches(*side).iter().any(|touch| touch.event == decider.event)) {
            self.names_in(side, 6, &mut names);
        }
        let numbered = |name: Symbol| name.as_str().parse::<u32>().is_ok();
        let known = |(of, name): &(Option<Symbol>, Symbol)| {
            of.is_none_or(|of| of == table) && (numbered(*name) || self.may_have(table, *name))
        };
        names.is_empty() || names.iter().any(known)
    }

    /// A row of several tables that is there, or is not, tells of those tables whose columns were compared.
    fn compares(&self, check: EventId, table: Symbol) -> bool {
        let Some(sql) = self.sql(check) else { return true };
        let statement = sql.statement.effective();
        let several = statement.reads.iter().any(|of| Some(*of) != statement.table);
        let tells = |filter: &Predicate| match filter {
            Predicate::Compare { right: Operand::Column(_), .. } => false,
            Predicate::Exists { .. } => statement.table == Some(table),
            _ => !self.compared_of(filter, table).is_empty(),
        };
        !several || statement.kind != Kind::Select || statement.filters.iter().any(tells)
    }

    /// The columns that a predicate compares, as far as they may be of the table.
    pub fn compared_of(&self, predicate: &Predicate, table: Symbol) -> Vec<Symbol> {
        let columns = super::protect::columns_of(predicate, table).into_iter();
        columns.filter(|column| self.may_have(table, *column)).collect()
    }

    /// The table has such a column, where its columns are known; else it may.
    fn may_have(&self, table: Symbol, name: Symbol) -> bool {
        let def = self.program.tables.iter().find(|def| def.name == table && !def.columns.is_empty());
        def.is_none_or(|def| def.columns.iter().any(|(rust, column, _)| *rust == name || *column == name))
    }

    /// The names of the fields through which a value was reached, each with the table of the row that it is a field of.
    fn names_in(&self, value: ValueId, depth: u32, out: &mut Vec<(Option<Symbol>, Symbol)>) {
        if depth == 0 {
            return;
        }
        match self.trace.arena.get(value) {
            Value::Field(base, name) => {
                let of = super::touch::row_table(self.program, self.trace, *base);
                out.push((of, *name));
                // How the row itself was reached says nothing more of its column.
                if of.is_none() {
                    self.names_in(*base, depth - 1, out);
                }
            }
            Value::Element(inner) | Value::Wrap(_, inner) | Value::Content(inner) => {
                self.names_in(*inner, depth - 1, out)
            }
            Value::Op(_, args) => {
                for arg in args {
                    self.names_in(*arg, depth - 1, out);
                }
            }
            Value::Phi(arms) => {
                for (_, arm) in arms {
                    self.names_in(*arm, depth - 1, out);
                }
            }
            _ => {}
        }
    }

    /// A column of a joined table that is null says that there is no row of that table.
    fn joined_absence(&self, check: EventId, table: Symbol, act: &SqlEvent, deciders: Vec<Decider>) -> Vec<Decider> {
        let joined = self.sql(check).is_some_and(|sql| sql.statement.effective().table.is_some_and(|of| of != table));
        if !joined || act.statement.effective().kind != Kind::Insert {
            return deciders;
        }
        let absent = |decider: Decider| match decider.atom.test {
            Test::Some if decider.part.is_some() => {
                Decider { question: Question::Presence { absent: decider.atom.negated }, ..decider }
            }
            _ => decider,
        };
        deciders.into_iter().map(absent).collect()
    }

    /// A row that others put where the check found none is overwritten, or the row that it found. What an upsert says of conflicts on other columns
    /// than the check compared does not reach that row.
    fn replaces(&self, check: EventId, act: EventId) -> bool {
        let (Some(read), Some(write)) = (self.sql(check), self.sql(act)) else { return false };
        let statement = write.statement.effective();
        let target = statement.conflict.as_ref().map(|conflict| conflict.columns.as_slice()).unwrap_or_default();
        let asked = super::key::keys(read);
        let of_check = |key: &KeyValue| match key {
            KeyValue::Value(value) => self.touches(*value).iter().any(|touch| touch.event == check && !touch.control),
            _ => false,
        };
        let reaches = |column: &Symbol| {
            let put = super::key::inserted(write).into_iter().find(|(set, _)| set == column);
            asked.iter().any(|(of, _)| of == column) || put.is_none_or(|(_, value)| of_check(&value))
        };
        overwrites(statement) && (target.is_empty() || asked.is_empty() || target.iter().any(reaches))
    }

    /// A row that was read is written back as a whole, changed on the way.
    fn saves_row(&self, check: EventId, sql: &SqlEvent) -> bool {
        sql.whole.is_some_and(|whole| {
            let changed = !self.is_copy(whole, check) || !sql.statement.effective().sets.is_empty();
            changed && self.touches(whole).iter().any(|touch| touch.event == check && !touch.control)
        })
    }

    /// The value is what the check answered, or a part of it, unchanged.
    fn is_copy(&self, value: ValueId, check: EventId) -> bool {
        let mut at = value;
        for _ in 0..12 {
            at = match self.trace.arena.get(at) {
                Value::Field(base, _) | Value::Element(base) | Value::Wrap(_, base) | Value::Content(base) => *base,
                Value::Outcome(event) => return *event == check,
                Value::Const(path) => return *path == "None",
                Value::Phi(arms) => return arms.iter().all(|(_, arm)| self.is_copy(*arm, check)),
                Value::Op(name, args) if *name == "list" || *name == "each" => match args.last() {
                    Some(last) => *last,
                    None => return false,
                },
                _ => return false,
            };
        }
        false
    }

    /// The act runs in a loop over the rows that were read and takes its key from each of them.
    fn each_row(&self, check: EventId, act: EventId) -> bool {
        let (c, a) = (self.event(check), self.event(act));
        let Some(sql) = self.sql(check).filter(|sql| sql.result == crate::models::row::Outcome::Rows) else {
            return false;
        };
        let _ = sql;
        a.loops.len() > c.loops.len()
            && self.sql(act).is_some_and(|write| {
                super::key::keys(write).iter().any(|(_, key)| match key {
                    KeyValue::Value(value) => {
                        self.touches(*value).iter().any(|touch| touch.event == check && !touch.control)
                    }
                    _ => false,
                })
            })
    }

    fn looked_at(&self, table: Symbol, deciders: &[Decider]) -> Vec<Symbol> {
        let mut out: Vec<Symbol> = deciders
            .iter()
            .filter(|decider| !matches!(decider.question, Question::Presence { .. }) || decider.part.is_some())
            .flat_map(|decider| self.columns_of_part(decider.event, decider.part))
            .filter(|column| is_of(column, table))
            .map(|column: Column| column.name)
            .collect();
        out.sort_by_key(|column| column.as_str());
        out.dedup();
        out
    }

    /// The assignments of a write whose values come from what `check` answered.
    fn computed_from(&self, check: EventId, sql: &SqlEvent) -> Vec<(Symbol, Vec<Symbol>)> {
        let mut out = Vec::new();
        for set in sql.statement.effective().sets.iter().chain(conflict_sets(sql.statement.effective())) {
            let params: Vec<u16> = match &set.value {
                Operand::Param(n) => vec![*n],
                Operand::Expr { params, .. } => params.clone(),
                _ => continue,
            };
            let mut from: Vec<Symbol> = Vec::new();
            let mut touched = false;
            for value in params.iter().filter_map(|n| sql.args.get(*n as usize).copied().flatten()) {
                // What is written back as it was read is no computation.
                if self.is_copy(value, check) {
                    continue;
                }
                for touch in self.touches(value).iter().filter(|touch| touch.event == check && !touch.control) {
                    touched = true;
                    from.extend(self.columns_of_part(check, touch.part.map(|part| part.0)).iter().map(|c| c.name));
                }
            }
            if touched {
                from.sort_by_key(|column| column.as_str());
                from.dedup();
                out.push((set.column, from));
            }
        }
        out
    }

    pub fn enclosure(&self, check: EventId, act: EventId) -> Enclosure {
        match (self.tx(check), self.tx(act)) {
            (Tx::Begun(a), Tx::Begun(b)) => {
                same_or_split(a == b || self.is_savepoint_of(a, b) || self.is_savepoint_of(b, a))
            }
            (Tx::Given(a), Tx::Given(b)) => same_or_split(a == b),
            (Tx::Maybe(a), Tx::Maybe(b)) if a == b => Enclosure::Caller,
            (Tx::Begun(_) | Tx::Given(_), Tx::Auto) | (Tx::Auto, Tx::Begun(_) | Tx::Given(_)) => Enclosure::Split,
            (Tx::Begun(_), Tx::Given(_)) | (Tx::Given(_), Tx::Begun(_)) => Enclosure::Split,
            (Tx::Begun(begun), Tx::Maybe(handle)) | (Tx::Maybe(handle), Tx::Begun(begun)) => {
                // A transaction begun on the connection at hand, before or after the other statement ran on it.
                let on_it = matches!(&self.event(begun).kind, EventKind::Begin { on: Some(on), .. } if self.strip(*on) == handle);
                if on_it { Enclosure::Split } else { Enclosure::Caller }
            }
            (Tx::Auto, Tx::Auto) => Enclosure::Auto,
            (Tx::Unknown, Tx::Unknown) => Enclosure::Auto,
            _ => Enclosure::Caller,
        }
    }

    fn is_savepoint_of(&self, inner: EventId, outer: EventId) -> bool {
        match &self.event(inner).kind {
            EventKind::Begin { on: Some(on), .. } => {
                let on = self.strip(*on);
                self.trace.arena.get(on) == &crate::flow::value::Value::Outcome(outer)
            }
            _ => false,
        }
    }

    fn row_confidence(&self, window: &RowWindow) -> Confidence {
        let (check, act) = (window.check, window.act);
        let mut confidence = if window.relation == Relation::Same { Confidence::High } else { Confidence::Medium };
        let evidence = self.event(check).evidence.min(self.event(act).evidence);
        if evidence <= crate::resolve::Evidence::UniqueName {
            confidence = confidence.lower();
        }
        let statements = [check, act].into_iter().filter_map(|id| self.sql(id));
        if statements.into_iter().any(|sql| sql.statement.evidence <= crate::sql::Evidence::Scanned) {
            confidence = confidence.lower();
        }
        let context = (self.event(check).context, self.event(act).context);
        if context.0.later || context.1.later {
            confidence = confidence.lower();
        }
        if self.judges_only(window) { Confidence::Low } else { confidence }
    }

    /// What was seen only says who or what may be written: the write changes nothing of it, and it is a mark of the row, or nothing shows that it is of
    /// the very row.
    fn judges_only(&self, window: &RowWindow) -> bool {
        let Some(act) = self.sql(window.act) else { return false };
        let statement = act.statement.effective();
        let counts = window.decides(|q| q == Question::Amount) || window.absent();
        if statement.kind == Kind::Insert || window.is_data() || window.each || counts {
            return false;
        }
        if window.relation == Relation::Unknown && self.found_apart(window.check, window.act) {
            return true;
        }
        let decisive = self.decisive_columns(window);
        let changes = statement.kind == Kind::Delete || statement.sets.iter().any(|set| decisive.contains(&set.column));
        let marked = window.looked_at.is_empty() && self.asks_for_marks(window.check);
        if self.only_marks(window) {
            return true;
        }
        let keyed = !super::key::keys(act).is_empty();
        !changes && (marked || keyed && window.relation == Relation::Unknown)
    }

    /// A mark is set on a row that was found without it, and nothing else is done: set twice, it is set once.
    fn only_marks(&self, window: &RowWindow) -> bool {
        let Some(act) = self.sql(window.act).filter(|act| act.statement.effective().kind == Kind::Update) else {
            return false;
        };
        let works = |kind: &EventKind| match kind {
            EventKind::Sql(sql) => sql.statement.effective().is_write(),
            EventKind::Access(access) => access.op != AccessOp::Probe && !access.domain.in_memory(),
            EventKind::External { .. } => true,
            _ => false,
        };
        let alone = !self
            .events()
            .skip(window.check.0 as usize + 1)
            .any(|(id, event)| id != window.act && works(&event.kind) && self.compatible(id, window.act));
        alone
            && window.looked_at.is_empty()
            && self.asks_for_marks(window.check)
            && self.sets_fixed(act)
            && !self.consumes(window)
    }

    /// Besides keys, the statement asks only for rows that have, or lack, a mark: a time that is null, a flag.
    fn asks_for_marks(&self, check: EventId) -> bool {
        let Some(sql) = self.sql(check) else { return false };
        let key_or_flag = |n: &u16| {
            let value =
                sql.args.get(usize::from(*n)).copied().flatten().map(|value| self.trace.arena.get(self.strip(value)));
            match value {
                Some(Value::Lit(text)) => matches!(text.as_str(), "true" | "false"),
                Some(Value::Const(_)) => false,
                _ => true,
            }
        };
        sql.statement.effective().filters.iter().all(|filter| match filter {
            Predicate::Compare { op: Op::IsNull | Op::IsNotNull, .. } => true,
            Predicate::Compare { op: Op::Eq | Op::Ne, right: Operand::Literal(text), .. } => {
                matches!(text.as_str(), "true" | "false" | "0" | "1")
            }
            Predicate::Compare { op: Op::Eq, right: Operand::Param(n), .. } => key_or_flag(n),
            _ => self.is_choice_of_keys(sql, filter),
        })
    }

    /// Each was found by columns of its own, and no key of the write came from what was read.
    fn found_apart(&self, check: EventId, act: EventId) -> bool {
        let (Some(read), Some(write)) = (self.sql(check), self.sql(act)) else { return false };
        let (read, write) = (super::key::keys(read), super::key::keys(write));
        let shared = read.iter().any(|(column, _)| write.iter().any(|(other, _)| other == column));
        let leads_back = |key: &super::key::KeyValue| match key {
            super::key::KeyValue::Value(value) => self.touches(*value).iter().any(|touch| {
                touch.event == check
                    || self.sql(touch.event).is_some() && self.same_rows(check, touch.event) == Relation::Same
            }),
            _ => false,
        };
        !read.is_empty() && !write.is_empty() && !shared && !write.iter().any(|(_, key)| leads_back(key))
    }
}

/// The column is of the table, as far as it is said.
fn is_of(column: &Column, table: Symbol) -> bool {
    column.table.is_none_or(|of| of == table)
}

fn same_or_split(same: bool) -> Enclosure {
    if same { Enclosure::Same } else { Enclosure::Split }
}

pub fn is_row_write(statement: &Statement) -> bool {
    matches!(statement.kind, Kind::Insert | Kind::Update | Kind::Delete)
}

/// The tables that a statement's answer tells something of.
fn checked_tables(statement: &Statement) -> Vec<Symbol> {
    let effective = statement.effective();
    match effective.kind {
        Kind::Select => {
            let mut tables = effective.reads.clone();
            tables.extend(effective.table);
            tables.sort_by_key(|table| table.as_str());
            tables.dedup();
            tables
        }
        // Zero rows of an UPDATE, or the row that a DELETE gives back, tell something too.
        Kind::Update | Kind::Delete | Kind::Insert => effective.table.into_iter().collect(),
        _ => Vec::new(),
    }
}

fn conflict_sets(statement: &Statement) -> impl Iterator<Item = &crate::sql::Assign> {
    let sets = match statement.conflict.as_ref().map(|conflict| &conflict.action) {
        Some(crate::sql::ConflictAction::Update { sets, .. }) => sets.as_slice(),
        _ => &[],
    };
    sets.iter()
}

/// Windows of one function, shared by the rules.
pub type RowWindows = Arc<[RowWindow]>;
