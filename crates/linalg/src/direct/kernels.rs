//! The dense kernels of a front: products of strips, elimination of a panel, triangles.
//!
//! Vectors run over the eight rows of a strip, and every entry is a sum over the columns in their order: products first summed from zero, then subtracted.
//! No sum runs across a vector, and nothing is contracted to a fused multiply-add. So the bits are the same for any instruction set, for any size of the
//! tiles that are held in registers, and for any distribution of tiles over threads.

use super::fronts::STRIP;
use pliant_scalar::wide::{Instructions, allowed};
use pulp::{Scalar512b, Simd};

/// An instruction set.
#[derive(Clone, Copy, Debug)]
pub(super) enum Level {
    /// Whatever every processor of this architecture has.
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3_512b),
    #[cfg(target_arch = "x86_64")]
    Avx512(pulp::x86::V4),
}

impl Level {
    /// The widest one of this machine that may be used.
    pub fn widest() -> Self {
        let mut levels = Self::all().into_iter().filter(|level| level.instructions() <= allowed());
        levels.next_back().unwrap_or(Self::Plain)
    }

    fn instructions(self) -> Instructions {
        match self {
            Self::Plain => Instructions::Plain,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Instructions::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Instructions::Avx512,
        }
    }

    /// All that this machine has.
    pub fn all() -> Vec<Self> {
        std::iter::once(Self::Plain).chain(Self::wider().into_iter().flatten()).collect()
    }

    #[cfg(target_arch = "x86_64")]
    fn wider() -> [Option<Self>; 2] {
        let avx2 = pulp::x86::V3::try_new().map(|simd| Self::Avx2(pulp::x86::V3_512b(simd)));
        [avx2, pulp::x86::V4::try_new().map(Self::Avx512)]
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn wider() -> [Option<Self>; 2] {
        [None, None]
    }

    /// Runs some work on it.
    #[inline(always)]
    pub fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            Self::Plain => work.run(Scalar512b),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => simd.0.vectorize(
                #[inline(always)]
                || work.run(simd),
            ),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => simd.vectorize(
                #[inline(always)]
                || work.run(simd),
            ),
        }
    }
}

