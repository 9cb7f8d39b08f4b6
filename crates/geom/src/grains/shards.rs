//! How the cells of a lattice meet: their corners, and the faces between them.

use super::NONE;
use super::corners::{Around, place};
use super::lattice::Lattice;
use super::surface::{ShardSurface, Split};
use crate::stuffing::SignedDistance;
use glam::DVec3;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A square between two cells, or between a cell and the outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Face {
    /// The cells on its low and on its high side; one of them may be [`NONE`].
    pub cells: [u32; 2],
    /// Counterclockwise seen from the high side; it is cut from the first to the third.
    pub corners: [u32; 4],
    /// Across which it lies: 0, 1 or 2 for x, y or z.
    pub axis: u8,
}

/// A corner of the lattice that belongs to a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Corner {
    /// Where it is at rest, m.
    pub rest: DVec3,
    /// The cells around it, bit by bit of the place: whether it is on the high side along x, y, z. [`NONE`] where there is none.
    pub cells: [u32; 8],
}

/// What the surfaces of all fragments that a body can break into are made of. Every cell is a cube that shares its corners with its
/// neighbours, so that fragments fit together without gaps; a crack runs along faces of cubes, made rough by moving their corners.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shards {
    pub(super) particles: usize,
    pub(super) corners: Vec<Corner>,
    pub(super) faces: Vec<Face>,
    /// Whether the outside is a smooth surface, not that of a block.
    pub(super) is_smooth: bool,
}

impl Shards {
    /// The corners and faces of a lattice. Where the `surface` that it was filled from is given, the corners outside are moved onto it, at
    /// most 0.9 spacings. Without one the outside is that of the cells, which is right for blocks. A cell that is listed twice counts once.
    pub fn new(lattice: &Lattice, surface: Option<&SignedDistance>) -> Self {
        let mut lowest = Vec::new();
        let mut corners = Vec::new();
        let mut corners_of = Vec::with_capacity(lattice.cells.len());
        let mut number_of = HashMap::with_capacity(2 * lattice.cells.len());
        for (cell, at) in (0..NONE).zip(&lattice.cells) {
            let mut mine = [NONE; 8];
            for (k, mine) in mine.iter_mut().enumerate() {
                let corner: [i64; 3] = std::array::from_fn(|axis| i64::from(at[axis]) + (k as i64 >> axis & 1));
                let number = match number_of.entry(corner) {
                    Entry::Occupied(entry) => *entry.get(),
                    Entry::Vacant(entry) => {
                        lowest.push(corner);
                        corners.push(Corner { rest: DVec3::ZERO, cells: [NONE; 8] });
                        *entry.insert((corners.len() - 1) as u32)
                    }
                };
                *mine = number;
                // Seen from its high corners a cell is on the low side. The first of two in the same place stays.
                let place = &mut corners[number as usize].cells[7 ^ k];
                *place = cell.min(*place);
            }
            corners_of.push(mine);
        }
        for (corner, at) in corners.iter_mut().zip(lowest) {
            let rest = lattice.origin + DVec3::from_array(at.map(|n| n as f64)) * lattice.spacing;
            let around = Around(corner.cells.map(|cell| cell != NONE));
            corner.rest = place(at, rest, around, lattice.spacing, surface);
        }
        let faces = faces(&corners, &corners_of);
        Self { particles: lattice.cells.len(), corners, faces, is_smooth: surface.is_some() }
    }

    /// The surfaces of the fragments. `rest` and `x` are where the particles were and are, m, and `fragment` is the name of the one that each
    /// belongs to, all in the order of the lattice's cells; without triangles if one of them has another length.
    ///
    /// A vertex is the mean over the cells of its fragment around it of `x_p + R (corner - rest_p)`, with the rotation R that
    /// best takes the particles of the fragment from rest to their positions. Single particles are not turned, those on a line as little as possible.
    pub fn surface(&self, rest: &[DVec3], x: &[DVec3], fragment: &[u32]) -> ShardSurface {
        if [rest.len(), x.len(), fragment.len()] != [self.particles; 3] {
            return ShardSurface::default();
        }
        Split::new(self, rest, x, fragment).surface()
    }
}

/// All faces, in the order of the cells below them.
fn faces(corners: &[Corner], corners_of: &[[u32; 8]]) -> Vec<Face> {
    let mut faces = Vec::with_capacity(3 * corners_of.len());
    for (cell, mine) in (0..NONE).zip(corners_of) {
        if corners[mine[0] as usize].cells[7] != cell {
            continue; // a duplicate cell
        }
        for axis in 0..3 {
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            let square = |side: usize| shorter_diagonal([0, u, u | v, v].map(|k| mine[side | k]), corners);
            let bit = 1 << axis;
            // From its high corner along the axis the cell is on the low side of it, and its neighbour on the high side.
            let above = corners[mine[bit] as usize].cells[7];
            faces.push(Face { cells: [cell, above], corners: square(bit), axis: axis as u8 });
            let below = corners[mine[0] as usize].cells[7 ^ bit];
            if below == NONE {
                faces.push(Face { cells: [NONE, cell], corners: square(0), axis: axis as u8 });
            }
        }
    }
    faces
}

/// The same square with the shorter diagonal from its first corner to its third: fewer folds where corners were moved far.
fn shorter_diagonal([a, b, c, d]: [u32; 4], corners: &[Corner]) -> [u32; 4] {
    let length = |p: u32, q: u32| corners[p as usize].rest.distance_squared(corners[q as usize].rest);
    if length(b, d) < length(a, c) { [b, c, d, a] } else { [a, b, c, d] }
}
