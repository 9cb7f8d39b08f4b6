//! Coulomb friction with a smooth start: `f = -μ λ φ(|u|/s) u/|u|` for a sliding velocity u, with φ(y) = 2y - y² below 1 and 1 above
//! [Incremental] eq. 12. What should stick creeps at less than the speed s; that is the price of a force that has a derivative.
//!
//! Departure: λ is the force of contact at the same state, not one of an earlier state. Nothing is remembered; the derivative of λ is
//! part of the exact Jacobian and left out of the symmetric ones.

use glam::{DMat3, DVec3};

/// The factor g in `f = -μ λ g u`, and g'/|u|, by which it changes with u.
pub fn smoothed(speed: f64, creep: f64) -> (f64, f64) {
    if speed < creep {
        // g = (2 - y)/s with y = |u|/s; g'/|u| = -1/(s² |u|)
        let y = speed / creep;
        let rate = if speed > 0.0 { -1.0 / (creep * creep * speed) } else { 0.0 };
        ((2.0 - y) / creep, rate)
    } else {
        (1.0 / speed, -1.0 / (speed * speed * speed))
    }
}

/// `∂(g u)/∂u = g I + (g'/|u|) u uᵀ` within the tangent plane of `normal`: symmetric, eigenvalues φ/|u| and φ'/s, never negative.
pub fn tangent(u: DVec3, normal: DVec3, creep: f64) -> DMat3 {
    let (g, rate) = smoothed(u.length(), creep);
    let plane = DMat3::IDENTITY - outer(normal, normal);
    plane * g + outer(u, u) * rate
}

/// `a bᵀ`.
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_at_the_creeping_speed_and_smooth_there() {
        let creep = 1e-4;
        let force = |speed: f64| smoothed(speed, creep).0 * speed;
        assert!((force(creep) - 1.0).abs() < 1e-12 && (force(3.0 * creep) - 1.0).abs() < 1e-12);
        assert!((force(creep * (1.0 - 1e-6)) - 1.0).abs() < 1e-11);
        assert!((force(0.5 * creep) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn the_derivative_is_that_of_the_force() {
        let (creep, normal) = (0.3, DVec3::Y);
        for u in [DVec3::new(0.1, 0.0, 0.05), DVec3::new(0.5, 0.0, -0.4)] {
            let d = DVec3::new(0.3, 0.0, 0.7);
            let force = |u: DVec3| u * smoothed(u.length(), creep).0;
            let h = 1e-6;
            let difference = (force(u + d * h) - force(u - d * h)) / (2.0 * h);
            assert!((difference - tangent(u, normal, creep) * d).length() < 1e-8);
        }
    }
}
