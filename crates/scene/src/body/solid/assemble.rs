//! From `[[solid]]` to particles and forces.

use glam::DVec3;
use pliant_core::Body;
use pliant_forces::contact::ContactBody;
use pliant_forces::solid::framed::{Updates, coarse_green, framed};
use pliant_forces::solid::material::SolidMaterial;
use pliant_forces::solid::model::{MeasureKind, add_masses, model};
use pliant_forces::solid::presets::{STUFFS, Stuff, find};
use pliant_forces::solid::ramp::Ramp;
use pliant_forces::solid::traction::{FacePressure, Traction};
use pliant_geom::shapes::{bunny, divided, icosphere, liver, torus};
use pliant_geom::stuffing::FineSurface;
use pliant_geom::stuffing::{embed, tetrahedralize};
use pliant_geom::tetra::TetraMesh;
use pliant_geom::tetra::check::check;
use pliant_geom::tetra::lattice::{self, lattice};
use pliant_geom::tetra::octasection::Refined;
use pliant_geom::tetra::surface::surface;
use pliant_geom::topology::TriangleMesh;
use pliant_mesh::TetMesh;

use crate::assemble::mesh::polygons;
use crate::assemble::{Parts, Pinned, contact_distance, pin};
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::schema::{Frames, LoadTable, SolidBody, SolidFigure, SolidFigureTable, Split, VolumeTable};
use crate::units::Vec3Of;
use crate::validate::MAX_PARTICLES;

/// Longest edge of a figure's surface, as a part of its size: longer ones would show at its outline in a picture of a thousand pixels.
const SKIN_CELL: f64 = 0.015;

pub(super) fn add(loaded: &LoadedScene, body: &SolidBody, path: &str, parts: &mut Parts) -> Result<(), Located> {
    let document = &loaded.document;
    let wrong = |key: &str, message: String| document.at(&format!("{path}{key}"), message);
    let first = parts.x.len();
    let Shape { mesh: coarse, fine } = shape(loaded, body, path)?;
    let (mesh, levels) = refined(&coarse, body.refine).ok_or_else(|| {
        wrong(".refine", format!("{} divisions make more than {MAX_PARTICLES} particles", body.refine))
    })?;
    let count = mesh.points.len();
    if first + count > MAX_PARTICLES {
        return Err(wrong("", format!("more than {MAX_PARTICLES} particles in all bodies together")));
    }
    let shift = |n: u32| n + first as u32;
    let mut next = shift(coarse.points.len() as u32);
    for (k, parents) in levels.iter().enumerate() {
        parts.refinement.resize_with(parts.refinement.len().max(k + 1), Vec::new);
        parts.refinement[k].extend((next..).zip(parents).map(|(new, [a, b])| [new, shift(*a), shift(*b)]));
        next += parents.len() as u32;
    }
    let tetrahedra: Vec<[u32; 4]> = mesh.tetrahedra.iter().map(|t| t.map(shift)).collect();
    let faces: Vec<[u32; 3]> = surface(&mesh).into_iter().map(|t| t.map(shift)).collect();
    let stuff = stuff(body);
    let material = SolidMaterial::new(stuff.young, stuff.poisson)
        .ok_or_else(|| wrong("", "youngs_modulus and poisson do not go together".into()))?
        .damped(body.damping.si());
    parts.x.extend_from_slice(&mesh.points);
    parts.v.extend(std::iter::repeat_n(body.velocity.to_dvec3(), count));
    parts.masses.resize(first + count, 0.0);
    add_masses(&tetrahedra, &parts.x, stuff.density, &mut parts.masses)
        .map_err(|error| wrong("", error.to_string()))?;
    parts.heavy.push(first..first + count);
    let measure = MeasureKind::find(&body.measure).unwrap_or(MeasureKind::Corotational);
    let updates = Updates { interval: body.frame_interval.map_or(0.0, |time| time.si()), spread: body.spread_frames };
    let model = match body.frames {
        Frames::Current => model(measure, &tetrahedra, &parts.x, &material),
        Frames::Step => framed(&tetrahedra, &tetrahedra, &parts.x, &material, updates),
        Frames::Coarse => {
            let ancestors: Vec<[u32; 4]> = coarse.tetrahedra.iter().map(|t| t.map(shift)).collect();
            if body.coarse_green > 0.0 {
                let part = coarse_green(&ancestors, &parts.x, &material, updates, body.coarse_green);
                parts.models.push(part.map_err(|error| wrong(".coarse_green", error.to_string()))?);
            }
            framed(&tetrahedra, &ancestors, &parts.x, &material, updates)
        }
    };
    parts.models.push(model.map_err(|error| wrong("", error.to_string()))?);
    for (k, load) in body.loads.iter().enumerate() {
        add_load(load, &faces, parts).map_err(|message| wrong(&format!(".loads[{k}]"), message))?;
    }
    for (k, table) in body.pins.iter().enumerate() {
        let pinned = Pinned { grid: None, points: &mesh.points, attributes: &[], first };
        pin(table, &pinned, document, &format!("{path}.pins[{k}]"), parts)?;
    }
    if body.contact {
        let given = body.contact_distance.map(|distance| distance.si());
        let thickness = contact_distance(&faces, &parts.x, given).map_err(|m| wrong(".contact_distance", m))?;
        parts.contact_bodies.push(ContactBody {
            triangles: faces.clone(),
            thickness,
            friction: body.friction,
            ..ContactBody::default()
        });
    }
    let fine_surface =
        fine.map(|fine| fine_surface(&fine, &mesh, first as u32)).transpose().map_err(|m| wrong(".skin", m))?;
    let (name, particles) = (body.name.clone(), first..first + count);
    let shown = Body { triangles: faces, tetrahedra, fine_surface, is_solid: true, ..Body::default() };
    parts.bodies.push(Body { name, particles, ..shown });
    Ok(())
}

