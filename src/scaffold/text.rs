//! The test as text.

use super::call::{Call, Given, Told};
use crate::cure::{Amount, Claim, Invariant};

/// What a test is written from.
pub struct Plan<'p> {
    /// The function that is called.
    pub function: &'p str,
    /// `src/orders.rs:12`
    pub place: String,
    /// Where the file belongs, and the file and module that name it.
    pub file: String,
    pub parent: String,
    pub module: String,
    pub call: &'p Call,
    pub invariant: &'p Invariant,
}

/// Writes the file.
pub fn write(plan: &Plan) -> String {
    let body =
        [prepared(plan), call(plan), measured(plan), must_hold(plan), at_once(plan), orders(plan), interleaved(plan)];
    let parts = body.into_iter().filter(|part| !part.is_empty());
    format!("{}\n{}", head(plan), parts.collect::<Vec<_>>().join("\n"))
}

fn head(plan: &Plan) -> String {
    let Plan { function, place, file, parent, module, invariant, .. } = plan;
    let resource = match invariant.resource.as_str() {
        "" => String::new(),
        resource => format!(" for {resource}"),
    };
    let mut out = format!(
        "//! Callers of `{function}` ({place}) race{resource}.\n//!\n//! Keep this file at {file} and name it in {parent}: `#[cfg(test)] mod {module};`. What only you know is marked TODO.\n"
    );
    if plan.call.is_async {
        out.push_str("//! It needs tokio with the features `macros`, `rt-multi-thread` and `sync`.\n");
    }
    if let Some(query) = &invariant.reconciliation {
        out.push_str(&format!(
            "//!\n//! The same question for the database in use, each hour; a row of the answer is a race that was lost:\n//!\n//! ```sql\n//! {query};\n//! ```\n"
        ));
    }
    out.push_str("\n#[allow(unused_imports)]\nuse super::*;\n\n");
    let connections = if plan.call.is_async { "; a database must allow as many connections" } else { "" };
    out.push_str(&format!("/// How many callers there are{connections}.\nconst CALLERS: usize = 8;\n\n"));
    out.push_str("/// How many orders of their steps are tried.\nconst ORDERS: u64 = 200;\n");
    out
}

fn asynchronous(plan: &Plan) -> (&'static str, &'static str) {
    if plan.call.is_async { ("async ", ".await") } else { ("", "") }
}

fn prepared(plan: &Plan) -> String {
    let (is_async, _) = asynchronous(plan);
    let fields: String = plan.call.shared.iter().map(|Given { name, ty, .. }| format!("    {name}: {ty},\n")).collect();
    let mut names: Vec<&str> = plan.call.shared.iter().map(|given| given.name.as_str()).collect();
    names.dedup();
    let state = match &plan.invariant.reads {
        Some(reads) => format!("a state in which a caller {reads}"),
        None => "the state that the callers find".to_owned(),
    };
    let structure = match fields.as_str() {
        "" => "struct Prepared;\n".to_owned(),
        fields => format!("#[allow(dead_code)]\nstruct Prepared {{\n{fields}}}\n"),
    };
    let todo = match names.join(", ").as_str() {
        "" => format!("TODO: make {state}"),
        names => format!("TODO: make {state}; give back {names}"),
    };
    format!(
        "/// What all callers share.\n{structure}\n/// Makes {state}: anew at each call, and reachable by nothing else.\n{is_async}fn prepare() -> Prepared {{\n    todo!({})\n}}\n",
        literal(&todo)
    )
}

