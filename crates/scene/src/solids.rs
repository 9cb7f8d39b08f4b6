//! Drawn colliders, and containers of fluids: bars along the edges, so that the inside is visible.

use glam::{DQuat, DVec3};
use pliant_core::{Motion, Solid, SolidShape};
use pliant_forces::contact::Shape;
use pliant_geom::{TriangleMesh, shapes};

use crate::assemble::collider::collider;
use crate::body::bodies;
use crate::load::LoadedScene;

/// How often the triangles of a drawn sphere are cut into four: its outline is a polygon of about 80 sides.
const ROUND: usize = 4;
/// Points around a drawn capsule.
const AROUND: usize = 64;

/// Thickness of the bars along the edges of a container, as part of its diagonal.
const BAR: f64 = 0.004;

/// The drawn parts of a scene's colliders and containers, and messages about the others: a result may lie apart from its mesh files.
pub fn solids(loaded: &LoadedScene) -> (Vec<Solid>, Vec<String>) {
    let (mut solids, mut notes) = (Vec::new(), Vec::new());
    for (k, table) in loaded.scene.collider.iter().enumerate() {
        match collider(loaded, table, &format!("collider[{k}]")) {
            Ok(collider) => {
                solids.push(Solid { name: collider.name, shape: drawn(&collider.shape), motion: collider.motion });
            }
            Err(error) => notes.push(format!("{}: drawn without this collider: {}", table.name, error.message)),
        }
    }
    let mut bottom = f64::MAX;
    for (found, name) in bodies(&loaded.scene) {
        let Some([min, max]) = found.table.container() else { continue };
        let bars = frame(min, max);
        bottom = bars.points.iter().map(|point| point.y).fold(bottom, f64::min);
        let shape = SolidShape::smoothed(&bars.points, &bars.triangles);
        solids.push(Solid { name: format!("container of {name}"), shape, motion: Motion::default() });
    }
    // drops that splash out keep falling, and would move the drawn ground with them
    let has_plane = solids.iter().any(|solid| matches!(solid.shape, SolidShape::Plane { .. }));
    if bottom < f64::MAX && !has_plane {
        let shape = SolidShape::Plane { point: DVec3::Y * bottom, normal: DVec3::Y };
        solids.push(Solid { name: "ground below containers".into(), shape, motion: Motion::default() });
    }
    (solids, notes)
}

/// Bars along the edges of a box, outside of it.
fn frame(min: DVec3, max: DVec3) -> TriangleMesh {
    let (mut mesh, size, middle) = (TriangleMesh::default(), max - min, 0.5 * (min + max));
    let thick = BAR * size.length();
    let outer = 0.5 * (size + thick);
    for axis in 0..3 {
        let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
        for (side_b, side_c) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let (mut bar, mut centre) = (DVec3::splat(thick), middle);
            bar[axis] = size[axis] + 2.0 * thick;
            centre[b] += side_b * outer[b];
            centre[c] += side_c * outer[c];
            if let Ok(cuboid) = shapes::cuboid(bar, [1; 3]) {
                append(&mut mesh, cuboid, |point| centre + point);
            }
        }
    }
    mesh
}

fn drawn(shape: &Shape) -> SolidShape {
    match shape {
        Shape::Plane { point, normal } => SolidShape::Plane { point: *point, normal: *normal },
        Shape::Simplices { points, segments, triangles, radius } => {
            let mut mesh = TriangleMesh { points: points.clone(), triangles: triangles.clone() };
            if triangles.is_empty() && *radius > 0.0 {
                mesh.points.clear();
                match segments.is_empty() {
                    true => points.iter().for_each(|centre| ball(*centre, *radius, &mut mesh)),
                    false => segments
                        .iter()
                        .for_each(|ends| capsule(ends.map(|end| points[end as usize]), *radius, &mut mesh)),
                }
            }
            SolidShape::smoothed(&mesh.points, &mesh.triangles)
        }
    }
}

fn ball(centre: DVec3, radius: f64, mesh: &mut TriangleMesh) {
    if let Ok(ball) = shapes::icosphere(radius, ROUND) {
        append(mesh, ball, |point| point + centre);
    }
}

