//! Work on the rows of a block matrix in parallel: every row owns its values, so any split gives the same bits.

use std::ops::Range;

use glam::DMat3;
use pliant_linalg::pattern::Pattern;
use pliant_parallel::PIECE;

/// Calls `f(row, offset, a, b)` for every row of `rows`. `a` and `b` are value arrays that begin with the first value of the first
/// row (`b` may be empty); inside `f`, the value at position `p` of the matrix is `a[p - offset]`.
pub fn for_each_row<F>(pattern: &Pattern, rows: Range<usize>, a: &mut [DMat3], b: &mut [DMat3], f: &F)
where
    F: Fn(usize, usize, &mut [DMat3], &mut [DMat3]) + Sync,
{
    if rows.is_empty() {
        return;
    }
    let offset = pattern.row_start[rows.start] as usize;
    if rows.len() <= PIECE || pliant_parallel::threads() == 1 {
        for row in rows {
            f(row, offset, a, b);
        }
        return;
    }
    let middle = rows.start + rows.len() / 2;
    let split = pattern.row_start[middle] as usize - offset;
    let (a_low, a_high) = a.split_at_mut(split);
    let (b_low, b_high) = if b.is_empty() { (&mut [][..], &mut [][..]) } else { b.split_at_mut(split) };
    rayon::join(
        || for_each_row(pattern, rows.start..middle, a_low, b_low, f),
        || for_each_row(pattern, middle..rows.end, a_high, b_high, f),
    );
}
