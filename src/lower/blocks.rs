//! Blocks and their statements.

use proc_macro2::Span as Token;
use syn::{Label, Local, LocalInit, StmtMacro};

use crate::ir::{Block, BlockKind, ExprId, LabelName, PatId, Stmt, TypeRef};
use crate::source::Span;

use super::cx::Cx;
use super::{edges, exprs, items, macros, pats, scopes, types};

/// A block with what stands before it: a label, or the keyword at `head`.
pub(super) fn labelled(
    cx: &mut Cx,
    label: Option<&Label>,
    head: Option<Token>,
    block: &syn::Block,
    kind: BlockKind,
) -> ExprId {
    let name = label.map(|label| cx.name(&label.name.ident));
    let first = label.map(|label| label.name.apostrophe).or(head).unwrap_or(block.brace_token.span.open());
    let span = cx.at.range(first, block.brace_token.span.close());
    lower(cx, &block.stmts, kind, name, span)
}

pub(super) fn plain(cx: &mut Cx, block: &syn::Block) -> ExprId {
    labelled(cx, None, None, block, BlockKind::Plain)
}

/// A block whose temporaries end with it, as branches and bodies do.
pub(super) fn body(cx: &mut Cx, block: &syn::Block) -> ExprId {
    let id = plain(cx, block);
    scopes::terminate(cx, id)
}

pub(super) fn lower(cx: &mut Cx, stmts: &[syn::Stmt], kind: BlockKind, label: LabelName, span: Span) -> ExprId {
    let mark = cx.mark();
    let (stmts, tail) = statements(cx, stmts);
    cx.leave(mark);
    let ends_with_block = cx.edition >= 2024 || matches!(kind, BlockKind::Async | BlockKind::Const);
    let tail = tail.map(|tail| if ends_with_block { scopes::terminate(cx, tail) } else { tail });
    exprs::block(cx, Block { kind, label, stmts, tail }, span)
}

/// Statements in the scope at hand, and the value of the last.
pub(super) fn statements(cx: &mut Cx, stmts: &[syn::Stmt]) -> (Vec<Stmt>, Option<ExprId>) {
    let mut out = Vec::with_capacity(stmts.len());
    for (place, stmt) in stmts.iter().enumerate() {
        let last = place + 1 == stmts.len();
        match stmt {
            syn::Stmt::Local(local) => let_(cx, local, &mut out),
            syn::Stmt::Item(item) => items::lower(cx, item),
            // A `;` alone.
            syn::Stmt::Expr(syn::Expr::Verbatim(tokens), _) if tokens.is_empty() => {}
            syn::Stmt::Expr(expr, None) if last => return (out, Some(exprs::lower(cx, expr))),
            syn::Stmt::Expr(expr, _) => {
                let id = exprs::lower(cx, expr);
                push(cx, id, &mut out);
            }
            syn::Stmt::Macro(mac) => {
                if let Some(value) = macro_stmt(cx, mac, last, &mut out) {
                    return (out, Some(value));
                }
            }
        }
    }
    (out, None)
}

fn push(cx: &mut Cx, id: ExprId, out: &mut Vec<Stmt>) {
    let id = scopes::terminate(cx, id);
    out.push(Stmt::Expr(id));
}

fn macro_stmt(cx: &mut Cx, stmt: &StmtMacro, last: bool, out: &mut Vec<Stmt>) -> Option<ExprId> {
    if macros::statement(cx, &stmt.mac, out) {
        return None;
    }
    let id = macros::expr(cx, &stmt.mac);
    if last && stmt.semi_token.is_none() {
        return Some(id);
    }
    push(cx, id, out);
    None
}

fn let_(cx: &mut Cx, local: &Local, out: &mut Vec<Stmt>) {
    let (pat, ty) = match &local.pat {
        syn::Pat::Type(typed) => (&*typed.pat, Some(types::lower(cx, &typed.ty))),
        pat => (pat, None),
    };
    let span = cx.at.range(local.let_token.span, local.semi_token.spans[0]);
    let (init, otherwise) = match &local.init {
        None => (None, None),
        Some(init) => initialiser(cx, pat, init, out),
    };
    let pat: PatId = pats::lower(cx, pat, ty);
    out.push(stmt(pat, ty, init, otherwise, span));
}

fn stmt(pat: PatId, ty: Option<TypeRef>, init: Option<ExprId>, otherwise: Option<ExprId>, span: Span) -> Stmt {
    Stmt::Let { pat, ty, init, otherwise, span }
}

fn initialiser(cx: &mut Cx, pat: &syn::Pat, init: &LocalInit, out: &mut Vec<Stmt>) -> (Option<ExprId>, Option<ExprId>) {
    let mut extended = Vec::new();
    scopes::extended(&init.expr, &mut extended);
    let extended = extended.into_iter().map(std::ptr::from_ref).collect();
    let outer = std::mem::replace(&mut cx.body.extended, extended);
    let before = std::mem::take(&mut cx.body.before);
    let mut value = exprs::lower(cx, &init.expr);
    if scopes::binds_by_ref(pat) {
        value = scopes::keep_whole(cx, value);
    }
    let value = scopes::terminate(cx, value);
    cx.body.extended = outer;
    out.extend(std::mem::replace(&mut cx.body.before, before));
    let otherwise = init.diverge.as_ref().map(|(_, block)| exprs::lower(cx, block));
    (Some(value), otherwise)
}

/// The statements of a macro's tokens as a block of the given kind.
pub(super) fn from_tokens(cx: &mut Cx, stmts: &[syn::Stmt], kind: BlockKind, span: Span) -> ExprId {
    lower(cx, stmts, kind, None, span)
}

/// The span of a macro call, from its path to its closing delimiter.
pub(super) fn macro_span(cx: &Cx, mac: &syn::Macro) -> Span {
    cx.at.range(edges::path_start(None, &mac.path), mac.delimiter.span().close())
}
