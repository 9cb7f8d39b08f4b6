//! Bulk viscosity: damps sound and little else.
//!
//! The rate of compression is damped by a pressure beside `p/s²`, `z = ζ ṡ` with `ζ = ρ₀ β h c`, for the smooth part of ṡ:
//!
//! `z_i = g_i √ζ_i Σ_j V_j K_ij g_j √ζ_j ṡ_j`, itself included, K the kernel of Wendland with the same h.
//!
//! It acts as pressure does, `F = -Σ V_l z_l ∂s_l/∂x`, so momentum and angular momentum are conserved, and since `ṡ = Σ ∂s/∂x · v` its power is
//! `-Σ V z ṡ`, a quadratic form in ṡ that is never positive because K is positive definite [Wendland]. Sound of wave number k decays with
//! `β h c k²/2`; shear and rotation have no ṡ. K filters out the fluctuations of ṡ as particles pass each other: damping them as well would add a
//! shear viscosity (a standing wave lost 10 % of its height in five periods by it).
//!
//! g is 1 where the fluid is compressed, 0 where it is not, and rises over δ = 1e-3 of s in between: it vanishes at a free surface and is
//! continuous. Fluids with negative pressures have g = 1.
//!
//! Density diffusion [Molteni] damps the same waves where densities are integrated. Here they are sums over neighbours, which do not drift, and
//! there is no equation that it could be added to.

use std::marker::PhantomData;

use glam::DVec3;
use pliant_core::View;

use super::kernel::{CubicSpline, KernelKind, Shape, WendlandC2};
use super::lanes::{BLOCK, ForceInput, Vector4};
use super::model::Sph;
use super::neighbour_list::BlockLists;
use super::neighbour_pass::{Common, ParticleConstants, apart};
use super::particle_set::{Bits, ParticleSet};
use crate::vector::{Machine, Number, Work, on_widest};

/// δ.
const RISE: f64 = 1e-3;

impl ParticleConstants {
    /// `g √ζ` at a compression.
    fn bulk_weight(&self, s: f64) -> f64 {
        let gate = if self.floor < 0.0 { 1.0 } else { ((s - 1.0) / RISE).clamp(0.0, 1.0) };
        gate * self.bulk.sqrt()
    }
}

impl Sph {
    /// Writes `V g √ζ ṡ` of some particles with known compressions.
    pub(super) fn write_compression_rates(&mut self, view: &View, is_persistent: bool, wanted: &ParticleSet) {
        match (self.settings.kernel, self.is_periodic()) {
            (KernelKind::CubicSpline, false) => {
                self.write_compression_rates_with::<CubicSpline, false>(view, is_persistent, wanted)
            }
            (KernelKind::CubicSpline, true) => {
                self.write_compression_rates_with::<CubicSpline, true>(view, is_persistent, wanted)
            }
            (KernelKind::WendlandC2, false) => {
                self.write_compression_rates_with::<WendlandC2, false>(view, is_persistent, wanted)
            }
            (KernelKind::WendlandC2, true) => {
                self.write_compression_rates_with::<WendlandC2, true>(view, is_persistent, wanted)
            }
        }
    }

    fn write_compression_rates_with<S: Shape, const PERIODIC: bool>(
        &mut self,
        view: &View,
        is_persistent: bool,
        wanted: &ParticleSet,
    ) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (order, constants, common) = (&lists.order[..], &self.constants[..], &self.common);
        let (positions, inputs, near) = (self.positions.as_flattened(), self.inputs.as_flattened(), &self.near);
        let (walls, boundary) = (&self.walls, &self.boundary);
        self.compression_rates.resize(lists.blocks.len(), [Vector4::default(); BLOCK]);
        wanted.for_each_block(&mut self.compression_rates, |b, wanted, out| {
            let first = b * BLOCK;
            let count = order.len().saturating_sub(first);
            // padding behind the last particle is zero
            out.iter_mut().skip(count).for_each(|out| *out = Vector4::default());
            let work = CompressionRates {
                first,
                count,
                wanted,
                near: &near[b],
                positions,
                inputs,
                constants,
                order,
                common,
                out,
            };
            on_widest(CompressionRatesWork::<S, PERIODIC>(work, PhantomData));
            for at in wanted.before(count) {
                let (input, id) = (&inputs[first + at], order[first + at]);
                let (s, bulk_weight) = (input.pair[0], constants[id as usize].bulk_weight(input.pair[0]));
                let mut rate = walls[b][at].factor * out[at].0[3];
                if let Some((near_boundary, boundary_contacts)) =
                    boundary.near_boundary(id).filter(|_| bulk_weight > 0.0)
                {
                    let [x, y, z, _] = input.velocity;
                    for contact in boundary_contacts {
                        let carried = boundary.velocity(view, contact, view.x[id as usize]);
                        rate +=
                            contact.slope(near_boundary.scale, s) * contact.normal.dot(DVec3::new(x, y, z) - carried);
                    }
                }
                let [x, y, z, volume] = positions[first + at].0;
                out[at].0 = [x, y, z, volume * bulk_weight * rate];
            }
        });
    }

    /// Adds z to `p/s²` of some particles.
    pub(super) fn add_bulk_pressure(&mut self, is_persistent: bool, wanted: &ParticleSet) {
        if self.is_periodic() {
            self.add_bulk_pressure_with::<true>(is_persistent, wanted)
        } else {
            self.add_bulk_pressure_with::<false>(is_persistent, wanted)
        }
    }

    fn add_bulk_pressure_with<const PERIODIC: bool>(&mut self, is_persistent: bool, wanted: &ParticleSet) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (order, constants, common) = (&lists.order[..], &self.constants[..], &self.common);
        let (near, walls, compression_rates) = (&self.near, &self.walls, self.compression_rates.as_flattened());
        self.bulk_powers.resize(lists.blocks.len(), [0.0; BLOCK]);
        let smooth = self.smooth;
        wanted.for_each_block2(&mut self.inputs, &mut self.bulk_powers, |b, wanted, inputs, powers| {
            let first = b * BLOCK;
            let count = order.len().saturating_sub(first);
            let weight_of =
                |at: usize, input: &ForceInput| constants[order[first + at] as usize].bulk_weight(input.pair[0]);
            let work = Smooth { first, count, wanted, near: &near[b], compression_rates, common, smooth, out: powers };
            on_widest(Smoothing::<PERIODIC>(work));
            for at in wanted.before(count) {
                let (input, power) = (&mut inputs[at], &mut powers[at]);
                let (constants, s, bulk_weight) =
                    (&constants[order[first + at] as usize], input.pair[0], weight_of(at, input));
                input.velocity[3] = walls[b][at].factor * (constants.pressure(s) / (s * s) + bulk_weight * *power);
                *power *= -compression_rates[first + at].0[3];
            }
        });
    }

    /// Power of the bulk viscosity, W: never positive.
    pub(super) fn bulk_power(&mut self, count: usize) -> f64 {
        let powers = self.bulk_powers.as_flattened();
        self.partials.sum(count.min(powers.len()), |range| range.map(|k| powers[k]).sum())
    }
}

