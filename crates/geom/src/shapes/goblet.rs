//! A wine glass: foot, stem, and a bowl with a wall of even thickness. Our own shape.
//!
//! One curve from the axis under the foot around the outside, over the rim and down the inside to the axis again, turned about the axis: a
//! surface without holes, like a sphere. The wall of the bowl is all that is within half its thickness of one cubic curve.

use super::{BadShape, not_too_many, sizes};
use crate::topology::TriangleMesh;
use glam::{DVec2, DVec3};
use pliant_scalar::math;
use std::f64::consts::{PI, TAU};

/// Of the bowl's wall and of the foot's edge, for a height of one.
const WALL: f64 = 0.035;
/// Radius of the stem, for a height of one.
const STEM: f64 = 0.04;
/// Where the round of the foot's edge begins, for a height of one.
const FOOT: f64 = 0.2;
/// Where along the curve of the bowl its outside comes out of the stem.
const BOWL_LEAVES_STEM: f64 = 0.2;
/// Straight pieces of each part of the profile before it is cut into equal ones.
const FINE: usize = 256;
/// Fewer points make no ring.
const MIN_AROUND: f64 = 6.0;

/// A wine glass of the given height that stands on y = 0 around the y axis, with edges of about `cell` metres. Its wall is 3.5 % of the
/// height thick, its stem 8 %; it is 0.47 heights wide. A cell above a 50th of the height would cut corners off the rim and is refused.
/// A 60th gives about 13000 triangles.
pub fn goblet(height: f64, cell: f64) -> Result<TriangleMesh, BadShape> {
    sizes(&[("height", height), ("cell", cell), ("a 50th of the height minus the cell", height / 50.0 - cell)])?;
    let profile = profile();
    let length: f64 = profile.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
    let pieces = (length * height / cell).ceil();
    not_too_many(&[2, pieces as usize, (TAU * (FOOT + WALL) * height / cell) as usize])?;
    let mut mesh = TriangleMesh::default();
    let mut below: Option<[usize; 2]> = None;
    for at in equally_spaced(&profile, length, pieces as usize) {
        let first = mesh.points.len();
        let count = if at.x > 0.0 { (TAU * at.x * height / cell).round().max(MIN_AROUND) as usize } else { 1 };
        for k in 0..count {
            let (sin, cos) = math::sin_cos(TAU * k as f64 / count as f64);
            mesh.points.push(height * DVec3::new(at.x * cos, at.y, -at.x * sin));
        }
        if let Some(below) = below {
            zip_rings(&mut mesh.triangles, below, [first, count]);
        }
        below = Some([first, count]);
    }
    Ok(mesh)
}

/// Distances from the axis and heights along the whole section of a glass of height one; the first and the last point are on the axis.
fn profile() -> Vec<DVec2> {
    let v = DVec2::new;
    let mut all = Vec::new();
    let mut add = |curve: &dyn Fn(f64) -> DVec2| all.extend((0..FINE).map(|k| curve(k as f64 / FINE as f64)));
    let bowl = [v(0.0, 0.5), v(0.21, 0.5), v(0.26, 0.72), v(0.19, 1.0 - 0.5 * WALL)];
    // To the right of the curve, which is outside, or to the left.
    let wall = |t: f64, side: f64| cubic(bowl, t) - side * 0.5 * WALL * slope(bowl, t).perp();
    let (rim, last) = (cubic(bowl, 1.0), slope(bowl, 1.0));
    let (foot_edge, foot_top) = (v(FOOT, 0.5 * WALL), v(FOOT, WALL));
    let (stem_foot, stem_top) = (v(STEM, 0.14), v(STEM, 0.38));
    let out = wall(BOWL_LEAVES_STEM, 1.0);
    let fillet = [stem_top, stem_top + v(0.0, 0.06), out - 0.06 * slope(bowl, BOWL_LEAVES_STEM), out];

    add(&|t| v(FOOT * t, 0.0));
    add(&|t| foot_edge + 0.5 * WALL * math::direction(PI * (t - 0.5)));
    add(&|t| cubic([foot_top, v(0.09, WALL), v(STEM, 0.06), stem_foot], t));
    add(&|t| stem_foot.lerp(stem_top, t));
    add(&|t| cubic(fillet, t));
    add(&|t| wall(BOWL_LEAVES_STEM + (1.0 - BOWL_LEAVES_STEM) * t, 1.0));
    add(&|t| rim + 0.5 * WALL * math::direction(PI * (t - 0.5)).rotate(last));
    add(&|t| wall(1.0 - t, -1.0));
    all.push(wall(0.0, -1.0));
    all
}

/// A point of a cubic Bézier curve.
fn cubic([a, b, c, d]: [DVec2; 4], t: f64) -> DVec2 {
    let s = 1.0 - t;
    s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
}

/// The direction of a cubic Bézier curve.
fn slope([a, b, c, d]: [DVec2; 4], t: f64) -> DVec2 {
    let s = 1.0 - t;
    (s * s * (b - a) + 2.0 * s * t * (c - b) + t * t * (d - c)).normalize_or_zero()
}

/// The ends of `pieces` equal pieces of a line, with the ends on the axis exactly.
fn equally_spaced(line: &[DVec2], length: f64, pieces: usize) -> Vec<DVec2> {
    let (mut found, mut passed, mut piece) = (Vec::with_capacity(pieces + 1), 0.0, 0);
    for ends in line.windows(2) {
        let step = ends[0].distance(ends[1]);
        while piece < pieces && piece as f64 * length / pieces as f64 <= passed + step {
            let part = (piece as f64 * length / pieces as f64 - passed) / step;
            found.push(ends[0].lerp(ends[1], part.clamp(0.0, 1.0)));
            piece += 1;
        }
        passed += step;
    }
    found.extend(line.last().map(|end| DVec2::new(0.0, end.y)));
    found
}

/// Triangles between a ring and the next one along the profile, each given by its first point and their number; one point is a pole. The
/// ring that is behind around the axis goes on.
fn zip_rings(triangles: &mut Vec<[u32; 3]>, below: [usize; 2], above: [usize; 2]) {
    let at = |ring: [usize; 2], k: usize| (ring[0] + k % ring[1]) as u32;
    // A pole has no edges of its own.
    let [edges_below, edges_above] = [below, above].map(|ring| if ring[1] == 1 { 0 } else { ring[1] });
    let (mut i, mut j) = (0, 0);
    while i < edges_below || j < edges_above {
        let below_is_behind = (2 * i + 1) * edges_above <= (2 * j + 1) * edges_below;
        if i < edges_below && (j == edges_above || below_is_behind) {
            triangles.push([at(below, i), at(below, i + 1), at(above, j)]);
            i += 1;
        } else {
            triangles.push([at(below, i), at(above, j + 1), at(above, j)]);
            j += 1;
        }
    }
}