fn capsule([from, to]: [DVec3; 2], radius: f64, mesh: &mut TriangleMesh) {
    let axis = to - from;
    // Without length it is a ball.
    let Some(direction) = axis.try_normalize() else { return ball(from, radius, mesh) };
    if let Ok(upright) = shapes::capsule(radius, axis.length(), AROUND) {
        let turn = DQuat::from_rotation_arc(DVec3::Y, direction);
        append(mesh, upright, |point| turn * point + 0.5 * (from + to));
    }
}

fn append(mesh: &mut TriangleMesh, other: TriangleMesh, place: impl Fn(DVec3) -> DVec3) {
    let first = mesh.points.len() as u32;
    mesh.points.extend(other.points.into_iter().map(place));
    mesh.triangles.extend(other.triangles.into_iter().map(|corners| corners.map(|corner| corner + first)));
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: &str = r#"version = 1
[time]
until = 1
[[cloth]]
name = "sheet"
grid = { columns = 3, rows = 3, width = 1, height = 1 }
preset = "cotton"
[[collider]]
name = "ball"
sphere = { centre = [0, -3, 0], radius = 0.5 }
[[collider]]
name = "pill"
capsule = { from = [3, 0, 0], to = [4, 1, 0], radius = 0.2 }
[[collider]]
name = "block"
box = { min = [5, 0, 0], max = [6, 1, 1] }
[[collider]]
name = "floor"
plane = { point = [0, -9, 0] }
[[collider]]
name = "lost"
mesh = { file = "nowhere.obj" }
"#;

    /// Points lie on the shapes, and missing files are reported.
    #[test]
    fn every_collider_is_drawn_or_named() {
        let loaded = crate::load::from_text("shapes", "shapes", SHAPES, &[]).unwrap();
        let (solids, notes) = solids(&loaded);
        assert_eq!(
            solids.iter().map(|solid| solid.name.as_str()).collect::<Vec<_>>(),
            ["ball", "pill", "block", "floor"]
        );
        assert!(notes.len() == 1 && notes[0].starts_with("lost: ") && notes[0].contains("nowhere.obj"), "{notes:?}");
        let points = |k: usize| match &solids[k].shape {
            SolidShape::Surface { points, .. } => points.clone(),
            SolidShape::Plane { .. } => panic!("a surface was asked for"),
        };
        assert!(points(0).iter().all(|p| (p.distance(DVec3::new(0.0, -3.0, 0.0)) - 0.5).abs() < 1e-9));
        let from_axis = |p: &DVec3| {
            let (from, axis) = (DVec3::X * 3.0, DVec3::new(1.0, 1.0, 0.0));
            p.distance(from + axis * ((*p - from).dot(axis) / 2.0).clamp(0.0, 1.0))
        };
        assert!(points(1).iter().all(|p| (from_axis(p) - 0.2).abs() < 1e-9));
        // Each corner of a box once for each of its three faces.
        assert_eq!(points(2).len(), 24);
    }

    #[test]
    fn containers_of_fluids_are_frames_about_their_insides() {
        let text = "version = 1\n[time]\nuntil = 1\n[[fluid]]\nname = \"water\"\nspacing = 0.1\n\
            boxes = [{ min = [0, 0, 0], max = [1, 1, 1] }]\n\
            container = { box = { min = [0, 0, 0], max = [2, 1, 1] } }\n";
        let loaded = crate::load::from_text("tank", "tank", text, &[]).unwrap();
        let (solids, notes) = solids(&loaded);
        assert!(solids.len() == 2 && notes.is_empty());
        assert!(matches!(solids[1].shape, SolidShape::Plane { point, normal: DVec3::Y } if point.y < 0.0));
        let SolidShape::Surface { points, triangles, .. } = &solids[0].shape else { panic!("a surface") };
        assert_eq!(triangles.len(), 12 * 12);
        let (low, high) = points.iter().fold((DVec3::MAX, DVec3::MIN), |(l, h), p| (l.min(*p), h.max(*p)));
        assert!(low.max_element() < 0.0 && low.min_element() > -0.02, "{low}");
        assert!((high - DVec3::new(2.0, 1.0, 1.0)).min_element() > 0.0 && (high.x - 2.0) < 0.02, "{high}");
        let inside = |p: &&DVec3| p.cmpgt(DVec3::splat(1e-9)).all() && p.cmplt(DVec3::new(2.0, 1.0, 1.0) - 1e-9).all();
        assert_eq!(points.iter().filter(inside).count(), 0);
    }
}
