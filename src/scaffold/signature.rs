//! A signature as a test needs it: the written type of each parameter, as a field that owns it and as a local, and how the call takes it.

use crate::ir::{self, Container, Receiver, Type, TypeRef};
use crate::resolve::{FnId, Ty};
use crate::rules::Scope;
use crate::source::Span;

/// How a call takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// `&value`
    Shared,
    /// `&mut value`: nobody else has it.
    Mutable,
    Copied,
    /// A clone of it is the same thing, or as good.
    Cloned,
    Moved,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: String,
    /// Its type in a struct that owns it, where lifetimes must be said.
    pub field: String,
    /// Its type at a `let`.
    pub local: String,
    pub passing: Passing,
    /// A trait object, which is owned in a box.
    pub boxed: bool,
    pub is_receiver: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Signature {
    pub receiver: Option<Param>,
    pub params: Vec<Param>,
    /// The type whose function it is.
    pub self_ty: Option<String>,
    /// What only the team can say before the function can be called.
    pub obstacle: Option<String>,
}

impl Signature {
    pub fn of(scope: &Scope, id: FnId) -> Signature {
        let reader = Reader { scope, file: scope.program.file(id), function: scope.program.source(id) };
        let def = scope.program.function(id);
        let mut out = Signature { self_ty: reader.self_type(), ..Signature::default() };
        let function = reader.function;
        out.obstacle = reader.container_obstacle(out.self_ty.as_deref());
        out.receiver = function.receiver.map(|receiver| reader.receiver(receiver, out.self_ty.as_deref()));
        for (place, (param, ty)) in function.params.iter().zip(&def.params).enumerate() {
            if out.obstacle.is_none() && reader.is_open(param.ty, 0) {
                let name = param.name.map_or_else(|| format!("argument {}", place + 1), |name| format!("`{name}`"));
                out.obstacle = Some(format!("choose a type for {name}, which is the caller's choice"));
            }
            out.params.push(reader.param(place, param, ty, out.self_ty.as_deref()));
        }
        out.self_ty = out.self_ty.map(|ty| with_lifetimes(&ty, "'_"));
        out
    }
}

struct Reader<'s, 'v> {
    scope: &'s Scope<'v>,
    file: &'s ir::File,
    function: &'s ir::Function,
}

impl Reader<'_, '_> {
    fn ty(&self, id: TypeRef) -> &Type {
        &self.file.types[id.0 as usize]
    }

    fn impl_(&self) -> Option<&ir::Impl> {
        match self.function.container {
            Container::Impl(place) => self.file.impls.get(place as usize),
            _ => None,
        }
    }

    /// The type that an impl is of, as its header writes it.
    fn self_type(&self) -> Option<String> {
        let header = self.scope.sources.text(self.impl_()?.span).split('{').next()?;
        self_type_of(header)
    }

    /// Why nothing can be called here at all.
    fn container_obstacle(&self, self_ty: Option<&str>) -> Option<String> {
        match self.function.container {
            Container::Module => None,
            Container::Function(_) => {
                Some("a function inside a function is called through the outer one: call that".to_owned())
            }
            Container::Trait(_) => Some("choose an implementation: this is the default of a trait".to_owned()),
            Container::Impl(_) => {
                let own = self.impl_()?;
                match (self_ty, own.generics.is_empty() && !self.is_open(own.self_ty, 0)) {
                    (Some(_), true) => None,
                    _ => Some("choose the type arguments of the type that it is a method of".to_owned()),
                }
            }
        }
    }

    /// A type that names a type parameter, or `impl Trait`, in any part.
    fn is_open(&self, id: TypeRef, depth: u32) -> bool {
        if depth > 8 {
            return false;
        }
        let generics = self.function.generics.iter().chain(self.impl_().into_iter().flat_map(|own| &own.generics));
        match self.ty(id) {
            Type::Impl(_) => true,
            Type::Path(path) => {
                let path = &self.file.paths[path.0 as usize];
                let args = path.segments.iter().flat_map(|segment| &segment.args);
                let first = path.segments.first().map(|segment| segment.name);
                let mut generics = generics;
                generics.any(|generic| Some(generic.name) == first)
                    || args.clone().any(|arg| self.is_open(*arg, depth + 1))
            }
            Type::Ref { inner, .. } | Type::Ptr(inner) | Type::Slice(inner) | Type::Array(inner) => {
                self.is_open(*inner, depth + 1)
            }
            Type::Tuple(parts) => parts.iter().any(|part| self.is_open(*part, depth + 1)),
            Type::Fn { .. } | Type::Dyn(_) | Type::Never | Type::Infer => false,
        }
    }

