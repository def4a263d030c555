//! Conditions: trees of tests on values, with the negation pushed down to the tests.
//!
//! A path condition is a list that grows at its end ([`Cond::Then`]), so that the events of one function share it.

use super::bits::Bits;
use super::value::{Arena, Value, ValueId};
use crate::intern::Symbol;
use crate::ir::BinOp;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CondId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    True,
    False,
    Test {
        value: ValueId,
        test: Test,
        negated: bool,
    },
    And(Box<[CondId]>),
    Or(Box<[CondId]>),
    /// The path so far, and what was learnt next.
    Then(CondId, CondId),
}

/// What is asked of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// A bool is true.
    True,
    /// An Option is `Some`.
    Some,
    /// A Result is `Ok`.
    Ok,
    /// `value op other`
    Compare(BinOp, ValueId),
    /// It is this variant, or this constant pattern.
    Variant(Symbol),
    /// A collection is empty.
    Empty,
    /// A pattern of which nothing more is known matched.
    Pattern,
}

/// How deep tests look into values that depend on conditions themselves.
const DEPTH: u32 = 8;

/// How many steps of a way are listed one by one.
const LONG: usize = 64;

impl Arena {
    pub fn always(&mut self) -> CondId {
        self.add_cond(Cond::True)
    }

    pub fn never(&mut self) -> CondId {
        self.add_cond(Cond::False)
    }

    /// `path`, then `cond`.
    pub fn then(&mut self, path: CondId, cond: CondId) -> CondId {
        match (self.cond(path), self.cond(cond)) {
            (Cond::True, _) => cond,
            (_, Cond::True) => path,
            _ => self.add_cond(Cond::Then(path, cond)),
        }
    }

    pub fn and(&mut self, parts: Vec<CondId>) -> CondId {
        let mut kept: Vec<CondId> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for part in parts {
            match self.cond(part) {
                Cond::True => {}
                Cond::False => return part,
                _ if seen.insert(part) => kept.push(part),
                _ => {}
            }
        }
        match kept.len() {
            0 => self.always(),
            1 => kept[0],
            _ => self.add_cond(Cond::And(kept.into())),
        }
    }

    pub fn or(&mut self, parts: Vec<CondId>) -> CondId {
        let mut kept: Vec<CondId> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for part in parts {
            match self.cond(part) {
                Cond::False => {}
                Cond::True => return part,
                _ if seen.insert(part) => kept.push(part),
                _ => {}
            }
        }
        match kept.len() {
            0 => self.never(),
            1 => kept[0],
            _ => self.add_cond(Cond::Or(kept.into())),
        }
    }

    pub fn not(&mut self, cond: CondId) -> CondId {
        if let Some(&known) = self.memo.nots.get(&cond) {
            return known;
        }
        let negated = self.negate(cond);
        self.memo.nots.insert(cond, negated);
        self.memo.nots.insert(negated, cond);
        negated
    }

    fn negate(&mut self, cond: CondId) -> CondId {
        match self.cond(cond).clone() {
            Cond::True => self.never(),
            Cond::False => self.always(),
            Cond::Test { value, test, negated } => self.add_cond(Cond::Test { value, test, negated: !negated }),
            Cond::And(parts) => {
                let parts = parts.into_iter().map(|part| self.not(part)).collect();
                self.or(parts)
            }
            Cond::Or(parts) => {
                let parts = parts.into_iter().map(|part| self.not(part)).collect();
                self.and(parts)
            }
            Cond::Then(a, b) => {
                let parts = vec![self.not(a), self.not(b)];
                self.or(parts)
            }
        }
    }

    /// The condition that `value` is true.
    pub fn truth(&mut self, value: ValueId) -> CondId {
        self.truth_at(value, DEPTH)
    }

    fn truth_at(&mut self, value: ValueId, depth: u32) -> CondId {
        if let Some(&known) = self.memo.truths.get(&value) {
            return known;
        }
        let truth = self.expand_truth(value, depth);
        self.memo.truths.insert(value, truth);
        truth
    }

