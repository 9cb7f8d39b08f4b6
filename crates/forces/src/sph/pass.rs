//! The loops over neighbours: how much is compressed, and what that and viscosity do.
//!
//! With V the volume of a particle at rest, `s_i = ρ_i/ρ₀ = Σ V_j W_ij`, itself included; for one fluid this is the `ρ_i = Σ m_j W_ij` of
//! [Restrained], and it keeps fluids of different densities and walls [Akinci] apart without anything else. The energy `Σ V_i ε(s_i)`,
//! `ε' = p/s²`, gives the force
//!
//! `f_i = -Σ V_i V_j (p_i/s_i² + p_j/s_j² + Π_ij) ∇_i W_ij`, `Π = -2 (k_l v·r + k_a min(0, v·r)) / ((r² + 0.01 h²) (s_i + s_j))`
//!
//! with `v·r` of the pair, `k_a = ρ₀ α h c` ([Restrained] eqs. 5 and 6) and `k_l = 2 (d+2) ρ₀ ν`, which makes ν the kinematic viscosity of
//! a flow without divergence [MonaghanReview]. All of it acts along the line between two particles: neither momentum nor angular momentum
//! changes, and `Π v·r ≤ 0` takes energy. Two particles at one place are compressed by each other, but there is no direction in which
//! to push, so they do not.

use super::kernel::Shape;
use super::lanes::{BLOCK, Lane, Motion, Place, nearest_image, total, turned};
use super::list::BlockLists;
use crate::solid::pack::Pack;

/// Numbers that all pairs share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Common {
    /// 1/h.
    pub per_length: f64,
    /// σ.
    pub sigma: f64,
    /// σ/h².
    pub sigma_slope: f64,
    /// 0.01 h².
    pub softening: f64,
    /// Lengths after which space repeats; infinite: never.
    pub periods: [f64; 3],
}

/// What differs from particle to particle and never changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nature {
    /// Volume at rest, m³.
    pub volume: f64,
    /// Roots of the strengths of pairs: artificial viscosity, laminar viscosity (Pa s), cohesion (kg/m³/s²).
    pub pair: [f64; 3],
    /// B, Pa.
    pub stiffness: f64,
    /// Lowest pressure without the background, Pa.
    pub floor: f64,
    /// Pa.
    pub background: f64,
}

impl Nature {
    /// Tait's pressure for `s = ρ/ρ₀`, Pa: `B (s⁷ - 1)`.
    #[inline(always)]
    pub fn pressure(&self, s: f64) -> f64 {
        let cube = s * s * s;
        let p = self.stiffness * (cube * cube * s - 1.0);
        (if p > self.floor { p } else { self.floor }) + self.background
    }

    /// `∫ p/s² ds` from 1, Pa.
    pub fn energy_density(&self, s: f64) -> f64 {
        let is_cut = s < 1.0 && self.floor == 0.0;
        let tait = if is_cut { 0.0 } else { self.stiffness * (s.powi(6) / 6.0 + 1.0 / s - 7.0 / 6.0) };
        tait + self.background * (1.0 - 1.0 / s)
    }
}

/// Differences of coordinates.
#[inline(always)]
fn apart<const PERIODIC: bool>(own: f64, others: Lane, period: f64) -> Lane {
    let difference = Pack::splat(own) - others;
    if PERIODIC { difference.map(|d| nearest_image(d, period)) } else { difference }
}

/// `Σ V_j w(q_ij)`, without the particle itself.
#[inline(always)]
pub(super) fn shape_sum<S: Shape, const PERIODIC: bool>(
    own: Place,
    lists: &[[u32; 4]],
    places: &[Place],
    common: &Common,
) -> f64 {
    let mut sum = Lane::splat(0.0);
    for group in lists {
        let [x, y, z, volume] = turned(group.map(|j| places[j as usize].0));
        let dx = apart::<PERIODIC>(own.0[0], x, common.periods[0]);
        let dy = apart::<PERIODIC>(own.0[1], y, common.periods[1]);
        let dz = apart::<PERIODIC>(own.0[2], z, common.periods[2]);
        let q = common.per_length * (dx * dx + dy * dy + dz * dz).sqrt();
        sum = sum + volume * S::value(q);
    }
    total(sum)
}

