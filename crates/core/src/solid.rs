//! A rigid body for drawing: a surface with normals, or an infinite plane, and its motion. Forces do not use it.

use std::collections::HashMap;

use glam::DVec3;

use crate::pins::Motion;

/// Cosine of the angle between two triangles from which their common edge is drawn sharp: 40 degrees.
const SHARP: f64 = 0.766;

/// The shape of a solid at time 0.
#[derive(Clone, Debug, PartialEq)]
pub enum SolidShape {
    /// Everything below a plane.
    Plane {
        /// A point on it, m.
        point: DVec3,
        /// Outwards, of length 1.
        normal: DVec3,
    },
    /// Triangles. A vertex on a sharp edge is duplicated for each side, so that each has its own normal.
    Surface {
        /// m
        points: Vec<DVec3>,
        /// Of length 1 (zero where triangles have no area).
        normals: Vec<DVec3>,
        /// Counter-clockwise from outside.
        triangles: Vec<[u32; 3]>,
    },
}

/// A rigid body for drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Name, for messages.
    pub name: String,
    /// Shape at time 0.
    pub shape: SolidShape,
    /// Motion from there.
    pub motion: Motion,
}

/// Pose of a solid: its points are `origin + axes · start`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the origin, m.
    pub origin: DVec3,
    /// Directions of the coordinate axes: unit vectors.
    pub axes: [DVec3; 3],
}

impl Pose {
    /// Position of a point given at time 0.
    pub fn point(&self, start: DVec3) -> DVec3 {
        self.origin + self.direction(start)
    }

    /// Direction of a vector given at time 0.
    pub fn direction(&self, start: DVec3) -> DVec3 {
        self.axes[0] * start.x + self.axes[1] * start.y + self.axes[2] * start.z
    }
}

impl Solid {
    /// Pose at a time, s.
    pub fn pose(&self, time: f64) -> Pose {
        let still = Motion { offset: crate::pins::Path::Fixed(DVec3::ZERO), turn: self.motion.turn.clone() };
        let turned = |start: DVec3| still.at(time, start).0;
        let axes = match self.motion.turn {
            // Exact, unlike a difference of distant points.
            None => [DVec3::X, DVec3::Y, DVec3::Z],
            Some(_) => [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| turned(axis) - turned(DVec3::ZERO)),
        };
        Pose { origin: self.motion.at(time, DVec3::ZERO).0, axes }
    }
}

impl SolidShape {
    /// A surface that is smooth except at its sharp edges. Triangles with missing corners are left out.
    pub fn smoothed(points: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let has_place = |corners: &&[u32; 3]| corners.iter().all(|corner| (*corner as usize) < points.len());
        let triangles: Vec<[u32; 3]> = triangles.iter().filter(has_place).copied().collect();
        let area = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| points[corner as usize]);
            (b - a).cross(c - a)
        };
        let areas: Vec<DVec3> = triangles.iter().map(area).collect();
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
        for (k, corners) in triangles.iter().enumerate() {
            corners.iter().for_each(|corner| around[*corner as usize].push(k));
        }
        let (mut places, mut normals) = (Vec::new(), Vec::new());
        // The sum over the same triangles has the same bits, so that corners on one side of an edge share a vertex.
        let mut vertices: HashMap<(u32, [u64; 3]), u32> = HashMap::new();
        let split = (0..triangles.len()).map(|k| {
            triangles[k].map(|corner| {
                let own = areas[k].normalize_or_zero();
                let same_side = |other: &&usize| areas[**other].normalize_or_zero().dot(own) >= SHARP;
                let sum: DVec3 = around[corner as usize].iter().filter(same_side).map(|other| areas[*other]).sum();
                *vertices.entry((corner, sum.to_array().map(f64::to_bits))).or_insert_with(|| {
                    places.push(points[corner as usize]);
                    normals.push(sum.normalize_or_zero());
                    places.len() as u32 - 1
                })
            })
        });
        let triangles = split.collect();
        Self::Surface { points: places, normals, triangles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pins::{Path, Turn};

    /// Two squares that share an edge, at an angle given by the rise.
    fn roof(rise: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let at = DVec3::new;
        let points = vec![
            at(-1.0, 0.0, 0.0),
            at(-1.0, 0.0, 1.0),
            at(0.0, rise, 0.0),
            at(0.0, rise, 1.0),
            at(1.0, 0.0, 0.0),
            at(1.0, 0.0, 1.0),
        ];
        (points, vec![[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]])
    }

    #[test]
    fn sharp_edges_have_a_vertex_on_each_side() {
        for (rise, count) in [(0.1, 6), (1.0, 8)] {
            let (points, triangles) = roof(rise);
            let SolidShape::Surface { points, normals, triangles } = SolidShape::smoothed(&points, &triangles) else {
                panic!("a surface was asked for");
            };
            assert_eq!((points.len(), normals.len(), triangles.len()), (count, count, 4), "rise {rise}");
            assert!(normals.iter().all(|normal| normal.y > 0.5 && (normal.length() - 1.0).abs() < 1e-12));
        }
        let (points, _) = roof(1.0);
        let SolidShape::Surface { triangles, .. } = SolidShape::smoothed(&points, &[[0, 1, 77]]) else {
            panic!("a surface was asked for");
        };
        assert!(triangles.is_empty());
    }

    #[test]
    fn a_pose_is_where_the_motion_goes() {
        let angle = Path::Steady { start: DVec3::ZERO, velocity: DVec3::X };
        let turn = Turn { centre: DVec3::new(1.0, 2.0, 3.0), axis: DVec3::Z, angle };
        let offset = Path::Steady { start: DVec3::ZERO, velocity: DVec3::Y };
        let motion = Motion { offset, turn: Some(turn) };
        let solid = Solid { name: String::new(), shape: SolidShape::smoothed(&[], &[]), motion: motion.clone() };
        let start = DVec3::new(0.3, -0.4, 0.5);
        assert!((solid.pose(0.7).point(start) - motion.at(0.7, start).0).length() < 1e-14);
    }
}
