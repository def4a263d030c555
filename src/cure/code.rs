//! The code around a check and an act, for edits: what stands where in the body that holds both, as text and as shape.

use super::Case;
use crate::finding::Edit;
use crate::flow::value::EventId;
use crate::ir::{BinOp, Block, BlockKind, Body, Expr, ExprId, ExprKind, Lit, LocalId, PatKind, Stmt, UnOp};
use crate::resolve::{Ty, Typed};
use crate::source::{Sources, Span};

/// One body with its types and its text.
pub struct Code<'c> {
    pub body: &'c Body,
    pub typed: &'c Typed,
    sources: &'c Sources,
}

/// Where something stands: in this statement of a block; `index` is one past the statements for the value of the block.
#[derive(Clone, Copy)]
pub struct Place<'c> {
    pub block: &'c Block,
    pub index: usize,
}

/// How a check decides an act of the same body.
#[derive(Clone, Copy)]
pub enum Guard {
    /// `if …check… { leave }` stands before the act in its block, at this index.
    Leaves { at: usize, condition: ExprId, leave: ExprId },
    /// The act stands in `if …check… { … }`.
    Enters { branch: ExprId, condition: ExprId, otherwise: Option<ExprId> },
}

/// What a condition asks, without its `!`, and the local through which it asks.
#[derive(Clone, Copy)]
pub struct Asked {
    pub negated: bool,
    pub question: ExprId,
    pub through: Option<LocalId>,
}

/// A method call taken apart.
#[derive(Clone, Copy)]
pub struct Method<'c> {
    pub receiver: ExprId,
    pub name: &'static str,
    pub args: &'c [ExprId],
}

