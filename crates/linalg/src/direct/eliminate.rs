//! Elimination of one front: assembly, the panel, the update for the parent.

use super::fronts::{Front, Fronts, STRIP};
use super::kernels::{
    Level, MOST_STRIPS, Work, solve_tiles, strips_of_a_tile, subtract_products, triangle, vectors, vectors_mut,
    write_update,
};
use crate::block_csr::BlockCsr;
use pulp::Simd;
use rayon::prelude::*;

/// Operations of a product of strips above which threads share it.
const SHARED: f64 = 4e5;

/// A part of an array, and where it starts in it.
pub(super) struct Window<'a> {
    pub start: usize,
    pub data: &'a mut [f64],
}

impl Window<'_> {
    /// A part of it for a while.
    pub fn part(&mut self, range: std::ops::Range<usize>) -> Window<'_> {
        Window { start: range.start, data: &mut self.data[range.start - self.start..range.end - self.start] }
    }
}

/// Updates on both sides of the one that is written.
struct Others<'a> {
    before: &'a [f64],
    start: usize,
    after: &'a [f64],
    end: usize,
}

impl Others<'_> {
    fn get(&self, front: &Front) -> &[f64] {
        let (at, length) = (front.update, front.update_length());
        if at >= self.end { &self.after[at - self.end..][..length] } else { &self.before[at - self.start..][..length] }
    }
}

/// Eliminates a front. `updates` has those of its children and its own. The scalar column of a pivot that is not positive is an error.
pub(super) fn eliminate(
    level: Level,
    fronts: &Fronts,
    front: &Front,
    a: &BlockCsr,
    panel: &mut [f64],
    updates: &mut Window<'_>,
    shared: bool,
) -> Result<(), usize> {
    let at = front.update - updates.start;
    let (before, rest) = updates.data.split_at_mut(at);
    let (update, after) = rest.split_at_mut(front.update_length());
    let others = Others { before, start: updates.start, after, end: front.update + update.len() };
    panel.fill(0.0);
    load(front, &fronts.entries[front.entries.clone()], a, panel);
    let children = || fronts.children[front.children.clone()].iter().map(|child| &fronts.fronts[*child as usize]);
    for child in children() {
        add_to_panel(front, child, &fronts.places[child.places.clone()], others.get(child), panel);
    }
    let failed = |column| Err(front.first + column);
    let shared = shared && front.own_operations() > 4.0 * SHARED;
    if shared {
        eliminate_panel_shared(level, front, panel).or_else(failed)?;
        write_update_shared(level, front, panel, update);
    } else {
        let done = level.run(Alone { front, panel: &mut *panel, update: &mut *update });
        done.or_else(failed)?;
    }
    for child in children() {
        let stretches = &fronts.stretches[child.stretches.clone()];
        level.run(AddUpdate { front, child, stretches, from: others.get(child), to: update });
    }
    Ok(())
}

/// Copies the blocks of the matrix.
fn load(front: &Front, entries: &[super::fronts::Entry], a: &BlockCsr, panel: &mut [f64]) {
    let stride = STRIP * front.width;
    for entry in entries {
        // By symmetry entry (r, c) of block (row, column) is entry (c, r) of (column, row).
        let block: &[f64; 9] = a.values[entry.block as usize].as_ref();
        let column = 3 * STRIP * entry.column as usize;
        for r in 0..3 {
            let place = front.place(3 * entry.row as usize + r);
            let at = place / STRIP * stride + place % STRIP + column;
            for c in 0..3 {
                panel[at + STRIP * c] = block[3 * r + c];
            }
        }
    }
}

/// Adds the columns of an update that are pivots of the front.
fn add_to_panel(front: &Front, child: &Front, places: &[u32], update: &[f64], panel: &mut [f64]) {
    let (stride, side) = (STRIP * front.width, child.side());
    for c in 0..child.eliminated {
        let column = STRIP * places[c] as usize;
        let from = &update[c * side..][..child.height];
        for (value, place) in from[c..].iter().zip(&places[c..]) {
            let place = *place as usize;
            panel[place / STRIP * stride + place % STRIP + column] += value;
        }
    }
}

/// Adds the other columns of an update to that of the front.
struct AddUpdate<'a> {
    front: &'a Front,
    child: &'a Front,
    stretches: &'a [super::fronts::Stretch],
    from: &'a [f64],
    to: &'a mut [f64],
}

impl Work for AddUpdate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let (from_side, to_side) = (self.child.side(), self.front.side());
        for (k, columns) in self.stretches.iter().enumerate() {
            for c in 0..columns.length as usize {
                let from = &self.from[(columns.from as usize + c) * from_side..][..from_side];
                let to = &mut self.to[(columns.to as usize + c) * to_side..][..to_side];
                let mut above = c;
                for rows in &self.stretches[k..] {
                    let (a, b, n) = (rows.from as usize, rows.to as usize, rows.length as usize);
                    for (to, from) in to[b + above..b + n].iter_mut().zip(&from[a + above..a + n]) {
                        *to += from;
                    }
                    above = 0;
                }
            }
        }
    }
}

/// A panel and its update by one thread.
struct Alone<'a> {
    front: &'a Front,
    panel: &'a mut [f64],
    update: &'a mut [f64],
}

impl Work for Alone<'_> {
    type Output = Result<(), usize>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<(), usize> {
        let (front, panel) = (self.front, self.panel);
        let stride = STRIP * front.width;
        for j in 0..front.pivot_strips() {
            let (above, below) = panel.split_at_mut((j + 1) * stride);
            let pivot_strip = &mut above[j * stride..];
            eliminate_pivots(simd, front, j, pivot_strip)?;
            eliminate_strips(simd, front, j, pivot_strip, below);
        }
        let lower = &panel[front.pivot_strips() * stride..];
        if front.height > 0 {
            for (j, columns) in self.update.chunks_exact_mut(STRIP * front.side()).enumerate() {
                update_columns(simd, front, lower, j, columns);
            }
        }
        Ok(())
    }
}