    fn expand_truth(&mut self, value: ValueId, depth: u32) -> CondId {
        if depth == 0 || !self.roomy() {
            return self.add_cond(Cond::Test { value, test: Test::True, negated: false });
        }
        match self.get(value).clone() {
            Value::Lit(text) if text == "true" => self.always(),
            Value::Lit(text) if text == "false" => self.never(),
            Value::Wrap(_, inner) => self.truth_at(inner, depth.saturating_sub(1)),
            Value::Op(name, args) => self.truth_of_op(value, name.as_str(), &args, depth),
            Value::Phi(arms) => {
                let parts = arms.into_iter().map(|(cond, arm)| {
                    let truth = self.truth_at(arm, depth.saturating_sub(1));
                    self.and(vec![cond, truth])
                });
                let parts: Vec<CondId> = parts.collect();
                self.or(parts)
            }
            _ => self.add_cond(Cond::Test { value, test: Test::True, negated: false }),
        }
    }

    fn truth_of_op(&mut self, value: ValueId, name: &str, args: &[ValueId], depth: u32) -> CondId {
        match (name, args) {
            ("!", [inner]) => {
                let inner = self.truth_at(*inner, depth.saturating_sub(1));
                self.not(inner)
            }
            ("&&", [a, b]) | ("&", [a, b]) => {
                let parts =
                    vec![self.truth_at(*a, depth.saturating_sub(1)), self.truth_at(*b, depth.saturating_sub(1))];
                self.and(parts)
            }
            ("||", [a, b]) | ("|", [a, b]) => {
                let parts =
                    vec![self.truth_at(*a, depth.saturating_sub(1)), self.truth_at(*b, depth.saturating_sub(1))];
                self.or(parts)
            }
            ("is_some", [of]) => self.test_at(*of, Test::Some, depth.saturating_sub(1)),
            ("is_none", [of]) => {
                let some = self.test_at(*of, Test::Some, depth.saturating_sub(1));
                self.not(some)
            }
            ("is_ok", [of]) => self.test_at(*of, Test::Ok, depth.saturating_sub(1)),
            ("is_err", [of]) => {
                let ok = self.test_at(*of, Test::Ok, depth.saturating_sub(1));
                self.not(ok)
            }
            ("is_empty", [of]) => self.test_at(*of, Test::Empty, depth.saturating_sub(1)),
            (op, [a, b]) if comparison(op).is_some() => {
                let op = comparison(op).unwrap_or(BinOp::Eq);
                self.compare(*a, op, *b, depth)
            }
            _ => self.add_cond(Cond::Test { value, test: Test::True, negated: false }),
        }
    }

    /// `a op b`; comparisons with `true`, `false`, `None` and `Some` are turned into plain tests.
    fn compare(&mut self, a: ValueId, op: BinOp, b: ValueId, depth: u32) -> CondId {
        let (a, op, b) =
            if self.as_lit(a).is_some() && self.as_lit(b).is_none() { (b, flip(op), a) } else { (a, op, b) };
        if matches!(op, BinOp::Eq | BinOp::Ne) {
            let plain = match self.get(b).clone() {
                Value::Lit(text) if text == "true" => Some(self.truth_at(a, depth.saturating_sub(1))),
                Value::Lit(text) if text == "false" => {
                    let truth = self.truth_at(a, depth.saturating_sub(1));
                    Some(self.not(truth))
                }
                Value::Const(path) if path == "None" => {
                    let some = self.test_at(a, Test::Some, depth.saturating_sub(1));
                    Some(self.not(some))
                }
                _ => None,
            };
            if let Some(plain) = plain {
                return if op == BinOp::Eq { plain } else { self.not(plain) };
            }
        }
        let (test, negated) = match op {
            BinOp::Ne => (Test::Compare(BinOp::Eq, b), true),
            op => (Test::Compare(op, b), false),
        };
        let yes = self.test_at(a, test, depth.saturating_sub(1));
        if negated { self.not(yes) } else { yes }
    }

