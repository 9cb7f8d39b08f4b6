//! Neighbour lists of particles sorted by cell.
//!
//! The lists are a function of the positions at which they were built, so storing those positions is enough to restore them.

use std::ops::Range;

use glam::DVec3;
use pliant_geom::CellGrid;
use pliant_parallel::for_each_task;

use super::lanes::{BLOCK, LANES, Period};
use crate::vector::{Machine, Work, on_widest};

/// Marks a particle that is not in the order.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The lists of [`BLOCK`] particles.
#[derive(Clone, Debug)]
pub(super) struct BlockLists {
    start: [u32; BLOCK],
    end: [u32; BLOCK],
    neighbours: Vec<u32>,
}

impl Default for BlockLists {
    fn default() -> Self {
        Self { start: [0; BLOCK], end: [0; BLOCK], neighbours: Vec::new() }
    }
}

impl BlockLists {
    /// Neighbours of one of the block's particles in groups; the last group is padded with the index of a particle without volume.
    #[inline(always)]
    pub fn of(&self, at: usize) -> &[[u32; LANES]] {
        let list = &self.neighbours[self.start[at] as usize..self.end[at] as usize];
        list.as_chunks::<LANES>().0
    }

    /// Allocates room for sublists of other lists.
    pub fn make_room(&mut self, others: &Self) {
        // each sublist has room for its whole list and one group of padding, so that one can be rewritten without the others
        let room = BLOCK * LANES;
        if self.neighbours.len() < others.neighbours.len() + room {
            // up to the capacity of the others, so that this is rare
            self.neighbours.resize(others.neighbours.capacity() + room, 0);
        }
    }

    /// Begins the sublist of one of the block's particles; returns its start.
    #[inline(always)]
    pub fn begin(&mut self, particle: usize, others: &Self) -> usize {
        let start = others.start[particle] + (particle * LANES) as u32;
        self.start[particle] = start;
        start as usize
    }

    /// Writes one group of neighbours; the next call may overwrite its tail.
    #[inline(always)]
    pub fn put(&mut self, at: usize, neighbours: [u32; LANES]) {
        self.neighbours[at..at + LANES].copy_from_slice(&neighbours);
    }

    /// Ends the list of one of the block's particles, padded with `empty`.
    #[inline(always)]
    pub fn end(&mut self, particle: usize, at: usize, empty: u32) {
        self.put(at, [empty; LANES]);
        self.end[particle] = at.next_multiple_of(LANES) as u32;
    }
}

/// Neighbour lists of all particles.
#[derive(Clone, Debug, Default)]
pub(super) struct NeighbourLists {
    /// Positions for which they were built, by particle; empty: not built yet.
    pub reference: Vec<DVec3>,
    /// Particle of each index in the order.
    pub order: Vec<u32>,
    /// Index of each particle in the order.
    pub rank: Vec<u32>,
    pub blocks: Vec<BlockLists>,
    /// Counts the builds.
    pub edition: u64,
    /// Sorted coordinates at the reference.
    sorted: [Vec<f64>; 3],
    fluids: CellGrid,
    reach: f64,
    periods: [Period; 3],
    is_periodic: bool,
    flat: bool,
}

impl NeighbourLists {
    pub fn new(reach: f64, periods: [Option<f64>; 3], flat: bool) -> Self {
        let grid = CellGrid::new(reach, periods);
        let (is_periodic, periods) = (periods.iter().any(Option::is_some), periods.map(Period::new));
        Self { fluids: grid, reach, periods, is_periodic, flat, ..Self::default() }
    }

    /// Whether they were built for exactly these positions.
    pub fn were_built_at(&self, x: &[DVec3]) -> bool {
        self.reference == x
    }

    /// Squared distance from `x` to the particle's reference position, m²; zero for particles of other bodies, which do not limit the lists.
    #[inline]
    pub fn displacement_squared(&self, particle: usize, x: DVec3) -> f64 {
        let d = x - self.reference[particle];
        let square = d.x * d.x + d.y * d.y + if self.flat { 0.0 } else { d.z * d.z };
        if self.rank[particle] == NOWHERE { 0.0 } else { square }
    }

