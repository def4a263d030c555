//! Asked: the tests of a trace, which answers they look at, and which of them stand on the way to an act. Ways are long, a trace has many, and most of each
//! is shared: all of this is numbers and sets of numbers; what a test asks is told when somebody wants to know.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use super::View;
use super::decision::Decider;
use crate::flow::bits::Bits;
use crate::flow::cond::{Atom, Cond, CondId, Seen, Test};
use crate::flow::value::{EventId, ValueId};
use crate::intern::Map;

/// What a test, by its number, asks of the answer of an event.
type Questions = Map<(u32, EventId), Arc<[Decider]>>;

/// What a view knows of its tests, once it was asked.
#[derive(Default)]
pub struct Asked {
    tests: OnceCell<Tests>,
    ways: RefCell<Map<CondId, Arc<Way>>>,
    questions: RefCell<Questions>,
}

/// The tests of a trace, numbered as they come on the ways to its events and out of it.
#[derive(Default)]
pub struct Tests {
    pub atoms: Vec<Atom>,
    /// By condition; as one of several ways, and as what must hold.
    numbers: [Map<CondId, u32>; 2],
    /// By event: the tests that touch its answer.
    pub touching: Vec<Bits>,
    /// By event: those of them that look at what was read under it, not at the guard that it gave.
    beyond: Map<EventId, Bits>,
    /// Tests on one of several ways, each with the one that rules it out where that must hold.
    ruled_out: Vec<(u32, u32)>,
    /// Tests that must hold and cannot both.
    opposite: Vec<(u32, u32)>,
}

impl Tests {
    fn ask(&self, test: u32, event: EventId) -> bool {
        self.touching[event.0 as usize].contains(test)
            && !self.beyond.get(&event).is_some_and(|beyond| beyond.contains(test))
    }

    fn number(&self, cond: CondId, atom: &Atom) -> Option<u32> {
        self.numbers[usize::from(atom.strong)].get(&cond).copied()
    }

    fn add(&mut self, cond: CondId, atom: Atom) {
        self.numbers[usize::from(atom.strong)].insert(cond, self.atoms.len() as u32);
        self.atoms.push(atom);
    }

    fn pair_opposites(&mut self) {
        let key = |atom: &Atom, negated: bool| (atom.value, atom.test, negated);
        let strong = (0u32..).zip(&self.atoms).filter(|(_, atom)| atom.strong);
        let strong: Map<(ValueId, Test, bool), u32> = strong.map(|(at, atom)| (key(atom, atom.negated), at)).collect();
        for (at, atom) in (0u32..).zip(&self.atoms) {
            match strong.get(&key(atom, !atom.negated)) {
                Some(&other) if !atom.strong => self.ruled_out.push((at, other)),
                Some(&other) if atom.negated => self.opposite.push((at, other)),
                _ => {}
            }
        }
    }
}

/// The tests of one condition.
struct Way {
    all: Bits,
    /// Without those of several ways up to a point that what follows rules out.
    taken: Bits,
    /// The events whose answers those look at, sorted.
    events: Box<[EventId]>,
}

/// The tests that look at answers given before an act, in the order of their condition.
pub struct Deciders<'w, 'v> {
    view: &'w View<'v>,
    tests: &'w Tests,
    cond: CondId,
    way: Arc<Way>,
    act: EventId,
}

impl Deciders<'_, '_> {
    pub fn iter(&self) -> impl Iterator<Item = Decider> {
        self.among(|_| true)
    }

    /// Those that look at the answer of one event.
    pub fn of(&self, event: EventId) -> impl Iterator<Item = Decider> {
        self.at(self.events().binary_search(&event).ok().map(|_| event).into_iter().collect())
    }

    /// Those that look at the answers of some events.
    pub fn among(&self, events: impl Fn(EventId) -> bool) -> impl Iterator<Item = Decider> {
        self.at(self.events().iter().copied().filter(|event| events(*event)).collect())
    }

    /// The events whose answers are looked at, sorted.
    pub fn events(&self) -> &[EventId] {
        &self.way.events[..self.way.events.partition_point(|event| *event < self.act)]
    }

    fn at(&self, events: Vec<EventId>) -> impl Iterator<Item = Decider> {
        let mut tests = Bits::default();
        for event in &events {
            tests.insert_common(&self.tests.touching[event.0 as usize], &self.way.taken);
        }
        self.in_order(&tests).into_iter().flat_map(move |test| {
            let asked: Vec<EventId> = events.iter().copied().filter(|event| self.tests.ask(test, *event)).collect();
            asked.into_iter().flat_map(move |event| {
                let asks = self.view.asks(test, event);
                (0..asks.len()).map(move |at| asks[at])
            })
        })
    }

    /// The order is seldom asked for, and would cost more than the sets themselves if it were kept.
    fn in_order(&self, tests: &Bits) -> Vec<u32> {
        let mut out: Vec<u32> = tests.iter().take(2).collect();
        if out.len() > 1 {
            out.clear();
            self.view.trace.arena.unseen_atoms(self.cond, &mut Seen::default(), &mut |cond, atom| {
                out.extend(self.tests.number(cond, &atom).filter(|number| tests.contains(*number)));
            });
        }
        out
    }
}

