//! Protection: what closes a window on rows.

use super::View;
use super::database::{Enclosure, RowWindow};
use super::decision::{Decider, Question};
use super::handle::Tx;
use super::key::{KeyValue, Relation};
use crate::facts::Facts;
use crate::flow::cond::{Atom, CondId, Test};
use crate::flow::event::{EventKind, SqlEvent};
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::ir::BinOp;
use crate::models::row::{Mode, TypeRole};
use crate::schema::{Schema, Unique, UniquePart};
use crate::sql::{ConflictAction, Dialect, Isolation, Kind, Op, Operand, Predicate, Statement};

/// Why a window is no race, or is one of another kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Protection {
    /// The write repeats the check.
    Conditional,
    /// A row that exists is locked in the act's transaction.
    RowLock(EventId),
    /// An advisory or table lock, or the lock on a parent row.
    Lock(EventId),
    Serializable(EventId),
    /// The level is serializable and nothing retries; still no lost update.
    Constraint(crate::source::Span),
    /// A CHECK makes the loser of a relative update fail.
    CheckConstraint(crate::source::Span),
    /// What the decision looks at is never changed once it is there.
    NeverUpdated,
    /// Only whether the row is there decides, and it is written by the same key.
    Existence,
    /// The check only spares a write that would change nothing: what is set is fixed, and nothing else hangs on the answer.
    Spared,
    /// One connection, or an embedded database, behind one guard.
    SingleConnection(EventId),
    /// A lock of this process is all there is.
    ProcessLock(EventId),
}

/// What is known of the program besides the trace.
pub struct Surroundings<'s> {
    pub facts: &'s Facts,
    pub schema: &'s Schema,
}

