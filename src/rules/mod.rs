//! The rules: one file each, and this list of all of them.

pub mod at_once;
pub mod atomic_check_then_store;
pub mod atomic_load_then_store;
pub mod cache_stampede;
pub mod coarse_lock;
pub mod conflict_ignored;
pub mod conflict_swallowed;
pub mod db_check_then_insert;
pub mod db_check_then_overwrite;
pub mod db_check_then_update;
pub mod db_claim_without_skip_locked;
pub mod db_limit_by_count;
pub mod db_lost_update;
pub mod db_next_number;
pub mod db_unguarded_transition;
pub mod db_upsert_by_hand;
pub mod dependent_writes_split;
pub mod effect_before_claim;
pub mod external_call_in_transaction;
pub mod fs_check_then_create;
pub mod fs_check_then_use;
pub mod fs_create_then_chmod;
pub mod fs_permission_then_use;
pub mod fs_read_modify_write;
pub mod handler_without_idempotency;
pub mod in_memory_expiry;
pub mod isolation_set_too_late;
pub mod kv_check_guards_database;
pub mod kv_check_then_set;
pub mod kv_expiry_not_atomic;
pub mod kv_get_modify_set;
pub mod kv_lock_release_unchecked;
pub mod lock_outside_transaction;
pub mod lock_released_between;
pub mod map_check_then_act;
pub mod meta;
pub mod missing_check_constraint;
pub mod missing_foreign_key;
pub mod no_concurrency_test;
pub mod places;
pub mod probe_then_act;
pub mod process_lock_guards_database;
pub mod race_test_without_invariant;
pub mod revives_expired;
pub mod rows;
pub mod sequential_race_test;
pub mod serializable_without_retry;
pub mod slot_load_then_store;
pub mod state_check_across_await;
pub mod tx_escaped_statement;
pub mod tx_read_without_lock;
pub mod tx_split_window;
pub mod unbounded_retry;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::facts::{Facts, is_test};
use crate::finding::{Label, Role};
use crate::flow::event::Summary;
use crate::flow::value::EventId;
use crate::intern::Symbol;
use crate::models::Models;
use crate::resolve::{FnId, Program};
use crate::rule::{Confidence, Rule, Severity};
use crate::schema::{Schema, SchemaSet};
use crate::source::{Sources, Span};
use crate::window::View;
use crate::window::database::RowWindow;
use crate::window::decision::Question;
use crate::window::protect::Surroundings;
use crate::work;

/// Every rule there is, in the order of the catalogue.
pub const ALL: &[&Rule] = &[
    &db_check_then_update::RULE,
    &db_lost_update::RULE,
    &db_check_then_insert::RULE,
    &db_check_then_overwrite::RULE,
    &db_limit_by_count::RULE,
    &db_unguarded_transition::RULE,
    &db_claim_without_skip_locked::RULE,
    &db_next_number::RULE,
    &db_upsert_by_hand::RULE,
    &tx_read_without_lock::RULE,
    &tx_split_window::RULE,
    &process_lock_guards_database::RULE,
    &slot_load_then_store::RULE,
    &atomic_load_then_store::RULE,
    &atomic_check_then_store::RULE,
    &cache_stampede::RULE,
    &map_check_then_act::RULE,
    &lock_released_between::RULE,
    &state_check_across_await::RULE,
    &probe_then_act::RULE,
    &kv_lock_release_unchecked::RULE,
    &kv_get_modify_set::RULE,
    &kv_check_then_set::RULE,
    &fs_permission_then_use::RULE,
    &fs_check_then_create::RULE,
    &fs_read_modify_write::RULE,
    &fs_check_then_use::RULE,
    &tx_escaped_statement::RULE,
    &lock_outside_transaction::RULE,
    &isolation_set_too_late::RULE,
    &serializable_without_retry::RULE,
    &external_call_in_transaction::RULE,
    &coarse_lock::RULE,
    &conflict_ignored::RULE,
    &conflict_swallowed::RULE,
    &kv_expiry_not_atomic::RULE,
    &kv_check_guards_database::RULE,
    &fs_create_then_chmod::RULE,
    &effect_before_claim::RULE,
    &in_memory_expiry::RULE,
    &revives_expired::RULE,
    &dependent_writes_split::RULE,
    &missing_check_constraint::RULE,
    &missing_foreign_key::RULE,
    &sequential_race_test::RULE,
    &race_test_without_invariant::RULE,
    &no_concurrency_test::RULE,
    &handler_without_idempotency::RULE,
    &unbounded_retry::RULE,
    &meta::UNUSED_SUPPRESSION,
    &meta::SUPPRESSION_WITHOUT_REASON,
    &meta::UNKNOWN_NAME,
    &meta::UNPARSABLE_SOURCE,
];

/// The program as the rules see it: a view of each function that is no test, its windows, and the facts around them.
pub struct Scope<'s> {
    pub program: &'s Program,
    pub models: &'s Models,
    pub facts: &'s Facts,
    pub sources: &'s Sources,
    pub schema: &'s SchemaSet,
    views: Vec<View<'s>>,
    rows: Vec<Vec<RowWindow>>,
    places: Vec<Vec<places::Named>>,
    by_function: HashMap<FnId, usize>,
    seen_in: OnceCell<HashMap<FnId, Vec<usize>>>,
}

