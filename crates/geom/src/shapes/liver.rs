//! A body like a liver: a large right lobe, a small flat left one, a groove between them and a hollow underneath. Our own shape, of no
//! scan and no patient; for soft solids that are neither boxes nor spheres.

use super::implicit::polygonise_lanes;
use super::smooth::{Capsule, Ellipsoid, Field, Lane, Points, union, without};
use super::{BadShape, sizes};
use crate::aabb::Aabb;
use crate::topology::TriangleMesh;
use glam::DVec3;

/// A liver of the given width along x (a grown person's is about 0.2 m), around the origin, the left lobe towards +x, its hollow side down
/// (-y) and its blunt back towards -z, with edges of about `cell` metres. Its left lobe thins out to a tenth of the width: a cell above
/// a 15th of the width is refused. A 30th gives about 3300 triangles.
pub fn liver(width: f64, cell: f64) -> Result<TriangleMesh, BadShape> {
    sizes(&[("width", width), ("cell", cell), ("a 15th of the width minus the cell", width / 15.0 - cell)])?;
    let bounds = Aabb { low: DVec3::new(-0.6, -0.45, -0.42), high: DVec3::new(0.6, 0.45, 0.42) };
    let mut mesh = polygonise_lanes(&TwoLobes, bounds, cell / width)?;
    mesh.points.iter_mut().for_each(|p| *p *= width);
    Ok(mesh)
}

/// The distance to a liver of width one, about.
struct TwoLobes;

impl Field for TwoLobes {
    #[inline(always)]
    fn at(&self, p: &Points) -> Lane {
        let v = DVec3::new;
        let right = Ellipsoid { centre: v(-0.17, -0.02, -0.02), radii: v(0.33, 0.27, 0.25) };
        let left = Ellipsoid { centre: v(0.22, 0.08, 0.04), radii: v(0.28, 0.13, 0.17) };
        let all = union(p, right.at(p), &left, 0.18);
        // The groove runs over the top and the front, where a ligament ties the liver up.
        let groove = Capsule { ends: [v(0.07, 0.30, -0.05), v(0.09, 0.10, 0.32)], radius: 0.06 };
        let all = without(p, all, &groove, 0.08);
        // Stomach and kidney press the underside in.
        let hollow = Ellipsoid { centre: v(0.16, -0.34, 0.06), radii: v(0.38, 0.34, 0.42) };
        without(p, all, &hollow, 0.10)
    }
}