    /// The condition that `value` passes `test`.
    pub fn test(&mut self, value: ValueId, test: Test) -> CondId {
        self.test_at(value, test, DEPTH)
    }

    fn test_at(&mut self, value: ValueId, test: Test, depth: u32) -> CondId {
        if let Some(&known) = self.memo.tests.get(&(value, test)) {
            return known;
        }
        let answer = self.expand_test(value, test, depth);
        self.memo.tests.insert((value, test), answer);
        answer
    }

    fn expand_test(&mut self, value: ValueId, test: Test, depth: u32) -> CondId {
        if depth > 0 && self.roomy() {
            match self.get(value).clone() {
                Value::Wrap(variant, inner) => {
                    if let Some(answer) = self.test_wrap(variant.as_str(), inner, test, depth) {
                        return answer;
                    }
                }
                Value::Const(path) if path == "None" => match test {
                    Test::Some => return self.never(),
                    Test::Variant(v) => return if v == "None" { self.always() } else { self.never() },
                    _ => {}
                },
                Value::Const(path) => {
                    if let Test::Variant(wanted) = test
                        && last_segment(path) == last_segment(wanted)
                    {
                        return self.always();
                    }
                }
                Value::Record { name: Some(name), .. } => {
                    if let Test::Variant(wanted) = test {
                        return if last_segment(name) == last_segment(wanted) { self.always() } else { self.never() };
                    }
                }
                Value::Lit(a) => {
                    if let Test::Compare(BinOp::Eq, other) = test
                        && let Some(b) = self.as_lit(other)
                    {
                        return if a == b { self.always() } else { self.never() };
                    }
                }
                Value::Phi(arms) => {
                    let parts: Vec<CondId> = arms
                        .into_iter()
                        .map(|(cond, arm)| {
                            let passed = self.test_at(arm, test, depth.saturating_sub(1));
                            self.and(vec![cond, passed])
                        })
                        .collect();
                    return self.or(parts);
                }
                _ => {}
            }
        }
        self.add_cond(Cond::Test { value, test, negated: false })
    }

