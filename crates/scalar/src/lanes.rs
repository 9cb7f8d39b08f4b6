//! Elementary functions of several numbers side by side, with the bits of [`crate::math`]: the same operations in the same order, without
//! branches, so that the compiler uses the widest instructions.

use crate::math;

/// Bounds of the intervals of FreeBSD's `atan`, which `libm` uses; in each the argument is reduced about another point.
const BOUNDS: [f64; 4] = [0.4375, 0.6875, 1.1875, 2.4375];
/// Arctangents of these points, and their rounding errors.
const HIGH: [f64; 5] =
    [0.0, 4.636_476_090_008_061e-1, std::f64::consts::FRAC_PI_4, 9.827_937_232_473_29e-1, std::f64::consts::FRAC_PI_2];
const LOW: [f64; 5] = [
    0.0,
    2.269_877_745_296_168_7e-17,
    3.061_616_997_868_383e-17,
    1.390_331_103_123_099_8e-17,
    6.123_233_995_736_766e-17,
];
/// Coefficients of its polynomial.
const TERMS: [f64; 11] = [
    3.333_333_333_333_293e-1,
    -1.999_999_999_987_648_3e-1,
    1.428_571_427_250_346_6e-1,
    -1.111_111_040_546_235_6e-1,
    9.090_887_133_436_507e-2,
    -7.691_876_205_044_83e-2,
    6.661_073_137_387_531e-2,
    -5.833_570_133_790_573_5e-2,
    4.976_877_994_615_932_4e-2,
    -3.653_157_274_421_691_6e-2,
    1.628_582_011_536_578_2e-2,
];
/// Quotients from here on are left to the single function.
const STEEP: f64 = 1e15;

/// [`math::atan2`] of each pair.
#[inline(always)]
pub fn atan2<const L: usize>(y: [f64; L], x: [f64; L]) -> [f64; L] {
    let mut angle = [0.0; L];
    let mut is_plain = true;
    for lane in 0..L {
        let q = (y[lane] / x[lane]).abs();
        is_plain &= x[lane] > 0.0 && q < STEEP;
        let [a, b, c, d] = BOUNDS.map(|bound| q < bound);
        let pick = |first: f64, second: f64, third: f64, fourth: f64, fifth: f64| {
            let low = if a { first } else { second };
            let high = if c { third } else { fourth };
            let inner = if b { low } else { high };
            if d { inner } else { fifth }
        };
        let reduced = pick(q, 2.0 * q - 1.0, q - 1.0, q - 1.5, -1.0) / pick(1.0, 2.0 + q, q + 1.0, 1.0 + 1.5 * q, q);
        let z = reduced * reduced;
        let w = z * z;
        let t = &TERMS;
        let odd = z * (t[0] + w * (t[2] + w * (t[4] + w * (t[6] + w * (t[8] + w * t[10])))));
        let even = w * (t[1] + w * (t[3] + w * (t[5] + w * (t[7] + w * t[9]))));
        let high = pick(HIGH[0], HIGH[1], HIGH[2], HIGH[3], HIGH[4]);
        let low = pick(LOW[0], LOW[1], LOW[2], LOW[3], LOW[4]);
        angle[lane] = (high - (reduced * (odd + even) - low - reduced)).copysign(y[lane]);
    }
    if !is_plain {
        for lane in 0..L {
            angle[lane] = math::atan2(y[lane], x[lane]);
        }
    }
    angle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(y: f64, x: f64) {
        let [first, other] = atan2([y, 0.3], [x, 0.5]);
        assert_eq!(first.to_bits(), math::atan2(y, x).to_bits(), "{y} {x}");
        assert_eq!(other.to_bits(), math::atan2(0.3, 0.5).to_bits());
    }

    #[test]
    fn lanes_have_the_bits_of_the_single_function() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for k in 0..200_000 {
            let scale = [1.0, 1e-3, 1e-9, 1e-20, 1e3][k % 5];
            check(random() * scale, random());
            check(random(), random() * scale);
        }
    }

    #[test]
    fn bounds_zeros_and_what_is_not_finite() {
        let special = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, 1e300, 5e-324];
        let near = |bound: &f64| [bound.next_down(), *bound, bound.next_up()];
        let values: Vec<f64> = special.into_iter().chain(BOUNDS.iter().flat_map(near)).collect();
        for y in &values {
            for x in &values {
                check(*y, *x);
            }
            assert!(atan2([f64::NAN, *y], [*y, 1.0])[0].is_nan());
        }
    }
}
