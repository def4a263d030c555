//! Method calls: the program's methods and model rows, along the chain of dereferences of the receiver.

use super::super::impls::{self, NameUse};
use super::super::prelude::{is_common_method, known};
use super::super::ty::join;
use super::super::{Evidence, FnId, Target, Ty};
use super::Infer;
use super::args::RowCall;
use super::calls::Site;
use super::rows::{Given, How, RowMatch};
use crate::intern::Symbol;
use crate::ir::{ExprId, ExprKind, TypeRef};
use crate::models::row::TypeRole;

/// What a method call runs.
enum Method {
    /// Functions of the program, and the signature to type the call by.
    Program {
        functions: Vec<FnId>,
        signature: FnId,
    },
    Row(RowMatch),
}

/// What a method is called on: the expression, its type, and the type in its chain of dereferences that has the method.
#[derive(Clone, Copy)]
struct Receiver<'r> {
    expr: ExprId,
    ty: &'r Ty,
    on: &'r Ty,
}

impl Infer<'_> {
    pub(super) fn method_call(
        &mut self,
        site: Site<'_>,
        receiver: ExprId,
        ty: Ty,
        name: Symbol,
        generics: &[TypeRef],
    ) -> Ty {
        let turbofish: Vec<Ty> = generics.iter().map(|ty| self.cx.ty(*ty)).collect();
        let explicit = site.args.is_empty() && matches!(name.as_str(), "deref" | "deref_mut");
        if let Some(inner) = self.ix.deref(ty.unref()).filter(|_| explicit) {
            let evidence = self.evidence(receiver);
            self.target(site.id, Target { evidence, ..Target::default() });
            return self.set(site.id, inner, evidence.min(Evidence::Inferred));
        }
        let (found, on) = match self.find_method(&ty, name, Given::new(site.args)) {
            Some((found, on)) => (Some(found), on),
            None => (None, ty.unref().clone()),
        };
        let of = Receiver { expr: receiver, ty: &ty, on: &on };
        let value = self.found_method(Site { turbofish: &turbofish, ..site }, of, name, found);
        if let Some(target) = self.out.targets.get_mut(&site.id) {
            target.self_ty = on.is_known().then_some(on);
            target.fish = turbofish;
        }
        value
    }

    fn found_method(&mut self, site: Site<'_>, of: Receiver<'_>, name: Symbol, found: Option<Method>) -> Ty {
        let evidence = self.evidence(of.expr);
        match found {
            Some(Method::Program { functions, signature }) => {
                let signature = self.signature(signature, Some(of.on), site.turbofish);
                self.finish(site, functions, signature, evidence)
            }
            Some(Method::Row(found)) => self.row_method(site, of, name, found),
            None if of.ty.is_known() => {
                let types = self.args_plain(site.args);
                self.learn_element(of.expr, name, &types);
                self.target(site.id, Target { evidence, ..Target::default() });
                let ty = universal(of.ty, name);
                self.set(site.id, ty, evidence.min(Evidence::Inferred))
            }
            None => self.method_by_name(site, name),
        }
    }

    /// The method, and the type in the chain of dereferences that has it.
    fn find_method(&self, receiver: &Ty, name: Symbol, given: Given<'_>) -> Option<(Method, Ty)> {
        let chain = self.ix.deref_chain(receiver);
        let value = self.behind_guards(&chain);
        // Pointers and handles clone themselves; of a guard, what it guards is cloned.
        let steps = if name == "clone" { std::slice::from_ref(value) } else { &chain };
        for on in steps {
            if let Some(found) = self.method_on(on, name, given) {
                return Some((found, on.clone()));
            }
        }
        let found = self.method_row_by_name(name, given, receiver)?;
        Some((Method::Row(found), value.clone()))
    }

    fn behind_guards<'c>(&self, chain: &'c [Ty]) -> &'c Ty {
        let is_guard = |ty: &&Ty| self.ix.world.library.role(ty) == Some(TypeRole::Guard);
        chain.iter().find(|ty| !is_guard(ty)).unwrap_or(&Ty::Unknown)
    }

    /// The method of one type in the chain. A library type's own methods come before traits of the program; for all others the program comes first.
    fn method_on(&self, on: &Ty, name: Symbol, given: Given<'_>) -> Option<Method> {
        let row = self.method_row(on, name, given);
        let own_row = matches!(&row, Some(found) if found.how == How::Type);
        if !own_row && let Some(found) = self.program_method(on, name, given.count) {
            return Some(found);
        }
        row.map(Method::Row)
    }

    fn program_method(&self, on: &Ty, name: Symbol, arity: usize) -> Option<Method> {
        let (defs, impls) = (self.ix.defs, self.ix.impls);
        let fits = |function: &FnId| {
            let source = self.ix.source(*function);
            source.receiver.is_some() && source.params.len() == arity
        };
        if let Ty::Bound { bounds, .. } = on {
            for (trait_, args) in impls::traits_of(defs, bounds) {
                let Some(declaration) = impls.declaration(trait_, name).filter(fits) else { continue };
                let functions = impls.through_trait(defs, trait_, &args, name);
                // One implementation knows its associated types; of several only the declaration speaks for all.
                let signature = match functions.as_slice() {
                    [only] => *only,
                    _ => declaration,
                };
                return Some(Method::Program { functions, signature });
            }
        }
        let mut functions = impls.inherent(defs, on, name);
        functions.retain(fits);
        if functions.is_empty() {
            functions = impls.trait_methods(defs, on, name);
            functions.retain(fits);
        }
        let signature = *functions.first()?;
        Some(Method::Program { functions, signature })
    }

    fn row_method(&mut self, site: Site<'_>, of: Receiver<'_>, name: Symbol, found: RowMatch) -> Ty {
        // `$self` is the type that has the method: of `Arc<Mutex<T>>`, the mutex.
        let this = if of.on.is_unknown() { of.ty } else { of.on };
        let turbofish = site.turbofish;
        let call = RowCall { row: found.row, params: &found.params, receiver: this, turbofish, hint: &Ty::Unknown };
        let mut ty = self.args_of_row(site.args, call);
        let types: Vec<Ty> = site.args.iter().map(|arg| self.out.exprs[arg.0 as usize].clone()).collect();
        self.learn_element(of.expr, name, &types);
        let untold = self.is_foreign(of.ty) || self.ix.world.library.models.returns(found.row).is_none();
        if !ty.is_known() && untold {
            ty = universal(of.ty, name);
        }
        if matches!(name.as_str(), "collect" | "try_collect") {
            ty = self.collected(of.ty, &ty, turbofish.first().unwrap_or(site.expected));
        }
        if ty.is_known() && site.expected.is_known() {
            ty = join(&ty, site.expected);
        }
        let evidence = match found.how {
            How::Argument => Evidence::Inferred,
            How::UnknownReceiver => Evidence::Unknown,
            How::AnyReceiver if !of.ty.is_known() => Evidence::Unknown,
            _ => self.evidence(of.expr),
        };
        self.target(site.id, Target { row: Some(found.row), evidence, ..Target::default() });
        self.set(site.id, ty, evidence.min(Evidence::Inferred))
    }

    /// The collection that `collect` makes: which one the place or turbofish says, of what the iterator.
    fn collected(&self, iterator: &Ty, given: &Ty, wanted: &Ty) -> Ty {
        let wanted = if given.is_known() { given } else { wanted };
        match wanted {
            Ty::Future(inner) => Ty::Future(self.gathered(inner, &self.ix.item(iterator), 0).into()),
            wanted => self.gathered(wanted, &self.ix.item(iterator), 0),
        }
    }

    fn gathered(&self, wanted: &Ty, item: &Ty, depth: u32) -> Ty {
        let (Ty::Ext(path, args), true) = (wanted, depth < 4) else { return wanted.clone() };
        let k = known();
        let told = match (&**args, item.unref()) {
            ([inner, rest @ ..], Ty::Ext(of, parts)) if path == of && (*path == k.result || *path == k.option) => {
                let item = parts.first().cloned().unwrap_or_default();
                let mut told = vec![self.gathered(inner, &item, depth + 1)];
                told.extend(rest.iter().zip(parts.iter().skip(1)).map(|(a, b)| join(a, b)));
                told
            }
            ([key, value], Ty::Tuple(pair)) => match &**pair {
                [a, b] => vec![join(key, a), join(value, b)],
                _ => return wanted.clone(),
            },
            ([only], _) if *path != k.result && *path != k.option => vec![join(only, item)],
            _ => return wanted.clone(),
        };
        Ty::ext(*path, told)
    }

    /// `list.push(x)`, `map.insert(k, v)`: what goes in tells the type arguments of a collection made empty.
    fn learn_element(&mut self, receiver: ExprId, name: Symbol, args: &[Ty]) {
        let ExprKind::Local(local) = self.body.expr(self.through_scopes(receiver)).kind else { return };
        let Ty::Ext(path, known) = self.out.locals[local.0 as usize].unref().clone() else { return };
        if known.iter().any(Ty::is_known) {
            return;
        }
        let told = match (name.as_str(), args) {
            ("push" | "push_back" | "push_front" | "insert" | "send", [item]) => vec![item.clone()],
            ("insert", [key, value]) => vec![key.clone(), value.clone()],
            _ => return,
        };
        if told.iter().any(Ty::is_known) {
            self.learn(local, &Ty::ext(path, told));
        }
    }

    /// A receiver that says nothing: one function of the program has the name, and no library's method does.
    fn method_by_name(&mut self, site: Site<'_>, name: Symbol) -> Ty {
        let models = self.ix.world.library.models;
        let common = !models.calls_by_method(name.as_str()).is_empty() || is_common_method(name);
        let found = if common { None } else { self.ix.impls.method_name(name) };
        let functions = match found {
            Some(NameUse::One(function)) => vec![function],
            Some(NameUse::Trait(trait_)) => self.ix.impls.through_trait(self.ix.defs, trait_, &[], name),
            Some(NameUse::Many) | None => Vec::new(),
        };
        let fits = |function: &&FnId| self.ix.source(**function).params.len() == site.args.len();
        let Some(first) = functions.first().filter(fits).copied() else {
            return self.unknown_call(site, Evidence::Unknown);
        };
        let signature = self.signature(first, None, site.turbofish);
        self.finish(site, functions, signature, Evidence::UniqueName)
    }
}

/// Methods that any type has through derives and std's blanket impls.
fn universal(receiver: &Ty, name: Symbol) -> Ty {
    let k = known();
    let primitive = |path| Ty::ext(path, Vec::new());
    match name.as_str() {
        "clone" | "to_owned" | "borrow" | "borrow_mut" | "as_ref" | "as_mut" | "by_ref" | "cloned" | "copied" => {
            receiver.unref().clone()
        }
        // A library type of which no row speaks stands for its `Result` too.
        "unwrap" | "expect" | "unwrap_or_default" | "unwrap_or_else" | "unwrap_or" | "map_err" | "ok_or"
        | "context"
            if matches!(receiver.unref(), Ty::Ext(..)) =>
        {
            receiver.unref().clone()
        }
        "to_string" => primitive(k.string),
        "eq" | "ne" | "lt" | "le" | "gt" | "ge" => primitive(k.bool),
        _ => Ty::Unknown,
    }
}
