//! The rules: one file each, and this list of all of them.

pub mod meta;

use crate::rule::Rule;

/// Every rule there is, in the order of the catalogue.
pub const ALL: &[&Rule] =
    &[&meta::UNUSED_SUPPRESSION, &meta::SUPPRESSION_WITHOUT_REASON, &meta::UNKNOWN_NAME, &meta::UNPARSABLE_SOURCE];
