//! Any text as what users write: configuration, manifest, models, baseline. What is refused is refused in words.

#![no_main]

use libfuzzer_sys::fuzz_target;
use racelint::baseline::Baseline;
use racelint::config::Config;
use racelint::discover::metadata;
use racelint::lower::with_stack;
use racelint::models::Models;
use racelint::rules::ALL;

fuzz_target!(|input: (u8, &str)| {
    let (kind, text) = input;
    with_stack(|| match kind % 4 {
        0 => {
            let Ok(config) = toml::from_str::<Config>(text) else { return };
            let _ = (config.check_names(ALL), config.rules(ALL), config.databases());
            let _ = config.scopes().setting(ALL[0], "src/lib.rs".as_ref());
        }
        1 => drop(metadata(text)),
        2 => {
            let Err(errors) = Models::with_user(&[("own.toml".to_owned(), text.to_owned())]) else { return };
            assert!(errors.iter().all(|error| !error.to_string().is_empty()));
        }
        _ => {
            let Ok(baseline) = Baseline::parse(text) else { return };
            assert_eq!(Baseline::parse(&baseline.to_json()), Ok(baseline));
        }
    });
});
