//! Four numbers at once, written once for plain arrays and once for AVX2: the compiler keeps to two where four are gathered from memory.
//!
//! Nothing is contracted to `mul_add`, so both give the same bits. Which of them runs is chosen by [`on_widest`].

use std::ops::{Add, Div, Mul, Sub};

/// What formulas need of a number, or of several.
pub(super) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// A constant in all lanes.
    fn constant(self, value: f64) -> Self;
    fn sqrt(self) -> Self;
    /// The larger one; `low` where this is no number.
    fn at_least(self, low: f64) -> Self;
    /// The smaller one; `high` where this is no number.
    fn at_most(self, high: f64) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn at_least(self, low: f64) -> Self {
        if self > low { self } else { low }
    }
    #[inline(always)]
    fn at_most(self, high: f64) -> Self {
        if self < high { self } else { high }
    }
}

/// Where four numbers are worked on.
pub(super) trait Machine: Copy + Send + Sync {
    type Four: Number;
    fn splat(self, value: f64) -> Self::Four;
    /// Rows as columns.
    fn turned(self, rows: [&[f64; 4]; 4]) -> [Self::Four; 4];
    fn lanes(self, four: Self::Four) -> [f64; 4];

    /// The sum of all lanes, always in the same order.
    #[inline(always)]
    fn total(self, four: Self::Four) -> f64 {
        let [a, b, c, d] = self.lanes(four);
        (a + c) + (b + d)
    }
}

/// Work that runs on any of them.
pub(super) trait Work {
    fn run<M: Machine>(self, machine: M);
}

/// Does some work on the widest machine there is.
#[inline(always)]
pub(super) fn on_widest(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        simd.vectorize(
            #[inline(always)]
            || work.run(wide::Avx(simd)),
        );
        return;
    }
    work.run(Plain);
}

/// Arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain;

#[derive(Clone, Copy, Debug)]
pub(super) struct Array([f64; 4]);

impl Array {
    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self.0, other.0);
        Self(std::array::from_fn(|lane| f(a[lane], b[lane])))
    }
}

macro_rules! array_operators {
    ($($operator:ident $name:ident $symbol:tt),*) => {$(
        impl $operator for Array {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                self.with(other, |a, b| a $symbol b)
            }
        }
    )*};
}
array_operators!(Add add +, Sub sub -, Mul mul *, Div div /);

impl Number for Array {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        Self([value; 4])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn at_least(self, low: f64) -> Self {
        Self(self.0.map(|value| value.at_least(low)))
    }
    #[inline(always)]
    fn at_most(self, high: f64) -> Self {
        Self(self.0.map(|value| value.at_most(high)))
    }
}

impl Machine for Plain {
    type Four = Array;
    #[inline(always)]
    fn splat(self, value: f64) -> Array {
        Array([value; 4])
    }
    #[inline(always)]
    fn turned(self, rows: [&[f64; 4]; 4]) -> [Array; 4] {
        std::array::from_fn(|column| Array(rows.map(|row| row[column])))
    }
    #[inline(always)]
    fn lanes(self, four: Array) -> [f64; 4] {
        four.0
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Add, Div, Machine, Mul, Number, Sub};
    use pulp::x86::V3;
    use std::arch::x86_64::__m256d;

    #[derive(Clone, Copy, Debug)]
    pub struct Avx(pub V3);

    #[derive(Clone, Copy, Debug)]
    pub struct Register(V3, __m256d);

    macro_rules! register_operators {
        ($($operator:ident $name:ident $instruction:ident),*) => {$(
            impl $operator for Register {
                type Output = Self;
                #[inline(always)]
                fn $name(self, other: Self) -> Self {
                    Self(self.0, self.0.avx.$instruction(self.1, other.1))
                }
            }
        )*};
    }
    register_operators!(Add add _mm256_add_pd, Sub sub _mm256_sub_pd, Mul mul _mm256_mul_pd, Div div _mm256_div_pd);

    impl Number for Register {
        #[inline(always)]
        fn constant(self, value: f64) -> Self {
            Self(self.0, self.0.avx._mm256_set1_pd(value))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(self.0, self.0.avx._mm256_sqrt_pd(self.1))
        }
        #[inline(always)]
        fn at_least(self, low: f64) -> Self {
            let low = self.0.avx._mm256_set1_pd(low);
            // the second one where either is no number
            Self(self.0, self.0.avx._mm256_max_pd(self.1, low))
        }
        #[inline(always)]
        fn at_most(self, high: f64) -> Self {
            let high = self.0.avx._mm256_set1_pd(high);
            Self(self.0, self.0.avx._mm256_min_pd(self.1, high))
        }
    }

    impl Machine for Avx {
        type Four = Register;
        #[inline(always)]
        fn splat(self, value: f64) -> Register {
            Register(self.0, self.0.avx._mm256_set1_pd(value))
        }
        #[inline(always)]
        fn turned(self, rows: [&[f64; 4]; 4]) -> [Register; 4] {
            let avx = self.0.avx;
            let [a, b, c, d] = rows.map(|row| pulp::cast::<[f64; 4], __m256d>(*row));
            let (ab, cd) = (avx._mm256_unpacklo_pd(a, b), avx._mm256_unpacklo_pd(c, d));
            let (ef, gh) = (avx._mm256_unpackhi_pd(a, b), avx._mm256_unpackhi_pd(c, d));
            let columns = [
                avx._mm256_permute2f128_pd::<0x20>(ab, cd),
                avx._mm256_permute2f128_pd::<0x20>(ef, gh),
                avx._mm256_permute2f128_pd::<0x31>(ab, cd),
                avx._mm256_permute2f128_pd::<0x31>(ef, gh),
            ];
            columns.map(|column| Register(self.0, column))
        }
        #[inline(always)]
        fn lanes(self, four: Register) -> [f64; 4] {
            pulp::cast(four.1)
        }
    }
}
