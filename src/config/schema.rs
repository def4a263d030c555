//! The JSON Schema of `racelint.toml`, for editors.

use serde_json::{Value, json};

use crate::rule::{Group, Rule};

/// The schema, with the names of the rules in it.
pub fn json_schema(all: &[&Rule]) -> Value {
    let names: Vec<_> = all.iter().map(|rule| rule.name).chain(Group::ALL.iter().map(|group| group.name())).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "racelint.toml",
        "description": "The configuration of racelint; the same keys stand under [workspace.metadata.racelint] or [package.metadata.racelint] of a Cargo.toml",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "select": list("Rules and groups that run; all of them where it is empty", json!({ "$ref": "#/$defs/selector" })),
            "ignore": list("Rules and groups that do not run; a rule's name weighs more than its group's", json!({ "$ref": "#/$defs/selector" })),
            "severity": { "$ref": "#/$defs/severities" },
            "exclude": list("What is left out below the given paths, as lines of a .gitignore", json!({ "type": "string" })),
            "models": list("Files with model rows of your own, relative to this file", json!({ "type": "string" })),
            "databases": list("Databases whose schema does not lie beside the code that uses it", databases()),
            "baseline": { "type": "string", "description": "A file of known findings, relative to this file; `--write-baseline` writes it" },
            "cache-dir": { "type": "string", "description": "The folder in which racelint keeps what it found, relative to this file; by default it is one of the user's" },
            "fail-on": { "enum": ["note", "warning", "error", "never"], "default": "warning", "description": "The least severe finding that makes the run fail" },
            "min-confidence": { "enum": ["low", "medium", "high"], "default": "medium", "description": "The least sure finding that is shown" },
            "overrides": list("Settings for parts of the tree; of several that speak of a file, the last wins", overrides())
        },
        "$defs": {
            "name": { "enum": names },
            "selector": { "anyOf": [{ "const": "all" }, { "$ref": "#/$defs/name" }] },
            "severities": {
                "type": "object",
                "description": "Severities other than the rules' own, by rule or group",
                "propertyNames": { "$ref": "#/$defs/name" },
                "additionalProperties": { "enum": ["note", "warning", "error"] }
            }
        }
    })
}

fn databases() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["schema"],
        "properties": {
            "schema": list("Folders and files of SQL in the order they are run, relative to this file", json!({ "type": "string" })),
            "used-by": list("Folders of the code that speaks to it; all code where it is empty", json!({ "type": "string" }))
        }
    })
}

fn overrides() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["paths"],
        "properties": {
            "paths": list("The files spoken of, as lines of a .gitignore", json!({ "type": "string" })),
            "ignore": list("Rules and groups that do not run there", json!({ "$ref": "#/$defs/selector" })),
            "severity": { "$ref": "#/$defs/severities" }
        }
    })
}

fn list(description: &str, items: Value) -> Value {
    json!({ "type": "array", "description": description, "items": items })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Database, Override};
    use crate::rules::ALL;

    /// The keys that a struct takes, as serde names them when it meets one it does not know.
    fn keys(error: &str) -> Vec<&str> {
        let mut keys: Vec<_> = error.split('`').skip(3).step_by(2).collect();
        keys.sort_unstable();
        keys
    }

    fn properties(schema: &Value) -> Vec<&str> {
        let mut keys: Vec<_> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn the_schema_has_the_keys_of_the_structs() {
        let schema = json_schema(ALL);
        let error = toml::from_str::<Config>("zzz = 1").unwrap_err();
        assert_eq!(properties(&schema), keys(error.message()));
        let error = toml::from_str::<Database>("zzz = 1").unwrap_err();
        assert_eq!(properties(&schema["properties"]["databases"]["items"]), keys(error.message()));
        let error = toml::from_str::<Override>("zzz = 1").unwrap_err();
        assert_eq!(properties(&schema["properties"]["overrides"]["items"]), keys(error.message()));
    }
}
