//! Any text as SQL, in every dialect.

#![no_main]

use libfuzzer_sys::fuzz_target;
use racelint::lower::with_stack;
use racelint::sql::{Dialect, parse_all};

fuzz_target!(|text: &str| {
    with_stack(|| {
        for dialect in [Dialect::Unknown, Dialect::Postgres, Dialect::Mysql, Dialect::Sqlite] {
            for statement in parse_all(text, dialect) {
                let _ = (statement.key_columns(), statement.writes(), statement.read_columns());
                assert!(statement.walk().count() > 0);
            }
        }
    });
});
