//! The numbers of items: each kind is counted through all files in the order of the text, so that a file and a place in it give the id at once.

use super::{AdtId, FnId, Place, StaticId, TraitId};
use crate::ir;

/// For each kind of item, the number of the first one of each file.
#[derive(Debug, Default)]
pub(super) struct Ids {
    functions: Vec<u32>,
    adts: Vec<u32>,
    /// How many structs each file has: its enums are numbered after them.
    structs: Vec<u32>,
    traits: Vec<u32>,
    statics: Vec<u32>,
    aliases: Vec<u32>,
    impls: Vec<u32>,
}

/// An alias of the program, by its place in all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AliasId(pub(super) u32);

/// An impl block of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ImplId(pub(super) u32);

impl Ids {
    pub(super) fn new(files: &[ir::File]) -> Ids {
        let first = |count: &dyn Fn(&ir::File) -> usize| -> Vec<u32> {
            let mut next = 0;
            let firsts = files.iter().map(|file| {
                let first = next;
                next += count(file) as u32;
                first
            });
            firsts.collect()
        };
        Ids {
            functions: first(&|file| file.functions.len()),
            adts: first(&|file| file.structs.len() + file.enums.len()),
            structs: files.iter().map(|file| file.structs.len() as u32).collect(),
            traits: first(&|file| file.traits.len()),
            statics: first(&|file| file.statics.len()),
            aliases: first(&|file| file.aliases.len()),
            impls: first(&|file| file.impls.len()),
        }
    }

    pub(super) fn function(&self, file: u32, index: u32) -> FnId {
        FnId(self.functions[file as usize] + index)
    }

    pub(super) fn structure(&self, file: u32, index: u32) -> AdtId {
        AdtId(self.adts[file as usize] + index)
    }

    pub(super) fn enumeration(&self, file: u32, index: u32) -> AdtId {
        AdtId(self.adts[file as usize] + self.structs[file as usize] + index)
    }

    pub(super) fn trait_(&self, file: u32, index: u32) -> TraitId {
        TraitId(self.traits[file as usize] + index)
    }

    pub(super) fn static_(&self, file: u32, index: u32) -> StaticId {
        StaticId(self.statics[file as usize] + index)
    }

    pub(super) fn alias(&self, file: u32, index: u32) -> AliasId {
        AliasId(self.aliases[file as usize] + index)
    }

    pub(super) fn implementation(&self, file: u32, index: u32) -> ImplId {
        ImplId(self.impls[file as usize] + index)
    }

    /// Where a struct or enum stands, and whether it is an enum.
    pub(super) fn place_of_adt(&self, id: AdtId) -> (Place, bool) {
        let at = place(&self.adts, id.0);
        let structs = self.structs.get(at.file as usize).copied().unwrap_or(0);
        if at.index < structs { (at, false) } else { (Place { index: at.index - structs, ..at }, true) }
    }

    pub(super) fn place_of_trait(&self, id: TraitId) -> Place {
        place(&self.traits, id.0)
    }

    pub(super) fn place_of_alias(&self, id: AliasId) -> Place {
        place(&self.aliases, id.0)
    }
}

/// The last file whose first number is not above the id; files without items of the kind share a number with the next, which is why the last counts.
fn place(firsts: &[u32], id: u32) -> Place {
    let file = firsts.partition_point(|&first| first <= id).saturating_sub(1);
    Place { file: file as u32, index: id - firsts.get(file).copied().unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_leads_back_to_its_file() {
        assert_eq!(place(&[0, 2, 2, 5], 1), Place { file: 0, index: 1 });
        assert_eq!(place(&[0, 2, 2, 5], 2), Place { file: 2, index: 0 });
        assert_eq!(place(&[0, 2, 2, 5], 6), Place { file: 3, index: 1 });
    }
}
