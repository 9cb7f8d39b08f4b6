//! Isosurface stuffing [Labelle]: tetrahedra of good shape inside of a surface that is given by the sign of a field.
//!
//! 1. Every edge of a body-centred cubic lattice with ends on different sides gets a cut point where the field is zero.
//! 2. A lattice point with a cut point nearer than a part `α` of the edge is moved onto the nearest of them and lies on the surface
//!    from then on; the other cut points on its edges are dropped. What is left keeps a distance from both ends of its edge, and lies on
//!    an edge with ends that have not moved.
//! 3. Lattice tetrahedra with a point outside and one inside are cut at their cut points, and what is inside is kept.
//!
//! The bounds for the angles do not depend on where the cut points are: neither errors of the field nor jumps in it (in the holes of a
//! surface) can spoil a tetrahedron.
//!
//! The paper lists the stencils of step 3. Here they come out of one rule: edges are halved at their cut points one after the other, long ones
//! first, then those with the cut point farthest from the end inside. How a face between two tetrahedra is cut then depends on its own
//! edges only, so neighbours always agree; "long first" is the choice of the paper, and the second rule takes the shorter diagonal of a
//! quadrilateral with two short sides, in place of the paper's rule of parity.

use super::lattice::Lattice;
use super::manifold::make_manifold;
use glam::DVec3;
use pliant_parallel::for_each_chunk;

/// `α` for long edges and short ones: those of the paper for dihedral angles between 10.7 and 164.8 degrees.
const ALPHA_LONG: f64 = 0.24999;
const ALPHA_SHORT: f64 = 0.41189;

/// A field below this part of the spacing is zero: the point lies on the surface.
const ON_SURFACE: f64 = 1e-9;

/// Steps towards the zero of the field on an edge, and the error, in spacings, that ends them.
const STEPS: usize = 12;
const CLOSE: f64 = 1e-3;

/// Where an edge crosses the surface.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// The ends, the lower number first.
    ends: [u32; 2],
    is_long: bool,
    /// Where, from the first end on: 0 to 1.
    at: f64,
    /// Not dropped.
    stays: bool,
}

/// What fills a region.
pub(super) struct Filled {
    pub points: Vec<DVec3>,
    pub tets: Vec<[u32; 4]>,
    /// How many tetrahedra were left out because they hung on by a point or an edge.
    pub dropped: usize,
}

/// Fills the region where `field` is below zero. `values` are those at the points of the lattice; NaN is outside.
pub(super) fn fill(lattice: &Lattice, mut values: Vec<f64>, field: impl Fn(DVec3) -> f64 + Sync) -> Filled {
    for (point, value) in values.iter_mut().enumerate() {
        if value.is_nan() || lattice.is_rim(point) {
            *value = value.abs().max(lattice.spacing);
        } else if value.abs() <= ON_SURFACE * lattice.spacing {
            *value = 0.0;
        }
    }
    let mut cuts = find_cuts(lattice, &values, field);
    let moved = warp(lattice, &mut values, &mut cuts);
    cuts.retain(|cut| cut.stays);
    let mut filling = Filling {
        values: &values,
        cuts: &cuts,
        used: vec![u32::MAX; lattice.len() + cuts.len()],
        points: Vec::new(),
        on_surface: Vec::new(),
        tets: Vec::new(),
    };
    // Places of lattice points, then of cut points.
    let place = |key: usize| match key.checked_sub(lattice.len()) {
        None => moved.binary_search_by_key(&(key as u32), |m| m.0).map_or_else(|_| lattice.point(key), |m| moved[m].1),
        Some(cut) => cuts[cut].place(lattice),
    };
    lattice.tets(|corners| filling.add(corners, lattice.len(), &place));
    let Filling { points, mut tets, mut on_surface, .. } = filling;
    let dropped = make_manifold(&points, &mut tets, &mut on_surface);
    let (points, tets) = if dropped > 0 { only_used(points, tets) } else { (points, tets) };
    Filled { points, tets, dropped }
}

/// Points that are corners of tetrahedra, in their order, and the tetrahedra with new numbers.
fn only_used(points: Vec<DVec3>, mut tets: Vec<[u32; 4]>) -> (Vec<DVec3>, Vec<[u32; 4]>) {
    let mut number = vec![u32::MAX; points.len()];
    tets.iter().flatten().for_each(|&c| number[c as usize] = 0);
    let mut kept = Vec::new();
    for (number, point) in number.iter_mut().zip(points).filter(|(number, _)| **number == 0) {
        *number = kept.len() as u32;
        kept.push(point);
    }
    tets.iter_mut().flatten().for_each(|c| *c = number[*c as usize]);
    (kept, tets)
}

impl Cut {
    fn place(&self, lattice: &Lattice) -> DVec3 {
        let [a, b] = self.ends.map(|end| lattice.point(end as usize));
        a.lerp(b, self.at)
    }
}

/// Whether one is inside and one outside; by signs, because a product may underflow.
fn crosses(a: f64, b: f64) -> bool {
    (a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0)
}

/// The cut points of all edges, sorted by their ends.
fn find_cuts(lattice: &Lattice, values: &[f64], field: impl Fn(DVec3) -> f64 + Sync) -> Vec<Cut> {
    let mut cuts = Vec::new();
    lattice.edges(|a, b, is_long| {
        if crosses(values[a as usize], values[b as usize]) {
            cuts.push(Cut { ends: [a.min(b), a.max(b)], is_long, at: 0.5, stays: true });
        }
    });
    cuts.sort_unstable_by_key(|cut| cut.ends);
    for_each_chunk(&mut cuts, |_, cuts| {
        for cut in cuts {
            let [a, b] = cut.ends.map(|end| (lattice.point(end as usize), values[end as usize]));
            cut.at = zero_between(|t| field(a.0.lerp(b.0, t)), a.1, b.1, CLOSE * lattice.spacing);
        }
    });
    cuts
}

