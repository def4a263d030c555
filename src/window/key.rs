//! Keys: whether two statements, or two accesses, are about the same row or entry.

use super::View;
use crate::flow::event::SqlEvent;
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::sql::{Kind, Op, Operand, Predicate, Statement};

/// How two keys relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    Different,
    Unknown,
    Same,
}

/// The right side of a comparison on a key column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyValue {
    Value(ValueId),
    Literal(Symbol),
    Other,
}

/// What a statement compares its columns with by equality.
pub fn keys(sql: &SqlEvent) -> Vec<(Symbol, KeyValue)> {
    let mut out = Vec::new();
    for part in sql.statement.walk() {
        for filter in &part.filters {
            if let Predicate::Compare { column, op: Op::Eq | Op::In | Op::IsNull, right } = filter {
                out.push((column.name, key_value(sql, right)));
            }
        }
    }
    out
}

/// The columns of an INSERT with what is put in them.
pub fn inserted(sql: &SqlEvent) -> Vec<(Symbol, KeyValue)> {
    sql.statement.sets.iter().map(|set| (set.column, key_value(sql, &set.value))).collect()
}

fn key_value(sql: &SqlEvent, operand: &Operand) -> KeyValue {
    match operand {
        Operand::Param(n) => sql.args.get(*n as usize).copied().flatten().map_or(KeyValue::Other, KeyValue::Value),
        Operand::Literal(text) => KeyValue::Literal(*text),
        _ => KeyValue::Other,
    }
}

/// The statement that writes, where one is wrapped around it.
pub fn effective(statement: &Statement) -> &Statement {
    statement.effective()
}