impl<'s> Scope<'s> {
    /// Looks for all windows, on at most `jobs` threads.
    pub fn new(
        program: &'s Program,
        models: &'s Models,
        summaries: &'s [Option<Arc<Summary>>],
        facts: &'s Facts,
        sources: &'s Sources,
        schema: &'s SchemaSet,
        jobs: usize,
    ) -> Self {
        let mut scope = Scope {
            program,
            models,
            facts,
            sources,
            schema,
            views: Vec::new(),
            rows: Vec::new(),
            places: Vec::new(),
            by_function: HashMap::new(),
            seen_in: OnceCell::new(),
        };
        let traces = (0..).map(FnId).zip(summaries).filter_map(|(id, summary)| Some((id, summary.as_deref()?)));
        let traces: Vec<(FnId, &Summary)> =
            traces.filter(|(id, summary)| !summary.events.is_empty() && !is_test(program, *id)).collect();
        let look = |(id, summary): &(FnId, &'s Summary)| {
            let mut view = View::new(program, models, *id, summary);
            let (rows, places) = (view.row_windows(), places::named(&view));
            if rows.is_empty() {
                // Little more is asked of it.
                view.forget();
            }
            (view, rows, places)
        };
        for (view, rows, places) in work::map(&traces, jobs, |(_, summary)| summary.events.len(), look) {
            scope.by_function.insert(view.function, scope.views.len());
            scope.views.push(view);
            scope.rows.push(rows);
            scope.places.push(places);
        }
        scope
    }

    pub fn views(&self) -> &[View<'s>] {
        &self.views
    }

    pub fn view(&self, id: FnId) -> &View<'s> {
        &self.views[self.by_function[&id]]
    }

    /// The view of a function that has events and is no test.
    pub fn try_view(&self, id: FnId) -> Option<&View<'s>> {
        self.by_function.get(&id).map(|index| &self.views[*index])
    }

    /// The row windows of a view.
    pub fn rows(&self, view: &View) -> &[RowWindow] {
        &self.rows[self.by_function[&view.function]]
    }

    /// The open windows on places of a view.
    fn places(&self, view: &View) -> &[places::Named] {
        &self.places[self.by_function[&view.function]]
    }

    /// One candidate for each event of which `holds`, in the innermost function where it can be told.
    pub fn at_events(&self, rule: &'static Rule, holds: impl Fn(&View, EventId) -> bool) -> Vec<Candidate> {
        let mut out = Vec::new();
        for view in &self.views {
            for (id, event) in view.events() {
                if !holds(view, id) || self.told_deeper(view, id, &holds) {
                    continue;
                }
                let mut candidate = Candidate::new(rule, view, view.seen_at(id));
                candidate.act = Some(id);
                if event.evidence <= crate::resolve::Evidence::UniqueName {
                    candidate.confidence = Confidence::Medium;
                }
                out.push(candidate);
            }
        }
        out
    }

    /// The function that is called on the way to the event can tell already.
    pub fn told_deeper(&self, view: &View, id: EventId, holds: &impl Fn(&View, EventId) -> bool) -> bool {
        let event = view.event(id);
        let Some(site) = event.path.first() else { return false };
        let Some(&index) = self.by_function.get(&site.callee) else { return false };
        let inner = &self.views[index];
        inner
            .events()
            .filter(|(_, other)| other.origin == event.origin && other.path[..] == event.path[1..])
            .any(|(other, _)| holds(inner, other))
    }

    /// The traces of callers in which an event of a function is seen.
    pub fn contexts(&self, function: FnId, origin: (FnId, u32)) -> Vec<(&View<'s>, EventId)> {
        let mut out = Vec::new();
        for &index in self.seen_in.get_or_init(|| seen_in(&self.views)).get(&function).into_iter().flatten() {
            let view = &self.views[index];
            for (id, event) in view.events() {
                if event.origin == origin && event.path.last().is_some_and(|site| site.callee == function) {
                    out.push((view, id));
                }
            }
        }
        out
    }

    pub fn has_callers(&self, id: FnId) -> bool {
        self.facts.callers.get(&id).is_some_and(|callers| callers.iter().any(|caller| *caller != id))
    }

    pub fn surroundings(&self, view: &View) -> Surroundings<'s> {
        Surroundings { facts: self.facts, schema: self.schema_of(view.function) }
    }

    /// The schema of the database that a function of this package speaks to.
    pub fn schema_of(&self, function: FnId) -> &'s Schema {
        let source = self.program.file(function).source;
        self.schema.for_file(&self.sources.get(source).name)
    }
}

/// The views of others that see an event of a function's own, by the function.
fn seen_in(views: &[View]) -> HashMap<FnId, Vec<usize>> {
    let mut out: HashMap<FnId, Vec<usize>> = HashMap::new();
    for (index, view) in views.iter().enumerate() {
        let callees = view.events().filter_map(|(_, event)| event.path.last()).map(|site| site.callee);
        for callee in callees.filter(|callee| *callee != view.function) {
            let seen = out.entry(callee).or_default();
            if seen.last() != Some(&index) {
                seen.push(index);
            }
        }
    }
    out
}

