//! A linear tetrahedron: its volume and gradients at rest, and the compact forms of forces and derivatives that all measures share.
//!
//! `F = Σ_a x_a G_aᵀ` with `G_a = ∇φ_a` at rest, `f_a = -V P G_a`, `∂f_a/∂x_b d = -V dP(d G_bᵀ) G_a` [SifakisBarbic] section 4. As the
//! `G_a` add up to nothing, those of corners 1 to 3 are enough, and so are the forces and blocks of these corners.

use glam::{DMat3, DVec3};
use pliant_core::Rates;

use crate::cloth::algebra::{symmetric_norm, symmetric_part};

/// Heights below this part of the longest edge are lost in rounding: gradients would be wrong in their fourth digit.
const FLAT: f64 = 1e-12;

/// Volume and gradients of a tetrahedron at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestTetrahedron {
    /// Gradients of the hat functions of corners 1 to 3, 1/m; that of corner 0 is minus their sum.
    pub gradients: [DVec3; 3],
    /// m³, positive whichever way the corners are ordered.
    pub volume: f64,
}

impl RestTetrahedron {
    /// From corners at rest in either orientation, m. `None` where they span no volume, or one that is lost in rounding.
    pub fn new(corners: [DVec3; 4]) -> Option<Self> {
        let edges = [1, 2, 3].map(|a: usize| corners[a] - corners[0]);
        let six = edges[0].dot(edges[1].cross(edges[2]));
        let span = edges.iter().map(|e| e.length_squared()).fold(0.0, f64::max).sqrt();
        if !(six.abs() > FLAT * span * span * span && span.is_finite()) {
            return None;
        }
        // rows of the inverse of [e₁ e₂ e₃]
        let gradients = [0, 1, 2].map(|a| edges[(a + 1) % 3].cross(edges[(a + 2) % 3]) / six);
        let finite = gradients.iter().all(|g| g.is_finite());
        finite.then_some(Self { gradients, volume: six.abs() / 6.0 })
    }

    /// `F` of positions, or its rate of velocities.
    #[inline]
    pub fn gradient(&self, x: [DVec3; 4]) -> DMat3 {
        let (a, b, c) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let [g, h, k] = self.gradients;
        let column = |i: usize| a * g[i] + b * h[i] + c * k[i];
        DMat3::from_cols(column(0), column(1), column(2))
    }

    /// Forces from the first Piola stress, Pa.
    #[inline]
    pub fn forces(&self, stress: &DMat3) -> TetraForce {
        TetraForce(self.gradients.map(|g| *stress * g * -self.volume))
    }

    /// `M G_a` of corners 1 to 3.
    #[inline]
    pub fn mapped(&self, m: &DMat3) -> [DVec3; 3] {
        self.gradients.map(|g| *m * g)
    }

    /// `-V k(a, b)` for all pairs of corners 1 to 3 (counted from 0), where `k(b, a) = k(a, b)ᵀ`.
    #[inline]
    pub fn symmetric_blocks(&self, k: impl Fn(usize, usize) -> DMat3) -> TetraBlock {
        let of = |a: usize, b: usize| k(a, b) * -self.volume;
        let (k01, k02, k12) = (of(0, 1), of(0, 2), of(1, 2));
        let own = |a: usize| symmetric_part(of(a, a));
        TetraBlock([own(0), k01, k02, k01.transpose(), own(1), k12, k02.transpose(), k12.transpose(), own(2)])
    }

    /// `-V k(a, b)` for all pairs of corners 1 to 3 (counted from 0).
    #[inline]
    pub fn blocks(&self, k: impl Fn(usize, usize) -> DMat3) -> TetraBlock {
        TetraBlock(std::array::from_fn(|at| k(at / 3, at % 3) * -self.volume))
    }
}

/// Forces on corners 1 to 3; corner 0 feels the opposite of their sum.
#[derive(Clone, Copy, Debug, Default)]
pub struct TetraForce(pub [DVec3; 3]);

impl TetraForce {
    /// The force on a corner.
    #[inline]
    pub fn on(&self, a: usize) -> DVec3 {
        if a == 0 { -(self.0[0] + self.0[1] + self.0[2]) } else { self.0[a - 1] }
    }
}

/// Blocks of corners 1 to 3, row by row; rows and columns add up to nothing, which gives those of corner 0.
#[derive(Clone, Copy, Debug)]
pub struct TetraBlock(pub [DMat3; 9]);

impl Default for TetraBlock {
    /// Nothing; a matrix's own default is the identity.
    fn default() -> Self {
        Self([DMat3::ZERO; 9])
    }
}

impl TetraBlock {
    /// The block of two corners.
    #[inline]
    pub fn at(&self, a: usize, b: usize) -> DMat3 {
        self.row(a)[b]
    }

    /// The blocks of a corner with all four.
    pub fn row(&self, a: usize) -> [DMat3; 4] {
        let k = &self.0;
        let [x, y, z] = if a == 0 {
            [0, 1, 2].map(|b| -(k[b] + k[3 + b] + k[6 + b]))
        } else {
            [0, 1, 2].map(|b| k[3 * (a - 1) + b])
        };
        [-(x + y + z), x, y, z]
    }

    /// Adds the blocks of a corner with all four to their places.
    #[inline]
    pub fn add_row(&self, a: usize, places: [usize; 4], values: &mut [DMat3]) {
        // without arrays of blocks in between, which would be copied
        let k = &self.0;
        let mut sum = DMat3::ZERO;
        for b in 0..3 {
            if a == 0 {
                let block = k[b] + k[3 + b] + k[6 + b];
                values[places[b + 1]] -= block;
                sum -= block;
            } else {
                let block = &k[3 * (a - 1) + b];
                values[places[b + 1]] += *block;
                sum += *block;
            }
        }
        values[places[0]] -= sum;
    }

