//! SIMD of four numbers, written once for plain arrays and once for AVX2: the compiler uses only two lanes where four are gathered from memory.
//!
//! Nothing is contracted to `mul_add`, so both give the same bits. Which of them runs is chosen by [`on_widest`].

use std::ops::{Add, Div, Mul, Sub};

#[cfg(target_arch = "x86_64")]
use pliant_scalar::wide::{Instructions, allowed};

/// Arithmetic on a number, or on several lanes.
pub(crate) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// A constant in all lanes.
    fn constant(self, value: f64) -> Self;
    fn sqrt(self) -> Self;
    /// The larger one; `low` where this is NaN.
    fn at_least(self, low: f64) -> Self;
    /// The smaller one; `high` where this is NaN.
    fn at_most(self, high: f64) -> Self;
    /// Lane-wise maximum; that of `other` where either is NaN.
    fn larger(self, other: Self) -> Self;
    /// Lane-wise minimum; that of `other` where either is NaN.
    fn smaller(self, other: Self) -> Self;
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
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
}

/// An instruction set for four lanes.
pub(crate) trait Machine: Copy + Send + Sync {
    type Four: Number;
    fn splat(self, value: f64) -> Self::Four;
    /// Loads four contiguous numbers.
    fn load(self, numbers: &[f64; 4]) -> Self::Four;
    /// Transposes four rows.
    fn turned(self, rows: [&[f64; 4]; 4]) -> [Self::Four; 4];
    fn lanes(self, four: Self::Four) -> [f64; 4];
    /// A bit for every lane that is below a limit; zero for NaN.
    fn below(self, four: Self::Four, limit: f64) -> u32;
    /// Compacts the entries with set bits to the front; the rest is unspecified.
    fn packed(self, entries: [u32; 4], bits: u32) -> [u32; 4];
    /// A bit for every one of eight points closer to a point than the root of `square`.
    fn near(self, own: [f32; 3], others: [&[f32; 8]; 3], square: f32) -> u32;
    /// [`Machine::packed`] for eight.
    fn packed_eight(self, entries: &[u32; 8], bits: u32) -> [u32; 8];

    /// The sum of all lanes, always in the same order.
    #[inline(always)]
    fn total(self, four: Self::Four) -> f64 {
        let [a, b, c, d] = self.lanes(four);
        (a + c) + (b + d)
    }
}

