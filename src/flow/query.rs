//! Statements: built step by step from texts, expressions and records, then run on a handle.

use std::sync::Arc;

use super::event::{EventKind, SqlEvent};
use super::model::ModelCall;
use super::value::{Pred, Query, Value, ValueId};
use super::walk::Walker;
use crate::intern::Symbol;
use crate::ir::{ExprId, ExprKind};
use crate::models::row::{Arg, ArgName, Does, Mode, Outcome, Step, TypeRole};
use crate::resolve::{AdtId, Evidence, Ty};
use crate::sql::{
    self, Assign, Column, Conflict, ConflictAction, Dialect, Kind, Op, Operand, Predicate, Projection, RowLock,
    Statement,
};

/// Text of this many pieces is put together; more is no statement that a person wrote.
const PIECES: u32 = 40;

impl Walker<'_> {
    /// The text that a value is, as far as it is known: literals, `format!` templates (with their holes), pieces pushed one after the other.
    pub fn text_of(&self, value: ValueId) -> Option<Symbol> {
        let mut pieces = PIECES;
        let text = self.text_at(value, &mut pieces)?;
        Some(Symbol::new(&text))
    }

    fn text_at(&self, value: ValueId, pieces: &mut u32) -> Option<String> {
        if *pieces == 0 {
            return None;
        }
        *pieces -= 1;
        match self.arena.get(value) {
            Value::Lit(text) => Some(text.to_string()),
            Value::Wrap(_, inner) => self.text_at(*inner, pieces),
            Value::Op(name, args) => match name.as_str() {
                "format" => {
                    let template = self.text_at(*args.first()?, pieces)?;
                    Some(self.filled(template, &args[1..], pieces))
                }
                "changed" | "+" => {
                    let mut text = self.text_at(*args.first()?, pieces)?;
                    for part in &args[1..] {
                        text.push_str(&self.text_at(*part, pieces).unwrap_or_else(|| "{}".to_owned()));
                    }
                    Some(text)
                }
                "list" => {
                    let parts: Option<Vec<String>> = args.iter().map(|part| self.text_at(*part, pieces)).collect();
                    Some(parts?.join(" "))
                }
                _ => None,
            },
            Value::Phi(arms) => arms.iter().find_map(|(_, arm)| self.text_at(*arm, pieces)),
            Value::Query(query) => query.text.map(|text| text.to_string()),
            _ => None,
        }
    }

    /// The template with its holes filled where what goes in is a text; of two that a flag chooses between, the longer: a clause that may be there counts.
    fn filled(&self, template: String, args: &[ValueId], pieces: &mut u32) -> String {
        let parts: Vec<&str> = template.split("{}").collect();
        if parts.len() != args.len() + 1 {
            return template;
        }
        let mut text = parts[0].to_owned();
        for (part, arg) in parts[1..].iter().zip(args) {
            let arms = match self.arena.get(*arg) {
                Value::Phi(arms) => arms.iter().map(|(_, arm)| *arm).collect(),
                _ => vec![*arg],
            };
            let texts: Option<Vec<String>> = arms.into_iter().map(|arm| self.text_at(arm, pieces)).collect();
            let longest = texts.and_then(|texts| texts.into_iter().max_by_key(String::len));
            text.push_str(longest.as_deref().unwrap_or("{}"));
            text.push_str(part);
        }
        text
    }

    /// A part of the text is one of several.
    fn is_chosen(&self, value: ValueId) -> bool {
        let Value::Op(name, args) = self.arena.get(value) else { return false };
        *name == "format" && args.iter().any(|arg| matches!(self.arena.get(*arg), Value::Phi(_)))
    }

    pub fn dialect_of(&self, executor: Option<ValueId>) -> Dialect {
        let Some(executor) = executor else { return Dialect::Unknown };
        self.arena.types.get(&executor).map_or(Dialect::Unknown, |ty| self.dialect_of_type(ty))
    }

    fn dialect_of_type(&self, ty: &Ty) -> Dialect {
        match ty {
            Ty::Ref(_, inner) | Ty::Future(inner) => self.dialect_of_type(inner),
            Ty::Ext(path, args) => {
                let own = self
                    .models
                    .type_by_path(path.as_str())
                    .and_then(|row| self.models.types[row as usize].dialect)
                    .unwrap_or_default();
                if own != Dialect::Unknown {
                    return own;
                }
                args.iter().map(|arg| self.dialect_of_type(arg)).find(|d| *d != Dialect::Unknown).unwrap_or_default()
            }
            _ => Dialect::Unknown,
        }
    }

    /// The statement that a value is, or that its text says.
    pub fn query_of(&mut self, value: ValueId) -> Option<Query> {
        match self.arena.get(value).clone() {
            Value::Query(query) => Some((*query).clone()),
            Value::Table(table) => Some(select_from(table)),
            Value::Wrap(_, inner) => self.query_of(inner),
            Value::Phi(arms) => arms.into_iter().find_map(|(_, arm)| self.query_of(arm)),
            _ => self.query_of_text(value),
        }
    }

    pub fn query_of_text(&mut self, value: ValueId) -> Option<Query> {
        let text = self.text_of(value)?;
        Some(query_from_text(text, Dialect::Unknown))
    }

    /// A query whose text was a parameter becomes a statement once the text is known.
    pub fn settle_query(&mut self, query: Query) -> ValueId {
        if query.statement.kind == Kind::Unknown
            && query.text.is_none()
            && let Some(whole) = query.whole
            && let Some(mut known) = self.query_of_text(whole)
        {
            known.args = query.args;
            known.executor = query.executor;
            return self.arena.add(Value::Query(Arc::new(known)));
        }
        self.arena.add(Value::Query(Arc::new(query)))
    }

    fn query_value(&mut self, query: Query) -> ValueId {
        self.arena.add(Value::Query(Arc::new(query)))
    }

    /// A row of kind `query`, `predicate` or `operator`.
    pub fn query_step(&mut self, call: &ModelCall) -> ValueId {
        match call.row.does {
            Does::Predicate => return self.predicate(call),
            Does::Operator => return self.operator(call),
            _ => {}
        }
        let base = call.receiver.map(|(_, v)| v);
        if matches!(call.row.step, Some(Step::Pass)) && call.row.value.is_none() {
            if let Some(closure) = call.arg(&call.row.closure) {
                return self.map_rows(call, closure);
            }
            return call.subject().unwrap_or_else(|| self.arena.fresh());
        }
        if matches!(call.row.step, Some(Step::Command | Step::Arg)) {
            return self.command_step(call, base);
        }
        if let Some(command) = self.command_part(call, base) {
            return command;
        }
        let mut query = match self.step(call, base) {
            Some(query) => query,
            None => return self.computed_query(call),
        };
        if let Some(executor) = call.arg(&call.row.executor) {
            query.executor = Some(executor);
        }
        let value = self.query_value(query);
        // Builders by reference change what they are called on.
        if let Some((receiver, _)) = call.receiver
            && let Some(builder) = self.changed_builder(receiver)
        {
            self.change_own(builder, value);
        }
        value
    }

    /// The `mut` local that a chain of calls on a builder started from.
    pub fn changed_builder(&self, receiver: ExprId) -> Option<ExprId> {
        let mut at = receiver;
        while let ExprKind::MethodCall { receiver, .. } = &self.body.expr(at).kind {
            at = *receiver;
        }
        self.local_root(at).filter(|local| self.body.local(*local).mutable).map(|_| at)
    }

    fn computed_query(&mut self, call: &ModelCall) -> ValueId {
        let all = call.all();
        if all.is_empty() { self.arena.fresh() } else { self.arena.op(call.name.as_str(), all) }
    }

    /// Rows seen through a closure: what it makes of one of them is what comes back.
    fn map_rows(&mut self, call: &ModelCall, closure: ValueId) -> ValueId {
        let Some(base) = call.subject() else { return self.arena.fresh() };
        self.arena.op("mapped query", vec![base, closure])
    }

    /// The query after one step; `None` where the receiver is no query and the step starts none.
    pub fn step(&mut self, call: &ModelCall, base: Option<ValueId>) -> Option<Query> {
        let row = call.row;
        let step = row.step?;
        let mut query = match step {
            Step::Sql | Step::SqlFile => return Some(self.stated(call)),
            Step::Select
            | Step::Insert
            | Step::InsertIgnore
            | Step::Replace
            | Step::Update
            | Step::Delete
            | Step::Save => self.start(call, step)?,
            _ => self.base_query(call, base)?,
        };
        self.extend(call, step, &mut query);
        Some(query)
    }

    fn base_query(&mut self, call: &ModelCall, base: Option<ValueId>) -> Option<Query> {
        let base = base.or_else(|| call.subject())?;
        if let Value::Op(name, args) = self.arena.get(base).clone()
            && name == "mapped query"
        {
            return self.query_of(args[0]);
        }
        self.query_of(base)
    }

    fn stated(&mut self, call: &ModelCall) -> Query {
        let row = call.row;
        let sql = call.arg(&row.sql).or_else(|| call.given.first().map(|(_, v)| *v));
        let dialect = self.dialect_of(call.arg(&row.executor));
        let mut query = match sql {
            Some(sql) => self.query_or_later(sql, dialect),
            None => {
                Query { statement: Statement::default(), args: Vec::new(), executor: None, text: None, whole: None }
            }
        };
        self.bind_all(call, &mut query);
        query
    }

    /// The statement of a text; where the text comes from the caller, it is settled there.
    fn query_or_later(&mut self, sql: ValueId, dialect: Dialect) -> Query {
        // `let (sql, values) = query.build(…)`: the first half is the text.
        let built = match self.arena.get(sql) {
            Value::Field(pair, half) if *half == "0" => *pair,
            _ => sql,
        };
        if let Value::Query(query) = self.arena.get(built) {
            return (**query).clone();
        }
        if self.include_path(sql).is_some() {
            return Query {
                statement: Statement::default(),
                args: Vec::new(),
                executor: None,
                text: None,
                whole: None,
            };
        }
        match self.text_of(sql) {
            Some(text) => {
                let mut query = query_from_text(text, dialect);
                if self.is_chosen(sql) {
                    query.statement.evidence = query.statement.evidence.min(sql::Evidence::Scanned);
                }
                query
            }
            None => Query {
                statement: Statement::default(),
                args: Vec::new(),
                executor: None,
                text: None,
                whole: Some(sql),
            },
        }
    }

    fn include_path(&self, value: ValueId) -> Option<Symbol> {
        match self.arena.get(value) {
            Value::Op(name, args) if *name == "include" => args.first().and_then(|arg| self.arena.as_lit(*arg)),
            _ => None,
        }
    }

    /// Binds the values that the call itself gives.
    fn bind_all(&mut self, call: &ModelCall, query: &mut Query) {
        match &call.row.binds {
            Some(Arg::Named(ArgName::Rest)) => {
                let named = [&call.row.sql, &call.row.executor, &call.row.closure, &call.row.table];
                let first = match &call.row.sql {
                    Some(Arg::Nth(n)) => n + 1,
                    _ => 0,
                };
                for (index, (_, value)) in call.given.iter().enumerate().skip(first) {
                    if named.iter().any(|arg| **arg == Some(Arg::Nth(index))) {
                        continue;
                    }
                    query.args.push(Some(*value));
                }
            }
            Some(_) => {
                let Some(list) = call.arg(&call.row.binds) else { return };
                let parts = self.members(list);
                query.args.extend(parts.into_iter().map(Some));
            }
            None => {}
        }
    }

    /// The members of a tuple, array, slice or `params![…]`; a lone value is its own only member.
    pub fn members(&self, value: ValueId) -> Vec<ValueId> {
        match self.arena.get(value) {
            Value::Record { fields, name: None, base: None } => fields.iter().map(|(_, v)| *v).collect(),
            Value::Op(name, args) if *name == "list" || *name == "macro" => args.clone(),
            Value::Op(name, args) if (*name == "params" || *name == "rusqlite::params") && !args.is_empty() => {
                args.clone()
            }
            _ => vec![value],
        }
    }

    // Builders.

    fn start(&mut self, call: &ModelCall, step: Step) -> Option<Query> {
        let row = call.row;
        let from = self.table_arg(call);
        let target = from.and_then(|of| self.query_of_target(of));
        // A table, or rows of it, says where to write; only an entity says what.
        let entity = from.filter(|_| target.is_none());
        let mut query = match (target, entity) {
            (Some(query), _) => query,
            (None, Some(of)) => self.entity_query(of)?,
            (None, None) => empty_query(),
        };
        if query.statement.table.is_none() && from.is_none() {
            query.statement.table = self.table_of_types(call);
        }
        query.statement.kind = match step {
            Step::Select => Kind::Select,
            Step::Insert | Step::InsertIgnore | Step::Replace => Kind::Insert,
            Step::Delete => Kind::Delete,
            _ => Kind::Update,
        };
        query.statement.evidence = sql::Evidence::Parsed;
        match step {
            Step::InsertIgnore => {
                query.statement.conflict = Some(Conflict { columns: Vec::new(), action: ConflictAction::Nothing })
            }
            Step::Replace => {
                query.statement.conflict = Some(Conflict { columns: Vec::new(), action: ConflictAction::Replace })
            }
            _ => {}
        }
        if let Some(key) = call.arg(&row.key) {
            self.by_key(&mut query, key);
        }
        if let Some(value) = call.arg(&row.value) {
            match step {
                Step::Select => self.filter(&mut query, value),
                _ => self.set_values(&mut query, value),
            }
        } else if matches!(step, Step::Insert | Step::Update | Step::Save)
            && let Some(of) = entity
            && self.is_record(of)
        {
            self.set_values(&mut query, of);
        }
        Some(query)
    }

    fn table_arg(&self, call: &ModelCall) -> Option<ValueId> {
        match &call.row.table {
            Some(Arg::Named(ArgName::Turbofish | ArgName::SelfType)) => None,
            Some(_) => call.arg(&call.row.table),
            None => call.receiver.map(|(_, v)| v),
        }
    }

    /// The table that the path, the turbofish or the type of the call names.
    fn table_of_types(&self, call: &ModelCall) -> Option<Symbol> {
        let target = self.typed.targets.get(&call.id)?;
        let of = match &call.row.table {
            Some(Arg::Named(ArgName::Turbofish)) => target.fish.first(),
            _ => target.self_ty.as_ref(),
        };
        self.table_of_type(of?).or_else(|| self.table_of_type(self.typed.expr(call.id)))
    }

    pub fn table_of_type(&self, ty: &Ty) -> Option<Symbol> {
        match ty {
            Ty::Table(table) | Ty::Record(table) => Some(self.program.table(*table).name),
            Ty::Adt(adt, _) => self.program.adt(*adt).table.map(|table| self.program.table(table).name),
            Ty::Ref(_, inner) | Ty::Future(inner) | Ty::Slice(inner) => self.table_of_type(inner),
            Ty::Ext(_, args) => args.iter().find_map(|arg| self.table_of_type(arg)),
            _ => None,
        }
    }

    fn query_of_target(&mut self, of: ValueId) -> Option<Query> {
        match self.arena.get(of).clone() {
            Value::Table(table) => Some(select_from(table)),
            Value::Query(query) => Some((*query).clone()),
            Value::Lit(name) => Some(select_from(name)),
            _ => None,
        }
    }

    fn is_record(&self, value: ValueId) -> bool {
        match self.arena.get(value) {
            Value::Record { .. } => true,
            // Rows of a table are no record, though their type names the table too.
            Value::Query(_) | Value::Table(_) => false,
            _ => self.arena.types.get(&value).is_some_and(|ty| self.table_of_type(ty).is_some()),
        }
    }

    /// `update(&entity)`, `model.delete(db)`: the row with the entity's primary key.
    fn entity_query(&mut self, of: ValueId) -> Option<Query> {
        let declared = self.arena.types.get(&of).and_then(|ty| self.table_of_type(ty));
        let table = declared.or_else(|| self.table_of_row(of))?;
        let mut query = select_from(table);
        let keys = self.primary_keys(table);
        for key in keys {
            let value = self.arena.field(of, key);
            self.add_compare(&mut query, None, key, Op::Eq, value);
        }
        Some(query)
    }

    /// The table that a row was read from.
    fn table_of_row(&self, value: ValueId) -> Option<Symbol> {
        match self.arena.get(value) {
            Value::Outcome(event) => match &self.events[event.0 as usize].kind {
                EventKind::Sql(sql) => sql.statement.table,
                _ => None,
            },
            Value::Element(inner) | Value::Wrap(_, inner) => self.table_of_row(*inner),
            Value::Record { base: Some(base), .. } => self.table_of_row(*base),
            _ => None,
        }
    }

    /// The table or column that a variant of an enum of names stands for.
    pub fn database_name(&self, adt: AdtId, variant: Symbol) -> Option<Value> {
        let rows = || self.models.derives.iter().filter(|row| row.names);
        self.program.derives(adt).find(|derive| rows().any(|row| row.derive == *derive))?;
        let name = self.program.named_by_variant(adt, variant);
        Some(if variant == "Table" { Value::Table(name) } else { Value::Column(None, name) })
    }

    pub fn primary_keys(&self, table: Symbol) -> Vec<Symbol> {
        let declared = self.program.tables.iter().find(|t| t.name == table).map(|t| t.keys.clone());
        declared.filter(|keys| !keys.is_empty()).unwrap_or_else(|| vec![Symbol::new("id")])
    }

    fn by_key(&mut self, query: &mut Query, key: ValueId) {
        let Some(table) = query.statement.table else { return };
        let keys = self.primary_keys(table);
        let parts = if keys.len() > 1 { self.members(key) } else { vec![key] };
        for (column, value) in keys.into_iter().zip(parts) {
            self.add_compare(query, None, column, Op::Eq, value);
        }
    }

    fn add_compare(&mut self, query: &mut Query, table: Option<Symbol>, column: Symbol, op: Op, right: ValueId) {
        let right = self.operand(query, right);
        query.statement.filters.push(Predicate::Compare { column: Column { table, name: column }, op, right });
    }

    /// A value as the right side of a comparison or assignment.
    fn operand(&mut self, query: &mut Query, value: ValueId) -> Operand {
        match self.arena.get(value).clone() {
            Value::Column(table, name) => Operand::Column(Column { table, name }),
            Value::Lit(text) => Operand::Literal(text),
            Value::Op(name, args) if self.mentions_column(value) => {
                let mut columns = Vec::new();
                let mut params = Vec::new();
                for arg in args {
                    match self.operand(query, arg) {
                        Operand::Column(column) => columns.push(column),
                        Operand::Param(n) => params.push(n),
                        Operand::Expr { columns: c, params: p, .. } => {
                            columns.extend(c);
                            params.extend(p);
                        }
                        _ => {}
                    }
                }
                Operand::Expr { columns, params, text: name, subselect: false }
            }
            Value::Wrap(name, inner) if name == "Some" || name == "Ok" => self.operand(query, inner),
            _ => {
                query.args.resize(query.statement.params as usize, None);
                query.args.push(Some(value));
                query.statement.params += 1;
                query.statement.param_names.push(None);
                Operand::Param(query.statement.params - 1)
            }
        }
    }

    fn mentions_column(&self, value: ValueId) -> bool {
        match self.arena.get(value) {
            Value::Column(..) => true,
            Value::Op(_, args) => args.iter().any(|arg| self.mentions_column(*arg)),
            _ => false,
        }
    }

    fn extend(&mut self, call: &ModelCall, step: Step, query: &mut Query) {
        let first = call.arg(&call.row.value).or_else(|| call.given.first().map(|(_, v)| *v));
        match step {
            Step::Bind => query.args.extend([first]),
            Step::Push => self.push_text(query, first, call),
            Step::PushBind => self.push_bind(query, first),
            Step::Filter => {
                for &(_, value) in call.given {
                    self.filter(query, value);
                }
            }
            Step::OrFilter => {
                query.statement.filters.push(Predicate::Other { columns: Vec::new(), params: Vec::new() })
            }
            Step::ByKey => {
                if let Some(key) = call.arg(&call.row.key).or(first) {
                    self.by_key(query, key);
                }
            }
            Step::Project => {
                for &(_, value) in call.given {
                    self.project(query, value);
                }
            }
            Step::Count => aggregate(query, sql::Aggregate::Count, self.column_arg(call)),
            Step::Exists => aggregate(query, sql::Aggregate::Exists, None),
            Step::Max => aggregate(query, sql::Aggregate::Max, self.column_arg(call)),
            Step::Min => aggregate(query, sql::Aggregate::Min, self.column_arg(call)),
            Step::Sum => aggregate(query, sql::Aggregate::Sum, self.column_arg(call)),
            Step::Avg => aggregate(query, sql::Aggregate::Avg, self.column_arg(call)),
            Step::Set | Step::Values => {
                for &(_, value) in call.given {
                    self.set_values(query, value);
                }
            }
            Step::SetColumn => self.set_column(call, query),
            Step::ConflictTarget => self.conflict_target(call, query),
            Step::ConflictNothing => conflict(query).action = ConflictAction::Nothing,
            Step::ConflictUpdate => self.conflict_update(call, query),
            Step::Lock => {
                let shared = call.row.mode == Some(Mode::Shared) || self.has_flag(first, "shared");
                let skip_locked =
                    call.row.skip_locked || call.given.iter().any(|(_, v)| self.has_flag(Some(*v), "skip_locked"));
                query.statement.lock = Some(RowLock { shared, skip_locked, nowait: call.row.nowait });
            }
            Step::SkipLocked => lock(query).skip_locked = true,
            Step::NoWait => lock(query).nowait = true,
            Step::Limit => {
                let n = first.and_then(|v| self.arena.as_lit(v)).and_then(|text| text.as_str().parse().ok());
                query.statement.limit = Some(n.unwrap_or(0));
            }
            Step::Group => query.statement.grouped = true,
            Step::Distinct => query.statement.distinct = true,
            Step::Returning => query.statement.returning = true,
            Step::Table => {
                let table = self
                    .table_arg(call)
                    .and_then(|v| self.table_name(v))
                    .or_else(|| first.and_then(|v| self.table_name(v)));
                query.statement.table = table.or(query.statement.table);
                query.statement.reads.extend(table);
            }
            Step::Join => {
                let table = first.and_then(|v| self.table_name(v));
                query.statement.reads.extend(table);
            }
            Step::Merge => {
                for &(_, value) in call.given {
                    self.merge(query, value);
                }
            }
            _ => {}
        }
    }

    fn table_name(&self, value: ValueId) -> Option<Symbol> {
        match self.arena.get(value) {
            Value::Table(name) | Value::Lit(name) => Some(*name),
            Value::Query(query) => query.statement.table,
            Value::Const(path) => Some(Symbol::new(super::cond::last_segment(*path))),
            _ => self.arena.types.get(&value).and_then(|ty| self.table_of_type(ty)),
        }
    }

    fn column_arg(&self, call: &ModelCall) -> Option<Symbol> {
        let value = call.arg(&call.row.column).or_else(|| call.given.first().map(|(_, v)| *v))?;
        self.column_name(value)
    }

    pub fn column_name(&self, value: ValueId) -> Option<Symbol> {
        match self.arena.get(value) {
            Value::Column(_, name) | Value::Lit(name) => Some(*name),
            Value::Const(path) => Some(Symbol::new(super::cond::last_segment(*path))),
            Value::Op(_, args) => args.iter().find_map(|arg| self.column_name(*arg)),
            Value::Record { .. } => Some(self.column_of_pair(value)?.1),
            _ => None,
        }
    }

    /// `(Users::Table, Users::Id)`: a column with its table before it.
    fn column_of_pair(&self, value: ValueId) -> Option<(Option<Symbol>, Symbol)> {
        let Value::Record { name: None, fields, base: None } = self.arena.get(value) else { return None };
        let (column, before) = fields.split_last()?;
        let Value::Column(_, name) = *self.arena.get(column.1) else { return None };
        let table = match before {
            [.., (_, table)] => match self.arena.get(*table) {
                Value::Table(table) | Value::Lit(table) => *table,
                _ => return None,
            },
            [] => return None,
        };
        Some((Some(table), name))
    }

    fn push_text(&mut self, query: &mut Query, piece: Option<ValueId>, call: &ModelCall) {
        let piece =
            piece.and_then(|piece| self.text_of(piece)).map_or_else(|| "{}".to_owned(), |text| text.to_string());
        let _ = call;
        let text = format!("{}{piece}", query.text.map_or("", Symbol::as_str));
        retext(query, &text);
    }

    fn push_bind(&mut self, query: &mut Query, value: Option<ValueId>) {
        let text = format!("{} ? ", query.text.map_or("", Symbol::as_str));
        query.args.push(value);
        retext(query, &text);
    }

    fn filter(&mut self, query: &mut Query, value: ValueId) {
        match self.arena.get(value).clone() {
            Value::Pred(pred) => {
                let predicate = self.predicate_of(query, &pred);
                match predicate {
                    Predicate::And(parts) => query.statement.filters.extend(parts),
                    one => query.statement.filters.push(one),
                }
            }
            Value::Column(table, name) => query.statement.filters.push(Predicate::Compare {
                column: Column { table, name },
                op: Op::Eq,
                right: Operand::Literal(Symbol::new("true")),
            }),
            Value::Op(name, args) if name == "!" => {
                if let Some(Value::Column(table, name)) = args.first().map(|arg| self.arena.get(*arg).clone()) {
                    query.statement.filters.push(Predicate::Compare {
                        column: Column { table, name },
                        op: Op::Eq,
                        right: Operand::Literal(Symbol::new("false")),
                    });
                } else {
                    query.statement.filters.push(Predicate::Other { columns: Vec::new(), params: Vec::new() });
                }
            }
            Value::Record { fields, name: None, base: None } => {
                for (_, field) in fields {
                    self.filter(query, field);
                }
            }
            _ => {
                let predicate = self.computed_predicate(query, value);
                query.statement.filters.push(predicate);
            }
        }
    }

    /// A condition of which only the columns and values that it mentions are known.
    fn computed_predicate(&mut self, query: &mut Query, value: ValueId) -> Predicate {
        match self.mentions_column(value).then(|| self.operand(query, value)) {
            Some(Operand::Expr { columns, params, .. }) => Predicate::Other { columns, params },
            _ => Predicate::Other { columns: Vec::new(), params: Vec::new() },
        }
    }

    fn predicate_of(&mut self, query: &mut Query, pred: &Pred) -> Predicate {
        match pred {
            Pred::Compare { table, column, op, right } => {
                let right = self.operand(query, *right);
                Predicate::Compare { column: Column { table: *table, name: *column }, op: *op, right }
            }
            Pred::And(parts) => Predicate::And(self.predicates_of(query, parts)),
            Pred::Or(parts) => Predicate::Or(self.predicates_of(query, parts)),
        }
    }

    fn predicates_of(&mut self, query: &mut Query, parts: &[ValueId]) -> Vec<Predicate> {
        parts
            .iter()
            .map(|part| match self.arena.get(*part).clone() {
                Value::Pred(pred) => self.predicate_of(query, &pred),
                _ => self.computed_predicate(query, *part),
            })
            .collect()
    }

    fn project(&mut self, query: &mut Query, value: ValueId) {
        for part in self.members(value) {
            match self.arena.get(part).clone() {
                Value::Column(table, name) => query.statement.projections.push(Projection {
                    name: Some(name),
                    columns: vec![Column { table, name }],
                    aggregate: None,
                    test: None,
                }),
                Value::Op(name, args) => {
                    let kind = match name.as_str() {
                        "max" => Some(sql::Aggregate::Max),
                        "min" => Some(sql::Aggregate::Min),
                        "sum" => Some(sql::Aggregate::Sum),
                        "count" | "count_star" | "count_distinct" => Some(sql::Aggregate::Count),
                        _ => None,
                    };
                    let columns = args
                        .iter()
                        .filter_map(|arg| match self.arena.get(*arg) {
                            Value::Column(table, name) => Some(Column { table: *table, name: *name }),
                            _ => None,
                        })
                        .collect();
                    query.statement.projections.push(Projection { name: None, columns, aggregate: kind, test: None });
                }
                _ => {}
            }
        }
    }

    /// Assignments: predicates of equality, tuples of them, or a record whose fields are columns.
    pub fn set_values(&mut self, query: &mut Query, value: ValueId) {
        match self.arena.get(value).clone() {
            Value::Pred(pred) => match &*pred {
                Pred::Compare { column, right, .. } => self.set_one(query, *column, *right),
                Pred::And(parts) | Pred::Or(parts) => {
                    for part in parts.clone() {
                        self.set_values(query, part);
                    }
                }
            },
            Value::Record { name: None, fields, base: None } => {
                for (_, field) in fields {
                    self.set_values(query, field);
                }
            }
            Value::Record { fields, base, .. } => {
                for (column, field) in fields {
                    if self.has_flag(Some(field), "unset") {
                        continue;
                    }
                    self.set_one(query, column, field);
                }
                // Of a record to be written (an active model), only what was set is written.
                let partial = matches!(self.arena.types.get(&value), Some(Ty::Record(_)));
                if let Some(base) = base
                    && !partial
                    && !self.is_default(base)
                {
                    query.whole.get_or_insert(base);
                }
            }
            Value::Op(name, args) if name == "list" || name == "each" => {
                for part in args {
                    self.set_values(query, part);
                }
            }
            Value::Wrap(_, inner) => self.set_values(query, inner),
            _ => query.whole = query.whole.or(Some(value)),
        }
    }

    fn is_default(&self, value: ValueId) -> bool {
        match self.arena.get(value) {
            Value::Op(name, _) => name.as_str().ends_with("default"),
            Value::Unknown(_) | Value::Const(_) => true,
            _ => false,
        }
    }

    fn set_one(&mut self, query: &mut Query, column: Symbol, value: ValueId) {
        let value = self.operand(query, value);
        let relative = match &value {
            Operand::Expr { columns, .. } => columns.iter().any(|c| c.name == column),
            _ => false,
        };
        query.statement.sets.push(Assign { column, value, relative });
    }

    fn set_column(&mut self, call: &ModelCall, query: &mut Query) {
        let (Some(column), Some(value)) = (call.arg(&call.row.column), call.arg(&call.row.value)) else { return };
        for (column, value) in self.members(column).into_iter().zip(self.members(value)) {
            if let Some(column) = self.column_name(column) {
                self.set_one(query, column, value);
            }
        }
    }

    fn conflict_target(&mut self, call: &ModelCall, query: &mut Query) {
        let columns =
            call.given.iter().flat_map(|(_, v)| self.members(*v)).filter_map(|v| self.column_name(v)).collect();
        conflict(query).columns = columns;
    }

    fn conflict_update(&mut self, call: &ModelCall, query: &mut Query) {
        let mut inner = empty_query();
        inner.statement.params = query.statement.params;
        inner.args = query.args.clone();
        for &(_, value) in call.given {
            match self.column_name(value) {
                Some(column) if !matches!(self.arena.get(value), Value::Pred(_)) => {
                    inner.statement.sets.push(Assign { column, value: Operand::Excluded(column), relative: false })
                }
                _ => self.set_values(&mut inner, value),
            }
        }
        if inner.whole.is_some_and(|row| self.is_whole_row(row)) {
            let every = Symbol::new("*");
            inner.statement.sets.push(Assign { column: every, value: Operand::Excluded(every), relative: false });
        }
        query.args = inner.args;
        query.statement.params = inner.statement.params;
        conflict(query).action = ConflictAction::Update { sets: inner.statement.sets, filter: Vec::new() };
    }

    /// By its type the value has every column of its table; a form may leave some out.
    fn is_whole_row(&self, value: ValueId) -> bool {
        let mut ty = self.arena.types.get(&value);
        while let Some(Ty::Ref(_, inner)) = ty {
            ty = Some(inner);
        }
        let Some(Ty::Adt(adt, _)) = ty else { return false };
        let def = self.program.adt(*adt);
        def.table.is_some_and(|table| self.program.table(table).columns.len() <= def.fields.len())
    }

    /// Takes over what another statement value holds.
    fn merge(&mut self, query: &mut Query, value: ValueId) {
        match self.arena.get(value).clone() {
            Value::Query(other) => {
                if other.statement.conflict.is_some() {
                    query.statement.conflict = other.statement.conflict.clone();
                }
                query.statement.lock = query.statement.lock.or(other.statement.lock);
                query.statement.filters.extend(other.statement.filters.iter().cloned());
            }
            Value::Pred(_) => self.filter(query, value),
            _ => {
                if self.has_flag(Some(value), "skip_locked") {
                    lock(query).skip_locked = true;
                }
            }
        }
    }

    fn predicate(&mut self, call: &ModelCall) -> ValueId {
        let op = call.row.op.as_deref().unwrap_or("other");
        let subject = call.arg(&call.row.column).or_else(|| call.subject());
        let right = call.arg(&call.row.value).or_else(|| call.given.first().map(|(_, v)| *v));
        let Some(subject) = subject else { return self.arena.fresh() };
        let pred = match op {
            "and" | "member" => Pred::And([Some(subject), right].into_iter().flatten().collect()),
            "or" => Pred::Or([Some(subject), right].into_iter().flatten().collect()),
            _ => {
                let Some((table, column)) = self.column_of(subject) else { return self.computed_query(call) };
                let right = right.unwrap_or_else(|| self.arena.unit());
                Pred::Compare { table, column, op: op_named(op), right }
            }
        };
        self.arena.add(Value::Pred(Arc::new(pred)))
    }

    fn column_of(&self, value: ValueId) -> Option<(Option<Symbol>, Symbol)> {
        match self.arena.get(value) {
            Value::Column(table, name) => Some((*table, *name)),
            Value::Op(_, args) => args.iter().find_map(|arg| self.column_of(*arg)),
            Value::Lit(name) => Some((None, *name)),
            Value::Const(path) => Some((None, Symbol::new(super::cond::last_segment(*path)))),
            Value::Record { .. } => self.column_of_pair(value),
            _ => None,
        }
    }

    fn operator(&mut self, call: &ModelCall) -> ValueId {
        let op = call.row.op.clone().unwrap_or_else(|| call.name.to_string());
        if op == "column" {
            let Some(&(_, given)) = call.given.first() else { return self.computed_query(call) };
            return match self.column_name(given) {
                Some(name) if !matches!(self.arena.get(given), Value::Column(..)) => {
                    self.arena.add(Value::Column(None, name))
                }
                _ => given,
            };
        }
        if let ([(_, only)], "other" | "same") = (call.given, op.as_str())
            && call.receiver.is_none()
            && matches!(self.arena.get(*only), Value::Column(..))
        {
            return *only;
        }
        let all = call.all();
        self.arena.op(&op, all)
    }

    // Running.

    pub fn run_statement(&mut self, call: &ModelCall) -> ValueId {
        let row = call.row;
        let subject = call.subject();
        if let Some(value) = self.run_command(call) {
            return value;
        }
        let mut closure = None;
        let query = match (&row.sql, &row.step) {
            (Some(_), _) => Some(self.stated(call)),
            (None, Some(_)) => self.step(call, call.receiver.map(|(_, v)| v)),
            (None, None) => subject.and_then(|subject| {
                if let Value::Op(name, args) = self.arena.get(subject).clone()
                    && name == "mapped query"
                {
                    closure = args.get(1).copied();
                    return self.query_of(args[0]);
                }
                self.query_of(subject)
            }),
        };
        let Some(mut query) = query else { return self.run_unknown(call) };
        if row.sql.is_none() && row.step.is_none() {
            self.bind_all(call, &mut query);
        }
        let executor = call.arg(&row.executor).or(query.executor);
        let result = row.result.unwrap_or(Outcome::Rows);
        let event = self.push_query(call, query, executor, result);
        let outcome = self.arena.add(Value::Outcome(event));
        match closure.or_else(|| call.arg(&row.closure)) {
            Some(closure) => self.mapped(call, closure, outcome, result),
            None => outcome,
        }
    }

    fn push_query(
        &mut self,
        call: &ModelCall,
        query: Query,
        executor: Option<ValueId>,
        result: Outcome,
    ) -> super::value::EventId {
        let kind = match query.statement.kind {
            Kind::Commit => executor.map(EventKind::Commit),
            Kind::Rollback => executor.map(EventKind::Rollback),
            Kind::Begin(isolation) => Some(EventKind::Begin { on: executor, isolation, savepoint: false }),
            _ => None,
        };
        if let Some(kind) = kind {
            return self.push(kind, call.span, call.evidence);
        }
        let statement = Arc::new(query.statement);
        let sql = SqlEvent { statement, text: query.text, args: query.args, executor, result, whole: query.whole };
        self.push(EventKind::Sql(sql), call.span, call.evidence)
    }

    /// The rows as a closure sees them.
    fn mapped(&mut self, call: &ModelCall, closure: ValueId, outcome: ValueId, result: Outcome) -> ValueId {
        let row = if result == Outcome::Rows { self.arena.add(Value::Element(outcome)) } else { outcome };
        let value = self.call_value(call.id, closure, vec![row]);
        let value = self.unwrap(value);
        match result {
            Outcome::Rows => self.arena.op("each", vec![outcome, value]),
            _ => {
                let (there, ok) = (self.arena.test(outcome, super::cond::Test::Some), self.arena.wrap("Ok", value));
                let gone = self.arena.not(there);
                let missing = self.arena.wrap("Err", outcome);
                self.arena.phi(vec![(there, ok), (gone, missing)])
            }
        }
    }

    /// A statement of which only the handle is known.
    fn run_unknown(&mut self, call: &ModelCall) -> ValueId {
        let query = Query {
            statement: Statement::default(),
            args: Vec::new(),
            executor: None,
            text: None,
            whole: call.subject(),
        };
        let executor = call.arg(&call.row.executor);
        let event = self.push_query(call, query, executor, call.row.result.unwrap_or(Outcome::Rows));
        self.arena.add(Value::Outcome(event))
    }

    /// An SQL text in a call that no model knows is a statement all the same.
    pub fn sql_literal_call(&mut self, id: ExprId, text: Option<Symbol>, values: &[ValueId]) -> Option<ValueId> {
        let text = text.filter(|text| is_sql(text.as_str())).or_else(|| {
            values.iter().find_map(|value| match self.arena.get(*value) {
                Value::Lit(_) | Value::Op(..) => self.text_of(*value).filter(|text| is_sql(text.as_str())),
                _ => None,
            })
        })?;
        let executor = values.iter().copied().find(|value| {
            matches!(
                self.value_role(*value),
                Some(TypeRole::Pool | TypeRole::Connection | TypeRole::Transaction | TypeRole::Executor)
            )
        });
        let mut query = query_from_text(text, self.dialect_of(executor));
        for value in values {
            if Some(*value) == executor || self.text_of(*value) == Some(text) {
                continue;
            }
            let members = self.members(*value);
            query.args.extend(members.into_iter().map(Some));
        }
        // A write that gives nothing back can only be answered by how many rows it met.
        let statement = query.statement.effective();
        let counted = statement.is_write() && !statement.returning;
        let sql = SqlEvent {
            result: if counted { Outcome::Affected } else { Outcome::Rows },
            statement: Arc::new(query.statement),
            text: query.text,
            args: query.args,
            executor,
            whole: None,
        };
        let event = self.push(EventKind::Sql(sql), self.body.expr(id).span, Evidence::UniqueName);
        Some(self.arena.add(Value::Outcome(event)))
    }
}

