//! From `[[springs]]` to particles and forces.

use glam::DVec3;
use pliant_core::Body;
use pliant_forces::{CubicSpring, CubicSprings, Spring, Springs};

use super::schema::{Grid, SpringLaw, SpringsBody};
use crate::assemble::{Parts, Pinned, grid_surface, pin};
use crate::locate::{Document, Located};
use crate::schema::Plane;
use crate::validate::MAX_PARTICLES;

/// A spring under assembly: two particles of the body and a stiffness.
type Link = (usize, usize, f64);

pub(super) fn add(body: &SpringsBody, path: &str, document: &Document, parts: &mut Parts) -> Result<(), Located> {
    let first = parts.x.len();
    let (points, links) = shape(body);
    let count = points.len();
    if first + count > MAX_PARTICLES {
        return Err(document.at(path, format!("more than {MAX_PARTICLES} particles in all bodies together")));
    }
    let mass = body.mass.map_or_else(|| body.total_mass.map_or(0.0, |m| m.si()) / count as f64, |m| m.si());
    parts.masses.extend(std::iter::repeat_n(mass, count));
    parts.v.extend(std::iter::repeat_n(body.velocity.to_dvec3(), count));
    let (mut edges, mut anchors) = (Vec::new(), Vec::new());
    if body.law == SpringLaw::Cubic {
        let anchor = body.anchor.map_or(DVec3::ZERO, |a| a.to_dvec3());
        let spring = |k: usize| CubicSpring {
            node: (first + k) as u32,
            anchor,
            stiffness: body.stiffness.si(),
            damping: body.damping.si(),
        };
        parts.models.push(Box::new(CubicSprings::new((0..count).map(spring).collect())));
        anchors.extend((first..first + count).map(|particle| (particle as u32, anchor)));
    } else {
        let mut springs = Vec::with_capacity(links.len());
        for (k, (a, b, stiffness)) in links.into_iter().enumerate() {
            let length = (points[b] - points[a]).length();
            let rest_length = body.rest_length.map_or(length, |rest| rest.si());
            if length == 0.0 && rest_length == 0.0 {
                let place = if body.edges.is_some() { format!("{path}.edges[{k}]") } else { path.to_owned() };
                let message =
                    format!("points {a} and {b} are at the same place: a spring needs a length or a rest length");
                return Err(document.at(&place, message));
            }
            let nodes = [(first + a) as u32, (first + b) as u32];
            edges.push(nodes);
            springs.push(Spring { nodes, rest_length, stiffness, damping: body.damping.si() });
        }
        if !springs.is_empty() {
            parts.models.push(Box::new(Springs::new(springs)));
        }
    }
    for (k, table) in body.pins.iter().enumerate() {
        let grid = body.grid.as_ref().map(|grid| (grid.columns, grid.rows));
        let pinned = Pinned { grid, points: &points, attributes: &[], first };
        pin(table, &pinned, document, &format!("{path}.pins[{k}]"), parts)?;
    }
    parts.x.extend(points);
    parts.heavy.push(first..first + count);
    let triangles =
        body.grid.as_ref().map_or_else(Vec::new, |grid| grid_surface(grid.columns, grid.rows, first as u32));
    let (name, particles) = (body.name.clone(), first..first + count);
    parts.bodies.push(Body { name, particles, edges, triangles, anchors, ..Body::default() });
    Ok(())
}

/// Positions and springs of a body, numbered from 0.
fn shape(body: &SpringsBody) -> (Vec<DVec3>, Vec<Link>) {
    let stiffness = body.stiffness.si();
    if let Some(grid) = &body.grid {
        let shear = body.shear_stiffness.map_or(stiffness, |k| k.si());
        let bend = body.bend_stiffness.map_or(stiffness, |k| k.si());
        return grid_shape(grid, stiffness, shear, bend);
    }
    if let Some(chain) = &body.chain {
        let (from, to) = (chain.from.to_dvec3(), chain.to.to_dvec3());
        let points = (0..chain.count).map(|k| from.lerp(to, k as f64 / (chain.count - 1) as f64)).collect();
        return (points, (1..chain.count).map(|k| (k - 1, k, stiffness)).collect());
    }
    let points = body.points.iter().flatten().map(|p| p.to_dvec3()).collect();
    let links = body.edges.iter().flatten().map(|[a, b]| (*a, *b, stiffness)).collect();
    (points, links)
}

fn grid_shape(grid: &Grid, structural: f64, shear: f64, bend: f64) -> (Vec<DVec3>, Vec<Link>) {
    let (columns, rows) = (grid.columns, grid.rows);
    let down = if grid.plane == Plane::Vertical { DVec3::NEG_Y } else { DVec3::Z };
    let right = DVec3::X * (grid.width.si() / (columns - 1) as f64);
    let down = down * (grid.height.si() / (rows - 1) as f64);
    let at = |column: usize, row: usize| row * columns + column;
    let mut points = Vec::with_capacity(columns * rows);
    let mut links = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            points.push(grid.origin.to_dvec3() + right * column as f64 + down * row as f64);
            let mut link = |dc: usize, dr: usize, stiffness: f64| {
                if column + dc < columns && row + dr < rows {
                    links.push((at(column, row), at(column + dc, row + dr), stiffness));
                }
            };
            link(1, 0, structural);
            link(0, 1, structural);
            if grid.bend {
                link(2, 0, bend);
                link(0, 2, bend);
            }
            if grid.diagonal && column + 1 < columns && row + 1 < rows {
                links.push((at(column, row), at(column + 1, row + 1), shear));
                links.push((at(column + 1, row), at(column, row + 1), shear));
            }
        }
    }
    (points, links)
}
