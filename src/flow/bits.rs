//! Sets of small numbers, a bit each.

/// A set of numbers; it grows to the largest that was added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Whether the number was not there before.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = place(number);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    pub fn remove(&mut self, number: u32) {
        let (word, bit) = place(number);
        if let Some(word) = self.0.get_mut(word) {
            *word &= !bit;
        }
    }

    pub fn contains(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Some number is in both.
    pub fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Adds the numbers that both of two others have.
    pub fn insert_common(&mut self, a: &Bits, b: &Bits) {
        let words = a.0.len().min(b.0.len());
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
        for (word, (a, b)) in self.0.iter_mut().zip(a.0.iter().zip(&b.0)) {
            *word |= a & b;
        }
    }

    /// The numbers, from the smallest.
    pub fn iter(&self) -> impl Iterator<Item = u32> + use<'_> {
        (0u32..).zip(&self.0).flat_map(|(at, &word)| {
            std::iter::successors(Some(word).filter(|word| *word != 0), |rest| {
                Some(rest & (rest - 1)).filter(|rest| *rest != 0)
            })
            .map(move |rest| at * u64::BITS + rest.trailing_zeros())
        })
    }

    pub fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }
}

fn place(number: u32) -> (usize, u64) {
    ((number / u64::BITS) as usize, 1 << (number % u64::BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u32]) -> Bits {
        let mut bits = Bits::default();
        numbers.iter().for_each(|number| assert!(bits.insert(*number)));
        bits
    }

    #[test]
    fn what_was_put_in_comes_out_in_order() {
        let mut bits = set(&[200, 0, 63, 64]);
        assert!(!bits.insert(63));
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 64, 200]);
        assert!(bits.contains(200) && !bits.contains(201) && !bits.contains(1000));
        bits.remove(64);
        bits.remove(5000);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 200]);
    }

    #[test]
    fn sets_of_any_length_meet_in_what_both_have() {
        let (a, b) = (set(&[1, 70, 300]), set(&[70, 71]));
        assert!(a.meets(&b) && b.meets(&a));
        assert!(!a.meets(&set(&[2, 301])) && !a.meets(&Bits::default()));
        let mut common = set(&[5]);
        common.insert_common(&a, &b);
        assert_eq!(common.iter().collect::<Vec<_>>(), [5, 70]);
    }
}
