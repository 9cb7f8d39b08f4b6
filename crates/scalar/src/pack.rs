//! Several numbers side by side, with the arithmetic of one: plain loops of known length, which the compiler turns into the widest
//! instructions of the machine it compiles for. Every lane has the bits that a single number would have; `mul_add` is not used.
//! Vectors of them have the operations of [`DVec3`], in its order and so with its bits.

use glam::DVec3;
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

    /// Absolute values.
    #[inline(always)]
    pub fn abs(self) -> Self {
        self.map(f64::abs)
    }

    /// The smaller ones.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.zip(other, f64::min)
    }

    /// The larger ones.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.zip(other, f64::max)
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

/// `L` vectors, coordinate by coordinate.
pub type Vector<const L: usize> = [Pack<L>; 3];

/// The same vector in all lanes.
#[inline(always)]
pub fn same<const L: usize>(value: DVec3) -> Vector<L> {
    [Pack::splat(value.x), Pack::splat(value.y), Pack::splat(value.z)]
}

/// `a + b`.
#[inline(always)]
pub fn plus<const L: usize>(a: &Vector<L>, b: &Vector<L>) -> Vector<L> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline(always)]
pub fn minus<const L: usize>(a: &Vector<L>, b: &Vector<L>) -> Vector<L> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a s`.
#[inline(always)]
pub fn times<const L: usize>(a: &Vector<L>, s: Pack<L>) -> Vector<L> {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// Quotients of coordinates.
#[inline(always)]
pub fn over<const L: usize>(a: &Vector<L>, b: &Vector<L>) -> Vector<L> {
    [a[0] / b[0], a[1] / b[1], a[2] / b[2]]
}

/// `a·b`.
#[inline(always)]
pub fn dot<const L: usize>(a: &Vector<L>, b: &Vector<L>) -> Pack<L> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a × b`.
#[inline(always)]
pub fn cross<const L: usize>(a: &Vector<L>, b: &Vector<L>) -> Vector<L> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `a` where the test of `x` holds, otherwise `b`.
#[inline(always)]
pub fn select<const L: usize>(x: Pack<L>, test: impl Fn(f64) -> bool, a: Pack<L>, b: Pack<L>) -> Pack<L> {
    let mut out = b;
    for lane in 0..L {
        out.0[lane] = if test(x.0[lane]) { a.0[lane] } else { b.0[lane] };
    }
    out
}

/// Writes one lane.
#[inline(always)]
pub fn put<const L: usize>(vector: &mut Vector<L>, lane: usize, value: DVec3) {
    (vector[0].0[lane], vector[1].0[lane], vector[2].0[lane]) = (value.x, value.y, value.z);
}

/// Reads one lane.
#[inline(always)]
pub fn at<const L: usize>(vector: &Vector<L>, lane: usize) -> DVec3 {
    DVec3::new(vector[0].0[lane], vector[1].0[lane], vector[2].0[lane])
}
