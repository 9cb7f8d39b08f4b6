//! Lists of neighbours, in an order of their own: fluids cell by cell, then walls cell by cell.
//!
//! All that is here is a function of the positions at which the lists were made, so remembering those is remembering everything.

use std::ops::Range;

use glam::DVec3;
use pliant_core::parallel::for_each_task;
use pliant_geom::CellGrid;
use pliant_linalg::wide::widest;

use super::lanes::{BLOCK, LANES, Period};

/// Stands for no place in the order.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The lists of [`BLOCK`] particles.
#[derive(Clone, Debug)]
pub(super) struct BlockLists {
    start: [u32; BLOCK + 1],
    neighbours: Vec<u32>,
}

impl BlockLists {
    /// Neighbours of one of the block's particles in groups; the last group is filled up with the particle that has no volume.
    #[inline(always)]
    pub fn of(&self, at: usize) -> &[[u32; LANES]] {
        let list = &self.neighbours[self.start[at] as usize..self.start[at + 1] as usize];
        list.as_chunks::<LANES>().0
    }
}

/// Who is near whom.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    /// Positions for which they were made, by particle; empty: none yet.
    pub reference: Vec<DVec3>,
    /// From the order to particles.
    pub order: Vec<u32>,
    /// From particles to the order.
    pub rank: Vec<u32>,
    pub blocks: Vec<BlockLists>,
    /// Sorted coordinates at the reference.
    sorted: [Vec<f64>; 3],
    fluids: CellGrid,
    walls: CellGrid,
    reach: f64,
    periods: [Period; 3],
    is_periodic: bool,
    flat: bool,
}

impl Lists {
    pub fn new(reach: f64, periods: [Option<f64>; 3], flat: bool) -> Self {
        let grid = CellGrid::new(reach, periods);
        let (is_periodic, periods) = (periods.iter().any(Option::is_some), periods.map(Period::new));
        Self { fluids: grid.clone(), walls: grid, reach, periods, is_periodic, flat, ..Self::default() }
    }

    /// Whether they were made for exactly these positions.
    pub fn are_for(&self, x: &[DVec3]) -> bool {
        self.reference == x
    }

    pub fn make(&mut self, x: &[DVec3], fluids: &[u32], walls: &[u32]) {
        self.reference.clear();
        self.reference.extend_from_slice(x);
        if self.flat {
            self.reference.iter_mut().for_each(|x| x.z = 0.0);
        }
        self.fluids.sort(&self.reference, fluids);
        self.walls.sort(&self.reference, walls);
        self.order.clear();
        self.order.extend(self.fluids.order().iter().chain(self.walls.order()));
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
    }

    fn find(&mut self) {
        let count = self.order.len();
        let blocks = (count + 1).div_ceil(BLOCK);
        if self.blocks.len() != blocks {
            self.blocks.resize(blocks, BlockLists { start: [0; BLOCK + 1], neighbours: Vec::new() });
        }
        let search = Search {
            fluids: &self.fluids,
            walls: &self.walls,
            sorted: [&self.sorted[0], &self.sorted[1], &self.sorted[2]],
            reach2: self.reach * self.reach,
            periods: self.periods,
            is_periodic: self.is_periodic,
        };
        for_each_task(&mut self.blocks, |b, block| {
            widest(
                #[inline(always)]
                || search.block(b * BLOCK, block),
            );
        });
        // as much room for all as the fullest has, so that the next lists need none
        let most = self.blocks.iter().map(|block| block.neighbours.len()).max().unwrap_or(0);
        for block in &mut self.blocks {
            if block.neighbours.capacity() < most + ROOM {
                block.neighbours.reserve(most + most / 2 + ROOM - block.neighbours.len());
            }
        }
    }
}

/// Room that lists are given beyond their present length.
const ROOM: usize = 256;
/// Candidates that are looked at together.
const PIECE: usize = 1024;

struct Search<'a> {
    fluids: &'a CellGrid,
    walls: &'a CellGrid,
    sorted: [&'a [f64]; 3],
    reach2: f64,
    periods: [Period; 3],
    is_periodic: bool,
}

