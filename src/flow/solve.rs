//! The order of the walks: callees before callers, functions that call each other together.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::cond::Cond;
use super::event::{CallSite, Context, EventKind, Summary};
use super::state::{State, owns};
use super::value::{Arena, EventId, Value, ValueId};
use super::walk::{Summaries, Walker};
use crate::ir::{Body, ExprKind, Lit, PatId};
use crate::models::Models;
use crate::resolve::{Evidence, FnId, Program, StaticId, Ty, Typed};
use crate::work;

/// Functions that call each other in a circle of at most this many are walked a second time, with what the first walk found.
const SMALL_CIRCLE: usize = 12;

/// The summary of each function that is wanted, by its id, on at most `jobs` threads; functions without a body have none.
pub fn solve(program: &Program, models: &Models, wanted: &[bool], jobs: usize) -> Vec<Option<Arc<Summary>>> {
    let consts = literals(program);
    let makers = makers(program);
    let mut calls: Vec<Vec<u32>> = program.typed.iter().map(callees).collect();
    for (id, made_by) in &makers {
        calls[id.0 as usize].extend(made_by.iter().flatten().map(|maker| maker.0));
    }
    let circles = circles(&calls);
    let summaries = Summaries::of(program.functions.len());
    work::in_order(&callee_circles(&calls, &circles), jobs, |circle| {
        let circle = &circles[circle];
        let rounds = if circle.len() > 1 && circle.len() <= SMALL_CIRCLE { 2 } else { 1 };
        for _ in 0..rounds {
            for &id in circle.iter().filter(|id| wanted[id.0 as usize]) {
                let made_by = makers.get(&id).map_or(&[][..], Vec::as_slice);
                summaries.set(id, walk(program, models, &summaries, &consts, id, made_by));
            }
        }
    });
    summaries.into_all()
}

/// For each circle those that its functions call, by number.
fn callee_circles(calls: &[Vec<u32>], circles: &[Vec<FnId>]) -> Vec<Vec<u32>> {
    let mut circle_of = vec![0; calls.len()];
    for (number, circle) in (0u32..).zip(circles) {
        for id in circle {
            circle_of[id.0 as usize] = number;
        }
    }
    let others = |(number, circle): (u32, &Vec<FnId>)| {
        let called = circle.iter().flat_map(|id| &calls[id.0 as usize]).map(|callee| circle_of[*callee as usize]);
        let mut out: Vec<u32> = called.filter(|other| *other != number).collect();
        out.sort_unstable();
        out.dedup();
        out
    };
    (0u32..).zip(circles).map(others).collect()
}

/// What a web framework calls to make the parameters of a handler: of an async function that the program names and does not call.
fn makers(program: &Program) -> HashMap<FnId, Vec<Option<FnId>>> {
    let bodies = program.typed.iter().zip(&program.functions).filter(|(_, def)| !def.test).map(|(typed, _)| typed);
    let targets = bodies.flat_map(|typed| typed.targets.values());
    let called: HashSet<FnId> = targets.flat_map(|target| target.functions.iter().copied()).collect();
    let maker = |ty: &Ty| match ty {
        Ty::Adt(adt, _) => program.adt(*adt).extracted_by,
        _ => None,
    };
    let ids = (0..program.functions.len() as u32).map(FnId).filter(|id| !called.contains(id));
    ids.filter(|id| program.source(*id).is_async)
        .map(|id| (id, program.function(id).params.iter().map(maker).collect::<Vec<_>>()))
        .filter(|(_, makers)| makers.iter().any(Option::is_some))
        .collect()
}

/// The literal that a const is.
fn literals(program: &Program) -> HashMap<StaticId, Lit> {
    let mut out = HashMap::new();
    for (index, def) in program.statics.iter().enumerate() {
        if def.kind != crate::ir::StaticKind::Const {
            continue;
        }
        let source = &program.files[def.place.file as usize].statics[def.place.index as usize];
        if let Some(lit) = source.init.as_ref().and_then(literal_of) {
            out.insert(StaticId(index as u32), lit);
        }
    }
    out
}

