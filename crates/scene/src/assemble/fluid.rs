//! From `[[fluid]]` to particles, walls and the force between them.

use glam::DVec3;
use pliant_core::{Body, BodyShape, Path, Pin};
use pliant_forces::sph::{Fluid, KernelKind, Sph, SphSettings, Wall, WallPressure, lattice_mass, wall_compressions};
use pliant_geom::CellGrid;

use super::Parts;
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::schema::{BoxTable, ContainerTable, FluidBody, FluidKernel};
use crate::validate::{MOST_PARTICLES, fastest_flow};

/// Speed of sound over that of the fastest flow: density then changes by 1 % at most.
const SOUND: f64 = 10.0;
/// Numbers in files are rounded: a box that is this part of a spacing too short for a layer still gets it.
const SLACK: f64 = 1e-6;
/// Particles nearer to each other than this part of the spacing would fly apart in the first step.
const TOO_NEAR: f64 = 0.5;

/// Adds all fluids of a scene.
pub(super) fn add_all(loaded: &LoadedScene, parts: &mut Parts) -> Result<(), Located> {
    let Some(first) = loaded.scene.fluid.first() else { return Ok(()) };
    let (document, spacing) = (&loaded.document, first.spacing.si());
    let kernel = match first.kernel {
        FluidKernel::CubicSpline => KernelKind::CubicSpline,
        FluidKernel::WendlandC2 => KernelKind::WendlandC2,
    };
    let settings = SphSettings { kernel, ..SphSettings::new(first.smoothing * spacing) };
    let sound = SOUND * fastest_flow(&loaded.scene);
    let (mut fluids, mut walls, mut owners) = (Vec::new(), Vec::new(), Vec::new());
    for (k, body) in loaded.scene.fluid.iter().enumerate() {
        let start = parts.x.len();
        let mass = lattice_mass(&settings.kernel(), spacing, body.density.si());
        add_water(body, mass, parts);
        let end = parts.x.len();
        let sound_speed = body.sound_speed.map_or(sound, |speed| speed.si());
        fluids.push(Fluid {
            artificial_viscosity: body.artificial_viscosity,
            kinematic_viscosity: body.viscosity.si(),
            ..Fluid::new(start..end, mass, body.density.si(), sound_speed)
        });
        if let Some(container) = &body.container {
            // as thick as a particle half a spacing in front of it sees, so that it is like more of the fluid
            let layers = (2.0 * first.smoothing - 0.5).ceil() as i64;
            let places = walls_of(container, spacing, layers);
            let volumes = vec![mass / body.density.si(); places.len()];
            let compressions = wall_compressions(&settings.kernel(), &places, &volumes);
            let stiffness = fluids.iter().map(Fluid::stiffness).fold(0.0, f64::max);
            let pressure = Some(WallPressure { stiffness, compressions });
            // they are pinned, so their mass means nothing; but all particles have one
            add_still(&places, mass, parts);
            walls.push(Wall { particles: end..parts.x.len(), volumes, viscosity: 0.0, pressure });
        }
        if parts.x.len() > MOST_PARTICLES {
            let message = format!("more than {MOST_PARTICLES} particles in all bodies together");
            return Err(document.at(&format!("fluid[{k}]"), message));
        }
        owners.push(start..parts.x.len());
    }
    let begin = fluids.first().map_or(0, |fluid| fluid.particles.start);
    if let Some([a, b]) = nearest_pair(&parts.x[begin..], TOO_NEAR * spacing) {
        let owner = |i: usize| owners.iter().position(|range| range.contains(&(begin + i))).unwrap_or(0);
        let what = |i: usize| {
            let is_wall = walls.iter().any(|wall| wall.particles.contains(&(begin + i)));
            let name = &loaded.scene.fluid[owner(i)].name;
            if is_wall { format!("the container of \"{name}\"") } else { format!("\"{name}\"") }
        };
        let place = parts.x[begin + a];
        let message = format!("{} and {} overlap near {place:.3} m: move one of them", what(a), what(b));
        return Err(document.at(&format!("fluid[{}]", owner(b)), message));
    }
    let model = Sph::new(parts.x.len(), fluids, walls, settings);
    parts.models.push(Box::new(model.map_err(|error| document.at("fluid[0]", error.to_string()))?));
    Ok(())
}

fn add_water(body: &FluidBody, mass: f64, parts: &mut Parts) {
    let (first, spacing) = (parts.x.len(), body.spacing.si());
    for place in &body.boxes {
        let size = place.max.to_dvec3() - place.min.to_dvec3();
        let [nx, ny, nz] = (size / spacing + SLACK).floor().to_array().map(|n| n as usize);
        let corner = place.min.to_dvec3();
        for k in 0..nz {
            for j in 0..ny {
                let at = |i: usize| corner + (DVec3::new(i as f64, j as f64, k as f64) + 0.5) * spacing;
                parts.x.extend((0..nx).map(at));
            }
        }
    }
    let count = parts.x.len() - first;
    parts.v.extend(std::iter::repeat_n(body.velocity.to_dvec3(), count));
    parts.masses.extend(std::iter::repeat_n(mass, count));
    parts.heavy.push(first..first + count);
    let shape = BodyShape::Grains { spacing };
    let (name, particles) = (body.name.clone(), first..first + count);
    parts.bodies.push(Body { name, particles, shape, ..Body::default() });
}

/// Particles that stay where they are; of no body, so that nobody draws them.
fn add_still(places: &[DVec3], mass: f64, parts: &mut Parts) {
    for (particle, place) in (parts.x.len()..).zip(places) {
        parts.pinned.insert(particle);
        parts.pins.push(Pin { particle, path: Path::Fixed(*place) });
    }
    parts.x.extend_from_slice(places);
    parts.v.extend(std::iter::repeat_n(DVec3::ZERO, places.len()));
    parts.masses.extend(std::iter::repeat_n(mass, places.len()));
}

/// Layers of particles behind every wall, the first one half a spacing: as dense as the fluid, stretched a little so that they fit.
fn walls_of(container: &ContainerTable, spacing: f64, layers: i64) -> Vec<DVec3> {
    let BoxTable { min, max } = &container.inside;
    let (min, size) = (min.to_dvec3(), max.to_dvec3() - min.to_dvec3());
    let counts = (size / spacing).round().max(DVec3::ONE);
    let step = size / counts;
    let [nx, ny, nz] = counts.to_array().map(|n| n as i64);
    let top = if container.open_top { ny } else { ny + layers };
    let is_inside = |i: i64, j: i64, k: i64| (0..nx).contains(&i) && (0..ny).contains(&j) && (0..nz).contains(&k);
    let mut places = Vec::new();
    for k in -layers..nz + layers {
        for j in -layers..top {
            for i in (-layers..nx + layers).filter(|i| !is_inside(*i, j, k)) {
                places.push(min + (DVec3::new(i as f64, j as f64, k as f64) + 0.5) * step);
            }
        }
    }
    places
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
