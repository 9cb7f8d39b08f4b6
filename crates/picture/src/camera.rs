//! The camera. The default one looks at the whole action in three quarter view, and straight at a motion that
//! stays in a plane.

use glam::DVec3;
use pliant_scalar::math::tan;

use crate::error::PictureError;

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Its position, m.
    pub eye: DVec3,
    /// What is in the middle of the picture, m.
    pub target: DVec3,
    /// A direction that points up in the picture.
    pub up: DVec3,
    /// Angle between the lower and the upper edge of the picture, rad.
    pub fov: f64,
}

/// 28 degrees: a portrait lens, little distortion.
pub const DEFAULT_FOV: f64 = 0.488_692;

/// Free space around the action, as part of the picture.
const MARGIN: f64 = 0.13;

/// A motion thinner than this part of its length counts as plane.
const THIN: f64 = 0.12;

/// Lowest and highest coordinates of points; `None` without finite ones.
pub fn bounds(points: impl Iterator<Item = DVec3>) -> Option<[DVec3; 2]> {
    points
        .filter(|p| p.is_finite())
        .fold(None, |b: Option<[DVec3; 2]>, p| Some(b.map_or([p, p], |[low, high]| [low.min(p), high.max(p)])))
}

impl Camera {
    /// A camera that has all points in the picture, each with a ball of `radius` around it. `aspect` is width over height.
    pub fn framing(points: &[DVec3], radius: f64, aspect: f64) -> Self {
        Self::framing_from(points, radius, aspect, DEFAULT_FOV, None)
    }

    /// The same with an angle of view and, if given, the direction to look from.
    pub fn framing_from(points: &[DVec3], radius: f64, aspect: f64, fov: f64, towards: Option<DVec3>) -> Self {
        let [low, high] = bounds(points.iter().copied()).unwrap_or([DVec3::ZERO; 2]);
        let size = high - low;
        let towards = towards.and_then(DVec3::try_normalize).unwrap_or_else(|| default_direction(size));
        let (right, up) = axes(towards, DVec3::Y);
        let (half, middle) = (tan(0.5 * fov) * (1.0 - MARGIN), 0.5 * (low + high));
        // Depth is counted along -towards. All of the ball about p is inside the right edge when x - t z + r √(1 + t²) ≤ ex - t ez.
        let fit = |axis: DVec3, t: f64| {
            let reach = radius * (1.0 + t * t).sqrt();
            let (mut most, mut least) = (f64::MIN, f64::MAX);
            for p in points.iter().filter(|p| p.is_finite()) {
                let (across, depth) = ((*p - middle).dot(axis), (*p - middle).dot(-towards));
                most = most.max(across - t * depth + reach);
                least = least.min(across + t * depth - reach);
            }
            (0.5 * (most + least), (least - most) / (2.0 * t))
        };
        let ((x, from_width), (y, from_height)) = (fit(right, half * aspect), fit(up, half));
        let smallest = -(radius + 1e-3 * size.length()).max(1e-9) * 4.0;
        let depth = from_width.min(from_height).min(smallest);
        let centre = middle + right * x + up * y;
        Self { eye: centre - depth * towards, target: centre, up: DVec3::Y, fov }
    }

    /// Right, up and forward; an error says why they are undefined.
    pub(crate) fn frame(&self) -> Result<[DVec3; 3], PictureError> {
        if !(self.fov > 1e-4 && self.fov < 3.1) {
            return Err(PictureError::BadCamera("the angle of view must lie between 0 and 177 degrees"));
        }
        if !(self.eye.is_finite() && self.target.is_finite() && self.up.is_finite()) {
            return Err(PictureError::BadCamera("its coordinates are not finite"));
        }
        let back = (self.eye - self.target).try_normalize();
        let back = back.ok_or(PictureError::BadCamera("it stands where it looks at"))?;
        let (right, up) = axes(back, self.up);
        Ok([right, up, -back])
    }
}

/// Right and up of a camera that looks against `back`, even straight down.
fn axes(back: DVec3, up: DVec3) -> (DVec3, DVec3) {
    let side = up.cross(back);
    let side = if side.length() > 1e-6 * up.length() { side } else { DVec3::X.cross(back) + DVec3::Z.cross(back) };
    let right = side.try_normalize().unwrap_or(DVec3::X);
    (right, back.cross(right))
}

/// The view direction for an action of this size.
fn default_direction(size: DVec3) -> DVec3 {
    let longest = size.max_element();
    let thin = size.cmplt(DVec3::splat(THIN * longest));
    let direction = match (thin.x, thin.y, thin.z) {
        // a plane of x and y, or a line in it: a little from the side and from above, for the shadow
        (_, _, true) => DVec3::new(0.30, 0.24, 1.0),
        (true, _, false) => DVec3::new(1.0, 0.24, 0.30),
        // flat on the ground
        (false, true, false) => DVec3::new(0.45, 0.80, 1.0),
        _ => DVec3::new(0.62, 0.36, 1.0),
    };
    direction.normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_screen(camera: &Camera, aspect: f64, p: DVec3) -> (f64, f64) {
        let [right, up, forward] = camera.frame().unwrap();
        let d = p - camera.eye;
        let half = tan(0.5 * camera.fov) * d.dot(forward);
        (d.dot(right) / (half * aspect), d.dot(up) / half)
    }

    #[test]
    fn everything_is_inside_and_something_near_the_edge() {
        let clouds: [Vec<DVec3>; 4] = [
            (0..200).map(|k| DVec3::new(f64::from(k % 7), f64::from(k % 11) * 0.3, f64::from(k % 5))).collect(),
            (0..50).map(|k| DVec3::new(f64::from(k), 0.0, 0.0)).collect(),
            (0..50).map(|k| DVec3::new(0.0, -f64::from(k), 0.0)).collect(),
            (0..60).map(|k| DVec3::new(f64::from(k % 6), 0.0, f64::from(k / 6))).collect(),
        ];
        for points in clouds {
            let camera = Camera::framing(&points, 0.0, 1.6);
            let largest = points.iter().map(|p| on_screen(&camera, 1.6, *p)).map(|(x, y)| x.abs().max(y.abs()));
            let largest = largest.fold(0.0, f64::max);
            assert!(largest < 1.0 && largest > 0.8, "{largest}");
        }
    }

    #[test]
    fn one_point_and_none_are_framed() {
        for points in [vec![], vec![DVec3::ONE], vec![DVec3::ONE; 5], vec![DVec3::NAN]] {
            let camera = Camera::framing(&points, 0.0, 1.5);
            assert!(camera.frame().is_ok(), "{camera:?}");
        }
    }

    #[test]
    fn useless_cameras_are_refused() {
        let good = Camera { eye: DVec3::Z, target: DVec3::ZERO, up: DVec3::Y, fov: 0.5 };
        assert!(Camera { eye: DVec3::Y, ..good }.frame().is_ok());
        assert!(Camera { eye: DVec3::ZERO, ..good }.frame().is_err());
        assert!(Camera { fov: 4.0, ..good }.frame().is_err());
        assert!(Camera { eye: DVec3::NAN, ..good }.frame().is_err());
    }
}
