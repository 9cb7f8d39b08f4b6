//! Positive derivatives of eight corotational tetrahedra at once, damping included: [`super::corotational`] and [`super::damping`] in lanes.
//!
//! `-1/V (∂f_a/∂x_b + c ∂f_a/∂v_b) = (G_a·G_b) [2μ I + cη F Fᵀ] + λ q_a q_bᵀ + [q_a]× T [q_b]×ᵀ + cη p_b p_aᵀ + cζ p_a p_bᵀ`
//!
//! with `q = R G`, `p = F G` and T the weighted and limited `turn`. The lanes are compiled for AVX2 too and chosen when the program runs;
//! as nothing is contracted to `mul_add`, the bits are the same on every machine.
//!
//! Cost per element, with the sums into the matrix: `cargo bench -p pliant-benches --bench solid`.

use glam::{DMat3, DVec3};
use pliant_core::View;
use pliant_scalar::wide::widest;

use super::corotational::Corotational;
use super::element::SolidTetrahedron;
use super::polar::{LANES, fast, rotation_and_turn};
use super::tetrahedron::TetraBlock;
use pliant_scalar::pack::Pack;

type Lane = Pack<LANES>;
type Vector = [Lane; 3];
/// Column by column.
type Matrix = [Lane; 9];

/// Writes `∂f/∂x + c ∂f/∂v` without its indefinite part.
pub fn write_psd(elements: &[SolidTetrahedron<Corotational>], view: &View, c: f64, out: &mut [TetraBlock]) {
    widest(
        #[inline(always)]
        || {
            let mut blocks = [[Lane::splat(0.0); 9]; 6];
            for (elements, out) in elements.chunks(LANES).zip(out.chunks_mut(LANES)) {
                Batch::new(elements, view).write(c, &mut blocks);
                for (lane, out) in out.iter_mut().enumerate() {
                    take(&blocks, lane, out);
                }
            }
        },
    );
}

/// Data of eight elements.
struct Batch {
    gradients: [Vector; 3],
    volume: Lane,
    mu: Lane,
    lambda: Lane,
    shear: Lane,
    bulk: Lane,
    f: Matrix,
}

impl Batch {
    /// A partial batch is padded with the last element.
    #[inline(always)]
    fn new(elements: &[SolidTetrahedron<Corotational>], view: &View) -> Self {
        let none = Lane::splat(0.0);
        let mut batch = Self {
            gradients: [[none; 3]; 3],
            volume: none,
            mu: none,
            lambda: none,
            shear: none,
            bulk: none,
            f: [none; 9],
        };
        let mut edges = [[none; 3]; 3];
        for lane in 0..LANES {
            let element = &elements[lane.min(elements.len() - 1)];
            let (rest, lame, viscosity) = (element.rest(), element.lame(), element.viscosity());
            let x = element.corners(view.x);
            for a in 0..3 {
                let edge = x[a + 1] - x[0];
                for i in 0..3 {
                    batch.gradients[a][i].0[lane] = rest.gradients[a][i];
                    edges[a][i].0[lane] = edge[i];
                }
            }
            batch.volume.0[lane] = rest.volume;
            (batch.mu.0[lane], batch.lambda.0[lane]) = (lame.mu, lame.lambda);
            (batch.shear.0[lane], batch.bulk.0[lane]) = (viscosity.shear, viscosity.bulk);
        }
        let [g, h, k] = &batch.gradients;
        batch.f = from_fn(|i, j| edges[0][i] * g[j] + edges[1][i] * h[j] + edges[2][i] * k[j]);
        batch
    }

