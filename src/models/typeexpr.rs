//! The words in which model rows write types: `Result<Option<$0>>`, `&$self`, `std::collections::HashMap<$0, $1>`.
//!
//! Paths are canonical (`std::`, never `core::` or `alloc::`); the names of [`SHORT`] may be written without theirs. What a word stands for at a call is
//! for `resolve` to fill in.

use crate::intern::Symbol;

/// A type as a model row writes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeExpr {
    /// `_`: not told.
    Unknown,
    /// A type of a library or of std by its canonical path, or a primitive (`bool`, `str`), with its arguments.
    Path(Symbol, Vec<TypeExpr>),
    /// `&T`, `&mut T`
    Ref(bool, Box<TypeExpr>),
    /// `()`, `(A, B)`
    Tuple(Vec<TypeExpr>),
    /// `[T]`
    Slice(Box<TypeExpr>),
    /// `Future<T>`: a future of the type, before it is awaited.
    Future(Box<TypeExpr>),
    /// A type known only at the call, and the way from there: `$arg0.item`.
    Var(Var, Vec<Project>),
    /// `$fish0 | $1`: the first of them that is known.
    Either(Vec<TypeExpr>),
}

/// A type known at the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Var {
    /// `$0`: a type argument of the receiver, as the type that the row's `on` names has them; of a function `Type::name`, one of the type's.
    Param(usize),
    /// `$self`: the receiver without references, dereferenced to the type that matched `on`; the receiver itself where that is `*`.
    Receiver,
    /// `$arg0`: the type of an argument.
    Arg(usize),
    /// `$fish0`: a type of the turbofish.
    Fish(usize),
    /// `$ret`: the value of the closure; of an async one, what awaiting it gives.
    Ret,
    /// `$or`: the value of the closure `otherwise`.
    Otherwise,
}

/// A step from one type to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Project {
    /// `.1`: a type argument.
    Arg(usize),
    /// `.target`: what the type dereferences to; of `&T`, `T`.
    Target,
    /// `.item`: what iterating over it gives.
    Item,
    /// `.output`: what awaiting it gives.
    Output,
    /// `.row`: of a table or of a record of it, the struct that one of its rows is read into (a sea-orm Model).
    Row,
    /// `.record`: of a table or of the struct of its rows, what is written to it (an ActiveModel).
    Record,
}

/// Names that need no path.
pub const SHORT: &[(&str, &str)] = &[
    ("Option", "std::option::Option"),
    ("Result", "std::result::Result"),
    ("Vec", "std::vec::Vec"),
    ("String", "std::string::String"),
    ("Box", "std::boxed::Box"),
    ("Arc", "std::sync::Arc"),
    ("Rc", "std::rc::Rc"),
    ("Iterator", "std::iter::Iterator"),
];

/// Primitive types.
pub const PRIMITIVES: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "f32", "f64",
];

/// Reads a type.
pub fn parse(text: &str) -> Result<TypeExpr, String> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let ty = parser.ty()?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(format!("`{}` is left over in the type `{text}`", &text[parser.at..]));
    }
    Ok(ty)
}

/// Rows nest types a few levels deep; the bound keeps a hostile file from exhausting the stack.
const MAX_DEPTH: usize = 32;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn ty(&mut self) -> Result<TypeExpr, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("the type `{}` is nested too deeply", self.text));
        }
        let mut types = vec![self.ty_inside()?];
        while self.eat("|") {
            types.push(self.ty_inside()?);
        }
        self.depth -= 1;
        Ok(if types.len() > 1 { TypeExpr::Either(types) } else { types.remove(0) })
    }

    fn ty_inside(&mut self) -> Result<TypeExpr, String> {
        if self.eat("&") {
            let mutable = self.eat("mut ");
            return Ok(TypeExpr::Ref(mutable, Box::new(self.ty()?)));
        }
        if self.eat("(") {
            return Ok(TypeExpr::Tuple(self.list(")")?));
        }
        if self.eat("[") {
            let inner = self.ty()?;
            self.expect("]")?;
            return Ok(TypeExpr::Slice(Box::new(inner)));
        }
        if self.eat("$") {
            return self.var();
        }
        self.path()
    }

    fn list(&mut self, close: &str) -> Result<Vec<TypeExpr>, String> {
        let mut types = Vec::new();
        while !self.eat(close) {
            types.push(self.ty()?);
            if !self.eat(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(types)
    }

    fn var(&mut self) -> Result<TypeExpr, String> {
        let name = self.word(|c| c.is_ascii_alphanumeric());
        let var = var_of(name).ok_or_else(|| {
            format!("`${name}` stands for nothing: there are `$0`, `$self`, `$arg0`, `$fish0`, `$ret` and `$or`")
        })?;
        let mut projects = Vec::new();
        while self.text[self.at..].starts_with('.') {
            self.at += 1;
            projects.push(self.project()?);
        }
        Ok(TypeExpr::Var(var, projects))
    }

    fn project(&mut self) -> Result<Project, String> {
        let name = self.word(|c| c.is_ascii_alphanumeric());
        match name {
            "target" => Ok(Project::Target),
            "item" => Ok(Project::Item),
            "output" => Ok(Project::Output),
            "row" => Ok(Project::Row),
            "record" => Ok(Project::Record),
            _ => name.parse().map(Project::Arg).map_err(|_| {
                format!("`.{name}` leads nowhere: there are `.0`, `.target`, `.item`, `.output`, `.row` and `.record`")
            }),
        }
    }

    fn path(&mut self) -> Result<TypeExpr, String> {
        let name = self.word(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':');
        match name {
            "" => return Err(format!("a type is missing in `{}`", self.text)),
            "_" => return Ok(TypeExpr::Unknown),
            _ => {}
        }
        let args = if self.eat("<") { self.list(">")? } else { Vec::new() };
        if name == "Future" {
            let [output] = <[TypeExpr; 1]>::try_from(args).map_err(|_| "`Future` takes one type".to_owned())?;
            return Ok(TypeExpr::Future(Box::new(output)));
        }
        Ok(TypeExpr::Path(Symbol::new(full_path(name)?), args))
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        self.skip_space();
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(format!("`{token}` is missing in the type `{}`", self.text)) }
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }
}

