//! From `[restraint]` to the limits of every particle.

use std::sync::Arc;

use pliant_core::{Criterion, Limits, Restraint, System};
use pliant_display::CameraLod;

use crate::body::bodies;
use crate::schema::{RestraintCriterion, Scene};
use crate::validate::Given;

/// The part of the allowed error that a restrained particle may move per frame.
const OF_ERROR: f64 = 0.1;
/// Effective speeds that count as motion, over the speed at which a particle is restrained.
const LEAST: f64 = 0.1;
/// How much larger limits are out of sight.
const OUT_OF_SIGHT: f64 = 10.0;
/// Angle of view where none is given, rad.
const FOV: f64 = 28.0 * std::f64::consts::PI / 180.0;

/// The restraint of a system of these bodies, if any.
pub(super) fn restraint(scene: &Scene, system: &System) -> Option<Restraint> {
    let table = scene.restraint.as_ref().filter(|table| table.enabled)?;
    let criterion = match table.criterion {
        RestraintCriterion::Ramp => Criterion::Ramp,
        RestraintCriterion::Convex => Criterion::Convex,
        RestraintCriterion::Energy => Criterion::Energy,
        RestraintCriterion::Momentum => Criterion::Momentum,
    };
    let usual = OF_ERROR * table.error.si() * scene.time.fps;
    let of = |given: &Given, mass: f64| {
        let by_energy = given.energy.map(|energy| (2.0 * energy.si() / mass).sqrt());
        let by_momentum = given.momentum.map(|momentum| momentum.si() / mass);
        let speed = given.speed.map(|speed| speed.si()).or(by_energy).or(by_momentum).unwrap_or(usual);
        let least = given.least.map_or(LEAST * speed, |least| least.si());
        Limits::new(criterion, speed, given.ratio * speed, least)
    };
    let mut limits = vec![Limits::NONE; system.len()];
    for body in system.bodies() {
        let own = table.body.iter().find(|own| own.name == body.name);
        if own.is_some_and(|own| !own.enabled) {
            continue;
        }
        let given = own.map_or_else(|| table.given(), |own| own.given());
        // most bodies have particles of one mass, and the limits are found by a search
        let mut last: Option<(f64, Limits)> = None;
        for particle in body.particles.clone() {
            let mass = system.masses()[particle];
            let known = last.filter(|(known, _)| *known == mass).map(|(_, limits)| limits);
            limits[particle] = known.unwrap_or_else(|| of(&given, mass));
            last = Some((mass, limits[particle]));
        }
    }
    let kind_of = |name: &str| bodies(scene).find(|(_, known)| *known == name).map(|(found, _)| found.kind.properties);
    let default_damping_time =
        bodies(scene).map(|(found, _)| found.kind.properties.damping_time).fold(f64::INFINITY, f64::min);
    let damping_time = table.fading.map_or(default_damping_time, |fading| fading.si());
    let mut restraint = Restraint::new(criterion, limits, damping_time);
    restraint.restrain_groups(system.bodies().iter().map(|body| {
        let usual = kind_of(&body.name).map_or(1.0, |kind| kind.rest_fraction);
        (body.particles.clone(), table.share.unwrap_or(usual))
    }));
    if let (true, Some(camera), Some(target)) = (table.view, scene.view.camera, scene.view.target) {
        let fov = scene.view.fov.map_or(FOV, |fov| fov.si());
        restraint.set_level_of_detail(Arc::new(CameraLod {
            camera: camera.to_dvec3(),
            target: target.to_dvec3(),
            half_angle: 0.5 * fov,
            out_of_sight: OUT_OF_SIGHT,
        }));
    }
    Some(restraint)
}
