//! From the tables of a scene to particles, springs and pins.

mod cloth;
pub mod collider;
mod contact;
mod curve;
mod fluid;
mod mesh;
mod motion;
pub(crate) mod peridynamic;
mod restraint;
mod rope;
mod shore;
mod solid;
mod suture;

use std::collections::HashSet;

use glam::DVec3;
use pliant_core::shown::metres;
use pliant_core::{Body, BodyShape, ForceModel, Pin, State, System};
use pliant_forces::contact::{Contact, ContactSettings, Skin};
use pliant_forces::{CubicSpring, CubicSprings, Drag, Gravity, Pendulum, PendulumForce, Spring, Springs};

use pliant_record::attribute::Attribute;

use crate::load::LoadedScene;
use crate::locate::{Document, Located};
use crate::probes::Probe;
use crate::schema::{Corner, Grid, PinTable, Plane, Scene, Side, SpringLaw, SpringsBody};
use crate::suggest::nearest;
use crate::validate::MOST_PARTICLES;

/// Everything that bodies add up to.
#[derive(Default)]
struct Parts {
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    masses: Vec<f64>,
    pins: Vec<Pin>,
    pinned: HashSet<usize>,
    models: Vec<Box<dyn ForceModel>>,
    bodies: Vec<Body>,
    /// Bodies that fall.
    heavy: Vec<std::ops::Range<usize>>,
    /// Bodies that touch.
    skins: Vec<Skin>,
    /// Particles put between two others, level by level.
    refinement: Vec<Vec<[u32; 3]>>,
}

/// A body whose particles are to be pinned.
struct Pinned<'a> {
    /// Columns and rows, where it has them.
    grid: Option<(usize, usize)>,
    points: &'a [DVec3],
    attributes: &'a [Attribute],
    first: usize,
}

/// A spring to be: two particles of the body and a stiffness.
type Link = (usize, usize, f64);

/// Builds the system, its start, and the probes.
pub fn assemble(loaded: &LoadedScene) -> Result<(System, State, Vec<Probe>), Vec<Located>> {
    let (scene, document) = (&loaded.scene, &loaded.document);
    let mut parts = Parts::default();
    for (k, body) in scene.springs.iter().enumerate() {
        add_springs(body, &format!("springs[{k}]"), document, &mut parts).map_err(|error| vec![error])?;
    }
    for (k, body) in scene.cloth.iter().enumerate() {
        cloth::add(loaded, body, &format!("cloth[{k}]"), &mut parts).map_err(|error| vec![error])?;
    }
    for (k, body) in scene.solid.iter().enumerate() {
        solid::add(loaded, body, &format!("solid[{k}]"), &mut parts).map_err(|error| vec![error])?;
    }
    rope::add_all(loaded, &mut parts).map_err(|error| vec![error])?;
    suture::add_all(loaded, &mut parts).map_err(|error| vec![error])?;
    let colliders = collider::colliders(loaded).map_err(|error| vec![error])?;
    peridynamic::add_all(loaded, &colliders, &mut parts).map_err(|error| vec![error])?;
    fluid::add_all(loaded, &colliders, &mut parts).map_err(|error| vec![error])?;
    for body in &scene.pendulum {
        let first = parts.x.len();
        let strength = body.mass.si() * scene.world.gravity.to_dvec3().length() / body.length.si();
        parts.x.push(DVec3::new(body.angle.si(), 0.0, 0.0));
        parts.v.push(DVec3::new(body.angular_velocity.si(), 0.0, 0.0));
        parts.masses.push(body.mass.si());
        parts.models.push(Box::new(PendulumForce::new(vec![Pendulum { node: first as u32, strength }])));
        let shape = BodyShape::Pendulum { length: body.length.si() };
        parts.bodies.push(Body { name: body.name.clone(), particles: first..first + 1, shape, ..Body::default() });
    }
    let gravity = scene.world.gravity.to_dvec3();
    if gravity != DVec3::ZERO && !parts.heavy.is_empty() {
        parts.models.push(Box::new(Gravity::new(gravity, parts.masses.clone(), parts.heavy)));
    }
    if scene.world.drag.si() != 0.0 {
        parts.models.push(Box::new(Drag::new(scene.world.drag.si(), parts.masses.clone())));
    }
    if !parts.skins.is_empty() {
        let settings = ContactSettings { speed: scene.contact.speed.si(), creep: scene.contact.creep.si() };
        let mut contact = Contact::new(&parts.masses, &parts.x, &parts.skins, &colliders, settings);
        contact::check_start(scene, document, &parts.bodies, &parts.x, &parts.v, &mut contact)?;
        parts.models.push(Box::new(contact));
    }
    let probes = find_probes(scene, document, &parts.bodies)?;
    let mut system = System::new(parts.masses, parts.pins, parts.models, parts.bodies)
        .map_err(|error| vec![document.at("", error.to_string())])?;
    system.set_refinement(parts.refinement);
    let restraint = restraint::restraint(scene, &system);
    system.set_restraint(restraint);
    Ok((system, State { time: 0.0, x: parts.x, v: parts.v }, probes))
}

fn add_springs(body: &SpringsBody, path: &str, document: &Document, parts: &mut Parts) -> Result<(), Located> {
    let first = parts.x.len();
    let (points, links) = shape(body);
    let count = points.len();
    if first + count > MOST_PARTICLES {
        return Err(document.at(path, format!("more than {MOST_PARTICLES} particles in all bodies together")));
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

/// Two triangles a cell, for drawing; the diagonal alternates so that no direction is preferred.
fn grid_surface(columns: usize, rows: usize, first: u32) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(2 * (columns - 1) * (rows - 1));
    let (columns, rows) = (columns as u32, rows as u32);
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let a = first + row * columns + column;
            let (b, c, d) = (a + 1, a + columns, a + columns + 1);
            let pair = if (row + column) % 2 == 0 { [[a, c, d], [a, d, b]] } else { [[a, c, b], [b, c, d]] };
            triangles.extend(pair);
        }
    }
    triangles
}