    /// R, and `R (tr(S) I - S)⁻¹ Rᵀ` as its entries 00, 01, 02, 11, 12, 22.
    #[inline(always)]
    fn rotation_and_turn(&self) -> (Matrix, [Lane; 6]) {
        let f = &self.f;
        let found = fast(*f);
        let mut r = found.rotation;
        // S = F Rᵀ
        let s = |i: usize, j: usize| f[i] * r[j] + f[3 + i] * r[3 + j] + f[6 + i] * r[6 + j];
        let off = |i: usize, j: usize| -0.5 * (s(i, j) + s(j, i));
        let own = |i: usize| found.trace - s(i, i);
        let [m00, m01, m02, m11, m12, m22] = [own(0), off(0, 1), off(0, 2), own(1), off(1, 2), own(2)];
        let cofactors = [
            m11 * m22 - m12 * m12,
            m02 * m12 - m01 * m22,
            m01 * m12 - m02 * m11,
            m00 * m22 - m02 * m02,
            m01 * m02 - m00 * m12,
            m00 * m11 - m01 * m01,
        ];
        let determinant = m00 * cofactors[0] + m01 * cofactors[1] + m02 * cofactors[2];
        let inverse = Lane::splat(1.0) / determinant;
        let mut turn = cofactors.map(|entry| entry * inverse);
        for lane in 0..LANES {
            if !found.is_good(lane) {
                let (one, its_turn) = rotation_and_turn(&DMat3::from_cols_array(&f.map(|entry| entry.0[lane])));
                r.iter_mut().zip(one.to_cols_array()).for_each(|(entry, value)| entry.0[lane] = value);
                let [a, b, c, _, d, e, _, _, g] = its_turn.to_cols_array();
                turn.iter_mut().zip([a, b, c, d, e, g]).for_each(|(entry, value)| entry.0[lane] = value);
            }
        }
        (r, turn)
    }

    /// Blocks 00, 01, 02, 11, 12, 22 of corners 1 to 3.
    #[inline(always)]
    fn write(&self, c: f64, out: &mut [Matrix; 6]) {
        let (r, turn) = self.rotation_and_turn();
        let (f, g) = (&self.f, &self.gradients);
        let inner = (0..9).fold(Lane::splat(0.0), |sum, k| sum + r[k] * f[k]);
        let weight = self.lambda * (inner - Lane::splat(3.0)) - 2.0 * self.mu;
        let scale = limit(&turn, self.mu, weight) * weight;
        let [t00, t01, t02, t11, t12, t22] = turn.map(|entry| entry * scale);
        let columns = [[t00, t01, t02], [t01, t11, t12], [t02, t12, t22]];
        let (shear, bulk) = (c * self.shear, c * self.bulk);
        let twice = 2.0 * self.mu;
        let isotropic: Matrix = from_fn(|i, j| {
            let fft = (f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j]) * shear;
            if i == j { fft + twice } else { fft }
        });
        let (q, p) = (g.map(|g| times(&r, &g)), g.map(|g| times(f, &g)));
        // [q_b]× T, column by column; its transpose is T [q_b]×ᵀ
        let halves = q.map(|q| columns.map(|column| cross(&q, &column)));
        let negative = -self.volume;
        for (block, [a, b]) in out.iter_mut().zip([[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]) {
            let product = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
            for j in 0..3 {
                let (stretch, push, pull) = (self.lambda * q[b][j], shear * p[a][j], bulk * p[b][j]);
                let spin = cross(&q[a], &[halves[b][0][j], halves[b][1][j], halves[b][2][j]]);
                for i in 0..3 {
                    let outer = q[a][i] * stretch + p[b][i] * push + p[a][i] * pull;
                    block[3 * j + i] = (product * isotropic[3 * j + i] + outer + spin[i]) * negative;
                }
            }
        }
    }
}

/// What to multiply `turn` by so that none of its eigenvalues times `weight` is below -μ: 1 where none is. Their mean q and spread p
/// bound the largest by `q + 2p`, at most p too high; finding it would cost as much as all the rest.
#[inline(always)]
fn limit([t00, t01, t02, t11, t12, t22]: &[Lane; 6], mu: Lane, weight: Lane) -> Lane {
    let mean = (1.0 / 3.0) * (*t00 + *t11 + *t22);
    let (a, b, c) = (*t00 - mean, *t11 - mean, *t22 - mean);
    let spread =
        ((1.0 / 6.0) * (a * a + b * b + c * c) + (1.0 / 3.0) * (*t01 * *t01 + *t02 * *t02 + *t12 * *t12)).sqrt();
    let allowed = mu / (-weight * (mean + 2.0 * spread));
    let mut scale = Lane::splat(1.0);
    for lane in 0..LANES {
        if weight.0[lane] < 0.0 && allowed.0[lane] < 1.0 {
            scale.0[lane] = allowed.0[lane];
        }
    }
    scale
}

#[inline(always)]
fn from_fn(entry: impl Fn(usize, usize) -> Lane) -> Matrix {
    let mut out = [Lane::splat(0.0); 9];
    for j in 0..3 {
        for i in 0..3 {
            out[3 * j + i] = entry(i, j);
        }
    }
    out
}

