//! Masses and volumes that make sums over a lattice come out right.

use glam::DVec3;
use pliant_geom::CellGrid;

use super::kernel::{Dimension, Kernel};

/// `Σ W` over a whole square or cubic lattice, 1/m³ (1/m² in the plane).
pub fn lattice_sum(kernel: &Kernel, spacing: f64) -> f64 {
    let reach = (kernel.support() / spacing).ceil() as i32;
    let layers = if kernel.dimension == Dimension::Two { 0 } else { reach };
    let mut sum = 0.0;
    for i in -reach..=reach {
        for j in -reach..=reach {
            for k in -layers..=layers {
                sum += kernel.value(spacing * DVec3::new(f64::from(i), f64::from(j), f64::from(k)).length());
            }
        }
    }
    sum
}

/// The mass of a particle with which a full lattice of this spacing has exactly the rest density. With `ρ₀ dxᵈ` it is off by up to 0.3 %, which
/// Tait's seventh power turns into a pressure of 2 % of B.
pub fn lattice_mass(kernel: &Kernel, spacing: f64, rest_density: f64) -> f64 {
    rest_density / lattice_sum(kernel, spacing)
}

/// The volume of each particle of a wall: `1 / Σ W` over the wall's particles [Akinci] eq. 4 with the rest density taken out. However dense
/// or uneven the sampling is, the wall weighs the same.
pub fn wall_volumes(kernel: &Kernel, x: &[DVec3]) -> Vec<f64> {
    let sums = sums(kernel, x, &vec![1.0; x.len()]);
    sums.into_iter().map(|sum| if sum > 0.0 { 1.0 / sum } else { 1.0 / kernel.value(0.0) }).collect()
}

/// `Σ V W` over the particles of a wall, for each of them, itself included: see [`super::WallPressure`].
pub fn wall_compressions(kernel: &Kernel, x: &[DVec3], volumes: &[f64]) -> Vec<f64> {
    sums(kernel, x, volumes)
}

/// `Σ w W` at every place.
fn sums(kernel: &Kernel, x: &[DVec3], weights: &[f64]) -> Vec<f64> {
    let flat = kernel.dimension == Dimension::Two;
    let place = |x: &DVec3| if flat { DVec3::new(x.x, x.y, 0.0) } else { *x };
    let x: Vec<DVec3> = x.iter().map(place).collect();
    let mut grid = CellGrid::new(kernel.support(), [None; 3]);
    let members: Vec<u32> = (0..x.len() as u32).collect();
    grid.sort(&x, &members);
    let sum = |at: &DVec3| {
        let mut sum = 0.0;
        let cell = grid.cell(*at).unwrap_or_default();
        grid.for_each_run(cell, |run| {
            let near = grid.order()[run].iter().map(|&j| j as usize);
            sum += near.map(|j| weights[j] * kernel.value(at.distance(x[j]))).sum::<f64>();
        });
        sum
    };
    x.iter().map(sum).collect()
}