    /// Rebuilds the lists at positions.
    pub fn rebuild(&mut self, x: &[DVec3], fluids: &[u32]) {
        self.reference.clear();
        self.reference.extend_from_slice(x);
        if self.flat {
            self.reference.iter_mut().for_each(|x| x.z = 0.0);
        }
        self.fluids.sort(&self.reference, fluids);
        self.order.clear();
        self.order.extend(self.fluids.order());
        self.rank.clear();
        self.rank.resize(x.len(), NOWHERE);
        for (k, &id) in self.order.iter().enumerate() {
            self.rank[id as usize] = k as u32;
        }
        for (axis, sorted) in self.sorted.iter_mut().enumerate() {
            sorted.clear();
            sorted.extend(self.order.iter().map(|&id| self.reference[id as usize][axis]));
        }
        if self.flat {
            self.reference.copy_from_slice(x);
        }
        self.find();
        self.edition += 1;
    }

    fn find(&mut self) {
        let count = self.order.len();
        let blocks = (count + 1).div_ceil(BLOCK);
        if self.blocks.len() != blocks {
            self.blocks.resize(blocks, BlockLists::default());
        }
        let search = Search {
            fluids: &self.fluids,
            sorted: [&self.sorted[0], &self.sorted[1], &self.sorted[2]],
            per_reach: 1.0 / self.reach,
            periods: self.periods,
            is_periodic: self.is_periodic,
        };
        for_each_task(&mut self.blocks, |b, out| on_widest(SearchBlock { search: &search, first: b * BLOCK, out }));
        // equal capacity for all blocks, so that the next build allocates nothing
        let most = self.blocks.iter().map(|block| block.neighbours.len()).max().unwrap_or(0);
        for block in &mut self.blocks {
            if block.neighbours.capacity() < most + ROOM {
                block.neighbours.reserve(most + most / 2 + ROOM - block.neighbours.len());
            }
        }
    }
}

/// Spare capacity of lists.
const ROOM: usize = 256;
/// Candidates per batch.
const PIECE: usize = 1024;
/// Runs around a cell: those of 5 x 5 rows, each split in two where space is periodic.
const MAX_RUNS: usize = 50;
/// Candidates per distance test.
const WIDTH: usize = 8;
/// Distances over the reach are computed in single precision, from coordinates below 1.25 with an error of 2⁻²⁴ of that at most: squares near 1 are
/// off by 8e-7. With this margin no particle within reach is missed.
const JUST_BEYOND: f32 = 1.0 + 2e-6;

struct Search<'a> {
    fluids: &'a CellGrid,
    sorted: [&'a [f64]; 3],
    per_reach: f64,
    periods: [Period; 3],
    is_periodic: bool,
}

/// Candidates: all particles of the cells around one cell, contiguous.
struct Candidates {
    cell: Option<[i64; 3]>,
    middle: [f64; 3],
    /// Wrapping offset from the order of the cell's particles to their index here; `None`: they are not here.
    to_slot: Option<usize>,
    count: usize,
    index: [u32; PIECE],
    /// Coordinates relative to the centre of the cell, over the reach.
    x: [[f32; PIECE]; 3],
    found: [u32; PIECE + WIDTH],
}

/// The search for the lists of one block.
struct SearchBlock<'a> {
    search: &'a Search<'a>,
    first: usize,
    out: &'a mut BlockLists,
}

impl Work for SearchBlock<'_> {
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        self.search.block(machine, self.first, self.out);
    }
}

