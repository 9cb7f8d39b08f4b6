//! Elementary functions with the same bits on every machine: those of `libm`, written in Rust, in place of the C library's, which differ between
//! systems and versions. Square roots, absolute values, rounding and `mul_add` are exact everywhere and stay those of `f64`.
//!
//! glam's feature `libm` is not used: it would replace its square roots as well, by calls. What glam computes with angles stands here instead.

use glam::{DQuat, DVec2, DVec3};

/// Makes functions of one number.
macro_rules! functions {
    ($($(#[$text:meta])* $name:ident = $libm:ident;)*) => {
        $(
            $(#[$text])*
            #[inline]
            pub fn $name(x: f64) -> f64 {
                libm::$libm(x)
            }
        )*
    };
}

functions! {
    /// Sine of an angle, rad.
    sin = sin;
    /// Cosine of an angle, rad.
    cos = cos;
    /// Tangent of an angle, rad.
    tan = tan;
    /// The angle between 0 and π with this cosine, rad.
    acos = acos;
    /// The angle between -π/2 and π/2 with this tangent, rad.
    atan = atan;
    /// `e^x - 1`, accurate near zero.
    exp_m1 = expm1;
    /// The natural logarithm.
    ln = log;
    /// `ln (1 + x)`, accurate near zero.
    ln_1p = log1p;
    /// The cube root.
    cbrt = cbrt;
}

/// `(sin x, cos x)`.
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// The angle of the point (x, y) from the x axis, between -π and π, rad.
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// `x^y`.
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// `√(x² + y²)` without overflow.
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// The rotation by an angle, rad, about an axis of length 1.
pub fn axis_angle(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = sin_cos(0.5 * angle);
    DQuat::from_vec4((axis * sin).extend(cos))
}

/// The angle between two vectors, between 0 and π, rad.
pub fn angle_between(a: DVec3, b: DVec3) -> f64 {
    acos(cosine_between(a, b))
}

/// The cosine of [`angle_between`]: cheaper where angles are only compared.
pub fn cosine_between(a: DVec3, b: DVec3) -> f64 {
    (a.dot(b) / (a.length_squared() * b.length_squared()).sqrt()).clamp(-1.0, 1.0)
}

/// The vector of length 1 at an angle from the x axis, rad.
pub fn direction(angle: f64) -> DVec2 {
    let (sin, cos) = sin_cos(angle);
    DVec2::new(cos, sin)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums over many arguments, as seen on one machine: another bit anywhere is a fault.
    #[test]
    fn bits_are_the_same_everywhere() {
        let arguments = || (1..2000).map(|k| 0.01 * f64::from(k));
        let sums: [(&str, f64, u64); 10] = [
            ("sin", arguments().map(sin).sum(), 0x404d_5e0e_d76e_74c6),
            ("cos", arguments().map(cos).sum(), 0x4056_a5be_0699_3391),
            ("tan", arguments().map(tan).sum(), 0x4085_51c5_3580_f477),
            ("acos", arguments().map(|x| acos(0.05 * x)).sum(), 0x409f_3cd5_102d_cb4f),
            ("atan2", arguments().map(|x| atan2(1.0 - x, x)).sum(), 0xc093_5625_47af_bcc9),
            ("exp_m1", arguments().map(|x| exp_m1(-x)).sum(), 0xc09d_adff_2599_f0f3),
            ("ln", arguments().map(ln).sum(), 0x40af_3260_61d0_778b),
            ("ln_1p", arguments().map(ln_1p).sum(), 0x40b1_27f9_5c48_095e),
            ("cbrt", arguments().map(cbrt).sum(), 0x40af_cc6b_43d9_d1e5),
            ("pow", arguments().map(|x| pow(x, 0.175)).sum(), 0x40a6_7471_0e41_ce51),
        ];
        for (name, sum, bits) in sums {
            assert_eq!(sum.to_bits(), bits, "{name}: {sum:?} has the bits {:#018x}", sum.to_bits());
        }
    }

    #[test]
    fn functions_agree_with_those_of_the_system() {
        for k in -4000..4000 {
            let x = f64::from(k) * 0.037;
            let (s, c) = sin_cos(x);
            assert!((s - x.sin()).abs() < 1e-15 && (c - x.cos()).abs() < 1e-15, "{x}");
            assert!((sin(x) - s).abs() < 1e-15 && (cos(x) - c).abs() < 1e-15, "{x}");
            assert!((atan2(x, 2.0) - x.atan2(2.0)).abs() < 1e-15, "{x}");
        }
        assert!((tan(0.3) - 0.3_f64.tan()).abs() < 1e-15);
    }

    #[test]
    fn rotations_are_those_of_glam() {
        let axis = DVec3::new(0.6, 0.0, 0.8);
        for k in -20..20 {
            let angle = 0.31 * f64::from(k);
            let (a, b) = (axis_angle(axis, angle), DQuat::from_axis_angle(axis, angle));
            assert!((a - b).length() < 1e-15, "{angle}");
            assert!((direction(angle) - DVec2::from_angle(angle)).length() < 1e-15, "{angle}");
        }
        let (a, b) = (DVec3::new(1.0, 2.0, -0.5), DVec3::new(-0.3, 0.4, 2.0));
        assert!((angle_between(a, b) - a.angle_between(b)).abs() < 1e-15);
        assert_eq!(angle_between(a, a), 0.0);
    }

    #[test]
    fn absurd_angles_do_no_harm() {
        assert!(sin_cos(f64::INFINITY).0.is_nan());
        assert!(sin_cos(1e300).0.abs() <= 1.0);
    }
}
