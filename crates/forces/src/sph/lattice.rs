//! Particle masses and coefficients that make lattice sums exact.

use glam::DVec3;

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

/// The κ of [`super::Fluid::cohesion`] that gives a fluid a surface tension, N/m: cutting a lattice along a layer takes `2 γ` per square metre, the
/// energy of all pairs across the cut. In space only.
pub fn lattice_cohesion(kernel: &Kernel, spacing: f64, rest_density: f64, tension: f64) -> f64 {
    let volume = 1.0 / lattice_sum(kernel, spacing);
    let reach = (kernel.support() / spacing).ceil() as i32;
    let mut energy = 0.0;
    for i in -reach..=reach {
        for j in -reach..=reach {
            // number of cuts across pairs of layers at this distance
            for layers in 1..=reach {
                let r = spacing * DVec3::new(f64::from(i), f64::from(j), f64::from(layers)).length();
                energy += f64::from(layers) * rest_density * volume * volume * kernel.moment(r);
            }
        }
    }
    2.0 * tension * spacing * spacing / energy
}