fn var_of(name: &str) -> Option<Var> {
    match name {
        "self" => Some(Var::Receiver),
        "ret" => Some(Var::Ret),
        "or" => Some(Var::Otherwise),
        _ => {
            let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let number = digits.parse().ok()?;
            match &name[..name.len() - digits.len()] {
                "" => Some(Var::Param(number)),
                "arg" => Some(Var::Arg(number)),
                "fish" => Some(Var::Fish(number)),
                _ => None,
            }
        }
    }
}

fn full_path(name: &str) -> Result<&str, String> {
    if let Some((_, path)) = SHORT.iter().find(|(short, _)| *short == name) {
        return Ok(path);
    }
    if PRIMITIVES.contains(&name) {
        return Ok(name);
    }
    if name.starts_with("core::") || name.starts_with("alloc::") {
        return Err(format!("`{name}` is written with `std::` in models"));
    }
    let segments_are_names = name.split("::").all(|s| !s.is_empty() && !s.contains(':'));
    if !name.contains("::") || !segments_are_names {
        return Err(format!("`{name}` is no path: only primitive types and {} need none", short_names()));
    }
    Ok(name)
}

fn short_names() -> String {
    SHORT.iter().map(|(short, _)| format!("`{short}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str, args: Vec<TypeExpr>) -> TypeExpr {
        TypeExpr::Path(Symbol::new(name), args)
    }

    #[test]
    fn types_of_rows_are_read() {
        let first = || TypeExpr::Var(Var::Param(0), Vec::new());
        assert_eq!(
            parse("Result<Option<$0>>"),
            Ok(path("std::result::Result", vec![path("std::option::Option", vec![first()])]))
        );
        assert_eq!(parse("&mut $self"), Ok(TypeExpr::Ref(true, Box::new(TypeExpr::Var(Var::Receiver, vec![])))));
        assert_eq!(parse("()"), Ok(TypeExpr::Tuple(vec![])));
        assert_eq!(parse("( & $0 , $1 , )").map(|t| matches!(t, TypeExpr::Tuple(ts) if ts.len() == 2)), Ok(true));
        assert_eq!(parse("Future<$ret>"), Ok(TypeExpr::Future(Box::new(TypeExpr::Var(Var::Ret, vec![])))));
        assert_eq!(parse("[u8]"), Ok(TypeExpr::Slice(Box::new(path("u8", vec![])))));
        assert_eq!(
            parse("Vec<$arg0.item.output>"),
            Ok(path("std::vec::Vec", vec![TypeExpr::Var(Var::Arg(0), vec![Project::Item, Project::Output])]))
        );
        let fish = TypeExpr::Var(Var::Fish(0), Vec::new());
        assert_eq!(parse("Vec<$fish0 | $0>"), Ok(path("std::vec::Vec", vec![TypeExpr::Either(vec![fish, first()])])));
        assert_eq!(
            parse("tokio::sync::MutexGuard<$0, _>"),
            Ok(path("tokio::sync::MutexGuard", vec![first(), TypeExpr::Unknown]))
        );
    }

    #[test]
    fn types_that_say_nothing_are_refused() {
        for text in [
            "",
            "Option<",
            "$0 |",
            "Option<$0>>",
            "$what",
            "$0.next",
            "Maybe<$0>",
            "a::",
            ":::",
            "core::option::Option",
            "Future",
            "[u8",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"&".repeat(10_000)).is_err());
    }
}
