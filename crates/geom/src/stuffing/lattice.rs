//! The body-centred cubic lattice: the corners and the centres of cubes, and its tetrahedra.
//!
//! Every point has 14 neighbours: 6 of its own kind along the axes, a spacing away over a long edge, and 8 of the other kind over a short
//! edge of √3/2 spacings. Every tetrahedron has two centres of neighbouring cubes and two neighbouring corners of the square between them:
//! two long edges opposite each other and four short ones, with dihedral angles of 60 and 90 degrees.

use super::error::StuffingError;
use crate::aabb::Aabb;
use glam::DVec3;

/// More points of the lattice than this are a mistake in the spacing.
pub const MAX_LATTICE_POINTS: usize = 20_000_000;

/// A spacing must be this part of the largest coordinate at least, so that the shape of a tetrahedron has some digits.
pub(crate) const MIN_DIGITS: f64 = 1e-9;

/// Cubes around a box. Points are numbered: corners first, then centres, both along x, then y, then z.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    low: DVec3,
    pub spacing: f64,
    cells: [usize; 3],
}

impl Lattice {
    /// Around a box, with at least a cube to spare on every side; in the middle of it, so that what is symmetric stays so.
    pub fn around(bounds: &Aabb, spacing: f64) -> Result<Self, StuffingError> {
        if !(spacing > 0.0 && spacing.is_finite()) {
            return Err(StuffingError::Spacing { spacing });
        }
        let size = bounds.high - bounds.low;
        let largest = bounds.low.abs().max(bounds.high.abs()).max_element();
        if largest.is_nan() || spacing < MIN_DIGITS * largest {
            return Err(StuffingError::TooFarAway { spacing, largest });
        }
        let cells_of = |spacing: f64| (size / spacing).ceil().max(DVec3::ZERO) + 2.0;
        let count_of = |spacing: f64| {
            let cells = cells_of(spacing);
            cells.element_product() + (cells + 1.0).element_product()
        };
        let most = MAX_LATTICE_POINTS as f64;
        if count_of(spacing) > most {
            // Coarser until it is allowed: the points of a body shrink with the cube of the factor, those of a line with the factor itself.
            let mut allowed = spacing;
            while count_of(allowed) > most {
                allowed *= if count_of(allowed) > 10.0 * most { 2.0 } else { 1.05 };
            }
            // A little more, because the message rounds.
            let allowed = 1.001 * allowed;
            return Err(StuffingError::TooFine {
                spacing,
                points: count_of(spacing),
                most: MAX_LATTICE_POINTS,
                allowed,
            });
        }
        let cells = cells_of(spacing);
        let low = bounds.centre() - 0.5 * spacing * cells;
        Ok(Self { low, spacing, cells: cells.to_array().map(|n| n as usize) })
    }

    fn corners(&self) -> usize {
        self.cells.iter().map(|n| n + 1).product()
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.corners() + self.cells.iter().product::<usize>()
    }

    fn corner(&self, at: [usize; 3]) -> u32 {
        ((at[2] * (self.cells[1] + 1) + at[1]) * (self.cells[0] + 1) + at[0]) as u32
    }

    fn centre(&self, at: [usize; 3]) -> u32 {
        (self.corners() + (at[2] * self.cells[1] + at[1]) * self.cells[0] + at[0]) as u32
    }

    /// The place of a point in its own grid, the size of that grid, and by how much of a spacing it is shifted.
    fn place(&self, point: usize) -> ([usize; 3], [usize; 3], f64) {
        let (index, size, shift) = match point.checked_sub(self.corners()) {
            None => (point, self.cells.map(|n| n + 1), 0.0),
            Some(index) => (index, self.cells, 0.5),
        };
        ([index % size[0], index / size[0] % size[1], index / (size[0] * size[1])], size, shift)
    }

    /// Where a point is.
    pub fn point(&self, point: usize) -> DVec3 {
        let (at, _, shift) = self.place(point);
        self.low + (DVec3::new(at[0] as f64, at[1] as f64, at[2] as f64) + shift) * self.spacing
    }

    /// Whether a point is one of the outermost of its grid, which have not all their tetrahedra.
    pub fn is_rim(&self, point: usize) -> bool {
        let (at, size, _) = self.place(point);
        (0..3).any(|k| at[k] == 0 || at[k] + 1 == size[k])
    }

    /// Calls `found` with the ends of every edge, and whether it is a long one.
    pub fn edges(&self, mut found: impl FnMut(u32, u32, bool)) {
        for point in 0..self.len() {
            let (at, size, shift) = self.place(point);
            let strides = [1, size[0], size[0] * size[1]];
            for axis in (0..3).filter(|&axis| at[axis] + 1 < size[axis]) {
                found(point as u32, (point + strides[axis]) as u32, true);
            }
            if shift > 0.0 {
                for bits in 0..8 {
                    let corner = [at[0] + (bits & 1), at[1] + (bits >> 1 & 1), at[2] + (bits >> 2)];
                    found(self.corner(corner), point as u32, false);
                }
            }
        }
    }

    /// Calls `found` with the corners of every tetrahedron, positively oriented: the first two are the ends of one long edge, the last
    /// two those of the other.
    pub fn tets(&self, mut found: impl FnMut([u32; 4])) {
        let [nx, ny, nz] = self.cells;
        let places = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
        for at in places {
            for axis in (0..3).filter(|&axis| at[axis] + 1 < self.cells[axis]) {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut next = at;
                next[axis] += 1;
                let corner = |du: usize, dv: usize| {
                    let mut corner = next;
                    (corner[u], corner[v]) = (corner[u] + du, corner[v] + dv);
                    self.corner(corner)
                };
                let square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                for k in 0..4 {
                    found([self.centre(at), self.centre(next), square[k], square[(k + 1) % 4]]);
                }
            }
        }
    }
}
