//! The occupied cells of a cubic lattice.

use super::error::GrainError;
use crate::stuffing::{MIN_DIGITS, SignedDistance, SurfaceReport, check_lattice, check_windings, finer_spacing};
use crate::topology::TriangleMesh;
use glam::DVec3;
use pliant_parallel::for_each_chunk;
use pliant_scalar::math;
use std::collections::HashSet;

/// Largest number of particles, whatever a caller allows: the indices of the vertices of their shards would not fit.
pub const MAX_CELLS: usize = 100_000_000;

/// The part of a spacing by which a block may be too short for its last cell, for sizes that are rounded.
const SLACK: f64 = 1e-6;

/// Smallest and largest volume of the particles, as a fraction of the volume of the body.
const FILLED: [f64; 2] = [0.5, 2.0];

/// Cells of a cubic lattice that a body occupies, one particle in each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lattice {
    /// The lowest corner of cell `[0, 0, 0]`, m.
    pub origin: DVec3,
    /// The edge of a cell, m.
    pub spacing: f64,
    /// The occupied cells, in the order of their particles: x goes fastest, z slowest in those that are made here.
    pub cells: Vec<[i32; 3]>,
}

impl Lattice {
    /// As many whole cells as fit into a block, from its lowest corner `min` on, m; an error if less than one fits along an axis, or more
    /// than `most` in all.
    pub fn block(min: DVec3, max: DVec3, spacing: f64, most: usize) -> Result<Self, GrainError> {
        if !(spacing > 0.0 && spacing.is_finite()) {
            return Err(GrainError::Spacing { spacing });
        }
        let size = max - min;
        if !(min.is_finite() && max.is_finite() && size.is_finite()) {
            return Err(GrainError::NotFinite { min, max });
        }
        let largest = min.abs().max(max.abs()).max_element();
        if spacing < MIN_DIGITS * largest {
            return Err(GrainError::TooFarAway { spacing, largest });
        }
        let counts = (size / spacing + SLACK).floor();
        if let Some(axis) = (0..3).find(|&axis| counts[axis] < 1.0) {
            return Err(GrainError::BlockTooThin { axis: ['x', 'y', 'z'][axis], size: size[axis], spacing });
        }
        not_too_many(counts.element_product(), spacing, most)?;
        let counts = counts.to_array().map(|n| n as usize);
        let cells = (0..counts.iter().product()).map(|index| cell_of(index, counts)).collect();
        Ok(Self { origin: min, spacing, cells })
    }

    /// The cells with centres inside of a closed surface, of a lattice that has the middle of the surface's bounding box as its own
    /// middle. Surfaces that do not clearly enclose a volume are refused with the errors of [`crate::stuffing::tetrahedralize`]; so are surfaces
    /// with cells of less than half or more than twice their volume, and more than `most` cells. What is thinner than a spacing may have gaps: see
    /// [`Lattice::lonely`]. The same cells for any number of threads.
    pub fn filled(surface: &TriangleMesh, spacing: f64, most: usize) -> Result<Self, GrainError> {
        let distance = SignedDistance::new(surface)?;
        check_lattice(&distance.bounds, spacing)?;
        let mut report = SurfaceReport::of(surface, &distance);
        let of_cell = spacing * spacing * spacing;
        // Twice as many as allowed are too many even if the volume is not quite that of the cells; the rest is counted below.
        let expected = report.volume.abs() / of_cell;
        if expected > 2.0 * most.min(MAX_CELLS) as f64 + 100.0 {
            not_too_many(expected, spacing, most)?;
        }
        // Rounding, not up: a body of 3.1 cells gets the three that fit best, with the outer faces where its own are, about.
        let size = distance.bounds.high - distance.bounds.low;
        let counts = (size / spacing).round().max(DVec3::ONE);
        let origin = distance.bounds.centre() - 0.5 * spacing * counts;
        let counts = counts.to_array().map(|n| n as usize);
        let mut lattice = Self { origin, spacing, cells: Vec::new() };
        let mut windings = vec![0.0_f32; counts.iter().product()];
        for_each_chunk(&mut windings, |first, windings| {
            for (k, winding) in windings.iter_mut().enumerate() {
                *winding = distance.winding(lattice.centre(cell_of(first + k, counts))) as f32;
            }
        });
        let inside = check_windings(&mut report, &distance.bounds, &windings, spacing)?;
        not_too_many(inside as f64, spacing, most)?;
        let filled = inside as f64 * of_cell / report.volume;
        if report.is_watertight() && report.crossings == 0 && !(FILLED[0]..=FILLED[1]).contains(&filled) {
            let percent = 100.0 * filled;
            return Err(GrainError::TooThin { spacing, percent, below: finer_spacing(&report, spacing) });
        }
        let is_inside = |index: &usize| windings[*index].abs() > 0.5;
        lattice.cells = (0..windings.len()).filter(is_inside).map(|index| cell_of(index, counts)).collect();
        Ok(lattice)
    }

    /// The centre of a cell, occupied or not, m.
    pub fn centre(&self, cell: [i32; 3]) -> DVec3 {
        self.origin + (DVec3::from_array(cell.map(f64::from)) + 0.5) * self.spacing
    }

    /// The centres of the occupied cells in their order, m.
    pub fn points(&self) -> Vec<DVec3> {
        self.cells.iter().map(|&cell| self.centre(cell)).collect()
    }

    /// The number of cells without a neighbour at any face, edge or corner: nothing holds their particles, because the body is too thin there.
    pub fn lonely(&self) -> usize {
        let occupied: HashSet<[i32; 3]> = self.cells.iter().copied().collect();
        let has_neighbour = |cell: &[i32; 3]| {
            (0..27).filter(|&k| k != 13).any(|k| {
                // Beyond the last number there is no cell; wrapping would find one at the other end.
                let step = |axis: usize, part: i32| cell[axis].checked_add(part % 3 - 1);
                match (step(0, k), step(1, k / 3), step(2, k / 9)) {
                    (Some(x), Some(y), Some(z)) => occupied.contains(&[x, y, z]),
                    _ => false,
                }
            })
        };
        self.cells.iter().filter(|cell| !has_neighbour(cell)).count()
    }
}

/// The cell with a number in a box of cells.
fn cell_of(index: usize, counts: [usize; 3]) -> [i32; 3] {
    [index % counts[0], index / counts[0] % counts[1], index / (counts[0] * counts[1])].map(|n| n as i32)
}

fn not_too_many(cells: f64, spacing: f64, most: usize) -> Result<(), GrainError> {
    let most = most.min(MAX_CELLS);
    if cells <= most as f64 {
        return Ok(());
    }
    // A little more, because cells are whole and the message rounds.
    let allowed = 1.02 * spacing * math::cbrt(cells / most.max(1) as f64);
    Err(GrainError::TooMany { spacing, cells, most, allowed })
}