/// Where a function that has different signs at 0 and 1 is about zero: false position, with the value of an end that stays halved
/// [Dowell], which also closes in on a jump.
fn zero_between(f: impl Fn(f64) -> f64, at_0: f64, at_1: f64, close: f64) -> f64 {
    let (mut low, mut high) = ((0.0, at_0), (1.0, at_1));
    let mut t = at_0 / (at_0 - at_1);
    for _ in 0..STEPS {
        let value = f(t);
        if value.is_nan() || value.abs() <= close {
            break;
        }
        if (value < 0.0) == (low.1 < 0.0) {
            (low, high.1) = ((t, value), 0.5 * high.1);
        } else {
            (high, low.1) = ((t, value), 0.5 * low.1);
        }
        t = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
    }
    if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.5 }
}

/// Moves lattice points onto cut points that are too near; returns those that moved, sorted, and where they are now.
fn warp(lattice: &Lattice, values: &mut [f64], cuts: &mut [Cut]) -> Vec<(u32, DVec3)> {
    let mut around: Vec<(u32, u32)> =
        (0..).zip(cuts.iter()).flat_map(|(number, cut)| cut.ends.map(|end| (end, number))).collect();
    around.sort_unstable();
    let mut moved = Vec::new();
    for group in around.chunk_by(|a, b| a.0 == b.0) {
        let point = group[0].0;
        let mut nearest: Option<(f64, u32)> = None;
        for &(_, number) in group {
            let cut = &cuts[number as usize];
            let (alpha, length) = if cut.is_long { (ALPHA_LONG, 1.0) } else { (ALPHA_SHORT, 0.75_f64.sqrt()) };
            let part = if cut.ends[0] == point { cut.at } else { 1.0 - cut.at };
            if cut.stays && part < alpha && nearest.is_none_or(|(least, _)| part * length < least) {
                nearest = Some((part * length, number));
            }
        }
        if let Some((_, number)) = nearest {
            moved.push((point, cuts[number as usize].place(lattice)));
            values[point as usize] = 0.0;
            group.iter().for_each(|&(_, number)| cuts[number as usize].stays = false);
        }
    }
    moved
}

/// A corner of a piece of a lattice tetrahedron: where it is counted and the value there.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Corner {
    key: u32,
    value: f64,
}

struct Filling<'a> {
    values: &'a [f64],
    cuts: &'a [Cut],
    /// The number in the result of every lattice point and cut point.
    used: Vec<u32>,
    points: Vec<DVec3>,
    on_surface: Vec<bool>,
    tets: Vec<[u32; 4]>,
}

impl Filling<'_> {
    /// Adds what is inside of a lattice tetrahedron.
    fn add(&mut self, corners: [u32; 4], lattice_points: usize, place: &impl Fn(usize) -> DVec3) {
        let corners = corners.map(|key| Corner { key, value: self.values[key as usize] });
        let is_inside = |corner: &Corner| corner.value < 0.0;
        if !corners.iter().any(is_inside) {
            return;
        }
        // Three pieces inside and at most as many outside.
        let mut pieces = [corners; 8];
        let mut count = 1;
        if corners.iter().any(|corner| corner.value > 0.0) {
            for (cut, at) in self.cuts_of(&corners) {
                let middle = Corner { key: (lattice_points + at) as u32, value: 0.0 };
                let whole = 0..count; // what is cut off now is not cut at this edge again
                for piece in whole {
                    let end = |end: u32| pieces[piece].iter().position(|corner| corner.key == end);
                    if let (Some(a), Some(b)) = (end(cut.ends[0]), end(cut.ends[1])) {
                        pieces[count] = pieces[piece];
                        pieces[piece][a] = middle;
                        pieces[count][b] = middle;
                        count += 1;
                    }
                }
            }
        }
        for piece in &pieces[..count] {
            if piece.iter().any(is_inside) {
                let tet = piece.map(|corner| self.number(&corner, place));
                self.tets.push(tet);
            }
        }
    }

    /// The cut points on the edges of a lattice tetrahedron with their numbers, in the order in which they cut it.
    fn cuts_of(&self, corners: &[Corner; 4]) -> Vec<(Cut, usize)> {
        let mut found = Vec::new();
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let (a, b) = (corners[i], corners[j]);
            if crosses(a.value, b.value) {
                let ends = [a.key.min(b.key), a.key.max(b.key)];
                if let Ok(number) = self.cuts.binary_search_by_key(&ends, |cut| cut.ends) {
                    found.push((self.cuts[number], number));
                }
            }
        }
        let from_inside = |cut: &Cut| if self.values[cut.ends[0] as usize] < 0.0 { cut.at } else { 1.0 - cut.at };
        found.sort_unstable_by(|(a, i), (b, j)| {
            b.is_long.cmp(&a.is_long).then(from_inside(b).total_cmp(&from_inside(a))).then(i.cmp(j))
        });
        found
    }

    fn number(&mut self, corner: &Corner, place: &impl Fn(usize) -> DVec3) -> u32 {
        let number = &mut self.used[corner.key as usize];
        if *number == u32::MAX {
            *number = self.points.len() as u32;
            self.points.push(place(corner.key as usize));
            self.on_surface.push(corner.value == 0.0);
        }
        *number
    }
}
