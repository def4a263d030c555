//! Types, paths, bounds and generic parameters, as written.

use proc_macro2::Span as Token;
use syn::{
    AngleBracketedGenericArguments, GenericArgument, GenericParam, Generics, PathArguments, QSelf, ReturnType,
    TypeParamBound, WherePredicate,
};

use crate::ir::{Bound, Generic, Path, PathRef, Segment, Type, TypeRef};

use super::cx::Cx;
use super::edges;

pub(super) fn lower(cx: &mut Cx, ty: &syn::Type) -> TypeRef {
    let lowered = match ty {
        syn::Type::Array(array) => Type::Array(lower(cx, &array.elem)),
        syn::Type::FnPtr(pointer) => {
            let params = pointer.inputs.iter().map(|arg| lower(cx, &arg.ty)).collect();
            Type::Fn { params, ret: ret(cx, &pointer.output) }
        }
        syn::Type::Group(group) => return lower(cx, &group.elem),
        syn::Type::Paren(paren) => return lower(cx, &paren.elem),
        syn::Type::ImplTrait(bounds) => Type::Impl(self::bounds(cx, &bounds.bounds)),
        syn::Type::TraitObject(object) => Type::Dyn(bounds(cx, &object.bounds)),
        syn::Type::Infer(_) | syn::Type::Macro(_) => Type::Infer,
        syn::Type::Never(_) => Type::Never,
        syn::Type::Path(path) => Type::Path(self::path(cx, path.qself.as_ref(), &path.path)),
        syn::Type::Ptr(pointer) => Type::Ptr(lower(cx, &pointer.elem)),
        syn::Type::Reference(reference) => {
            Type::Ref { mutable: reference.mutability.is_some(), inner: lower(cx, &reference.elem) }
        }
        syn::Type::Slice(slice) => Type::Slice(lower(cx, &slice.elem)),
        syn::Type::Tuple(tuple) => Type::Tuple(tuple.elems.iter().map(|elem| lower(cx, elem)).collect()),
        syn::Type::Verbatim(tokens) => unknown(cx, edges::tokens(tokens)),
        _ => unknown(cx, None),
    };
    cx.type_(lowered)
}

fn unknown(cx: &mut Cx, at: Option<(Token, Token)>) -> Type {
    let span = match at {
        Some((first, last)) => cx.at.range(first, last),
        None => cx.at.between(0, 0),
    };
    cx.not_understood("type", span);
    Type::Infer
}

pub(super) fn ret(cx: &mut Cx, ret: &ReturnType) -> Option<TypeRef> {
    match ret {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some(lower(cx, ty)),
    }
}

pub(super) fn path(cx: &mut Cx, qself: Option<&QSelf>, path: &syn::Path) -> PathRef {
    let lowered = Path {
        global: path.leading_colon.is_some(),
        qself: qself.map(|qself| lower(cx, &qself.ty)),
        trait_len: qself.map_or(0, |qself| u8::try_from(qself.position).unwrap_or(u8::MAX)),
        segments: path.segments.iter().map(|segment| self::segment(cx, segment)).collect(),
    };
    cx.path(lowered)
}

fn segment(cx: &mut Cx, segment: &syn::PathSegment) -> Segment {
    let mut lowered = Segment { name: cx.name(&segment.ident), args: Vec::new(), bindings: Vec::new() };
    match &segment.arguments {
        PathArguments::None => {}
        PathArguments::AngleBracketed(args) => angle_bracketed(cx, args, &mut lowered),
        PathArguments::Parenthesized(args) => {
            lowered.args.extend(args.inputs.iter().map(|arg| lower(cx, &arg.ty)));
            lowered.args.extend(ret(cx, &args.output));
        }
    }
    lowered
}