    fn test_wrap(&mut self, variant: &str, inner: ValueId, test: Test, depth: u32) -> Option<CondId> {
        match (variant, test) {
            ("Some", Test::Some) | ("Ok", Test::Ok) => Some(self.always()),
            ("Err", Test::Ok) => Some(self.never()),
            // `Ok(option)` asked for its option, after `?` was looked through.
            ("Ok", Test::Some) | ("Some", Test::Ok) => Some(self.test_at(inner, test, depth.saturating_sub(1))),
            ("Err", Test::Some) => Some(self.never()),
            ("Some" | "Ok", Test::True | Test::Compare(..) | Test::Empty) => {
                Some(self.test_at(inner, test, depth.saturating_sub(1)))
            }
            (_, Test::Variant(wanted)) => {
                let wanted = last_segment(wanted);
                if wanted == variant {
                    Some(self.always())
                } else if matches!(wanted, "Some" | "None" | "Ok" | "Err") {
                    Some(self.never())
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// The tests that a condition consists of, with whether each must hold by itself (it stands under no `Or`).
    pub fn atoms(&self, cond: CondId) -> Vec<Atom> {
        self.atoms_of(&[cond])
    }

    /// The tests of several conditions; what they share is looked at once.
    pub fn atoms_of(&self, conds: &[CondId]) -> Vec<Atom> {
        let (mut out, mut seen) = (Vec::new(), Seen::default());
        for cond in conds.iter().rev() {
            self.unseen_atoms(*cond, &mut seen, &mut |_, atom| out.push(atom));
        }
        out
    }

    /// The tests of a condition, each with the condition that it is, but for those that were seen before.
    pub fn unseen_atoms(&self, cond: CondId, seen: &mut Seen, each: &mut impl FnMut(CondId, Atom)) {
        let mut todo = vec![(cond, true)];
        while let Some((id, strong)) = todo.pop() {
            if !seen.0[usize::from(strong)].insert(id.0) {
                continue;
            }
            match self.cond(id) {
                Cond::True | Cond::False => {}
                Cond::Test { value, test, negated } => {
                    each(id, Atom { value: *value, test: *test, negated: *negated, strong })
                }
                Cond::And(parts) => todo.extend(parts.iter().rev().map(|&part| (part, strong))),
                Cond::Or(parts) => todo.extend(parts.iter().rev().map(|&part| (part, false))),
                Cond::Then(path, next) => {
                    todo.push((*next, strong));
                    todo.push((*path, strong));
                }
            }
        }
    }

    /// Wherever a condition asks the test of an atom, it holds for either answer, if no call on the way fails.
    pub fn goes_both_ways(&self, cond: CondId, atom: &Atom) -> bool {
        match self.cond(cond) {
            Cond::And(parts) => parts.iter().all(|part| self.goes_both_ways(*part, atom)),
            Cond::Then(path, next) => self.goes_both_ways(*path, atom) && self.goes_both_ways(*next, atom),
            Cond::Or(_) => {
                let asked = self.atoms(cond).iter().any(|other| other.value == atom.value && other.test == atom.test);
                !asked || [true, false].into_iter().all(|answer| self.holds(cond, atom, answer, DEPTH))
            }
            Cond::Test { value, test, .. } => *value != atom.value || *test != atom.test,
            Cond::True | Cond::False => true,
        }
    }

    /// The condition is known to hold if the test of an atom has this answer, and no call fails.
    fn holds(&self, cond: CondId, atom: &Atom, answer: bool, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        let holds = |part: &CondId| self.holds(*part, atom, answer, depth - 1);
        match self.cond(cond) {
            Cond::True => true,
            Cond::False => false,
            Cond::And(parts) => parts.iter().all(holds),
            Cond::Or(parts) => parts.iter().any(holds),
            Cond::Then(path, next) => holds(path) && holds(next),
            Cond::Test { value, test, negated } if *value == atom.value && *test == atom.test => answer != *negated,
            Cond::Test { test, negated, .. } => *test == Test::Ok && !negated,
        }
    }

    /// What was learnt on the way from `base` to `path`.
    pub fn since(&mut self, base: CondId, path: CondId) -> CondId {
        let mut parts = Vec::new();
        let mut at = path;
        while at != base {
            match self.cond(at) {
                Cond::Then(before, next) => {
                    parts.push(*next);
                    at = *before;
                }
                Cond::True => break,
                _ => {
                    parts.push(at);
                    break;
                }
            }
        }
        // A list a way would cost the square of a long function; the way itself is shared with all that begin alike.
        if parts.len() > LONG && self.cond(base) == &Cond::True {
            return path;
        }
        parts.reverse();
        self.and(parts)
    }
}

/// The conditions that were looked through: as one of several ways, and as what must hold.
#[derive(Debug, Default)]
pub struct Seen([Bits; 2]);

/// One test of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    pub value: ValueId,
    pub test: Test,
    pub negated: bool,
    /// It must hold for the path to be taken; not one of several ways.
    pub strong: bool,
}

/// The last segment of a path.
pub fn last_segment(path: Symbol) -> &'static str {
    path.as_str().rsplit("::").next().unwrap_or_default()
}

fn comparison(op: &str) -> Option<BinOp> {
    Some(match op {
        "==" | "eq" => BinOp::Eq,
        "!=" | "ne" => BinOp::Ne,
        "<" | "lt" => BinOp::Lt,
        "<=" | "le" => BinOp::Le,
        ">" | "gt" => BinOp::Gt,
        ">=" | "ge" => BinOp::Ge,
        _ => return None,
    })
}

fn flip(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        same => same,
    }
}
