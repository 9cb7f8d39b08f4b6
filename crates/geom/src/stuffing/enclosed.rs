//! Whether a surface encloses a body at all, by its winding numbers at the points of a lattice.

use super::error::StuffingError;
use super::lattice::Lattice;
use super::report::SurfaceReport;
use crate::aabb::Aabb;

/// A winding number this far from a whole number leaves it unclear whether a point is inside.
const UNCLEAR: f64 = 0.25;

/// The part of the inside that may be unclear.
const MAX_UNCLEAR: f64 = 0.25;

/// A closed surface with less volume than this part of its area times its size is flat.
const FLAT: f64 = 1e-9;

/// Whether a lattice around a box is possible: neither too fine nor too far from the origin.
pub(crate) fn check_lattice(bounds: &Aabb, spacing: f64) -> Result<(), StuffingError> {
    Lattice::around(bounds, spacing).map(|_| ())
}

/// The number of points inside, or an error where it is unclear or zero. Completes the report: which way the triangles face.
pub(crate) fn check_windings(
    report: &mut SurfaceReport,
    bounds: &Aabb,
    windings: &[f32],
    spacing: f64,
) -> Result<usize, StuffingError> {
    let count = |is: &dyn Fn(f64) -> bool| windings.iter().filter(|w| is(f64::from(**w))).count();
    let (outward, inward) = (count(&|w| w > 0.5), count(&|w| w < -0.5));
    report.faces_inward = inward > outward;
    report.volume = report.volume.abs();
    let (inside, unclear) = (outward + inward, count(&|w| (w - w.round()).abs() > UNCLEAR));
    if !report.is_watertight() && inside == 0 {
        return Err(StuffingError::Open { report: Box::new(report.clone()) });
    }
    if !report.is_watertight() && unclear as f64 > MAX_UNCLEAR * inside as f64 {
        let percent = (100.0 * unclear as f64 / inside as f64).min(100.0);
        return Err(StuffingError::Unclear { percent, report: Box::new(report.clone()) });
    }
    if inside == 0 { Err(nothing_inside(report, bounds, spacing)) } else { Ok(inside) }
}

/// Why nothing is inside of a closed surface.
pub(super) fn nothing_inside(report: &SurfaceReport, bounds: &Aabb, spacing: f64) -> StuffingError {
    let size = (bounds.high - bounds.low).max_element();
    match report.volume > FLAT * report.area * size {
        true => StuffingError::NothingInside { spacing, suggested: finer_spacing(report, spacing) },
        false => StuffingError::Flat { area: report.area, at: bounds.centre() },
    }
}

/// A spacing that resolves the body: its volume over its area, but at most half of the spacing that was too large, m.
pub(crate) fn finer_spacing(report: &SurfaceReport, spacing: f64) -> f64 {
    (report.volume / report.area).min(0.5 * spacing)
}
