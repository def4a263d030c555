//! Which model row a call has: by path, by receiver type and method name, by macro name.

use super::super::Ty;
use super::super::impls;
use super::super::impls::Head;
use super::super::index::Words;
use super::super::prelude::{is_primitive, known};
use super::super::scope::Item;
use super::super::scope::join;
use super::super::values::Value;
use super::Infer;
use crate::intern::Symbol;
use crate::ir::{self, ExprId, ExprKind};

/// A row with the type arguments that `$0` and its like stand for.
#[derive(Clone, Debug)]
pub(super) struct RowMatch {
    pub(super) row: u32,
    pub(super) params: Vec<Ty>,
    pub(super) how: How,
}

/// Whether the argument that a row asks for must be there, or may be among those of unknown type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Settled {
    Perhaps,
    Surely,
}

/// How a row came to hold, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    UnknownReceiver,
    AnyReceiver,
    /// An argument settles whose method it is.
    Argument,
    /// Through a trait that the type implements, or a bound.
    Trait,
    Type,
}

/// The arguments that a row is asked about, the receiver left aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'g> {
    pub(super) count: usize,
    /// Empty where only their number is known.
    pub(super) args: &'g [ExprId],
}

impl<'g> Given<'g> {
    pub(super) fn new(args: &'g [ExprId]) -> Self {
        Given { count: args.len(), args }
    }

    pub(super) fn count(count: usize) -> Self {
        Given { count, args: &[] }
    }

    /// Without the receiver of a method that is called by its path.
    fn rest(self) -> Option<Self> {
        Some(Given { count: self.count.checked_sub(1)?, args: self.args.get(1..).unwrap_or_default() })
    }
}

/// A row of a path call.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathRow {
    pub(super) row: u32,
    /// A method called by its path: the first argument is the receiver.
    pub(super) is_method: bool,
}

