//! The contact barrier on a gap g below a thickness t: with r = g/t, `E = κ t² (1/r - 3 + 3r - r²) = κ t² (1 - r)³/r`, infinite at g = 0 and with
//! two continuous derivatives at g = t, so that contacts open and close without a jump.
//!
//! Departures from [Incremental]. Its `-(g - t)² ln(g/t)` grows so slowly that an impact at twenty times the usual speed is not stopped before the
//! gap is e^-200 of the thickness; this barrier stops it at a 400th. And κ is not adapted from step to step, which would make the force
//! history-dependent: it is `m (speed/t)²`, so that a particle of mass m that arrives with `speed` is stopped about half-way through the thickness.

/// Lower clamp of r, below which the force no longer grows: states there are rejected anyway, and their forces must stay finite.
const FLOOR: f64 = 1e-7;

/// Energy and its first and second derivative by the gap, for κ = 1: m², m, 1. Zero for gaps beyond the thickness.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Barrier {
    /// J for κ = 1 N/m; infinite where the gap is not positive.
    pub energy: f64,
    /// N for κ = 1 N/m; never positive.
    pub slope: f64,
    /// N/m for κ = 1 N/m; never negative.
    pub curvature: f64,
}

/// The barrier at a gap; it and the thickness in m.
pub fn barrier(gap: f64, thickness: f64) -> Barrier {
    if gap >= thickness {
        return Barrier::default();
    }
    let r = (gap / thickness).max(FLOOR);
    let energy = if gap > 0.0 { thickness * thickness * (1.0 - r).powi(3) / r } else { f64::INFINITY };
    Barrier { energy, slope: thickness * (3.0 - 2.0 * r - 1.0 / (r * r)), curvature: 2.0 / (r * r * r) - 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_energy() {
        let t = 2e-3;
        for k in 1..100 {
            let (g, h) = (t * f64::from(k) / 100.0, 1e-6 * t);
            let (low, at, high) = (barrier(g - h, t), barrier(g, t), barrier(g + h, t));
            let slope = (high.energy - low.energy) / (2.0 * h);
            let curvature = (high.slope - low.slope) / (2.0 * h);
            assert!((slope - at.slope).abs() <= 1e-6 * (t + at.slope.abs()), "{k}: {slope} {}", at.slope);
            assert!((curvature - at.curvature).abs() <= 1e-5 * (1.0 + at.curvature), "{k}");
            assert!(at.slope < 0.0 && at.curvature > 0.0);
        }
    }

    #[test]
    fn it_begins_gently_and_never_ends() {
        let t = 1e-3;
        let edge = barrier(t * (1.0 - 1e-7), t);
        assert!(edge.curvature < 1e-5 && edge.slope.abs() < 1e-12);
        assert_eq!(barrier(t, t), Barrier::default());
        assert_eq!(barrier(0.0, t).energy, f64::INFINITY);
        assert!(barrier(-1.0, t).slope.is_finite() && barrier(-1.0, t).slope < barrier(0.01 * t, t).slope);
    }
}
