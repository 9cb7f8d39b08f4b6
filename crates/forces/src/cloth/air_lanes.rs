//! [`AirTriangle`] eight at once: forces and the derivative of drag in SIMD lanes, with the bits of single triangles.

use glam::{DMat3, DVec3};
use pliant_core::View;
use pliant_scalar::wide::widest;

use super::air_triangle::{AirBlock, AirTriangle};
use super::lanes::{LANES, Lane, NONE, Vector, at, cross, dot, edges, minus, plus, put, select, times};

/// A third of the force of each triangle.
pub(super) fn write_forces(triangles: &[AirTriangle], view: &View, out: &mut [DVec3]) {
    widest(
        #[inline(always)]
        || {
            for (triangles, out) in triangles.chunks(LANES).zip(out.chunks_mut(LANES)) {
                let flow = Flow::new(triangles, view);
                let scale = flow.area / Lane::splat(-3.0);
                let force = flow.resistance().map(|g| select(flow.area, |area| area == 0.0, NONE, g * scale));
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = at(&force, lane);
                }
            }
        },
    );
}

/// `c ∂f/∂v` of drag, which is all of the positive semi-definite kind.
pub(super) fn write_psd(triangles: &[AirTriangle], view: &View, c: f64, out: &mut [AirBlock]) {
    widest(
        #[inline(always)]
        || {
            for (triangles, out) in triangles.chunks(LANES).zip(out.chunks_mut(LANES)) {
                let flow = Flow::new(triangles, view);
                let scale = flow.area / Lane::splat(-9.0);
                let of_area = |drag: Lane| select(flow.area, |area| area == 0.0, NONE, drag * scale);
                let [xx, xy, xz, yy, yz, zz] = flow.drag().map(|drag| NONE + of_area(drag) * Lane::splat(c));
                let columns = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
                for (lane, out) in out.iter_mut().enumerate() {
                    let column = |j: usize| at(&columns[j], lane);
                    *out = AirBlock::Same(DMat3::from_cols(column(0), column(1), column(2)));
                }
            }
        },
    );
}

/// Coefficients and flow of eight triangles.
struct Flow {
    normal: Lane,
    tangential: Lane,
    lift: Lane,
    has_lift: bool,
    area: Lane,
    n: Vector,
    u: Vector,
    across: Lane,
    along: Vector,
    sliding: Lane,
}

impl Flow {
    /// A partial batch is padded with its last triangle.
    #[inline(always)]
    fn new(triangles: &[AirTriangle], view: &View) -> Self {
        let (mut normal, mut tangential, mut lift, mut has_lift) = (NONE, NONE, NONE, false);
        let mut sum = [NONE; 3];
        for lane in 0..LANES {
            let triangle = &triangles[lane.min(triangles.len() - 1)];
            let [a, b, c] = triangle.nodes.map(|node| view.v[node as usize]);
            put(&mut sum, lane, a + b + c);
            (normal.0[lane], tangential.0[lane], lift.0[lane]) = (triangle.normal, triangle.tangential, triangle.lift);
            has_lift |= triangle.lift != 0.0;
        }
        let [a, b] = edges(triangles, |t| t.nodes, view.x);
        let a = times(&cross(&a, &b), Lane::splat(0.5));
        let area = dot(&a, &a).sqrt();
        let n = a.map(|c| c / area);
        let u = times(&sum, Lane::splat(1.0 / 3.0));
        let across = dot(&u, &n);
        let along = minus(&u, &times(&n, across));
        let sliding = dot(&along, &along).sqrt();
        Self { normal, tangential, lift, has_lift, area, n, u, across, along, sliding }
    }

    /// Minus the force per area.
    #[inline(always)]
    fn resistance(&self) -> Vector {
        let Self { across, n, u, .. } = self;
        let pressure = self.normal * across.map(f64::abs) * *across;
        let mut g = plus(&times(n, pressure), &times(&self.along, self.tangential * self.sliding));
        if self.has_lift {
            let speed = dot(u, u).sqrt();
            let up = minus(&times(n, speed), &times(u, *across / speed));
            let lifted = plus(&g, &times(&up, self.lift * *across));
            for (g, lifted) in g.iter_mut().zip(lifted) {
                let moving = select(speed, |speed| speed > 0.0, lifted, *g);
                *g = select(self.lift, |lift| lift != 0.0, moving, *g);
            }
        }
        g
    }

    /// Minus the derivative of drag per area by the velocity, as its entries 00, 01, 02, 11, 12, 22: it is symmetric to the bit.
    #[inline(always)]
    fn drag(&self) -> [Lane; 6] {
        let Self { n, along, sliding, .. } = self;
        let pressure = 2.0 * self.normal * self.across.map(f64::abs);
        let (friction, ratio) = (self.tangential * *sliding, self.tangential / *sliding);
        [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]].map(|[i, j]| {
            let nn = n[i] * n[j];
            let own = Lane::splat(if i == j { 1.0 } else { 0.0 });
            let drag = nn * pressure + (own - nn) * friction;
            select(*sliding, |sliding| sliding > 0.0, drag + along[i] * along[j] * ratio, drag)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solid::samples::Numbers;
    use pliant_core::{Element, JacobianKind, Merged};

    /// With and without lift, at rest, along the sheet, across it, and without area, in batches of all sizes.
    #[test]
    fn lanes_have_the_bits_of_single_triangles() {
        let mut numbers = Numbers(11);
        let (mut x, mut v, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..203_usize {
            let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
            let noise = if k % 3 == 0 { 0.0 } else { 0.5 };
            x.extend(corners.map(|corner| corner + numbers.vector() * noise));
            let velocity = [DVec3::ZERO, DVec3::X, DVec3::Z * -2.0, numbers.vector()][k % 4];
            v.extend([velocity; 3].map(|v| v + numbers.vector() * noise));
            if k % 17 == 5 {
                x[3 * k + 1] = x[3 * k];
            }
            let nodes = [0, 1, 2].map(|a| 3 * k as u32 + a);
            let lift = if (k / 20) % 2 == 0 { 0.0 } else { [0.0, 0.7][k % 2] };
            triangles.push(AirTriangle { nodes, normal: 0.8, tangential: [0.0, 0.02][k / 4 % 2], lift });
        }
        let view = View { time: 0.0, x: &x, v: &v };
        let at = Merged { rate: 37.0, correction: &[] };
        let bits = |v: DVec3| v.to_array().map(f64::to_bits);
        for size in [1, 2, 7, 8, 9, 64, 203] {
            for chunk in triangles.chunks(size) {
                let mut forces = vec![DVec3::ONE; chunk.len()];
                write_forces(chunk, &view, &mut forces);
                let mut blocks = vec![AirBlock::default(); chunk.len()];
                write_psd(chunk, &view, at.rate, &mut blocks);
                for (k, triangle) in chunk.iter().enumerate() {
                    let of = |values: &[DVec3]| triangle.nodes.map(|n| values[n as usize]);
                    assert_eq!(bits(forces[k]), bits(triangle.force(of(&x), of(&v))));
                    let single = triangle.merged(&view, JacobianKind::Psd, at.rate);
                    for b in 0..3 {
                        let bits = |block| AirTriangle::block(block, 0, b).to_cols_array().map(f64::to_bits);
                        assert_eq!(bits(&blocks[k]), bits(&single));
                    }
                }
            }
        }
    }
}
