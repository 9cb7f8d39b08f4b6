//! Spheres, capsules and rings.

use super::{BadShape, at_least, not_too_many, sizes};
use crate::topology::TriangleMesh;
use glam::DVec3;
use pliant_scalar::math;
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, TAU};

/// A sphere around the origin: an icosahedron with triangles cut into four `subdivisions` times.
pub fn icosphere(radius: f64, subdivisions: usize) -> Result<TriangleMesh, BadShape> {
    sizes(&[("radius", radius)])?;
    let cuts = u32::try_from(subdivisions).ok().and_then(|s| 4_usize.checked_pow(s)).ok_or(BadShape::TooMany)?;
    not_too_many(&[20, cuts])?;
    let golden = (1.0 + 5_f64.sqrt()) / 2.0;
    let mut points = Vec::new();
    for (one, phi) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        points.extend([DVec3::new(0.0, one, phi), DVec3::new(one, phi, 0.0), DVec3::new(phi, 0.0, one)]);
    }
    // The faces of the icosahedron are the triples of points that are all two apart.
    let mut triangles = Vec::new();
    let near = |i: usize, j: usize| (points[i] - points[j]).length() < 2.1;
    for i in 0..12 {
        for j in i + 1..12 {
            for k in (j + 1..12).filter(|&k| near(i, j) && near(j, k) && near(k, i)) {
                let outward = points[i].dot(points[j].cross(points[k])) > 0.0;
                triangles.push(if outward { [i as u32, j as u32, k as u32] } else { [i as u32, k as u32, j as u32] });
            }
        }
    }
    for _ in 0..subdivisions {
        let mut middle_of = BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middle_of.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                points.push((points[a as usize].normalize() + points[b as usize].normalize()) * 0.5);
                (points.len() - 1) as u32
            })
        };
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for &[a, b, c] in &triangles {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    points.iter_mut().for_each(|p| *p = p.normalize() * radius);
    Ok(TriangleMesh { points, triangles })
}

/// A capsule along y around the origin: a cylinder of this `length` with half spheres on its ends, with at least `around` points in a
/// ring. Rings on the ends have 4, 8, 12 … points from the pole on, so that no triangles crowd there, and all are about as far apart as
/// the points in them.
pub fn capsule(radius: f64, length: f64, around: usize) -> Result<TriangleMesh, BadShape> {
    sizes(&[("radius", radius), ("length", length)])?;
    at_least(3, &[("points around", around)])?;
    let caps = around.div_ceil(4);
    let sides = (length / (TAU * radius / (4 * caps) as f64)).round().clamp(1.0, 1e9) as usize;
    not_too_many(&[8, caps, caps.saturating_add(sides)])?;
    let around = 4 * caps;
    // Rings from the south pole to the north: points, distance from the axis, height.
    let arc = |i: usize| math::sin_cos(FRAC_PI_2 * i as f64 / caps as f64);
    let cap = |i: usize, end: f64| (4 * i, radius * arc(i).0, end * (0.5 * length + radius * arc(i).1));
    let south = (0..=caps).map(|i| cap(i, -1.0));
    let side = (1..sides).map(|i| (around, radius, (i as f64 / sides as f64 - 0.5) * length));
    let north = (0..=caps).rev().map(|i| cap(i, 1.0));

    let mut mesh = TriangleMesh::default();
    let mut last: Option<(usize, usize)> = None;
    for (count, r, y) in south.chain(side).chain(north) {
        let first = mesh.points.len();
        for k in 0..count.max(1) {
            let (sin, cos) = if count == 0 { (0.0, 0.0) } else { math::sin_cos(TAU * k as f64 / count as f64) };
            mesh.points.push(DVec3::new(r * cos, y, -r * sin));
        }
        if let Some(below) = last {
            join_rings(&mut mesh.triangles, below, (first, count));
        }
        last = Some((first, count));
    }
    Ok(mesh)
}

/// Triangles between a ring and the one above it, each given by its first point and their number: as many in both, or four more or fewer.
fn join_rings(triangles: &mut Vec<[u32; 3]>, below: (usize, usize), above: (usize, usize)) {
    let at = |ring: (usize, usize), k: usize| (ring.0 + k % ring.1.max(1)) as u32;
    if below.1 == above.1 {
        for k in 0..below.1 {
            let quad = [at(below, k), at(below, k + 1), at(above, k + 1), at(above, k)];
            triangles.extend(cut(quad, (k + below.0 / below.1) % 2));
        }
        return;
    }
    let (inner, outer, turned) = if below.1 < above.1 { (below, above, true) } else { (above, below, false) };
    let quarter = inner.1 / 4;
    let mut add = |[a, b, c]: [u32; 3]| triangles.push(if turned { [a, c, b] } else { [a, b, c] });
    for q in 0..4 {
        for j in 0..=quarter {
            let (a, b) = (q * (quarter + 1) + j, q * quarter + j);
            add([at(inner, b), at(outer, a), at(outer, a + 1)]);
            if j < quarter {
                add([at(inner, b), at(outer, a + 1), at(inner, b + 1)]);
            }
        }
    }
}

/// A torus around the y axis: `around` points on the ring of radius `major`, `across` on the tube of radius `minor`.
pub fn torus(major: f64, minor: f64, around: usize, across: usize) -> Result<TriangleMesh, BadShape> {
    // A tube as thick as the ring would touch itself on the axis.
    sizes(&[("major radius", major), ("minor radius", minor), ("major minus minor radius", major - minor)])?;
    at_least(3, &[("points around", around), ("points across", across)])?;
    not_too_many(&[2, around, across])?;
    let mut mesh = TriangleMesh::default();
    for i in 0..around {
        let (sin, cos) = math::sin_cos(TAU * i as f64 / around as f64);
        for j in 0..across {
            let (up, out) = math::sin_cos(TAU * j as f64 / across as f64);
            let r = major + minor * out;
            mesh.points.push(DVec3::new(r * cos, minor * up, -r * sin));
        }
    }
    let at = |i: usize, j: usize| ((i % around) * across + j % across) as u32;
    for i in 0..around {
        for j in 0..across {
            mesh.triangles.extend(cut([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)], (i + j) % 2));
        }
    }
    Ok(mesh)
}

/// A quadrilateral along one diagonal or the other.
fn cut(quad: [u32; 4], turn: usize) -> [[u32; 3]; 2] {
    let [a, b, c, d] = std::array::from_fn(|k| quad[(k + turn) % 4]);
    [[a, b, c], [a, c, d]]
}
