//! Types and call targets of one body: a walk in the order of the text, over expressions, patterns and closures.
//!
//! Pure: a body is typed from the [`Index`] alone, so that bodies are typed in parallel.

mod args;
mod calls;
mod closures;
mod control;
mod exprs;
mod library_calls;
mod macros;
mod methods;
mod paths;
mod pats;
mod rows;
mod signature;

use std::collections::HashMap;

use super::index::Index;
use super::ty::join;
use super::types::Context;
use super::{Def, Evidence, FnId, StaticId, Target, Ty, Typed, defs};
use crate::intern::Symbol;
use crate::ir::{self, Body, ExprId, LocalId, PatId};

/// A library function that a path names as a value.
#[derive(Clone, Debug)]
struct LibraryFn {
    path: Symbol,
    owner: Ty,
}

/// Where `return` and `?` lead: the function, a closure, an async block.
#[derive(Debug, Default)]
struct Frame {
    ret: Ty,
}

/// A loop or labelled block that `break` may leave with a value.
#[derive(Debug)]
struct Breakable {
    label: ir::LabelName,
    ty: Ty,
}

struct Infer<'a> {
    ix: Index<'a>,
    cx: Context<'a>,
    body: &'a Body,
    out: Typed,
    /// How each expression's type was come by.
    evidence: Vec<Evidence>,
    local_evidence: Vec<Evidence>,
    /// What each closure gives when called (and awaited, if async).
    closures: HashMap<ExprId, Ty>,
    library_fns: HashMap<ExprId, LibraryFn>,
    frames: Vec<Frame>,
    breakables: Vec<Breakable>,
    /// A local's type was told by a later use: a second walk knows more.
    learned: bool,
}

/// Types the body of a function.
pub(super) fn function(ix: Index<'_>, id: FnId) -> Typed {
    let item = ix.source(id);
    let Some(body) = &item.body else { return Typed::default() };
    let def = ix.function(id);
    let mut cx = defs::function_context(ix.world, &ix.defs.impls, def.place);
    cx.scope = ix.world.names.body(ix.world.files, ix.world.tree, def.place.file, def.place.index);
    let params: Vec<(PatId, Ty)> =
        item.params.iter().zip(&def.params).filter_map(|(param, ty)| Some((param.pat?, ty.clone()))).collect();
    let receiver = item.receiver.map(|receiver| receiver_ty(&cx, receiver, &def.self_ty));
    Infer::new(ix, cx, body).run(receiver, &params, &def.ret)
}

/// Types the initialiser of a static.
pub(super) fn static_(ix: Index<'_>, id: StaticId) -> Typed {
    let def = &ix.defs.statics[id.0 as usize];
    let item = &ix.world.files[def.place.file as usize].statics[def.place.index as usize];
    let Some(body) = &item.init else { return Typed::default() };
    let cx = defs::container_context(ix.world, &ix.defs.impls, def.place.file, item.module, item.container);
    Infer::new(ix, cx, body).run(None, &[], &def.ty)
}

fn receiver_ty(cx: &Context<'_>, receiver: ir::Receiver, self_ty: &Ty) -> Ty {
    match receiver {
        ir::Receiver::Value => self_ty.clone(),
        ir::Receiver::Ref => Ty::reference(false, self_ty.clone()),
        ir::Receiver::RefMut => Ty::reference(true, self_ty.clone()),
        ir::Receiver::Typed(ty) => cx.ty(ty),
    }
}

impl<'a> Infer<'a> {
    fn new(ix: Index<'a>, cx: Context<'a>, body: &'a Body) -> Self {
        let exprs = vec![Ty::Unknown; body.exprs.len()];
        let locals = vec![Ty::Unknown; body.locals.len()];
        Infer {
            ix,
            cx,
            body,
            evidence: vec![Evidence::Unknown; exprs.len()],
            local_evidence: vec![Evidence::Unknown; locals.len()],
            out: Typed { exprs, locals, ..Typed::default() },
            closures: HashMap::new(),
            library_fns: HashMap::new(),
            frames: Vec::new(),
            breakables: Vec::new(),
            learned: false,
        }
    }

    fn run(mut self, receiver: Option<Ty>, params: &[(PatId, Ty)], ret: &Ty) -> Typed {
        self.walk(receiver.as_ref(), params, ret);
        if self.learned {
            self.walk(receiver.as_ref(), params, ret);
        }
        self.out
    }

    fn walk(&mut self, receiver: Option<&Ty>, params: &[(PatId, Ty)], ret: &Ty) {
        if let Some(ty) = receiver
            && !self.out.locals.is_empty()
        {
            self.set_local(LocalId(0), ty, Evidence::Declared);
        }
        for (pat, ty) in params {
            self.bind(*pat, ty, Evidence::Declared);
        }
        let Some(root) = self.body.root else { return };
        self.frames.push(Frame { ret: ret.clone() });
        self.expr(root, ret);
        self.frames.pop();
    }

    fn set(&mut self, id: ExprId, ty: Ty, evidence: Evidence) -> Ty {
        self.out.exprs[id.0 as usize] = ty.clone();
        self.evidence[id.0 as usize] = evidence;
        ty
    }

    fn evidence(&self, id: ExprId) -> Evidence {
        self.evidence[id.0 as usize]
    }

    /// Notes what a local is; a second walk keeps what later uses told in the first.
    fn set_local(&mut self, id: LocalId, ty: &Ty, evidence: Evidence) {
        let slot = &mut self.out.locals[id.0 as usize];
        *slot = join(ty, slot);
        let known = &mut self.local_evidence[id.0 as usize];
        *known = if slot.is_unknown() { Evidence::Unknown } else { evidence };
    }

    /// A use tells more of a local than its `let` did.
    fn learn(&mut self, id: LocalId, ty: &Ty) {
        let slot = &mut self.out.locals[id.0 as usize];
        let joined = join(slot, ty);
        if joined != *slot {
            *slot = joined;
            self.learned = true;
            let known = &mut self.local_evidence[id.0 as usize];
            *known = (*known).max(Evidence::Inferred);
        }
    }

    fn define(&mut self, id: ExprId, def: Def) {
        self.out.defs.insert(id, def);
    }

    fn target(&mut self, id: ExprId, target: Target) {
        self.out.targets.insert(id, target);
    }
}
