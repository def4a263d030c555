//! Rows that users write for libraries of their own: what they make known, and what a wrong one is told.

use super::place::Place;

/// Code over a company's database crate and its wrapper macro, which racelint has no rows for.
const CODE: &str = r#"
use ledger_db::Pool;

pub async fn spend(pool: &Pool, account: i64, amount: i64) -> Result<(), ledger_db::Error> {
    let balance: Option<i64> = ledger_db::query!(pool, "SELECT balance FROM accounts WHERE id = $1", account).await?;
    if balance.unwrap_or(0) < amount {
        return Err(ledger_db::Error::Refused);
    }
    pool.run("UPDATE accounts SET balance = balance - $1 WHERE id = $2", (amount, account)).await?;
    Ok(())
}

pub async fn spend_at_once(pool: &Pool, account: i64, amount: i64) -> Result<(), ledger_db::Error> {
    let sql = "UPDATE accounts SET balance = balance - $1 WHERE id = $2 AND balance >= $1";
    match pool.run(sql, (amount, account)).await? {
        0 => Err(ledger_db::Error::Refused),
        _ => Ok(()),
    }
}

pub async fn charge(pool: &Pool, client: &payments_client::Client, account: i64) -> Result<(), ledger_db::Error> {
    loop {
        let tx = pool.begin_serializable().await?;
        tx.run("UPDATE accounts SET charged = true WHERE id = $1", (account,)).await?;
        client.charge(account).await?;
        if tx.commit().await.is_ok() {
            return Ok(());
        }
    }
}
"#;

/// The file that the guide to models shows.
fn documented() -> String {
    let guide = include_str!("../../rules/README.md");
    let (_, rest) = guide.split_once("```toml\nlibrary = ").unwrap();
    let (file, _) = rest.split_once("```").unwrap();
    format!("library = {file}")
}

fn company(models: &str) -> Place {
    Place::new(&[
        ("Cargo.toml", "[package]\nname = 'bank'\nedition = '2024'\n"),
        ("racelint.toml", "models = ['racelint-models.toml']\n"),
        ("racelint-models.toml", models),
        ("src/lib.rs", CODE),
    ])
}

#[test]
fn documented_rows_make_an_own_library_and_its_macro_known() {
    let place = company(&documented());
    let with = place.run(&["check", "--format", "short", "--ignore", "unbounded-retry"]);
    let lines: Vec<_> = with.stdout.lines().filter(|line| !line.contains(": note[")).collect();
    let expected =
        ["src/lib.rs:9:5: error[db-check-then-update]", "src/lib.rs:25:9: warning[external-call-in-transaction]"];
    assert_eq!(lines.len(), expected.len(), "{with:?}");
    assert!(lines.iter().zip(expected).all(|(line, start)| line.starts_with(start)), "{with:?}");
    let without = place.run(&["check", "--format", "short", "--no-config"]);
    assert!(!without.stdout.contains("src/lib.rs:9:5"), "{without:?}");
}

#[test]
fn a_wrong_row_is_named_with_its_line_and_what_was_probably_meant() {
    let wrong = [
        ("executor = \"receiver\"", "executer = \"receiver\"", 32, "did you mean `executor`?"),
        ("does = \"begin\"", "does = \"begins\"", 22, "did you mean `begin`?"),
        (
            "on = [\"ledger_db::Tx\", \"ledger_db::Pool\"]",
            "on = [\"ledger_db::Txx\"]",
            28,
            "did you mean `ledger_db::Tx`?",
        ),
    ];
    for (right, mistaken, line, meant) in wrong {
        let text = documented();
        assert!(text.contains(right), "the guide shows no {right}");
        let done = company(&text.replacen(right, mistaken, 1)).run(&["check"]);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{mistaken}: {done:?}");
        let start = format!("racelint: error: racelint-models.toml:{line}: ");
        assert!(done.stderr.starts_with(&start) && done.stderr.contains(meant), "{mistaken}: {done:?}");
    }
}