    fn receiver(&self, receiver: Receiver, self_ty: Option<&str>) -> Param {
        let ty = self_ty.unwrap_or("Self").to_owned();
        let (passing, ty) = match receiver {
            Receiver::Value => (Passing::Moved, ty),
            Receiver::Ref => (Passing::Shared, ty),
            Receiver::RefMut => (Passing::Mutable, ty),
            Receiver::Typed(of) => match self.ty(of) {
                Type::Ref { mutable, .. } => {
                    (if *mutable { Passing::Mutable } else { Passing::Shared }, format!("std::sync::Arc<{ty}>"))
                }
                _ => (Passing::Cloned, format!("std::sync::Arc<{ty}>")),
            },
        };
        let bare = self_ty.and_then(|ty| ty.split('<').next()).and_then(|ty| ty.rsplit("::").next());
        let name = snake(bare.unwrap_or("it"));
        let (field, local) = (with_lifetimes(&ty, "'static"), with_lifetimes(&ty, "'_"));
        Param { name, field, local, passing, boxed: false, is_receiver: true }
    }

    fn param(&self, place: usize, param: &ir::Param, ty: &Ty, self_ty: Option<&str>) -> Param {
        let written = self.written(param).unwrap_or_else(|| "_".to_owned());
        let written = with_self(&written, self_ty.unwrap_or("Self"));
        let name = param.name.map(|name| name.as_str().trim_start_matches('_').to_owned());
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| self.name_by_type(param.ty, place));
        let (bare, boxed, passing) = match self.ty(param.ty) {
            Type::Ref { mutable, inner } => {
                let (bare, boxed) = self.owned(*inner, strip_reference(&written));
                (bare, boxed, if *mutable { Passing::Mutable } else { Passing::Shared })
            }
            _ => (written, false, self.by_value(ty)),
        };
        Param {
            name,
            field: with_lifetimes(&bare, "'static"),
            local: with_lifetimes(&bare, "'_"),
            passing,
            boxed,
            is_receiver: false,
        }
    }

    /// The text of a parameter's type.
    fn written(&self, param: &ir::Param) -> Option<String> {
        let pat = self.function.body.as_ref()?.pat(param.pat?).span;
        let end = self.function.span.end;
        let rest = self.scope.sources.text(Span { start: pat.end, end, ..pat });
        let (_, ty) = rest.split_once(':')?;
        Some(up_to_comma(ty).split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// What owns that to which a reference leads; and whether it is a box.
    fn owned(&self, inner: TypeRef, text: &str) -> (String, bool) {
        match self.ty(inner) {
            Type::Dyn(_) => (format!("Box<{}>", text.trim_start_matches('(').trim_end_matches(')')), true),
            Type::Slice(_) => (format!("Vec<{}>", text.trim_start_matches('[').trim_end_matches(']')), false),
            Type::Path(path) => match self.file.paths[path.0 as usize].segments.last().map(|last| last.name.as_str()) {
                Some("str") => ("String".to_owned(), false),
                Some("Path") => ("std::path::PathBuf".to_owned(), false),
                _ => (text.to_owned(), false),
            },
            _ => (text.to_owned(), false),
        }
    }

    fn name_by_type(&self, ty: TypeRef, place: usize) -> String {
        let last =
            |path: &ir::PathRef| self.file.paths[path.0 as usize].segments.last().map(|last| snake(last.name.as_str()));
        match self.ty(ty) {
            Type::Path(path) => last(path).unwrap_or_else(|| format!("argument_{}", place + 1)),
            Type::Ref { inner, .. } => self.name_by_type(*inner, place),
            _ => format!("argument_{}", place + 1),
        }
    }

    fn by_value(&self, ty: &Ty) -> Passing {
        let Ty::Ext(path, _) = ty else { return Passing::Moved };
        let models = self.scope.models;
        let shared = models.type_by_path(path.as_str()).is_some_and(|row| models.types[row as usize].shared);
        match path.as_str() {
            "bool" | "char" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64"
            | "i128" | "isize" | "f32" | "f64" => Passing::Copied,
            "std::string::String" | "std::path::PathBuf" | "std::sync::Arc" => Passing::Cloned,
            _ if shared => Passing::Cloned,
            _ => Passing::Moved,
        }
    }
}

fn strip_reference(text: &str) -> &str {
    let mut rest = text.trim_start_matches('&').trim_start();
    if rest.starts_with('\'') {
        rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
    }
    rest.strip_prefix("mut ").unwrap_or(rest)
}

/// A type's text ends at the first comma or closing bracket that is not inside its own.
fn up_to_comma(text: &str) -> &str {
    let (mut depth, mut before) = (0_i32, ' ');
    for (at, mark) in text.char_indices() {
        match mark {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            ')' | ']' if depth == 0 => return &text[..at],
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => return &text[..at],
            _ => {}
        }
        before = mark;
    }
    text
}

/// `impl<'a> Store for Rows<'a> where …` → `Rows<'a>`
fn self_type_of(header: &str) -> Option<String> {
    let rest = header.split_once("impl")?.1.trim_start();
    let rest = match rest.strip_prefix('<') {
        Some(generics) => generics.get(after_generics(generics)..)?,
        None => rest,
    };
    let rest = rest.split_once(" for ").map_or(rest, |(_, of)| of);
    let rest = rest.split(" where").next()?;
    Some(rest.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|ty| !ty.is_empty())
}

/// Where the bracket closes that stands before the text.
fn after_generics(text: &str) -> usize {
    let (mut depth, mut before) = (1, ' ');
    for (at, mark) in text.char_indices() {
        match mark {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
        before = mark;
    }
    text.len()
}

/// `Self`, by its name.
fn with_self(text: &str, name: &str) -> String {
    words(text).map(|word| if word == "Self" { name } else { word }).collect()
}

/// Every lifetime is this one; a struct must say those of references too.
fn with_lifetimes(text: &str, lifetime: &str) -> String {
    let mut out = String::new();
    let mut rest = words(text).peekable();
    while let Some(word) = rest.next() {
        match word {
            "'" => {
                rest.next();
                out.push_str(lifetime);
            }
            "&" if lifetime == "'static" && rest.peek() != Some(&"'") => out.push_str("&'static "),
            word => out.push_str(word),
        }
    }
    out
}

/// Words, and each other mark alone.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |mark: char| mark.is_alphanumeric() || mark == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end =
            if is_word(first) { rest.find(|mark| !is_word(mark)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// `TicketStore` → `ticket_store`
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (place, mark) in name.char_indices() {
        if mark.is_uppercase() && place > 0 && !out.ends_with('_') {
            out.push('_');
        }
        out.extend(mark.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_ends_where_its_parameter_does() {
        assert_eq!(up_to_comma(" &HashMap<String, (u8, u8)>, next: u8)"), " &HashMap<String, (u8, u8)>");
        assert_eq!(up_to_comma(" &dyn Fn(u8) -> Vec<u8>) -> bool"), " &dyn Fn(u8) -> Vec<u8>");
    }

    #[test]
    fn lifetimes_are_said_where_a_struct_wants_them() {
        assert_eq!(with_lifetimes("Option<&str>", "'static"), "Option<&'static str>");
        assert_eq!(with_lifetimes("Tx<'a, Postgres>", "'static"), "Tx<'static, Postgres>");
        assert_eq!(with_lifetimes("Tx<'a, Postgres>", "'_"), "Tx<'_, Postgres>");
        assert_eq!(strip_reference("&'a mut Tx<'a>"), "Tx<'a>");
        assert_eq!(strip_reference("&str"), "str");
    }

    #[test]
    fn names_come_from_types() {
        assert_eq!(snake("TicketStore"), "ticket_store");
        assert_eq!(self_type_of("impl<'a, F: Fn() -> u8> Rows<'a> "), Some("Rows<'a>".to_owned()));
        assert_eq!(self_type_of("impl Store for crate::Rows where u8: Copy"), Some("crate::Rows".to_owned()));
        assert_eq!(with_self("Arc<Self>", "Store"), "Arc<Store>");
    }
}
