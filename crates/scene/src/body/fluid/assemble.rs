//! From `[[fluid]]` to particles and the force between them.

use glam::DVec3;
use pliant_core::{Body, BodyShape};
use pliant_forces::contact::{Collider, Shape};
use pliant_forces::sph::{
    Dimension, Fluid, FluidError, Incompressible, KernelKind, Sph, SphSettings, Stream, lattice_cohesion, lattice_mass,
    rest_excess,
};
use pliant_geom::CellGrid;

use super::check::fastest as fastest_flow;
use crate::assemble::Parts;
use crate::assemble::boundaries::{boundaries, keep_free};
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::schema::{BoxTable, FluidBody, FluidKernel, FluidPressure, SourceTable};
use crate::validate::MAX_PARTICLES;

/// Speed of sound over that of the fastest flow: density then changes by 1 % at most.
const SOUND: f64 = 10.0;
/// Bulk viscosity over h c.
const BULK: f64 = 0.5;
/// Numbers in files are rounded: a box that is this part of a spacing too short for a layer still gets it.
const SLACK: f64 = 1e-6;
/// Particles nearer to each other than this part of the spacing would fly apart in the first step.
const TOO_NEAR: f64 = 0.5;

/// Adds all fluids of a scene.
pub(super) fn add_all(loaded: &LoadedScene, colliders: &[Collider], parts: &mut Parts) -> Result<(), Located> {
    let Some(first) = loaded.scene.fluid.first() else { return Ok(()) };
    let (document, spacing) = (&loaded.document, first.spacing.si());
    let kernel = match first.kernel {
        FluidKernel::CubicSpline => KernelKind::CubicSpline,
        FluidKernel::WendlandC2 => KernelKind::WendlandC2,
    };
    let incompressible = (first.pressure == FluidPressure::DivergenceFree)
        .then(|| Incompressible { density_error: first.density_error, ..Incompressible::default() });
    let dimension = if first.two_dimensional { Dimension::Two } else { Dimension::Three };
    let settings = SphSettings { kernel, dimension, incompressible, ..SphSettings::new(first.smoothing * spacing) };
    let sound = SOUND * fastest_flow(&loaded.scene);
    let mut boundaries = boundaries(&loaded.scene.fluid, colliders, &parts.contact_bodies, spacing);
    if first.two_dimensional {
        // a layer has no neighbours in front of it and behind it
        boundaries.colliders.retain(|wall| !matches!(wall.shape, Shape::Plane { normal, .. } if normal.z.abs() > 0.99));
    }
    let (mut fluids, mut streams): (Vec<Fluid>, Vec<Stream>) = Default::default();
    for (k, body) in loaded.scene.fluid.iter().enumerate() {
        let start = parts.x.len();
        let mass = body.density.si() * spacing.powi(dimension.number() as i32);
        let mut places = places(body);
        keep_free(&boundaries, &parts.x, &mut places);
        if places.is_empty() && body.source.is_none() {
            let message = "all of it would begin inside of colliders or bodies, or nearer to one than half a spacing";
            return Err(document.at(&format!("fluid[{k}].boxes"), message));
        }
        let stream = body.source.as_ref().map(|source| stream(body, source));
        let still = places.len();
        if let Some(stream) = &stream {
            places.extend((0..stream.waiting as u64).map(|slot| stream.position(slot, 0.0)));
        }
        add_water(body, &places, still, mass, parts);
        streams.extend(stream.map(|stream| Stream { particles: start..parts.x.len(), ..stream }));
        let sound_speed = body.sound_speed.map_or(sound, |speed| speed.si());
        // two particles attract each other with the product of their masses, and it is meant for those of the lattice
        let part = lattice_mass(&settings.kernel(), spacing, body.density.si()) / mass;
        let cohesion = lattice_cohesion(&settings.kernel(), spacing, body.density.si(), body.surface_tension.si());
        fluids.push(Fluid {
            artificial_viscosity: body.artificial_viscosity,
            bulk_viscosity: body.bulk_viscosity.unwrap_or(BULK),
            kinematic_viscosity: body.viscosity.si(),
            excess: rest_excess(&settings.kernel(), spacing),
            cohesion: part * part * cohesion,
            ..Fluid::new(start..parts.x.len(), mass, body.density.si(), sound_speed)
        });
        if parts.x.len() > MAX_PARTICLES {
            let message = format!("more than {MAX_PARTICLES} particles in all bodies together");
            return Err(document.at(&format!("fluid[{k}]"), message));
        }
    }
    let begin = fluids.first().map_or(0, |fluid| fluid.particles.start);
    if let Some([a, b]) = nearest_pair(&parts.x[begin..], TOO_NEAR * spacing) {
        let owner = |i: usize| fluids.iter().position(|f| f.particles.contains(&(begin + i))).unwrap_or(0);
        let what = |i: usize| format!("\"{}\"", loaded.scene.fluid[owner(i)].name);
        let place = parts.x[begin + a];
        let message = format!("{} and {} overlap near {place:.3} m: move one of them", what(a), what(b));
        return Err(document.at(&format!("fluid[{}]", owner(b)), message));
    }
    let complain = |error: FluidError| document.at("fluid[0]", error.to_string());
    let mut model = Sph::new(parts.x.len(), fluids, &boundaries, settings).map_err(complain)?;
    streams.into_iter().try_for_each(|stream| model.add_stream(stream)).map_err(complain)?;
    parts.models.push(Box::new(model));
    Ok(())
}

