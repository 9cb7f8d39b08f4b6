//! From blocks to the scalar columns that faer works on.

use crate::block_csr::BlockCsr;
use crate::pattern::Pattern;
use faer::sparse::{FaerError, SparseColMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef};

/// A matrix in compressed scalar columns, and where each entry comes from.
pub(super) struct Columns {
    symbolic: SymbolicSparseColMat<u32>,
    /// Position of each entry among the scalars of `BlockCsr::values`.
    source: Vec<u32>,
    values: Vec<f64>,
}

impl Columns {
    /// The whole matrix in its own order.
    pub fn full(pattern: &Pattern) -> Result<Self, FaerError> {
        Self::build(pattern, |column, put| {
            for c in 0..3 {
                for &row in &pattern.columns[pattern.row(column)] {
                    let block = pattern.find(row as usize, column);
                    let block = block.expect("a pattern is symmetric");
                    for r in 0..3 {
                        put(c, 3 * row as usize + r, 9 * block + 3 * c + r);
                    }
                }
            }
        })
    }

    /// `list(column, put)` calls `put(c, row, source)` for the entries of scalar column `3 column + c`, in order.
    fn build(
        pattern: &Pattern,
        mut list: impl FnMut(usize, &mut dyn FnMut(usize, usize, usize)),
    ) -> Result<Self, FaerError> {
        let n = 3 * pattern.rows();
        if i32::try_from(9 * pattern.blocks()).is_err() {
            return Err(FaerError::IndexOverflow);
        }
        let mut start = vec![0u32; n + 1];
        let (mut rows, mut source) = (Vec::new(), Vec::new());
        for column in 0..pattern.rows() {
            list(column, &mut |c, row, from| {
                rows.push(row as u32);
                source.push(from as u32);
                start[3 * column + c + 1] = rows.len() as u32;
            });
        }
        let values = vec![0.0; rows.len()];
        let symbolic = SymbolicSparseColMat::new_checked(n, n, start, None, rows);
        Ok(Self { symbolic, source, values })
    }

    /// The pattern alone.
    pub fn symbolic(&self) -> SymbolicSparseColMatRef<'_, u32> {
        self.symbolic.as_ref()
    }

    /// Copies the values of `a`.
    pub fn load(&mut self, a: &BlockCsr) -> SparseColMatRef<'_, u32, f64> {
        let from: &[f64] = bytemuck::cast_slice(&a.values);
        for (value, &source) in self.values.iter_mut().zip(&self.source) {
            *value = from[source as usize];
        }
        SparseColMatRef::new(self.symbolic.as_ref(), &self.values)
    }
}