/// Computes ṡ of the particles of a block without the terms of walls, 1/s, in the last of the four entries.
struct CompressionRates<'a> {
    first: usize,
    count: usize,
    wanted: Bits,
    near: &'a BlockLists,
    positions: &'a [Vector4],
    inputs: &'a [ForceInput],
    constants: &'a [ParticleConstants],
    order: &'a [u32],
    common: &'a Common,
    out: &'a mut [Vector4; BLOCK],
}

struct CompressionRatesWork<'a, S, const PERIODIC: bool>(CompressionRates<'a>, PhantomData<S>);

impl<S: Shape, const PERIODIC: bool> Work for CompressionRatesWork<'_, S, PERIODIC> {
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        let CompressionRates { first, count, wanted, near, positions, inputs, constants, order, common, out } = self.0;
        let per_length = machine.splat(common.per_length);
        for at in wanted.before(count) {
            let (own, input) = (positions[first + at].0, &inputs[first + at]);
            out[at].0[3] = 0.0;
            if constants[order[first + at] as usize].bulk_weight(input.pair[0]) == 0.0 {
                continue;
            }
            let middle = [own[0], own[1], own[2]].map(|x| machine.splat(x));
            let [vx, vy, vz, _] = input.velocity.map(|v| machine.splat(v));
            let mut sum = machine.splat(0.0);
            for group in near.of(at) {
                let [x, y, z, volume] = machine.turned(group.map(|j| &positions[j as usize].0));
                let [ux, uy, uz, _] = machine.turned(group.map(|j| &inputs[j as usize].velocity));
                let [dx, dy, dz] = apart::<M, PERIODIC>(middle, [x, y, z], common);
                let (up, down) = S::slope(per_length * (dx * dx + dy * dy + dz * dz).sqrt());
                let rate = dx * (vx - ux) + dy * (vy - uy) + dz * (vz - uz);
                sum = sum + volume * up * rate / down;
            }
            out[at].0[3] = common.sigma_slope * machine.total(sum);
        }
    }
}

/// Computes `Σ V K g √ζ ṡ` of the particles of a block.
struct Smooth<'a> {
    first: usize,
    count: usize,
    wanted: Bits,
    near: &'a BlockLists,
    compression_rates: &'a [Vector4],
    common: &'a Common,
    /// σ of K, and K(0).
    smooth: [f64; 2],
    out: &'a mut [f64; BLOCK],
}

struct Smoothing<'a, const PERIODIC: bool>(Smooth<'a>);

impl<const PERIODIC: bool> Work for Smoothing<'_, PERIODIC> {
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        let Smooth { first, count, wanted, near, compression_rates, common, smooth: [sigma, peak], out } = self.0;
        let per_length = machine.splat(common.per_length);
        for at in wanted.before(count) {
            let own = compression_rates[first + at].0;
            let middle = [own[0], own[1], own[2]].map(|x| machine.splat(x));
            let mut sum = machine.splat(0.0);
            for group in near.of(at) {
                let [x, y, z, compression_rates] = machine.turned(group.map(|j| &compression_rates[j as usize].0));
                let [dx, dy, dz] = apart::<M, PERIODIC>(middle, [x, y, z], common);
                sum = sum + compression_rates * WendlandC2::value(per_length * (dx * dx + dy * dy + dz * dz).sqrt());
            }
            out[at] = sigma * machine.total(sum) + peak * own[3];
        }
    }
}
