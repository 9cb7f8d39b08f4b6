//! Boundaries of fluids: walls of their containers, colliders, and all bodies with contact.
//!
//! Where a box of fluid overlaps with one of them at the start, it is filled only as far as it is free: no particle begins nearer to a boundary than
//! nearly half a spacing, which is where the first layer in front of a wall is at rest.

use glam::DVec3;
use pliant_forces::contact::{Collider, ContactBody, Shape};
use pliant_forces::sph::{Boundaries, Sheet};
use pliant_geom::TriangleMesh;
use pliant_geom::distance::vertex_triangle;
use pliant_geom::stuffing::SignedDistance;

use crate::schema::{ContainerTable, FluidBody};

/// Initial clearance of particles from boundaries, as a part of the spacing.
const FREE: f64 = 0.49;

/// All boundaries of a scene's fluids.
pub(crate) fn boundaries(
    fluids: &[FluidBody],
    colliders: &[Collider],
    contact_bodies: &[ContactBody],
    spacing: f64,
) -> Boundaries {
    let mut all = Boundaries { spacing, ..Boundaries::default() };
    for body in fluids {
        if let Some(ContainerTable { inside, open_top }) = &body.container {
            let corners = [inside.min.to_dvec3(), inside.max.to_dvec3()];
            all.colliders.extend(Boundaries::container(corners, !open_top, spacing).colliders);
        }
    }
    all.colliders.extend_from_slice(colliders);
    for contact_body in contact_bodies {
        let mut triangles = contact_body.triangles.clone();
        triangles.extend(contact_body.segments.iter().map(|[a, b]| [*a, *b, *b]));
        all.sheets.push(Sheet { triangles, thickness: 2.0 * contact_body.radius });
    }
    all
}

/// A boundary in the initial state, with a distance query.
enum Start {
    Plane(DVec3, DVec3),
    /// Triangles without an inside, or segments and points: with a thickness.
    Thin(Vec<[DVec3; 3]>, f64),
    Closed(TriangleMesh),
}

/// Keeps only the places that are free in the initial state.
pub(crate) fn keep_free(boundaries: &Boundaries, x: &[DVec3], places: &mut Vec<DVec3>) {
    let near = FREE * boundaries.spacing;
    for start in boundaries.colliders.iter().map(of_collider).chain(boundaries.sheets.iter().map(|s| of_sheet(s, x))) {
        match start {
            Start::Plane(point, normal) => places.retain(|place| (*place - point).dot(normal) >= near),
            Start::Thin(all, radius) => places.retain(|place| {
                all.iter().all(|[a, b, c]| vertex_triangle(&[*place, *a, *b, *c]).distance - radius >= near)
            }),
            Start::Closed(mesh) => {
                // a mesh without a signed distance has no inside; contact reports it elsewhere
                let Ok(distance) = SignedDistance::new(&mesh) else { continue };
                let bounds = distance.bounds.grown(near);
                let is_out = |p: &DVec3| p.cmplt(bounds.low).any() || p.cmpgt(bounds.high).any();
                places.retain(|place| is_out(place) || distance.signed(*place, near) >= near);
            }
        }
    }
}

fn of_collider(collider: &Collider) -> Start {
    let at = |point: DVec3| collider.motion.at(0.0, point).0;
    match &collider.shape {
        Shape::Plane { point, normal } => Start::Plane(at(*point), at(*point + *normal) - at(*point)),
        Shape::Simplices { points, triangles, radius, .. } if !triangles.is_empty() && *radius == 0.0 => {
            Start::Closed(TriangleMesh {
                points: points.iter().map(|p| at(*p)).collect(),
                triangles: triangles.clone(),
            })
        }
        Shape::Simplices { points, segments, triangles, radius } => {
            let place = |k: u32| at(points[k as usize]);
            let mut all: Vec<[DVec3; 3]> = triangles.iter().map(|corners| corners.map(place)).collect();
            all.extend(segments.iter().map(|[a, b]| [*a, *b, *b].map(place)));
            if all.is_empty() {
                all.extend(points.iter().map(|point| [at(*point); 3]));
            }
            Start::Thin(all, *radius)
        }
    }
}

fn of_sheet(sheet: &Sheet, x: &[DVec3]) -> Start {
    let mesh = TriangleMesh { points: x.to_vec(), triangles: sheet.triangles.clone() };
    if sheet.thickness == 0.0 {
        // an open one has no inside: its winding number is nowhere above a half
        return Start::Closed(mesh);
    }
    let corners = |nodes: &[u32; 3]| nodes.map(|node| x[node as usize]);
    Start::Thin(sheet.triangles.iter().map(corners).collect(), 0.5 * sheet.thickness)
}