impl View<'_> {
    pub fn protection(&self, window: &RowWindow, around: &Surroundings) -> Option<Protection> {
        if self.is_conditional(window) {
            return Some(Protection::Conditional);
        }
        if let Some(lock) = self.lock_before(window) {
            return Some(lock);
        }
        if matches!(self.isolation(window.act), Isolation::Serializable | Isolation::Immediate)
            && window.enclosure == Enclosure::Same
            && let Tx::Begun(begin) = self.tx(window.act)
        {
            return Some(Protection::Serializable(begin));
        }
        if let Some(guard) = self.common_guard(window.check, window.act, around.facts) {
            if self.is_lock_of_database(guard) {
                return Some(Protection::Lock(guard));
            }
            let single = self.is_single_connection(window.act, guard) || self.is_embedded(window.act);
            return Some(if single { Protection::SingleConnection(guard) } else { Protection::ProcessLock(guard) });
        }
        self.harmless(window, around).or_else(|| self.constrained(window, around))
    }

    /// The window is no race whatever the locks: nothing else changes what was looked at.
    fn harmless(&self, window: &RowWindow, around: &Surroundings) -> Option<Protection> {
        let statement = self.sql(window.act)?.statement.effective();
        if statement.kind == Kind::Insert && !overwrites(statement) || window.is_own_data() {
            return None;
        }
        if statement.kind == Kind::Insert && self.replaces_nothing(window, around.schema) {
            return Some(Protection::Existence);
        }
        if statement.kind == Kind::Delete && !self.consumes(window) {
            // Deleted twice is deleted once, unless the row stood for something that is handed out.
            return Some(Protection::Existence);
        }
        if statement.kind == Kind::Delete || window.absent() && overwrites(statement) {
            return None;
        }
        if self.only_brings_up_to_date(window, statement) {
            return Some(Protection::Existence);
        }
        let looked_at = self.decisive_columns(window);
        let amount = window.decides(|question| question == Question::Amount);
        if looked_at.is_empty() && !amount {
            // `404 if absent, else write by the same key`.
            let only_presence =
                window.decides(|q| matches!(q, Question::Presence { absent: false })) && !window.absent();
            return (only_presence && window.relation != Relation::Different).then_some(Protection::Existence);
        }
        if !amount && self.spares_only(window) {
            return Some(Protection::Spared);
        }
        let changes = looked_at.iter().any(|column| around.facts.is_updated(window.table, *column));
        (!amount && !changes).then_some(Protection::NeverUpdated)
    }

    /// An INSERT that would replace has nothing to replace: what was looked for is a key that was made since, or the row is no more than its key.
    fn replaces_nothing(&self, window: &RowWindow, schema: &Schema) -> bool {
        let Some(act) = self.sql(window.act) else { return false };
        let saved = super::key::inserted(act);
        let new = |column: &Symbol| {
            saved.iter().any(|(name, key)| match key {
                KeyValue::Value(value) => name == column && self.is_made_here(*value),
                _ => false,
            })
        };
        let primary = self.primary_key(window);
        let only_key = self.unique_for(window, schema).is_some_and(|unique| {
            let part = |column| unique.columns.iter().any(|part| matches!(part, UniquePart::Column(c) if c == column));
            !saved.is_empty() && saved.iter().all(|(column, _)| part(column))
        });
        only_key || window.looked_at.iter().any(|column| primary.contains(column) && new(column))
    }

    /// Columns are set to the very values, given from outside, that they were found to differ from: whoever comes last sets them anyway. A state that
    /// the code itself names is claimed by whoever sets it first.
    fn only_brings_up_to_date(&self, window: &RowWindow, statement: &Statement) -> bool {
        let Some(act) = self.sql(window.act) else { return false };
        let sets = |column: Symbol, to: ValueId| {
            statement.sets.iter().any(|set| {
                let value = match &set.value {
                    Operand::Param(n) => act.args.get(*n as usize).copied().flatten(),
                    _ => None,
                };
                let named = |value| matches!(self.trace.arena.get(self.strip(value)), Value::Lit(_) | Value::Const(_));
                set.column == column
                    && value.is_some_and(|value| !named(value) && self.same_value(value, to) == Relation::Same)
            })
        };
        let columns = |decider: &Decider| match decider.question {
            Question::Content if !self.picks(decider) => self.columns_of_part(decider.event, decider.part),
            _ => Vec::new(),
        };
        // Where branches met before, what they asked decides nothing any more.
        let strong = window.deciders.iter().any(|d| d.atom.strong && !columns(d).is_empty());
        let mut compared = window.deciders.iter().filter(|d| !columns(d).is_empty() && (d.atom.strong || !strong));
        let brings = |decider: &Decider| match decider.atom.test {
            Test::Compare(BinOp::Eq, other) => {
                columns(decider).iter().any(|column| sets(column.name, other) || sets(column.name, decider.atom.value))
            }
            _ => false,
        };
        strong && compared.all(brings)
    }

    /// One of the rows that were read is picked out: that asks which it is, not what it holds.
    fn picks(&self, decider: &Decider) -> bool {
        let found = decider.atom.test == Test::Some && !decider.atom.negated;
        found && matches!(self.trace.arena.get(decider.atom.value), Value::Op(name, _) if *name == "find")
    }

    /// An UPDATE to fixed values or times alone hangs on what was asked of a column that it sets: no other event, and not how the function ends.
    fn spares_only(&self, window: &RowWindow) -> bool {
        let Some(act) = self.sql(window.act) else { return false };
        let statement = act.statement.effective();
        let sets = &statement.sets;
        let one_round = self.event(window.check).loops == self.event(window.act).loops;
        if statement.kind != Kind::Update || !one_round || !self.sets_fixed(act) {
            return false;
        }
        let asked: Vec<Atom> =
            window.deciders.iter().filter(|d| d.question == Question::Content).map(|d| d.atom).collect();
        let hangs = |cond: CondId| {
            let atoms = self.trace.arena.atoms(cond);
            atoms.iter().any(|atom| atom.strong && asked.iter().any(|a| a.value == atom.value && a.test == atom.test))
        };
        !asked.is_empty()
            && window.looked_at.iter().all(|column| sets.iter().any(|set| set.column == *column))
            && !self.events().any(|(id, event)| id != window.act && hangs(event.cond))
            && !self.success_conditions().into_iter().any(hangs)
    }

    /// All that a statement sets besides its keys is fixed: literals, constants, times, nothing that came in or was read.
    pub fn sets_fixed(&self, act: &SqlEvent) -> bool {
        let statement = act.statement.effective();
        let keys = statement.key_columns();
        let fixed = |operand: &Operand| match operand {
            Operand::Literal(_) | Operand::Generated(_) => true,
            Operand::Param(n) => {
                let value = act.args.get(usize::from(*n)).copied().flatten();
                value.is_some_and(|value| self.inputs(value).is_empty())
            }
            _ => false,
        };
        let mut sets = statement.sets.iter().filter(|set| !keys.contains(&set.column));
        sets.all(|set| !set.relative && fixed(&set.value))
    }

    /// What the deleted row held goes into what is given back, or into another table.
    pub(super) fn consumes(&self, window: &RowWindow) -> bool {
        // Who names the row that is gone, by its keys, has nothing of it.
        let keys: Vec<Symbol> = [window.check, window.act]
            .into_iter()
            .filter_map(|id| self.sql(id))
            .flat_map(|sql| sql.statement.effective().key_columns())
            .collect();
        let of_row = |value: ValueId| {
            let touches = self.touches(value);
            let mut mine = touches.iter().filter(|touch| touch.event == window.check && !touch.control);
            mine.any(|touch| touch.part.is_none_or(|part| !keys.contains(&part.0)))
        };
        let given_back = self.trace.ret.is_some_and(|ret| self.part_of_success(ret, window.check, 8));
        given_back
            || self.events().skip(window.act.0 as usize + 1).any(|(id, event)| match &event.kind {
                EventKind::Sql(sql) => {
                    let statement = sql.statement.effective();
                    let writes =
                        matches!(statement.kind, Kind::Insert | Kind::Update) && statement.table != Some(window.table);
                    writes && self.compatible(window.act, id) && sql.args.iter().flatten().any(|arg| of_row(*arg))
                }
                _ => false,
            })
    }

    /// The columns that decide: those compared afterwards, and those that the check itself filtered by besides its key.
    pub fn decisive_columns(&self, window: &RowWindow) -> Vec<Symbol> {
        let mut out = window.looked_at.clone();
        let presence = window.decides(|q| matches!(q, Question::Presence { .. }));
        let (Some(check), Some(act)) = (self.sql(window.check), self.sql(window.act)) else { return out };
        if presence || window.each {
            let keys = self.row_keys(act);
            let repeated: Vec<Vec<Symbol>> = act
                .statement
                .effective()
                .filters
                .iter()
                .filter(|f| matches!(f, Predicate::Or(_)))
                .map(predicate_columns)
                .collect();
            let filters = check
                .statement
                .effective()
                .filters
                .iter()
                .filter(|filter| !repeated.contains(&predicate_columns(filter)));
            // Rows found by one of several keys that came in are found by a key.
            let filters = filters.filter(|filter| !self.is_choice_of_keys(check, filter));
            let filtered = filters.flat_map(|filter| self.compared_of(filter, window.table));
            out.extend(filtered.filter(|column| !keys.contains(column)));
        }
        out.sort_by_key(|column| column.as_str());
        out.dedup();
        out.retain(|column| *column != "*");
        out
    }

    /// The columns by which a write finds its rows; one that it compares with something fixed and changes, or has beside a key that comes in, is a state.
    fn row_keys(&self, act: &SqlEvent) -> Vec<Symbol> {
        let statement = act.statement.effective();
        let fixed: Vec<Symbol> =
            statement.filters.iter().filter_map(|filter| self.compared_with_fixed(act, filter)).collect();
        let mut keys = statement.key_columns();
        let keyed = keys.iter().any(|key| !fixed.contains(key));
        let changes = |key: &Symbol| statement.sets.iter().any(|set| set.column == *key);
        keys.retain(|key| !(fixed.contains(key) && (changes(key) || keyed && statement.kind == Kind::Delete)));
        keys
    }

    pub(super) fn is_choice_of_keys(&self, sql: &SqlEvent, filter: &Predicate) -> bool {
        let keyed = |part: &Predicate| {
            let given = matches!(part, Predicate::Compare { op: Op::Eq, right: Operand::Param(_), .. });
            given && self.compared_with_fixed(sql, part).is_none()
        };
        matches!(filter, Predicate::Or(parts) if parts.iter().all(keyed))
    }

    /// The column that a condition compares with something that stands in the program.
    fn compared_with_fixed(&self, sql: &SqlEvent, filter: &Predicate) -> Option<Symbol> {
        let Predicate::Compare { column, right, .. } = filter else { return None };
        let fixed = match right {
            Operand::Literal(_) => true,
            Operand::Param(n) => {
                let value = sql.args.get(*n as usize).copied().flatten();
                value.is_some_and(|value| {
                    matches!(self.trace.arena.get(self.strip(value)), Value::Lit(_) | Value::Const(_))
                })
            }
            _ => false,
        };
        fixed.then_some(column.name)
    }

    fn is_conditional(&self, window: &RowWindow) -> bool {
        let Some(sql) = self.sql(window.act) else { return false };
        let statement = sql.statement.effective();
        if statement.kind == Kind::Insert {
            return match statement.conflict.as_ref().map(|conflict| &conflict.action) {
                Some(ConflictAction::Nothing) => true,
                Some(ConflictAction::Update { .. }) if !overwrites(statement) => true,
                Some(ConflictAction::Update { filter, .. }) => !filter.is_empty(),
                Some(ConflictAction::Replace) => false,
                None => {
                    statement.source.is_some() && statement.walk().skip(1).any(|inner| reads_table(inner, window.table))
                }
            };
        }
        if statement.kind == Kind::Delete && self.is_looked_at(window.act) {
            // Whoever deletes the row has it.
            return true;
        }
        let mut repeated: Vec<Symbol> = statement.filters.iter().flat_map(predicate_columns).collect();
        let inner_reads = statement.inner.iter().any(|inner| reads_table(inner, window.table));
        let keys = self.sql(window.check).map(|check| check.statement.effective().key_columns()).unwrap_or_default();
        let decisive = self.decisive_columns(window);
        // What was read is compared again beside the key: a version, or the old value itself.
        let beside_key = statement.filters.len() > 1;
        let set: Vec<Symbol> = statement.sets.iter().map(|set| set.column).collect();
        let compared_again = statement.filters.iter().flat_map(predicate_params).any(|(column, param)| {
            let value = sql.args.get(param as usize).copied().flatten();
            let matters = set.contains(&column) || window.looked_at.contains(&column) && !keys.contains(&column);
            beside_key
                && matters
                && value.is_some_and(|value| self.touches(value).iter().any(|touch| touch.event == window.check))
        });
        if compared_again || inner_reads {
            return true;
        }
        let primary = self.primary_key(window);
        repeated.retain(|column| {
            decisive.contains(column) || !keys.contains(column) && !primary.contains(column) && decisive.is_empty()
        });
        let computed: Vec<Symbol> = window.computed.iter().map(|(column, _)| *column).collect();
        let beside_keys = statement
            .filters
            .iter()
            .flat_map(predicate_columns)
            .any(|column| computed.contains(&column) && !primary.contains(&column));
        repeated.iter().any(|column| !primary.contains(column)) || beside_keys
    }

    fn primary_key(&self, window: &RowWindow) -> Vec<Symbol> {
        let declared =
            self.program.tables.iter().find(|table| table.name == window.table).map(|table| table.keys.clone());
        declared.filter(|keys| !keys.is_empty()).unwrap_or_else(|| vec![Symbol::new("id")])
    }

    /// A lock in the act's transaction, taken no later than the check.
    fn lock_before(&self, window: &RowWindow) -> Option<Protection> {
        let inserts = self.sql(window.act)?.statement.effective().kind == Kind::Insert;
        let tx = self.tx(window.act);
        let shared_handle = matches!(tx, Tx::Begun(_) | Tx::Given(_) | Tx::Maybe(_));
        for (id, event) in self.events().take(window.act.0 as usize) {
            let EventKind::Sql(sql) = &event.kind else { continue };
            if id > window.check {
                break;
            }
            if let Some(advisory) = &sql.statement.advisory
                && !advisory.release
            {
                let on_pool = self.tx(id) == Tx::Auto
                    && sql.executor.and_then(|e| self.role(self.strip(e))) == Some(TypeRole::Pool);
                let lives = shared_handle && self.tx(id) == tx || !advisory.transaction && !on_pool;
                if lives {
                    return Some(Protection::Lock(id));
                }
                continue;
            }
            if !shared_handle || !self.same_tx(id, window.act) {
                continue;
            }
            if let Some(lock) = self.statement_lock(id, &sql.statement, window, inserts) {
                return Some(lock);
            }
        }
        None
    }

    fn same_tx(&self, a: EventId, b: EventId) -> bool {
        matches!(self.enclosure(a, b), Enclosure::Same) || self.tx(a) == self.tx(b)
    }

    fn statement_lock(
        &self,
        id: EventId,
        statement: &Statement,
        window: &RowWindow,
        inserts: bool,
    ) -> Option<Protection> {
        let effective = statement.effective();
        if effective.kind == Kind::LockTable {
            return Some(Protection::Lock(id));
        }
        let on_table = effective.table == Some(window.table) || effective.reads.contains(&window.table);
        if let Some(lock) = effective.lock {
            if inserts {
                // A row that is not there cannot be locked; its parent can. A lock in share mode lets the other insert too.
                return (effective.table != Some(window.table) && !lock.shared).then_some(Protection::Lock(id));
            }
            let same = id == window.check || self.same_rows(id, window.act) != Relation::Different;
            return (on_table && !lock.shared && same).then_some(Protection::RowLock(id));
        }
        if matches!(effective.kind, Kind::Update | Kind::Delete) && id < window.check {
            if inserts {
                return (effective.table != Some(window.table) && effective.kind == Kind::Update)
                    .then_some(Protection::Lock(id));
            }
            let same = self.same_rows(id, window.act) == Relation::Same || self.same_write(id, window.act);
            return (effective.table == Some(window.table) && same).then_some(Protection::RowLock(id));
        }
        // What an UPDATE of this transaction gave back is locked by it.
        let gave_back = id == window.check && matches!(effective.kind, Kind::Update | Kind::Insert | Kind::Delete);
        (gave_back && !inserts).then_some(Protection::RowLock(id))
    }

    /// Two writes of the same row, by the same key.
    fn same_write(&self, a: EventId, b: EventId) -> bool {
        let (Some(x), Some(y)) = (self.sql(a), self.sql(b)) else { return false };
        let (x, y) = (super::key::keys(x), super::key::keys(y));
        x.iter().any(|(column, mine)| {
            y.iter().any(|(other, theirs)| column == other && self.same_key(*mine, *theirs) == Relation::Same)
        })
    }

    /// A guard of this process that is held from before the check until after the act.
    fn common_guard(&self, check: EventId, act: EventId, facts: &Facts) -> Option<EventId> {
        let held = &self.event(check).held;
        held.iter().copied().find(|id| {
            self.event(act).held.contains(id)
                && match &self.event(*id).kind {
                    EventKind::Acquire(acquire) => {
                        let several = acquire.role == Some(TypeRole::Semaphore) && facts.permits_are_many;
                        acquire.mode != Mode::Shared && acquire.role != Some(TypeRole::Pool) && !several
                    }
                    _ => false,
                }
        })
    }

    /// The guard names no kind of lock of this process: it was taken where the data is.
    fn is_lock_of_database(&self, guard: EventId) -> bool {
        matches!(&self.event(guard).kind, EventKind::Acquire(acquire) if acquire.role.is_none() && !acquire.attempt)
    }

    /// The statements run on what the guard guards.
    fn is_single_connection(&self, act: EventId, guard: EventId) -> bool {
        let Some(executor) = self.sql(act).and_then(|sql| sql.executor) else { return false };
        self.stands_on_guard(executor, guard, 8)
    }

    fn stands_on_guard(&self, value: ValueId, guard: EventId, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        match self.trace.arena.get(value) {
            Value::Guard(id) => *id == guard,
            Value::Content(inner)
            | Value::Field(inner, _)
            | Value::Wrap(_, inner)
            | Value::Given(inner, _)
            | Value::Element(inner) => self.stands_on_guard(*inner, guard, depth - 1),
            Value::Op(_, args) => args.iter().any(|arg| self.stands_on_guard(*arg, guard, depth - 1)),
            Value::Outcome(begin) => match &self.event(*begin).kind {
                EventKind::Begin { on: Some(on), .. } => self.stands_on_guard(*on, guard, depth - 1),
                _ => false,
            },
            _ => false,
        }
    }

    fn is_embedded(&self, act: EventId) -> bool {
        self.dialect(act) == Dialect::Sqlite
    }

    /// The dialect that the handle of a statement speaks.
    pub fn dialect(&self, id: EventId) -> Dialect {
        let Some(executor) = self.sql(id).and_then(|sql| sql.executor) else { return Dialect::Unknown };
        let handle = self.strip(executor);
        let handle = match self.trace.arena.get(handle) {
            Value::Outcome(begin) => match &self.event(*begin).kind {
                EventKind::Begin { on: Some(on), .. } => self.strip(*on),
                _ => handle,
            },
            _ => handle,
        };
        self.trace
            .arena
            .types
            .get(&handle)
            .or_else(|| self.trace.arena.types.get(&executor))
            .map_or(Dialect::Unknown, |ty| self.dialect_of_type(ty))
    }

    fn dialect_of_type(&self, ty: &crate::resolve::Ty) -> Dialect {
        use crate::resolve::Ty;
        match ty {
            Ty::Ref(_, inner) | Ty::Future(inner) => self.dialect_of_type(inner),
            Ty::Ext(path, args) => {
                let row = self.models.type_by_path(path.as_str()).map(|row| &self.models.types[row as usize]);
                match row.and_then(|row| row.dialect) {
                    Some(dialect) => dialect,
                    None => args
                        .iter()
                        .map(|arg| self.dialect_of_type(arg))
                        .find(|d| *d != Dialect::Unknown)
                        .unwrap_or_default(),
                }
            }
            _ => Dialect::Unknown,
        }
    }

    /// A constraint that turns losing into an error.
    fn constrained(&self, window: &RowWindow, around: &Surroundings) -> Option<Protection> {
        let statement = self.sql(window.act)?.statement.effective();
        match statement.kind {
            Kind::Insert if !overwrites(statement) => {
                self.unique_for(window, around.schema).map(|unique| Protection::Constraint(unique.span))
            }
            Kind::Update => self.check_for(window, around),
            _ => None,
        }
    }

    /// The unique constraint that covers what the check compared.
    pub fn unique_for<'s>(&self, window: &RowWindow, schema: &'s Schema) -> Option<&'s Unique> {
        let check = self.sql(window.check)?.statement.effective();
        if window.decides(|q| q == Question::Amount) {
            return None;
        }
        let compared: Vec<Symbol> = check.filters.iter().flat_map(|filter| columns_of(filter, window.table)).collect();
        let uniques = schema.table(window.table).map(|table| table.uniques.as_slice()).unwrap_or_default();
        uniques.iter().find(|unique| !unique.columns.is_empty() && covers(unique, &compared))
    }

    fn check_for(&self, window: &RowWindow, around: &Surroundings) -> Option<Protection> {
        let statement = self.sql(window.act)?.statement.effective();
        let table = around.schema.table(window.table)?;
        let mut relative = statement.sets.iter().filter(|set| set.relative);
        relative.find_map(|set| {
            let check = table.checks.iter().find(|check| check.bounded_below.contains(&set.column))?;
            Some(Protection::CheckConstraint(check.span))
        })
    }
}

