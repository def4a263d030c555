//! Conditions → conjunctions of [`Predicate`]s.

use sqlparser::ast::{BinaryOperator, Expr, InTarget, UnaryOperator};

use super::operand::{bare, literal};
use super::scope::Cx;
use crate::intern::Symbol;
use crate::sql::{Column, Op, Operand, Predicate};

impl Cx<'_, '_> {
    /// The conditions that must all hold for `expr` to hold. A loop, because a chain of ANDs is a tree as deep as it is long.
    pub fn conjunction(&mut self, expr: &Expr, into: &mut Vec<Predicate>) {
        let mut left_to_do = vec![expr];
        while let Some(expr) = left_to_do.pop() {
            match parenthesised(expr) {
                Expr::BinaryOp { left, op: BinaryOperator::And, right } => left_to_do.extend([&**right, &**left]),
                other => self.test(other, into),
            }
        }
    }

    /// The one comparison of a column that `expr` is, if it is one and reads no rows of its own.
    pub fn comparison(&mut self, expr: &Expr) -> Option<Predicate> {
        if self.column(bare(expr)).is_some() {
            return None;
        }
        let mut found = Vec::new();
        self.conjunction(expr, &mut found);
        match &found[..] {
            [Predicate::Compare { op, .. }] if *op != Op::Other => found.pop(),
            _ => None,
        }
    }

    fn test(&mut self, expr: &Expr, into: &mut Vec<Predicate>) {
        let found = match expr {
            Expr::BinaryOp { op: BinaryOperator::Or, .. } => self.disjunction(expr),
            Expr::BinaryOp { left, op, right } => return self.binary(left, op, right, into),
            Expr::UnaryOp { op: UnaryOperator::Not | UnaryOperator::BangNot, expr: inner } => {
                self.negation(expr, inner)
            }
            Expr::IsNull(inner) => self.compare(expr, inner, Op::IsNull, null()),
            Expr::IsNotNull(inner) => self.compare(expr, inner, Op::IsNotNull, null()),
            Expr::IsTrue(inner) => self.compare(expr, inner, Op::Eq, boolean(true)),
            Expr::IsFalse(inner) => self.compare(expr, inner, Op::Eq, boolean(false)),
            Expr::IsNotTrue(inner) => self.compare(expr, inner, Op::Ne, boolean(true)),
            Expr::IsNotFalse(inner) => self.compare(expr, inner, Op::Ne, boolean(false)),
            Expr::IsNotDistinctFrom(left, right) => return self.binary(left, &BinaryOperator::Eq, right, into),
            Expr::IsDistinctFrom(left, right) => return self.binary(left, &BinaryOperator::NotEq, right, into),
            Expr::In { expr: inner, target, negated, .. } => {
                return self.membership(expr, inner, target, *negated, into);
            }
            Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => {
                self.compare_with(expr, left, Op::In, right)
            }
            Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => {
                self.compare_with(expr, left, Op::NotIn, right)
            }
            Expr::Between { expr: inner, negated: false, low, high } => {
                self.binary(inner, &BinaryOperator::GtEq, low, into);
                return self.binary(inner, &BinaryOperator::LtEq, high, into);
            }
            Expr::Like { negated: false, expr: inner, pattern, .. }
            | Expr::ILike { negated: false, expr: inner, pattern, .. } => {
                self.compare_with(expr, inner, Op::Like, pattern)
            }
            Expr::Exists { subquery, negated } => {
                let statement = self.lowering.query(subquery, Some(self.scope));
                self.inner.push(statement);
                Predicate::Exists { negated: *negated, inner: self.inner.len() - 1 }
            }
            other if literal(other).is_some_and(|text| text == "true" || text == "1") => return,
            other => match self.column(other) {
                Some(column) => Predicate::Compare { column, op: Op::Eq, right: boolean(true) },
                None => self.other(expr),
            },
        };
        into.push(found);
    }

    fn disjunction(&mut self, expr: &Expr) -> Predicate {
        let mut members = Vec::new();
        let mut left_to_do = vec![expr];
        while let Some(expr) = left_to_do.pop() {
            if let Expr::BinaryOp { left, op: BinaryOperator::Or, right } = parenthesised(expr) {
                left_to_do.extend([&**right, &**left]);
                continue;
            }
            let mut conjunction = Vec::new();
            self.conjunction(expr, &mut conjunction);
            members.push(if conjunction.len() == 1 { conjunction.remove(0) } else { Predicate::And(conjunction) });
        }
        Predicate::Or(members)
    }

    fn negation(&mut self, whole: &Expr, inner: &Expr) -> Predicate {
        match parenthesised(inner) {
            Expr::Exists { subquery, negated } => {
                let statement = self.lowering.query(subquery, Some(self.scope));
                self.inner.push(statement);
                Predicate::Exists { negated: !negated, inner: self.inner.len() - 1 }
            }
            Expr::IsNull(column) => self.compare(whole, column, Op::IsNotNull, null()),
            Expr::IsNotNull(column) => self.compare(whole, column, Op::IsNull, null()),
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => self.compare_with(whole, left, Op::Ne, right),
            Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => {
                self.compare_with(whole, left, Op::NotIn, right)
            }
            other => match self.column(other) {
                Some(column) => Predicate::Compare { column, op: Op::Eq, right: boolean(false) },
                None => self.other(whole),
            },
        }
    }

