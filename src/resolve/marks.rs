//! What attributes say of an item: test code, test functions, derives.

use crate::intern::Symbol;
use crate::ir::Attr;

/// `#[cfg(test)]`, or the item is itself a test.
pub(super) fn is_test_code(attrs: &[Attr]) -> bool {
    attrs.iter().any(|attr| attr.path == "cfg" && requires_test(attr.tokens.as_str())) || is_test_entry(attrs)
}

/// `#[test]`, `#[tokio::test]`, `#[sqlx::test]`, `#[rstest]` and their like.
pub(super) fn is_test_entry(attrs: &[Attr]) -> bool {
    attrs.iter().any(|attr| {
        let last = attr.path.as_str().rsplit("::").next().unwrap_or_default();
        matches!(last.trim(), "test" | "rstest" | "test_case" | "quickcheck" | "proptest" | "wasm_bindgen_test")
    })
}

/// Without `test` the condition cannot hold: `test`, or `all(…)` with it. `any(test, feature = "x")` code runs in production too.
fn requires_test(tokens: &str) -> bool {
    let bare: String = tokens.chars().filter(|c| !c.is_whitespace()).collect();
    if bare == "test" {
        return true;
    }
    let Some(list) = bare.strip_prefix("all(").and_then(|rest| rest.strip_suffix(')')) else { return false };
    top_level(list).any(|part| part == "test")
}

/// The parts of a list, commas inside brackets left alone.
pub(super) fn top_level(list: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quoted) = (0i32, false);
    list.split(move |c: char| {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0 && !quoted
    })
    .map(str::trim)
}

/// The last segments of all derives.
pub(super) fn derives(attrs: &[Attr]) -> Vec<Symbol> {
    let lists = attrs.iter().filter(|attr| attr.path == "derive");
    let names = lists.flat_map(|attr| top_level(attr.tokens.as_str()));
    names.filter_map(last_segment).map(Symbol::new).collect()
}

fn last_segment(path: &str) -> Option<&str> {
    path.rsplit("::").next().map(str::trim).filter(|name| !name.is_empty())
}

/// The value of `key = value` in the attributes of a path: `#[sea_orm(table_name = "x")]`, `#[diesel(table_name = a::b)]`, and the older
/// `#[table_name = "x"]`. Quotes and white space are cut.
pub(super) fn value(attrs: &[Attr], path: &str, key: &str) -> Option<String> {
    attrs.iter().find_map(|attr| {
        if attr.path == key {
            return Some(plain(attr.tokens.as_str()));
        }
        if attr.path != path {
            return None;
        }
        top_level(attr.tokens.as_str()).find_map(|part| {
            let (name, value) = part.split_once('=')?;
            (name.trim() == key).then(|| plain(value))
        })
    })
}

/// Whether the attributes of a path hold a word: `#[sea_orm(primary_key)]`.
pub(super) fn has_word(attrs: &[Attr], path: &str, word: &str) -> bool {
    let lists = attrs.iter().filter(|attr| attr.path == path);
    lists.flat_map(|attr| top_level(attr.tokens.as_str())).any(|part| {
        let name = part.split(['=', '(']).next().unwrap_or_default();
        name.trim() == word
    })
}

fn plain(value: &str) -> String {
    value.chars().filter(|c| !c.is_whitespace() && *c != '"').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attr(path: &str, tokens: &str) -> Vec<Attr> {
        vec![Attr { path: Symbol::new(path), tokens: Symbol::new(tokens) }]
    }

    #[test]
    fn test_code_is_what_only_tests_build() {
        assert!(is_test_code(&attr("cfg", "test")));
        assert!(is_test_code(&attr("cfg", "all(unix, test)")));
        assert!(is_test_code(&attr("tokio::test", "flavor = \"multi_thread\"")));
        assert!(!is_test_code(&attr("cfg", "any(test, feature = \"mocks\")")));
        assert!(!is_test_code(&attr("cfg", "not(test)")));
        assert!(!is_test_code(&attr("cfg", "feature = \"test\"")));
    }

    #[test]
    fn derives_and_their_attributes_are_read() {
        let list = derives(&attr("derive", "Clone, serde::Serialize"));
        assert_eq!(list, ["Clone", "Serialize"].map(Symbol::new));
        let diesel = attr("diesel", "table_name = schema::members, check_for_backend(diesel::pg::Pg)");
        assert_eq!(value(&diesel, "diesel", "table_name").as_deref(), Some("schema::members"));
        assert_eq!(value(&attr("table_name", "\"members\""), "diesel", "table_name").as_deref(), Some("members"));
        assert!(has_word(&attr("sea_orm", "primary_key, auto_increment = false"), "sea_orm", "auto_increment"));
        assert!(!has_word(&attr("sea_orm", "column_name = \"unique\""), "sea_orm", "unique"));
    }
}