/// The text begins like a statement that reads or writes rows, and goes on like one.
fn is_sql(text: &str) -> bool {
    let mut words = text.split_whitespace().map(str::to_ascii_uppercase);
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return false };
    match first.as_str() {
        "SELECT" | "WITH" => {
            text.to_ascii_uppercase().contains(" FROM ") || second.starts_with("PG_") || second.starts_with("EXISTS")
        }
        "INSERT" => second == "INTO" || second == "OR" || second == "IGNORE",
        "REPLACE" => second == "INTO",
        "UPDATE" => text.to_ascii_uppercase().contains("SET "),
        "DELETE" => second == "FROM",
        _ => false,
    }
}

fn query_from_text(text: Symbol, dialect: Dialect) -> Query {
    let statement = sql::parse(text.as_str(), dialect);
    Query { statement, args: Vec::new(), executor: None, text: Some(text), whole: None }
}

fn empty_query() -> Query {
    let statement = Statement { evidence: sql::Evidence::Parsed, kind: Kind::Select, ..Statement::default() };
    Query { statement, args: Vec::new(), executor: None, text: None, whole: None }
}

fn select_from(table: Symbol) -> Query {
    let mut query = empty_query();
    query.statement.table = Some(table);
    query.statement.reads.push(table);
    query
}

