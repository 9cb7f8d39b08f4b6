//! [`StvkTriangle`] eight at once: forces and positive semi-definite derivatives in SIMD lanes, with the bits of single triangles.
//!
//! The derivative by the deformation gradient has `uu` and `vv` symmetric and `vu = uvᵀ`, all to the bit: 21 of its 36 entries are computed.

use glam::{DMat3, DVec3};
use pliant_core::{Merged, View};
use pliant_scalar::wide::widest;

use super::lanes::{LANES, Lane, NONE, Vector, at, dot, edges, plus, select, times};
use super::rest::{TriangleBlock, TriangleForce};
use super::stvk::StvkTriangle;

/// Entry (i, j) of a symmetric matrix among its entries 00, 01, 02, 11, 12, 22.
const PLACE: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];

/// Elastic and viscous forces.
pub(super) fn write_forces(triangles: &[StvkTriangle], view: &View, out: &mut [TriangleForce]) {
    widest(
        #[inline(always)]
        || {
            for (triangles, out) in triangles.chunks(LANES).zip(out.chunks_mut(LANES)) {
                let batch = Batch::new(triangles);
                let w = batch.gradient(view.x);
                let [uu, uv, vv] = batch.total_stress(&w, view.v);
                let p = [plus(&times(&w[0], uu), &times(&w[1], uv)), plus(&times(&w[0], uv), &times(&w[1], vv))];
                let on = |[x, y]: [Lane; 2]| plus(&times(&p[0], x), &times(&p[1], y)).map(|c| -c);
                let [first, second] = [on(batch.gradients[0]), on(batch.gradients[1])];
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = TriangleForce([at(&first, lane), at(&second, lane)]);
                }
            }
        },
    );
}

/// `∂f/∂x + c ∂f/∂v` of the positive semi-definite kind.
pub(super) fn write_psd(triangles: &[StvkTriangle], view: &View, merged: Merged, out: &mut [TriangleBlock]) {
    widest(
        #[inline(always)]
        || {
            for (triangles, out) in triangles.chunks(LANES).zip(out.chunks_mut(LANES)) {
                let batch = Batch::new(triangles);
                let derivative = batch.derivative(view, merged);
                let [g, h] = batch.gradients;
                for (k, [a, b]) in [[g, g], [g, h], [h, g], [h, h]].into_iter().enumerate() {
                    let block = derivative.block(a, b);
                    for (lane, out) in out.iter_mut().enumerate() {
                        let column = |j: usize| at(&block[j], lane);
                        out.0[k] = DMat3::from_cols(column(0), column(1), column(2));
                    }
                }
            }
        },
    );
}

/// Data of eight triangles.
struct Batch<'a> {
    triangles: &'a [StvkTriangle],
    gradients: [[Lane; 2]; 2],
    moduli: [Lane; 4],
    damping_time: Lane,
    is_damped: bool,
}

impl<'a> Batch<'a> {
    /// A partial batch is padded with its last triangle.
    #[inline(always)]
    fn new(triangles: &'a [StvkTriangle]) -> Self {
        let mut batch =
            Self { triangles, gradients: [[NONE; 2]; 2], moduli: [NONE; 4], damping_time: NONE, is_damped: false };
        for lane in 0..LANES {
            let triangle = &triangles[lane.min(triangles.len() - 1)];
            for (out, g) in batch.gradients.iter_mut().zip(triangle.rest.gradients) {
                (out[0].0[lane], out[1].0[lane]) = (g.x, g.y);
            }
            for (out, c) in batch.moduli.iter_mut().zip(triangle.moduli) {
                out.0[lane] = c;
            }
            batch.damping_time.0[lane] = triangle.damping_time;
            batch.is_damped |= triangle.damping_time != 0.0;
        }
        batch
    }

    /// `[w_u w_v]`, or its rate.
    #[inline(always)]
    fn gradient(&self, x: &[DVec3]) -> [Vector; 2] {
        let [a, b] = edges(self.triangles, |t| t.nodes, x);
        let [g, h] = self.gradients;
        [plus(&times(&a, g[0]), &times(&b, h[0])), plus(&times(&a, g[1]), &times(&b, h[1]))]
    }