impl<'c> Code<'c> {
    /// The body in which both events stand, as calls of their own.
    pub fn of_pair(case: &Case<'c, '_>, check: EventId, act: EventId) -> Option<Code<'c>> {
        let (check, act) = (case.view.event(check), case.view.event(act));
        (check.origin.0 == act.origin.0 && check.path == act.path).then(|| Code::of(case, act.origin.0))?
    }

    /// The body in which an act stands, and where the check is seen from there: itself, or the call that leads to it.
    pub fn of_act(case: &Case<'c, '_>, check: EventId, act: EventId) -> Option<(Code<'c>, Span)> {
        let (check, act) = (case.view.event(check), case.view.event(act));
        let seen = match check.path.get(act.path.len()) {
            Some(site) => (site.caller, site.span),
            None => (check.origin.0, check.span),
        };
        let together = check.path.get(..act.path.len()) == Some(&act.path[..]) && seen.0 == act.origin.0;
        Some((Code::of(case, act.origin.0).filter(|_| together)?, seen.1))
    }

    /// The body of a function.
    pub fn of(case: &Case<'c, '_>, function: crate::resolve::FnId) -> Option<Code<'c>> {
        let program = case.scope.program;
        let body = program.source(function).body.as_ref()?;
        Some(Code { body, typed: program.typed(function), sources: case.sources })
    }

    pub fn expr(&self, id: ExprId) -> &'c Expr {
        self.body.expr(id)
    }

    pub fn span(&self, id: ExprId) -> Span {
        self.body.expr(id).span
    }

    pub fn text(&self, id: ExprId) -> &'c str {
        self.sources.text(self.span(id))
    }

    /// The call with exactly this span.
    pub fn call_at(&self, span: Span) -> Option<ExprId> {
        let is = |expr: &Expr| {
            let call = matches!(expr.kind, ExprKind::MethodCall { .. } | ExprKind::Call { .. } | ExprKind::Macro(_));
            call && expr.span == span
        };
        self.body.exprs.iter().position(is).map(|index| ExprId(index as u32))
    }

    /// Without the end of temporaries.
    pub fn peel(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::TempScope(inner) = &self.expr(id).kind {
            id = *inner;
        }
        id
    }

    /// Without `&` too.
    pub fn referred(&self, id: ExprId) -> ExprId {
        let id = self.peel(id);
        match &self.expr(id).kind {
            ExprKind::Ref { operand, .. } => self.referred(*operand),
            _ => id,
        }
    }

    /// Without `?` and `.await` too.
    pub fn awaited(&self, id: ExprId) -> ExprId {
        let id = self.peel(id);
        match &self.expr(id).kind {
            ExprKind::Try(inner) | ExprKind::Await(inner) => self.awaited(*inner),
            _ => id,
        }
    }

    pub fn method(&self, id: ExprId) -> Option<Method<'c>> {
        match &self.expr(self.peel(id)).kind {
            ExprKind::MethodCall { receiver, name, args, .. } => {
                Some(Method { receiver: *receiver, name: name.as_str(), args })
            }
            _ => None,
        }
    }

    pub fn binary(&self, id: ExprId) -> Option<(BinOp, ExprId, ExprId)> {
        match &self.expr(self.peel(id)).kind {
            ExprKind::Binary { op, left, right } => Some((*op, self.peel(*left), self.peel(*right))),
            _ => None,
        }
    }

    pub fn local(&self, id: ExprId) -> Option<LocalId> {
        match self.expr(self.peel(id)).kind {
            ExprKind::Local(local) => Some(local),
            _ => None,
        }
    }

    /// The type of an expression, without references.
    pub fn ty(&self, id: ExprId) -> &'c Ty {
        let mut ty = self.typed.expr(self.peel(id));
        while let Ty::Ref(_, inner) = ty {
            ty = inner;
        }
        ty
    }

    /// How often a local is named.
    pub fn uses(&self, local: LocalId) -> usize {
        self.body.exprs.iter().filter(|expr| matches!(expr.kind, ExprKind::Local(of) if of == local)).count()
    }

    /// Whether a local is named inside a span.
    pub fn names(&self, span: Span, local: LocalId) -> bool {
        self.any_in(span, |kind| matches!(kind, ExprKind::Local(of) if *of == local))
    }

    fn any_in(&self, span: Span, holds: impl Fn(&ExprKind) -> bool) -> bool {
        self.body.exprs.iter().any(|expr| within(expr.span, span) && holds(&expr.kind))
    }

    /// Something inside a span leaves the body, or waits.
    pub fn leaves_or_waits(&self, span: Span) -> bool {
        self.any_in(span, |kind| {
            use ExprKind::{Await, Break, Continue, Return, Try, Yield};
            matches!(kind, Try(_) | Await(_) | Return(_) | Break { .. } | Continue { .. } | Yield(_))
        })
    }

    /// A function of the program is called inside a span, or one of which nothing is known.
    pub fn calls_unknown(&self, span: Span) -> bool {
        let inside = self.typed.targets.iter().filter(|(id, _)| within(self.span(**id), span));
        inside.into_iter().any(|(_, target)| target.row.is_none())
    }

    /// A closure or an async block stands around a span: `return` leaves that.
    pub fn in_closure(&self, span: Span) -> bool {
        self.body.exprs.iter().any(|expr| {
            let own = match &expr.kind {
                ExprKind::Closure(_) => true,
                ExprKind::Block(block) => block.kind == BlockKind::Async,
                _ => false,
            };
            own && within(span, expr.span)
        })
    }

    /// The innermost statement around a span, with the block that it is of.
    pub fn place(&self, span: Span) -> Option<Place<'c>> {
        let blocks = self.body.exprs.iter().filter_map(|expr| match &expr.kind {
            ExprKind::Block(block) if within(span, expr.span) => Some((expr.span, block)),
            _ => None,
        });
        let holds = |block: &'c Block| {
            let index = block.stmts.iter().position(|stmt| within(span, self.statement_span(stmt)));
            let tail = block.tail.filter(|tail| within(span, self.span(*tail))).map(|_| block.stmts.len());
            index.or(tail).map(|index| Place { block, index })
        };
        let placed = blocks.filter_map(|(at, block)| Some((at.end - at.start, holds(block)?)));
        placed.min_by_key(|(size, _)| *size).map(|(_, place)| place)
    }

    /// A statement from its first byte past its semicolon.
    pub fn statement_span(&self, stmt: &Stmt) -> Span {
        let span = match stmt {
            Stmt::Let { span, .. } => *span,
            Stmt::Expr(id) => self.span(*id),
        };
        if self.sources.text(span).ends_with(';') {
            return span;
        }
        let rest = &self.sources.get(span.source).text[span.end as usize..];
        match rest.trim_start().starts_with(';') {
            true => Span { end: span.end + (rest.len() - rest.trim_start().len()) as u32 + 1, ..span },
            false => span,
        }
    }

    /// The bytes of the statement, or of the value of the block.
    pub fn span_of(&self, place: Place) -> Option<Span> {
        match place.block.stmts.get(place.index) {
            Some(stmt) => Some(self.statement_span(stmt)),
            None => place.block.tail.map(|tail| self.span(tail)),
        }
    }

    /// The expression that is the whole statement, or the value of the block.
    pub fn whole(&self, place: Place) -> Option<ExprId> {
        match place.block.stmts.get(place.index) {
            Some(Stmt::Expr(id)) => Some(self.peel(*id)),
            Some(Stmt::Let { .. }) => None,
            None => place.block.tail.map(|tail| self.peel(tail)),
        }
    }

    /// The expression that a statement is, whose value nobody looks at: `f();`, `let _ = f();`
    pub fn ignored(&self, place: Place) -> Option<ExprId> {
        match place.block.stmts.get(place.index)? {
            Stmt::Expr(id) => Some(self.peel(*id)),
            Stmt::Let { pat, init: Some(init), otherwise: None, .. } => {
                matches!(self.body.pat(*pat).kind, PatKind::Wild).then(|| self.peel(*init))
            }
            Stmt::Let { .. } => None,
        }
    }

    /// `let name = init;`
    pub fn binding(&self, stmt: &Stmt) -> Option<(LocalId, ExprId)> {
        let Stmt::Let { pat, init: Some(init), otherwise: None, .. } = stmt else { return None };
        match self.body.pat(*pat).kind {
            PatKind::Bind { local, sub: None, .. } => Some((local, self.peel(*init))),
            _ => None,
        }
    }

    /// Where a local is bound by a `let` of its own, and to what.
    pub fn bound(&self, local: LocalId) -> Option<(Place<'c>, ExprId)> {
        let blocks = self.body.exprs.iter().filter_map(|expr| match &expr.kind {
            ExprKind::Block(block) => Some(block),
            _ => None,
        });
        let mut all = blocks.flat_map(|block| block.stmts.iter().enumerate().map(move |(at, stmt)| (block, at, stmt)));
        all.find_map(|(block, index, stmt)| match self.binding(stmt) {
            Some((of, init)) if of == local => Some((Place { block, index }, init)),
            _ => None,
        })
    }

    /// What a condition asks, seen through `!` and one local.
    pub fn asked(&self, condition: ExprId) -> Asked {
        let mut asked = Asked { negated: false, question: self.peel(condition), through: None };
        loop {
            match &self.expr(asked.question).kind {
                ExprKind::Unary { op: UnOp::Not, operand } => {
                    asked = Asked { negated: !asked.negated, question: self.peel(*operand), ..asked };
                }
                ExprKind::Local(local) if asked.through.is_none() => match self.bound(*local) {
                    Some((_, init)) => asked = Asked { question: init, through: Some(*local), ..asked },
                    None => return asked,
                },
                _ => return asked,
            }
        }
    }

    /// Whether a condition looks at what stands at a span, itself or through locals bound to it.
    pub fn looks_at(&self, condition: ExprId, check: Span, depth: u32) -> bool {
        if within(check, self.span(condition)) {
            return true;
        }
        let span = self.span(condition);
        let locals = self.body.exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Local(local) if within(expr.span, span) => Some(local),
            _ => None,
        });
        depth > 0 && locals.filter_map(|local| self.bound(local)).any(|(_, init)| self.looks_at(init, check, depth - 1))
    }

    /// How the check at a span decides the act at a place: the nearest `if` that looks at it.
    pub fn guard(&self, check: Span, act: Place<'c>) -> Option<Guard> {
        for at in (0..act.index.min(act.block.stmts.len())).rev() {
            let Stmt::Expr(id) = &act.block.stmts[at] else { continue };
            if let ExprKind::If { condition, then, otherwise: None, .. } = &self.expr(self.peel(*id)).kind
                && self.diverges(*then)
                && self.looks_at(*condition, check, 2)
            {
                return Some(Guard::Leaves { at, condition: *condition, leave: *then });
            }
        }
        self.body.exprs.iter().enumerate().find_map(|(index, expr)| match &expr.kind {
            ExprKind::If { condition, then, otherwise, .. }
                if self.is_block(*then, act.block) && self.looks_at(*condition, check, 2) =>
            {
                let branch = ExprId(index as u32);
                Some(Guard::Enters { branch, condition: *condition, otherwise: *otherwise })
            }
            _ => None,
        })
    }

    fn is_block(&self, id: ExprId, block: &Block) -> bool {
        matches!(&self.expr(self.peel(id)).kind, ExprKind::Block(own) if std::ptr::eq(own, block))
    }

    /// A block that ends by leaving.
    fn diverges(&self, id: ExprId) -> bool {
        let ExprKind::Block(block) = &self.expr(self.peel(id)).kind else { return false };
        let last = match (block.tail, block.stmts.last()) {
            (Some(tail), _) => tail,
            (None, Some(Stmt::Expr(id))) => *id,
            _ => return false,
        };
        use ExprKind::{Break, Continue, Panic, Return};
        matches!(self.expr(self.peel(last)).kind, Return(_) | Break { .. } | Continue { .. } | Panic(_))
    }

    /// The statement is all that its block does.
    pub fn alone(&self, place: Place) -> bool {
        place.block.stmts.len() + usize::from(place.block.tail.is_some()) == 1
    }

    /// `true` or `false`, written out.
    pub fn flag(&self, id: ExprId) -> Option<bool> {
        match self.expr(self.peel(id)).kind {
            ExprKind::Lit(Lit::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// A literal as SQL writes it.
    pub fn sql_literal(&self, id: ExprId) -> Option<String> {
        match &self.expr(self.peel(id)).kind {
            ExprKind::Lit(Lit::Int(number)) => Some(number.to_string()),
            ExprKind::Lit(Lit::Str(text)) => Some(format!("'{}'", text.as_str().replace('\'', "''"))),
            ExprKind::Lit(Lit::Bool(value)) => Some(value.to_string().to_uppercase()),
            _ => None,
        }
    }

    /// The elements of `[a, b]`, `&[a, b]` or `params![a, b]`.
    pub fn elements(&self, id: ExprId) -> Vec<ExprId> {
        match &self.expr(self.peel(id)).kind {
            ExprKind::Ref { operand, .. } => self.elements(*operand),
            ExprKind::Array(elements) => elements.clone(),
            ExprKind::Macro(call) => call.args.clone(),
            _ => Vec::new(),
        }
    }

    /// The white space that follows a place: what sets a link of a chain on its own line.
    pub fn between(&self, from: u32, span: Span) -> &'c str {
        let rest = &self.sources.get(span.source).text[from as usize..span.end as usize];
        &rest[..rest.len() - rest.trim_start().len()]
    }

    /// A new name that nothing in the body has.
    pub fn free_name(&self, wanted: &str) -> Option<String> {
        (!self.body.locals.iter().any(|local| local.name == wanted)).then(|| wanted.to_owned())
    }

    pub fn replace(&self, span: Span, text: impl Into<String>) -> Edit {
        Edit { span, text: text.into() }
    }

    pub fn insert(&self, span: Span, at: u32, text: impl Into<String>) -> Edit {
        Edit { span: Span { start: at, end: at, ..span }, text: text.into() }
    }

    /// Takes a statement out, with the line that it had to itself. A comment that follows it stays.
    pub fn delete(&self, span: Span) -> Edit {
        let text = &self.sources.get(span.source).text;
        let before = text[..span.start as usize].trim_end_matches([' ', '\t']);
        let after = &text[span.end as usize..];
        let blank = after.len() - after.trim_start_matches([' ', '\t']).len();
        let own_line = before.ends_with('\n') && after[blank..].starts_with(['\n', '\r']);
        let (start, end) = match own_line {
            true => (before.len() - 1, span.end as usize + blank),
            false => (span.start as usize, span.end as usize),
        };
        let start = if own_line && text[..start].ends_with('\r') { start - 1 } else { start };
        Edit { span: Span { start: start as u32, end: end as u32, ..span }, text: String::new() }
    }

    /// The white space before the first token of the line of a span.
    pub fn indent(&self, span: Span) -> &'c str {
        let text = &self.sources.get(span.source).text;
        let line = text[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let rest = &text[line..];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }
}

/// `inner` lies inside `outer`, or is it.
pub fn within(inner: Span, outer: Span) -> bool {
    inner.source == outer.source && outer.start <= inner.start && inner.end <= outer.end
}

/// The comparison with its sides exchanged.
pub fn mirrored(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        other => other,
    }
}

/// The comparison that holds where this one does not.
pub fn opposite(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        _ => return None,
    })
}

/// A comparison as Rust writes it.
pub fn compared(op: BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Lt => "<",
        BinOp::Le => "<=",
        BinOp::Gt => ">",
        BinOp::Ge => ">=",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        _ => return None,
    })
}
