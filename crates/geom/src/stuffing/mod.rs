//! Tetrahedra inside of closed surfaces, by isosurface stuffing.
//!
//! - [`SignedDistance`]: how far a point is from a surface and on which side, by the winding number, so that small holes do no harm;
//! - [`tetrahedralize`]: tetrahedra of a lattice, fitted to the surface, with dihedral angles within [`ANGLE_BOUNDS`];
//! - [`stuff_field`]: the same for a field that is below zero inside;
//! - [`embed`]: which tetrahedron carries which vertex of the surface.
//!
//! Sharp edges and corners are rounded at the scale of the spacing, and what is thinner than a spacing may get lost: [`embed`] keeps the
//! picture of the first, [`StuffingError::TooCoarse`] tells of much of the second.

mod embed;
mod enclosed;
mod error;
mod fill;
mod fine_surface;
mod lattice;
mod manifold;
mod quality;
mod report;
mod signed_distance;
mod tree;
mod winding;

pub use embed::{Anchor, embed};
pub(crate) use enclosed::{check_lattice, check_windings, finer_spacing};
pub use error::StuffingError;
pub use fine_surface::FineSurface;
pub use lattice::MAX_LATTICE_POINTS;
pub(crate) use lattice::MIN_DIGITS;
pub use quality::{ANGLE_BINS, Quality, dihedral_angles};
pub use report::SurfaceReport;
pub use signed_distance::SignedDistance;

use crate::aabb::Aabb;
use crate::topology::TriangleMesh;
use enclosed::nothing_inside;
use fill::{Filled, fill};
use glam::DVec3;
use lattice::Lattice;
use pliant_parallel::{for_each_chunk, for_each_chunk2};

/// The smallest and the largest dihedral angle that a tetrahedron may have, degrees.
pub const ANGLE_BOUNDS: [f64; 2] = [8.0, 165.0];

/// The part of the volume that the tetrahedra must fill at least.
const MIN_FILLED: f64 = 0.5;

/// Tetrahedra that fill a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Stuffed {
    /// Positions, m; every one is a corner of a tetrahedron.
    pub points: Vec<DVec3>,
    /// Corners, positively oriented: `(b - a)·((c - a) × (d - a)) > 0`.
    pub tets: Vec<[u32; 4]>,
    /// How well they are shaped.
    pub quality: Quality,
    /// How many tetrahedra were left out because they hung on by a point or an edge: none where the lattice resolves the surface.
    pub dropped: usize,
    /// How far the surface was from closed.
    pub surface: SurfaceReport,
}

/// Fills a closed surface with tetrahedra. Their edges are about as long as the `spacing`, m: the lattice has a long edge of one spacing and
/// a short one of 0.87. The same bits for any number of threads.
///
/// Small holes, overlaps and triangles without area are no obstacle; [`Stuffed::surface`] counts them.
pub fn tetrahedralize(surface: &TriangleMesh, spacing: f64) -> Result<Stuffed, StuffingError> {
    let distance = SignedDistance::new(surface)?;
    let lattice = Lattice::around(&distance.bounds, spacing)?;
    let mut report = SurfaceReport::of(surface, &distance);
    // Farther values make no difference: every edge is shorter.
    let limit = 2.0 * spacing;
    let mut values = vec![0.0; lattice.len()];
    let mut windings = vec![0.0_f32; lattice.len()];
    for_each_chunk2(&mut values, &mut windings, |first, values, windings| {
        for (k, (value, winding)) in values.iter_mut().zip(windings).enumerate() {
            let p = lattice.point(first + k);
            *value = distance.distance(p, limit);
            *winding = distance.winding(p) as f32;
        }
    });
    check_windings(&mut report, &distance.bounds, &windings, spacing)?;
    for (value, winding) in values.iter_mut().zip(&windings) {
        if winding.abs() > 0.5 {
            *value = -*value;
        }
    }
    drop(windings);
    let Filled { points, tets, dropped } = fill(&lattice, values, |p| distance.signed(p, limit));
    let quality = Quality::of(&points, &tets);
    if tets.is_empty() {
        return Err(nothing_inside(&report, &distance.bounds, spacing));
    }
    if report.is_watertight() && report.crossings == 0 && quality.volume < MIN_FILLED * report.volume {
        let percent = 100.0 * quality.volume / report.volume;
        let suggested = finer_spacing(&report, spacing);
        return Err(StuffingError::TooCoarse { spacing, percent, suggested });
    }
    Ok(Stuffed { points, tets, quality, dropped, surface: report })
}

/// Fills the region within `bounds` where a field, in metres or nearly so, is below zero. The region must not reach the bounds: it is cut off
/// there. Values that are no numbers are outside.
pub fn stuff_field(
    field: impl Fn(DVec3) -> f64 + Sync,
    bounds: &Aabb,
    spacing: f64,
) -> Result<(Vec<DVec3>, Vec<[u32; 4]>), StuffingError> {
    let lattice = Lattice::around(bounds, spacing)?;
    let mut values = vec![0.0; lattice.len()];
    for_each_chunk(&mut values, |first, values| {
        for (k, value) in values.iter_mut().enumerate() {
            *value = field(lattice.point(first + k));
        }
    });
    let filled = fill(&lattice, values, field);
    Ok((filled.points, filled.tets))
}
