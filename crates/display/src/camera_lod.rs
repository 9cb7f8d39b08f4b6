//! View-dependent level of detail of restraint.

use glam::DVec3;
use pliant_core::restraint::LevelOfDetail;
use pliant_scalar::math;

/// Restrains particles that are far away or out of sight at higher speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraLod {
    /// Position of the camera, m.
    pub camera: DVec3,
    /// Point that the camera looks at, m. Limits grow with the distance from the camera beyond it.
    pub target: DVec3,
    /// Angle from the centre of the picture to its upper edge, rad; pictures are taken to be twice as wide.
    pub half_angle: f64,
    /// Factor of limits out of sight.
    pub out_of_sight: f64,
}

impl LevelOfDetail for CameraLod {
    fn factor(&self, x: DVec3) -> f64 {
        let (way, ahead) = (x - self.camera, self.target - self.camera);
        let (distance, near) = (way.length(), ahead.length());
        let far = if near > 0.0 { (distance / near).max(1.0) } else { 1.0 };
        let is_seen = way.dot(ahead) >= distance * near * math::cos((2.0 * self.half_angle).min(1.5));
        far * if is_seen { 1.0 } else { self.out_of_sight }
    }
}
