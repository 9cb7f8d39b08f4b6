//! Small solids on which the law tests check the models of this folder.

use glam::DVec3;
use pliant_core::View;
use pliant_geom::tetra::octasection::Refined;

use super::framed::{Updates, coarse_green as coarse_green_part, framed as framed_solid};
use super::material::SolidMaterial;
use super::model::{MeasureKind, model};
use super::ramp::Ramp;
use super::traction::{FacePressure, Traction};
use crate::catalog::Example;

/// Two tetrahedra with a face in common, ordered one way and the other.
const TETRAHEDRA: [[u32; 4]; 2] = [[0, 1, 2, 3], [1, 2, 3, 4]];

fn points() -> Vec<DVec3> {
    vec![
        DVec3::new(-0.2, -0.3, 0.1),
        DVec3::new(2.2, 0.1, -0.2),
        DVec3::new(0.1, 2.0, 0.2),
        DVec3::new(-0.1, 0.3, 2.3),
        DVec3::new(1.9, 1.8, 1.7),
    ]
}

/// A solid whose rest shape is that of the points with their coordinates scaled.
fn example(kind: MeasureKind, scale: DVec3, damping_time: f64) -> Example {
    let x = points();
    let rest: Vec<DVec3> = x.iter().map(|x| *x * scale).collect();
    let material = SolidMaterial::new(200.0, 0.35).expect("the material is possible").damped(damping_time);
    let model = model(kind, &TETRAHEDRA, &rest, &material).expect("the mesh is possible");
    Example { masses: vec![0.8, 1.0, 1.1, 0.9, 1.3], x, model }
}

/// At rest; stretched along one axis, pressed along another, and damped; inside out, and damped.
fn solids(kind: MeasureKind) -> Vec<Example> {
    vec![
        example(kind, DVec3::ONE, 0.0),
        example(kind, DVec3::new(0.8, 1.2, 1.0), 0.04),
        example(kind, DVec3::new(1.0, 0.9, -2.5), 0.2),
    ]
}

pub(crate) fn cauchy() -> Vec<Example> {
    solids(MeasureKind::Cauchy)
}

pub(crate) fn green() -> Vec<Example> {
    solids(MeasureKind::Green)
}

pub(crate) fn corotational() -> Vec<Example> {
    solids(MeasureKind::Corotational)
}

pub(crate) fn warped() -> Vec<Example> {
    solids(MeasureKind::Warped)
}

pub(crate) fn hybrid() -> Vec<Example> {
    solids(MeasureKind::Hybrid)
}

pub(crate) fn neo_hookean() -> Vec<Example> {
    solids(MeasureKind::NeoHookean)
}

/// Two tetrahedra divided into eight each, with the frames of the two.
fn family(damping: f64) -> Example {
    let fine = Refined::new(points(), TETRAHEDRA.to_vec()).octasected().expect("corners are there");
    let turned: Vec<DVec3> = fine.points.iter().map(|x| DVec3::new(-x.y, 0.9 * x.x, x.z)).collect();
    let material = SolidMaterial::new(200.0, 0.35).expect("the material is possible").damped(damping);
    let mut model = framed_solid(&fine.tetrahedra, &TETRAHEDRA, &turned, &material, Updates::default())
        .expect("the mesh is possible");
    if let Some(model) = model.as_stateful_mut() {
        model.begin_step(&View { time: 0.0, x: &fine.points, v: &fine.points });
    }
    let masses = (0..fine.points.len()).map(|k| 0.8 + 0.1 * (k % 4) as f64).collect();
    Example { masses, x: fine.points, model }
}

/// With frames of their own, turned as the points are turned against the rest shape; and with one for both.
pub(crate) fn framed() -> Vec<Example> {
    let x = points();
    let turned: Vec<DVec3> = x.iter().map(|x| DVec3::new(-x.y, 0.9 * x.x, x.z)).collect();
    let example = |rest: &[DVec3], coarse: &[[u32; 4]], damping: f64| {
        let material = SolidMaterial::new(200.0, 0.35).expect("the material is possible").damped(damping);
        let mut model =
            framed_solid(&TETRAHEDRA, coarse, rest, &material, Updates::default()).expect("the mesh is possible");
        if let Some(model) = model.as_stateful_mut() {
            model.begin_step(&View { time: 0.0, x: &x, v: &x });
        }
        Example { masses: vec![0.8, 1.0, 1.1, 0.9, 1.3], x: x.clone(), model }
    };
    vec![
        example(&x, &TETRAHEDRA, 0.0),
        example(&turned, &TETRAHEDRA, 0.04),
        example(&turned, &TETRAHEDRA[..1], 0.2),
        family(0.0),
        family(0.1),
    ]
}

/// At rest, and turned and deformed against rest.
pub(crate) fn coarse_green() -> Vec<Example> {
    let x = points();
    let example = |scale: DVec3, theta: f64| {
        let rest: Vec<DVec3> = x.iter().map(|x| DVec3::new(-x.y, x.x, x.z) * scale).collect();
        let material = SolidMaterial::new(200.0, 0.35).expect("the material is possible");
        let mut model =
            coarse_green_part(&TETRAHEDRA, &rest, &material, Updates::default(), theta).expect("the mesh is possible");
        let before: Vec<DVec3> = x.iter().map(|x| *x + DVec3::new(0.1 * x.z, -0.05 * x.x, 0.0)).collect();
        if let Some(model) = model.as_stateful_mut() {
            model.begin_step(&View { time: 0.0, x: &before, v: &x });
        }
        Example { masses: vec![0.8, 1.0, 1.1, 0.9, 1.3], x: x.clone(), model }
    };
    vec![example(DVec3::ONE, 1.0), example(DVec3::new(0.8, 1.2, 1.0), 0.6)]
}

/// Three faces of the two tetrahedra, corners counterclockwise from outside: an open patch.
const FACES: [[u32; 3]; 3] = [[0, 1, 3], [0, 3, 2], [1, 4, 3]];

fn loaded(model: impl pliant_core::ForceModel + 'static) -> Vec<Example> {
    vec![Example { masses: vec![0.8, 1.0, 1.1, 0.9, 1.3], x: points(), model: Box::new(model) }]
}

/// Full from -1 s to 1 s; the law tests look at time 0.
fn ramp() -> Ramp {
    Ramp::new(vec![(-2.0, 0.0), (-1.0, 1.2), (1.0, 1.2), (3.0, 0.0)]).expect("times grow")
}

pub(crate) fn traction() -> Vec<Example> {
    let traction = DVec3::new(3.0, -5.0, 2.0);
    loaded(Traction::new(&FACES, &points(), traction, ramp()).expect("the faces are there"))
}

pub(crate) fn face_pressure() -> Vec<Example> {
    loaded(FacePressure::new(FACES.to_vec(), 5, 7.0, ramp()).expect("the faces are there"))
}