fn call(plan: &Plan) -> String {
    let (is_async, wait) = asynchronous(plan);
    let mut body = String::new();
    for Given { name, ty, mutable, .. } in &plan.call.own {
        let mutable = if *mutable { "mut " } else { "" };
        let todo = literal(&format!("TODO: this caller's {name}"));
        body.push_str(&format!("    #[allow(unused_mut)]\n    let {mutable}{name}: {ty} = todo!({todo});\n"));
    }
    match (&plan.call.code, plan.call.told) {
        (Err(obstacle), _) => body.push_str(&format!("    todo!({})\n", literal(&format!("TODO: {obstacle}")))),
        (Ok(code), Told::Bool) => body.push_str(&format!("    {code}{wait}\n")),
        (Ok(code), Told::Pattern(pattern)) => body.push_str(&format!("    matches!({code}{wait}, {pattern})\n")),
        (Ok(code), Told::Nothing) => body.push_str(&format!("    {code}{wait};\n    true\n")),
        (Ok(code), Told::Unknown) => {
            let todo = literal("TODO: whether this answer says that the caller succeeded");
            body.push_str(&format!("    let _answer = {code}{wait};\n    todo!({todo})\n"));
        }
    }
    format!(
        "/// One request, by its number; whether it was told that it succeeded. Callers that must differ (in who asks, not in what for) take that from the number.\n#[allow(unreachable_code, unused_variables)]\n{is_async}fn call(prepared: &Prepared, caller: usize) -> bool {{\n{body}}}\n"
    )
}

/// What the call answers does not tell the winner from the others.
fn is_silent(plan: &Plan) -> bool {
    plan.call.told == Told::Nothing && plan.invariant.claims.contains(&Claim::OneWinner)
}

fn reads(plan: &Plan) -> bool {
    plan.invariant.claims.iter().any(Claim::reads) || is_silent(plan)
}

/// The number that claims look at, and the names that stand in them.
fn measured(plan: &Plan) -> String {
    let (is_async, _) = asynchronous(plan);
    let mut out = String::new();
    if reads(plan) {
        let what = match (&plan.invariant.query, plan.invariant.claims.iter().any(Claim::reads)) {
            (Some(query), true) => format!("the answer of `{query}`"),
            (None, true) => format!("{}, as a number", plan.invariant.resource),
            (_, false) => "how often that was done which only one caller may do".to_owned(),
        };
        out.push_str(&format!(
            "/// Reads {what}.\n#[allow(unused_variables)]\n{is_async}fn measured(prepared: &Prepared) -> i64 {{\n    todo!({})\n}}\n",
            literal(&format!("TODO: read {what}"))
        ));
    }
    if let Some(name) = unknown_name(plan) {
        let separator = if out.is_empty() { "" } else { "\n" };
        out.push_str(&format!(
            "{separator}/// The value of `{name}`.\n#[allow(unused_variables)]\nfn bound(prepared: &Prepared) -> i64 {{\n    todo!({})\n}}\n",
            literal(&format!("TODO: the value of {name}"))
        ));
    }
    out
}

/// A name of the code in a claim that the test does not have.
fn unknown_name<'p>(plan: &'p Plan) -> Option<&'p str> {
    plan.invariant.claims.iter().find_map(|claim| {
        let (Claim::AtLeast(amount) | Claim::AtMost(amount) | Claim::EachCounts(amount)) = claim else { return None };
        amount.parts().0.filter(|name| field(plan, name).is_none())
    })
}

/// The field of what is shared that holds a number of this name.
fn field(plan: &Plan, name: &str) -> Option<String> {
    let number = |ty: &str| ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize", "isize"].contains(&ty);
    let given = plan.call.shared.iter().find(|given| given.name == name && number(&given.ty))?;
    Some(if given.ty == "i64" { given.passed.clone() } else { format!("({} as i64)", given.passed) })
}

fn number(plan: &Plan, amount: &Amount) -> String {
    let (name, offset) = amount.parts();
    let name = name.map(|name| field(plan, name).unwrap_or_else(|| "bound(prepared)".to_owned()));
    match (name, offset) {
        (None, offset) => offset.to_string(),
        (Some(name), 0) => name,
        (Some(name), offset) if offset < 0 => format!("{name} - {}", offset.unsigned_abs()),
        (Some(name), offset) => format!("{name} + {offset}"),
    }
}

/// What each caller that succeeds adds; of a name, the offset is its sign.
fn product(plan: &Plan, amount: &Amount) -> String {
    match amount.parts() {
        (None, by) => format!("winners * {by}"),
        (Some(name), sign) => {
            let by = field(plan, name).unwrap_or_else(|| "bound(prepared)".to_owned());
            if sign < 0 { format!("-(winners * {by})") } else { format!("winners * {by}") }
        }
    }
}

