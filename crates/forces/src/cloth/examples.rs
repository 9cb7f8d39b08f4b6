//! Small sheets and shells on which the law tests check the models of this folder.

use glam::DVec3;

use super::aerodynamics::{Aerodynamics, Air};
use super::baraff_witkin::{BaraffWitkin, ConditionTriangle, Conditions};
use super::hinge::{Hinge, HingeBending};
use super::plate::PlateBending;
use super::pressure::{Filling, Pressure, enclosed_volume};
use super::quadratic::{QuadraticBending, QuadraticHinge};
use super::rest::RestTriangle;
use super::strain_limit::{LimitedEdge, StrainLimit};
use super::stvk::{Orthotropic, StvkMembrane, StvkTriangle};
use super::surface::{edges, hinges};
use super::wind::Wind;
use crate::catalog::Example;

const SHEET: [[u32; 3]; 4] = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
const OCTAHEDRON: [[u32; 3]; 8] =
    [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];

/// Four triangles around a point, flat in z = 0, in a mesh without symmetry.
fn flat_sheet() -> (Vec<f64>, Vec<DVec3>) {
    let corners = [(-1.1, -0.9), (1.0, -1.2), (1.2, 1.0), (-0.9, 1.1), (0.1, -0.05)];
    let x = corners.iter().map(|(x, y)| DVec3::new(*x, *y, 0.0)).collect();
    (vec![0.8, 0.9, 1.0, 0.9, 1.3], x)
}

/// The same, bent.
fn bent_sheet() -> (Vec<f64>, Vec<DVec3>) {
    let (masses, mut x) = flat_sheet();
    for (x, height) in x.iter_mut().zip([0.3, -0.2, 0.4, -0.1, 0.5]) {
        x.z = height;
    }
    (masses, x)
}

/// Rest shape of a triangle.
fn rest(nodes: [u32; 3], x: &[DVec3]) -> RestTriangle {
    let corners = nodes.map(|n| x[n as usize]);
    RestTriangle::in_space(corners, DVec3::new(1.0, 0.3, 0.1)).expect("no triangle of the examples is degenerate")
}

fn example((masses, x): (Vec<f64>, Vec<DVec3>), model: impl pliant_core::ForceModel + 'static) -> Example {
    Example { masses, x, model: Box::new(model) }
}

pub(crate) fn stvk() -> Vec<Example> {
    let soft = Orthotropic { young: [1e5, 6e4], poisson: 0.25, shear: 2.5e4, thickness: 1e-3, damping_time: 0.0 };
    let sheet = |material: Orthotropic| {
        let (masses, x) = bent_sheet();
        let triangle = |nodes: &[u32; 3]| StvkTriangle::new(*nodes, rest(*nodes, &x), &material);
        let triangles = SHEET.iter().map(|t| triangle(t).expect("the material is possible")).collect();
        example((masses, x), StvkMembrane::new(triangles))
    };
    vec![sheet(soft), sheet(Orthotropic::isotropic(5e4, 0.3, 1e-3)), sheet(soft.damped(0.03))]
}

pub(crate) fn baraff_witkin() -> Vec<Example> {
    let stiff = Conditions { stretch: [100.0, 60.0], shear: 30.0, stretch_damping: [0.0; 2], shear_damping: 0.0 };
    let damped = Conditions { stretch_damping: [2.0, 1.5], shear_damping: 0.8, ..stiff };
    let sheet = |conditions: Conditions| {
        let (masses, x) = bent_sheet();
        let triangle = |nodes: &[u32; 3]| ConditionTriangle::new(*nodes, rest(*nodes, &x), &conditions);
        let triangles = SHEET.iter().map(|t| triangle(t).expect("the conditions are possible")).collect();
        example((masses, x), BaraffWitkin::new(triangles))
    };
    vec![sheet(stiff), sheet(damped)]
}

