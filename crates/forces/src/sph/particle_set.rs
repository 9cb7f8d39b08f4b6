//! Sets of particles in the order of the lists: one bit per particle, by blocks. Iteration over a set is in memory order, and a pass over a block
//! gets the bits of its particles.

use pliant_parallel::{for_each_task, for_each_task2};

use super::lanes::BLOCK;

const WORD: usize = u64::BITS as usize;
const WORDS: usize = BLOCK / WORD;
/// Below this number of particles waking threads takes longer than the work.
const MIN_PARALLEL: usize = 256;

/// A subset of a block's particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits([u64; WORDS]);

impl Bits {
    const NONE: Self = Self([0; WORDS]);
    pub const ALL: Self = Self([u64::MAX; WORDS]);

    #[inline(always)]
    pub fn add(&mut self, at: usize) {
        self.0[at / WORD] |= 1 << (at % WORD);
    }

    /// Iterates over the particles before a place, in order.
    #[inline(always)]
    pub fn before(self, end: usize) -> Each {
        Each { rest: self, word: 0, end }
    }

    fn count(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Iterator over [`Bits`].
pub(super) struct Each {
    rest: Bits,
    word: usize,
    end: usize,
}

impl Iterator for Each {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.word < WORDS {
            let bits = &mut self.rest.0[self.word];
            if *bits != 0 {
                let at = self.word * WORD + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                return (at < self.end).then_some(at);
            }
            self.word += 1;
        }
        None
    }
}

/// A set. See the file head.
#[derive(Clone, Debug, Default)]
pub(super) struct ParticleSet {
    blocks: Vec<Bits>,
    is_all: bool,
}

impl ParticleSet {
    /// The set of all particles.
    pub fn all() -> Self {
        Self { blocks: Vec::new(), is_all: true }
    }

    /// Makes the set empty, with this number of blocks.
    pub fn clear(&mut self, blocks: usize) {
        self.blocks.clear();
        self.blocks.resize(blocks, Bits::NONE);
        self.is_all = false;
    }

    /// The blocks, to be filled.
    pub fn blocks_mut(&mut self) -> &mut [Bits] {
        &mut self.blocks
    }

    #[inline(always)]
    pub fn add(&mut self, particle: u32) {
        self.blocks[particle as usize / BLOCK].add(particle as usize % BLOCK);
    }

    pub fn add_list(&mut self, particles: &[u32]) {
        particles.iter().for_each(|particle| self.add(*particle));
    }

    pub fn add_all(&mut self) {
        self.is_all = true;
    }

    /// Adds the particles of another set.
    pub fn join(&mut self, other: &Self) {
        self.is_all |= other.is_all;
        if !self.is_all {
            for (mine, its) in self.blocks.iter_mut().zip(&other.blocks) {
                mine.0.iter_mut().zip(its.0).for_each(|(mine, its)| *mine |= its);
            }
        }
    }

    /// Removes the particles of another set.
    pub fn remove(&mut self, other: &Self) {
        for (mine, its) in self.blocks.iter_mut().zip(&other.blocks) {
            mine.0.iter_mut().zip(its.0).for_each(|(mine, its)| *mine &= !its);
        }
    }

    pub fn is_all(&self) -> bool {
        self.is_all
    }

    pub fn is_empty(&self) -> bool {
        !self.is_all && self.blocks.iter().all(|bits| *bits == Bits::NONE)
    }

    /// Number of particles; not valid for the set of all.
    pub fn count(&self) -> usize {
        self.blocks.iter().map(|bits| bits.count()).sum()
    }

    /// The particles of one block.
    pub fn of(&self, block: usize) -> Bits {
        if self.is_all { Bits::ALL } else { self.blocks[block] }
    }

    /// Its particles in order, up to `end`; not valid for the set of all.
    pub fn each(&self, end: usize) -> impl Iterator<Item = usize> {
        let some = self.blocks.iter().enumerate().filter(|(_, bits)| **bits != Bits::NONE);
        some.flat_map(move |(b, bits)| bits.before(end.saturating_sub(b * BLOCK)).map(move |at| b * BLOCK + at))
    }

    /// Calls `f(b, wanted, block)` for all blocks with particles in the set.
    pub fn for_each_block<T: Send>(&self, blocks: &mut [T], f: impl Fn(usize, Bits, &mut T) + Sync) {
        let of = |b: usize, block: &mut T| match self.of(b) {
            Bits::NONE => {}
            bits => f(b, bits, block),
        };
        if self.is_all || self.count() >= MIN_PARALLEL {
            for_each_task(blocks, of);
        } else {
            blocks.iter_mut().enumerate().for_each(|(b, block)| of(b, block));
        }
    }

    /// [`ParticleSet::for_each_block`] over two equally long slices.
    pub fn for_each_block2<T: Send, U: Send>(
        &self,
        one: &mut [T],
        other: &mut [U],
        f: impl Fn(usize, Bits, &mut T, &mut U) + Sync,
    ) {
        let of = |b: usize, one: &mut T, other: &mut U| match self.of(b) {
            Bits::NONE => {}
            bits => f(b, bits, one, other),
        };
        if self.is_all || self.count() >= MIN_PARALLEL {
            for_each_task2(one, other, of);
        } else {
            one.iter_mut().zip(other).enumerate().for_each(|(b, (one, other))| of(b, one, other));
        }
    }
}
