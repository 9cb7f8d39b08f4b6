//! Block Jacobi: the inverses of the 3x3 blocks on the diagonal, z_i = A_ii⁻¹ r_i.
//!
//! It removes local differences between particles (masses, local stiffness, its direction) and costs about as much
//! as one block column of the matrix. A single free particle is solved exactly.

use super::small::inverse_of;
use crate::block_csr::BlockCsr;
use crate::pattern::Pattern;
use crate::solver::{Preconditioner, SolveError};
use glam::{DMat3, DVec3};
use pliant_parallel::{Cost, Partials, for_each_chunk_of};
use std::sync::Arc;

/// The inverses of the diagonal blocks.
#[derive(Clone, Debug, Default)]
pub struct BlockJacobi {
    inverse: Vec<DMat3>,
    partials: Partials,
}

impl BlockJacobi {
    /// For no pattern yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Preconditioner for BlockJacobi {
    fn name(&self) -> &'static str {
        "block-jacobi"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) {
        self.inverse.resize(pattern.rows(), DMat3::IDENTITY);
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        if self.inverse.len() != a.rows() {
            self.analyze(&a.pattern);
        }
        let [bad] = self.partials.update(Cost::Heavy, &mut self.inverse, |start, inverse| {
            let mut bad = 0.0;
            for (i, inverse) in inverse.iter_mut().enumerate() {
                let block = a.diagonal(start + i);
                *inverse = inverse_of(block);
                if !inverse.is_finite() {
                    bad += 1.0;
                }
            }
            [bad]
        });
        if bad == 0.0 {
            return Ok(());
        }
        let row = self.inverse.iter().position(|inverse| !inverse.is_finite());
        match row {
            Some(row) if a.diagonal(row).is_finite() => Err(SolveError::Singular { row: Some(row) }),
            _ => Err(SolveError::NonFinite),
        }
    }

    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        let inverse = &self.inverse;
        for_each_chunk_of(Cost::Light, z, |start, z| {
            let inputs = inverse[start..].iter().zip(&r[start..]);
            for (z, (inverse, r)) in z.iter_mut().zip(inputs) {
                *z = *inverse * *r;
            }
        });
    }

    fn apply_and_dot(&mut self, r: &[DVec3], z: &mut [DVec3], partials: &mut Partials) -> f64 {
        let inverse = &self.inverse;
        let [rz] = partials.update(Cost::Light, z, |start, z| {
            let mut rz = 0.0;
            let inputs = inverse[start..].iter().zip(&r[start..]);
            for (z, (inverse, r)) in z.iter_mut().zip(inputs) {
                *z = *inverse * *r;
                rz += r.dot(*z);
            }
            [rz]
        });
        rz
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PatternBuilder;

    fn of_blocks(blocks: &[DMat3]) -> BlockCsr {
        let mut a = BlockCsr::zeros(Arc::new(PatternBuilder::new(blocks.len()).build()));
        a.values.copy_from_slice(blocks);
        a
    }

    #[test]
    fn inverts_the_diagonal() {
        let block = DMat3::from_cols_array(&[4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 2.0]);
        let a = of_blocks(&[block, 1e-6 * block]);
        let mut jacobi = BlockJacobi::new();
        jacobi.factor(&a).unwrap();
        let r = [DVec3::new(1.0, -2.0, 3.0); 2];
        let mut z = [DVec3::ZERO; 2];
        let rz = jacobi.apply_and_dot(&r, &mut z, &mut Partials::default());
        assert!((block * z[0] - r[0]).length() < 1e-14);
        assert!((1e-6 * block * z[1] - r[1]).length() < 1e-14);
        assert_eq!(rz, r[0].dot(z[0]) + r[1].dot(z[1]));
        assert_eq!(jacobi.inverse[0], jacobi.inverse[0].transpose());
    }

    #[test]
    fn names_the_singular_row() {
        let flat = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0));
        let mut jacobi = BlockJacobi::new();
        let error = jacobi.factor(&of_blocks(&[DMat3::IDENTITY, flat]));
        assert_eq!(error, Err(SolveError::Singular { row: Some(1) }));
        let nan = DMat3::from_diagonal(DVec3::new(1.0, f64::NAN, 1.0));
        let error = jacobi.factor(&of_blocks(&[nan, DMat3::IDENTITY]));
        assert_eq!(error, Err(SolveError::NonFinite));
    }
}
