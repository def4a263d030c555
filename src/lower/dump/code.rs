//! Bodies as text.

use crate::ir::{
    Block, BlockKind, Body, ExprId, ExprKind, File, LabelName, Lit, MacroCall, PatId, PatKind, Stmt, UnOp,
};

use super::{path_text, type_text};

pub(super) fn body(file: &File, body: &Body) -> String {
    let printer = Printer { file, body };
    body.root.map_or_else(|| "{}".to_owned(), |root| printer.expr(root, 0))
}

pub(super) fn pat(file: &File, body: &Body, pat: PatId) -> String {
    Printer { file, body }.pat(pat)
}

struct Printer<'a> {
    file: &'a File,
    body: &'a Body,
}

impl Printer<'_> {
    fn list(&self, exprs: &[ExprId], depth: usize) -> String {
        let each: Vec<String> = exprs.iter().map(|id| self.expr(*id, depth)).collect();
        each.join(", ")
    }

    fn optional(&self, expr: Option<ExprId>, depth: usize) -> String {
        expr.map_or(String::new(), |id| format!(" {}", self.expr(id, depth)))
    }

    fn expr(&self, id: ExprId, depth: usize) -> String {
        let on = |id: &ExprId| self.expr(*id, depth);
        match &self.body.expr(id).kind {
            ExprKind::Missing => "<missing>".to_owned(),
            ExprKind::Lit(lit) => literal(lit),
            ExprKind::Local(local) => format!("{}#{}", self.body.local(*local).name, local.0),
            ExprKind::Path(path) => path_text(self.file, *path),
            ExprKind::Field { base, name } => format!("{}.{name}", on(base)),
            ExprKind::Index { base, index } => format!("{}[{}]", on(base), on(index)),
            ExprKind::Call { callee, args } => format!("{}({})", on(callee), self.list(args, depth)),
            ExprKind::MethodCall { receiver, name, generics, args, .. } => {
                let types: Vec<String> = generics.iter().map(|ty| type_text(self.file, *ty)).collect();
                let fish = if types.is_empty() { String::new() } else { format!("::<{}>", types.join(", ")) };
                format!("{}.{name}{fish}({})", on(receiver), self.list(args, depth))
            }
            ExprKind::Macro(call) => self.macro_call(call, depth),
            ExprKind::Struct { path, fields, base } => {
                let fields = fields.iter().map(|(name, value)| format!("{name}: {}", on(value)));
                let base = base.iter().map(|base| format!("..{}", on(base)));
                let all: Vec<String> = fields.chain(base).collect();
                format!("{} {{ {} }}", path_text(self.file, *path), all.join(", "))
            }
            ExprKind::Tuple(elems) => format!("({})", self.list(elems, depth)),
            ExprKind::Array(elems) => format!("[{}]", self.list(elems, depth)),
            ExprKind::Repeat { value, len } => format!("[{}; {}]", on(value), on(len)),
            ExprKind::Unary { op, operand } => {
                let op = match op {
                    UnOp::Not => "!",
                    UnOp::Neg => "-",
                    UnOp::Deref => "*",
                };
                format!("{op}{}", on(operand))
            }
            ExprKind::Ref { mutable, operand } => format!("&{}{}", if *mutable { "mut " } else { "" }, on(operand)),
            ExprKind::Binary { op, left, right } => format!("({} {op:?} {})", on(left), on(right)),
            ExprKind::Assign { op, place, value } => {
                let op = op.map_or(String::new(), |op| format!("{op:?}"));
                format!("{} {op}= {}", on(place), on(value))
            }
            ExprKind::Cast { operand, ty } => format!("({} as {})", on(operand), type_text(self.file, *ty)),
            ExprKind::Try(operand) => format!("{}?", on(operand)),
            ExprKind::Await(operand) => format!("{}.await", on(operand)),
            ExprKind::TempScope(inner) => format!("temps({})", on(inner)),
            ExprKind::Range { start, end } => {
                format!("{}..{}", start.as_ref().map_or(String::new(), on), end.as_ref().map_or(String::new(), on))
            }
            ExprKind::Block(block) => self.block(block, depth),
            other => self.control(other, depth),
        }
    }

    fn control(&self, kind: &ExprKind, depth: usize) -> String {
        let on = |id: &ExprId| self.expr(*id, depth);
        match kind {
            ExprKind::If { condition, then, otherwise, let_temps_end_before_else } => {
                let early = if *let_temps_end_before_else { "/early" } else { "" };
                let rest = otherwise.map_or(String::new(), |id| format!(" else {}", on(&id)));
                format!("if{early} {} {}{rest}", on(condition), on(then))
            }
            ExprKind::Let { pat, scrutinee } => format!("let {} = {}", self.pat(*pat), on(scrutinee)),
            ExprKind::Match { scrutinee, arms } => {
                let arms = arms.iter().map(|arm| {
                    let guard = arm.guard.map_or(String::new(), |guard| format!(" if {}", self.expr(guard, depth + 1)));
                    format!("{}{guard} => {}", self.pat(arm.pat), self.expr(arm.body, depth + 1))
                });
                format!("match {} {}", on(scrutinee), braced(arms, depth))
            }
            ExprKind::Loop { label, body } => format!("{}loop {}", self.label(*label), on(body)),
            ExprKind::While { label, condition, body } => {
                format!("{}while {} {}", self.label(*label), on(condition), on(body))
            }
            ExprKind::For { label, pat, iter, body } => {
                format!("{}for {} in {} {}", self.label(*label), self.pat(*pat), on(iter), on(body))
            }
            ExprKind::Break { label, value } => {
                let label = label.map_or(String::new(), |label| format!(" '{label}"));
                format!("break{label}{}", self.optional(*value, depth))
            }
            ExprKind::Continue { label } => {
                format!("continue{}", label.map_or(String::new(), |label| format!(" '{label}")))
            }
            ExprKind::Return(value) => format!("return{}", self.optional(*value, depth)),
            ExprKind::Yield(value) => format!("yield{}", self.optional(*value, depth)),
            ExprKind::Panic(args) => format!("panic({})", self.list(args, depth)),
            ExprKind::Closure(closure) => {
                let params: Vec<String> = closure.params.iter().map(|pat| self.pat(*pat)).collect();
                let head = if closure.is_async { "async " } else { "" };
                let moves = if closure.is_move { "move " } else { "" };
                format!("{head}{moves}|{}| {}", params.join(", "), on(&closure.body))
            }
            ExprKind::Select { arms, otherwise } => {
                let arms = arms.iter().map(|arm| {
                    let guard =
                        arm.guard.map_or(String::new(), |guard| format!(", if {}", self.expr(guard, depth + 1)));
                    let (pat, future) = (self.pat(arm.pat), self.expr(arm.future, depth + 1));
                    format!("{pat} = {future}{guard} => {}", self.expr(arm.body, depth + 1))
                });
                let rest = otherwise.iter().map(|id| format!("else => {}", self.expr(*id, depth + 1)));
                format!("select {}", braced(arms.chain(rest), depth))
            }
            other => format!("{other:?}"),
        }
    }

    fn label(&self, label: LabelName) -> String {
        label.map_or(String::new(), |label| format!("'{label}: "))
    }

    fn macro_call(&self, call: &MacroCall, depth: usize) -> String {
        let text = call.text.map_or(String::new(), |text| format!("{:?}", text.as_str()));
        let exits = if call.exits { " exits" } else { "" };
        let args = self.list(&call.args, depth);
        format!("{}!/{:?}{exits} {text}({args})", path_text(self.file, call.path), call.kind)
    }

    fn block(&self, block: &Block, depth: usize) -> String {
        let head = match block.kind {
            BlockKind::Plain => "",
            BlockKind::Unsafe => "unsafe ",
            BlockKind::Async => "async ",
            BlockKind::Const => "const ",
            BlockKind::Try => "try ",
        };
        let stmts = block.stmts.iter().map(|stmt| self.stmt(stmt, depth + 1));
        let tail = block.tail.iter().map(|tail| self.expr(*tail, depth + 1));
        format!("{}{head}{}", self.label(block.label), braced(stmts.chain(tail), depth))
    }

    fn stmt(&self, stmt: &Stmt, depth: usize) -> String {
        match stmt {
            Stmt::Expr(id) => format!("{};", self.expr(*id, depth)),
            Stmt::Let { pat, ty, init, otherwise, .. } => {
                let ty = ty.map_or(String::new(), |ty| format!(": {}", type_text(self.file, ty)));
                let init = init.map_or(String::new(), |id| format!(" = {}", self.expr(id, depth)));
                let rest = otherwise.map_or(String::new(), |id| format!(" else {}", self.expr(id, depth)));
                format!("let {}{ty}{init}{rest};", self.pat(*pat))
            }
        }
    }

    fn pats(&self, pats: &[PatId], between: &str) -> String {
        let each: Vec<String> = pats.iter().map(|pat| self.pat(*pat)).collect();
        each.join(between)
    }

    fn pat(&self, id: PatId) -> String {
        match &self.body.pat(id).kind {
            PatKind::Wild => "_".to_owned(),
            PatKind::Rest => "..".to_owned(),
            PatKind::Bind { local, by_ref, sub } => {
                let by_ref = if *by_ref { "ref " } else { "" };
                let sub = sub.map_or(String::new(), |sub| format!(" @ {}", self.pat(sub)));
                format!("{by_ref}{}#{}{sub}", self.body.local(*local).name, local.0)
            }
            PatKind::Path(path) => path_text(self.file, *path),
            PatKind::TupleStruct { path, elems } => {
                format!("{}({})", path_text(self.file, *path), self.pats(elems, ", "))
            }
            PatKind::Struct { path, fields } => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, pat)| format!("{name}: {}", self.pat(*pat))).collect();
                format!("{} {{ {} }}", path_text(self.file, *path), fields.join(", "))
            }
            PatKind::Tuple(elems) => format!("({})", self.pats(elems, ", ")),
            PatKind::Slice(elems) => format!("[{}]", self.pats(elems, ", ")),
            PatKind::Ref(inner) => format!("&{}", self.pat(*inner)),
            PatKind::Lit(lit) => literal(lit),
            PatKind::Range => "<range>".to_owned(),
            PatKind::Or(alternatives) => self.pats(alternatives, " | "),
            PatKind::Guard(inner, guard) => format!("{} if {}", self.pat(*inner), self.expr(*guard, 0)),
            PatKind::Missing => "<missing>".to_owned(),
        }
    }
}

fn literal(lit: &Lit) -> String {
    match lit {
        Lit::Str(text) => format!("{:?}", text.as_str()),
        Lit::Bytes => "<bytes>".to_owned(),
        Lit::Int(value) => value.to_string(),
        Lit::Float => "<number>".to_owned(),
        Lit::Bool(value) => value.to_string(),
        Lit::Char(value) => format!("{value:?}"),
    }
}

/// Lines in braces, indented one step more than the line that opens them.
fn braced(lines: impl Iterator<Item = String>, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let lines: Vec<String> = lines.map(|line| format!("{indent}  {line}\n")).collect();
    if lines.is_empty() { "{}".to_owned() } else { format!("{{\n{}{indent}}}", lines.concat()) }
}