    /// `S_uu, S_uv, S_vv` of a strain.
    #[inline(always)]
    fn stress(&self, [uu, vv, shear]: [Lane; 3]) -> [Lane; 3] {
        let [c11, c12, c22, g] = self.moduli;
        [c11 * uu + c12 * vv, g * shear, c12 * uu + c22 * vv]
    }

    /// Elastic and viscous stress.
    #[inline(always)]
    fn total_stress(&self, w: &[Vector; 2], v: &[DVec3]) -> [Lane; 3] {
        let [u, t] = w;
        let one = Lane::splat(1.0);
        let mut strain = [0.5 * (dot(u, u) - one), 0.5 * (dot(t, t) - one), dot(u, t)];
        if self.is_damped {
            let [du, dt] = &self.gradient(v);
            let rate = [dot(u, du), dot(t, dt), dot(du, t) + dot(u, dt)];
            for (strain, rate) in strain.iter_mut().zip(rate) {
                let damped = *strain + self.damping_time * rate;
                *strain = select(self.damping_time, |tau| tau != 0.0, damped, *strain);
            }
        }
        self.stress(strain)
    }

    /// The derivative of `∂energy/∂[w_u w_v]` in `[w_u w_v]`.
    #[inline(always)]
    fn derivative(&self, view: &View, merged: Merged) -> Derivative {
        let w = self.gradient(view.x);
        let mut stress = self.total_stress(&w, view.v);
        let damped = self.damping_time * Lane::splat(merged.rate);
        if !merged.correction.is_empty() {
            let [du, dt] = &self.gradient(merged.correction);
            let part = Lane::splat(0.5) + damped;
            let excess = self.stress([dot(du, du) * part, dot(dt, dt) * part, 2.0 * dot(du, dt) * part]);
            for (stress, excess) in stress.iter_mut().zip(excess) {
                *stress = *stress - excess;
            }
        }
        let [s_uu, s_uv, s_vv] = positive_part(stress);
        let [c11, c12, c22, shear] = self.moduli;
        let factor = Lane::splat(1.0) + damped;
        let [u, t] = &w;
        let mut out = Derivative { uu: [NONE; 6], vv: [NONE; 6], uv: [[NONE; 3]; 3] };
        for j in 0..3 {
            for i in 0..3 {
                let on_diagonal = |s: Lane| if i == j { s } else { NONE };
                if i <= j {
                    let (k, of_u, of_v) = (PLACE[i][j], u[i] * u[j], t[i] * t[j]);
                    out.uu[k] = (of_u * c11 + of_v * shear) * factor + on_diagonal(s_uu);
                    out.vv[k] = (of_v * c22 + of_u * shear) * factor + on_diagonal(s_vv);
                }
                out.uv[j][i] = (u[i] * t[j] * c12 + t[i] * u[j] * shear) * factor + on_diagonal(s_uv);
            }
        }
        out
    }
}

/// A [`super::rest::GradientBlock`] with its symmetry: `uv` column by column.
struct Derivative {
    uu: [Lane; 6],
    vv: [Lane; 6],
    uv: [Vector; 3],
}

impl Derivative {
    /// The columns of a block of two corners.
    #[inline(always)]
    fn block(&self, g: [Lane; 2], h: [Lane; 2]) -> [Vector; 3] {
        let [xx, xy, yx, yy] = [g[0] * h[0], g[0] * h[1], g[1] * h[0], g[1] * h[1]];
        let mut out = [[NONE; 3]; 3];
        for (j, column) in out.iter_mut().enumerate() {
            for (i, entry) in column.iter_mut().enumerate() {
                let k = PLACE[i][j];
                *entry = -(self.uu[k] * xx + self.uv[j][i] * xy + self.uv[i][j] * yx + self.vv[k] * yy);
            }
        }
        out
    }
}

