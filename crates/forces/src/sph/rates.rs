//! Bounds of stiffness and damping by Gershgorin's theorem.
//!
//! With `E = Σ V_l ε(s_l)` the second derivatives are `Σ V_l ε''_l ∇s_l ∇s_lᵀ + Σ V_l ε'_l ∇∇s_l`. `∂s_l/∂x_k` is `-V_k ∇W_lk` for another
//! particle and `g_l = Σ V_j ∇W_lj` for l itself, so with `S_l = |g_l| + Σ V_j |W'_lj|` the rows of i in the first sum add up to at most
//! `V_i |ε''_i| |g_i| S_i + Σ V_l |ε''_l| V_i |W'_il| S_l`. A pair's part of the second sum, of cohesion and of viscosity stands twice in its row.
//! Bulk viscosity is as the first sum, with ζ for ε'' and the largest S for those that are smoothed.

use pliant_core::Rates;

use super::kernel::Kernel;
use super::lanes::{ForceInput, Vector4};
use super::neighbour_pass::{Common, ParticleConstants};

/// Inputs of the loops over neighbours.
pub(super) struct Near<'a> {
    pub positions: &'a [Vector4],
    pub inputs: &'a [ForceInput],
    pub kernel: &'a Kernel,
    /// Kernel of the bulk viscosity.
    pub smooth: &'a Kernel,
    pub common: &'a Common,
}

impl Near<'_> {
    /// Difference of positions and distance.
    fn apart(&self, i: usize, j: u32) -> ([f64; 3], f64) {
        let (a, b) = (&self.positions[i].0, &self.positions[j as usize].0);
        let d: [f64; 3] = std::array::from_fn(|k| self.common.periods[k].nearest(a[k] - b[k]));
        (d, (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt())
    }

    /// `V |ε''| S`, `|g|`, `V ζ Σ V K` and S.
    pub fn reaction(&self, i: usize, list: &[[u32; 4]], constants: &ParticleConstants) -> [f64; 4] {
        let (mut g, mut sum, mut smooth) = ([0.0; 3], 0.0, self.smooth.value(0.0) * self.positions[i].0[3]);
        for &j in list.as_flattened() {
            let (d, r) = self.apart(i, j);
            let slope = self.positions[j as usize].0[3] * self.kernel.slope_over_r(r);
            g.iter_mut().zip(d).for_each(|(g, d)| *g += slope * d);
            sum -= slope * r;
            smooth += self.positions[j as usize].0[3] * self.smooth.value(r);
        }
        let g = (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]).sqrt();
        let scale = constants.volume * constants.energy_curvature(self.inputs[i].pair[0]).abs() * (g + sum);
        [scale, g, constants.volume * constants.bulk * smooth, g + sum]
    }

    /// Row sums of one particle, with the largest S.
    pub fn rates(&self, i: usize, list: &[[u32; 4]], reactions: &[Vector4], most: f64) -> Rates {
        let (volume, input) = (self.positions[i].0[3], &self.inputs[i]);
        let [own, g, viscosity, _] = reactions[i].0;
        let mut rates = Rates { stiffness: own * g, damping: most * viscosity * g };
        for &j in list.as_flattened() {
            let (_, r) = self.apart(i, j);
            let (other, its) = (self.positions[j as usize].0[3], &self.inputs[j as usize]);
            let slope = self.kernel.slope_over_r(r).abs();
            let pressures = (input.velocity[3] + its.velocity[3]).abs();
            let [_, a, l, c] = std::array::from_fn(|k| input.pair[k] * its.pair[k]);
            let [reaction, _, viscosity, _] = reactions[j as usize].0;
            rates.stiffness += volume * slope * r * reaction;
            rates.damping += most * volume * slope * r * viscosity;
            let pull = c * (self.kernel.value(r) + slope * r * r);
            rates.stiffness += 2.0 * volume * other * (pressures * self.kernel.curvature(r) + pull);
            let under = (r * r + self.common.softening) * (input.pair[0] + its.pair[0]);
            rates.damping += 4.0 * volume * other * (a + l) * slope * r * r / under;
        }
        rates
    }
}