    fn binary(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr, into: &mut Vec<Predicate>) {
        let known = operator(op);
        if let (Op::Eq, Expr::Tuple(left), Expr::Tuple(right)) = (known, bare(left), bare(right))
            && left.len() == right.len()
        {
            return left.iter().zip(right).for_each(|(left, right)| self.binary(left, op, right, into));
        }
        if literal(left).is_some() && literal(right).is_some() {
            return;
        }
        if let (Op::Eq, Expr::AllOp { .. } | Expr::Subquery(_)) = (known, bare(right)) {
            return into.push(self.equals_subselect(left, right));
        }
        if let Some(predicate) = self.moved(left, known, right) {
            return into.push(predicate);
        }
        let (left_column, right_column) = (self.compared_column(left), self.compared_column(right));
        let foreign = |column: &Column| column.table != self.own;
        let turn = match (&left_column, &right_column) {
            (None, Some(_)) => true,
            (Some(left), Some(right)) => self.own.is_some() && foreign(left) && !foreign(right),
            _ => false,
        };
        let (column, op, value) = if turn { (right_column, turned(known), left) } else { (left_column, known, right) };
        let predicate = match column {
            Some(column) => Predicate::Compare { column, op, right: self.operand(value) },
            None => self.other_pair(left, right),
        };
        into.push(predicate);
    }

    /// `c - x >= y` says of the column what `c >= y + x` does.
    fn moved(&mut self, left: &Expr, op: Op, right: &Expr) -> Option<Predicate> {
        let Expr::BinaryOp { left: term, op: BinaryOperator::Plus | BinaryOperator::Minus, right: moved } = bare(left)
        else {
            return None;
        };
        let column = self.column(term).filter(|_| matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne))?;
        let (mut mentions, more) = (self.mentions(moved), self.mentions(right));
        more.columns.into_iter().for_each(|column| push_new(&mut mentions.columns, column));
        more.params.into_iter().for_each(|param| push_new(&mut mentions.params, param));
        mentions.subselect |= more.subselect;
        let right = self.computed_from(&mentions, right);
        Some(Predicate::Compare { column, op, right })
    }

    /// `c = (SELECT …)` and `c = ALL (…)`.
    fn equals_subselect(&mut self, left: &Expr, right: &Expr) -> Predicate {
        match self.compared_column(left) {
            Some(column) => Predicate::Compare { column, op: Op::Eq, right: self.operand(right) },
            None => self.other_pair(left, right),
        }
    }

    fn membership(&mut self, whole: &Expr, left: &Expr, target: &InTarget, negated: bool, into: &mut Vec<Predicate>) {
        let op = if negated { Op::NotIn } else { Op::In };
        let Expr::Tuple(columns) = bare(left) else {
            let Some(column) = self.compared_column(left) else { return into.push(self.other(whole)) };
            let right = self.members(target, column);
            return into.push(Predicate::Compare { column, op, right });
        };
        let columns: Option<Vec<Column>> = columns.iter().map(|part| self.compared_column(part)).collect();
        match (columns, negated) {
            (Some(columns), false) if !columns.is_empty() => {
                let right = self.members(target, columns[0]);
                into.extend(columns.into_iter().map(|column| Predicate::Compare { column, op, right: right.clone() }));
            }
            _ => into.push(self.other(whole)),
        }
    }

    /// What a column must be among.
    fn members(&mut self, target: &InTarget, column: Column) -> Operand {
        match target {
            InTarget::List(list) => match list.as_slice() {
                [only] => self.operand(only),
                several => self.operand(&Expr::Tuple(several.to_vec())),
            },
            InTarget::Unnest(array) => self.operand(array),
            InTarget::Subquery(query) => self.operand(&Expr::Subquery(query.clone())),
            InTarget::Table { name, .. } => {
                let text = Symbol::new(&name.to_string());
                Operand::Expr { columns: vec![column], params: Vec::new(), text, subselect: true }
            }
        }
    }

    fn compare(&mut self, whole: &Expr, left: &Expr, op: Op, right: Operand) -> Predicate {
        match self.compared_column(left) {
            Some(column) => Predicate::Compare { column, op, right },
            None => self.other(whole),
        }
    }

    fn compare_with(&mut self, whole: &Expr, left: &Expr, op: Op, right: &Expr) -> Predicate {
        match self.compared_column(left) {
            Some(column) => Predicate::Compare { column, op, right: self.operand(right) },
            None => self.other(whole),
        }
    }

    pub fn other(&mut self, expr: &Expr) -> Predicate {
        let mentions = self.mentions(expr);
        Predicate::Other { columns: mentions.columns, params: mentions.params }
    }

    fn other_pair(&mut self, left: &Expr, right: &Expr) -> Predicate {
        let (mut mentions, more) = (self.mentions(left), self.mentions(right));
        more.columns.into_iter().for_each(|column| push_new(&mut mentions.columns, column));
        more.params.into_iter().for_each(|param| push_new(&mut mentions.params, param));
        Predicate::Other { columns: mentions.columns, params: mentions.params }
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn parenthesised(mut expr: &Expr) -> &Expr {
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    expr
}

fn null() -> Operand {
    Operand::Literal(Symbol::new("null"))
}

fn boolean(value: bool) -> Operand {
    Operand::Literal(Symbol::new(if value { "true" } else { "false" }))
}

fn operator(op: &BinaryOperator) -> Op {
    match op {
        BinaryOperator::Eq | BinaryOperator::Spaceship | BinaryOperator::Is => Op::Eq,
        BinaryOperator::NotEq | BinaryOperator::IsNot => Op::Ne,
        BinaryOperator::Lt => Op::Lt,
        BinaryOperator::LtEq => Op::Le,
        BinaryOperator::Gt => Op::Gt,
        BinaryOperator::GtEq => Op::Ge,
        BinaryOperator::PGLikeMatch | BinaryOperator::PGILikeMatch => Op::Like,
        _ => Op::Other,
    }
}

/// The operator of the same comparison with its sides exchanged.
fn turned(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        other => other,
    }
}