    /// Times a number.
    pub fn times(&self, factor: f64) -> Self {
        Self(self.0.map(|block| block * factor))
    }

    /// Sum of two.
    pub fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] + other.0[at]))
    }

    /// Its symmetric part.
    pub fn symmetric(&self) -> Self {
        Self(std::array::from_fn(|at| (self.0[at] + self.0[3 * (at % 3) + at / 3].transpose()) * 0.5))
    }

    /// Norms of the four diagonal blocks.
    fn norms(&self) -> [f64; 4] {
        [0, 1, 2, 3].map(|a| symmetric_norm(&self.at(a, a)))
    }
}

/// Norms of one diagonal block, about, from the sums of rows: the largest of them over the corners of a row.
pub fn rates(rows: [Rates; 4]) -> Rates {
    let largest = |of: fn(&Rates) -> f64| rows.iter().map(of).fold(0.0, f64::max) / 4.0;
    Rates { stiffness: largest(|r| r.stiffness), damping: largest(|r| r.damping) }
}

/// Bounds of the row sums of each corner from derivatives without negative eigenvalues, for which `|K_ab|² ≤ |K_aa| |K_bb|`.
pub fn row_rates(blocks: &(TetraBlock, TetraBlock), free: [bool; 4]) -> [Rates; 4] {
    let sums = |blocks: &TetraBlock| {
        let roots = blocks.norms().map(f64::sqrt);
        let sum: f64 = roots.iter().zip(free).filter(|(_, free)| *free).map(|(root, _)| root).sum();
        roots.map(|root| root * sum)
    };
    let (stiffness, damping) = (sums(&blocks.0), sums(&blocks.1));
    std::array::from_fn(|a| Rates { stiffness: stiffness[a], damping: damping[a] })
}

/// Largest change of an edge's length between two states, m.
pub fn edge_stretch(from: [DVec3; 4], to: [DVec3; 4]) -> f64 {
    const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let length = |x: &[DVec3; 4], [a, b]: [usize; 2]| (x[b] - x[a]).length();
    let changes = EDGES.map(|edge| (length(&to, edge) - length(&from, edge)).abs());
    changes.into_iter().fold(0.0, |largest, c| if c > largest || c.is_nan() { c } else { largest })
}

/// The methods of a [`pliant_core::Element`] that follow from `jacobian` and `viscosity`.
macro_rules! tetrahedron_methods {
    () => {
        #[inline]
        fn block(blocks: &TetraBlock, a: usize, b: usize) -> DMat3 {
            blocks.at(a, b)
        }

        #[inline]
        fn add_row(blocks: &TetraBlock, a: usize, places: [usize; 4], values: &mut [DMat3]) {
            blocks.add_row(a, places, values);
        }

        fn rates(&self, x: [DVec3; 4], v: [DVec3; 4]) -> Rates {
            rates(self.row_rates(x, v, [true; 4]))
        }

        fn row_rates(&self, x: [DVec3; 4], v: [DVec3; 4], free: [bool; 4]) -> [Rates; 4] {
            row_rates(&self.jacobian(x, v, JacobianKind::Psd), free)
        }

        fn stretch(&self, from: [DVec3; 4], to: [DVec3; 4]) -> Option<f64> {
            Some(edge_stretch(from, to))
        }

        fn is_damped(&self) -> bool {
            !self.viscosity.is_zero()
        }
    };
}
pub(crate) use tetrahedron_methods;

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [DVec3; 4] = [
        DVec3::new(0.1, -0.2, 0.05),
        DVec3::new(1.1, 0.1, 0.0),
        DVec3::new(0.2, 0.9, -0.3),
        DVec3::new(-0.1, 0.3, 1.2),
    ];

    #[test]
    fn gradients_reproduce_linear_maps_in_both_orientations() {
        let map = DMat3::from_cols(DVec3::new(1.2, 0.3, -0.1), DVec3::new(0.2, 0.8, 0.4), DVec3::new(-0.5, 0.1, 1.1));
        for order in [[0, 1, 2, 3], [0, 2, 1, 3]] {
            let corners = order.map(|k: usize| CORNERS[k]);
            let rest = RestTetrahedron::new(corners).unwrap();
            let f = rest.gradient(corners.map(|x| map * x + DVec3::splat(7.0)));
            assert!((0..3).all(|c| (f.col(c) - map.col(c)).length() < 1e-14), "{f}");
            assert!(rest.volume > 0.0);
        }
    }

    #[test]
    fn what_has_no_volume_is_refused() {
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.3, 0.3, 0.0)];
        assert_eq!(RestTetrahedron::new(flat), None);
        assert_eq!(RestTetrahedron::new([DVec3::ONE; 4]), None);
        assert_eq!(RestTetrahedron::new([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::splat(f64::NAN)]), None);
        assert_eq!(RestTetrahedron::new([DVec3::ZERO, DVec3::X * 1e-200, DVec3::Y * 1e-200, DVec3::Z * 1e-200]), None);
    }

    #[test]
    fn rows_and_columns_of_blocks_add_up_to_nothing() {
        let block = TetraBlock(std::array::from_fn(|at| DMat3::from_diagonal(DVec3::splat(1.0 + at as f64))));
        for a in 0..4 {
            let sums = (0..4).fold((DMat3::ZERO, DMat3::ZERO), |(r, c), b| (r + block.at(a, b), c + block.at(b, a)));
            assert_eq!(sums, (DMat3::ZERO, DMat3::ZERO));
        }
        assert_eq!(block.at(2, 3), block.0[5]);
    }
}
