//! Names that are in scope without an import, by canonical path.

use crate::intern::Symbol;

const TYPES: &[(&str, &str)] = &[
    ("Option", "std::option::Option"),
    ("Result", "std::result::Result"),
    ("Vec", "std::vec::Vec"),
    ("String", "std::string::String"),
    ("Box", "std::boxed::Box"),
    ("ToString", "std::string::ToString"),
    ("ToOwned", "std::borrow::ToOwned"),
    ("Clone", "std::clone::Clone"),
    ("Copy", "std::marker::Copy"),
    ("Send", "std::marker::Send"),
    ("Sync", "std::marker::Sync"),
    ("Sized", "std::marker::Sized"),
    ("Unpin", "std::marker::Unpin"),
    ("Drop", "std::ops::Drop"),
    ("Default", "std::default::Default"),
    ("Iterator", "std::iter::Iterator"),
    ("IntoIterator", "std::iter::IntoIterator"),
    ("DoubleEndedIterator", "std::iter::DoubleEndedIterator"),
    ("ExactSizeIterator", "std::iter::ExactSizeIterator"),
    ("Extend", "std::iter::Extend"),
    ("FromIterator", "std::iter::FromIterator"),
    ("From", "std::convert::From"),
    ("Into", "std::convert::Into"),
    ("TryFrom", "std::convert::TryFrom"),
    ("TryInto", "std::convert::TryInto"),
    ("AsRef", "std::convert::AsRef"),
    ("AsMut", "std::convert::AsMut"),
    ("Future", "std::future::Future"),
    ("IntoFuture", "std::future::IntoFuture"),
    ("PartialEq", "std::cmp::PartialEq"),
    ("Eq", "std::cmp::Eq"),
    ("PartialOrd", "std::cmp::PartialOrd"),
    ("Ord", "std::cmp::Ord"),
];

const VALUES: &[(&str, &str)] = &[
    ("Some", "std::option::Option::Some"),
    ("None", "std::option::Option::None"),
    ("Ok", "std::result::Result::Ok"),
    ("Err", "std::result::Result::Err"),
    ("drop", "std::mem::drop"),
];

const PRIMITIVES: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "f32", "f64",
];

/// A type or trait of the prelude.
pub(super) fn ty(name: Symbol) -> Option<Symbol> {
    find(TYPES, name)
}

/// A function or constructor of the prelude.
pub(super) fn value(name: Symbol) -> Option<Symbol> {
    find(VALUES, name)
}

pub(super) fn is_primitive(name: Symbol) -> bool {
    PRIMITIVES.contains(&name.as_str())
}

/// Methods of std that no model row needs to speak of; a receiver of unknown type may well have one of these.
const COMMON_METHODS: &[&str] = &[
    "add",
    "all",
    "any",
    "append",
    "apply",
    "as_bytes",
    "as_deref",
    "as_ref",
    "as_slice",
    "as_str",
    "body",
    "borrow",
    "build",
    "bytes",
    "call",
    "cancel",
    "chain",
    "chars",
    "check",
    "clear",
    "clone",
    "cloned",
    "close",
    "cmp",
    "collect",
    "commit",
    "connect",
    "contains",
    "contains_key",
    "copied",
    "count",
    "create",
    "data",
    "default",
    "delete",
    "deref",
    "description",
    "display",
    "drain",
    "drop",
    "end",
    "ends_with",
    "entry",
    "enumerate",
    "eq",
    "err",
    "error",
    "execute",
    "exists",
    "exit",
    "extend",
    "fetch",
    "filter",
    "find",
    "finish",
    "first",
    "flatten",
    "flush",
    "fmt",
    "fold",
    "format",
    "from",
    "generate",
    "get",
    "get_mut",
    "get_or_insert_with",
    "handle",
    "hash",
    "header",
    "headers",
    "id",
    "init",
    "inner",
    "insert",
    "into",
    "into_inner",
    "into_iter",
    "into_response",
    "is_empty",
    "iter",
    "iter_mut",
    "join",
    "key",
    "keys",
    "kind",
    "last",
    "len",
    "lines",
    "list",
    "load",
    "lock",
    "log",
    "map",
    "map_err",
    "max",
    "merge",
    "message",
    "method",
    "min",
    "name",
    "ne",
    "new",
    "next",
    "nth",
    "ok",
    "open",
    "or_insert",
    "parse",
    "partial_cmp",
    "path",
    "peek",
    "poll",
    "pop",
    "position",
    "post",
    "process",
    "publish",
    "push",
    "push_str",
    "put",
    "query",
    "read",
    "receive",
    "record",
    "recv",
    "register",
    "release",
    "remove",
    "replace",
    "request",
    "reserve",
    "reset",
    "retain",
    "rev",
    "rollback",
    "route",
    "run",
    "save",
    "select",
    "send",
    "serialize",
    "set",
    "shutdown",
    "size",
    "skip",
    "sort",
    "split",
    "start",
    "starts_with",
    "state",
    "status",
    "stop",
    "store",
    "sum",
    "swap",
    "sync",
    "take",
    "tick",
    "to_owned",
    "to_string",
    "to_vec",
    "trim",
    "truncate",
    "try_from",
    "try_into",
    "try_send",
    "unwrap",
    "update",
    "url",
    "validate",
    "value",
    "values",
    "version",
    "visit",
    "wait",
    "with",
    "write",
    "zip",
];

/// A method name that says nothing of whose it is.
pub(super) fn is_common_method(name: Symbol) -> bool {
    COMMON_METHODS.binary_search(&name.as_str()).is_ok()
}

fn find(names: &[(&str, &str)], name: Symbol) -> Option<Symbol> {
    let name = name.as_str();
    names.iter().find(|(short, _)| *short == name).map(|(_, path)| Symbol::new(path))
}

macro_rules! well_known {
    ($($(#[$doc:meta])* $name:ident = $path:literal),* $(,)?) => {
        /// Types whose shape the language itself uses.
        pub(super) struct Known { $($(#[$doc])* pub(super) $name: Symbol),* }

        static KNOWN: std::sync::LazyLock<Known> =
            std::sync::LazyLock::new(|| Known { $($name: Symbol::new($path)),* });
    };
}

well_known! {
    option = "std::option::Option",
    result = "std::result::Result",
    vec = "std::vec::Vec",
    string = "std::string::String",
    boxed = "std::boxed::Box",
    arc = "std::sync::Arc",
    rc = "std::rc::Rc",
    pin = "std::pin::Pin",
    local_key = "std::thread::LocalKey",
    task_local_key = "tokio::task::LocalKey",
    iterator = "std::iter::Iterator",
    range = "std::ops::Range",
    future = "std::future::Future",
    some = "std::option::Option::Some",
    none = "std::option::Option::None",
    ok = "std::result::Result::Ok",
    err = "std::result::Result::Err",
    str = "str",
    bool = "bool",
    char = "char",
    i32 = "i32",
    f64 = "f64",
    u8 = "u8",
    self_type = "Self",
}

/// The symbols of types that the language knows.
pub(super) fn known() -> &'static Known {
    &KNOWN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_methods_are_found() {
        assert!(COMMON_METHODS.is_sorted());
        assert!(is_common_method(Symbol::new("insert")));
        assert!(!is_common_method(Symbol::new("find_by_mail")));
    }
}
