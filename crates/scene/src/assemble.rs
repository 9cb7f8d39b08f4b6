//! From the tables of a scene to particles, springs and pins.

pub(crate) mod boundaries;
pub mod collider;
mod contact;
pub(crate) mod mesh;
pub(crate) mod motion;
mod restraint;

use std::collections::HashSet;

use glam::DVec3;
use pliant_core::{Body, ForceModel, Pin, State, System, View};
use pliant_forces::contact::{Contact, ContactBody, ContactSettings};
use pliant_forces::{Drag, Gravity};
use pliant_scalar::shown::metres;

use pliant_mesh::Attribute;

use crate::body::{KINDS, Phase};
use crate::load::LoadedScene;
use crate::locate::{Document, Located};
use crate::probes::Probe;
use crate::schema::{Corner, PinTable, Scene, Side};
use crate::suggest::nearest;

/// The system under assembly: everything that bodies have added so far.
#[derive(Default)]
pub(crate) struct Parts {
    pub x: Vec<DVec3>,
    pub v: Vec<DVec3>,
    pub masses: Vec<f64>,
    pub pins: Vec<Pin>,
    pub pinned: HashSet<usize>,
    pub models: Vec<Box<dyn ForceModel>>,
    pub bodies: Vec<Body>,
    /// Bodies under gravity.
    pub heavy: Vec<std::ops::Range<usize>>,
    /// Bodies with contact.
    pub contact_bodies: Vec<ContactBody>,
    /// Particles inserted between two others, level by level.
    pub refinement: Vec<Vec<[u32; 3]>>,
}

/// A body with particles that are to be pinned.
pub(crate) struct Pinned<'a> {
    /// Columns and rows, where it has them.
    pub grid: Option<(usize, usize)>,
    pub points: &'a [DVec3],
    pub attributes: &'a [Attribute],
    pub first: usize,
}

/// A scene as a system.
pub struct Assembled {
    /// The system.
    pub system: System,
    /// Its start.
    pub start: State,
    /// What to measure.
    pub probes: Vec<Probe>,
    /// The smallest contact distance of a body, m, if any has contact.
    pub contact_distance: Option<f64>,
    /// Warnings about legal but probably unintended starts.
    pub warnings: Vec<String>,
}

/// Builds the system, its start, and the probes.
pub fn assemble(loaded: &LoadedScene) -> Result<Assembled, Vec<Located>> {
    let (scene, document) = (&loaded.scene, &loaded.document);
    let mut parts = Parts::default();
    let colliders = collider::colliders(loaded).map_err(|error| vec![error])?;
    for phase in Phase::ALL {
        for kind in KINDS.iter().filter(|kind| kind.properties.phase == phase) {
            (kind.assemble)(loaded, &colliders, &mut parts).map_err(|error| vec![error])?;
        }
    }
    let gravity = scene.world.gravity.to_dvec3();
    if gravity != DVec3::ZERO && !parts.heavy.is_empty() {
        parts.models.push(Box::new(Gravity::new(gravity, parts.masses.clone(), parts.heavy)));
    }
    if scene.world.drag.si() != 0.0 {
        parts.models.push(Box::new(Drag::new(scene.world.drag.si(), parts.masses.clone())));
    }
    let mut warnings = Vec::new();
    let contact_distance = parts.contact_bodies.iter().map(|body| body.thickness).reduce(f64::min);
    if !parts.contact_bodies.is_empty() {
        let settings = ContactSettings { speed: scene.contact.speed.si(), creep: scene.contact.creep.si() };
        let mut contact = Contact::new(&parts.masses, &parts.x, &parts.contact_bodies, &colliders, settings);
        let view = View { time: 0.0, x: &parts.x, v: &parts.v };
        warnings = contact::Start { scene, document, bodies: &parts.bodies, view }.prepare(&mut contact)?;
        parts.models.push(Box::new(contact));
    }
    let probes = find_probes(scene, document, &parts.bodies)?;
    let mut system = System::new(parts.masses, parts.pins, parts.models, parts.bodies)
        .map_err(|error| vec![document.at("", error.to_string())])?;
    system.set_refinement(parts.refinement);
    let restraint = restraint::restraint(scene, &system);
    system.set_restraint(restraint);
    let start = State { time: 0.0, x: parts.x, v: parts.v };
    Ok(Assembled { system, start, probes, contact_distance, warnings })
}

/// Two triangles per cell, for drawing; the diagonal alternates so that no direction is preferred.
pub(crate) fn grid_surface(columns: usize, rows: usize, first: u32) -> Vec<[u32; 3]> {
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

/// Default contact distance of surfaces, m;
const CONTACT_DISTANCE: f64 = 2e-3;
/// and the part of the shortest edge that it must not exceed.
const OF_SHORTEST_EDGE: f64 = 0.4;

/// The contact distance of a surface: as given, if its triangles allow it.
pub(crate) fn contact_distance(triangles: &[[u32; 3]], x: &[DVec3], given: Option<f64>) -> Result<f64, String> {
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

/// Pins the particles that a table selects.
pub(crate) fn pin(
    table: &PinTable,
    body: &Pinned,
    document: &Document,
    path: &str,
    parts: &mut Parts,
) -> Result<(), Located> {
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

/// The particles that a pin table selects, each once, in order.
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
