//! Inner loops compiled three times: for the baseline of every build, and for processors with AVX2 and with AVX-512, selected at run time.
//!
//! Nothing is contracted to `mul_add` and no sum is reordered, so all give the same bits. The environment variable `PLIANT_SIMD` leaves out the
//! wider ones, for comparison: `plain`, `avx2`.

use std::sync::OnceLock;

/// Sets of instructions, narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// Those of every processor of this architecture.
    Plain,
    /// 256 bits.
    Avx2,
    /// 512 bits.
    Avx512,
}

impl Instructions {
    /// Of a name in `PLIANT_SIMD`; all that there are for any other.
    fn named(name: &str) -> Self {
        match name {
            "plain" => Self::Plain,
            "avx2" => Self::Avx2,
            _ => Self::Avx512,
        }
    }
}

/// The widest instructions that may be used, whether or not this machine has them.
pub fn allowed() -> Instructions {
    static ALLOWED: OnceLock<Instructions> = OnceLock::new();
    *ALLOWED
        .get_or_init(|| std::env::var("PLIANT_SIMD").map_or(Instructions::Avx512, |name| Instructions::named(&name)))
}

/// Calls `f` compiled for the widest instructions available. Functions that it calls must be inlined into it to benefit.
#[inline(always)]
pub fn widest<R>(f: impl FnOnce() -> R) -> R {
    match allowed() {
        Instructions::Avx512 => pulp::Arch::new().dispatch(f),
        narrower => narrowed(narrower, f),
    }
}

/// Apart, so that the usual way is short.
#[cold]
#[inline(never)]
fn narrowed<R>(most: Instructions, f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let (Instructions::Avx2, Some(simd)) = (most, pulp::x86::V3::try_new()) {
        return simd.vectorize(f);
    }
    let _ = most;
    f()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_leave_out_wider_instructions() {
        assert_eq!(
            ["plain", "avx2", "avx512", ""].map(Instructions::named),
            [Instructions::Plain, Instructions::Avx2, Instructions::Avx512, Instructions::Avx512]
        );
        assert!(Instructions::Plain < Instructions::Avx2 && Instructions::Avx2 < Instructions::Avx512);
    }
}
