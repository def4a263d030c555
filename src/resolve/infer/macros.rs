//! Macro calls: their rows, and what those give whose meaning is known.

use std::sync::Arc;

use super::super::index::Words;
use super::super::prelude::known;
use super::super::ty::join;
use super::super::{Evidence, Target, Ty};
use super::Infer;
use crate::intern::Symbol;
use crate::ir::{self, ExprId, MacroCall, MacroKind};

impl Infer<'_> {
    pub(super) fn macro_call(&mut self, id: ExprId, call: &MacroCall, expected: &Ty) -> Ty {
        let wanted = match call.kind {
            MacroKind::Wrapper => expected,
            _ => &Ty::Unknown,
        };
        let args: Vec<Ty> = call.args.iter().map(|arg| self.expr(*arg, wanted)).collect();
        let path = self.cx.path(call.path);
        let row = self.macro_row(path, args.len());
        self.target(id, Target { row, evidence: Evidence::Declared, ..Target::default() });
        let told = row.and_then(|row| {
            let words = Words {
                params: &[],
                receiver: &Ty::Unknown,
                args: &args,
                turbofish: &[],
                closure: &Ty::Unknown,
                otherwise: &Ty::Unknown,
            };
            self.row_value(row, &words)
        });
        let ty = told.filter(Ty::is_known).unwrap_or_else(|| self.macro_value(call, path, &args));
        self.set(id, ty, Evidence::Inferred)
    }

    fn macro_value(&self, call: &MacroCall, path: &ir::Path, args: &[Ty]) -> Ty {
        let k = known();
        match call.kind {
            MacroKind::Format => Ty::ext(k.string, Vec::new()),
            MacroKind::Log => Ty::Tuple(Arc::from([])),
            MacroKind::Vec => Ty::ext(k.vec, vec![args.iter().fold(Ty::Unknown, |known, ty| join(&known, ty))]),
            MacroKind::Json => Ty::ext(Symbol::new("serde_json::Value"), Vec::new()),
            MacroKind::Join => Ty::Tuple(args.iter().map(|ty| self.ix.awaited(ty)).collect()),
            MacroKind::TryJoin => {
                let outputs: Vec<Ty> = args.iter().map(|ty| self.ix.awaited(ty)).collect();
                let error = outputs.iter().find_map(|ty| ty.args().get(1)).cloned().unwrap_or_default();
                let values = outputs.iter().map(|ty| self.ix.tried(ty)).collect();
                Ty::ext(k.result, vec![Ty::Tuple(values), error])
            }
            MacroKind::Wrapper => args.first().cloned().unwrap_or_default(),
            MacroKind::Include => Ty::reference(false, Ty::ext(k.str, Vec::new())),
            MacroKind::Other => self.own_macro_value(call, path, args),
        }
    }

    /// The program's own macros around one expression mostly wrap it (`ctx!(query.await)?`), or hand on what is good and leave otherwise.
    fn own_macro_value(&self, call: &MacroCall, path: &ir::Path, args: &[Ty]) -> Ty {
        let own = path.segments.last().is_some_and(|last| self.ix.world.names.macros.contains(&last.name));
        match args {
            [only] if own && call.exits => self.ix.tried(only),
            [only] if own => only.clone(),
            _ => Ty::Unknown,
        }
    }
}