/// Distance at which surfaces begin to push each other away, where nothing else is said, m;
const CONTACT_DISTANCE: f64 = 2e-3;
/// and the part of the shortest edge that it must not exceed.
const OF_SHORTEST_EDGE: f64 = 0.4;

/// The distance at which a surface begins to push others away: as given, if its triangles allow it.
fn contact_distance(triangles: &[[u32; 3]], x: &[DVec3], given: Option<f64>) -> Result<f64, String> {
    let sides = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]];
    let length = |[a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
    let shortest = triangles.iter().flat_map(sides).map(length).fold(f64::INFINITY, f64::min);
    let most = OF_SHORTEST_EDGE * shortest;
    let thickness = given.unwrap_or(CONTACT_DISTANCE.min(most));
    if thickness > most {
        return Err(format!(
            "{} is too much for triangles whose shortest edge is {}: neighbours would push each other; at most {}",
            metres(thickness),
            metres(shortest),
            metres(most)
        ));
    }
    Ok(thickness)
}

/// Pins what a table means.
fn pin(table: &PinTable, body: &Pinned, document: &Document, path: &str, parts: &mut Parts) -> Result<(), Located> {
    let chosen = chosen(table, body).map_err(|message| document.at(path, message))?;
    if chosen.is_empty() {
        return Err(document.at(path, "no particle is inside this box"));
    }
    for particle in chosen {
        let Some(place) = body.points.get(particle) else {
            let message = format!("there is no particle {particle}; they are numbered 0 to {}", body.points.len() - 1);
            return Err(document.at(path, message));
        };
        let pin = Pin { particle: body.first + particle, path: motion::path(table, *place) };
        if !parts.pinned.insert(pin.particle) {
            return Err(document.at(path, format!("particle {particle} is pinned twice")));
        }
        parts.pins.push(pin);
    }
    Ok(())
}

/// The particles that a pin table means, each once, in order.
fn chosen(pin: &PinTable, body: &Pinned) -> Result<Vec<usize>, String> {
    let mut all = pin.particles.clone();
    if let Some((columns, rows)) = body.grid {
        let (right, last) = (columns - 1, columns * (rows - 1));
        all.extend(pin.corners.iter().map(|corner| match corner {
            Corner::TopLeft => 0,
            Corner::TopRight => right,
            Corner::BottomLeft => last,
            Corner::BottomRight => last + right,
        }));
        match pin.side {
            Some(Side::Top) => all.extend(0..columns),
            Some(Side::Bottom) => all.extend(last..last + columns),
            Some(Side::Left) => all.extend((0..rows).map(|row| row * columns)),
            Some(Side::Right) => all.extend((0..rows).map(|row| row * columns + right)),
            None => {}
        }
    }
    if let Some(inside) = &pin.inside {
        let (min, max) = (inside.min.to_dvec3(), inside.max.to_dvec3());
        let is_inside = |p: &DVec3| p.cmpge(min).all() && p.cmple(max).all();
        all.extend(body.points.iter().enumerate().filter(|(_, p)| is_inside(p)).map(|(k, _)| k));
    }
    if let Some(name) = &pin.attribute {
        let names = || body.attributes.iter().map(|attribute| attribute.name.as_str());
        let found = body.attributes.iter().find(|attribute| attribute.name == *name).ok_or_else(|| {
            let there = names().collect::<Vec<_>>().join(", ");
            let there = if there.is_empty() { "none".to_owned() } else { there };
            format!("the mesh has no vertex property \"{name}\"; it has: {there}")
        })?;
        all.extend(found.values.iter().enumerate().filter(|(_, value)| **value > 0.5).map(|(k, _)| k));
        if all.is_empty() {
            return Err(format!("no vertex has a value of \"{name}\" above 0.5"));
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

fn find_probes(scene: &Scene, document: &Document, bodies: &[Body]) -> Result<Vec<Probe>, Vec<Located>> {
    let mut errors = Vec::new();
    let mut probes = Vec::new();
    for (k, table) in scene.probe.iter().enumerate() {
        let body = match &table.body {
            Some(name) => bodies.iter().find(|body| body.name == *name),
            None => bodies.first().filter(|_| bodies.len() == 1 || !table.quantity.needs_body()),
        };
        let Some(body) = body else {
            let names = || bodies.iter().map(|body| body.name.as_str());
            let message = match &table.body {
                Some(name) => match nearest(name, names()) {
                    Some(near) => format!("there is no body \"{name}\"; did you mean \"{near}\"?"),
                    None => {
                        format!("there is no body \"{name}\"; there are: {}", names().collect::<Vec<_>>().join(", "))
                    }
                },
                None => "say which body is meant: there are several".into(),
            };
            errors.push(document.at(&format!("probe[{k}].body"), message));
            continue;
        };
        if table.particle >= body.particles.len() {
            let message = format!("body \"{}\" has particles 0 to {}", body.name, body.particles.len() - 1);
            errors.push(document.at(&format!("probe[{k}].particle"), message));
            continue;
        }
        probes.push(Probe {
            name: table.name.clone(),
            quantity: table.quantity,
            particle: body.particles.start + table.particle,
            body: body.particles.clone(),
        });
    }
    if errors.is_empty() { Ok(probes) } else { Err(errors) }
}
