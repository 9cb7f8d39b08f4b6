//! Errors of filling a surface with tetrahedra, with a remedy.

use super::report::SurfaceReport;
use glam::DVec3;
use thiserror::Error;

/// What can go wrong. Numbers count from 0.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StuffingError {
    /// There is nothing to fill.
    #[error("the surface has no triangles ({vertices} vertices): a closed surface is needed")]
    Empty {
        /// How many vertices there are.
        vertices: usize,
    },
    /// A vertex that is not finite.
    #[error("vertex {vertex} is at {at}: coordinates must be finite")]
    NotFinite {
        /// Which one.
        vertex: u32,
        /// Its coordinates.
        at: DVec3,
    },
    /// A corner index out of range.
    #[error("{what} {number} has corner {corner}, but there are {vertices} vertices")]
    OutOfRange {
        /// `triangle` or `tetrahedron`.
        what: &'static str,
        /// Which one.
        number: usize,
        /// Its corner.
        corner: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A spacing that is not a positive number.
    #[error("the spacing is {spacing}: it must be above zero and finite")]
    Spacing {
        /// m
        spacing: f64,
    },
    /// So large that squares of lengths overflow.
    #[error("the surface is {size:e} long: give it in metres")]
    TooLarge {
        /// m
        size: f64,
    },
    /// So far from the origin that coordinates cannot resolve the points of a cell.
    #[error(
        "a spacing of {spacing} at coordinates up to {largest:e} leaves too few digits: move the surface to the origin"
    )]
    TooFarAway {
        /// m
        spacing: f64,
        /// The largest coordinate, m.
        largest: f64,
    },
    /// Too many points.
    #[error(
        "a spacing of {spacing} makes {points:.2e} lattice points, more than {most}: {allowed:.3e} or more would do"
    )]
    TooFine {
        /// m
        spacing: f64,
        /// How many it would be.
        points: f64,
        /// How many there may be.
        most: usize,
        /// A spacing that makes few enough, m.
        allowed: f64,
    },
    /// A closed surface that contains no point of the lattice.
    #[error("nothing is inside at a spacing of {spacing}: the surface is too thin for it; try {suggested:.3e} or less")]
    NothingInside {
        /// m
        spacing: f64,
        /// Its volume over its area: a lattice with that spacing has a point in every convex body of that ratio.
        suggested: f64,
    },
    /// A surface that encloses nothing.
    #[error("the surface encloses nothing: {report}; fill its holes, or turn its triangles the same way")]
    Open {
        /// What is wrong with it, and where.
        report: Box<SurfaceReport>,
    },
    /// A closed surface without volume.
    #[error("the surface around ({:.4}, {:.4}, {:.4}) is closed but flat: {area:.3e} m² enclose no volume", at.x, at.y, at.z)]
    Flat {
        /// m²
        area: f64,
        /// Its middle.
        at: DVec3,
    },
    /// A surface with openings so large that inside has no meaning over much of the body.
    #[error(
        "inside or outside is unclear in {percent:.0} % of what the surface encloses: {report}; close its openings, or turn its \
         triangles the same way"
    )]
    Unclear {
        /// How much of it.
        percent: f64,
        /// What is wrong with it, and where.
        report: Box<SurfaceReport>,
    },
    /// Much of the body has no tetrahedra.
    #[error(
        "at a spacing of {spacing} the tetrahedra fill only {percent:.0} % of the volume: parts are too thin for it; try \
         {suggested:.3e} or less"
    )]
    TooCoarse {
        /// m
        spacing: f64,
        /// How much they fill.
        percent: f64,
        /// As for [`StuffingError::NothingInside`], m.
        suggested: f64,
    },
    /// There is nothing that vertices could be tied to.
    #[error("there are no tetrahedra that could carry the surface")]
    NoTets,
}
