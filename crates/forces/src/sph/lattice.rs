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

/// Edges of the cells, of unit volume, of the square and cubic lattices and of the closest packings of discs and balls.
const PLANE: [[DVec3; 3]; 2] = [
    DVec3::AXES,
    // √(2/√3) apart
    [
        DVec3::new(1.074_569_931_823_542, 0.0, 0.0),
        DVec3::new(0.537_284_965_911_771, 0.930_604_859_102_099_6, 0.0),
        DVec3::Z,
    ],
];
const SPACE: [[DVec3; 3]; 2] = [
    DVec3::AXES,
    // half a face of cubes with an edge of ∛4
    [DVec3::new(0.0, CLOSEST, CLOSEST), DVec3::new(CLOSEST, 0.0, CLOSEST), DVec3::new(CLOSEST, CLOSEST, 0.0)],
];
const CLOSEST: f64 = 0.793_700_525_984_099_7;

/// `Σ V W` of a fluid at rest with particles of volume V = dxᵈ, less one.
///
/// Under load particles give up the lattice on which they start for a disordered packing that is as dense as possible, one of least `Σ V W`: the sum
/// exceeds the integral of the kernel, 1, by what a particle adds to its own density. With the kernel of Wendland the sums of such packings are within
/// 0.1 % of that of the lattice or of the closest packing, whichever is less, and with the cubic spline within 0.2 % (a law test relaxes some). [DehnenAly]
/// subtract the same, measured, for the kernel of Wendland in space: `0.0294 (N/100)^-0.977 V W(0)` with N neighbours, within 0.2 % of this.
pub fn rest_excess(kernel: &Kernel, spacing: f64) -> f64 {
    let ratio = kernel.length / spacing;
    let unit = Kernel::new(kernel.kind, kernel.dimension, ratio);
    let cells = if kernel.dimension == Dimension::Two { PLANE } else { SPACE };
    let sums = cells.map(|cell| cell_sum(&unit, cell));
    sums[0].min(sums[1]) - 1.0
}

/// `Σ W` over all sums of multiples of the edges of a cell.
fn cell_sum(kernel: &Kernel, [a, b, c]: [DVec3; 3]) -> f64 {
    // layers of these cells are at least 0.9 apart
    let reach = (1.5 * kernel.support()).ceil() as i32;
    let layers = if kernel.dimension == Dimension::Two { 0 } else { reach };
    let mut sum = 0.0;
    for i in -reach..=reach {
        for j in -reach..=reach {
            for k in -layers..=layers {
                sum += kernel.value((f64::from(i) * a + f64::from(j) * b + f64::from(k) * c).length());
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
