//! Distances to round bodies and how they are joined smoothly, for shapes that are where a field is below zero.
//!
//! Distances to ellipsoids are first-order ones, `k (k - 1)/|∇k|` with `k = |p/radii|`, those to capsules exact; the union of two is rounded
//! where they differ by less than `blend`: `min(a, b) - blend h³/6`, `h = max(0, 1 - |a - b|/blend)`, which has two continuous derivatives.

use glam::DVec3;

/// The distance to an ellipsoid around the origin, about.
pub(super) fn ellipsoid(p: DVec3, radii: DVec3) -> f64 {
    let k = (p / radii).length();
    let slope = (p / (radii * radii)).length();
    // The middle, where the slope vanishes, is as deep as the shortest radius.
    if slope > 0.0 { k * (k - 1.0) / slope } else { -radii.min_element() }
}

/// The distance to all that is within a radius of a line.
pub(super) fn capsule(p: DVec3, a: DVec3, b: DVec3, radius: f64) -> f64 {
    let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    (p - a.lerp(b, along)).length() - radius
}

/// Inside of one or the other.
pub(super) fn union(a: f64, b: f64, blend: f64) -> f64 {
    let h = (1.0 - (a - b).abs() / blend).max(0.0);
    a.min(b) - blend * h * h * h / 6.0
}

/// Inside of the first but not of the second.
pub(super) fn without(a: f64, b: f64, blend: f64) -> f64 {
    -union(-a, b, blend)
}