impl Infer<'_> {
    /// The names by which rows may speak of one type, with its arguments: itself, then what it implements.
    fn spoken_of(&self, ty: &Ty) -> Vec<(Symbol, Vec<Ty>, How)> {
        let mut names: Vec<(Symbol, Vec<Ty>, How)> = Vec::new();
        match ty {
            Ty::Ext(path, args) => names.push((*path, args.to_vec(), How::Type)),
            Ty::Slice(item) => names.push((Symbol::new("slice"), vec![(**item).clone()], How::Type)),
            Ty::Future(output) => names.push((known().future, vec![(**output).clone()], How::Type)),
            Ty::Closure(_) => names.push((Symbol::new("closure"), Vec::new(), How::Type)),
            Ty::Bound { bounds, .. } => {
                let traits = impls::library_bounds(self.ix.defs, bounds);
                names.extend(traits.into_iter().map(|(path, args)| (path, args, How::Trait)));
            }
            Ty::Adt(id, _) => {
                let derived = self.ix.world.tables.derived(*id);
                names.extend(derived.iter().map(|path| (*path, Vec::new(), How::Trait)));
            }
            Ty::Table(_) | Ty::Column(..) | Ty::Record(_) => {
                names.extend(self.ix.world.tables.counts_as(ty).iter().map(|path| (*path, Vec::new(), How::Trait)));
            }
            _ => {}
        }
        if impls::head(ty).is_some_and(|head| !matches!(head, Head::Library(_))) {
            let traits = self.ix.impls.library_traits(self.ix.defs, ty);
            names.extend(traits.into_iter().map(|(path, args)| (path, args, How::Trait)));
        }
        self.add_implemented(&mut names);
        names
    }

    /// Types of rows implement traits of their library, and those may imply others.
    fn add_implemented(&self, names: &mut Vec<(Symbol, Vec<Ty>, How)>) {
        let mut at = 0;
        while at < names.len() {
            let (path, args, _) = names[at].clone();
            let implemented = self.ix.world.library.row(path).map_or(&[][..], |row| row.implements.as_slice());
            for trait_ in implemented {
                let trait_ = self.ix.world.library.canonical(Symbol::new(trait_));
                if !names.iter().any(|(known, _, _)| *known == trait_) {
                    names.push((trait_, args.clone(), How::Trait));
                }
            }
            at += 1;
        }
    }

    /// The row of a method on exactly this type, not on what it dereferences to.
    pub(super) fn method_row(&self, ty: &Ty, name: Symbol, given: Given<'_>) -> Option<RowMatch> {
        let models = self.ix.world.library.models;
        let (named, others) = (models.calls_by_method(name.as_str()), models.calls_by_method("*"));
        let names = if named.is_empty() && others.is_empty() { Vec::new() } else { self.spoken_of(ty) };
        let own = |rows: &[u32]| {
            names.iter().find_map(|(path, args, how)| {
                let fits = |row: &&u32| models.on(**row).contains(path) && self.fits(**row, given, Settled::Perhaps);
                let fitting: Vec<u32> = rows.iter().filter(fits).copied().collect();
                // A row that names the arity knows more than one that does not.
                let exact = fitting.iter().find(|row| models.calls[**row as usize].arity.is_some());
                let row = *exact.or(fitting.first())?;
                Some(RowMatch { row, params: args.clone(), how: *how })
            })
        };
        own(named).or_else(|| own(others))
    }

    /// The row of a method whose receiver says nothing.
    pub(super) fn method_row_by_name(&self, name: Symbol, given: Given<'_>, receiver: &Ty) -> Option<RowMatch> {
        let models = self.ix.world.library.models;
        let candidates = models.calls_by_method(name.as_str());
        let found = |how: How, holds: &dyn Fn(u32) -> bool| {
            let settled = if how == How::Argument { Settled::Surely } else { Settled::Perhaps };
            let row = candidates.iter().find(|row| self.fits(**row, given, settled) && holds(**row))?;
            Some(RowMatch { row: *row, params: Vec::new(), how })
        };
        if let Some(any) = found(How::AnyReceiver, &|row| models.on(row).iter().any(|on| *on == "*")) {
            return Some(any);
        }
        let call = |row: u32| &models.calls[row as usize];
        if !receiver.is_known() {
            let argument = found(How::Argument, &|row| call(row).unknown_receiver && call(row).given.is_some());
            let by_name =
                || found(How::UnknownReceiver, &|row| call(row).unknown_receiver && call(row).given.is_none());
            return argument.or_else(by_name);
        }
        // `Regex::new(…).unwrap()`: what naming guessed to be the type was its `Result`.
        if !self.is_foreign(receiver) {
            return None;
        }
        let k = known();
        found(How::UnknownReceiver, &|row| {
            call(row).unknown_receiver && models.on(row).iter().any(|on| *on == k.result || *on == k.option)
        })
    }

    /// A library type of which no row speaks.
    pub(super) fn is_foreign(&self, ty: &Ty) -> bool {
        matches!(ty.unref(), Ty::Ext(path, _) if self.ix.world.library.row(*path).is_none() && !is_primitive(*path))
    }

    fn fits(&self, row: u32, given: Given<'_>, settled: Settled) -> bool {
        let row = &self.ix.world.library.models.calls[row as usize];
        if row.arity.is_some_and(|known| known != given.count) {
            return false;
        }
        let Some(wanted) = &row.given else { return true };
        let types: Vec<Ty> = given.args.iter().map(|arg| self.peek(*arg)).collect();
        let unknown = settled == Settled::Perhaps && (given.args.is_empty() || types.iter().any(Ty::is_unknown));
        unknown || types.iter().any(|ty| matches!(ty.unref(), Ty::Ext(path, _) if path.as_str() == wanted))
    }

    /// What an argument is, as far as it can be told before it is typed.
    fn peek(&self, arg: ExprId) -> Ty {
        match &self.body.expr(self.through_scopes(arg)).kind {
            ExprKind::Local(local) => self.out.locals[local.0 as usize].clone(),
            ExprKind::Path(path) => match self.cx.value(self.cx.path(*path)) {
                Value::Library { owner, .. } => owner,
                Value::Item(Item::Static(id)) => self.ix.defs.statics[id.0 as usize].ty.clone(),
                _ => Ty::Unknown,
            },
            ExprKind::Lit(lit) => super::exprs::literal(lit, &Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    /// The row of a function called by its path: a function's, or a method's of the type before the last segment.
    pub(super) fn path_row(&self, path: Symbol, owner: &Ty, given: Given<'_>) -> Option<PathRow> {
        let models = self.ix.world.library.models;
        let canonical = self.ix.world.library.canonical_function(path);
        for text in [path.as_str(), canonical.as_str()] {
            let rows = models.calls_by_path(text);
            if let Some(row) = rows.iter().find(|row| self.fits(**row, given, Settled::Perhaps)).or(rows.first()) {
                return Some(PathRow { row: *row, is_method: false });
            }
        }
        self.owner_row(owner, Symbol::new(super::super::index::last(path)), given)
    }

    /// The row of `Type::name(…)`, for a type of any kind.
    pub(super) fn owner_row(&self, owner: &Ty, name: Symbol, given: Given<'_>) -> Option<PathRow> {
        let models = self.ix.world.library.models;
        for (path, _, _) in self.spoken_of(owner.unref()) {
            let rows = models.calls_by_path(&format!("{path}::{name}"));
            if let Some(row) = rows.iter().find(|row| self.fits(**row, given, Settled::Perhaps)) {
                return Some(PathRow { row: *row, is_method: false });
            }
        }
        let given = given.rest()?;
        let found = self.method_row(owner.unref(), name, given);
        // `Arc::clone(&x)`: what any type has, a library type has by its path too.
        let any = || matches!(owner, Ty::Ext(..)).then(|| self.method_row_by_name(name, given, owner)).flatten();
        found.or_else(any).map(|found| PathRow { row: found.row, is_method: true })
    }

    /// The row of a macro: by its full path, else by the last segment where no path contradicts.
    pub(super) fn macro_row(&self, path: &ir::Path, arity: usize) -> Option<u32> {
        let names: Vec<Symbol> = path.segments.iter().map(|segment| segment.name).collect();
        let last = names.last()?;
        let models = self.ix.world.library.models;
        let candidates = models.calls_by_macro(last.as_str());
        if candidates.is_empty() {
            return None;
        }
        let written = join(&names);
        let full = self.cx.macro_path(path);
        let fits = |row: &&u32| self.fits(**row, Given::count(arity), Settled::Perhaps);
        let named = |row: &&u32, text: &str| models.calls[**row as usize].macros.iter().any(|known| known == text);
        if let Some(full) = full {
            let row = candidates.iter().filter(fits).find(|row| named(row, full.as_str()));
            if row.is_some() || names.len() > 1 {
                return row.copied();
            }
        }
        let row = candidates.iter().filter(fits).find(|row| named(row, &written));
        // `#[macro_use] extern crate` and re-exports bring macros without a path that could be followed.
        let own = self.ix.world.names.macros.contains(last);
        row.or_else(|| if names.len() == 1 && !own { candidates.iter().find(fits) } else { None }).copied()
    }

    /// The type that a row says its call gives.
    pub(super) fn row_value(&self, row: u32, words: &Words<'_>) -> Option<Ty> {
        let models = self.ix.world.library.models;
        let ty = self.ix.instantiate(models.returns(row)?, words);
        let is_async = models.calls[row as usize].is_async;
        Some(match ty {
            Ty::Future(_) => ty,
            ty if is_async => Ty::Future(std::sync::Arc::new(ty)),
            ty => ty,
        })
    }
}