/// The columns of strip j.
#[inline(always)]
fn columns(front: &Front, j: usize) -> std::ops::Range<usize> {
    STRIP * j..front.width.min(STRIP * (j + 1))
}

/// The triangle on the diagonal.
#[inline(always)]
fn eliminate_pivots<S: Simd>(simd: S, front: &Front, j: usize, strip: &mut [f64]) -> Result<(), usize> {
    let columns = columns(front, j);
    let (before, tile) = strip.split_at_mut(STRIP * columns.start);
    let tile = &mut tile[..STRIP * columns.len()];
    subtract_products(simd, [vectors::<S>(before)], before.as_chunks().0, &mut [vectors_mut::<S>(tile)]);
    triangle(simd, tile.as_chunks_mut().0).map_err(|c| columns.start + c)
}

/// The columns of strip j in the strips below it.
#[inline(always)]
fn eliminate_strips<S: Simd>(simd: S, front: &Front, j: usize, pivot_strip: &[f64], strips: &mut [f64]) {
    let stride = STRIP * front.width;
    let mut rest = strips;
    if strips_of_a_tile::<S>() == MOST_STRIPS {
        while rest.len() >= MOST_STRIPS * stride {
            let (group, after) = rest.split_at_mut(MOST_STRIPS * stride);
            eliminate_group::<S, MOST_STRIPS>(simd, front, j, pivot_strip, group);
            rest = after;
        }
    }
    for strip in rest.chunks_exact_mut(stride) {
        eliminate_group::<S, 1>(simd, front, j, pivot_strip, strip);
    }
}

#[inline(always)]
fn eliminate_group<S: Simd, const R: usize>(simd: S, front: &Front, j: usize, pivot_strip: &[f64], strips: &mut [f64]) {
    let columns = columns(front, j);
    let (before, triangle) = pivot_strip.split_at(STRIP * columns.start);
    let mut strips = strips.chunks_exact_mut(STRIP * front.width);
    let parts: [_; R] = std::array::from_fn(|_| {
        let strip = strips.next().expect("R strips");
        let (own, tile) = strip.split_at_mut(STRIP * columns.start);
        (vectors::<S>(own), vectors_mut::<S>(&mut tile[..STRIP * columns.len()]))
    });
    let own = std::array::from_fn(|r| parts[r].0);
    let mut tiles = parts.map(|part| part.1);
    subtract_products(simd, own, before.as_chunks().0, &mut tiles);
    solve_tiles(simd, triangle.as_chunks().0, &mut tiles);
}

/// Eight columns of the update, from the diagonal on.
#[inline(always)]
fn update_columns<S: Simd>(simd: S, front: &Front, lower: &[f64], j: usize, columns: &mut [f64]) {
    let (stride, side) = (STRIP * front.width, front.side());
    let b = lower[j * stride..(j + 1) * stride].as_chunks().0;
    let mut i = j;
    if strips_of_a_tile::<S>() == MOST_STRIPS {
        while i + MOST_STRIPS <= front.lower_strips() {
            let a = std::array::from_fn(|r| vectors::<S>(&lower[(i + r) * stride..(i + r + 1) * stride]));
            write_update::<S, MOST_STRIPS>(simd, a, b, columns, side, STRIP * i);
            i += MOST_STRIPS;
        }
    }
    for i in i..front.lower_strips() {
        let a = vectors::<S>(&lower[i * stride..(i + 1) * stride]);
        write_update::<S, 1>(simd, [a], b, columns, side, STRIP * i);
    }
}

struct Pivots<'a>(&'a Front, usize, &'a mut [f64]);

impl Work for Pivots<'_> {
    type Output = Result<(), usize>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<(), usize> {
        eliminate_pivots(simd, self.0, self.1, self.2)
    }
}

struct Strips<'a>(&'a Front, usize, &'a [f64], &'a mut [f64]);

impl Work for Strips<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        eliminate_strips(simd, self.0, self.1, self.2, self.3);
    }
}

struct Columns<'a>(&'a Front, &'a [f64], usize, &'a mut [f64]);

impl Work for Columns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        update_columns(simd, self.0, self.1, self.2, self.3);
    }
}

/// The panel, its strips shared by all threads.
fn eliminate_panel_shared(level: Level, front: &Front, panel: &mut [f64]) -> Result<(), usize> {
    let stride = STRIP * front.width;
    for j in 0..front.pivot_strips() {
        let (above, below) = panel.split_at_mut((j + 1) * stride);
        let pivot_strip = &mut above[j * stride..];
        level.run(Pivots(front, j, pivot_strip))?;
        let pivot_strip = &*pivot_strip;
        let operations = 2.0 * (STRIP * (j + 1)) as f64 * (STRIP * below.len() / front.width.max(1)) as f64;
        if operations > SHARED {
            let strips = below.len() / stride;
            let each = strips.div_ceil(pliant_parallel::threads()).max(1) * stride;
            below.par_chunks_mut(each).for_each(|strips| level.run(Strips(front, j, pivot_strip, strips)));
        } else {
            level.run(Strips(front, j, pivot_strip, below));
        }
    }
    Ok(())
}

fn write_update_shared(level: Level, front: &Front, panel: &[f64], update: &mut [f64]) {
    if front.height == 0 {
        return;
    }
    let lower = &panel[front.pivot_strips() * STRIP * front.width..];
    let strips = update.par_chunks_exact_mut(STRIP * front.side()).enumerate();
    strips.with_max_len(1).for_each(|(j, columns)| level.run(Columns(front, lower, j, columns)));
}
