//! faer's sparse Cholesky with its approximate minimum degree on blocks: what ours is compared with.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use glam::DVec3;
use pliant_linalg::{BlockCsr, Pattern};

pub struct FaerCholesky {
    old: Vec<u32>,
    columns: SymbolicSparseColMat<u32>,
    source: Vec<u32>,
    values: Vec<f64>,
    symbolic: SymbolicCholesky<u32>,
    side: Side,
    l: Vec<f64>,
    memory: MemBuffer,
    permuted: Vec<DVec3>,
}

impl FaerCholesky {
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.rows();
        let graph = SymbolicSparseColMatRef::new_checked(n, n, &pattern.row_start, None, &pattern.columns);
        let mut memory = MemBuffer::new(amd::order_scratch::<u32>(n, pattern.blocks()));
        let (mut old, mut new) = (vec![0; n], vec![0; n]);
        amd::order(&mut old, &mut new, graph, amd::Control::default(), MemStack::new(&mut memory)).unwrap();
        let (upper, upper_source) = triangle(pattern, &old, &new, false);
        let threshold = SupernodalThreshold(0.3);
        let params = CholeskySymbolicParams { supernodal_flop_ratio_threshold: threshold, ..Default::default() };
        let symbolic =
            factorize_symbolic_cholesky(upper.as_ref(), Side::Upper, SymmetricOrdering::Identity, params).unwrap();
        let (columns, source, side) = match symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(_) => (upper, upper_source, Side::Upper),
            SymbolicCholeskyRaw::Supernodal(_) => {
                let (lower, source) = triangle(pattern, &old, &new, true);
                (lower, source, Side::Lower)
            }
        };
        let need = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        Self {
            old,
            columns,
            values: vec![0.0; source.len()],
            source,
            side,
            l: vec![0.0; symbolic.len_val()],
            symbolic,
            memory: MemBuffer::new(need),
            permuted: vec![DVec3::ZERO; n],
        }
    }

    /// Whether the matrix is positive definite.
    pub fn factor(&mut self, a: &BlockCsr) -> bool {
        let from: &[f64] = bytemuck::cast_slice(&a.values);
        for (value, &source) in self.values.iter_mut().zip(&self.source) {
            *value = from[source as usize];
        }
        let matrix = SparseColMatRef::new(self.columns.as_ref(), &self.values[..]);
        let stack = MemStack::new(&mut self.memory);
        let (l, side) = (&mut self.l[..], self.side);
        self.symbolic
            .factorize_numeric_llt(l, matrix, side, Default::default(), Par::Seq, stack, Default::default())
            .is_ok()
    }

    pub fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        for (to, &old) in self.permuted.iter_mut().zip(&self.old) {
            *to = b[old as usize];
        }
        let scalars: &mut [f64] = bytemuck::cast_slice_mut(&mut self.permuted);
        let n = scalars.len();
        LltRef::new(&self.symbolic, &self.l[..]).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(scalars, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        for (from, &old) in self.permuted.iter().zip(&self.old) {
            x[old as usize] = *from;
        }
    }
}

fn triangle(pattern: &Pattern, old: &[u32], new: &[u32], lower: bool) -> (SymbolicSparseColMat<u32>, Vec<u32>) {
    let n = pattern.rows();
    let (mut start, mut rows, mut source) = (vec![0_u32], Vec::new(), Vec::new());
    let wanted = |row: usize, column: usize| if lower { row >= column } else { row <= column };
    for (column, &of) in old.iter().enumerate() {
        let of = pattern.row(of as usize);
        let mut blocks: Vec<(usize, usize)> = of.map(|p| (new[pattern.columns[p] as usize] as usize, p)).collect();
        blocks.sort_unstable();
        for c in 0..3 {
            for &(row, block) in &blocks {
                for r in 0..3 {
                    if wanted(3 * row + r, 3 * column + c) {
                        rows.push((3 * row + r) as u32);
                        source.push((9 * block + 3 * r + c) as u32);
                    }
                }
            }
            start.push(rows.len() as u32);
        }
    }
    (SymbolicSparseColMat::new_checked(3 * n, 3 * n, start, None, rows), source)
}
