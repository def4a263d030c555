//! Patterns: what they bind, and the condition that they match.

use super::cond::{CondId, Test};
use super::value::{Value, ValueId};
use super::walk::{Walker, literal_text};
use crate::intern::Symbol;
use crate::ir::{BinOp, LocalId, PatId, PatKind};
use crate::resolve::Def;

impl Walker<'_> {
    /// Binds the locals of a pattern to the parts of a value; the condition says when the pattern matches.
    pub fn bind(&mut self, pat: PatId, value: ValueId) -> CondId {
        match &self.body.pat(pat).kind {
            PatKind::Wild | PatKind::Rest | PatKind::Missing => self.arena.always(),
            PatKind::Bind { local, sub, .. } => {
                self.declare(*local, value);
                match sub {
                    Some(sub) => self.bind(*sub, value),
                    None => self.arena.always(),
                }
            }
            PatKind::Path(path) => {
                let name = Symbol::new(&self.path_text(*path));
                self.variant(pat, name, value)
            }
            PatKind::TupleStruct { path, elems } => {
                let name = Symbol::new(&self.path_text(*path));
                self.tuple_struct(pat, name, elems, value)
            }
            PatKind::Struct { path, fields } => {
                let name = Symbol::new(&self.path_text(*path));
                let mut parts = vec![self.variant(pat, name, value)];
                for (field, sub) in fields {
                    let inner = self.arena.field(value, *field);
                    let inner = self.read_place(inner);
                    parts.push(self.bind(*sub, inner));
                }
                self.arena.and(parts)
            }
            PatKind::Tuple(elems) => self.elements(elems, value),
            PatKind::Slice(elems) => self.slice(elems, value),
            PatKind::Ref(inner) => self.bind(*inner, value),
            PatKind::Lit(lit) => match literal_text(lit) {
                Some(text) => {
                    let lit = self.arena.add(Value::Lit(text));
                    let equal = self.arena.op("==", vec![value, lit]);
                    self.arena.truth(equal)
                }
                None => self.arena.test(value, Test::Pattern),
            },
            PatKind::Range => self.arena.test(value, Test::Pattern),
            PatKind::Or(alternatives) => {
                let parts = alternatives.iter().map(|alternative| self.bind(*alternative, value)).collect();
                self.arena.or(parts)
            }
            PatKind::Guard(inner, guard) => {
                let first = self.bind(*inner, value);
                let second = self.condition(*guard);
                self.arena.and(vec![first, second])
            }
        }
    }

    fn declare(&mut self, local: LocalId, value: ValueId) {
        let ty = self.typed.local(local);
        if *ty != crate::resolve::Ty::Unknown && !self.arena.types.contains_key(&value) {
            self.arena.types.insert(value, ty.clone());
        }
        self.state.env.insert(local, value);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(local);
        }
    }

    /// A path in a pattern: a variant, a unit struct (which always matches), or a constant.
    fn variant(&mut self, pat: PatId, name: Symbol, value: ValueId) -> CondId {
        match super::cond::last_segment(name) {
            "None" => {
                let some = self.arena.test(value, Test::Some);
                return self.arena.not(some);
            }
            "Some" => return self.arena.test(value, Test::Some),
            "Ok" => return self.arena.test(value, Test::Ok),
            "Err" => {
                let ok = self.arena.test(value, Test::Ok);
                return self.arena.not(ok);
            }
            _ => {}
        }
        match self.typed.pat_defs.get(&pat) {
            Some(Def::Adt(adt)) if !self.program.adt(*adt).is_enum => self.arena.always(),
            Some(Def::Variant(adt, _)) if self.program.adt(*adt).variants.len() == 1 => self.arena.always(),
            Some(Def::Static(of)) if self.consts.contains_key(of) => {
                let lit = self.arena.add(literal_text(&self.consts[of]).map_or(Value::Const(name), Value::Lit));
                self.arena.test(value, Test::Compare(BinOp::Eq, lit))
            }
            Some(Def::Variant(adt, variant)) => {
                let path = Symbol::new(&format!("{}::{variant}", self.program.adt(*adt).path));
                self.arena.test(value, Test::Variant(path))
            }
            _ => self.arena.test(value, Test::Variant(name)),
        }
    }

    fn tuple_struct(&mut self, pat: PatId, name: Symbol, elems: &[PatId], value: ValueId) -> CondId {
        let matched = self.variant(pat, name, value);
        let last = super::cond::last_segment(name);
        let inner = match last {
            "Some" | "Ok" => Some(self.unwrap(value)),
            "Err" => Some(self.error_of(value)),
            _ => None,
        };
        let rest = match (inner, elems) {
            (Some(inner), [only]) => self.bind(*only, inner),
            _ if self.is_extractor(pat) && elems.len() == 1 => self.bind(elems[0], value),
            _ => self.elements(elems, value),
        };
        self.arena.and(vec![matched, rest])
    }

    /// `State(app)`, `Json(body)`: the wrapper of a web framework is the value itself.
    fn is_extractor(&self, pat: PatId) -> bool {
        match self.typed.pat_defs.get(&pat) {
            Some(Def::Ext(path)) => {
                self.models.type_role(path.as_str()) == Some(crate::models::row::TypeRole::Extractor)
            }
            _ => false,
        }
    }

    fn elements(&mut self, elems: &[PatId], value: ValueId) -> CondId {
        let mut parts = Vec::new();
        for (index, elem) in elems.iter().enumerate() {
            if matches!(self.body.pat(*elem).kind, PatKind::Rest) {
                break;
            }
            let inner = self.arena.field(value, Symbol::new(&index.to_string()));
            parts.push(self.bind(*elem, inner));
        }
        self.arena.and(parts)
    }

    fn slice(&mut self, elems: &[PatId], value: ValueId) -> CondId {
        let empty = self.arena.test(value, Test::Empty);
        if elems.is_empty() {
            return empty;
        }
        let element = self.arena.add(Value::Element(value));
        let mut parts = vec![self.arena.not(empty)];
        for elem in elems {
            parts.push(self.bind(*elem, element));
        }
        self.arena.and(parts)
    }

    /// The locals that a pattern binds, in order.
    pub fn bound_locals(&self, pat: PatId) -> Vec<LocalId> {
        let mut out = Vec::new();
        let mut todo = vec![pat];
        while let Some(pat) = todo.pop() {
            match &self.body.pat(pat).kind {
                PatKind::Bind { local, sub, .. } => {
                    out.push(*local);
                    todo.extend(sub);
                }
                PatKind::TupleStruct { elems, .. }
                | PatKind::Tuple(elems)
                | PatKind::Slice(elems)
                | PatKind::Or(elems) => {
                    todo.extend(elems.iter().rev());
                }
                PatKind::Struct { fields, .. } => todo.extend(fields.iter().rev().map(|(_, pat)| *pat)),
                PatKind::Ref(inner) | PatKind::Guard(inner, _) => todo.push(*inner),
                _ => {}
            }
        }
        out
    }

    /// It matches whatever the value is.
    pub fn is_catch_all(&self, pat: PatId) -> bool {
        match &self.body.pat(pat).kind {
            PatKind::Wild => true,
            PatKind::Bind { sub: None, .. } => true,
            PatKind::Ref(inner) => self.is_catch_all(*inner),
            PatKind::TupleStruct { path, elems } => {
                // `Err(_)` and `Err(e)` after an arm for some errors take what is left of them.
                super::cond::last_segment(Symbol::new(&self.path_text(*path))) == "Err"
                    && elems.iter().all(|e| self.is_catch_all(*e))
            }
            _ => false,
        }
    }
}
