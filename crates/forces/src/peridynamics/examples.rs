//! Small brittle bodies for the law tests.

use glam::DVec3;
use pliant_scalar::math;

use super::model::{Breaking, Peridynamics};
use super::settings::{Brittle, GrainBody, Law, Space};
use crate::catalog::Example;

/// A soft material, so that finite differences resolve all terms.
pub(crate) const SOFT: Brittle = Brittle { density: 1000.0, young: 1e5, poisson: 0.25, release: 5.0, toughening: 0.0 };

/// Positions of a block of particles.
pub(crate) fn block(cells: [usize; 3], spacing: f64) -> Vec<DVec3> {
    let [nx, ny, nz] = cells;
    let row = move |j: usize, k: usize| (0..nx).map(move |i| DVec3::new(i as f64, j as f64, k as f64) * spacing);
    (0..nz).flat_map(|k| (0..ny).flat_map(move |j| row(j, k))).collect()
}

/// A block in space, and one in each kind of plane, all perturbed, with a few bonds broken.
pub fn peridynamics() -> Vec<Example> {
    // the same size as other examples, so that the perturbations of the law tests are comparable
    let spacing = 1.0;
    let make = |cells: [usize; 3], space: Space, law: Law, poisson: f64| {
        let rest = block(cells, spacing);
        let material = Brittle { poisson, release: 300.0, ..SOFT };
        let body = GrainBody { space, law, ..GrainBody::new(0..rest.len(), spacing, material) };
        let masses = vec![body.mass(); rest.len()];
        let mut model = Peridynamics::new(vec![body], &rest, Breaking::default()).expect("a body");
        let flat = if space.is_plane() { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE };
        let shake = |k: usize| DVec3::new(1.0, 2.0, 3.0).map(|n| math::sin(n * 12.9898 * (k + 1) as f64));
        let x: Vec<DVec3> = rest.iter().enumerate().map(|(k, x)| *x + shake(k) * flat * (0.05 * spacing)).collect();
        let view = pliant_core::View { time: 0.0, x: &x, v: &x };
        pliant_core::Stateful::begin_step(&mut model, &view);
        Example { masses, x, model: Box::new(model) }
    };
    vec![
        make([4, 3, 3], Space::Three, Law::BondBased, 0.25),
        make([5, 4, 1], Space::PlaneStress { thickness: 0.02 }, Law::BondBased, 1.0 / 3.0),
        make([5, 4, 1], Space::PlaneStrain { thickness: 0.02 }, Law::BondBased, 0.25),
    ]
}
