//! Checks of solids.

use pliant_forces::solid::model::MEASURES;
use pliant_forces::solid::presets::STUFFS;

use crate::schema::{Frames, LoadTable, Scene, SolidBody};
use crate::validate::{Complaints, MAX_PARTICLES, check_pin};

/// Largest number of refinements: each one multiplies the number of tetrahedra by eight.
const MAX_DIVISIONS: usize = 7;

pub(super) fn check(scene: &Scene, c: &mut Complaints) {
    for (k, body) in scene.solid.iter().enumerate() {
        check_solid(body, &format!("solid[{k}]"), c);
    }
}

fn check_solid(body: &SolidBody, path: &str, c: &mut Complaints) {
    let key = |name: &str| format!("{path}.{name}");
    let shapes = [body.block.is_some(), body.mesh.is_some(), body.surface.is_some(), body.figure.is_some()];
    let shapes = shapes.iter().filter(|given| **given).count();
    if shapes != 1 {
        c.add(path, format!("give exactly one of `box`, `mesh`, `surface` and `figure`; here are {shapes}"));
    }
    let mut count = None;
    if let Some(block) = &body.block {
        let along = |cells: &usize| cells.checked_add(1);
        count = block.cells.iter().map(along).try_fold(1_usize, |all, n| all.checked_mul(n?)).or(Some(usize::MAX));
        if block.cells.contains(&0) {
            c.add(&key("box.cells"), format!("needs at least one cell along each axis, got {:?}", block.cells));
        }
        let size = block.size.to_dvec3();
        if !(size.is_finite() && size.cmpgt(glam::DVec3::ZERO).all()) {
            c.add(&key("box.size"), format!("must be three positive lengths, got {size}"));
        }
        c.finite(&key("box.origin"), &block.origin);
    }
    if let Some(mesh) = &body.mesh {
        c.positive(&key("mesh.scale"), mesh.scale);
        c.finite(&key("mesh.offset"), &mesh.offset);
        let kinds = "a Gmsh, TetGen, VTK or VTU file";
        c.mesh(&key("mesh"), (mesh.file.as_deref(), kinds), &mesh.points, ("tetrahedra", &mesh.tetrahedra));
    }
    if let Some(surface) = &body.surface {
        c.positive(&key("surface.scale"), surface.scale);
        c.finite(&key("surface.offset"), &surface.offset);
        let kinds = "an OBJ, PLY or STL file";
        c.mesh(&key("surface"), (surface.file.as_deref(), kinds), &surface.points, ("triangles", &surface.triangles));
        c.positive(&key("surface.spacing"), surface.spacing.si());
    }
    if let Some(figure) = &body.figure {
        c.positive(&key("figure.size"), figure.size.si());
        c.positive(&key("figure.spacing"), figure.spacing.si());
        c.finite(&key("figure.centre"), &figure.centre);
    }
    if count.is_some_and(|count| count > MAX_PARTICLES) {
        c.add(path, format!("more than {MAX_PARTICLES} particles"));
    }
    if body.refine > MAX_DIVISIONS {
        c.add(&key("refine"), format!("at most {MAX_DIVISIONS}, got {}", body.refine));
    }
    if body.skin == Some(true) && body.surface.is_none() && body.figure.is_none() {
        c.add(
            &key("skin"),
            "goes with `surface` or `figure`: other solids have no finer surface than that of their tetrahedra",
        );
    }
    let presets = STUFFS.iter().map(|stuff| stuff.name);
    if !presets.clone().any(|name| name == body.preset) {
        c.unknown(&key("preset"), "material", &body.preset, presets);
    }
    let measures = MEASURES.iter().map(|(name, _)| *name);
    if !measures.clone().any(|name| name == body.measure) {
        c.unknown(&key("measure"), "measure of strain", &body.measure, measures);
    }
    if body.frames != Frames::Current && body.measure != "corotational" {
        let message = format!("frames that stand still go with measure = \"corotational\", not \"{}\"", body.measure);
        c.add(&key("frames"), message);
    }
    if body.frames == Frames::Coarse && body.refine == 0 {
        c.add(&key("frames"), "\"coarse\" needs `refine`: without it nothing is coarser");
    }
    c.option(&key("frame_interval"), body.frame_interval, Complaints::positive);
    if body.frame_interval.is_some() && body.frames == Frames::Current {
        c.add(&key("frame_interval"), "goes with frames that stand still: frames = \"step\" or \"coarse\"");
    }
    if body.spread_frames && body.frame_interval.is_none() {
        c.add(&key("spread_frames"), "goes with `frame_interval`: there is nothing to spread them over");
    }
    if !(0.0..=1.0).contains(&body.coarse_green) {
        c.add(&key("coarse_green"), format!("must lie between 0 and 1, got {}", body.coarse_green));
    } else if body.coarse_green > 0.0 && body.frames != Frames::Coarse {
        c.add(&key("coarse_green"), "goes with frames = \"coarse\"");
    }
    if let Some(poisson) = body.poisson.filter(|nu| !(*nu > -1.0 && *nu < 0.5)) {
        c.add(&key("poisson"), format!("must lie between -1 and 0.5, without 0.5 itself, got {poisson}"));
    }
    for (k, load) in body.loads.iter().enumerate() {
        check_load(load, &format!("{path}.loads[{k}]"), c);
    }
    for (k, pin) in body.pins.iter().enumerate() {
        let known = count.filter(|_| body.refine == 0);
        check_pin(pin, false, known, &format!("{path}.pins[{k}]"), c);
        if pin.attribute.is_some() {
            c.add(&format!("{path}.pins[{k}].attribute"), "a solid has no vertex properties");
        }
    }
}

fn check_load(load: &LoadTable, path: &str, c: &mut Complaints) {
    c.finite(&format!("{path}.box.min"), &load.inside.min);
    c.finite(&format!("{path}.box.max"), &load.inside.max);
    if load.traction.is_none() && load.pressure.is_none() {
        c.add(path, "give a `traction` or a `pressure`");
    }
    if let Some(traction) = &load.traction {
        c.finite(&format!("{path}.traction"), traction);
    }
    if let Some(pressure) = load.pressure.filter(|pressure| !pressure.si().is_finite()) {
        c.add(&format!("{path}.pressure"), format!("must be finite, got {}", pressure.si()));
    }
    c.option(&format!("{path}.ramp"), load.ramp, Complaints::positive);
    if load.ramp.is_some() && !load.times.is_empty() {
        c.add(path, "give either `ramp`, or `times` and `parts`");
    }
    if load.times.len() != load.parts.len() {
        let (times, parts) = (load.times.len(), load.parts.len());
        c.add(path, format!("needs as many parts as times; got {times} times and {parts} parts"));
    }
    let growing = load.times.windows(2).all(|pair| pair[0].si() < pair[1].si());
    if !growing || load.times.iter().any(|time| !time.si().is_finite()) {
        c.add(&format!("{path}.times"), "must be finite and increasing");
    }
    if load.parts.iter().any(|part| !part.is_finite()) {
        c.add(&format!("{path}.parts"), "must be finite");
    }
}
