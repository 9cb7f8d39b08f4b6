//! The loops over neighbours: compressions, and the forces of pressure and viscosity.
//!
//! With V the volume of a particle at rest, `s_i = ρ_i/ρ₀ = Σ V_j W_ij`, itself included, less a constant that makes it 1 at rest (`lattice.rs`); for one fluid this is the `ρ_i = Σ m_j W_ij` of
//! [Restrained], and it keeps fluids of different densities apart without further terms. Near walls s and `p/s²` are scaled (`boundary_density.rs`).
//! The energy `Σ V_i ε(s_i)`, `ε' = p/s²`, gives the force
//!
//! `f_i = -Σ V_i V_j (p_i/s_i² + p_j/s_j² + Π_ij) ∇_i W_ij`, `Π = -2 (k_l v·r + k_a min(0, v·r)) / ((r² + 0.01 h²) (s_i + s_j))`
//!
//! with `v·r` of the pair, `k_a = ρ₀ α h c` ([Restrained] eqs. 5 and 6) and `k_l = 2 (d+2) ρ₀ ν`, which makes ν the kinematic viscosity of a flow
//! without divergence [MonaghanReview]. All forces act along the line between two particles: momentum and angular momentum are conserved, and
//! `Π v·r ≤ 0` dissipates energy. Two coincident particles compress each other, but the direction is undefined and their force is zero.

use super::boundary_index::Scale;
use super::kernel::Shape;
use super::lanes::{BLOCK, ForceInput, Period, Vector4};
use super::neighbour_list::BlockLists;
use super::particle_set::Bits;
use crate::vector::{Machine, Number};

/// Constants shared by all pairs.
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
    /// Periods of space.
    pub periods: [Period; 3],
}

/// Constants per particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParticleConstants {
    /// Volume at rest, m³.
    pub volume: f64,
    /// Square roots of the pair coefficients: artificial viscosity, laminar viscosity (Pa s), cohesion (kg/m³/s²).
    pub pair: [f64; 3],
    /// Contribution of a particle to its own s, less the excess of a fluid at rest.
    pub base: f64,
    /// B, Pa.
    pub stiffness: f64,
    /// ζ of the bulk viscosity, Pa s.
    pub bulk: f64,
    /// Lowest pressure without the background, Pa.
    pub floor: f64,
    /// Background pressure, Pa.
    pub background: f64,
}

impl ParticleConstants {
    /// For particles of no fluid.
    pub const NONE: Self =
        Self { volume: 0.0, pair: [0.0; 3], base: 0.0, stiffness: 0.0, bulk: 0.0, floor: 0.0, background: 0.0 };

    /// Tait's pressure for `s = ρ/ρ₀`, Pa: `B (s⁷ - 1)`.
    #[inline(always)]
    pub fn pressure(&self, s: f64) -> f64 {
        let cube = s * s * s;
        let p = self.stiffness * (cube * cube * s - 1.0);
        (if p > self.floor { p } else { self.floor }) + self.background
    }

    /// The derivative of `p/s²`, Pa.
    pub fn energy_curvature(&self, s: f64) -> f64 {
        let is_cut = s < 1.0 && self.floor == 0.0;
        let slope = if is_cut { 0.0 } else { 7.0 * self.stiffness * s.powi(6) };
        slope / (s * s) - 2.0 * self.pressure(s) / (s * s * s)
    }

    /// `∫ p/s² ds` from 1, Pa.
    pub fn energy_density(&self, s: f64) -> f64 {
        let is_cut = s < 1.0 && self.floor == 0.0;
        let tait = if is_cut { 0.0 } else { self.stiffness * (s.powi(6) / 6.0 + 1.0 / s - 7.0 / 6.0) };
        tait + self.background * (1.0 - 1.0 / s)
    }
}

/// Computes compression and `λ p/s²` of the particles of a block.
pub(super) struct Compress<'a> {
    pub first: usize,
    /// Particles of the block to evaluate.
    pub wanted: Bits,
    pub lists: &'a BlockLists,
    pub positions: &'a [Vector4],
    pub constants: &'a [ParticleConstants],
    pub order: &'a [u32],
    /// Effect of walls on s.
    pub walls: &'a [Scale; BLOCK],
    pub common: &'a Common,
    /// Index of the padding particle, which has no volume.
    pub empty: u32,
    pub out: &'a mut [ForceInput; BLOCK],
    /// Output: the lists restricted to the support.
    pub near: &'a mut BlockLists,
}

impl Compress<'_> {
    #[inline(always)]
    pub fn run<M: Machine, S: Shape, const PERIODIC: bool>(self, machine: M) {
        let (first, positions, common) = (self.first, self.positions, self.common);
        let per_length = machine.splat(common.per_length);
        self.near.make_room(self.lists);
        for at in self.wanted.before(self.order.len().saturating_sub(first)) {
            let out = &mut self.out[at];
            let mut end = self.near.begin(at, self.lists);
            let constants = &self.constants[self.order[first + at] as usize];
            let own = positions[first + at].0;
            let middle = [own[0], own[1], own[2]].map(|x| machine.splat(x));
            let mut sum = machine.splat(0.0);
            for group in self.lists.of(at) {
                let [x, y, z, volume] = machine.turned(group.map(|j| &positions[j as usize].0));
                let [dx, dy, dz] = apart::<M, PERIODIC>(middle, [x, y, z], common);
                let q = per_length * (dx * dx + dy * dy + dz * dz).sqrt();
                sum = sum + volume * S::value(q);
                // 2h: the support
                let bits = machine.below(q, 2.0);
                self.near.put(end, machine.packed(*group, bits));
                end += bits.count_ones() as usize;
            }
            self.near.end(at, end, self.empty);
            let Scale { factor, added } = self.walls[at];
            let s = factor * (common.sigma * machine.total(sum) + constants.base) + added;
            out.velocity[3] = factor * (constants.pressure(s) / (s * s));
            out.pair[0] = s;
        }
    }
}