/// Compression and `p/s²` of the fluid particles of a block.
#[inline(always)]
pub(super) fn compress<S: Shape, const PERIODIC: bool>(
    first: usize,
    lists: &BlockLists,
    places: &[Place],
    natures: &[Nature],
    order: &[u32],
    common: &Common,
    out: &mut [Motion; BLOCK],
) {
    let at_zero = S::value(Pack([0.0])).0[0];
    for (at, out) in out.iter_mut().enumerate().take(order.len().saturating_sub(first)) {
        let own = places[first + at];
        let sum = shape_sum::<S, PERIODIC>(own, lists.of(at), places, common);
        let s = common.sigma * (sum + at_zero * own.0[3]);
        let pressure = natures[order[first + at] as usize].pressure(s);
        out.velocity[3] = pressure / (s * s);
        out.pair[0] = s;
    }
}

/// Forces on the particles of a block, N.
#[inline(always)]
pub(super) fn push<S: Shape, const PERIODIC: bool, const VISCOUS: bool, const COHESIVE: bool>(
    first: usize,
    lists: &BlockLists,
    places: &[Place],
    motions: &[Motion],
    common: &Common,
    out: &mut [Place; BLOCK],
) {
    for (at, out) in out.iter_mut().enumerate() {
        let (own, motion) = (places[first + at], &motions[first + at]);
        let [vx, vy, vz, pressure] = motion.velocity;
        let [s, artificial, laminar, cohesion] = motion.pair;
        let mut sums = [Lane::splat(0.0); 3];
        for group in lists.of(at) {
            let [x, y, z, volume] = turned(group.map(|j| places[j as usize].0));
            let [ux, uy, uz, others] = turned(group.map(|j| motions[j as usize].velocity));
            let dx = apart::<PERIODIC>(own.0[0], x, common.periods[0]);
            let dy = apart::<PERIODIC>(own.0[1], y, common.periods[1]);
            let dz = apart::<PERIODIC>(own.0[2], z, common.periods[2]);
            let r2 = dx * dx + dy * dy + dz * dz;
            let q = common.per_length * r2.sqrt();
            let (up, down) = S::slope(q);
            let pressures = Pack::splat(pressure) + others;
            let mut strength = if VISCOUS || COHESIVE {
                let [t, a, l, c] = turned(group.map(|j| motions[j as usize].pair));
                let slope = if VISCOUS {
                    let (wx, wy, wz) = (Pack::splat(vx) - ux, Pack::splat(vy) - uy, Pack::splat(vz) - uz);
                    let rate = dx * wx + dy * wy + dz * wz;
                    let closing = rate.map(|rate| if rate < 0.0 { rate } else { 0.0 });
                    let braking = 2.0 * (laminar * l * rate + artificial * a * closing);
                    let under = (r2 + Pack::splat(common.softening)) * (Pack::splat(s) + t);
                    // one division for both
                    up * (pressures * under - braking) / (down * under)
                } else {
                    up * pressures / down
                };
                let pull = if COHESIVE { common.sigma * (cohesion * c * S::value(q)) } else { Lane::splat(0.0) };
                common.sigma_slope * slope + pull
            } else {
                common.sigma_slope * (up * pressures / down)
            };
            strength = strength * volume;
            sums[0] = sums[0] + strength * dx;
            sums[1] = sums[1] + strength * dy;
            sums[2] = sums[2] + strength * dz;
        }
        let scale = -own.0[3];
        out.0 = [scale * total(sums[0]), scale * total(sums[1]), scale * total(sums[2]), 0.0];
    }
}

/// Half the power of viscosity and half the energy of cohesion over a block's pairs: W and J.
pub(super) fn books(
    first: usize,
    lists: &BlockLists,
    places: &[Place],
    motions: &[Motion],
    kernel: &super::Kernel,
    common: &Common,
) -> [f64; 2] {
    let (mut power, mut energy) = (0.0, 0.0);
    for at in 0..BLOCK {
        let (own, motion) = (places[first + at], &motions[first + at]);
        for &j in lists.of(at).as_flattened() {
            let (other, its) = (places[j as usize], &motions[j as usize]);
            let d: [f64; 3] = std::array::from_fn(|k| nearest_image(own.0[k] - other.0[k], common.periods[k]));
            let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            let rate: f64 = (0..3).map(|k| d[k] * (motion.velocity[k] - its.velocity[k])).sum();
            let [s, a, l, c] =
                std::array::from_fn(
                    |k| if k == 0 { motion.pair[0] + its.pair[0] } else { motion.pair[k] * its.pair[k] },
                );
            let volumes = own.0[3] * other.0[3];
            let brake = 2.0 * (l * rate + a * rate.min(0.0)) * rate / ((r2 + common.softening) * s);
            power += volumes * brake * kernel.slope_over_r(r2.sqrt());
            if c > 0.0 {
                energy -= volumes * c * kernel.moment(r2.sqrt());
            }
        }
    }
    [0.5 * power, 0.5 * energy]
}