fn literal_of(body: &Body) -> Option<Lit> {
    let mut at = body.root?;
    loop {
        match &body.expr(at).kind {
            ExprKind::Lit(lit) => return Some(lit.clone()),
            ExprKind::TempScope(inner) | ExprKind::Ref { operand: inner, .. } => at = *inner,
            ExprKind::Block(block) if block.stmts.is_empty() => at = block.tail?,
            _ => return None,
        }
    }
}

fn walk(
    program: &Program,
    models: &Models,
    summaries: &Summaries,
    consts: &HashMap<StaticId, Lit>,
    id: FnId,
    made_by: &[Option<FnId>],
) -> Option<Summary> {
    let function = program.source(id);
    let body = function.body.as_ref()?;
    let root = body.root?;
    let mut arena = Arena::default();
    let path = arena.add_cond(Cond::True);
    let mut walker = Walker {
        program,
        models,
        summaries,
        id,
        file: program.file(id),
        body,
        typed: program.typed(id),
        arena,
        events: Vec::new(),
        state: State::at(path),
        frames: Vec::new(),
        loops: Vec::new(),
        loop_ids: Vec::new(),
        loop_count: 0,
        context: Context::default(),
        spawns: 0,
        spawning: None,
        tasks: Vec::new(),
        told: Vec::new(),
        depth: 0,
        scopes: vec![Vec::new()],
        running: Vec::new(),
        through: Vec::new().into(),
        truncated: false,
        consts,
    };
    walker.bind_params(id, made_by);
    walker.root_frame();
    let value = walker.eval(root);
    Some(walker.summary(value))
}

impl Walker<'_> {
    fn bind_params(&mut self, id: FnId, made_by: &[Option<FnId>]) {
        let function = self.program.source(id);
        let def = self.program.function(id);
        let mut number = 0;
        if function.receiver.is_some() {
            let value = self.param(number, &def.self_ty);
            self.state.env.insert(crate::ir::LocalId(0), value);
            number += 1;
        }
        for (index, param) in function.params.iter().enumerate() {
            let ty = def.params.get(index).cloned().unwrap_or_default();
            let mut value = self.param(number, &ty);
            number += 1;
            let Some(pat) = param.pat else { continue };
            if let Some(maker) = made_by.get(index).copied().flatten() {
                value = self.made(maker, pat).unwrap_or(value);
            }
            self.bind(pat, value);
        }
    }

    /// A parameter as its maker made it: what that reads or begins is part of the handler. `None` where it does nothing of interest.
    fn made(&mut self, maker: FnId, pat: PatId) -> Option<ValueId> {
        let summary = self.summaries.get(maker).filter(|summary| !summary.events.is_empty())?;
        let args: Vec<ValueId> = self.program.function(maker).params.iter().map(|_| self.arena.fresh()).collect();
        let site = CallSite { caller: self.id, callee: maker, span: self.body.pat(pat).span };
        let value = self.replay(&summary, &args, site, Evidence::Declared, None);
        let made = self.present(value, false);
        self.learn(made);
        Some(self.unwrap(value))
    }

    fn param(&mut self, number: u32, ty: &Ty) -> ValueId {
        let value = self.arena.add(Value::Param(number));
        if *ty != Ty::Unknown {
            self.arena.types.insert(value, ty.clone());
        }
        value
    }

    fn summary(mut self, value: ValueId) -> Summary {
        let mut frame = self.frames.pop().expect("the root frame is pushed before the walk");
        if !self.state.dead {
            frame.exits.push((self.state.path, value));
        }
        let ret = if frame.exits.is_empty() { None } else { Some(self.exits_value(frame.exits)) };
        let escapes = self
            .events
            .iter()
            .enumerate()
            .filter(|(_, event)| matches!(event.kind, EventKind::Acquire(_) | EventKind::Begin { .. }))
            .map(|(index, _)| EventId(index as u32))
            .filter(|event| {
                let file = self.file_locked_by(*event);
                let gives =
                    |ret| owns(&self.arena, ret, *event) || file.is_some_and(|file| owns(&self.arena, ret, file));
                ret.is_some_and(gives) || self.leaves_locked(*event)
            })
            .collect();
        let mut out: Vec<_> = self.state.places.iter().map(|(place, value)| (*place, *value)).collect();
        out.sort();
        out.retain(|(place, _)| self.reachable(*place));
        let mut summary = Summary {
            arena: self.arena,
            events: self.events,
            ret,
            out,
            escapes,
            loops: self.loop_count,
            spawns: self.spawns,
            tasks: self.tasks,
            told: self.told,
            truncated: self.truncated,
        };
        summary.compact();
        summary
    }
}

