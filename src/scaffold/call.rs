//! How a test calls a function: what its callers share, what each brings, and how one is told that it succeeded; all from the signature.

use std::collections::HashSet;

use super::signature::{Param, Passing, Signature};
use crate::models::row::TypeRole;
use crate::resolve::{AdtId, BoundTy, FnContainer, FnId, Ty};
use crate::rules::Scope;

/// A value of the test: its name, its type, how it is given to the call.
#[derive(Clone, Debug)]
pub struct Given {
    pub name: String,
    pub ty: String,
    pub passed: String,
    /// It is given by `&mut`.
    pub mutable: bool,
}

/// A call as a test makes it.
#[derive(Clone, Debug)]
pub struct Call {
    /// What `self` is called here.
    pub receiver: Option<String>,
    pub shared: Vec<Given>,
    /// What each caller makes for itself: connections, bodies of requests.
    pub own: Vec<Given>,
    /// The call, or what keeps a test from making it.
    pub code: Result<String, String>,
    pub told: Told,
    pub is_async: bool,
    /// Its callers can run on several threads.
    pub threads: bool,
}

/// What the value of a call says to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It says this where the caller succeeded: a pattern.
    Pattern(&'static str),
    Bool,
    /// Nothing: every caller goes on as if it had succeeded.
    Nothing,
    /// Something of a type that is not known to say so.
    Unknown,
}

/// How a test calls a function.
pub fn of(scope: &Scope, id: FnId) -> Call {
    let (def, source) = (scope.program.function(id), scope.program.source(id));
    let signature = Signature::of(scope, id);
    let mut call = Call {
        receiver: signature.receiver.as_ref().map(|param| param.name.clone()),
        shared: Vec::new(),
        own: Vec::new(),
        code: Err(String::new()),
        told: told(&def.ret),
        is_async: source.is_async || matches!(def.ret, Ty::Future(_)),
        threads: true,
    };
    let receiver = signature.receiver.as_ref().map(|param| add(scope, &mut call, param, &def.self_ty));
    let args: Vec<String> =
        signature.params.iter().zip(&def.params).map(|(param, ty)| add(scope, &mut call, param, ty)).collect();
    let args = args.join(", ");
    let path = match (receiver, def.container, &signature.self_ty) {
        // A destructor runs when its value goes.
        (Some(receiver), FnContainer::TraitImpl(None), _) if source.name == "drop" => format!("drop({receiver})"),
        (Some(receiver), ..) => format!("{receiver}.{}({args})", source.name),
        (None, FnContainer::Free, _) => format!("super::{}({args})", source.name),
        (None, _, Some(ty)) => format!("<{ty}>::{}({args})", source.name),
        (None, _, None) => format!("{}({args})", source.name),
    };
    call.code = match signature.obstacle {
        None => Ok(path),
        Some(obstacle) => {
            call.shared.clear();
            call.own.clear();
            Err(format!("{obstacle}; then call {path}"))
        }
    };
    call
}

/// Takes a parameter in; gives the argument.
fn add(scope: &Scope, call: &mut Call, param: &Param, ty: &Ty) -> String {
    let own = is_connection(scope, ty) || matches!(param.passing, Passing::Mutable | Passing::Moved);
    let taken = |given: &Given| given.name == param.name;
    let again = call.shared.iter().chain(&call.own).filter(|given| taken(given)).count();
    let name = if again == 0 { param.name.clone() } else { format!("{}_{}", param.name, again + 1) };
    let place = if own { name.clone() } else { format!("prepared.{name}") };
    let passed = match param.passing {
        Passing::Mutable if param.is_receiver => place,
        Passing::Mutable if param.boxed => format!("&mut *{place}"),
        Passing::Mutable => format!("&mut {place}"),
        Passing::Shared if param.is_receiver => place,
        Passing::Shared if param.boxed => format!("&*{place}"),
        Passing::Shared => format!("&{place}"),
        Passing::Cloned => format!("{place}.clone()"),
        Passing::Copied | Passing::Moved => place,
    };
    let given = Given {
        name,
        ty: if own { param.local.clone() } else { param.field.clone() },
        passed: passed.clone(),
        mutable: param.passing == Passing::Mutable,
    };
    match own {
        true => call.own.push(given),
        false => {
            call.threads &= crosses_threads(scope, ty, &mut HashSet::new());
            call.shared.push(given);
        }
    }
    passed
}

