//! Small bodies on which the law tests check the constraints: at rest, away from it, inside out, straight.

use glam::DVec3;

use super::angle::{Angle, Angles};
use super::area::{Area, Areas};
use super::section::{SectionAngle, SectionAngles};
use super::shear::{Shear, Shears};
use super::torsion::{Torsion, Torsions};
use super::volume::{CollapseGuard, Volume, Volumes};
use crate::catalog::Example;

fn points() -> Vec<DVec3> {
    vec![
        DVec3::new(-0.2, -0.3, 0.1),
        DVec3::new(2.2, 0.1, -0.2),
        DVec3::new(0.1, 2.0, 0.2),
        DVec3::new(-0.1, 0.3, 2.3),
        DVec3::new(1.9, 1.8, 1.7),
    ]
}

const MASSES: [f64; 5] = [0.8, 1.0, 1.1, 0.9, 1.3];

fn example(x: Vec<DVec3>, model: impl pliant_core::ForceModel + 'static) -> Example {
    Example { masses: MASSES[..x.len()].to_vec(), x, model: Box::new(model) }
}

const POSSIBLE: &str = "the examples are possible";

/// Two tetrahedra; a rest shape stretched along the axes, so that they start pressed, flat or inside out.
pub(crate) fn volumes() -> Vec<Example> {
    let cells = |scale: DVec3, guard: CollapseGuard, flat: bool, damping: f64| {
        let rest: Vec<DVec3> = points().iter().map(|x| *x * scale).collect();
        let cell = |nodes: [u32; 4]| {
            let rest = nodes.map(|n| rest[n as usize]);
            Volume::new(nodes, rest, 20.0, guard).and_then(|cell| cell.damped(damping)).expect(POSSIBLE)
        };
        let mut x = points();
        if flat {
            // the first cell has no volume
            x[3] = (x[0] + x[1] + x[2]) / 3.0;
        }
        example(x, Volumes::new(vec![cell([0, 1, 2, 3]), cell([1, 2, 3, 4])]))
    };
    vec![
        cells(DVec3::ONE, CollapseGuard::default(), false, 0.0),
        cells(DVec3::new(1.3, 0.9, 1.1), CollapseGuard::NONE, false, 0.1),
        cells(DVec3::new(1.0, 1.1, -1.5), CollapseGuard::default(), false, 2.0),
        cells(DVec3::ONE, CollapseGuard::default(), true, 0.0),
    ]
}

/// Two triangles; at rest, and too large and damped.
pub(crate) fn areas() -> Vec<Example> {
    let sheet = |scale: f64, damping: f64| {
        let x = points();
        let triangle = |nodes: [u32; 3]| {
            let rest = nodes.map(|n| x[n as usize] * scale);
            Area::new(nodes, rest, 15.0).and_then(|area| area.damped(damping)).expect(POSSIBLE)
        };
        let model = Areas::new(vec![triangle([0, 1, 2]), triangle([2, 1, 4])]);
        example(x, model)
    };
    vec![sheet(1.0, 0.0), sheet(0.8, 0.1)]
}

/// A chain of points along x that goes up and down by a height.
fn chain(height: f64) -> Vec<DVec3> {
    (0..5).map(|k| DVec3::new(2.0 * f64::from(k) - 4.0, if k % 2 == 0 { height } else { -height }, 0.1)).collect()
}

/// Angles of a straight rope, of a bent one that is straight at rest, and of one that is bent at rest.
pub(crate) fn angles() -> Vec<Example> {
    let rope = |height: f64, rest: f64| {
        let angle = |k: u32| Angle::new([k, k - 1, k + 1], rest, 12.0).expect(POSSIBLE);
        example(chain(height), Angles::new((1..4).map(angle).collect()))
    };
    vec![rope(0.0, 0.0), rope(0.4, 0.0), rope(0.8, 0.5)]
}

/// A section between two segments: at right angles to both, and bent.
pub(crate) fn section_angles() -> Vec<Example> {
    let section = |height: f64| {
        let x = vec![
            DVec3::new(0.1, 0.0, -0.1),
            DVec3::new(0.1, 1.9, -0.1),
            DVec3::new(0.1, -0.8, 1.8),
            DVec3::new(2.2, height, -0.1),
            DVec3::new(-2.0, 0.5 * height, -0.1 + height),
        ];
        let angle = |nodes: [u32; 4]| SectionAngle::new(nodes, 20.0).expect(POSSIBLE);
        example(x, SectionAngles::new(vec![angle([0, 1, 2, 3]), angle([0, 2, 1, 4])]))
    };
    vec![section(0.0), section(0.9)]
}

/// A segment with a wing at each end: sections that tilt alike, and a rest shape that is sheared.
pub(crate) fn shears() -> Vec<Example> {
    let segment = |rest: f64| {
        let x = vec![
            DVec3::new(0.0, 0.0, -1.0),
            DVec3::new(-0.4, 0.9, -1.1),
            DVec3::new(1.9, 0.1, -0.9),
            DVec3::new(1.6, 1.0, -1.2),
        ];
        example(x, Shears::new(vec![Shear::new([0, 1, 2, 3], 2.0, rest, 30.0).expect(POSSIBLE)]))
    };
    vec![segment(0.0), segment(0.2)]
}

/// A segment with a wing at each end: untwisted, and twisted and damped.
pub(crate) fn torsions() -> Vec<Example> {
    let segment = |rest: f64, damping: f64| {
        let x = vec![
            DVec3::new(0.0, 0.0, -1.0),
            DVec3::new(0.1, -0.1, 1.1),
            DVec3::new(1.9, 0.1, -0.9),
            DVec3::new(1.6, 0.7, 1.2),
        ];
        let torsion = Torsion::new([0, 1, 2, 3], 2.1, rest, 60.0);
        example(x, Torsions::new(vec![torsion.and_then(|torsion| torsion.damped(damping)).expect(POSSIBLE)]))
    };
    vec![segment(0.0, 0.0), segment(-0.4, 0.1)]
}
