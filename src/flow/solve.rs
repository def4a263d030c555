//! The order of the walks: callees before callers, functions that call each other together.

use std::collections::HashMap;
use std::sync::Arc;

use super::cond::Cond;
use super::event::{Context, EventKind, Summary};
use super::state::{State, owns};
use super::value::{Arena, EventId, Value};
use super::walk::{Summaries, Walker};
use crate::ir::{Body, ExprKind, Lit};
use crate::models::Models;
use crate::resolve::{FnId, Program, StaticId, Ty, Typed};

/// Functions that call each other in a circle of at most this many are walked a second time, with what the first walk found.
const SMALL_CIRCLE: usize = 12;

/// The summary of each function, by its id; functions without a body have none.
pub fn solve(program: &Program, models: &Models) -> Vec<Option<Arc<Summary>>> {
    let consts = literals(program);
    let mut summaries: Vec<Option<Arc<Summary>>> = vec![None; program.functions.len()];
    for circle in circles(program) {
        let rounds = if circle.len() > 1 && circle.len() <= SMALL_CIRCLE { 2 } else { 1 };
        for _ in 0..rounds {
            for &id in &circle {
                let summary = walk(program, models, &summaries, &consts, id);
                summaries[id.0 as usize] = summary.map(Arc::new);
            }
        }
    }
    summaries
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
        depth: 0,
        scopes: vec![Vec::new()],
        running: Vec::new(),
        through: Vec::new().into(),
        truncated: false,
        consts,
    };
    walker.bind_params(id);
    walker.root_frame();
    let value = walker.eval(root);
    Some(walker.summary(value))
}

impl Walker<'_> {
    fn bind_params(&mut self, id: FnId) {
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
            let value = self.param(number, &ty);
            number += 1;
            if let Some(pat) = param.pat {
                self.bind(pat, value);
            }
        }
    }

    fn param(&mut self, number: u32, ty: &Ty) -> super::value::ValueId {
        let value = self.arena.add(Value::Param(number));
        if *ty != Ty::Unknown {
            self.arena.types.insert(value, ty.clone());
        }
        value
    }

    fn summary(mut self, value: super::value::ValueId) -> Summary {
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
            truncated: self.truncated,
        };
        summary.compact();
        summary
    }
}

/// Functions in the order callees first; those that call each other stand together.
fn circles(program: &Program) -> Vec<Vec<FnId>> {
    let calls: Vec<Vec<u32>> = program.typed.iter().map(callees).collect();
    let mut search = Search {
        calls: &calls,
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

fn callees(typed: &Typed) -> Vec<u32> {
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