/// All of the constraint's columns, and those of its predicate, were compared.
fn covers(unique: &Unique, compared: &[Symbol]) -> bool {
    let parts = unique.columns.iter().all(|part| match part {
        UniquePart::Column(column) => compared.contains(column),
        UniquePart::Expression { columns, .. } => columns.iter().all(|column| compared.contains(column)),
    });
    let predicate = unique.predicate.iter().flatten().flat_map(predicate_columns);
    parts && predicate.into_iter().all(|column| compared.contains(&column))
}

/// The write puts its values over a row that is there. An upsert that sets its own key to itself only gives the row back.
pub fn overwrites(statement: &Statement) -> bool {
    let Some(conflict) = &statement.conflict else { return false };
    match &conflict.action {
        ConflictAction::Nothing => false,
        ConflictAction::Replace => true,
        ConflictAction::Update { sets, .. } => !sets.iter().all(|set| {
            let itself = match &set.value {
                Operand::Excluded(column) => *column == set.column,
                Operand::Column(column) => column.name == set.column,
                _ => false,
            };
            itself && (conflict.columns.contains(&set.column) || matches!(set.value, Operand::Column(_)))
        }),
    }
}

fn reads_table(statement: &Statement, table: Symbol) -> bool {
    statement.reads.contains(&table) || statement.table == Some(table)
}

