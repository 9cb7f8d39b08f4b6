//! Operations of the preconditioners on single 3x3 blocks.

use crate::solver::SolveError;
use glam::{DMat3, DVec3};

/// A block in single precision. A preconditioner is limited by the time to read its blocks from memory and need not be
/// exact: rounding perturbs the matrix that it inverts by 6e-8, and as long as both triangles round alike, it
/// stays symmetric and definite.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packed([f32; 9]);

impl Packed {
    pub fn new(block: &DMat3) -> Self {
        Self(block.to_cols_array().map(|value| value as f32))
    }

    #[inline(always)]
    pub fn times(&self, v: DVec3) -> DVec3 {
        self.column(0) * v.x + self.column(1) * v.y + self.column(2) * v.z
    }

    #[inline(always)]
    pub fn transpose_times(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.column(0).dot(v), self.column(1).dot(v), self.column(2).dot(v))
    }

    #[inline(always)]
    fn column(&self, c: usize) -> DVec3 {
        let m = &self.0;
        DVec3::new(m[3 * c].into(), m[3 * c + 1].into(), m[3 * c + 2].into())
    }
}

/// (B + Bᵀ) / 2: the block itself, to the last bit, where it is symmetric.
pub(super) fn symmetric_part(block: &DMat3) -> DMat3 {
    0.5 * (*block + block.transpose())
}

/// The pivots of a symmetric block, eliminated in the order x, y, z: all positive if and only if it is definite.
pub(super) fn pivots(block: &DMat3) -> DVec3 {
    let (x, y, z) = (block.x_axis, block.y_axis, block.z_axis);
    let first = x.x;
    let second = y.y - x.y * x.y / first;
    let coupling = y.z - x.y * x.z / first;
    let third = z.z - x.z * x.z / first - coupling * coupling / second;
    DVec3::new(first, second, third)
}

/// Transposed cofactors over the determinant; not finite if the block is singular. Of a symmetric block the result is
/// symmetric to the last bit, which CG needs.
pub(super) fn inverse_of(block: &DMat3) -> DMat3 {
    let (a, b, c) = (block.x_axis, block.y_axis, block.z_axis);
    let bc = b.cross(c);
    let ca = c.cross(a);
    let ab = a.cross(b);
    let scale = 1.0 / a.dot(bc);
    DMat3::from_cols(bc * scale, ca * scale, ab * scale).transpose()
}

/// The inverse of a symmetric positive definite diagonal block, or an error.
pub(super) fn definite_inverse(block: &DMat3, row: usize) -> Result<DMat3, SolveError> {
    let pivots = pivots(block);
    let inverse = inverse_of(block);
    let row = Some(row);
    if !block.is_finite() {
        Err(SolveError::NonFinite)
    } else if pivots.cmpgt(DVec3::ZERO).all() && inverse.is_finite() {
        Ok(inverse)
    } else if pivots.cmplt(DVec3::ZERO).any() {
        Err(SolveError::Indefinite { row })
    } else {
        Err(SolveError::Singular { row })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: DMat3 = DMat3::from_cols_array(&[4.0, 1.0, 0.5, 1.0, 3.0, -0.25, 0.5, -0.25, 2.0]);

    #[test]
    fn packed_blocks_multiply_like_the_others() {
        let block = DMat3::from_cols_array(&[1.0, 2.0, 3.0, -4.0, 5.0, 0.5, 7.0, 0.25, 9.0]);
        let v = DVec3::new(0.5, -2.0, 3.0);
        assert_eq!(Packed::new(&block).times(v), block * v);
        assert_eq!(Packed::new(&block).transpose_times(v), block.transpose() * v);
    }

    #[test]
    fn pivots_multiply_to_the_determinant() {
        assert!((pivots(&BLOCK).element_product() - BLOCK.determinant()).abs() < 1e-13);
        assert!((definite_inverse(&BLOCK, 0).unwrap() * BLOCK - DMat3::IDENTITY).abs_diff_eq(DMat3::ZERO, 1e-15));
    }

    #[test]
    fn bad_blocks_are_named() {
        let of = |x, y, z| definite_inverse(&DMat3::from_diagonal(DVec3::new(x, y, z)), 7);
        assert_eq!(of(1.0, -1.0, 1.0), Err(SolveError::Indefinite { row: Some(7) }));
        assert_eq!(of(1.0, 0.0, 1.0), Err(SolveError::Singular { row: Some(7) }));
        assert_eq!(of(0.0, 0.0, 0.0), Err(SolveError::Singular { row: Some(7) }));
        assert_eq!(of(1.0, f64::NAN, 1.0), Err(SolveError::NonFinite));
    }
}