/// A finding before its words are chosen.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub rule: &'static Rule,
    pub severity: Severity,
    pub confidence: Confidence,
    pub function: FnId,
    pub span: Span,
    pub check: Option<EventId>,
    pub act: Option<EventId>,
    pub resource_table: Option<Symbol>,
    pub resource: String,
    pub message: String,
    pub labels: Vec<Label>,
    /// It is said once for the whole package, at whichever function comes first.
    pub of_package: bool,
}

impl Candidate {
    pub fn new(rule: &'static Rule, view: &View, span: Span) -> Candidate {
        Candidate::at(rule, view.function, span)
    }

    /// A finding about a function as a whole, at its signature.
    pub fn of_function(rule: &'static Rule, scope: &Scope, function: FnId) -> Candidate {
        Candidate::at(rule, function, scope.program.source(function).span)
    }

    fn at(rule: &'static Rule, function: FnId, span: Span) -> Candidate {
        Candidate {
            rule,
            severity: rule.severity,
            confidence: Confidence::High,
            function,
            span,
            check: None,
            act: None,
            resource_table: None,
            resource: String::new(),
            message: rule.summary.to_owned(),
            labels: Vec::new(),
            of_package: false,
        }
    }

    pub fn of_row(rule: &'static Rule, view: &View, window: &RowWindow) -> Candidate {
        let strong = window.deciders.iter().any(|d| d.question != Question::Presence { absent: false });
        let at = view.decided_at(window.act, |d| {
            d.event == window.check
                && (d.question != Question::Presence { absent: false } || !strong)
                && d.question != Question::Failure
        });
        let mut candidate = Candidate::new(rule, view, at);
        candidate.check = Some(window.check);
        candidate.act = Some(window.act);
        candidate.resource_table = Some(window.table);
        candidate.resource = window.table.to_string();
        candidate.confidence = window.confidence;
        candidate.labels = vec![
            Label { role: Role::Check, span: view.event(window.check).span, message: "read here".to_owned() },
            Label { role: Role::Act, span: view.event(window.act).span, message: "written here".to_owned() },
        ];
        candidate
    }
}

/// Everything that the rules find.
pub fn run(scope: &Scope) -> Vec<Candidate> {
    let mut candidates = rows::candidates(scope);
    candidates.extend(places::candidates(scope));
    candidates.extend(conflict_ignored::candidates(scope));
    candidates.extend(conflict_swallowed::candidates(scope));
    candidates.extend(kv_expiry_not_atomic::candidates(scope));
    candidates.extend(kv_lock_release_unchecked::candidates(scope));
    candidates.extend(kv_check_guards_database::candidates(scope));
    candidates.extend(probe_then_act::candidates(scope));
    candidates.extend(tx_escaped_statement::candidates(scope));
    candidates.extend(lock_outside_transaction::candidates(scope));
    candidates.extend(isolation_set_too_late::candidates(scope));
    candidates.extend(serializable_without_retry::candidates(scope));
    candidates.extend(external_call_in_transaction::candidates(scope));
    candidates.extend(coarse_lock::candidates(scope));
    candidates.extend(fs_create_then_chmod::candidates(scope));
    candidates.extend(effect_before_claim::candidates(scope));
    candidates.extend(in_memory_expiry::candidates(scope));
    candidates.extend(revives_expired::candidates(scope));
    candidates.extend(dependent_writes_split::candidates(scope));
    candidates.extend(missing_check_constraint::candidates(scope));
    candidates.extend(missing_foreign_key::candidates(scope));
    candidates.extend(sequential_race_test::candidates(scope));
    candidates.extend(race_test_without_invariant::candidates(scope));
    candidates.extend(no_concurrency_test::candidates(scope));
    candidates.extend(handler_without_idempotency::candidates(scope));
    candidates.extend(unbounded_retry::candidates(scope));

    // A value from a store that decides the write names the race, whatever the transaction around it.
    let guarded: HashSet<Span> = candidates
        .iter()
        .filter(|candidate| candidate.rule.name == kv_check_guards_database::RULE.name)
        .map(|candidate| candidate.span)
        .collect();
    candidates.retain(|candidate| {
        !guarded.contains(&candidate.span) || !rows::ORDER.iter().any(|(rule, _)| rule.name == candidate.rule.name)
    });
    let mut seen: HashSet<(&str, Span)> = HashSet::new();
    candidates.retain(|candidate| seen.insert((candidate.rule.name, candidate.span)));
    candidates.retain(|candidate| ALL.iter().any(|rule| rule.name == candidate.rule.name));
    candidates
}

/// Of several acts of one rule under one check, on one table, the first.
pub fn first_acts(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let twin = out.iter().any(|other| other.function == candidate.function && other.check == candidate.check);
        if !twin {
            out.push(candidate);
        }
    }
    out
}