/// [`super::algebra::positive_part`] with its branches as selections.
#[inline(always)]
fn positive_part([a, b, d]: [Lane; 3]) -> [Lane; 3] {
    let mean = 0.5 * (a + d);
    let half = 0.5 * (a - d);
    let radius = (half * half + b * b).sqrt();
    let (high, low) = (mean + radius, mean - radius);
    let share = 0.5 * high / radius;
    let (product, square) = (a * d, b * b);
    let (mut out, part) = ([a, b, d], [share * (radius + half), share * b, share * (radius - half)]);
    for lane in 0..LANES {
        let is_positive = (a.0[lane] >= 0.0) & (d.0[lane] >= 0.0) & (product.0[lane] >= square.0[lane]);
        let is_negative = !is_positive & (high.0[lane] <= 0.0);
        let is_kept = is_positive | (low.0[lane] >= 0.0);
        for (out, part) in out.iter_mut().zip(part) {
            let kept = if is_kept { out.0[lane] } else { part.0[lane] };
            out.0[lane] = if is_negative { 0.0 } else { kept };
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::rest::RestTriangle;
    use super::super::stvk::Orthotropic;
    use super::*;
    use crate::solid::samples::Numbers;
    use glam::DVec2;
    use pliant_core::{Element, JacobianKind};

    /// Undeformed, stretched, compressed, folded, crushed to a point, damped or not, in batches of all sizes.
    #[test]
    fn lanes_have_the_bits_of_single_triangles() {
        let mut numbers = Numbers(5);
        let corners = [DVec2::ZERO, DVec2::X, DVec2::Y];
        let (mut x, mut triangles) = (Vec::new(), Vec::new());
        for k in 0..203_usize {
            let noise = [0.0, 1e-3, 0.2, 1.0][k % 4];
            let size = [1.0, 0.8, 1.3][k % 3];
            x.extend(corners.map(|c| c.extend(0.0) * size + numbers.vector() * noise));
            match k % 29 {
                7 => x[3 * k + 1] = x[3 * k],
                11 => (x[3 * k + 1], x[3 * k + 2]) = (x[3 * k], x[3 * k]),
                _ => (),
            }
            let rest = RestTriangle::in_plane(corners.map(|c| c + DVec2::splat(0.1 * numbers.next()) * c.x)).unwrap();
            let tau = if (k / 24) % 2 == 0 { 0.0 } else { [0.02, 0.0, 0.1][k % 3] };
            let material =
                Orthotropic { young: [1e5, 6e4], poisson: 0.25, shear: 2.5e4, thickness: 1e-3, damping_time: tau };
            triangles.push(StvkTriangle::new([0, 1, 2].map(|a| 3 * k as u32 + a), rest, &material).unwrap());
        }
        let mut vectors = |size: f64| -> Vec<DVec3> { x.iter().map(|_| numbers.vector() * size).collect() };
        let (v, correction) = (vectors(3.0), vectors(0.1));
        let view = View { time: 0.0, x: &x, v: &v };
        for (size, correction) in [1, 2, 7, 8, 9, 64, 203].into_iter().flat_map(|n| [(n, &[][..]), (n, &correction)]) {
            let merged = Merged { rate: 7.0, correction };
            for chunk in triangles.chunks(size) {
                let mut forces = vec![TriangleForce::default(); chunk.len()];
                write_forces(chunk, &view, &mut forces);
                let mut blocks = vec![TriangleBlock::default(); chunk.len()];
                write_psd(chunk, &view, merged, &mut blocks);
                for (k, triangle) in chunk.iter().enumerate() {
                    let of = |values: &[DVec3]| triangle.nodes.map(|n| values[n as usize]);
                    let bits = |force: &TriangleForce| force.0.map(|f| f.to_array().map(f64::to_bits));
                    assert_eq!(bits(&forces[k]), bits(&triangle.force(of(&x), of(&v))));
                    let bits = |block: &TriangleBlock| block.0.map(|m| m.to_cols_array().map(f64::to_bits));
                    assert_eq!(bits(&blocks[k]), bits(&triangle.merged(&view, JacobianKind::Psd, merged)));
                }
            }
        }
    }

    #[test]
    fn positive_parts_have_the_bits_of_single_ones() {
        let values = [-2.0, -1.0, -0.5, -0.0, 0.0, 1e-3, 0.7, 1.0, 3.0];
        for a in values {
            for b in values {
                for d in values {
                    let single = super::super::algebra::positive_part([a, b, d]);
                    let lanes = positive_part([a, b, d].map(Lane::splat)).map(|lane| lane.0[3]);
                    assert_eq!(lanes.map(f64::to_bits), single.map(f64::to_bits), "{a} {b} {d}");
                }
            }
        }
    }
}