/// Permutation that compacts the entries with set bits to the front, for every set of bits.
const fn packings<const N: usize, const SETS: usize>() -> [[u32; N]; SETS] {
    let mut table = [[0; N]; SETS];
    let mut bits = 0;
    while bits < SETS {
        let (mut lane, mut at) = (0, 0);
        while lane < N {
            if bits >> lane & 1 == 1 {
                table[bits][at] = lane as u32;
                at += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    table
}

static PACKINGS: [[u32; 4]; 16] = packings();
static PACKINGS_OF_EIGHT: [[u32; 8]; 256] = packings();

/// Work that is generic over the instruction set.
pub(crate) trait Work {
    fn run<M: Machine>(self, machine: M);
}

#[cfg(test)]
thread_local! {
    /// Makes [`on_widest`] use arrays on this thread, for comparison.
    pub(crate) static NARROW: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs some work on the widest instruction set of the machine.
#[inline(always)]
pub(crate) fn on_widest(work: impl Work) {
    #[cfg(test)]
    if NARROW.get() {
        return work.run(Plain);
    }
    #[cfg(target_arch = "x86_64")]
    if let (true, Some(simd)) = (allowed() > Instructions::Plain, pulp::x86::V3::try_new()) {
        simd.vectorize(
            #[inline(always)]
            || work.run(wide::Avx(simd)),
        );
        return;
    }
    work.run(Plain);
}

/// Plain arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Array([f64; 4]);

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
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.with(other, f64::larger)
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.with(other, f64::smaller)
    }
}

impl Machine for Plain {
    type Four = Array;
    #[inline(always)]
    fn splat(self, value: f64) -> Array {
        Array([value; 4])
    }
    #[inline(always)]
    fn load(self, numbers: &[f64; 4]) -> Array {
        Array(*numbers)
    }
    #[inline(always)]
    fn turned(self, rows: [&[f64; 4]; 4]) -> [Array; 4] {
        std::array::from_fn(|column| Array(rows.map(|row| row[column])))
    }
    #[inline(always)]
    fn lanes(self, four: Array) -> [f64; 4] {
        four.0
    }
    #[inline(always)]
    fn below(self, four: Array, limit: f64) -> u32 {
        (0..4).fold(0, |bits, lane| bits | u32::from(four.0[lane] < limit) << lane)
    }
    #[inline(always)]
    fn packed(self, entries: [u32; 4], bits: u32) -> [u32; 4] {
        PACKINGS[bits as usize & 15].map(|lane| entries[lane as usize & 3])
    }
    #[inline(always)]
    fn near(self, own: [f32; 3], others: [&[f32; 8]; 3], square: f32) -> u32 {
        (0..8).fold(0, |bits, lane| {
            let [x, y, z] = [0, 1, 2].map(|axis| own[axis] - others[axis][lane]);
            bits | u32::from(x * x + y * y + z * z < square) << lane
        })
    }
    #[inline(always)]
    fn packed_eight(self, entries: &[u32; 8], bits: u32) -> [u32; 8] {
        PACKINGS_OF_EIGHT[bits as usize & 255].map(|lane| entries[lane as usize & 7])
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Add, Div, Machine, Mul, Number, PACKINGS, PACKINGS_OF_EIGHT, Sub};
    use pulp::x86::V3;
    use std::arch::x86_64::{__m128, __m128i, __m256, __m256d, __m256i, _CMP_LT_OQ};

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
            // the second operand where either is NaN
            Self(self.0, self.0.avx._mm256_max_pd(self.1, low))
        }
        #[inline(always)]
        fn at_most(self, high: f64) -> Self {
            let high = self.0.avx._mm256_set1_pd(high);
            Self(self.0, self.0.avx._mm256_min_pd(self.1, high))
        }
        #[inline(always)]
        fn larger(self, other: Self) -> Self {
            Self(self.0, self.0.avx._mm256_max_pd(self.1, other.1))
        }
        #[inline(always)]
        fn smaller(self, other: Self) -> Self {
            Self(self.0, self.0.avx._mm256_min_pd(self.1, other.1))
        }
    }

    impl Machine for Avx {
        type Four = Register;
        #[inline(always)]
        fn splat(self, value: f64) -> Register {
            Register(self.0, self.0.avx._mm256_set1_pd(value))
        }
        #[inline(always)]
        fn load(self, numbers: &[f64; 4]) -> Register {
            Register(self.0, pulp::cast(*numbers))
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
        #[inline(always)]
        fn below(self, four: Register, limit: f64) -> u32 {
            let avx = self.0.avx;
            avx._mm256_movemask_pd(avx._mm256_cmp_pd::<_CMP_LT_OQ>(four.1, avx._mm256_set1_pd(limit))) as u32
        }
        #[inline(always)]
        fn packed(self, entries: [u32; 4], bits: u32) -> [u32; 4] {
            let (entries, order) = (pulp::cast::<_, __m128>(entries), PACKINGS[bits as usize & 15]);
            pulp::cast(self.0.avx._mm_permutevar_ps(entries, pulp::cast::<_, __m128i>(order)))
        }
        #[inline(always)]
        fn near(self, own: [f32; 3], others: [&[f32; 8]; 3], square: f32) -> u32 {
            let avx = self.0.avx;
            let apart = |axis: usize| {
                let other = pulp::cast::<[f32; 8], __m256>(*others[axis]);
                let difference = avx._mm256_sub_ps(avx._mm256_set1_ps(own[axis]), other);
                avx._mm256_mul_ps(difference, difference)
            };
            let sum = avx._mm256_add_ps(avx._mm256_add_ps(apart(0), apart(1)), apart(2));
            avx._mm256_movemask_ps(avx._mm256_cmp_ps::<_CMP_LT_OQ>(sum, avx._mm256_set1_ps(square))) as u32
        }
        #[inline(always)]
        fn packed_eight(self, entries: &[u32; 8], bits: u32) -> [u32; 8] {
            let (entries, order) = (pulp::cast::<_, __m256i>(*entries), PACKINGS_OF_EIGHT[bits as usize & 255]);
            pulp::cast(self.0.avx2._mm256_permutevar8x32_epi32(entries, pulp::cast(order)))
        }
    }
}
