//! A lowered file as text, for tests and for people who ask what the analysis saw.
//!
//! It looks like Rust, with what lowering made explicit: locals carry their number (`x#1`), `temps(e)` ends the temporaries of `e`, macros show their kind.

mod code;
mod pats;

use std::fmt::Write;

use crate::ir::{Bound, Container, File, Function, Generic, PathRef, Receiver, Static, Type, TypeRef};

/// The whole file.
pub fn dump(file: &File) -> String {
    let mut out = String::new();
    modules(file, &mut out);
    types(file, &mut out);
    for item in &file.statics {
        static_(file, item, &mut out);
    }
    for function in &file.functions {
        self::function(file, function, &mut out);
    }
    for one in &file.not_understood {
        line(&mut out, format_args!("not understood: {} at {}", one.what, one.span.start));
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}

fn modules(file: &File, out: &mut String) {
    for module in file.modules.iter().skip(1) {
        let kind = if module.inline { "{}" } else { ";" };
        line(out, format_args!("mod {}{kind} in {}", module.name, module.parent));
    }
    for leaf in &file.uses {
        let path: Vec<&str> = leaf.path.iter().map(|name| name.as_str()).collect();
        let name = leaf.name.map_or("*", |name| name.as_str());
        line(out, format_args!("use {} as {name}", path.join("::")));
    }
    for include in &file.includes {
        line(out, format_args!("include {} in {}", include.path, include.module));
    }
    for rules in &file.macros {
        line(out, format_args!("macro {}{}", rules.name, if rules.exits { " exits" } else { "" }));
    }
    for table in &file.tables {
        let columns: Vec<String> =
            table.columns.iter().map(|column| format!("{}: {}", column.sql_name, type_text(file, column.ty))).collect();
        let keys: Vec<&str> = table.keys.iter().map(|key| key.as_str()).collect();
        line(out, format_args!("table {} ({}) {{ {} }}", table.sql_name, keys.join(", "), columns.join(", ")));
    }
}

fn types(file: &File, out: &mut String) {
    for item in &file.structs {
        let fields: Vec<String> =
            item.fields.iter().map(|field| format!("{}: {}", field.name, type_text(file, field.ty))).collect();
        line(out, format_args!("struct {}{} {{ {} }}", item.name, generics(file, &item.generics), fields.join(", ")));
    }
    for item in &file.enums {
        let variants: Vec<String> =
            item.variants.iter().map(|variant| format!("{}/{}", variant.name, variant.fields.len())).collect();
        line(out, format_args!("enum {}{} {{ {} }}", item.name, generics(file, &item.generics), variants.join(", ")));
    }
    for item in &file.traits {
        let supers = bounds(file, &item.supertraits);
        line(out, format_args!("trait {}{}: {supers}", item.name, generics(file, &item.generics)));
    }
    for item in &file.impls {
        let of = item.trait_.map_or(String::new(), |path| format!("{} for ", path_text(file, path)));
        line(out, format_args!("impl{} {of}{}", generics(file, &item.generics), type_text(file, item.self_ty)));
    }
    for item in &file.aliases {
        line(out, format_args!("type {} = {}", item.name, type_text(file, item.ty)));
    }
}

fn static_(file: &File, item: &Static, out: &mut String) {
    let head = format!("{:?} {}: {}", item.kind, item.name, type_text(file, item.ty));
    match &item.init {
        None => line(out, format_args!("{head}")),
        Some(body) => line(out, format_args!("{head} = {}", code::body(file, body))),
    }
}

fn function(file: &File, function: &Function, out: &mut String) {
    for attr in &function.attrs {
        line(out, format_args!("#[{}({})]", attr.path, attr.tokens));
    }
    let place = match function.container {
        Container::Module => String::new(),
        Container::Impl(place) => format!("impl {place} "),
        Container::Trait(place) => format!("trait {place} "),
        Container::Function(place) => format!("in fn {place} "),
    };
    let receiver = function.receiver.map(|receiver| match receiver {
        Receiver::Value => "self".to_owned(),
        Receiver::Ref => "&self".to_owned(),
        Receiver::RefMut => "&mut self".to_owned(),
        Receiver::Typed(ty) => format!("self: {}", type_text(file, ty)),
    });
    let params = function.params.iter().map(|param| {
        let pat = match (param.pat, &function.body) {
            (Some(pat), Some(body)) => code::pat(file, body, pat),
            _ => param.name.map_or("_".to_owned(), |name| name.to_string()),
        };
        format!("{pat}: {}", type_text(file, param.ty))
    });
    let params: Vec<String> = receiver.into_iter().chain(params).collect();
    let ret = function.ret.map_or(String::new(), |ret| format!(" -> {}", type_text(file, ret)));
    let head = if function.is_async { "async fn" } else { "fn" };
    let generics = generics(file, &function.generics);
    let body = function.body.as_ref().map_or(";".to_owned(), |body| format!(" {}", code::body(file, body)));
    line(out, format_args!("{place}{head} {}{generics}({}){ret}{body}", function.name, params.join(", ")));
}

fn generics(file: &File, generics: &[Generic]) -> String {
    if generics.is_empty() {
        return String::new();
    }
    let each: Vec<String> = generics
        .iter()
        .map(|generic| match generic.bounds.as_slice() {
            [] => generic.name.to_string(),
            some => format!("{}: {}", generic.name, bounds(file, some)),
        })
        .collect();
    format!("<{}>", each.join(", "))
}

fn bounds(file: &File, bounds: &[Bound]) -> String {
    let each: Vec<String> = bounds
        .iter()
        .map(|bound| match bound {
            Bound::Trait(path) => path_text(file, *path),
            Bound::Fn(ty) => type_text(file, *ty),
        })
        .collect();
    each.join(" + ")
}

fn list(file: &File, types: &[TypeRef]) -> String {
    let each: Vec<String> = types.iter().map(|ty| type_text(file, *ty)).collect();
    each.join(", ")
}

/// A type as text.
pub fn type_text(file: &File, ty: TypeRef) -> String {
    match &file.types[ty.0 as usize] {
        Type::Path(path) => path_text(file, *path),
        Type::Ref { mutable, inner } => format!("&{}{}", if *mutable { "mut " } else { "" }, type_text(file, *inner)),
        Type::Ptr(inner) => format!("*{}", type_text(file, *inner)),
        Type::Tuple(elems) => format!("({})", list(file, elems)),
        Type::Slice(elem) => format!("[{}]", type_text(file, *elem)),
        Type::Array(elem) => format!("[{}; _]", type_text(file, *elem)),
        Type::Fn { params, ret } => {
            let ret = ret.map_or(String::new(), |ret| format!(" -> {}", type_text(file, ret)));
            format!("fn({}){ret}", list(file, params))
        }
        Type::Dyn(bounds) => format!("dyn {}", self::bounds(file, bounds)),
        Type::Impl(bounds) => format!("impl {}", self::bounds(file, bounds)),
        Type::Never => "!".to_owned(),
        Type::Infer => "_".to_owned(),
    }
}

/// A path as text.
pub fn path_text(file: &File, path: PathRef) -> String {
    let path = &file.paths[path.0 as usize];
    let mut out = String::new();
    if path.global {
        out.push_str("::");
    }
    let segments: Vec<String> = path
        .segments
        .iter()
        .map(|segment| {
            let bindings = segment.bindings.iter().map(|(name, ty)| format!("{name} = {}", type_text(file, *ty)));
            let args: Vec<String> = segment.args.iter().map(|ty| type_text(file, *ty)).chain(bindings).collect();
            if args.is_empty() { segment.name.to_string() } else { format!("{}<{}>", segment.name, args.join(", ")) }
        })
        .collect();
    let Some(qself) = path.qself else { return out + &segments.join("::") };
    let (of, rest) = segments.split_at(usize::from(path.trait_len).min(segments.len()));
    let of = if of.is_empty() { String::new() } else { format!(" as {}", of.join("::")) };
    format!("{out}<{}{of}>::{}", type_text(file, qself), rest.join("::"))
}