fn retext(query: &mut Query, text: &str) {
    query.statement = sql::parse(text, Dialect::Unknown);
    query.text = Some(Symbol::new(text));
}

fn aggregate(query: &mut Query, kind: sql::Aggregate, column: Option<Symbol>) {
    let columns = column.map(|name| Column { table: None, name }).into_iter().collect();
    query.statement.projections = vec![Projection { name: None, columns, aggregate: Some(kind), test: None }];
}

fn conflict(query: &mut Query) -> &mut Conflict {
    query.statement.conflict.get_or_insert(Conflict { columns: Vec::new(), action: ConflictAction::Nothing })
}

fn lock(query: &mut Query) -> &mut RowLock {
    query.statement.lock.get_or_insert(RowLock { shared: false, skip_locked: false, nowait: false })
}

fn op_named(op: &str) -> Op {
    match op {
        "eq" => Op::Eq,
        "ne" => Op::Ne,
        "lt" => Op::Lt,
        "le" => Op::Le,
        "gt" => Op::Gt,
        "ge" => Op::Ge,
        "in" => Op::In,
        "not_in" => Op::NotIn,
        "is_null" => Op::IsNull,
        "is_not_null" => Op::IsNotNull,
        "like" => Op::Like,
        _ => Op::Other,
    }
}
