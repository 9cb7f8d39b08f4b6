//! From `[[collider]]` to rigid shapes.

use glam::DVec3;
use pliant_core::Motion;
use pliant_forces::contact::{Collider, Shape};
use pliant_geom::{TriangleMesh, shapes};

use super::mesh::read_mesh;
use super::motion::{rotation, translation};
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::schema::ColliderTable;

/// Size of the figure's triangles, as a part of its height.
const FIGURE_CELL: f64 = 1.0 / 30.0;

/// All colliders of a scene.
pub fn colliders(loaded: &LoadedScene) -> Result<Vec<Collider>, Located> {
    let tables = loaded.scene.collider.iter().enumerate();
    tables.map(|(k, table)| collider(loaded, table, &format!("collider[{k}]"))).collect()
}

pub(crate) fn collider(loaded: &LoadedScene, table: &ColliderTable, path: &str) -> Result<Collider, Located> {
    let offset = translation(table.oscillate.as_ref(), table.keyframes.as_ref(), table.velocity.to_dvec3());
    let motion = Motion { offset, turn: table.turn.as_ref().map(rotation) };
    Ok(Collider { name: table.name.clone(), shape: shape(loaded, table, path)?, motion, friction: table.friction })
}

fn shape(loaded: &LoadedScene, table: &ColliderTable, path: &str) -> Result<Shape, Located> {
    if let Some(plane) = &table.plane {
        let normal = DVec3::from_array(plane.normal).normalize();
        return Ok(Shape::Plane { point: plane.point.to_dvec3(), normal });
    }
    if let Some(sphere) = &table.sphere {
        return Ok(Shape::sphere(sphere.centre.to_dvec3(), sphere.radius.si()));
    }
    if let Some(capsule) = &table.capsule {
        return Ok(Shape::capsule([capsule.from.to_dvec3(), capsule.to.to_dvec3()], capsule.radius.si()));
    }
    if let Some(block) = &table.block {
        let (min, max) = (block.min.to_dvec3(), block.max.to_dvec3());
        let mesh =
            shapes::cuboid(max - min, [1; 3]).map_err(|e| loaded.document.at(&format!("{path}.box"), e.to_string()))?;
        return Ok(moved(mesh, 0.5 * (min + max)));
    }
    if let Some(figure) = &table.figure {
        let height = figure.height.si();
        let mesh = shapes::bunny(height, FIGURE_CELL * height)
            .map_err(|e| loaded.document.at(&format!("{path}.figure"), e.to_string()))?;
        return Ok(moved(mesh, figure.foot.to_dvec3()));
    }
    let mesh = table.mesh.as_ref().ok_or_else(|| loaded.document.at(path, "has no shape"))?;
    let read = read_mesh(loaded, mesh, &format!("{path}.mesh"))?;
    Ok(Shape::mesh(read.points, read.triangles))
}

fn moved(mesh: TriangleMesh, by: DVec3) -> Shape {
    Shape::mesh(mesh.points.into_iter().map(|point| point + by).collect(), mesh.triangles)
}
