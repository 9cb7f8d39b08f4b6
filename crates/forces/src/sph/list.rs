//! Lists of neighbours, in an order of their own: fluids cell by cell, then walls cell by cell.
//!
//! All that is here is a function of the positions at which the lists were made, so remembering those is remembering everything.

use glam::DVec3;
use pliant_core::parallel::for_each_task;
use pliant_geom::CellGrid;
use pliant_linalg::wide::widest;

use super::lanes::{BLOCK, LANES, nearest_image};

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
    periods: [f64; 3],
    flat: bool,
}

impl Lists {
    pub fn new(reach: f64, periods: [Option<f64>; 3], flat: bool) -> Self {
        let grid = CellGrid::new(reach, periods);
        let periods = periods.map(|period| period.unwrap_or(f64::INFINITY));
        Self { fluids: grid.clone(), walls: grid, reach, periods, flat, ..Self::default() }
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
            is_periodic: self.periods.iter().any(|period| period.is_finite()),
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

/// What a search may write beyond the end of a list.
const ROOM: usize = 256;

struct Search<'a> {
    fluids: &'a CellGrid,
    walls: &'a CellGrid,
    sorted: [&'a [f64]; 3],
    reach2: f64,
    periods: [f64; 3],
    is_periodic: bool,
}

impl Search<'_> {
    #[inline(always)]
    fn block(&self, first: usize, out: &mut BlockLists) {
        let count = self.sorted[0].len();
        let fluids = self.fluids.order().len();
        let list = &mut out.neighbours;
        let mut length = 0;
        for at in 0..BLOCK {
            let i = first + at;
            out.start[at] = length as u32;
            if i >= count {
                continue;
            }
            let place = DVec3::new(self.sorted[0][i], self.sorted[1][i], self.sorted[2][i]);
            self.fluids.for_each_run(place, |run| self.take(i, place, run.start, run.end, list, &mut length));
            if i < fluids {
                let walls = |run: std::ops::Range<usize>| fluids + run.start..fluids + run.end;
                self.walls.for_each_run(place, |run| {
                    let run = walls(run);
                    self.take(i, place, run.start, run.end, list, &mut length);
                });
            }
            // filled up
            let full = length.next_multiple_of(LANES);
            grow(list, full);
            list[length..full].fill(count as u32);
            length = full;
        }
        out.start[BLOCK] = length as u32;
        list.truncate(length);
    }

    /// Appends those of a run that are within reach.
    #[inline(always)]
    fn take(&self, i: usize, place: DVec3, from: usize, to: usize, list: &mut Vec<u32>, length: &mut usize) {
        const PIECE: usize = 16;
        let mut start = from;
        while start < to {
            let end = to.min(start + PIECE);
            let mut squares = [0.0; PIECE];
            let [xs, ys, zs] = self.sorted.map(|sorted| &sorted[start..end]);
            for (((square, x), y), z) in squares.iter_mut().zip(xs).zip(ys).zip(zs) {
                let (mut dx, mut dy, mut dz) = (place.x - x, place.y - y, place.z - z);
                if self.is_periodic {
                    dx = nearest_image(dx, self.periods[0]);
                    dy = nearest_image(dy, self.periods[1]);
                    dz = nearest_image(dz, self.periods[2]);
                }
                *square = dx * dx + dy * dy + dz * dz;
            }
            grow(list, *length + PIECE);
            let out = &mut list[*length..*length + PIECE];
            let mut found = 0;
            for (k, square) in (start..end).zip(&squares) {
                out[found] = k as u32;
                found += usize::from(*square < self.reach2 && k != i);
            }
            *length += found;
            start = end;
        }
    }
}

/// Makes a list at least so long.
#[inline(always)]
fn grow(list: &mut Vec<u32>, length: usize) {
    if list.len() < length {
        list.resize(length + ROOM / 2, 0);
    }
}
