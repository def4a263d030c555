//! Literals.

use crate::ir::Lit;

use super::cx::Cx;

pub(super) fn lower(cx: &mut Cx, lit: &syn::Lit) -> Lit {
    match lit {
        syn::Lit::Str(text) => Lit::Str(cx.text(&text.value())),
        syn::Lit::ByteStr(_) | syn::Lit::CStr(_) => Lit::Bytes,
        syn::Lit::Byte(byte) => Lit::Int(byte.value().into()),
        syn::Lit::Char(char) => Lit::Char(char.value()),
        // What does not fit is still a number of which nothing is known.
        syn::Lit::Int(int) => int.base10_parse().map_or(Lit::Float, Lit::Int),
        syn::Lit::Float(_) => Lit::Float,
        syn::Lit::Bool(bool) => Lit::Bool(bool.value),
        _ => Lit::Bytes,
    }
}
