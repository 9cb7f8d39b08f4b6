//! Rigid colliders around the action: their poses at a time, which of them are framed, and their materials.

use glam::DVec3;
use pliant_core::{Solid, SolidShape};

use crate::colour::CLAY;
use crate::drawing::{Drawing, Material, Triangle, Vertex};

/// Points per solid that are used to place the camera.
const FRAMED: usize = 400;
/// A solid that is farther from the action than this part of the action's size is not framed,
const NEAR: f64 = 0.5;
/// nor is one that is this many times as large.
const LARGEST: f64 = 3.0;

/// The solids of a scene.
#[derive(Default)]
pub struct Scenery {
    solids: Vec<Solid>,
    /// Recorded points of each solid.
    seen: Vec<Vec<DVec3>>,
}

impl Scenery {
    pub fn new(solids: Vec<Solid>) -> Self {
        let seen = vec![Vec::new(); solids.len()];
        Self { solids, seen }
    }

    /// Records one moment of the action.
    pub fn observe(&mut self, time: f64) {
        for (solid, seen) in self.solids.iter().zip(&mut self.seen) {
            let SolidShape::Surface { points, .. } = &solid.shape else { continue };
            if seen.is_empty() || !solid.motion.is_fixed() {
                let pose = solid.pose(time);
                seen.extend(points.iter().step_by(points.len().div_ceil(FRAMED).max(1)).map(|p| pose.point(*p)));
            }
        }
    }

    /// Points of the solids near an action within these bounds.
    pub fn near(&self, [low, high]: [DVec3; 2]) -> impl Iterator<Item = DVec3> + '_ {
        let size = (high - low).length();
        let is_near = move |seen: &&Vec<DVec3>| {
            crate::camera::bounds(seen.iter().copied()).is_some_and(|[from, to]| {
                let gap = (from - high).max(low - to).max(DVec3::ZERO).length();
                gap <= NEAR * size && (to - from).length() <= LARGEST * size
            })
        };
        self.seen.iter().filter(is_near).flatten().copied()
    }

    /// The height of the floor: of the highest plane that faces up.
    pub fn floor(&self, time: f64) -> Option<f64> {
        let heights = self.planes(time).filter(|(_, normal)| is_floor(*normal)).map(|(point, _)| point.y);
        heights.max_by(f64::total_cmp)
    }

    fn planes(&self, time: f64) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
        self.solids.iter().filter_map(move |solid| match solid.shape {
            SolidShape::Plane { point, normal } => {
                let pose = solid.pose(time);
                Some((pose.point(point), pose.direction(normal)))
            }
            SolidShape::Surface { .. } => None,
        })
    }

    /// Adds the solids. Planes that are no floor are squares of half a side `reach` about the point nearest to `middle`; seen from
    /// behind they would hide the action and are left out.
    pub fn draw(&self, time: f64, eye: DVec3, middle: DVec3, reach: f64, drawing: &mut Drawing) {
        if self.solids.is_empty() {
            return;
        }
        let clay = drawing.add_material(Material::plain(CLAY, 0.10));
        for solid in &self.solids {
            let SolidShape::Surface { points, normals, triangles } = &solid.shape else { continue };
            let (pose, first) = (solid.pose(time), drawing.vertices.len() as u32);
            let vertices = points.iter().zip(normals);
            drawing.vertices.extend(vertices.map(|(point, normal)| Vertex {
                position: pose.point(*point),
                normal: pose.direction(*normal),
                value: 0.0,
            }));
            let moved = |corners: &[u32; 3]| corners.map(|corner| corner + first);
            drawing.triangles.extend(triangles.iter().map(|corners| Triangle {
                corners: moved(corners),
                material: clay,
                wires: 0,
            }));
        }
        // The ground is drawn behind everything, so parts below it are clipped.
        let floor = self.floor(time).unwrap_or(f64::MIN);
        let wall = drawing.add_material(Material { casts_shadow: false, ..Material::plain(CLAY, 0.0) });
        for (point, normal) in self.planes(time).filter(|(_, normal)| !is_floor(*normal)) {
            if (eye - point).dot(normal) > 0.0 {
                let centre = middle - normal * (middle - point).dot(normal);
                square(centre, normal, reach, floor, wall, drawing);
            }
        }
    }
}

fn is_floor(normal: DVec3) -> bool {
    normal.y > 1.0 - 1e-9
}

/// A square, clipped at the floor.
fn square(centre: DVec3, normal: DVec3, reach: f64, floor: f64, material: u32, drawing: &mut Drawing) {
    let axis = if normal.y.abs() < 0.9 { DVec3::Y } else { DVec3::X };
    let across = axis.cross(normal).normalize_or_zero() * reach;
    let along = normal.cross(across);
    let first = drawing.vertices.len() as u32;
    let corners = [-across - along, across - along, across + along, along - across].map(|corner| centre + corner);
    for (k, from) in corners.into_iter().enumerate() {
        let to = corners[(k + 1) % 4];
        let mut put = |position: DVec3| drawing.vertices.push(Vertex { position, normal, value: 0.0 });
        if from.y >= floor {
            put(from);
        }
        if (from.y >= floor) != (to.y >= floor) {
            put(from + (to - from) * ((floor - from.y) / (to.y - from.y)));
        }
    }
    let end = drawing.vertices.len() as u32;
    drawing.triangles.extend((first + 2..end).map(|k| Triangle { corners: [first, k - 1, k], material, wires: 0 }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_core::{Motion, Path};

    fn block(centre: DVec3, motion: Motion) -> Solid {
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p + centre);
        let shape = SolidShape::smoothed(&points, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
        Solid { name: "block".into(), shape, motion }
    }

    #[test]
    fn only_what_is_near_is_framed() {
        let motion = Motion { offset: Path::Steady { start: DVec3::ZERO, velocity: DVec3::X }, turn: None };
        let mut scenery = Scenery::new(vec![block(DVec3::X, motion), block(DVec3::Z * 100.0, Motion::default())]);
        scenery.observe(0.0);
        scenery.observe(0.5);
        let farthest = scenery.near([-DVec3::ONE, DVec3::ONE]).map(|p| p.x.max(p.z)).fold(0.0, f64::max);
        assert_eq!(farthest, 2.5);
    }

    #[test]
    fn planes_are_floors_or_walls_seen_from_the_front() {
        let plane = |point: DVec3, normal: DVec3| Solid {
            name: "plane".into(),
            shape: SolidShape::Plane { point, normal },
            motion: Motion::default(),
        };
        let scenery = Scenery::new(vec![plane(DVec3::Y * -0.5, DVec3::Y), plane(DVec3::NEG_X, DVec3::X)]);
        assert_eq!(scenery.floor(0.0), Some(-0.5));
        for (eye, count) in [(DVec3::X, 2), (DVec3::X * -3.0, 0)] {
            let mut drawing = Drawing::default();
            scenery.draw(0.0, eye, DVec3::ZERO, 1.0, &mut drawing);
            assert_eq!(drawing.triangles.len(), count);
            let on_wall = |p: DVec3| (p.x + 1.0).abs() < 1e-12 && p.y >= -0.5 - 1e-12;
            assert!(drawing.vertices.iter().all(|vertex| on_wall(vertex.position)));
        }
    }
}