fn compares(plan: &Plan) -> bool {
    plan.invariant.claims.iter().any(|claim| matches!(claim, Claim::EachCounts(_)))
}

fn must_hold(plan: &Plan) -> String {
    let (is_async, wait) = asynchronous(plan);
    let resource = plan.invariant.resource.as_str();
    let resource = if resource.is_empty() { "it" } else { resource };
    let mut body = String::new();
    if reads(plan) {
        body.push_str(&format!("    let after = measured(prepared){wait};\n"));
    }
    if plan.invariant.claims.is_empty() {
        let todo = literal(&format!("TODO: assert what must hold of {resource}"));
        body.push_str(&format!("    todo!({todo})\n"));
    }
    for claim in &plan.invariant.claims {
        body.push_str(&asserted(plan, claim, &literal_part(resource)));
    }
    let before = if compares(plan) { "before: i64, " } else { "" };
    format!(
        "/// What holds whatever the order.\n#[allow(unused_variables)]\n{is_async}fn must_hold(prepared: &Prepared, {before}winners: i64, order: &str) {{\n{body}}}\n"
    )
}

fn asserted(plan: &Plan, claim: &Claim, resource: &str) -> String {
    match claim {
        Claim::AtLeast(bound) => {
            let bound = number(plan, bound);
            format!(
                "    let least = {bound};\n    assert!(after >= least, \"{resource} fell to {{after}}, below {{least}}: {{order}}\");\n"
            )
        }
        Claim::AtMost(bound) => {
            let bound = number(plan, bound);
            format!(
                "    let most = {bound};\n    assert!(after <= most, \"{resource} came to {{after}}, above {{most}}: {{order}}\");\n"
            )
        }
        Claim::Exactly(number) => {
            format!("    assert_eq!(after, {number}, \"{resource}: {{order}}\");\n")
        }
        Claim::EachCounts(by) => {
            let product = product(plan, by);
            format!("    assert_eq!(after - before, {product}, \"a change of {resource} is lost: {{order}}\");\n")
        }
        Claim::OneWinner if is_silent(plan) => {
            format!("    assert_eq!(after, 1, \"{resource}, each time a caller won: {{order}}\");\n")
        }
        Claim::OneWinner => {
            format!("    assert_eq!(winners, 1, \"callers that won {resource}: {{order}}\");\n")
        }
    }
}

fn before(plan: &Plan, of: &str) -> (String, &'static str) {
    let (_, wait) = asynchronous(plan);
    match compares(plan) {
        true => (format!("let before = measured({of}){wait};\n"), "before, "),
        false => (String::new(), ""),
    }
}

fn at_once(plan: &Plan) -> String {
    let (before, passed) = before(plan, "&prepared");
    let before = if before.is_empty() { before } else { format!("    {before}") };
    match (plan.call.is_async, plan.call.threads) {
        (true, true) => TASKS,
        (true, false) => LOCAL_TASKS,
        (false, _) => THREADS,
    }
    .replace("    {before}\n", &before)
    .replace("{passed}", passed)
}

fn orders(plan: &Plan) -> String {
    let (before, passed) = before(plan, "&prepared");
    let before = if before.is_empty() { before } else { format!("        {before}") };
    let text = if plan.call.is_async { ORDERS_OF_STEPS } else { ORDERS_OF_THREADS };
    text.replace("        {before}\n", &before).replace("{passed}", passed)
}

fn interleaved(plan: &Plan) -> String {
    if plan.call.is_async { format!("{INTERLEAVED}\n{NEXT}") } else { NEXT.to_owned() }
}

/// A string literal of Rust.
fn literal(text: &str) -> String {
    format!("\"{}\"", literal_part(text))
}

/// A part of a format string.
fn literal_part(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('{', "{{").replace('}', "}}")
}

