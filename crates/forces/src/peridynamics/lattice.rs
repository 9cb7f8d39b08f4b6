//! Calibration: stiffness and critical stretch of bonds that give a lattice the elasticity and the toughness of the material.
//!
//! A bond of length ξ has the tension `k e`, `k = C β V²/ξ`, e its change of length, V a particle's volume and β the part of it within the horizon.
//! For an isotropic strain s the energy density is `C s² m/4`, `m = Σ ξ β V`; that of the material is `9 K s²/2` in space, `3 E s²/2` in plane
//! stress and `8 E s²/5` in plane strain, which gives C. With an integral for the sum, `m = π δ⁴` in space and `2/3 π δ³` in the plane, this is the
//! C of [SillingAskari]; with the sum itself the lattice has the material's energy to rounding, at any horizon.
//!
//! A cut across a lattice direction breaks bonds of energy `½ C s₀² V Σ ξ_x ξ β` per square metre (those with `ξ_x > 0`), which must equal G₀: this
//! gives the critical stretch s₀. With integrals it is `√(5 G₀/(9 K δ))`.

use glam::DVec3;

use super::settings::{GrainBody, Law, Space};

/// Sums over one particle's bonds in an infinite lattice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums {
    /// Bonds of a particle.
    pub bonds: usize,
    /// `Σ β`, of all of them.
    pub share: f64,
    /// `Σ ξ β`, m.
    pub length: f64,
    /// `Σ ξ β n⁴` for the direction n of the lattice's axes, m.
    pub along: f64,
    /// `Σ ξ_x ξ β` over `ξ_x > 0`, m².
    pub cut: f64,
    /// `Σ β/ξ`, 1/m.
    pub inverse: f64,
}

/// β: the part of a particle at a distance that lies within the horizon, to first order; particles beyond it have none.
pub fn part_within(distance: f64, horizon: f64, spacing: f64) -> f64 {
    if distance > horizon {
        return 0.0;
    }
    ((horizon + 0.5 * spacing - distance) / spacing).clamp(0.0, 1.0)
}

/// The sums for a horizon and a spacing, both in m.
pub fn sums(horizon: f64, spacing: f64, space: Space) -> Sums {
    let reach = (horizon / spacing).floor() as i64;
    let deep = if space.is_plane() { 0 } else { reach };
    let mut sums = Sums { bonds: 0, share: 0.0, length: 0.0, along: 0.0, cut: 0.0, inverse: 0.0 };
    for k in -deep..=deep {
        for j in -reach..=reach {
            for i in -reach..=reach {
                let xi = DVec3::new(i as f64, j as f64, k as f64) * spacing;
                let length = xi.length();
                let part = part_within(length, horizon, spacing);
                if part == 0.0 || length == 0.0 {
                    continue;
                }
                let cosine = xi.x / length;
                sums.bonds += 1;
                sums.share += part;
                sums.length += length * part;
                sums.along += length * part * cosine.powi(4);
                sums.cut += xi.x.max(0.0) * length * part;
                sums.inverse += part / length;
            }
        }
    }
    sums
}

/// Constants shared by all bonds of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// C, N/m⁶.
    pub stiffness: f64,
    /// s₀.
    pub critical_stretch: f64,
    /// The lattice sums it is derived from.
    pub sums: Sums,
}

impl Calibration {
    /// The calibration of a body, in the bulk.
    pub fn of(body: &GrainBody) -> Self {
        let (volume, material) = (body.space.volume(body.spacing), &body.material);
        let sums = sums(body.horizon, body.spacing, body.space);
        let moment = sums.length * volume;
        let density = match body.space {
            // that of a state-based body without the change of volume: 15 μ/2
            Space::Three => 4.5 * 5.0 / 3.0 * material.shear(),
            Space::PlaneStress { .. } => 1.5 * material.young,
            Space::PlaneStrain { .. } => 1.6 * material.young,
        };
        let stiffness = 4.0 * density / moment;
        // further energy of a cut from the dilatation: (3/4)⁴ (K - 5/3 μ) δ s₀² beside 3 μ δ s₀² [MadenciOterkus] 6.3
        let (bulk, shear) = (material.bulk(), material.shear());
        let beside = match body.law {
            Law::StateBased => 1.0 + 0.75_f64.powi(4) * (bulk - 5.0 / 3.0 * shear) / (3.0 * shear),
            Law::BondBased => 1.0,
        };
        let critical_stretch = (2.0 * material.release / (stiffness * volume * sums.cut * beside)).sqrt();
        Self { stiffness, critical_stretch, sums }
    }
}
