//! What was understood of a program, as text: the trace of each function, and counts of what stayed dark. For those who work on racelint or on models.

mod counts;
mod trace;

pub use counts::counts;
pub use trace::traces;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::discover::{Request, discover};
    use crate::lower::with_stack;
    use crate::models::Models;
    use crate::{Walked, understand};

    const SHOP: &str = "
        pub async fn sell(pool: &sqlx::PgPool, id: i64) -> Result<(), sqlx::Error> {
            let left: i32 = sqlx::query_scalar(\"SELECT quantity FROM tickets WHERE id = $1\").bind(id).fetch_one(pool).await?;
            if left > 0 {
                sqlx::query(\"UPDATE tickets SET quantity = quantity - 1 WHERE id = $1\").bind(id).execute(pool).await?;
            }
            Ok(())
        }
        pub fn add(a: u32, b: u32) -> u32 { a + b }
        pub fn unclear() { let x = elsewhere::make(); x.mystery(); }
    ";

    fn shop<R: Send>(show: impl FnOnce(&crate::Understood, &crate::source::Sources) -> R + Send) -> R {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("lib.rs"), SHOP).unwrap();
        let inventory = discover(&Request::new(dir.path(), vec![PathBuf::from(".")])).unwrap();
        with_stack(|| show(&understand(&inventory, Models::builtin(), Walked::All, 1), &inventory.sources))
    }

    #[test]
    fn a_trace_names_its_events_and_what_held() {
        let text = shop(|understood, sources| traces(understood, sources, "sell"));
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        assert!(lines[0].starts_with("fn ") && lines[0].ends_with("sell (lib.rs:2)"), "{text}");
        assert_eq!(lines[1], "#0 line 3: sql Select tickets where 1 [param1] on param0 giving Row");
        assert!(
            lines[2].starts_with("#1 line 5: sql Update tickets where 1 [param1] on param0 giving Affected, if "),
            "{text}"
        );
        assert!(!shop(|understood, sources| traces(understood, sources, "add")).contains("fn "));
    }

    #[test]
    fn counts_say_what_stayed_dark() {
        let text = shop(counts);
        for line in
            ["       1  files: Rust", "       3  functions", "       2  statements: parsed", "       1  mystery"]
        {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }
}
