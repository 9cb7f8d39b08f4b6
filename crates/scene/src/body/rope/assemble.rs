//! From `[[rope]]` to particles and forces.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use pliant_core::{Body, Pin};
use pliant_forces::contact::ContactBody;
use pliant_forces::rope::presets::find;
use pliant_forces::rope::{PaperCell, ROPES, RestShape, Rope, RopeError, RopeMaterial, RopeSpec, paper_rope, rope};
use pliant_forces::{Spring, Springs};
use pliant_geom::rope::{Centreline, Frames};

use crate::assemble::{Parts, motion};
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::schema::{RopeBody, RopeCell, RopeEnd, RopePin, RopeRest};
use crate::validate::MAX_PARTICLES;

/// Default softness of the contact of a rope, as a part of its radius.
const SOFT: f64 = 0.2;
/// Ropes that pass each other within this many sums of their radii are knotted together on request.
const KNOTTED: f64 = 1.5;
/// Volume stiffness of the paper's cell over the modulus of its edges.
const PAPER_BULK: f64 = 0.1;

/// A rope that others can be knotted to.
struct Laid {
    centreline: Vec<u32>,
    radius: f64,
    stretch: f64,
    damping: f64,
    knotted: bool,
}

/// Adds all ropes of a scene.
pub(super) fn add_all(loaded: &LoadedScene, parts: &mut Parts) -> Result<(), Located> {
    let lines = super::curve::centrelines(loaded)?;
    let mut laid = Vec::with_capacity(lines.len());
    for (k, (body, line)) in loaded.scene.rope.iter().zip(&lines).enumerate() {
        laid.push(add(loaded, body, line, &format!("rope[{k}]"), parts)?);
    }
    let ties = knots(&laid, &parts.x);
    if !ties.is_empty() {
        parts.models.push(Box::new(Springs::new(ties)));
    }
    Ok(())
}

fn add(
    loaded: &LoadedScene,
    body: &RopeBody,
    line: &Centreline,
    path: &str,
    parts: &mut Parts,
) -> Result<Laid, Located> {
    let document = &loaded.document;
    let first = parts.x.len();
    let wrong = |key: &str, message: String| document.at(&format!("{path}{key}"), message);
    if first + 4 * line.points().len() > MAX_PARTICLES {
        return Err(wrong("", format!("more than {MAX_PARTICLES} particles in all bodies together")));
    }
    let frames = Frames::new(line, TAU * body.twist);
    let (radius, material) = (body.radius.si(), material(body));
    let mut rope = build(body, line, &frames, &material, first as u32).map_err(|error| match error {
        RopeError::Curve(bad) => wrong(".radius", bad.to_string()),
        RopeError::Unattainable { .. } => wrong(".rest", error.to_string()),
        other => wrong("", other.to_string()),
    })?;
    let count = rope.x.len();
    parts.x.extend_from_slice(&rope.x);
    parts.v.extend(std::iter::repeat_n(body.velocity.to_dvec3(), count));
    parts.masses.extend_from_slice(&rope.masses);
    parts.heavy.push(first..first + count);
    for (k, table) in body.pins.iter().enumerate() {
        pin(table, &mut rope, first, parts).map_err(|message| wrong(&format!(".pins[{k}]"), message))?;
    }
    parts.models.extend(rope.models());
    let segments: Vec<[u32; 2]> = rope.segments().collect();
    if body.contact {
        let thickness = body.contact_distance.map_or(SOFT * radius, |distance| distance.si());
        let contact_body = ContactBody {
            segments: segments.clone(),
            radius: radius - 0.5 * thickness,
            thickness,
            ..ContactBody::default()
        };
        parts.contact_bodies.push(ContactBody { friction: body.friction, ..contact_body });
    }
    let strands = body.strands.unwrap_or_else(|| find(&body.preset).map_or(1, |kind| kind.strands));
    let fine_surface = rope.tube(radius, strands, first as u32);
    let (name, particles) = (body.name.clone(), first..first + count);
    let shown = Body { name, particles, edges: segments, fine_surface, ..Body::default() };
    parts.bodies.push(Body { rest_length: shown.length(&parts.x), ..shown });
    let (stretch, damping) = (material.stretch, body.damping.si());
    Ok(Laid { centreline: rope.centreline, radius, stretch, damping, knotted: body.knotted })
}