fn angle_bracketed(cx: &mut Cx, args: &AngleBracketedGenericArguments, segment: &mut Segment) {
    for arg in &args.args {
        match arg {
            GenericArgument::Type(ty) => segment.args.push(lower(cx, ty)),
            GenericArgument::Const(_) => segment.args.push(cx.type_(Type::Infer)),
            GenericArgument::AssocType(assoc) => {
                let ty = lower(cx, &assoc.ty);
                segment.bindings.push((cx.name(&assoc.ident), ty));
            }
            GenericArgument::Constraint(constraint) => {
                let bounds = bounds(cx, &constraint.bounds);
                let ty = cx.type_(Type::Impl(bounds));
                segment.bindings.push((cx.name(&constraint.ident), ty));
            }
            GenericArgument::Lifetime(_) | GenericArgument::AssocConst(_) => {}
            _ => {
                unknown(cx, None);
            }
        }
    }
}

/// The types of a turbofish.
pub(super) fn turbofish(cx: &mut Cx, args: Option<&AngleBracketedGenericArguments>) -> Vec<TypeRef> {
    let Some(args) = args else { return Vec::new() };
    let mut segment = Segment { name: cx.symbol(""), args: Vec::new(), bindings: Vec::new() };
    angle_bracketed(cx, args, &mut segment);
    segment.args
}

pub(super) fn bounds<'b>(cx: &mut Cx, bounds: impl IntoIterator<Item = &'b TypeParamBound>) -> Vec<Bound> {
    bounds.into_iter().filter_map(|bound| self::bound(cx, bound)).collect()
}

fn bound(cx: &mut Cx, bound: &TypeParamBound) -> Option<Bound> {
    match bound {
        TypeParamBound::Trait(bound) => Some(trait_bound(cx, &bound.path)),
        TypeParamBound::Lifetime(_) | TypeParamBound::PreciseCapture(_) => None,
        TypeParamBound::Verbatim(tokens) => {
            unknown(cx, edges::tokens(tokens));
            None
        }
        _ => {
            unknown(cx, None);
            None
        }
    }
}

fn trait_bound(cx: &mut Cx, path: &syn::Path) -> Bound {
    let Some(PathArguments::Parenthesized(args)) = path.segments.last().map(|segment| &segment.arguments) else {
        return Bound::Trait(self::path(cx, None, path));
    };
    let params = args.inputs.iter().map(|arg| lower(cx, &arg.ty)).collect();
    let ret = ret(cx, &args.output);
    Bound::Fn(cx.type_(Type::Fn { params, ret }))
}

pub(super) fn generics(cx: &mut Cx, generics: &Generics) -> Vec<Generic> {
    let mut out = Vec::new();
    for param in &generics.params {
        match param {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(param) => {
                let bounds = bounds(cx, &param.bounds);
                out.push(Generic { name: cx.name(&param.ident), bounds });
            }
            GenericParam::Const(param) => out.push(Generic { name: cx.name(&param.ident), bounds: Vec::new() }),
        }
    }
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        where_predicate(cx, predicate, &mut out);
    }
    out
}

/// Bounds on anything but a lone parameter (`Vec<T>: Serialize`, `T::Item: Clone`) say nothing about a parameter's own methods.
fn where_predicate(cx: &mut Cx, predicate: &WherePredicate, out: &mut Vec<Generic>) {
    let WherePredicate::Type(predicate) = predicate else { return };
    let syn::Type::Path(bounded) = &predicate.bounded_ty else { return };
    let Some(ident) = bounded.path.get_ident().filter(|_| bounded.qself.is_none()) else { return };
    let name = cx.name(ident);
    let bounds = bounds(cx, &predicate.bounds);
    match out.iter_mut().find(|generic| generic.name == name) {
        Some(generic) => generic.bounds.extend(bounds),
        None => out.push(Generic { name, bounds }),
    }
}

/// The span of a type: from its first token, where that is easily had, to its last.
pub(super) fn span(cx: &Cx, ty: &syn::Type) -> crate::source::Span {
    use syn::spanned::Spanned;
    match ty {
        syn::Type::Path(path) => {
            cx.at.range(edges::path_start(path.qself.as_ref(), &path.path), edges::path_end(&path.path))
        }
        other => cx.at.span(other.span()),
    }
}