impl Search<'_> {
    #[inline(always)]
    fn block<M: Machine>(&self, machine: M, first: usize, out: &mut BlockLists) {
        let count = self.sorted[0].len();
        out.neighbours.clear();
        let mut candidates = Candidates {
            cell: None,
            middle: [0.0; 3],
            to_slot: None,
            count: 0,
            index: [0; PIECE],
            x: [[0.0; PIECE]; 3],
            found: [0; PIECE + WIDTH],
        };
        for at in 0..BLOCK {
            let i = first + at;
            (out.start[at], out.end[at]) = (out.neighbours.len() as u32, out.neighbours.len() as u32);
            if i >= count {
                continue;
            }
            let position = [self.sorted[0][i], self.sorted[1][i], self.sorted[2][i]];
            let Some(cell) = self.fluids.cell(DVec3::from_array(position)) else { continue };
            let list = &mut out.neighbours;
            if candidates.cell != Some(cell) {
                candidates.cell = Some(cell);
                candidates.middle = self.fluids.middle(cell).to_array();
                (candidates.count, candidates.to_slot) = (0, None);
                // candidates of all cells around, if they fit into one batch
                let whole = self.collect(cell, i, &mut candidates, |_| false);
                if !whole {
                    candidates.cell = None;
                    (candidates.count, candidates.to_slot) = (0, None);
                    self.collect(cell, i, &mut candidates, |full| {
                        self.take(machine, i, position, full, list);
                        (full.count, full.to_slot) = (0, None);
                        true
                    });
                }
            }
            self.take(machine, i, position, &mut candidates, list);
            list.resize(list.len().next_multiple_of(LANES), count as u32);
            out.end[at] = list.len() as u32;
        }
    }

    /// Gathers the candidates around the cell of particle `i`; calls `make_room` when the batch is full. Whether `make_room` always succeeded.
    #[inline(always)]
    fn collect(
        &self,
        cell: [i64; 3],
        i: usize,
        out: &mut Candidates,
        mut make_room: impl FnMut(&mut Candidates) -> bool,
    ) -> bool {
        // the callback is not inlined and would be compiled for baseline instructions, so it only records the runs
        let (mut runs, mut count) = ([const { 0..0 }; MAX_RUNS], 0);
        let mut note = |run: Range<usize>| {
            runs[count] = run;
            count += 1;
        };
        self.fluids.for_each_run(cell, &mut note);
        for run in &mut runs[..count] {
            while run.start < run.end {
                if out.count == PIECE {
                    if !make_room(out) {
                        return false;
                    }
                    continue;
                }
                let some = run.start..run.end.min(run.start + PIECE - out.count);
                let to = out.count..out.count + some.len();
                for axis in 0..3 {
                    self.shift(axis, out.middle[axis], &self.sorted[axis][some.clone()], &mut out.x[axis][to.clone()]);
                }
                for (index, j) in out.index[to.clone()].iter_mut().zip(some.start as u32..) {
                    *index = j;
                }
                if some.contains(&i) {
                    out.to_slot = Some(to.start.wrapping_sub(some.start));
                }
                (out.count, run.start) = (to.end, some.end);
            }
        }
        true
    }

    #[inline(always)]
    fn shift(&self, axis: usize, middle: f64, from: &[f64], to: &mut [f32]) {
        // two loops, because a branch inside prevents vectorization
        let (period, per_reach) = (self.periods[axis], self.per_reach);
        if self.is_periodic {
            to.iter_mut().zip(from).for_each(|(to, x)| *to = (period.nearest(x - middle) * per_reach) as f32);
        } else {
            to.iter_mut().zip(from).for_each(|(to, x)| *to = ((x - middle) * per_reach) as f32);
        }
    }

    /// Appends the candidates that are within reach.
    #[inline(always)]
    fn take<M: Machine>(&self, machine: M, i: usize, position: [f64; 3], all: &mut Candidates, list: &mut Vec<u32>) {
        let mut own = [0.0];
        let own = [0, 1, 2].map(|axis| {
            self.shift(axis, all.middle[axis], &position[axis..=axis], &mut own);
            own[0]
        });
        let [xs, ys, zs] = all.x.each_ref().map(|x| x.as_chunks::<WIDTH>().0);
        let itself = all.to_slot.map_or(usize::MAX, |shift| i.wrapping_add(shift));
        let mut found = 0;
        for (group, index) in all.index.as_chunks::<WIDTH>().0[..all.count.div_ceil(WIDTH)].iter().enumerate() {
            let mut bits = machine.near(own, [&xs[group], &ys[group], &zs[group]], JUST_BEYOND);
            let left = all.count - group * WIDTH;
            if left < WIDTH {
                bits &= (1 << left) - 1;
            }
            if itself / WIDTH == group {
                bits &= !(1 << (itself % WIDTH));
            }
            all.found[found..found + WIDTH].copy_from_slice(&machine.packed_eight(index, bits));
            found += bits.count_ones() as usize;
        }
        list.extend_from_slice(&all.found[..found]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solid::samples::Numbers;

    /// Sorted neighbours by particle.
    fn found(lists: &NeighbourLists, count: usize) -> Vec<Vec<u32>> {
        let of = |id: usize| {
            let k = lists.rank[id] as usize;
            let near = lists.blocks[k / BLOCK].of(k % BLOCK).as_flattened().iter();
            let mut near: Vec<u32> = near.filter_map(|&j| lists.order.get(j as usize).copied()).collect();
            near.sort_unstable();
            near
        };
        (0..count).map(of).collect()
    }

    fn expected(x: &[DVec3], reach: f64, periods: [Option<f64>; 3]) -> Vec<Vec<u32>> {
        let periods = periods.map(Period::new);
        let near = |i: usize, j: usize| {
            let d: [f64; 3] = std::array::from_fn(|k| periods[k].nearest(x[i][k] - x[j][k]));
            let is_near = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach * reach;
            is_near && i != j
        };
        (0..x.len()).map(|i| (0..x.len()).filter(|&j| near(i, j)).map(|j| j as u32).collect()).collect()
    }

    fn compare(x: &[DVec3], reach: f64, periods: [Option<f64>; 3]) {
        let mut lists = NeighbourLists::new(reach, periods, false);
        let ids = |range: Range<usize>| range.map(|id| id as u32).collect::<Vec<u32>>();
        // twice: the second build reuses memory
        for _ in 0..2 {
            lists.rebuild(x, &ids(0..x.len()));
            assert_eq!(found(&lists, x.len()), expected(x, reach, periods));
        }
    }

    fn cloud(count: usize, size: f64, seed: u64) -> Vec<DVec3> {
        let mut numbers = Numbers(seed);
        (0..count).map(|_| numbers.vector() * size).collect()
    }

    #[test]
    fn lists_hold_exactly_what_is_near() {
        for (count, size, seed) in [(1, 1.0, 1), (300, 1.0, 2), (500, 3.0, 3), (400, 30.0, 4)] {
            compare(&cloud(count, size, seed), 0.4, [None; 3]);
        }
        compare(&[], 0.4, [None; 3]);
    }

    /// More candidates than fit into a batch, all in one cell, some at one point.
    #[test]
    fn clusters() {
        let mut x = cloud(1500, 0.01, 5);
        x.extend(cloud(200, 2.0, 6));
        x[10] = x[11];
        x[12] = x[11];
        compare(&x, 0.4, [None; 3]);
    }

    #[test]
    fn far_outliers_and_what_is_not_a_number() {
        let mut x = cloud(400, 1.0, 7);
        x[3] = DVec3::new(1e11, 0.0, 0.0);
        x[4] = DVec3::new(1e11, 0.1, 0.0);
        x[5] = DVec3::new(-4e9, 2e7, 1e3);
        x[6] = DVec3::splat(1e250);
        x[7] = DVec3::NAN;
        compare(&x, 0.4, [None; 3]);
        let mut lists = NeighbourLists::new(0.4, [None; 3], false);
        lists.rebuild(&x, &(0..400).collect::<Vec<u32>>());
        assert_eq!(found(&lists, 400)[3], [4]);
    }

    #[test]
    fn periods() {
        for periods in [[Some(1.3), None, None], [Some(1.3), Some(2.0), Some(1.2)]] {
            compare(&cloud(400, 2.0, 8), 0.4, periods);
            compare(&cloud(400, 2.0, 9), 0.4, periods);
        }
    }
}