/// The preset, overridden by the values of the scene.
fn material(body: &RopeBody) -> RopeMaterial {
    let kind = find(&body.preset).unwrap_or(&ROPES[0]);
    let radius = body.radius.si();
    let poisson = body.poisson.unwrap_or(kind.poisson);
    let mut material = kind.material(radius);
    if let Some(young) = body.youngs_modulus {
        material = RopeMaterial {
            mass_per_length: material.mass_per_length,
            ..RopeMaterial::solid(young.si(), poisson, 1.0, radius)
        };
    }
    let or = |given: Option<f64>, otherwise: f64| given.unwrap_or(otherwise);
    RopeMaterial {
        stretch: or(body.stretch_stiffness.map(|k| k.si()), material.stretch),
        bend: or(body.bend_stiffness.map(|k| k.si()), material.bend),
        twist: or(body.twist_stiffness.map(|k| k.si()), material.twist),
        mass_per_length: match (body.mass_per_length, body.density) {
            (Some(mass), _) => mass.si(),
            (None, Some(density)) => density.si() * PI * radius * radius,
            (None, None) => material.mass_per_length,
        },
        ..material
    }
    .damped(body.damping.si())
}

fn build(
    body: &RopeBody,
    line: &Centreline,
    frames: &Frames,
    material: &RopeMaterial,
    first: u32,
) -> Result<Rope, RopeError> {
    let radius = body.radius.si();
    match body.cell {
        RopeCell::Isotropic => {
            let rest = if body.rest == RopeRest::Curve { RestShape::Curve } else { RestShape::Straight };
            rope(line, frames, &RopeSpec { rest, ..RopeSpec::new(*material, radius) }, first)
        }
        RopeCell::Paper => {
            // three edges run along it
            let edge = material.stretch / 3.0;
            let cell = PaperCell {
                radius,
                edge,
                bulk: PAPER_BULK * edge / (radius * radius),
                torsion: material.twist,
                mass_per_length: material.mass_per_length,
                damping_time: body.damping.si(),
            };
            paper_rope(line, frames, &cell, first)
        }
    }
}

/// Pins the points that a table selects.
fn pin(table: &RopePin, rope: &mut Rope, first: usize, parts: &mut Parts) -> Result<(), String> {
    let last = rope.centreline.len() - 1;
    let mut chosen = table.points.clone();
    if let Some(out) = chosen.iter().find(|point| **point > last) {
        return Err(format!("there is no point {out}; they are numbered 0 to {last}"));
    }
    if table.end.is_some() && rope.is_closed {
        return Err("a closed rope has no ends; use `points` or `box`".into());
    }
    for (at, of) in [(0, RopeEnd::First), (last, RopeEnd::Last)] {
        chosen.extend(table.end.is_some_and(|end| end == of || end == RopeEnd::Both).then_some(at));
    }
    if let Some(inside) = &table.inside {
        let (min, max) = (inside.min.to_dvec3(), inside.max.to_dvec3());
        let is_inside = |x: DVec3| x.cmpge(min).all() && x.cmple(max).all();
        let place = |k: usize| rope.x[rope.centreline[k] as usize - first];
        let before = chosen.len();
        chosen.extend((0..=last).filter(|k| is_inside(place(*k))));
        if chosen.len() == before {
            return Err("no point of the rope is inside this box".into());
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    for point in chosen {
        let mut section = rope.section(point);
        if table.clamp {
            rope.clamp(point).map_err(|error| error.to_string())?;
        } else {
            section.end = section.start + 1;
        }
        for particle in section.map(|particle| particle as usize) {
            if !parts.pinned.insert(particle) {
                return Err(format!("point {point} is pinned twice"));
            }
            let motion = (table.oscillate.as_ref(), table.keyframes.as_ref(), table.turn.as_ref());
            parts.pins.push(Pin { particle, path: motion::path_of(motion, rope.x[particle - first]) });
        }
    }
    Ok(())
}

/// Springs between knotted ropes, wherever two pass each other: at each point of one that is a local minimum of the distance to the other.
fn knots(ropes: &[Laid], x: &[DVec3]) -> Vec<Spring> {
    let mut ties = Vec::new();
    let at = |particle: &u32| x[*particle as usize];
    for (k, one) in ropes.iter().enumerate().filter(|(_, rope)| rope.knotted) {
        for other in ropes[k + 1..].iter().filter(|rope| rope.knotted) {
            let reach = KNOTTED * (one.radius + other.radius);
            let nearest = |a: &u32| {
                let by = |p: &&u32, q: &&u32| at(p).distance(at(a)).total_cmp(&at(q).distance(at(a)));
                other.centreline.iter().min_by(by).map_or((f64::INFINITY, 0), |b| (at(b).distance(at(a)), *b))
            };
            let gaps: Vec<(f64, u32)> = one.centreline.iter().map(nearest).collect();
            for (i, (distance, b)) in gaps.iter().enumerate() {
                let before = i.checked_sub(1).map_or(f64::INFINITY, |i| gaps[i].0);
                let after = gaps.get(i + 1).map_or(f64::INFINITY, |gap| gap.0);
                if *distance > reach || before <= *distance || after < *distance {
                    continue;
                }
                let stiffness = one.stretch.min(other.stretch) / reach;
                let nodes = [one.centreline[i], *b];
                let damping = one.damping.max(other.damping) * stiffness;
                ties.push(Spring { nodes, rest_length: *distance, stiffness, damping });
            }
        }
    }
    ties
}