/// A lattice in every box, from its lowest corner on.
fn places(body: &FluidBody) -> Vec<DVec3> {
    let (spacing, mut places) = (body.spacing.si(), Vec::new());
    for place in &body.boxes {
        let size = place.max.to_dvec3() - place.min.to_dvec3();
        let [nx, ny, nz] = (size / spacing + SLACK).floor().to_array().map(|n| n as usize);
        let nz = if body.two_dimensional { 1 } else { nz };
        let corner = place.min.to_dvec3();
        for k in 0..nz {
            for j in 0..ny {
                let at = |i: usize| corner + (DVec3::new(i as f64, j as f64, k as f64) + 0.5) * spacing;
                places.extend((0..nx).map(at));
            }
        }
    }
    places
}

/// A source without particles.
fn stream(body: &FluidBody, source: &SourceTable) -> Stream {
    let spacing = body.spacing.si();
    let direction = DVec3::from_array(source.direction).normalize();
    // the width is horizontal; of a mouth that faces up or down it is along x
    let across = DVec3::Y.cross(direction).try_normalize().unwrap_or(DVec3::X);
    let up = direction.cross(across);
    let [wide, high] = source.size.map(|size| (size.si() / spacing + SLACK).floor().max(1.0));
    let middle = |k: usize, n: f64| spacing * (k as f64 + 0.5 - 0.5 * n);
    let row = |j: usize| (0..wide as usize).map(move |i| across * middle(i, wide) + up * middle(j, high));
    let mouth: Vec<DVec3> = (0..high as usize).flat_map(row).map(|at| source.centre.to_dvec3() + at).collect();
    let corners = |place: &BoxTable| [place.min.to_dvec3(), place.max.to_dvec3()];
    Stream {
        particles: 0..0,
        waiting: mouth.len() * source.layers,
        mouth,
        velocity: direction * source.speed.si(),
        spacing,
        outlets: body.outlets.iter().map(corners).collect(),
    }
}

/// The first `still` start with the velocity of the fluid; the others with that of their source.
fn add_water(body: &FluidBody, places: &[DVec3], still: usize, mass: f64, parts: &mut Parts) {
    let (first, count) = (parts.x.len(), places.len());
    parts.x.extend_from_slice(places);
    parts.v.extend(std::iter::repeat_n(body.velocity.to_dvec3(), still));
    parts.v.extend(std::iter::repeat_n(DVec3::ZERO, count - still));
    parts.masses.extend(std::iter::repeat_n(mass, count));
    parts.heavy.push(first..first + count);
    let shape = BodyShape::Grains { spacing: body.spacing.si() };
    let (name, particles) = (body.name.clone(), first..first + count);
    parts.bodies.push(Body { name, particles, shape, ..Body::default() });
}

/// Two particles that are nearer to each other than `distance`, if there are any.
fn nearest_pair(x: &[DVec3], distance: f64) -> Option<[usize; 2]> {
    let mut grid = CellGrid::new(distance, [None; 3]);
    let members: Vec<u32> = (0..x.len() as u32).collect();
    grid.sort(x, &members);
    for (a, place) in x.iter().enumerate() {
        let mut found = None;
        let Some(cell) = grid.cell(*place) else { continue };
        grid.for_each_run(cell, |run| {
            let near = |b: &&u32| (**b as usize) > a && x[**b as usize].distance(*place) < distance;
            found = found.or(grid.order()[run].iter().find(near).copied());
        });
        if let Some(b) = found {
            return Some([a, b as usize]);
        }
    }
    None
}