/// The columns of one table that a predicate mentions; those whose table is not said may be its.
pub fn columns_of(predicate: &Predicate, table: Symbol) -> Vec<Symbol> {
    match predicate {
        Predicate::Compare { column, .. } if column.table.is_some_and(|of| of != table) => Vec::new(),
        Predicate::Compare { column, .. } => vec![column.name],
        Predicate::Or(parts) | Predicate::And(parts) => parts.iter().flat_map(|part| columns_of(part, table)).collect(),
        Predicate::Exists { .. } => Vec::new(),
        Predicate::Other { columns, .. } => columns
            .iter()
            .filter(|column| column.table.is_none_or(|of| of == table))
            .map(|column| column.name)
            .collect(),
    }
}

/// The columns that a predicate mentions.
pub fn predicate_columns(predicate: &Predicate) -> Vec<Symbol> {
    match predicate {
        Predicate::Compare { column, right, .. } => {
            let mut out = vec![column.name];
            match right {
                Operand::Column(other) => out.push(other.name),
                Operand::Expr { columns, .. } => out.extend(columns.iter().map(|column| column.name)),
                _ => {}
            }
            out
        }
        Predicate::Or(parts) | Predicate::And(parts) => parts.iter().flat_map(predicate_columns).collect(),
        Predicate::Exists { .. } => Vec::new(),
        Predicate::Other { columns, .. } => columns.iter().map(|column| column.name).collect(),
    }
}

/// The parameters that columns are compared with.
fn predicate_params(predicate: &Predicate) -> Vec<(Symbol, u16)> {
    match predicate {
        Predicate::Compare { column, right: Operand::Param(n), .. } => vec![(column.name, *n)],
        Predicate::Compare { column, right: Operand::Expr { params, .. }, .. } => {
            params.iter().map(|n| (column.name, *n)).collect()
        }
        Predicate::Or(parts) | Predicate::And(parts) => parts.iter().flat_map(predicate_params).collect(),
        _ => Vec::new(),
    }
}
