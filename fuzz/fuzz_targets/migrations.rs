//! Any texts as migrations, with the suppressions in them: spans lie inside.

#![no_main]

use libfuzzer_sys::fuzz_target;
use racelint::config::Config;
use racelint::discover::{Database, Inventory};
use racelint::lower::with_stack;
use racelint::models::Models;
use racelint::schema;
use racelint_fuzz::sources;

fuzz_target!(|texts: (&str, &str)| {
    let sources = sources(&[("migrations/1_first.sql", texts.0), ("migrations/2_second.up.sql", texts.1)]);
    let database = Database { schema: vec!["migrations".to_owned()], used_by: Vec::new() };
    with_stack(|| {
        for databases in [&[] as &[Database], &[database]] {
            let set = schema::build(&sources, databases);
            for skipped in &set.skipped {
                let text = &sources.get(skipped.span.source).text;
                assert!(text.get(skipped.span.start as usize..skipped.span.end as usize).is_some());
            }
            let _ = set.to_string();
        }
    });
    let inventory = Inventory { sources, ..Inventory::default() };
    racelint::check(&inventory, Models::builtin(), &Config::default(), 1);
});
