//! The loop over bonds: forces, energies and overlong bonds.
//!
//! A bond of rest length ξ and length l has the tension `k (l - ξ)`. A broken bond still repels, with the same stiffness, where its ends come nearer
//! than r, the smaller of ξ and nine tenths of a spacing: `k min(0, l - r)`; breaking adds no repulsion, as its length is then above ξ. The
//! stiffness never exceeds that of the intact body, so the stable step remains valid.
//!
//! In state-based bodies the dilatation θ_i = (3/m_i) Σ β V_j e, over intact bonds, adds `(p_i + p_j) β V_i V_j` to the tension,
//! `p = 3 (K - 5/3 μ) θ/m`, from the energy `½ (K - 5/3 μ) θ² V`; the rest of the energy of [SillingStates], `15 μ/(2m) Σ β V_j e²/ξ` for the
//! influence function 1/ξ, is that of the bonds.

use std::ops::Range;

use crate::vector::{Machine, Number, Work};

use super::families::Families;

/// Particles per task; it does not affect the bits.
pub(super) const BLOCK: usize = 128;
/// Factor that makes any stiffness larger than any length.
const HUGE: f64 = 1e200;
/// Length below which a direction is undefined, m.
const SHORTEST: f64 = 1e-150;

/// x, y, z, and the pressure p of the dilatation.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Place(pub [f64; 4]);

/// Constants shared by the particles of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParticleConstants {
    /// s₀: critical elongation of a bond over its length.
    pub critical: f64,
    /// Distance below which the ends of a broken bond repel, m.
    pub near: f64,
    /// Volume of a particle, m³.
    pub volume: f64,
}

/// Results of a block: force and share of the energy of each particle, and which of them have overlong bonds.
#[derive(Clone, Debug)]
pub(super) struct Pulled {
    pub out: [Place; BLOCK],
    pub overlong: [bool; BLOCK],
}

impl Default for Pulled {
    fn default() -> Self {
        Self { out: [Place::default(); BLOCK], overlong: [false; BLOCK] }
    }
}

/// Computes the forces of a block, or of some particles of it.
pub(super) struct Pull<'a> {
    /// The first particle of the block.
    pub first: usize,
    /// Range of its particles, counted from there.
    pub range: Range<usize>,
    pub families: &'a Families,
    pub places: &'a [Place],
    pub constants: &'a [ParticleConstants],
    pub nature_of: &'a [u8],
    pub result: &'a mut Pulled,
}

impl Work for Pull<'_> {
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        if self.families.share.is_empty() { self.pull::<M, false>(machine) } else { self.pull::<M, true>(machine) }
    }
}

impl Pull<'_> {
    #[inline(always)]
    fn pull<M: Machine, const STATES: bool>(self, machine: M) {
        let Families { other, stiffness, rest, share, .. } = self.families;
        let (places, zero) = (self.places, machine.splat(0.0));
        let (huge, half) = (machine.splat(HUGE), machine.splat(0.25));
        let Pulled { out, overlong } = self.result;
        let results = out[self.range.clone()].iter_mut().zip(&mut overlong[self.range.clone()]);
        for (i, (out, overlong)) in (self.first + self.range.start..).zip(results) {
            let constants = &self.constants[self.nature_of[i] as usize];
            let own = places[i].0;
            let [x, y, z, p] = own.map(|number| machine.splat(number));
            let (critical, volume) = (machine.splat(constants.critical), machine.splat(constants.volume));
            let (mut fx, mut fy, mut fz, mut energy) = (zero, zero, zero, zero);
            let mut worst = zero;
            for group in self.families.groups(i) {
                let [ox, oy, oz, op] = machine.turned(other[group].map(|j| &places[j as usize].0));
                let (dx, dy, dz) = (ox - x, oy - y, oz - z);
                let length = (dx * dx + dy * dy + dz * dz).sqrt().at_least(SHORTEST);
                let (k, rest) = (machine.load(&stiffness[group]), machine.load(&rest[group]));
                // above all lengths for an intact bond, below all for a broken one
                let holds = k * huge;
                let k = k.larger(zero - k);
                let long = length - rest;
                let stretched = (length - rest.smaller(holds.at_least(constants.near))).smaller(holds.at_least(0.0));
                worst = worst.larger((long - critical * rest).smaller(holds.at_least(0.0)));
                let mut pull = k * stretched;
                energy = energy + pull * stretched;
                if STATES {
                    // broken bonds ignore the dilatation
                    let felt = machine.load(&share[group]).smaller(holds.at_least(0.0));
                    pull = pull + (p + op) * felt * volume;
                }
                let per_length = pull / length;
                (fx, fy, fz) = (fx + per_length * dx, fy + per_length * dy, fz + per_length * dz);
            }
            let total = |four| machine.total(four);
            out.0 = [total(fx), total(fy), total(fz), total(energy * half)];
            *overlong = machine.lanes(worst).into_iter().any(|by| by > 0.0);
        }
    }
}

/// Computes `Σ β V_j e` over the intact bonds of each particle from the first on, m⁴.
pub(super) struct Dilate<'a> {
    pub first: usize,
    pub families: &'a Families,
    pub places: &'a [Place],
    pub out: &'a mut [f64],
}

impl Work for Dilate<'_> {
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        let Families { other, stiffness, rest, share, .. } = self.families;
        let (zero, huge) = (machine.splat(0.0), machine.splat(HUGE));
        for (i, out) in (self.first..).zip(self.out) {
            let [x, y, z, _] = self.places[i].0.map(|number| machine.splat(number));
            let mut sum = zero;
            for group in self.families.groups(i) {
                let [ox, oy, oz, _] = machine.turned(other[group].map(|j| &self.places[j as usize].0));
                let (dx, dy, dz) = (ox - x, oy - y, oz - z);
                let length = (dx * dx + dy * dy + dz * dz).sqrt();
                let holds = machine.load(&stiffness[group]) * huge;
                let felt = machine.load(&share[group]).smaller(holds.at_least(0.0));
                sum = sum + felt * (length - machine.load(&rest[group]));
            }
            *out = machine.total(sum);
        }
    }
}