impl View<'_> {
    /// Whether the rows that `check` read are those that `act` writes, as far as the keys tell.
    pub fn same_rows(&self, check: EventId, act: EventId) -> Relation {
        let (Some(read), Some(write)) = (self.sql(check), self.sql(act)) else { return Relation::Unknown };
        let read_keys = keys(read);
        let statement = write.statement.effective();
        let write_keys = if statement.kind == Kind::Insert { self.saved(write) } else { keys(write) };
        let mut best = Relation::Unknown;
        for (column, mine) in &read_keys {
            for (_, theirs) in write_keys.iter().filter(|(name, _)| name == column) {
                match self.same_key(*mine, *theirs) {
                    Relation::Different => return Relation::Different,
                    Relation::Same => best = Relation::Same,
                    Relation::Unknown => {}
                }
            }
        }
        let whole = write.whole.map(KeyValue::Value);
        let found = write_keys.iter().map(|(_, key)| *key).chain(whole).any(|key| self.comes_from(key, check));
        match best {
            Relation::Unknown if found => Relation::Same,
            Relation::Unknown if self.is_another_row(&read_keys, write) => Relation::Different,
            known => known,
        }
    }

    /// The columns of an INSERT with what is put in them; a row that was read and is saved as a whole keeps what it was found by.
    fn saved(&self, write: &SqlEvent) -> Vec<(Symbol, KeyValue)> {
        let mut out = inserted(write);
        let read = write.whole.and_then(|whole| self.row_behind(whole)).and_then(|read| self.sql(read));
        for (column, key) in read.map(keys).unwrap_or_default() {
            if out.iter().all(|(set, _)| *set != column) {
                out.push((column, key));
            }
        }
        out
    }

    /// The statement whose answer, or an element of it, the value is.
    pub fn row_behind(&self, row: ValueId) -> Option<EventId> {
        let mut at = self.strip(row);
        while let Value::Element(rows) = self.trace.arena.get(at) {
            at = self.strip(*rows);
        }
        match self.trace.arena.get(at) {
            Value::Outcome(read) => Some(*read),
            _ => None,
        }
    }

    /// A row that is saved whole under its own key is none of those that were read: its key was made here, or it is of another kind than was asked for.
    fn is_another_row(&self, read_keys: &[(Symbol, KeyValue)], write: &SqlEvent) -> bool {
        let statement = write.statement.effective();
        let (saved, found_by) = (inserted(write), keys(write));
        let whole =
            statement.kind == Kind::Update && !found_by.is_empty() && found_by.iter().all(|key| saved.contains(key));
        let made_here = |(_, key): &(Symbol, KeyValue)| match key {
            KeyValue::Value(value) => self.is_made_here(*value),
            _ => false,
        };
        let kind_differs = |(column, asked): &(Symbol, KeyValue)| {
            let fixed = match asked {
                KeyValue::Value(value) => self.is_fixed(*value),
                KeyValue::Literal(_) => true,
                KeyValue::Other => false,
            };
            let other = |saved: &KeyValue| self.same_key(*asked, *saved) == Relation::Different;
            fixed && saved.iter().any(|(name, saved)| name == column && other(saved))
        };
        whole && (found_by.iter().any(made_here) || read_keys.iter().any(kind_differs))
    }

    /// Made of nothing that came in or was read, and no constant: a new id.
    pub fn is_made_here(&self, value: ValueId) -> bool {
        !self.is_fixed(value) && self.inputs(value).is_empty()
    }

    /// A literal or a constant.
    fn is_fixed(&self, value: ValueId) -> bool {
        matches!(self.trace.arena.get(self.strip(value)), Value::Lit(_) | Value::Const(_))
    }

    fn comes_from(&self, key: KeyValue, check: EventId) -> bool {
        let KeyValue::Value(value) = key else { return false };
        let touches = |value| self.touches(value).iter().any(|touch| touch.event == check && !touch.control);
        touches(value) || touches(self.found_by(value))
    }

    /// The column of a row that was found by that very column is what it was found by.
    fn found_by(&self, value: ValueId) -> ValueId {
        let mut at = value;
        for _ in 0..4 {
            let Value::Field(row, name) = self.trace.arena.get(self.strip(at)) else { return at };
            let keys = self.row_behind(*row).and_then(|read| self.sql(read)).map(keys).unwrap_or_default();
            let found = keys.into_iter().find_map(|(column, key)| match key {
                KeyValue::Value(value) if column == *name => Some(value),
                _ => None,
            });
            match found {
                Some(value) => at = value,
                None => return at,
            }
        }
        at
    }

    pub fn same_key(&self, a: KeyValue, b: KeyValue) -> Relation {
        match (a, b) {
            (KeyValue::Literal(a), KeyValue::Literal(b)) => {
                if a == b {
                    Relation::Same
                } else {
                    Relation::Different
                }
            }
            (KeyValue::Value(a), KeyValue::Value(b)) => self.same_value(self.found_by(a), self.found_by(b)),
            _ => Relation::Unknown,
        }
    }

    /// Whether two values are the same: equal ids are; two plain inputs that are not are different; anything computed may be.
    pub fn same_value(&self, a: ValueId, b: ValueId) -> Relation {
        let (a, b) = (self.strip(a), self.strip(b));
        if a == b {
            return Relation::Same;
        }
        let arena = &self.trace.arena;
        match (arena.get(a), arena.get(b)) {
            (Value::Lit(_) | Value::Const(_), Value::Lit(_) | Value::Const(_)) => Relation::Different,
            (Value::Outcome(x), Value::Outcome(y)) => self.same_answer(*x, *y),
            (Value::Field(x, f), Value::Field(y, g)) if f == g => match self.same_value(*x, *y) {
                Relation::Same => Relation::Same,
                _ if self.is_input(a) && self.is_input(b) => Relation::Different,
                _ => Relation::Unknown,
            },
            (Value::Op(f, x), Value::Op(g, y)) if f == g && x.len() == y.len() => {
                let parts: Vec<Relation> = x.iter().zip(y).map(|(x, y)| self.same_value(*x, *y)).collect();
                if parts.contains(&Relation::Different) {
                    Relation::Different
                } else if parts.iter().all(|part| *part == Relation::Same) {
                    Relation::Same
                } else {
                    Relation::Unknown
                }
            }
            _ if self.is_input(a) && self.is_input(b) => Relation::Different,
            _ => Relation::Unknown,
        }
    }

    /// Two reads of one entry of one place give the same thing to act on.
    fn same_answer(&self, a: EventId, b: EventId) -> Relation {
        let (Some(x), Some(y)) = (self.access(a), self.access(b)) else { return Relation::Unknown };
        let place = self.same_value(x.place, y.place);
        match (x.key, y.key) {
            (Some(k), Some(l)) => place.min(self.same_value(k, l)),
            (None, None) => place,
            _ => Relation::Unknown,
        }
    }

    /// A parameter, or a field of one: something that came in as it is.
    fn is_input(&self, value: ValueId) -> bool {
        let mut at = value;
        for _ in 0..8 {
            match self.trace.arena.get(at) {
                Value::Param(_) => return true,
                Value::Field(base, _) => at = *base,
                _ => return false,
            }
        }
        false
    }
}
