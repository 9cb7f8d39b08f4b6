//! Forces and derivatives of an energy of the vectors `d_a = x_a - x_0` from its first node to the others: the force on node 0 is minus the sum of
//! all others, so that momentum is conserved up to the rounding of one sum.

use glam::{DMat3, DVec3};

use crate::cloth::algebra::{norm, outer};

/// Forces on nodes 1 to `E`.
#[derive(Clone, Copy, Debug)]
pub struct RelativeForce<const E: usize>(pub [DVec3; E]);

impl<const E: usize> Default for RelativeForce<E> {
    fn default() -> Self {
        Self([DVec3::ZERO; E])
    }
}

impl<const E: usize> RelativeForce<E> {
    /// The force on a node.
    #[inline]
    pub fn on(&self, a: usize) -> DVec3 {
        if a == 0 { -self.0.iter().sum::<DVec3>() } else { self.0[a - 1] }
    }
}

/// Blocks `∂f_a/∂d_b` for a, b from 1 to `E`.
#[derive(Clone, Copy, Debug)]
pub struct RelativeBlocks<const E: usize>(pub [[DMat3; E]; E]);

impl<const E: usize> Default for RelativeBlocks<E> {
    fn default() -> Self {
        Self([[DMat3::ZERO; E]; E])
    }
}

impl<const E: usize> RelativeBlocks<E> {
    /// The block `∂f_a/∂x_b` of two nodes.
    pub fn at(&self, a: usize, b: usize) -> DMat3 {
        match (a, b) {
            (0, 0) => self.0.iter().flatten().sum(),
            (0, b) => -self.0.iter().map(|row| row[b - 1]).sum::<DMat3>(),
            (a, 0) => -self.0[a - 1].iter().sum::<DMat3>(),
            (a, b) => self.0[a - 1][b - 1],
        }
    }

    /// Sum of the norms of a row's blocks over free columns, of `E + 1`.
    pub fn row_sum(&self, a: usize, free: &[bool]) -> f64 {
        free.iter().enumerate().filter(|(_, free)| **free).map(|(b, _)| norm(&self.at(a, b))).sum()
    }

    /// The largest norm on the diagonal.
    pub fn largest(&self) -> f64 {
        (0..=E).map(|a| norm(&self.at(a, a))).fold(0.0, f64::max)
    }

    /// `½ (A + Aᵀ)`, of the whole.
    pub fn symmetric(&self) -> Self {
        Self(std::array::from_fn(|a| std::array::from_fn(|b| (self.0[a][b] + self.0[b][a].transpose()) * 0.5)))
    }

    /// Adds `s g hᵀ`.
    pub fn add_outer(&mut self, s: f64, g: &[DVec3; E], h: &[DVec3; E]) {
        for (row, g) in self.0.iter_mut().zip(g) {
            for (block, h) in row.iter_mut().zip(h) {
                *block += outer(*g * s, *h);
            }
        }
    }

    /// Adds `s B`.
    pub fn add_scaled(&mut self, s: f64, other: &Self) {
        for (row, others) in self.0.iter_mut().zip(&other.0) {
            for (block, other) in row.iter_mut().zip(others) {
                *block += *other * s;
            }
        }
    }

    /// `A d`.
    pub fn times(&self, d: &[DVec3; E]) -> [DVec3; E] {
        self.0.map(|row| row.iter().zip(d).map(|(block, d)| *block * *d).sum())
    }
}

/// `Σ a_k·b_k`.
#[inline]
pub fn dot<const E: usize>(a: &[DVec3; E], b: &[DVec3; E]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// The methods of an undamped [`pliant_core::Element`] of `$n` nodes that follow from its energy, force and Jacobian.
macro_rules! undamped_methods {
    ($n:literal) => {
        fn viscous_power(&self, _x: [DVec3; $n], _v: [DVec3; $n]) -> f64 {
            0.0
        }

        #[inline]
        fn force_on(force: &Self::Force, a: usize) -> DVec3 {
            force.on(a)
        }

        fn block(blocks: &Self::Block, a: usize, b: usize) -> DMat3 {
            blocks.at(a, b)
        }

        fn rates(&self, x: [DVec3; $n], v: [DVec3; $n]) -> Rates {
            let (stiffness, _) = self.jacobian(x, v, JacobianKind::Symmetric);
            Rates { stiffness: stiffness.largest(), damping: 0.0 }
        }

        fn row_rates(&self, x: [DVec3; $n], v: [DVec3; $n], free: [bool; $n]) -> [Rates; $n] {
            let (stiffness, _) = self.jacobian(x, v, JacobianKind::Symmetric);
            std::array::from_fn(|a| Rates { stiffness: stiffness.row_sum(a, &free), damping: 0.0 })
        }

        fn stretch(&self, _from: [DVec3; $n], _to: [DVec3; $n]) -> Option<f64> {
            None
        }

        fn is_damped(&self) -> bool {
            false
        }

        fn is_symmetric(&self) -> bool {
            true
        }
    };
}
pub(super) use undamped_methods;
