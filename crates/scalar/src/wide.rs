//! Inner loops compiled three times: for the baseline of every build, and for processors with AVX2 and with AVX-512, selected at run time.
//!
//! Nothing is contracted to `mul_add` and no sum is reordered, so all give the same bits.

/// Calls `f` compiled for the widest instructions available. Functions that it calls must be inlined into it to benefit.
#[inline(always)]
pub fn widest<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
}
