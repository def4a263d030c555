//! Calls of library paths: their rows, and what naming tells where no row speaks.

use super::super::impls;
use super::super::index::last;
use super::super::prelude::known;
use super::super::ty::join;
use super::super::{Evidence, Target, Ty};
use super::Infer;
use super::args::RowCall;
use super::calls::Site;
use super::rows::{Given, PathRow};
use crate::intern::Symbol;

impl Infer<'_> {
    /// `Entity::find()`, `T::begin(…)`: a function that a library gives to a type of the program, or to a bound.
    pub(super) fn library_associated(&mut self, site: Site<'_>, owner: &Ty, name: Symbol) -> Ty {
        if let Some(found) = self.owner_row(owner, name, Given::new(site.args)) {
            return self.row_call(site, found, owner);
        }
        let types = self.args_plain(site.args);
        let ty = made_of(owner, name, types.first());
        self.target(site.id, Target { evidence: Evidence::Declared, ..Target::default() });
        self.set(site.id, ty, Evidence::Inferred)
    }

    pub(super) fn library_call(&mut self, site: Site<'_>, path: Symbol, owner: &Ty) -> Ty {
        if let Some(found) = self.path_row(path, owner, Given::new(site.args)) {
            return self.row_call(site, found, owner);
        }
        let name = Symbol::new(last(path));
        // Extension traits of the program on library types.
        let own = if owner.is_known() { self.associated(owner, name) } else { Vec::new() };
        if !own.is_empty() {
            return self.call_functions(site, own, None, Evidence::Declared);
        }
        let hint = hint(owner, site.expected);
        let wanted = |at: usize| if at == 0 { &hint } else { &Ty::Unknown };
        let types: Vec<Ty> = site.args.iter().enumerate().map(|(at, arg)| self.expr(*arg, wanted(at))).collect();
        let ty = self.library_value_of(path, owner, name, &types, site.expected);
        self.target(site.id, Target { evidence: Evidence::Declared, ..Target::default() });
        self.set(site.id, ty, Evidence::Inferred)
    }

    /// What a library function gives of which no row speaks.
    fn library_value_of(&self, path: Symbol, owner: &Ty, name: Symbol, args: &[Ty], expected: &Ty) -> Ty {
        let k = known();
        let first = args.first().cloned().unwrap_or_default();
        let ty = if path == k.some {
            Ty::ext(k.option, vec![first])
        } else if path == k.ok {
            Ty::ext(k.result, vec![first, Ty::Unknown])
        } else if path == k.err {
            Ty::ext(k.result, vec![Ty::Unknown, first])
        } else if is_std_trait(owner) {
            // `Default::default()`, `From::from(x)`: whose it is, only the place that waits for it tells.
            match name.as_str() {
                "clone" | "to_owned" | "as_ref" | "borrow" => first.unref().clone(),
                "to_string" => Ty::ext(k.string, Vec::new()),
                _ => expected.clone(),
            }
        } else if owner.is_known() {
            made_of(owner, name, args.first())
        } else if name.as_str().starts_with(char::is_uppercase) {
            // A tuple struct of a library around its argument: `Json(x)`, `Extension(x)`.
            self.ix.world.library.ty(path, args.to_vec())
        } else {
            Ty::Unknown
        };
        if ty.is_known() { join(&ty, expected) } else { ty }
    }

    /// A call with a row; for a method called by its path the first argument is the receiver.
    fn row_call(&mut self, site: Site<'_>, found: PathRow, owner: &Ty) -> Ty {
        let PathRow { row, is_method } = found;
        let (receiver, args) = match site.args {
            [first, rest @ ..] if is_method => (self.visit(*first), rest),
            _ => (owner.clone(), site.args),
        };
        let matched = if is_method {
            let chain = self.ix.deref_chain(&receiver);
            let same = |ty: &&Ty| impls::head(ty).is_some() && impls::head(ty) == impls::head(owner);
            chain.iter().find(same).cloned().unwrap_or_else(|| receiver.clone())
        } else {
            owner.clone()
        };
        let (hint, turbofish) = (hint(owner, site.expected), site.turbofish);
        let call = RowCall { row, params: matched.unref().args(), receiver: &receiver, turbofish, hint: &hint };
        let mut ty = self.args_of_row(args, call);
        if !ty.is_known() && self.ix.world.library.models.returns(row).is_none() {
            let name = self.ix.world.library.models.calls[row as usize].path.first().map(|path| Symbol::new(path));
            ty = name.map(|path| made_of(owner, Symbol::new(last(path)), None)).unwrap_or_default();
        }
        if ty.is_known() && site.expected.is_known() {
            ty = join(&ty, site.expected);
        }
        self.target(site.id, Target { row: Some(row), evidence: Evidence::Declared, ..Target::default() });
        self.set(site.id, ty, Evidence::Inferred)
    }
}

/// What a wrapper's argument is expected to be: `Box::new(x)` where a `Box<dyn Fn()>` is.
fn hint(owner: &Ty, expected: &Ty) -> Ty {
    match (owner.unref(), expected.unref()) {
        (Ty::Ext(a, _), Ty::Ext(b, args)) if a == b => args.first().cloned().unwrap_or_default(),
        _ => Ty::Unknown,
    }
}

/// Functions that by their name make a value of the type before them; derives and macros bring most of them.
fn made_of(owner: &Ty, name: Symbol, first: Option<&Ty>) -> Ty {
    let k = known();
    let result = |ty: Ty| Ty::ext(k.result, vec![ty, Ty::Unknown]);
    match (owner, name.as_str()) {
        (Ty::Bound { .. }, _) | (_, "clone") => first.map(|ty| ty.unref().clone()).unwrap_or_default(),
        (Ty::Ext(path, _), "new") if last(*path).starts_with("NonZero") => Ty::ext(k.option, vec![owner.clone()]),
        (_, "new" | "default" | "from" | "with_capacity" | "builder") => owner.clone(),
        (_, "try_from" | "from_str" | "try_new") => result(owner.clone()),
        _ => Ty::Unknown,
    }
}

fn is_std_trait(owner: &Ty) -> bool {
    const TRAITS: &[&str] = &[
        "std::default::Default",
        "std::convert::From",
        "std::convert::Into",
        "std::convert::TryFrom",
        "std::convert::TryInto",
        "std::convert::AsRef",
        "std::borrow::Borrow",
        "std::borrow::ToOwned",
        "std::clone::Clone",
        "std::iter::FromIterator",
        "std::str::FromStr",
        "std::string::ToString",
    ];
    matches!(owner, Ty::Ext(path, _) if TRAITS.contains(&path.as_str()))
}