/// Functions in the order callees first; those that call each other stand together.
fn circles(calls: &[Vec<u32>]) -> Vec<Vec<FnId>> {
    let mut search = Search {
        calls,
        index: vec![u32::MAX; calls.len()],
        low: vec![0; calls.len()],
        on_stack: vec![false; calls.len()],
        stack: Vec::new(),
        next: 0,
        out: Vec::new(),
    };
    for start in 0..calls.len() as u32 {
        if search.index[start as usize] == u32::MAX {
            search.visit(start);
        }
    }
    search.out
}

/// The functions that a body calls or names, by number.
pub fn callees(typed: &Typed) -> Vec<u32> {
    let mut out: Vec<u32> = typed.targets.values().flat_map(|target| target.functions.iter().map(|f| f.0)).collect();
    // Functions passed by name are called by whoever takes them.
    out.extend(typed.defs.values().filter_map(|def| match def {
        crate::resolve::Def::Fn(function) => Some(function.0),
        _ => None,
    }));
    out.sort_unstable();
    out.dedup();
    out
}

/// For each function whether, over any number of calls and names, it comes to one of some functions.
pub fn reaching(program: &Program, goals: impl Iterator<Item = FnId>) -> Vec<bool> {
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); program.typed.len()];
    for (caller, typed) in (0u32..).zip(&program.typed) {
        callees(typed).into_iter().for_each(|callee| callers[callee as usize].push(caller));
    }
    let mut reaching = vec![false; callers.len()];
    let mut todo: Vec<u32> = goals.map(|goal| goal.0).collect();
    while let Some(callee) = todo.pop() {
        for &caller in &callers[callee as usize] {
            if !std::mem::replace(&mut reaching[caller as usize], true) {
                todo.push(caller);
            }
        }
    }
    reaching
}

/// Tarjan's strongly connected components, without recursion.
struct Search<'c> {
    calls: &'c [Vec<u32>],
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    next: u32,
    out: Vec<Vec<FnId>>,
}

impl Search<'_> {
    fn visit(&mut self, start: u32) {
        let mut work: Vec<(u32, usize)> = vec![(start, 0)];
        self.enter(start);
        while let Some(&mut (at, ref mut edge)) = work.last_mut() {
            match self.calls[at as usize].get(*edge) {
                Some(&to) => {
                    *edge += 1;
                    if self.index[to as usize] == u32::MAX {
                        self.enter(to);
                        work.push((to, 0));
                    } else if self.on_stack[to as usize] {
                        self.low[at as usize] = self.low[at as usize].min(self.index[to as usize]);
                    }
                }
                None => {
                    work.pop();
                    if let Some(&(parent, _)) = work.last() {
                        self.low[parent as usize] = self.low[parent as usize].min(self.low[at as usize]);
                    }
                    self.leave(at);
                }
            }
        }
    }

    fn enter(&mut self, at: u32) {
        self.index[at as usize] = self.next;
        self.low[at as usize] = self.next;
        self.next += 1;
        self.stack.push(at);
        self.on_stack[at as usize] = true;
    }

    fn leave(&mut self, at: u32) {
        if self.low[at as usize] != self.index[at as usize] {
            return;
        }
        let mut circle = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.on_stack[member as usize] = false;
            circle.push(FnId(member));
            if member == at {
                break;
            }
        }
        circle.sort();
        self.out.push(circle);
    }
}
