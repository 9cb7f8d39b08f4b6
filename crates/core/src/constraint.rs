//! Position-based projection [Ropes] section 5: particles are moved until elements have the lengths and volumes that they have at rest.
//!
//! One constraint `C(x) = 0` with gradients `g_a` is met, to first order, by the smallest correction in the norm of the masses,
//!
//! `Δx_a = -p C w_a g_a / Σ w_b |g_b|²`, `w = 1/m`, zero where pinned,
//!
//! with p = 1, or less. `Σ m Δx = 0` and `Σ x × m Δx = 0` where nothing is pinned, because C is invariant under rigid motion.
//! Constraints are solved one after the other, each from the positions left by the one before (Gauss-Seidel): a sweep is sequential,
//! so it has the same bits for any number of threads.

use glam::DVec3;

use crate::element::{Element, gather};

/// A constraint of an element: `C(x)`, dimensionless and zero when met, and its gradients, 1/m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint<const N: usize> {
    /// C: the relative error.
    pub error: f64,
    /// ∂C/∂x of each particle.
    pub gradient: [DVec3; N],
}

impl<const N: usize> Constraint<N> {
    /// Displacement of each particle, m; `None` where none can be moved.
    pub fn correction(&self, weights: [f64; N], part: f64) -> Option<[DVec3; N]> {
        let compliance: f64 = (0..N).map(|a| weights[a] * self.gradient[a].length_squared()).sum();
        // zero denominator: all are pinned, or C has no gradient
        (compliance > 0.0)
            .then(|| std::array::from_fn(|a| self.gradient[a] * (-part * self.error * weights[a] / compliance)))
    }
}

/// One sweep over elements, in their order.
pub(crate) fn sweep<E: Element<N>, const N: usize>(elements: &[E], weights: &[f64], part: f64, x: &mut [DVec3]) {
    for element in elements {
        let nodes = element.nodes();
        let Some(constraint) = element.constraint(gather(nodes, x)) else { continue };
        let Some(moves) = constraint.correction(nodes.map(|n| weights[n as usize]), part) else { continue };
        for (node, by) in nodes.into_iter().zip(moves) {
            x[node as usize] += by;
        }
    }
}

/// The largest |C| of some elements; `None` if none has a constraint.
pub(crate) fn largest_error<E: Element<N>, const N: usize>(elements: &[E], x: &[DVec3]) -> Option<f64> {
    let errors = elements.iter().filter_map(|e| e.constraint(gather(e.nodes(), x))).map(|c| c.error.abs());
    errors.reduce(|a, b| if b > a || b.is_nan() { b } else { a })
}
