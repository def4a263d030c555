//! Bodies as text, written in one pass: a body nested to the bound must not be copied at every level.

use crate::ir::{Block, BlockKind, Body, ExprId, ExprKind, File, LabelName, Lit, MacroCall, PatId, Stmt, UnOp};

use super::{path_text, pats, type_text};

/// Deeper lines are not indented further.
const DEEPEST_INDENT: usize = 40;

pub(super) fn body(file: &File, body: &Body) -> String {
    let mut printer = Printer { file, body, out: String::new(), depth: 0 };
    match body.root {
        Some(root) => printer.expr(root),
        None => printer.put("{}"),
    }
    printer.out
}

pub(super) fn pat(file: &File, body: &Body, pat: PatId) -> String {
    let mut printer = Printer { file, body, out: String::new(), depth: 0 };
    pats::pat(&mut printer, pat);
    printer.out
}

pub(super) struct Printer<'a> {
    pub file: &'a File,
    pub body: &'a Body,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    pub fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Expressions between commas.
    fn list(&mut self, exprs: &[ExprId]) {
        for (place, id) in exprs.iter().enumerate() {
            self.put(if place == 0 { "" } else { ", " });
            self.expr(*id);
        }
    }

    fn around(&mut self, before: &str, exprs: &[ExprId], after: &str) {
        self.put(before);
        self.list(exprs);
        self.put(after);
    }

    fn optional(&mut self, before: &str, expr: Option<ExprId>) {
        if let Some(id) = expr {
            self.put(before);
            self.expr(id);
        }
    }

    fn two(&mut self, left: ExprId, between: &str, right: ExprId) {
        self.expr(left);
        self.put(between);
        self.expr(right);
    }

    fn expr_then(&mut self, id: ExprId, after: &str) {
        self.expr(id);
        self.put(after);
    }

    pub fn expr(&mut self, id: ExprId) {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Missing => self.put("<missing>"),
            ExprKind::Lit(lit) => self.put(&literal(lit)),
            ExprKind::Local(local) => self.put(&format!("{}#{}", body.local(*local).name, local.0)),
            ExprKind::Path(path) => self.put(&path_text(self.file, *path)),
            ExprKind::Tuple(elems) => self.around("(", elems, ")"),
            ExprKind::Array(elems) => self.around("[", elems, "]"),
            ExprKind::Panic(args) => self.around("panic(", args, ")"),
            ExprKind::TempScope(inner) => self.around("temps(", &[*inner], ")"),
            ExprKind::Try(operand) => self.expr_then(*operand, "?"),
            ExprKind::Await(operand) => self.expr_then(*operand, ".await"),
            ExprKind::Field { base, name } => self.expr_then(*base, &format!(".{name}")),
            ExprKind::Cast { operand, ty } => {
                self.put("(");
                self.expr_then(*operand, &format!(" as {})", type_text(self.file, *ty)));
            }
            ExprKind::Unary { op, operand } => {
                let op = match op {
                    UnOp::Not => "!",
                    UnOp::Neg => "-",
                    UnOp::Deref => "*",
                };
                self.around(op, &[*operand], "");
            }
            ExprKind::Ref { mutable, operand } => self.around(if *mutable { "&mut " } else { "&" }, &[*operand], ""),
            ExprKind::Block(block) => self.block(block),
            other => self.compound(other),
        }
    }

    /// Operands joined by operators, and calls.
    fn compound(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Index { base, index } => {
                self.two(*base, "[", *index);
                self.put("]");
            }
            ExprKind::Binary { op, left, right } => {
                self.put("(");
                self.two(*left, &format!(" {op:?} "), *right);
                self.put(")");
            }
            ExprKind::Assign { op, place, value } => {
                let op = op.map_or(String::new(), |op| format!("{op:?}"));
                self.two(*place, &format!(" {op}= "), *value);
            }
            ExprKind::Repeat { value, len } => {
                self.put("[");
                self.two(*value, "; ", *len);
                self.put("]");
            }
            ExprKind::Range { start, end } => {
                self.optional("", *start);
                self.put("..");
                self.optional("", *end);
            }
            ExprKind::Call { callee, args } => {
                self.expr(*callee);
                self.around("(", args, ")");
            }
            ExprKind::MethodCall { receiver, name, generics, args, .. } => {
                let types: Vec<String> = generics.iter().map(|ty| type_text(self.file, *ty)).collect();
                let fish = if types.is_empty() { String::new() } else { format!("::<{}>", types.join(", ")) };
                self.expr_then(*receiver, &format!(".{name}{fish}"));
                self.around("(", args, ")");
            }
            ExprKind::Macro(call) => self.macro_call(call),
            ExprKind::Struct { path, fields, base } => {
                self.put(&format!("{} {{ ", path_text(self.file, *path)));
                for (place, (name, value)) in fields.iter().enumerate() {
                    self.around(&format!("{}{name}: ", if place == 0 { "" } else { ", " }), &[*value], "");
                }
                self.optional(if fields.is_empty() { ".." } else { ", .." }, *base);
                self.put(" }");
            }
            other => self.control(other),
        }
    }

    fn control(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::If { condition, then, otherwise, let_temps_end_before_else } => {
                self.put(if *let_temps_end_before_else { "if/early " } else { "if " });
                self.two(*condition, " ", *then);
                self.optional(" else ", *otherwise);
            }
            ExprKind::Let { pat, scrutinee } => {
                self.put("let ");
                pats::pat(self, *pat);
                self.optional(" = ", Some(*scrutinee));
            }
            ExprKind::Loop { label, body } => {
                self.label(*label);
                self.optional("loop ", Some(*body));
            }
            ExprKind::While { label, condition, body } => {
                self.label(*label);
                self.put("while ");
                self.two(*condition, " ", *body);
            }
            ExprKind::For { label, pat, iter, body } => {
                self.label(*label);
                self.put("for ");
                pats::pat(self, *pat);
                self.put(" in ");
                self.two(*iter, " ", *body);
            }
            other => self.jump(other),
        }
    }

    fn jump(&mut self, kind: &ExprKind) {
        let named = |label: LabelName| label.map_or(String::new(), |label| format!(" '{label}"));
        match kind {
            ExprKind::Break { label, value } => {
                self.put(&format!("break{}", named(*label)));
                self.optional(" ", *value);
            }
            ExprKind::Continue { label } => self.put(&format!("continue{}", named(*label))),
            ExprKind::Return(value) => {
                self.put("return");
                self.optional(" ", *value);
            }
            ExprKind::Yield(value) => {
                self.put("yield");
                self.optional(" ", *value);
            }
            ExprKind::Closure(closure) => {
                self.put(if closure.is_async { "async " } else { "" });
                self.put(if closure.is_move { "move |" } else { "|" });
                pats::list(self, &closure.params, ", ");
                self.optional("| ", Some(closure.body));
            }
            other => self.arms(other),
        }
    }

    fn arms(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Match { scrutinee, arms } => {
                self.put("match ");
                self.expr_then(*scrutinee, " ");
                self.braced(arms.len(), |printer, place| {
                    let arm = &arms[place];
                    pats::pat(printer, arm.pat);
                    printer.optional(" if ", arm.guard);
                    printer.optional(" => ", Some(arm.body));
                });
            }
            ExprKind::Select { arms, otherwise } => {
                self.put("select ");
                let count = arms.len() + usize::from(otherwise.is_some());
                self.braced(count, |printer, place| {
                    let Some(arm) = arms.get(place) else { return printer.optional("else => ", *otherwise) };
                    pats::pat(printer, arm.pat);
                    printer.optional(" = ", Some(arm.future));
                    printer.optional(", if ", arm.guard);
                    printer.optional(" => ", Some(arm.body));
                });
            }
            other => self.put(&format!("{other:?}")),
        }
    }

    fn label(&mut self, label: LabelName) {
        if let Some(label) = label {
            self.put(&format!("'{label}: "));
        }
    }

    fn macro_call(&mut self, call: &MacroCall) {
        let text = call.text.map_or(String::new(), |text| format!("{:?}", text.as_str()));
        let exits = if call.exits { " exits" } else { "" };
        self.put(&format!("{}!/{:?}{exits} {text}", path_text(self.file, call.path), call.kind));
        self.around("(", &call.args, ")");
    }

    fn block(&mut self, block: &Block) {
        self.label(block.label);
        self.put(match block.kind {
            BlockKind::Plain => "",
            BlockKind::Unsafe => "unsafe ",
            BlockKind::Async => "async ",
            BlockKind::Const => "const ",
            BlockKind::Try => "try ",
        });
        let count = block.stmts.len() + usize::from(block.tail.is_some());
        self.braced(count, |printer, place| match block.stmts.get(place) {
            Some(stmt) => printer.stmt(stmt),
            None => printer.optional("", block.tail),
        });
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Expr(id) => self.expr_then(*id, ";"),
            Stmt::Let { pat, ty, init, otherwise, .. } => {
                self.put("let ");
                pats::pat(self, *pat);
                if let Some(ty) = ty {
                    self.put(&format!(": {}", type_text(self.file, *ty)));
                }
                self.optional(" = ", *init);
                self.optional(" else ", *otherwise);
                self.put(";");
            }
        }
    }

    /// `count` lines in braces, indented one step more than the line that opens them.
    fn braced(&mut self, count: usize, line: impl Fn(&mut Self, usize)) {
        if count == 0 {
            return self.put("{}");
        }
        self.put("{\n");
        self.depth += 1;
        for place in 0..count {
            self.put(&"  ".repeat(self.depth.min(DEEPEST_INDENT)));
            line(self, place);
            self.put("\n");
        }
        self.depth -= 1;
        self.put(&"  ".repeat(self.depth.min(DEEPEST_INDENT)));
        self.put("}");
    }
}

pub(super) fn literal(lit: &Lit) -> String {
    match lit {
        Lit::Str(text) => format!("{:?}", text.as_str()),
        Lit::Bytes => "<bytes>".to_owned(),
        Lit::Int(value) => value.to_string(),
        Lit::Float => "<number>".to_owned(),
        Lit::Bool(value) => value.to_string(),
        Lit::Char(value) => format!("{value:?}"),
    }
}
