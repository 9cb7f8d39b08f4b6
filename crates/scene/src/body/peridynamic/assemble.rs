//! From `[[peridynamic]]` to particles, bonds, and the contact between fragments.

use std::sync::Arc;

use glam::DVec3;
use pliant_core::{Body, BodyShape};
use pliant_forces::contact::Collider;
use pliant_forces::peridynamics::lattice::Calibration;
use pliant_forces::peridynamics::presets::{BRITTLE, find};
use pliant_forces::peridynamics::{
    Breaking, Brittle, BrittleError, Crack, GrainBody, GrainContact, GrainContactSettings, Law, Peridynamics, Space,
};
use pliant_geom::TriangleMesh;
use pliant_geom::grains::Rubble;
use pliant_geom::grains::{Lattice, Shards};
use pliant_geom::shapes::{bunny, goblet, icosphere, torus};
use pliant_geom::stuffing::SignedDistance;

use crate::assemble::boundaries::boundaries;
use crate::assemble::mesh::polygons;
use crate::assemble::{Parts, Pinned, pin};
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::schema::{BrittleFigure, BrittleFigureTable, BrittleLaw, BrittleSpace, PeridynamicBody, Scene};
use crate::validate::MAX_PARTICLES;

/// The default tolerance per step, as a part of the largest stretch of the shortest bond.
const TOLERANCE: f64 = 0.1;

/// Adds all brittle bodies of a scene.
pub(super) fn add_all(loaded: &LoadedScene, colliders: &[Collider], parts: &mut Parts) -> Result<(), Located> {
    let (scene, document) = (&loaded.scene, &loaded.document);
    if scene.peridynamic.is_empty() {
        return Ok(());
    }
    let start = parts.x.len();
    let mut bodies = Vec::new();
    for (k, body) in scene.peridynamic.iter().enumerate() {
        bodies.push(add(loaded, body, &format!("peridynamic[{k}]"), parts)?);
    }
    let step_after = scene.fracture.step_after.map(|step| step.si());
    let breaking = Breaking { step_after, overshoot: scene.fracture.overshoot };
    let complain = |error: BrittleError| document.at("peridynamic[0]", error.to_string());
    parts.models.push(Box::new(Peridynamics::new(bodies.clone(), &parts.x, breaking).map_err(complain)?));
    let spacing = bodies.iter().map(|body| body.spacing).fold(f64::INFINITY, f64::min);
    let walls = boundaries(&[], colliders, &parts.contact_bodies, spacing);
    let friction = scene.peridynamic.iter().map(|body| body.friction).collect();
    let of_colliders = colliders.iter().map(|collider| collider.friction);
    let boundary_friction = of_colliders.chain(parts.contact_bodies.iter().map(|body| body.friction)).collect();
    let touch = GrainContactSettings { friction, boundary_friction, creep: scene.contact.creep.si() };
    let mut contact = GrainContact::new(&bodies, &parts.x, &walls, &touch).map_err(complain)?;
    if let Some(particle) = contact.first_inside(&parts.x, &parts.v) {
        let at = bodies.iter().position(|body| body.particles.contains(&particle)).unwrap_or(0);
        let message = format!(
            "\"{}\" begins inside of a collider or of another body, near {:.4} m: move one of them",
            scene.peridynamic[at].name, parts.x[particle]
        );
        return Err(document.at(&format!("peridynamic[{at}]"), message));
    }
    parts.models.push(Box::new(contact));
    parts.heavy.push(start..parts.x.len());
    Ok(())
}

/// Adds the particles of a body.
fn add(loaded: &LoadedScene, body: &PeridynamicBody, path: &str, parts: &mut Parts) -> Result<GrainBody, Located> {
    let document = &loaded.document;
    let wrong = |key: &str, message: String| document.at(&format!("{path}{key}"), message);
    let first = parts.x.len();
    let (lattice, surface) = fill(loaded, body, path)?;
    let mut points = lattice.points();
    if first + points.len() > MAX_PARTICLES {
        return Err(wrong("", format!("more than {MAX_PARTICLES} particles in all bodies together")));
    }
    let flat = if body.space == BrittleSpace::Three { DVec3::ONE } else { DVec3::new(1.0, 1.0, 0.0) };
    let size = body.jitter * body.spacing.si();
    points.iter_mut().zip(0_u64..).for_each(|(point, k)| *point += random(body.seed, k) * flat * size);
    let grains = grains(body, first..first + points.len());
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let (velocity, spin) = (body.velocity.to_dvec3(), body.spin.to_dvec3());
    parts.v.extend(points.iter().map(|point| velocity + spin.cross(*point - middle)));
    parts.masses.resize(first + points.len(), grains.mass());
    for (k, table) in body.pins.iter().enumerate() {
        let pinned = Pinned { grid: None, points: &points, attributes: &[], first };
        pin(table, &pinned, document, &format!("{path}.pins[{k}]"), parts)?;
    }
    parts.x.extend_from_slice(&points);
    let distance = surface.as_ref().and_then(|surface| SignedDistance::new(surface).ok());
    let shards = Shards::new(&lattice, distance.as_ref());
    let rubble = Some(Arc::new(Rubble { shards, rest: points }));
    let shape = BodyShape::Grains { spacing: body.spacing.si() };
    let (name, particles) = (body.name.clone(), grains.particles.clone());
    parts.bodies.push(Body { name, particles, shape, rubble, is_solid: true, ..Body::default() });
    // one body at a time, so that errors name the body
    let alone = GrainBody { particles: 0..grains.particles.len(), ..grains.clone() };
    Peridynamics::new(vec![alone], &parts.x[first..], Breaking::default()).map_err(|error| {
        let key = match &error {
            BrittleError::Poisson { .. } => ".poisson",
            BrittleError::ShortHorizon { .. } => ".horizon",
            _ => "",
        };
        wrong(key, error.to_string())
    })?;
    Ok(grains)
}

