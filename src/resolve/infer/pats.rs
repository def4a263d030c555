//! Patterns: the types of what they bind, from the type of what is matched.

use super::super::index::last;
use super::super::scope::Item;
use super::super::ty::{join, substitute};
use super::super::values::Value;
use super::super::{Def, Evidence, Ty};
use super::Infer;
use crate::intern::Symbol;
use crate::ir::{PatId, PatKind, PathRef};

impl Infer<'_> {
    /// Gives the locals of a pattern their types.
    pub(super) fn bind(&mut self, pat: PatId, ty: &Ty, evidence: Evidence) {
        let body = self.body;
        match &body.pat(pat).kind {
            PatKind::Bind { local, by_ref, sub } => {
                let written = body.local(*local).ty.map(|ty| self.cx.ty(ty)).unwrap_or_default();
                let evidence = if written.is_known() { Evidence::Declared } else { evidence };
                let mut ty = join(&written, ty);
                if *by_ref {
                    ty = Ty::reference(false, ty);
                }
                self.set_local(*local, &ty, evidence);
                if let Some(sub) = sub {
                    self.bind(*sub, &ty, evidence);
                }
            }
            PatKind::Path(path) => {
                let (def, _) = self.pattern_def(*path, ty);
                self.out.pat_defs.insert(pat, def);
            }
            PatKind::TupleStruct { path, elems } => self.bind_tuple_struct(pat, *path, elems, ty, evidence),
            PatKind::Struct { path, fields } => self.bind_struct(pat, *path, fields, ty, evidence),
            PatKind::Tuple(elems) => self.bind_tuple(elems, ty, evidence),
            PatKind::Slice(elems) => self.bind_slice(elems, ty, evidence),
            PatKind::Ref(inner) => {
                let inner_ty = match ty {
                    Ty::Ref(_, inner) => (**inner).clone(),
                    other => other.clone(),
                };
                self.bind(*inner, &inner_ty, evidence);
            }
            PatKind::Or(alternatives) => {
                for alternative in alternatives {
                    self.bind(*alternative, ty, evidence);
                }
            }
            PatKind::Guard(inner, condition) => {
                self.bind(*inner, ty, evidence);
                self.visit(*condition);
            }
            PatKind::Wild | PatKind::Rest | PatKind::Lit(_) | PatKind::Range | PatKind::Missing => {}
        }
    }

    fn bind_slice(&mut self, elems: &[PatId], ty: &Ty, evidence: Evidence) {
        let chain = self.ix.deref_chain(ty);
        let item = chain.iter().map(|ty| self.ix.item(ty)).find(Ty::is_known).unwrap_or_default();
        let item = self.behind(ty, item);
        for elem in elems {
            let is_rest = matches!(
                self.body.pat(*elem).kind,
                PatKind::Bind { sub: Some(sub), .. } if matches!(self.body.pat(sub).kind, PatKind::Rest)
            );
            self.bind(*elem, if is_rest { ty } else { &item }, evidence);
        }
    }

    /// Behind a reference, what a pattern binds is a reference.
    fn behind(&self, matched: &Ty, part: Ty) -> Ty {
        match matched {
            Ty::Ref(mutable, _) if !matches!(part, Ty::Ref(..)) => Ty::reference(*mutable, part),
            _ => part,
        }
    }

    fn bind_tuple(&mut self, elems: &[PatId], ty: &Ty, evidence: Evidence) {
        let items: &[Ty] = match ty.unref() {
            Ty::Tuple(items) => items,
            _ => &[],
        };
        self.bind_positions(elems, items, ty, evidence);
    }

    /// Binds by place, counted from the end behind a `..`.
    fn bind_positions(&mut self, elems: &[PatId], items: &[Ty], matched: &Ty, evidence: Evidence) {
        let rest = elems.iter().position(|elem| matches!(self.body.pat(*elem).kind, PatKind::Rest));
        for (at, elem) in elems.iter().enumerate() {
            let from_end = elems.len() - at;
            let item = match rest {
                Some(rest) if at > rest => items.len().checked_sub(from_end).and_then(|at| items.get(at)),
                _ => items.get(at),
            };
            let item = item.cloned().unwrap_or_default();
            let item = self.behind(matched, item);
            self.bind(*elem, &item, evidence);
        }
    }

    fn bind_tuple_struct(&mut self, pat: PatId, path: PathRef, elems: &[PatId], ty: &Ty, evidence: Evidence) {
        let (def, fields) = self.pattern_def(path, ty);
        self.out.pat_defs.insert(pat, def);
        let fields: Vec<Ty> = fields.into_iter().map(|(_, ty)| ty).collect();
        self.bind_positions(elems, &fields, ty, evidence);
    }

    fn bind_struct(&mut self, pat: PatId, path: PathRef, fields: &[(Symbol, PatId)], ty: &Ty, evidence: Evidence) {
        let (def, known) = self.pattern_def(path, ty);
        self.out.pat_defs.insert(pat, def);
        for (name, sub) in fields {
            let field = known.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone()).unwrap_or_default();
            let field = self.behind(ty, field);
            self.bind(*sub, &field, evidence);
        }
    }

    /// What a path in a pattern names, and the fields it has where a value of the type is matched.
    fn pattern_def(&self, path: PathRef, matched: &Ty) -> (Def, Vec<(Symbol, Ty)>) {
        let path = self.cx.path(path);
        let adt = &self.ix.defs.adts;
        let chain = self.ix.deref_chain(matched);
        let args_of = |id| match chain.iter().find(|ty| matches!(ty, Ty::Adt(known, _) if *known == id)) {
            Some(Ty::Adt(_, args)) => args.to_vec(),
            _ => Vec::new(),
        };
        let mut value = self.cx.value(path);
        if matches!(value, Value::Unknown) {
            // Struct patterns name a type.
            value = self.cx.type_value(path);
        }
        match value {
            Value::Item(Item::Variant(id, name)) => {
                let variant = adt[id.0 as usize].variants.iter().find(|(known, _)| *known == name);
                let subst = self.ix.params_of(id, &args_of(id));
                let fields = variant.into_iter().flat_map(|(_, fields)| fields);
                (Def::Variant(id, name), fields.map(|(name, ty)| (*name, substitute(ty, &subst))).collect())
            }
            Value::Item(Item::Adt(id)) => {
                let subst = self.ix.params_of(id, &args_of(id));
                let fields = adt[id.0 as usize].fields.iter();
                (Def::Adt(id), fields.map(|(name, ty)| (*name, substitute(ty, &subst))).collect())
            }
            Value::Library { path, .. } => {
                let path = self.ix.world.library.canonical_function(path);
                let name = Symbol::new(last(path));
                let fields = chain.iter().find_map(|ty| self.ix.library_fields(ty, name)).unwrap_or_default();
                let numbered = fields.into_iter().enumerate();
                (Def::Ext(path), numbered.map(|(at, ty)| (Symbol::new(&at.to_string()), ty)).collect())
            }
            value => (self.def_of(&value), Vec::new()),
        }
    }
}