/// One connection serves one caller at a time.
fn is_connection(scope: &Scope, ty: &Ty) -> bool {
    match ty {
        Ty::Ref(_, inner) => is_connection(scope, inner),
        Ty::Ext(path, _) => {
            matches!(scope.models.type_role(path.as_str()), Some(TypeRole::Connection | TypeRole::Transaction))
        }
        _ => false,
    }
}

/// Several threads may use the value at once, as far as its type is known.
fn crosses_threads(scope: &Scope, ty: &Ty, seen: &mut HashSet<AdtId>) -> bool {
    match ty {
        Ty::Ref(_, inner) | Ty::Slice(inner) | Ty::Future(inner) => crosses_threads(scope, inner, seen),
        Ty::Tuple(parts) => parts.iter().all(|part| crosses_threads(scope, part, seen)),
        Ty::Ext(path, args) => {
            let one_thread = scope.models.type_role(path.as_str()) == Some(TypeRole::Cell)
                || path.as_str().starts_with("std::rc::")
                || is_connection(scope, ty) && !is_locked(path.as_str());
            !one_thread && args.iter().all(|arg| is_locked(path.as_str()) || crosses_threads(scope, arg, seen))
        }
        Ty::Adt(id, args) => {
            let own = !seen.insert(*id)
                || scope.program.adt(*id).fields.iter().all(|(_, field)| crosses_threads(scope, field, seen));
            own && args.iter().all(|arg| crosses_threads(scope, arg, seen))
        }
        Ty::Bound { bounds, .. } => bounds.iter().any(|bound| is_sync(scope, bound)),
        _ => true,
    }
}

/// A lock or channel lets one thread in at a time, whatever is inside.
fn is_locked(path: &str) -> bool {
    ["Mutex", "RwLock", "OnceCell", "OnceLock"].iter().any(|name| path.ends_with(name))
        && !path.starts_with("std::cell::")
}

/// A trait object says itself that it may be shared.
fn is_sync(scope: &Scope, bound: &BoundTy) -> bool {
    match bound {
        BoundTy::Ext(path, _) => path.as_str().ends_with("::Sync"),
        BoundTy::Local(id, _) => {
            let place = scope.program.traits[id.0 as usize].place;
            let file = &scope.program.files[place.file as usize];
            let supertraits = &file.traits[place.index as usize].supertraits;
            supertraits.iter().any(|bound| match bound {
                crate::ir::Bound::Trait(path) => {
                    file.paths[path.0 as usize].segments.last().is_some_and(|segment| segment.name == "Sync")
                }
                crate::ir::Bound::Fn(_) => false,
            })
        }
        _ => false,
    }
}

fn told(ret: &Ty) -> Told {
    let is = |ty: &Ty, name: &str| matches!(ty, Ty::Ext(path, _) if path.as_str().rsplit("::").next() == Some(name));
    match ret {
        Ty::Future(inner) => told(inner),
        Ty::Tuple(parts) if parts.is_empty() => Told::Nothing,
        Ty::Ext(_, args) if is(ret, "Result") => match args.first() {
            Some(ok) if is(ok, "bool") => Told::Pattern("Ok(true)"),
            Some(ok) if is(ok, "Option") => Told::Pattern("Ok(Some(_))"),
            _ => Told::Pattern("Ok(_)"),
        },
        Ty::Ext(..) if is(ret, "Option") => Told::Pattern("Some(_)"),
        Ty::Ext(..) if is(ret, "bool") => Told::Bool,
        _ => Told::Unknown,
    }
}
