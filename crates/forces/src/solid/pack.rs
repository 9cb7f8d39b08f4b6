//! Several numbers side by side, with the arithmetic of one: plain loops of known length, which the compiler turns into the widest
//! instructions of the machine it compiles for. Every lane has the bits that a single number would have; `mul_add` is not used.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `L` numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pack<const L: usize>(pub [f64; L]);

impl<const L: usize> Pack<L> {
    /// The same number in all lanes.
    #[inline(always)]
    pub fn splat(value: f64) -> Self {
        Self([value; L])
    }

    /// Square roots.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    /// A function of every lane.
    #[inline(always)]
    pub fn map(mut self, f: impl Fn(f64) -> f64) -> Self {
        self.0.iter_mut().for_each(|value| *value = f(*value));
        self
    }

    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a = f(*a, b));
        self
    }
}

impl<const L: usize> Add for Pack<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const L: usize> Sub for Pack<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const L: usize> Mul for Pack<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl<const L: usize> Div for Pack<L> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
}

impl<const L: usize> Neg for Pack<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

impl<const L: usize> Mul<Pack<L>> for f64 {
    type Output = Pack<L>;
    #[inline(always)]
    fn mul(self, pack: Pack<L>) -> Pack<L> {
        pack.map(|a| self * a)
    }
}