const TASKS: &str = r#"/// All callers begin when the last one is ready.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn callers_released_at_once() {
    let prepared = std::sync::Arc::new(prepare().await);
    {before}
    let start = std::sync::Arc::new(tokio::sync::Barrier::new(CALLERS));
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..CALLERS {
        let (prepared, start) = (prepared.clone(), start.clone());
        callers.spawn(async move {
            start.wait().await;
            call(&prepared, caller).await
        });
    }
    let mut winners = 0;
    while let Some(won) = callers.join_next().await {
        winners += i64::from(won.expect("no caller panics"));
    }
    must_hold(&prepared, {passed}winners, "all at once").await;
}
"#;

const LOCAL_TASKS: &str = r#"/// All callers begin when the last one is ready; on one thread, which is all that the state may leave.
#[tokio::test]
async fn callers_released_at_once() {
    let prepared = std::rc::Rc::new(prepare().await);
    {before}
    let start = std::rc::Rc::new(tokio::sync::Barrier::new(CALLERS));
    let callers = tokio::task::LocalSet::new();
    let winners = std::rc::Rc::new(std::cell::Cell::new(0));
    for caller in 0..CALLERS {
        let (prepared, start, winners) = (prepared.clone(), start.clone(), winners.clone());
        callers.spawn_local(async move {
            start.wait().await;
            let won = call(&prepared, caller).await;
            winners.set(winners.get() + i64::from(won));
        });
    }
    callers.await;
    must_hold(&prepared, {passed}winners.get(), "all at once").await;
}
"#;

const THREADS: &str = r#"/// All callers begin when the last one is ready.
#[test]
fn callers_released_at_once() {
    let prepared = prepare();
    {before}
    let winners = race(&prepared, 0);
    must_hold(&prepared, {passed}winners, "all at once");
}
"#;

const ORDERS_OF_STEPS: &str = r#"/// The callers take turns at their `.await`s, in an order drawn from a seed: a failure names the seed that shows it again.
#[tokio::test]
async fn callers_in_many_orders() {
    for seed in 1..=ORDERS {
        let prepared = prepare().await;
        {before}
        let callers = (0..CALLERS).map(|caller| Box::pin(call(&prepared, caller))).collect();
        let winners = interleaved(callers, seed).await;
        must_hold(&prepared, {passed}winners, &format!("seed {seed}")).await;
    }
}
"#;

const ORDERS_OF_THREADS: &str = r#"/// Each caller begins a little later than the others, by a time drawn from a seed: a failure names the seed.
#[test]
fn callers_in_many_orders() {
    for seed in 1..=ORDERS {
        let prepared = prepare();
        {before}
        let winners = race(&prepared, seed);
        must_hold(&prepared, {passed}winners, &format!("seed {seed}"));
    }
}

/// Runs all callers, each on its own thread; gives how many succeeded.
fn race(prepared: &Prepared, seed: u64) -> i64 {
    let start = std::sync::Barrier::new(CALLERS);
    std::thread::scope(|scope| {
        let start = &start;
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                scope.spawn(move || {
                    let delay = if seed == 0 { 0 } else { next(&mut (seed * 31 + caller as u64 + 1)) % 2000 };
                    start.wait();
                    (0..delay).for_each(|_| std::hint::spin_loop());
                    call(prepared, caller)
                })
            })
            .collect();
        callers.into_iter().map(|caller| i64::from(caller.join().expect("no caller panics"))).sum()
    })
}
"#;

const INTERLEAVED: &str = r#"/// Runs callers on one thread, and gives the next turn to one that the seed chooses; gives how many succeeded.
async fn interleaved<F: Future<Output = bool> + Unpin>(mut callers: Vec<F>, mut seed: u64) -> i64 {
    let mut winners = 0;
    std::future::poll_fn(|context| {
        if callers.is_empty() {
            return std::task::Poll::Ready(winners);
        }
        let turn = (next(&mut seed) % callers.len() as u64) as usize;
        if let std::task::Poll::Ready(won) = std::pin::Pin::new(&mut callers[turn]).poll(context) {
            winners += i64::from(won);
            drop(callers.swap_remove(turn));
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await
}
"#;

const NEXT: &str = r#"/// The next number of a row that looks like chance (xorshift).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
"#;