/// Tetrahedra, and the surface that is drawn instead of theirs.
struct Shape {
    mesh: TetraMesh,
    fine: Option<TriangleMesh>,
}

impl From<TetraMesh> for Shape {
    fn from(mesh: TetraMesh) -> Self {
        Self { mesh, fine: None }
    }
}

/// Ties a surface to the tetrahedra that move, which may be finer than those that it was filled with.
fn fine_surface(fine: &TriangleMesh, mesh: &TetraMesh, first: u32) -> Result<FineSurface, String> {
    let anchors = embed(&mesh.points, &mesh.tetrahedra, &fine.points).map_err(|error| error.to_string())?;
    let vertices = anchors.into_iter().map(|anchor| anchor.shifted(first)).collect();
    Ok(FineSurface { vertices, triangles: fine.triangles.clone() })
}

fn shape(loaded: &LoadedScene, body: &SolidBody, path: &str) -> Result<Shape, Located> {
    let document = &loaded.document;
    let with_fine_surface = body.skin.unwrap_or(true);
    if let Some(block) = &body.block {
        let split = match block.split {
            Split::Five => lattice::Split::MirroredFive,
            Split::Six => lattice::Split::MirroredKuhn,
            Split::Kuhn => lattice::Split::Kuhn,
        };
        return lattice(block.origin.to_dvec3(), block.size.to_dvec3(), block.cells, split)
            .map(Shape::from)
            .ok_or_else(|| document.at(&format!("{path}.box"), "these cells do not make a block"));
    }
    if let Some(table) = &body.mesh {
        let key = if table.file.is_some() { "file" } else { "tetrahedra" };
        let mesh = read(loaded, table).map_err(|message| document.at(&format!("{path}.mesh.{key}"), message))?;
        return Ok(mesh.into());
    }
    if let Some(table) = &body.surface {
        let (scale, offset) = (table.scale, table.offset.to_dvec3());
        let given = (table.points.as_slice(), table.triangles.as_slice());
        let mesh = polygons(loaded, table.file.as_deref(), given, &format!("{path}.surface"))?;
        let points = mesh.points.iter().map(|point| *point * scale + offset).collect();
        let surface = TriangleMesh { points, triangles: mesh.triangles() };
        return stuffed(&surface, table.spacing.si(), with_fine_surface.then(|| surface.clone()))
            .map_err(|m| document.at(&format!("{path}.surface"), m));
    }
    if let Some(figure) = &body.figure {
        return filled(figure, with_fine_surface).map_err(|message| document.at(&format!("{path}.figure"), message));
    }
    Err(document.at(path, "has no shape"))
}

/// Tetrahedra from a file or from the scene itself, all positively oriented.
fn read(loaded: &LoadedScene, table: &VolumeTable) -> Result<TetraMesh, String> {
    let mut read = match &table.file {
        Some(file) => TetMesh::read(&loaded.folder().join(file)).map_err(|error| error.to_string())?,
        None => TetMesh { points: table.points.iter().map(Vec3Of::to_dvec3).collect(), tets: table.tetrahedra.clone() },
    };
    read.orient();
    let (scale, offset) = (table.scale, table.offset.to_dvec3());
    let points = read.points.iter().map(|point| *point * scale + offset).collect();
    let mesh = TetraMesh { points, tetrahedra: read.tets };
    let found: Vec<String> = check(&mesh).iter().map(ToString::to_string).collect();
    if found.is_empty() {
        Ok(mesh)
    } else {
        Err(format!("{}: {}", table.file.as_deref().unwrap_or("the mesh"), found.join("; ")))
    }
}