impl<'v> View<'v> {
    /// The tests on the way to `act`, by the events whose answers they look at.
    pub fn deciders(&self, act: EventId) -> Deciders<'_, 'v> {
        self.deciders_of(self.event(act).cond, act)
    }

    /// The tests of a condition, of an event or of a call on the way to one, that look at answers given before an event.
    pub fn deciders_of(&self, cond: CondId, act: EventId) -> Deciders<'_, 'v> {
        Deciders { view: self, tests: self.tests(), cond, way: self.way(cond), act }
    }

    /// Both events can happen in one run: their conditions do not contradict each other.
    pub fn compatible(&self, a: EventId, b: EventId) -> bool {
        let (a, b) = (self.way(self.event(a).cond), self.way(self.event(b).cond));
        let both = |x: u32, y: u32| a.all.contains(x) && b.all.contains(y);
        !self.tests().opposite.iter().any(|&(x, y)| both(x, y) || both(y, x))
    }

    pub(super) fn tests(&self) -> &Tests {
        self.asked.tests.get_or_init(|| self.all_tests())
    }

    fn all_tests(&self) -> Tests {
        let mut tests = Tests::default();
        let mut seen = Seen::default();
        let arena = &self.trace.arena;
        let on_ways = self.trace.events.iter().flat_map(|event| event.levels.iter().copied().chain([event.cond]));
        for cond in on_ways.chain(self.conditions_out()) {
            arena.unseen_atoms(cond, &mut seen, &mut |cond, atom| tests.add(cond, atom));
        }
        tests.touching = vec![Bits::default(); self.trace.events.len()];
        let guards: Vec<Option<EventId>> =
            self.events().map(|(id, _)| self.access(id).and_then(|_| self.acquire_behind(id))).collect();
        for (number, atom) in (0u32..).zip(&tests.atoms) {
            for touch in self.touches_of_atom(atom) {
                tests.touching[touch.event.0 as usize].insert(number);
                // What was read under a guard is asked of the read, not of the guard.
                if let Some(guard) = guards[touch.event.0 as usize] {
                    tests.beyond.entry(guard).or_default().insert(number);
                }
            }
        }
        tests.touching.iter_mut().for_each(Bits::shrink);
        tests.pair_opposites();
        tests
    }

    fn way(&self, cond: CondId) -> Arc<Way> {
        if let Some(known) = self.asked.ways.borrow().get(&cond) {
            return known.clone();
        }
        let tests = self.tests();
        let all = self.tests_on(cond, tests);
        let mut taken = all.clone();
        for &(weak, strong) in &tests.ruled_out {
            if all.contains(strong) {
                taken.remove(weak);
            }
        }
        let asks = |event: EventId, touching: &Bits| match tests.beyond.get(&event) {
            None => touching.meets(&taken),
            Some(_) => taken.iter().any(|test| tests.ask(test, event)),
        };
        let events = (0u32..).map(EventId).zip(&tests.touching);
        let events = events.filter(|(event, touching)| asks(*event, touching)).map(|(event, _)| event).collect();
        let way = Arc::new(Way { all, taken, events });
        self.asked.ways.borrow_mut().insert(cond, way.clone());
        way
    }

    /// The tests of a condition, by number; from the longest part of the way on for which they are known.
    fn tests_on(&self, cond: CondId, tests: &Tests) -> Bits {
        let ways = self.asked.ways.borrow();
        let (mut at, mut steps) = (cond, Vec::new());
        let mut all = loop {
            match (ways.get(&at), self.trace.arena.cond(at)) {
                (Some(known), _) => break known.all.clone(),
                (None, Cond::Then(path, next)) => {
                    steps.push(*next);
                    at = *path;
                }
                (None, _) => {
                    steps.push(at);
                    break Bits::default();
                }
            }
        };
        let mut seen = Seen::default();
        for step in steps {
            self.trace.arena.unseen_atoms(step, &mut seen, &mut |cond, atom| {
                if let Some(number) = tests.number(cond, &atom) {
                    all.insert(number);
                }
            });
        }
        all
    }

    /// What a test, by its number, asks of the answer of one event, each question once.
    fn asks(&self, test: u32, event: EventId) -> Arc<[Decider]> {
        if let Some(known) = self.asked.questions.borrow().get(&(test, event)) {
            return known.clone();
        }
        let asks: Arc<[Decider]> = self.questions(&self.tests().atoms[test as usize], event).into();
        self.asked.questions.borrow_mut().insert((test, event), asks.clone());
        asks
    }

    fn questions(&self, atom: &Atom, event: EventId) -> Vec<Decider> {
        let mut out: Vec<Decider> = Vec::new();
        for touch in self.touches_of_atom_at(atom, event) {
            let (question, part) = (self.question_of(atom, &touch), touch.part.map(|part| part.0));
            let decider = Decider { event, question, part, atom: *atom };
            if !out.contains(&decider) {
                out.push(decider);
            }
        }
        out
    }
}
