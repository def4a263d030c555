//! What tests of this stage share: programs made of snippets, and questions about their expressions.

use std::path::PathBuf;

use super::layout::{Layout, Package, TargetRoot};
use super::{BoundTy, CrateRole, Def, FnId, Program, Target, Ty, resolve};
use crate::intern::Symbol;
use crate::ir::{ExprId, ExprKind};
use crate::lower;
use crate::models::Models;
use crate::source::{SourceId, Span};

/// A linked program with its texts.
pub(super) struct Snippets {
    pub(super) program: Program,
    texts: Vec<String>,
}

/// One package called `app`; crate roots are told by their paths.
pub(super) fn app(files: &[(&str, &str)]) -> Snippets {
    with_models(files, Models::builtin())
}

/// The same with rows of one's own.
pub(super) fn with_rows(files: &[(&str, &str)], rows: &str) -> Snippets {
    let user = [("test.toml".to_owned(), format!("library = \"test\"\n{rows}"))];
    let models = Models::with_user(&user).expect("the rows are right");
    with_models(files, &models)
}

fn with_models(files: &[(&str, &str)], models: &Models) -> Snippets {
    let targets = (0u32..).zip(files).filter_map(|(number, (path, _))| root(path, SourceId(number)));
    let package = Package {
        name: Symbol::new("app"),
        edition: 2021,
        dir: PathBuf::new(),
        dependencies: Vec::new(),
        targets: targets.collect(),
    };
    link(files, vec![package], models)
}

/// Files of several packages.
pub(super) fn packages(files: &[(&str, &str)], packages: Vec<Package>) -> Snippets {
    link(files, packages, Models::builtin())
}

fn link(files: &[(&str, &str)], packages: Vec<Package>, models: &Models) -> Snippets {
    let paths = (0u32..).zip(files).map(|(number, (path, _))| (SourceId(number), PathBuf::from(path))).collect();
    let layout = Layout { packages, files: paths, loose_edition: 0 };
    let lowered = lower::with_stack(|| {
        let files = (0u32..).zip(files);
        files.map(|(number, (_, text))| lower::lower(SourceId(number), text, 2021).expect("it parses").file).collect()
    });
    let program = resolve(lowered, &layout, models, 2);
    Snippets { program, texts: files.iter().map(|(_, text)| (*text).to_owned()).collect() }
}

pub(super) fn root(path: &str, root: SourceId) -> Option<TargetRoot> {
    let (name, role) = match path {
        "src/lib.rs" => ("app", CrateRole::Library),
        "src/main.rs" => ("app", CrateRole::Binary),
        "build.rs" => ("build_script", CrateRole::BuildScript),
        _ => {
            let (folder, file) = path.rsplit_once('/')?;
            let role = match folder {
                "src/bin" => CrateRole::Binary,
                "tests" => CrateRole::Test,
                _ => return None,
            };
            (file.trim_end_matches(".rs"), role)
        }
    };
    Some(TargetRoot { name: Symbol::new(name), role, root })
}

impl Snippets {
    fn text(&self, span: Span) -> &str {
        &self.texts[span.source.0 as usize][span.start as usize..span.end as usize]
    }

    /// The function whose path ends so.
    pub(super) fn function(&self, path: &str) -> FnId {
        let found = self.program.functions.iter().position(|def| def.path.ends_with(&format!("::{path}")));
        FnId(found.unwrap_or_else(|| panic!("no function {path}")) as u32)
    }

    /// The outermost expression with this text in a function, scopes left aside.
    fn expr(&self, function: &str, text: &str) -> (FnId, ExprId) {
        let id = self.function(function);
        let body = self.program.source(id).body.as_ref().expect("it has a body");
        let fits = |at: &usize| {
            let expr = &body.exprs[*at];
            !matches!(expr.kind, ExprKind::TempScope(_)) && self.text(expr.span) == text
        };
        let found = (0..body.exprs.len()).rev().find(fits);
        (id, ExprId(found.unwrap_or_else(|| panic!("no expression `{text}` in {function}")) as u32))
    }

