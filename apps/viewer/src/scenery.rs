//! Colliders on the page: their surfaces are sent once, at the end of the topology; every frame has the poses of those that move.
//!
//! After the topology's ties, if there are colliders:
//!
//! | type | |
//! |---|---|
//! | u32 | surfaces |
//! | f32 | height of the floor, m; NaN: there is none |
//! | | then for each surface |
//! | u32 x 4 | vertices, triangles, number of its pose in frames from 1 on (0: it is fixed), 1 for a plane (seen from the front only) |
//! | f32 | places of vertices (3 each), m |
//! | f32 | normals (3 each) |
//! | u32 | triangles (3 each) |
//!
//! A pose in a frame is twelve f32: where the axes x, y, z point, and where the origin is.

use glam::DVec3;
use pliant::core::{Solid, SolidShape};

/// Most triangles of colliders that are sent, all together.
const MAX_TRIANGLES: usize = 500_000;
/// Most colliders that move.
const MAX_MOVING: usize = 1000;

/// Bytes of a pose.
pub const POSE: usize = 48;

/// The colliders of a scene as they are sent.
#[derive(Default)]
pub struct Scenery {
    /// The end of the topology.
    pub words: Vec<u32>,
    /// What is left out, as text.
    pub notes: Vec<String>,
    moving: Vec<Solid>,
}

impl Scenery {
    /// Colliders around bodies that start at `points`: of planes that are no floor, a square as large as those is shown.
    pub fn new(solids: &[Solid], points: &[DVec3]) -> Self {
        let mut scenery = Self::default();
        let finite = || points.iter().copied().filter(|point| point.is_finite());
        let (low, high) = (finite().reduce(DVec3::min), finite().reduce(DVec3::max));
        let [low, high] = [low, high].map(Option::unwrap_or_default);
        let (mut count, mut triangles, mut floor) = (0, 0, f64::NAN);
        for solid in solids {
            let (shape, is_plane) = match &solid.shape {
                SolidShape::Plane { point, normal } if solid.motion.is_fixed() && normal.y > 1.0 - 1e-9 => {
                    floor = point.y.max(floor);
                    continue;
                }
                SolidShape::Plane { point, normal } => {
                    (square(*point, *normal, 0.5 * (low + high), (high - low).length()), true)
                }
                surface @ SolidShape::Surface { .. } => (surface.clone(), false),
            };
            let SolidShape::Surface { points, normals, triangles: corners } = shape else { continue };
            let is_fixed = solid.motion.is_fixed();
            if triangles + corners.len() > MAX_TRIANGLES || (!is_fixed && scenery.moving.len() >= MAX_MOVING) {
                scenery.notes.push(format!("collider {} is too much to be shown", solid.name));
                continue;
            }
            triangles += corners.len();
            count += 1;
            if !is_fixed {
                scenery.moving.push(solid.clone());
            }
            let slot = if is_fixed { 0 } else { scenery.moving.len() as u32 };
            scenery.words.extend([points.len() as u32, corners.len() as u32, slot, u32::from(is_plane)]);
            let numbers = points.iter().chain(&normals).flat_map(|point| point.to_array());
            scenery.words.extend(numbers.map(|number| (number as f32).to_bits()));
            scenery.words.extend(corners.iter().flatten());
        }
        if !solids.is_empty() {
            scenery.words.splice(0..0, [count, (floor as f32).to_bits()]);
        }
        scenery
    }

    /// The poses of those that move.
    pub fn poses(&self, time: f64) -> Vec<[f32; POSE / 4]> {
        let pose = |solid: &Solid| {
            let pose = solid.pose(time);
            let [x, y, z] = pose.axes;
            let mut numbers = [0.0; POSE / 4];
            for (part, vector) in numbers.chunks_exact_mut(3).zip([x, y, z, pose.origin]) {
                part.copy_from_slice(&vector.as_vec3().to_array());
            }
            numbers
        };
        self.moving.iter().map(pose).collect()
    }
}

fn square(point: DVec3, normal: DVec3, middle: DVec3, reach: f64) -> SolidShape {
    let centre = middle - normal * (middle - point).dot(normal);
    let axis = if normal.y.abs() < 0.9 { DVec3::Y } else { DVec3::X };
    let across = axis.cross(normal).normalize_or_zero() * reach;
    let along = normal.cross(across);
    let corners = [-across - along, across - along, across + along, along - across];
    SolidShape::Surface {
        points: corners.map(|corner| centre + corner).to_vec(),
        normals: vec![normal; 4],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::core::{Motion, Path};

    #[test]
    fn floors_walls_and_moving_things_are_told_apart() {
        let plane = |normal: DVec3| SolidShape::Plane { point: -normal, normal };
        let moving = Motion { offset: Path::Steady { start: DVec3::ZERO, velocity: DVec3::X }, turn: None };
        let wedge = SolidShape::smoothed(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
        let solids = [(plane(DVec3::Y), Motion::default()), (plane(DVec3::X), Motion::default()), (wedge, moving)]
            .map(|(shape, motion)| Solid { name: "thing".into(), shape, motion });
        let scenery = Scenery::new(&solids, &[DVec3::ZERO, DVec3::ONE]);
        assert_eq!((scenery.words[0], f32::from_bits(scenery.words[1])), (2, -1.0));
        assert_eq!(scenery.words[2..6], [4, 2, 0, 1]);
        let second = 6 + 4 * 6 + 2 * 3;
        assert_eq!(scenery.words[second..second + 4], [3, 1, 1, 0]);
        assert_eq!(scenery.words.len(), second + 4 + 3 * 6 + 3);
        assert_eq!(scenery.poses(2.0), [[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0]]);
        assert!(Scenery::new(&[], &[]).words.is_empty());
    }
}