/// The lattice, and the surface that it fills if that is no block.
fn fill(loaded: &LoadedScene, body: &PeridynamicBody, path: &str) -> Result<(Lattice, Option<TriangleMesh>), Located> {
    let (document, spacing) = (&loaded.document, body.spacing.si());
    if let Some(block) = &body.block {
        let (min, mut max) = (block.min.to_dvec3(), block.max.to_dvec3());
        if body.space != BrittleSpace::Three {
            max.z = min.z + spacing;
        }
        let lattice = Lattice::block(min, max, spacing, MAX_PARTICLES);
        return lattice.map(|lattice| (lattice, None)).map_err(|e| document.at(&format!("{path}.box"), e.to_string()));
    }
    let (surface, key) = if let Some(table) = &body.surface {
        let given = (table.points.as_slice(), table.triangles.as_slice());
        let mesh = polygons(loaded, table.file.as_deref(), given, &format!("{path}.surface"))?;
        let points = mesh.points.iter().map(|point| *point * table.scale + table.offset.to_dvec3()).collect();
        (TriangleMesh { points, triangles: mesh.triangles() }, "surface")
    } else if let Some(table) = &body.figure {
        (figure(table, spacing).map_err(|message| document.at(&format!("{path}.figure"), message))?, "figure")
    } else {
        return Err(document.at(path, "has no shape"));
    };
    let wrong = |message: String| document.at(&format!("{path}.{key}"), message);
    let lattice = Lattice::filled(&surface, spacing, MAX_PARTICLES).map_err(|error| wrong(error.to_string()))?;
    let lonely = lattice.lonely();
    if lonely > 0 {
        return Err(wrong(format!(
            "{lonely} particles have no neighbour: it is too thin in places; make `spacing` smaller"
        )));
    }
    Ok((lattice, Some(surface)))
}

/// A figure of a size, its middle at a place.
fn figure(table: &BrittleFigureTable, spacing: f64) -> Result<TriangleMesh, String> {
    let size = table.size.si();
    let cell = (0.5 * spacing).min(0.03 * size);
    let surface = match table.shape {
        BrittleFigure::Ball => icosphere(0.5 * size, 4),
        BrittleFigure::Ring => torus(0.35 * size, 0.15 * size, 96, 48),
        BrittleFigure::Rabbit => bunny(size, cell),
        BrittleFigure::Goblet => goblet(size, cell),
    };
    let mut surface = surface.map_err(|error| error.to_string())?;
    let bounds = surface.points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), p| (a.min(*p), b.max(*p)));
    let shift = table.centre.to_dvec3() - 0.5 * (bounds.0 + bounds.1);
    surface.points.iter_mut().for_each(|point| *point += shift);
    Ok(surface)
}

/// A table as a body with these particles.
fn grains(body: &PeridynamicBody, particles: std::ops::Range<usize>) -> GrainBody {
    let preset = find(&body.preset).unwrap_or(&BRITTLE[0]);
    let spacing = body.spacing.si();
    let thickness = body.thickness.map_or(spacing, |thickness| thickness.si());
    let space = match body.space {
        BrittleSpace::Three => Space::Three,
        BrittleSpace::PlaneStress => Space::PlaneStress { thickness },
        BrittleSpace::PlaneStrain => Space::PlaneStrain { thickness },
    };
    let law = match body.law {
        BrittleLaw::BondBased => Law::BondBased,
        BrittleLaw::StateBased => Law::StateBased,
    };
    // the ratio of a preset is not an explicit setting
    let usual = if law == Law::StateBased { preset.poisson } else { space.poisson() };
    let material = Brittle {
        density: body.density.map_or(preset.density, |density| density.si()),
        young: body.youngs_modulus.map_or(preset.young, |young| young.si()),
        poisson: body.poisson.unwrap_or(usual),
        release: match body.energy_release_rate {
            _ if body.unbreakable => f64::INFINITY,
            given => given.map_or(preset.release, |release| release.si()),
        },
        toughening: body.toughening,
    };
    let crack = |table: &crate::schema::CrackTable| Crack {
        corner: table.corner.to_dvec3(),
        sides: [table.sides[0].to_dvec3(), table.sides[1].to_dvec3()],
    };
    GrainBody {
        horizon: body.horizon * spacing,
        space,
        law,
        surface_correction: body.surface_correction,
        cracks: body.cracks.iter().map(crack).collect(),
        ..GrainBody::new(particles, spacing, material)
    }
}

/// The default tolerance per step, m; `None` where nothing can break.
pub(super) fn usual_tolerance(scene: &Scene) -> Option<f64> {
    // this is called before any check, and sums over an unbounded horizon never end
    let bodies = scene.peridynamic.iter().map(|body| grains(body, 0..0)).filter(|body| body.check().is_ok());
    let all = bodies.map(|body| TOLERANCE * Calibration::of(&body).critical_stretch * body.spacing);
    let all = all.filter(|tolerance| tolerance.is_finite() && *tolerance > 0.0);
    all.reduce(f64::min)
}

/// A vector with entries in [-1, 1), the same for the same numbers (SplitMix64).
fn random(seed: u64, k: u64) -> DVec3 {
    let number = |n: u64| {
        let mut z =
            seed.wrapping_mul(0xD1B5_4A32_D192_ED03).wrapping_add((3 * k + n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    DVec3::new(number(0), number(1), number(2))
}
