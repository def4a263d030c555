//! Functions: signature, receiver, parameters, body.

use proc_macro2::Span as Token;
use syn::{Attribute, FnArg, FnModifiers, ReceiverKind, ReturnType, Safety, Signature};

use crate::ir::{Body, Container, ExprId, Function, Param, Receiver, TypeRef};
use crate::source::Span;

use super::cx::Cx;
use super::{attrs, blocks, edges, items, pats, types};

/// What the several kinds of functions in syn have in common.
pub(super) struct Parts<'s> {
    pub attrs: &'s [Attribute],
    pub vis: Option<&'s syn::Visibility>,
    pub modifiers: Option<&'s FnModifiers>,
    pub sig: &'s Signature,
    pub block: Option<&'s syn::Block>,
    /// The last token of all.
    pub end: Token,
}

pub(super) fn lower(cx: &mut Cx, parts: &Parts<'_>, container: Container) {
    let sig = parts.sig;
    let place = cx.file.functions.len() as u32;
    let span = signature_span(cx, parts);
    let whole = attrs::whole(cx, parts.attrs, cx.at.between(span.start, cx.at.end(parts.end)));
    let function = Function {
        name: cx.name(&sig.ident),
        span,
        name_span: cx.at.span(sig.ident.span()),
        whole,
        module: cx.module,
        container,
        visibility: items::visibility(parts.vis),
        attrs: attrs::lower(cx, parts.attrs),
        is_async: sig.asyncness.is_some(),
        generics: types::generics(cx, &sig.generics),
        receiver: None,
        params: Vec::new(),
        ret: types::ret(cx, &sig.output),
        body: None,
    };
    // Its place is taken before nested functions take theirs.
    cx.file.functions.push(function);
    let outer = (cx.function.replace(place), std::mem::take(&mut cx.body));
    let receiver = sig.receiver().map(|receiver| self::receiver(cx, receiver));
    let params = self::params(cx, sig, parts.block.is_some());
    let root = parts.block.map(|block| blocks::body(cx, block));
    let body = std::mem::replace(&mut cx.body, outer.1).into_body();
    cx.function = outer.0;
    finish(cx, place, receiver, params, body, root);
}

fn finish(cx: &mut Cx, place: u32, receiver: Option<Receiver>, params: Vec<Param>, body: Body, root: Option<ExprId>) {
    let function = &mut cx.file.functions[place as usize];
    function.receiver = receiver;
    function.params = params;
    function.body = root.map(|root| Body { root: Some(root), ..body });
}

fn receiver(cx: &mut Cx, receiver: &syn::Receiver) -> Receiver {
    let (kind, ty): (Receiver, Option<TypeRef>) = match &receiver.kind {
        ReceiverKind::Value => (Receiver::Value, None),
        ReceiverKind::Reference(_, _, None) => (Receiver::Ref, None),
        ReceiverKind::Reference(_, _, Some(_)) => (Receiver::RefMut, None),
        ReceiverKind::Typed(_, ty) => {
            let ty = types::lower(cx, ty);
            (Receiver::Typed(ty), Some(ty))
        }
        _ => (Receiver::Ref, None),
    };
    let name = cx.symbol("self");
    let span = cx.at.span(receiver.self_token.span);
    let local = cx.local(name, span, receiver.mutability.is_some(), ty);
    cx.declare(name, local);
    kind
}

fn params(cx: &mut Cx, sig: &Signature, has_body: bool) -> Vec<Param> {
    let mut params = Vec::new();
    for input in &sig.inputs {
        let FnArg::Typed(input) = input else { continue };
        let ty = types::lower(cx, &input.ty);
        let name = match &*input.pat {
            syn::Pat::Ident(ident) if ident.subpat.is_none() => Some(cx.name(&ident.ident)),
            _ => None,
        };
        let pat = has_body.then(|| pats::lower(cx, &input.pat, Some(ty)));
        params.push(Param { pat, name, ty });
    }
    params
}

fn signature_span(cx: &Cx, parts: &Parts<'_>) -> Span {
    let sig = parts.sig;
    let safety = match &sig.safety {
        Safety::Safe(token) => Some(token.span),
        Safety::Unsafe(token) => Some(token.span),
        Safety::Default => None,
    };
    let first = parts
        .vis
        .and_then(visibility_start)
        .or(parts.modifiers.and_then(|modifiers| modifiers.defaultness.as_ref()).map(|token| token.span))
        .or(sig.constness.as_ref().map(|token| token.span))
        .or(sig.asyncness.as_ref().map(|token| token.span))
        .or(safety)
        .or(sig.abi.as_ref().map(|abi| abi.extern_token.span))
        .unwrap_or(sig.fn_token.span);
    cx.at.range(first, signature_end(sig))
}

pub(super) fn visibility_start(vis: &syn::Visibility) -> Option<Token> {
    match vis {
        syn::Visibility::Public(token) => Some(token.span),
        syn::Visibility::Restricted(restricted) => Some(restricted.pub_token.span),
        syn::Visibility::Inherited => None,
    }
}

fn signature_end(sig: &Signature) -> Token {
    let clause = sig.generics.where_clause.as_ref().and_then(|clause| clause.predicates.last());
    let clause = clause.and_then(|predicate| match predicate {
        syn::WherePredicate::Type(predicate) => predicate.bounds.last().and_then(edges::bound_end),
        syn::WherePredicate::Lifetime(predicate) => predicate.bounds.last().map(|lifetime| lifetime.ident.span()),
        _ => None,
    });
    let ret = match &sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => edges::type_end(ty),
    };
    clause.or(ret).unwrap_or(sig.paren_token.span.close())
}