/// Work written for vectors of eight numbers.
pub(super) trait Work {
    type Output;

    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// The strip of a panel or vector as vectors.
#[inline(always)]
pub(super) fn vectors<S: Simd>(numbers: &[f64]) -> &[S::f64s] {
    S::as_simd_f64s(numbers).0
}

#[inline(always)]
pub(super) fn vectors_mut<S: Simd>(numbers: &mut [f64]) -> &mut [S::f64s] {
    S::as_mut_simd_f64s(numbers).0
}

/// Sums over the columns of R strips and the rows `start..start + N` of another: Σ_q a_q b_q(start + n).
#[inline(always)]
fn products<S: Simd, const R: usize, const N: usize>(
    simd: S,
    a: [&[S::f64s]; R],
    b: &[[f64; STRIP]],
    start: usize,
) -> [[S::f64s; N]; R] {
    let mut sums = [[simd.splat_f64s(0.0); N]; R];
    let a = a.map(|a| &a[..b.len()]);
    for (q, b) in b.iter().enumerate() {
        for n in 0..N {
            let factor = simd.splat_f64s(b[start + n]);
            for r in 0..R {
                sums[r][n] = simd.add_f64s(sums[r][n], simd.mul_f64s(a[r][q], factor));
            }
        }
    }
    sums
}

/// Strips of a tile that is held in registers, at most.
pub(super) const MOST_STRIPS: usize = 3;

/// Strips of a tile for an instruction set: the registers of AVX-512 hold three by eight columns, others one by four.
#[inline(always)]
pub(super) fn strips_of_a_tile<S: Simd>() -> usize {
    if S::REGISTER_COUNT >= 32 { MOST_STRIPS } else { 1 }
}

/// Subtracts the products of R strips with the earlier columns of strip `b` from up to eight of their columns: those in `tiles`.
#[inline(always)]
pub(super) fn subtract_products<S: Simd, const R: usize>(
    simd: S,
    before: [&[S::f64s]; R],
    b: &[[f64; STRIP]],
    tiles: &mut [&mut [S::f64s]; R],
) {
    if b.is_empty() {
        return;
    }
    let width = tiles[0].len();
    if strips_of_a_tile::<S>() > 1 && width > 4 {
        subtract(simd, &products::<S, R, 8>(simd, before, b, 0), tiles, 0);
    } else {
        subtract(simd, &products::<S, R, 4>(simd, before, b, 0), tiles, 0);
        if width > 4 {
            subtract(simd, &products::<S, R, 4>(simd, before, b, 4), tiles, 4);
        }
    }
}

#[inline(always)]
fn subtract<S: Simd, const R: usize, const N: usize>(
    simd: S,
    sums: &[[S::f64s; N]; R],
    tiles: &mut [&mut [S::f64s]; R],
    start: usize,
) {
    for (tile, sums) in tiles.iter_mut().zip(sums) {
        for (column, sum) in tile[start..].iter_mut().zip(sums) {
            *column = simd.sub_f64s(*column, *sum);
        }
    }
}

/// L of up to eight columns of a strip of pivot rows: Cholesky's factor, with reciprocals on the diagonal. The column of a pivot that is not positive.
#[inline(always)]
pub(super) fn triangle<S: Simd>(simd: S, tile: &mut [[f64; STRIP]]) -> Result<(), usize> {
    for c in 0..tile.len() {
        let pivot = tile[c][c];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(c);
        }
        let scale = 1.0 / pivot.sqrt();
        let (head, tail) = tile.split_at_mut(c + 1);
        let column = &mut head[c];
        column.iter_mut().for_each(|value| *value *= scale);
        column[c] = scale;
        let below: S::f64s = pulp::cast(*column);
        for (later, j) in tail.iter_mut().zip(c + 1..) {
            let product = simd.mul_f64s(below, simd.splat_f64s(column[j]));
            *later = pulp::cast(simd.sub_f64s(pulp::cast::<[f64; STRIP], S::f64s>(*later), product));
        }
    }
    Ok(())
}

/// Solves X Lᵀ = T for up to eight columns of R strips below the triangle.
#[inline(always)]
pub(super) fn solve_tiles<S: Simd, const R: usize>(
    simd: S,
    triangle: &[[f64; STRIP]],
    tiles: &mut [&mut [S::f64s]; R],
) {
    for c in 0..tiles[0].len() {
        let scale = simd.splat_f64s(triangle[c][c]);
        for tile in tiles.iter_mut() {
            let (head, tail) = tile.split_at_mut(c + 1);
            let solved = simd.mul_f64s(head[c], scale);
            head[c] = solved;
            for (later, j) in tail.iter_mut().zip(c + 1..) {
                let product = simd.mul_f64s(solved, simd.splat_f64s(triangle[c][j]));
                *later = simd.sub_f64s(*later, product);
            }
        }
    }
}

/// −Σ of the products of R strips with another one: eight columns of an update at distance `side`.
#[inline(always)]
pub(super) fn write_update<S: Simd, const R: usize>(
    simd: S,
    a: [&[S::f64s]; R],
    b: &[[f64; STRIP]],
    columns: &mut [f64],
    side: usize,
    row: usize,
) {
    if strips_of_a_tile::<S>() > 1 {
        write(simd, &products::<S, R, 8>(simd, a, b, 0), columns, side, row);
    } else {
        write(simd, &products::<S, R, 4>(simd, a, b, 0), columns, side, row);
        write(simd, &products::<S, R, 4>(simd, a, b, 4), &mut columns[4 * side..], side, row);
    }
}

#[inline(always)]
fn write<S: Simd, const R: usize, const N: usize>(
    simd: S,
    sums: &[[S::f64s; N]; R],
    columns: &mut [f64],
    side: usize,
    row: usize,
) {
    let zero = simd.splat_f64s(0.0);
    for n in 0..N {
        let to = vectors_mut::<S>(&mut columns[n * side + row..][..R * STRIP]);
        for r in 0..R {
            to[r] = simd.sub_f64s(zero, sums[r][n]);
        }
    }
}
