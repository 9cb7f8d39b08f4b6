//! The mollifier of edge-edge contact of [Incremental] (its `e_kl`): nearly parallel edges have a distance with a kink, because their
//! closest points jump from one pair of ends to the other. A factor that goes to zero with the sine of their angle hides it:
//!
//! `c = |a × b|²`, `a = x_1 - x_0`, `b = x_3 - x_2`;  `m(c) = (2 - c/ε) c/ε` for `c < ε`, else 1;  `ε = 10⁻³ |a_0|² |b_0|²` at rest.
//!
//! `∂c/∂a = 2 (|b|² a - (a·b) b)`,  `∂²c/∂a² = 2 (|b|² I - b bᵀ)`,  `∂²c/∂a∂b = 2 (2 a bᵀ - b aᵀ - (a·b) I)`.
//! `m` is once continuously differentiable at `c = ε`; its second derivative jumps by `2/ε²` there.

use crate::outer;
use glam::{DMat3, DVec3};

/// The mollifier and its derivatives with respect to the four ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mollifier {
    /// `m`, in [0, 1].
    pub value: f64,
    /// `∂m/∂x_i`.
    pub gradient: [DVec3; 4],
    /// `∂²m/∂x_i∂x_j`.
    pub hessian: [[DMat3; 4]; 4],
}

/// `ε` of two edges at rest, m⁴.
pub fn threshold(rest: &[DVec3; 4]) -> f64 {
    1e-3 * (rest[1] - rest[0]).length_squared() * (rest[3] - rest[2]).length_squared()
}

/// `m` alone.
pub fn value(x: &[DVec3; 4], threshold: f64) -> f64 {
    let c = (x[1] - x[0]).cross(x[3] - x[2]).length_squared();
    if c < threshold { (2.0 - c / threshold) * (c / threshold) } else { 1.0 }
}

impl Mollifier {
    /// The mollifier of the edges `x[0] x[1]` and `x[2] x[3]`. A threshold of zero (an edge without length at rest) mollifies nothing.
    pub fn new(x: &[DVec3; 4], threshold: f64) -> Self {
        let (a, b) = (x[1] - x[0], x[3] - x[2]);
        let c = a.cross(b).length_squared();
        if c >= threshold || threshold <= 0.0 {
            return Self { value: 1.0, gradient: [DVec3::ZERO; 4], hessian: [[DMat3::ZERO; 4]; 4] };
        }
        let u = c / threshold;
        let (first, second) = (2.0 * (1.0 - u) / threshold, -2.0 / (threshold * threshold));
        let (aa, bb, ab) = (a.length_squared(), b.length_squared(), a.dot(b));
        let in_edges = [2.0 * (bb * a - ab * b), 2.0 * (aa * b - ab * a)];
        let scaled = |s: f64| DMat3::from_diagonal(DVec3::splat(s));
        let mixed = (outer(a, b) * 2.0 - outer(b, a) - scaled(ab)) * 2.0;
        let twice = [[(scaled(bb) - outer(b, b)) * 2.0, mixed], [mixed.transpose(), (scaled(aa) - outer(a, a)) * 2.0]];
        // x_0 and x_2 enter their edge with a minus.
        let (edge, sign) = ([0, 0, 1, 1], [-1.0, 1.0, -1.0, 1.0]);
        let of_c: [DVec3; 4] = std::array::from_fn(|i| sign[i] * in_edges[edge[i]]);
        let hessian = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                outer(of_c[i], of_c[j]) * second + twice[edge[i]][edge[j]] * (first * sign[i] * sign[j])
            })
        });
        Self { value: (2.0 - u) * u, gradient: of_c.map(|g| first * g), hessian }
    }
}
