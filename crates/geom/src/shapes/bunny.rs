//! A smooth rabbit: body, head, ears and tail, joined smoothly. Our own shape, of no scan.

use super::implicit::polygonise_lanes;
use super::smooth::{Capsule, Ellipsoid, Field, Lane, Points, union};
use super::{BadShape, sizes};
use crate::aabb::Aabb;
use crate::topology::TriangleMesh;
use glam::DVec3;

/// A rabbit of the given height that sits on y = 0 and looks along +z, with edges of about `cell` metres. Its ears are a tenth of the
/// height thick: a cell above a 25th of the height is refused. A 30th gives about 4300 triangles.
pub fn bunny(height: f64, cell: f64) -> Result<TriangleMesh, BadShape> {
    sizes(&[("height", height), ("cell", cell), ("a 25th of the height minus the cell", height / 25.0 - cell)])?;
    let bounds = Aabb { low: DVec3::new(-0.36, -0.06, -0.46), high: DVec3::new(0.36, 1.06, 0.52) };
    let mut mesh = polygonise_lanes(&Rabbit, bounds, cell / height)?;
    mesh.points.iter_mut().for_each(|p| *p *= height);
    Ok(mesh)
}

/// The distance to a rabbit of height one, about.
struct Rabbit;

impl Field for Rabbit {
    #[inline(always)]
    fn at(&self, p: &Points) -> Lane {
        let v = DVec3::new;
        // Left and right are the same.
        let p = &[p[0].abs(), p[1], p[2]];
        let body = Ellipsoid { centre: v(0.0, 0.26, -0.04), radii: v(0.26, 0.26, 0.30) };
        let chest = Ellipsoid { centre: v(0.0, 0.33, 0.12), radii: v(0.17, 0.22, 0.16) };
        let head = Ellipsoid { centre: v(0.0, 0.59, 0.23), radii: v(0.145, 0.14, 0.175) };
        let ear = Capsule { ends: [v(0.09, 0.66, 0.18), v(0.14, 0.945, 0.07)], radius: 0.055 };
        let foot = Ellipsoid { centre: v(0.15, 0.075, 0.19), radii: v(0.085, 0.075, 0.16) };
        let tail = Ellipsoid { centre: v(0.0, 0.17, -0.34), radii: DVec3::splat(0.085) };
        let mut all = union(p, body.at(p), &chest, 0.20);
        all = union(p, all, &head, 0.14);
        all = union(p, all, &foot, 0.14);
        all = union(p, all, &tail, 0.12);
        union(p, all, &ear, 0.10)
    }
}