/// Computes forces on the particles of a block, N, and their shares of the power of viscosity, W.
pub(super) struct Push<'a> {
    pub first: usize,
    /// Particles of the block to evaluate.
    pub wanted: Bits,
    /// Number of particles in all blocks.
    pub count: usize,
    pub near: &'a BlockLists,
    pub positions: &'a [Vector4],
    pub inputs: &'a [ForceInput],
    pub common: &'a Common,
    pub out: &'a mut [Vector4; BLOCK],
}

impl Push<'_> {
    #[inline(always)]
    pub fn run<M: Machine, S: Shape, const PERIODIC: bool, const VISCOUS: bool, const COHESIVE: bool>(
        self,
        machine: M,
    ) {
        let (first, positions, inputs, common) = (self.first, self.positions, self.inputs, self.common);
        let splat = |value: f64| machine.splat(value);
        let (per_length, softening) = (splat(common.per_length), splat(common.softening));
        let (sigma, sigma_slope) = (splat(common.sigma), splat(common.sigma_slope));
        for at in self.wanted.before(self.count.saturating_sub(first)) {
            let out = &mut self.out[at];
            let (own, input) = (positions[first + at].0, &inputs[first + at]);
            let middle = [own[0], own[1], own[2]].map(splat);
            let [vx, vy, vz, pressure] = input.velocity.map(splat);
            let [s, artificial, laminar, cohesion] = input.pair.map(splat);
            let (mut sums, mut power) = ([splat(0.0); 3], splat(0.0));
            for group in self.near.of(at) {
                let [x, y, z, volume] = machine.turned(group.map(|j| &positions[j as usize].0));
                let its = group.map(|j| &inputs[j as usize]);
                let [ux, uy, uz, others] = machine.turned(its.map(|its| &its.velocity));
                let [dx, dy, dz] = apart::<M, PERIODIC>(middle, [x, y, z], common);
                let r2 = dx * dx + dy * dy + dz * dz;
                let q = per_length * r2.sqrt();
                let (up, down) = S::slope(q);
                let pressures = pressure + others;
                let mut slope = up * pressures;
                if VISCOUS {
                    let [t, a, l, _] = machine.turned(its.map(|its| &its.pair));
                    let rate = dx * (vx - ux) + dy * (vy - uy) + dz * (vz - uz);
                    let viscosity = laminar * l * rate + artificial * a * rate.at_most(0.0);
                    let under = (r2 + softening) * (s + t);
                    // one division for both
                    let share = up / (down * under);
                    let viscous_slope = share * (viscosity + viscosity);
                    slope = share * (pressures * under) - viscous_slope;
                    power = power + volume * (viscous_slope * rate);
                } else {
                    slope = slope / down;
                }
                let mut strength = sigma_slope * slope;
                if COHESIVE {
                    let [_, _, _, c] = machine.turned(its.map(|its| &its.pair));
                    strength = strength + sigma * (cohesion * c * S::value(q));
                }
                strength = strength * volume;
                sums[0] = sums[0] + strength * dx;
                sums[1] = sums[1] + strength * dy;
                sums[2] = sums[2] + strength * dz;
            }
            let [x, y, z] = sums.map(|sum| -own[3] * machine.total(sum));
            // each pair is visited twice
            let power = 0.5 * own[3] * common.sigma_slope * machine.total(power);
            out.0 = [x, y, z, power];
        }
    }
}

/// Differences of positions.
#[inline(always)]
pub(super) fn apart<M: Machine, const PERIODIC: bool>(
    own: [M::Four; 3],
    others: [M::Four; 3],
    common: &Common,
) -> [M::Four; 3] {
    let [a, b, c] = [own[0] - others[0], own[1] - others[1], own[2] - others[2]];
    if PERIODIC {
        let [x, y, z] = &common.periods;
        [x.nearest(a), y.nearest(b), z.nearest(c)]
    } else {
        [a, b, c]
    }
}

/// Half the energy of cohesion over a block's pairs, J.
pub(super) fn cohesion(
    first: usize,
    lists: &BlockLists,
    positions: &[Vector4],
    inputs: &[ForceInput],
    kernel: &super::Kernel,
    common: &Common,
) -> f64 {
    let mut energy = 0.0;
    for at in 0..BLOCK {
        let (own, input) = (positions[first + at], &inputs[first + at]);
        for &j in lists.of(at).as_flattened() {
            let (other, its) = (positions[j as usize], &inputs[j as usize]);
            let d: [f64; 3] = std::array::from_fn(|k| common.periods[k].nearest(own.0[k] - other.0[k]));
            let r = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
            energy -= own.0[3] * other.0[3] * input.pair[3] * its.pair[3] * kernel.moment(r);
        }
    }
    0.5 * energy
}