/// Hinges of the sheet with their rest shapes.
fn sheet_hinges(x: &[DVec3]) -> impl Iterator<Item = ([u32; 4], [DVec3; 4])> {
    let all = hinges(&SHEET).expect("the sheet is a surface");
    let x = x.to_vec();
    all.into_iter().map(move |nodes| (nodes, nodes.map(|n| x[n as usize])))
}

pub(crate) fn hinge() -> Vec<Example> {
    let sheet = |(masses, x): (Vec<f64>, Vec<DVec3>), damping_time: f64| {
        let hinge = |(nodes, rest)| Hinge::new(nodes, rest, 2.0, damping_time).expect("the hinge is possible");
        let model = HingeBending::new(sheet_hinges(&x).map(hinge).collect());
        example((masses, x), model)
    };
    // flat at rest; bent at rest and damped
    vec![sheet(flat_sheet(), 0.0), sheet(bent_sheet(), 0.2)]
}

pub(crate) fn plate() -> Vec<Example> {
    let sheet = |(masses, x): (Vec<f64>, Vec<DVec3>), triangles: &[[u32; 3]], damping_time: f64| {
        let warp = |_| DVec3::new(1.0, 0.3, 0.1);
        let model =
            PlateBending::new(triangles, &x, warp, |_| false, [2.0, 1.3], damping_time).expect("the sheet is possible");
        example((masses, x), model.expect("it has hinges"))
    };
    // flat at rest; bent at rest and damped; the same with one triangle wound against the others
    let mut flipped = SHEET;
    flipped[1].reverse();
    vec![sheet(flat_sheet(), &SHEET, 0.0), sheet(bent_sheet(), &SHEET, 0.2), sheet(bent_sheet(), &flipped, 0.1)]
}

pub(crate) fn quadratic() -> Vec<Example> {
    let (masses, x) = flat_sheet();
    let hinge = |(nodes, rest)| QuadraticHinge::new(nodes, rest, 2.0).expect("the hinge is possible");
    let model = QuadraticBending::new(sheet_hinges(&x).map(hinge).collect());
    vec![example((masses, x), model)]
}

pub(crate) fn strain_limit() -> Vec<Example> {
    let (masses, x) = bent_sheet();
    let edge = |nodes: [u32; 2]| {
        // at rest at 0.6 of its length here: beyond the limit of 10 %
        let length = 0.6 * (x[nodes[1] as usize] - x[nodes[0] as usize]).length();
        LimitedEdge::new(nodes, length, 0.1, 0.05, 20.0).expect("the limit is possible")
    };
    let all = edges(&SHEET).expect("the sheet is a surface");
    let model = StrainLimit::new(all.iter().map(|e| edge(e.nodes)).collect());
    vec![example((masses, x), model)]
}

pub(crate) fn aerodynamics() -> Vec<Example> {
    let sheet = |lift: f64| {
        let air = Air { density: 1.2, normal: 1.3, tangential: 0.4, lift };
        let model = Aerodynamics::new(&SHEET, air, Wind::default()).expect("the air is possible");
        example(bent_sheet(), model)
    };
    vec![sheet(0.0), sheet(1.1)]
}

pub(crate) fn pressure() -> Vec<Example> {
    let x = vec![
        DVec3::new(1.1, 0.1, 0.0),
        DVec3::new(-1.0, 0.0, 0.2),
        DVec3::new(0.1, 1.2, -0.1),
        DVec3::new(0.0, -0.9, 0.1),
        DVec3::new(0.2, 0.0, 1.0),
        DVec3::new(-0.1, 0.1, -1.1),
    ];
    let volume = enclosed_volume(&OCTAHEDRON, &x);
    let gas = |exponent: f64| Filling::Gas { pressure: 90.0, volume, exponent, outside: 60.0 };
    let filled = |filling: Filling| {
        let model = Pressure::new(OCTAHEDRON.to_vec(), filling).expect("the octahedron is closed");
        example((vec![1.0; 6], x.clone()), model)
    };
    vec![filled(Filling::Constant(40.0)), filled(gas(1.0)), filled(gas(1.4))]
}