/// Fills a surface; `fine` is the one to show.
fn stuffed(surface: &TriangleMesh, spacing: f64, mut fine: Option<TriangleMesh>) -> Result<Shape, String> {
    let filled = tetrahedralize(surface, spacing).map_err(|error| error.to_string())?;
    if let Some(fine) = fine.as_mut().filter(|_| filled.surface.faces_inward) {
        // The orientation does not matter to the tetrahedra, but a picture would show the inside.
        fine.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
    }
    Ok(Shape { mesh: TetraMesh { points: filled.points, tetrahedra: filled.tets }, fine })
}

/// A figure of a size, its middle at a place.
fn filled(figure: &SolidFigureTable, with_fine_surface: bool) -> Result<Shape, String> {
    let (size, spacing) = (figure.size.si(), figure.spacing.si());
    // The surface must not be coarser than the tetrahedra inside.
    let cell = (0.5 * spacing).min(0.03 * size);
    let surface = match figure.shape {
        SolidFigure::Ball => icosphere(0.5 * size, 4),
        SolidFigure::Ring => torus(0.35 * size, 0.15 * size, 96, 48),
        SolidFigure::Rabbit => bunny(size, cell),
        SolidFigure::Liver => liver(size, cell),
    };
    let mut surface = surface.map_err(|error| error.to_string())?;
    let bounds = surface.points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), p| (a.min(*p), b.max(*p)));
    let shift = figure.centre.to_dvec3() - 0.5 * (bounds.0 + bounds.1);
    surface.points.iter_mut().for_each(|point| *point += shift);
    let has_cells = matches!(figure.shape, SolidFigure::Rabbit | SolidFigure::Liver);
    let fine = with_fine_surface
        .then(|| if has_cells && cell > SKIN_CELL * size { divided(&surface) } else { surface.clone() });
    stuffed(&surface, spacing, fine)
}

/// Divided into eight as often as asked for, with the parents of the new points of each time; `None` where that makes too many particles.
fn refined(mesh: &TetraMesh, times: usize) -> Option<(TetraMesh, Vec<Vec<[u32; 2]>>)> {
    let mut fine = Refined::new(mesh.points.clone(), mesh.tetrahedra.clone());
    for _ in 0..times {
        if fine.tetrahedra.len() > MAX_PARTICLES {
            return None;
        }
        fine = fine.octasected()?;
    }
    let tetrahedra = fine.oriented();
    Some((TetraMesh { points: fine.points, tetrahedra }, fine.levels))
}

/// The preset, overridden by the values of the scene.
fn stuff(body: &SolidBody) -> Stuff {
    let preset = find(&body.preset).unwrap_or(&STUFFS[0]);
    Stuff {
        density: body.density.map_or(preset.density, |density| density.si()),
        young: body.youngs_modulus.map_or(preset.young, |young| young.si()),
        poisson: body.poisson.unwrap_or(preset.poisson),
        ..*preset
    }
}

fn add_load(load: &LoadTable, faces: &[[u32; 3]], parts: &mut Parts) -> Result<(), String> {
    let (min, max) = (load.inside.min.to_dvec3(), load.inside.max.to_dvec3());
    let inside = |x: DVec3| x.cmpge(min).all() && x.cmple(max).all();
    let pressed: Vec<[u32; 3]> =
        faces.iter().filter(|face| face.iter().all(|n| inside(parts.x[*n as usize]))).copied().collect();
    if pressed.is_empty() {
        return Err("no face of the surface lies in this box".into());
    }
    let ramp = match load.ramp {
        Some(time) => Ramp::up(time.si()),
        None if load.times.is_empty() => Ramp::default(),
        None => {
            let points = load.times.iter().map(|time| time.si()).zip(load.parts.iter().copied()).collect();
            Ramp::new(points).ok_or("`times` must be finite and grow, `parts` must be finite")?
        }
    };
    if let Some(traction) = &load.traction {
        let model = Traction::new(&pressed, &parts.x, traction.to_dvec3(), ramp.clone());
        parts.models.push(Box::new(model.map_err(|error| error.to_string())?));
    }
    if let Some(pressure) = load.pressure {
        let model = FacePressure::new(pressed, parts.x.len(), pressure.si(), ramp);
        parts.models.push(Box::new(model.map_err(|error| error.to_string())?));
    }
    Ok(())
}
