//! Patterns as text.

use crate::ir::{PatId, PatKind};

use super::code::{Printer, literal};
use super::path_text;

pub(super) fn list(printer: &mut Printer<'_>, pats: &[PatId], between: &str) {
    for (place, id) in pats.iter().enumerate() {
        printer.put(if place == 0 { "" } else { between });
        pat(printer, *id);
    }
}

pub(super) fn pat(printer: &mut Printer<'_>, id: PatId) {
    let body = printer.body;
    match &body.pat(id).kind {
        PatKind::Wild => printer.put("_"),
        PatKind::Rest => printer.put(".."),
        PatKind::Range => printer.put("<range>"),
        PatKind::Missing => printer.put("<missing>"),
        PatKind::Lit(lit) => printer.put(&literal(lit)),
        PatKind::Path(path) => printer.put(&path_text(printer.file, *path)),
        PatKind::Bind { local, by_ref, sub } => {
            printer.put(if *by_ref { "ref " } else { "" });
            printer.put(&format!("{}#{}", body.local(*local).name, local.0));
            if let Some(sub) = sub {
                printer.put(" @ ");
                pat(printer, *sub);
            }
        }
        PatKind::TupleStruct { path, elems } => {
            printer.put(&path_text(printer.file, *path));
            around(printer, "(", elems, ")");
        }
        PatKind::Struct { path, fields } => {
            printer.put(&format!("{} {{ ", path_text(printer.file, *path)));
            for (place, (name, field)) in fields.iter().enumerate() {
                printer.put(&format!("{}{name}: ", if place == 0 { "" } else { ", " }));
                pat(printer, *field);
            }
            printer.put(" }");
        }
        PatKind::Tuple(elems) => around(printer, "(", elems, ")"),
        PatKind::Slice(elems) => around(printer, "[", elems, "]"),
        PatKind::Ref(inner) => around(printer, "&", &[*inner], ""),
        PatKind::Or(alternatives) => list(printer, alternatives, " | "),
        PatKind::Guard(inner, guard) => {
            pat(printer, *inner);
            printer.put(" if ");
            printer.expr(*guard);
        }
    }
}

fn around(printer: &mut Printer<'_>, before: &str, pats: &[PatId], after: &str) {
    printer.put(before);
    list(printer, pats, ", ");
    printer.put(after);
}