/// Who may be near: all that the cells around one cell hold, side by side.
struct Candidates {
    cell: Option<[i64; 3]>,
    count: usize,
    index: [u32; PIECE],
    x: [[f64; PIECE]; 3],
    /// Bits of the squares of their distances.
    squares: [u64; PIECE],
    found: [u32; PIECE],
}

impl Search<'_> {
    #[inline(always)]
    fn block(&self, first: usize, out: &mut BlockLists) {
        let count = self.sorted[0].len();
        out.neighbours.clear();
        let mut candidates = Candidates {
            cell: None,
            count: 0,
            index: [0; PIECE],
            x: [[0.0; PIECE]; 3],
            squares: [0; PIECE],
            found: [0; PIECE],
        };
        let mut is_wall = false;
        for at in 0..BLOCK {
            let i = first + at;
            out.start[at] = out.neighbours.len() as u32;
            if i >= count {
                continue;
            }
            let place = [self.sorted[0][i], self.sorted[1][i], self.sorted[2][i]];
            let Some(cell) = self.fluids.cell(DVec3::from_array(place)) else { continue };
            let list = &mut out.neighbours;
            let was_wall = std::mem::replace(&mut is_wall, i >= self.fluids.order().len());
            if candidates.cell != Some(cell) || was_wall != is_wall {
                candidates.cell = Some(cell);
                candidates.count = 0;
                // of one cell after the other, as far as there is room
                let whole = self.collect(cell, is_wall, &mut candidates, |_| false);
                if !whole {
                    candidates.cell = None;
                    candidates.count = 0;
                    self.collect(cell, is_wall, &mut candidates, |full| {
                        self.take(i, place, full, list);
                        full.count = 0;
                        true
                    });
                }
            }
            self.take(i, place, &mut candidates, list);
            list.resize(list.len().next_multiple_of(LANES), count as u32);
        }
        out.start[BLOCK] = out.neighbours.len() as u32;
    }

    /// Fills in the candidates around a cell; whenever there are too many, `make_room` has to make some. Whether it always could.
    #[inline(always)]
    fn collect(
        &self,
        cell: [i64; 3],
        is_wall: bool,
        out: &mut Candidates,
        mut make_room: impl FnMut(&mut Candidates) -> bool,
    ) -> bool {
        let fluids = self.fluids.order().len();
        let mut fits = true;
        let mut add = |run: Range<usize>| {
            for j in run {
                if out.count == PIECE {
                    fits &= make_room(out);
                    if !fits {
                        return;
                    }
                }
                let at = out.count;
                out.index[at] = j as u32;
                for (x, sorted) in out.x.iter_mut().zip(self.sorted) {
                    x[at] = sorted[j];
                }
                out.count += 1;
            }
        };
        self.fluids.for_each_run(cell, &mut add);
        if !is_wall {
            self.walls.for_each_run(cell, |run| add(fluids + run.start..fluids + run.end));
        }
        fits
    }

    /// Appends those candidates that are within reach.
    #[inline(always)]
    fn take(&self, i: usize, place: [f64; 3], candidates: &mut Candidates, list: &mut Vec<u32>) {
        let count = candidates.count.min(PIECE);
        let [xs, ys, zs] = &candidates.x;
        let squares = &mut candidates.squares;
        if self.is_periodic {
            let [px, py, pz] = &self.periods;
            for k in 0..count {
                let (dx, dy, dz) = (place[0] - xs[k], place[1] - ys[k], place[2] - zs[k]);
                let (dx, dy, dz) = (px.nearest(dx), py.nearest(dy), pz.nearest(dz));
                squares[k] = (dx * dx + dy * dy + dz * dz).to_bits();
            }
        } else {
            for k in 0..count {
                let (dx, dy, dz) = (place[0] - xs[k], place[1] - ys[k], place[2] - zs[k]);
                squares[k] = (dx * dx + dy * dy + dz * dz).to_bits();
            }
        }
        // numbers that are not negative are in the order of their bits
        let (reach2, own) = (self.reach2.to_bits(), i as u32);
        let mut found = 0;
        for (square, index) in squares[..count].iter().zip(&candidates.index[..count]) {
            candidates.found[found & (PIECE - 1)] = *index;
            // the sign of the difference, because a branch here is mispredicted half the time
            found += (square.wrapping_sub(reach2) >> 63) as usize & usize::from(*index != own);
        }
        list.extend_from_slice(&candidates.found[..found.min(PIECE)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solid::samples::Numbers;

    /// Sorted neighbours by particle.
    fn found(lists: &Lists, count: usize) -> Vec<Vec<u32>> {
        let of = |id: usize| {
            let k = lists.rank[id] as usize;
            let near = lists.blocks[k / BLOCK].of(k % BLOCK).as_flattened().iter();
            let mut near: Vec<u32> = near.filter_map(|&j| lists.order.get(j as usize).copied()).collect();
            near.sort_unstable();
            near
        };
        (0..count).map(of).collect()
    }

    fn expected(x: &[DVec3], fluids: usize, reach: f64, periods: [Option<f64>; 3]) -> Vec<Vec<u32>> {
        let periods = periods.map(Period::new);
        let near = |i: usize, j: usize| {
            let d: [f64; 3] = std::array::from_fn(|k| periods[k].nearest(x[i][k] - x[j][k]));
            let is_near = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach * reach;
            is_near && i != j && (i < fluids || j < fluids)
        };
        (0..x.len()).map(|i| (0..x.len()).filter(|&j| near(i, j)).map(|j| j as u32).collect()).collect()
    }

    fn compare(x: &[DVec3], fluids: usize, reach: f64, periods: [Option<f64>; 3]) {
        let mut lists = Lists::new(reach, periods, false);
        let ids = |range: Range<usize>| range.map(|id| id as u32).collect::<Vec<u32>>();
        // twice, because the second time memory is used again
        for _ in 0..2 {
            lists.make(x, &ids(0..fluids), &ids(fluids..x.len()));
            assert_eq!(found(&lists, x.len()), expected(x, fluids, reach, periods));
        }
    }

    fn cloud(count: usize, size: f64, seed: u64) -> Vec<DVec3> {
        let mut numbers = Numbers(seed);
        (0..count).map(|_| numbers.vector() * size).collect()
    }

    #[test]
    fn lists_hold_exactly_what_is_near() {
        for (count, size, seed) in [(1, 1.0, 1), (300, 1.0, 2), (500, 3.0, 3), (400, 30.0, 4)] {
            compare(&cloud(count, size, seed), count, 0.4, [None; 3]);
            compare(&cloud(count, size, seed), count / 2, 0.4, [None; 3]);
        }
        compare(&[], 0, 0.4, [None; 3]);
    }

    /// More candidates than are looked at together, all in one cell, some in one place.
    #[test]
    fn clusters() {
        let mut x = cloud(1500, 0.01, 5);
        x.extend(cloud(200, 2.0, 6));
        x[10] = x[11];
        x[12] = x[11];
        compare(&x, 1600, 0.4, [None; 3]);
    }

    #[test]
    fn far_outliers_and_what_is_not_a_number() {
        let mut x = cloud(400, 1.0, 7);
        x[3] = DVec3::new(1e11, 0.0, 0.0);
        x[4] = DVec3::new(1e11, 0.1, 0.0);
        x[5] = DVec3::new(-4e9, 2e7, 1e3);
        x[6] = DVec3::splat(1e250);
        x[7] = DVec3::NAN;
        compare(&x, 350, 0.4, [None; 3]);
        let mut lists = Lists::new(0.4, [None; 3], false);
        lists.make(&x, &(0..400).collect::<Vec<u32>>(), &[]);
        assert_eq!(found(&lists, 400)[3], [4]);
    }

    #[test]
    fn periods() {
        for periods in [[Some(1.3), None, None], [Some(1.3), Some(2.0), Some(1.2)]] {
            compare(&cloud(400, 2.0, 8), 400, 0.4, periods);
            compare(&cloud(400, 2.0, 9), 300, 0.4, periods);
        }
    }
}