#[inline(always)]
fn times(m: &Matrix, v: &Vector) -> Vector {
    let row = |i: usize| m[i] * v[0] + m[3 + i] * v[1] + m[6 + i] * v[2];
    [row(0), row(1), row(2)]
}

#[inline(always)]
fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Takes one element out of the lanes.
#[inline(always)]
fn take(blocks: &[Matrix; 6], lane: usize, out: &mut TetraBlock) {
    let taken = |at: usize| {
        let column = |j: usize| {
            let m = &blocks[at];
            DVec3::new(m[3 * j].0[lane], m[3 * j + 1].0[lane], m[3 * j + 2].0[lane])
        };
        DMat3::from_cols(column(0), column(1), column(2))
    };
    let (k01, k02, k12) = (taken(1), taken(2), taken(4));
    out.0 = [taken(0), k01, k02, k01.transpose(), taken(3), k12, k02.transpose(), k12.transpose(), taken(5)];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::algebra::norm;
    use crate::solid::material::SolidMaterial;
    use crate::solid::samples::Numbers;
    use crate::solid::tetrahedron::RestTetrahedron;
    use pliant_core::{Element, JacobianKind};

    fn random(noise: f64, seed: u64) -> (Vec<DVec3>, Vec<SolidTetrahedron<Corotational>>) {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mut numbers = Numbers(seed);
        let rest = RestTetrahedron::new(corners).unwrap();
        let material = SolidMaterial::new(1e3, 0.4).unwrap().damped(0.1);
        let mut x = Vec::new();
        let mut elements = Vec::new();
        for k in 0..43 {
            x.extend(corners.map(|corner| corner + numbers.vector() * noise));
            let nodes = [0, 1, 2, 3].map(|a| 4 * k + a);
            elements.push(SolidTetrahedron::new(nodes, rest, &material).unwrap());
        }
        (x, elements)
    }

    /// Against the blocks of single elements, which are limited exactly; so the two agree where nothing needs a limit.
    #[test]
    fn lanes_agree_with_single_elements_and_are_positive() {
        let (mut equal, mut limited) = (0, 0);
        for (noise, seed) in [(0.02, 1), (0.1, 2), (0.5, 3), (2.0, 4)] {
            let (x, elements) = random(noise, seed);
            let v = vec![DVec3::ZERO; x.len()];
            let view = View { time: 0.0, x: &x, v: &v };
            let c = 7.0;
            let mut out = vec![TetraBlock::default(); elements.len()];
            write_psd(&elements, &view, c, &mut out);
            for (element, merged) in elements.iter().zip(&out) {
                let corners = element.corners(&x);
                let blocks = |kind| {
                    let (k, d) = element.jacobian(corners, [DVec3::ZERO; 4], kind);
                    TetraBlock(std::array::from_fn(|at| k.0[at] + d.0[at] * c))
                };
                let (exact, single) = (blocks(JacobianKind::Symmetric), blocks(JacobianKind::Psd));
                let size = exact.0.iter().map(norm).fold(0.0, f64::max);
                let off = |other: &TetraBlock| (0..9).map(|at| norm(&(merged.0[at] - other.0[at]))).fold(0.0, f64::max);
                if exact.0 == single.0 && off(&single) < 1e-10 * size {
                    equal += 1;
                } else {
                    limited += 1;
                    assert!(off(&single) <= 0.5 * size.max(norm(&single.0[0])), "{} of {size}", off(&single));
                }
                // -yᵀ K y ≥ 0
                let mut numbers = Numbers(seed + 9);
                for _ in 0..50 {
                    let y = [numbers.vector(), numbers.vector(), numbers.vector()];
                    let value: f64 = (0..9).map(|at| y[at / 3].dot(merged.0[at] * y[at % 3])).sum();
                    assert!(value <= 1e-9 * size, "{value}");
                }
            }
        }
        assert!(equal > 30 && limited > 30, "{equal} {limited}");
    }

    #[test]
    fn the_bits_of_an_element_do_not_depend_on_who_is_with_it() {
        let (x, elements) = random(0.8, 5);
        let view = View { time: 0.0, x: &x, v: &x };
        let mut together = vec![TetraBlock::default(); elements.len()];
        write_psd(&elements, &view, 3.0, &mut together);
        for (element, expected) in elements.iter().zip(&together) {
            let mut alone = [TetraBlock::default()];
            write_psd(std::slice::from_ref(element), &view, 3.0, &mut alone);
            assert_eq!(alone[0].0, expected.0);
        }
    }
}