    /// The type of an expression, as text.
    pub(super) fn ty(&self, function: &str, text: &str) -> String {
        let (id, expr) = self.expr(function, text);
        self.show(self.program.typed(id).expr(expr))
    }

    /// The type of a local, as text.
    pub(super) fn local(&self, function: &str, name: &str) -> String {
        let id = self.function(function);
        let body = self.program.source(id).body.as_ref().expect("it has a body");
        let at = body.locals.iter().rposition(|local| local.name == name).expect("there is such a local");
        self.show(&self.program.typed(id).locals[at])
    }

    pub(super) fn def(&self, function: &str, text: &str) -> Def {
        let (id, expr) = self.expr(function, text);
        self.program.typed(id).defs.get(&expr).copied().unwrap_or(Def::Unknown)
    }

    pub(super) fn target(&self, function: &str, text: &str) -> Target {
        let (id, expr) = self.expr(function, text);
        let targets = &self.program.typed(id).targets;
        targets.get(&expr).cloned().unwrap_or_else(|| panic!("`{text}` is no call"))
    }

    /// The paths of the functions that a call may run, in order.
    pub(super) fn calls(&self, function: &str, text: &str) -> Vec<String> {
        let functions = self.target(function, text).functions;
        functions.into_iter().map(|id| self.program.function(id).path.clone()).collect()
    }

    /// The first method, path or macro that the row of a call names.
    pub(super) fn row(&self, function: &str, text: &str) -> Option<String> {
        let row = &Models::builtin().calls[self.target(function, text).row? as usize];
        row.method.first().or_else(|| row.path.first()).or_else(|| row.macros.first()).cloned()
    }

    pub(super) fn show(&self, ty: &Ty) -> String {
        let list = |types: &[Ty]| types.iter().map(|ty| self.show(ty)).collect::<Vec<_>>().join(", ");
        let with =
            |name: &str, args: &[Ty]| if args.is_empty() { name.to_owned() } else { format!("{name}<{}>", list(args)) };
        let last = |path: Symbol| path.as_str().rsplit("::").next().unwrap_or_default().to_owned();
        match ty {
            Ty::Unknown => "_".to_owned(),
            Ty::Adt(id, args) => with(self.program.adt(*id).name.as_str(), args),
            Ty::Ext(path, args) => with(&last(*path), args),
            Ty::Ref(mutable, inner) => format!("&{}{}", if *mutable { "mut " } else { "" }, self.show(inner)),
            Ty::Tuple(items) => format!("({})", list(items)),
            Ty::Slice(item) => format!("[{}]", self.show(item)),
            Ty::Future(output) => format!("Future<{}>", self.show(output)),
            Ty::Closure(_) => "closure".to_owned(),
            Ty::Fn(id) => format!("fn {}", self.program.function(*id).path),
            Ty::Table(id) => format!("table {}", self.program.table(*id).name),
            Ty::Column(id, name) => format!("column {}.{name}", self.program.table(*id).name),
            Ty::Record(id) => format!("record {}", self.program.table(*id).name),
            Ty::Never => "!".to_owned(),
            Ty::Bound { name: Some(name), .. } => name.to_string(),
            Ty::Bound { name: None, bounds } => {
                let bounds = bounds.iter().map(|bound| match bound {
                    BoundTy::Local(id, args) => with(self.program.traits[id.0 as usize].name.as_str(), args),
                    BoundTy::Ext(path, args) => with(&last(*path), args),
                    BoundTy::Fn(params, ret) => format!("Fn({}) -> {}", list(params), self.show(ret)),
                    BoundTy::Assoc(name, ty) => format!("{name} = {}", self.show(ty)),
                });
                format!("dyn {}", bounds.collect::<Vec<_>>().join(" + "))
            }
        }
    }
}
