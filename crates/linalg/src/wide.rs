//! Inner loops compiled twice: for the processors that every build must run on, and for those with AVX2, chosen when the program runs.
//!
//! Nothing is contracted to `mul_add` and no sum is reordered, so both give the same bits.

/// Calls `f` compiled for the widest instructions there are. Whatever it calls must be inlined into it, else it stays as it is.
#[inline(always)]
pub fn widest<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
}
