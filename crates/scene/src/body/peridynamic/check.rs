//! Checks of brittle bodies.

use pliant_forces::peridynamics::MAX_HORIZON;
use pliant_forces::peridynamics::presets::BRITTLE;
use pliant_time::catalog::Entry;

use crate::schema::{BrittleLaw, BrittleSpace, PeridynamicBody, Scene};
use crate::validate::{Complaints, MAX_PARTICLES, check_pin};

/// Valid horizons in spacings: with larger ones, every particle has thousands of neighbours.
const HORIZON: [f64; 2] = [1.0, MAX_HORIZON];
/// Largest jitter: with more, particles could change places.
const MAX_JITTER: f64 = 0.4;

pub(super) fn check(scene: &Scene, integrator: Option<&Entry>, c: &mut Complaints) {
    for (k, body) in scene.peridynamic.iter().enumerate() {
        let path = format!("peridynamic[{k}]");
        check_body(body, &path, c);
        if let Some(entry) = integrator.filter(|entry| entry.properties.is_implicit())
            && body.law == BrittleLaw::StateBased
        {
            let message = format!(
                "state-based bodies have no matrix here, which {} needs: take \"velocity-verlet\" with control \"stable\", or bond-based bodies",
                entry.properties.name
            );
            c.add_pair(&["time.integrator", &format!("{path}.law")], message);
        }
    }
    c.option("fracture.step_after", scene.fracture.step_after, Complaints::positive);
    if let Some(overshoot) = scene.fracture.overshoot {
        c.positive("fracture.overshoot", overshoot);
    }
}

fn check_body(body: &PeridynamicBody, path: &str, c: &mut Complaints) {
    let key = |name: &str| format!("{path}.{name}");
    let shapes = [body.block.is_some(), body.surface.is_some(), body.figure.is_some()];
    let shapes = shapes.iter().filter(|given| **given).count();
    if shapes != 1 {
        c.add(path, format!("give exactly one of `box`, `surface` and `figure`; here are {shapes}"));
    }
    c.positive(&key("spacing"), body.spacing.si());
    if !(body.horizon > HORIZON[0] && body.horizon <= HORIZON[1]) {
        let message = format!(
            "must be above {} and at most {} spacings, got {}: nearer than the next particle nothing is bonded; about 3 is usual",
            HORIZON[0], HORIZON[1], body.horizon
        );
        c.add(&key("horizon"), message);
    }
    let presets = BRITTLE.iter().map(|stuff| stuff.name);
    if !presets.clone().any(|name| name == body.preset) {
        c.unknown(&key("preset"), "brittle material", &body.preset, presets);
    }
    if let Some(poisson) = body.poisson.filter(|poisson| !(*poisson > -1.0 && *poisson < 0.5)) {
        c.add(&key("poisson"), format!("must be above -1 and below 0.5, got {poisson}"));
    }
    c.option(&key("energy_release_rate"), body.energy_release_rate, |c, path, value| {
        if !(value.is_finite() && value > 0.0) {
            c.add(
                path,
                format!(
                    "must be positive and finite, got {value}; for a body that never breaks say unbreakable = true"
                ),
            );
        }
    });
    c.not_negative(&key("toughening"), body.toughening);
    c.option(&key("thickness"), body.thickness, Complaints::positive);
    if !(body.jitter >= 0.0 && body.jitter <= MAX_JITTER) {
        c.add(&key("jitter"), format!("must be from 0 to {MAX_JITTER} spacings, got {}", body.jitter));
    }
    c.finite(&key("spin"), &body.spin);
    let is_flat = body.space != BrittleSpace::Three;
    if is_flat && body.block.is_none() && shapes == 1 {
        c.add(&key("space"), "two-dimensional bodies are boxes: give `box`");
    }
    if is_flat && body.law == BrittleLaw::StateBased {
        c.add(&key("law"), "a state-based body cannot be two-dimensional here; bond-based ones can");
    }
    if !is_flat && body.thickness.is_some() {
        c.add(&key("thickness"), "goes with space = \"plane-stress\" or \"plane-strain\"");
    }
    if let Some(block) = &body.block {
        let (min, max) = (block.min.to_dvec3(), block.max.to_dvec3());
        c.finite(&key("box.min"), &block.min);
        c.finite(&key("box.max"), &block.max);
        let size = max - min;
        let across = if is_flat { size.truncate().min_element() } else { size.min_element() };
        if across.is_finite() && across <= 0.0 {
            c.add(&key("box"), format!("its highest corner must be above its lowest one, got a size of {size} m"));
        }
        let layers = |length: f64| (length / body.spacing.si()).max(1.0);
        let deep = if is_flat { 1.0 } else { layers(size.z) };
        let count = layers(size.x) * layers(size.y) * deep;
        if count > MAX_PARTICLES as f64 && size.is_finite() && body.spacing.si() > 0.0 {
            let message = format!(
                "{count:.1e} particles are more than the {MAX_PARTICLES} that a body may have; make `spacing` larger"
            );
            c.add(path, message);
        }
    }
    if let Some(surface) = &body.surface {
        c.positive(&key("surface.scale"), surface.scale);
        c.finite(&key("surface.offset"), &surface.offset);
        let kinds = "an OBJ, PLY or STL file";
        c.mesh(&key("surface"), (surface.file.as_deref(), kinds), &surface.points, ("triangles", &surface.triangles));
    }
    if let Some(figure) = &body.figure {
        c.positive(&key("figure.size"), figure.size.si());
        c.finite(&key("figure.centre"), &figure.centre);
    }
    for (k, crack) in body.cracks.iter().enumerate() {
        let path = format!("{path}.cracks[{k}]");
        c.finite(&format!("{path}.corner"), &crack.corner);
        let [a, b] = [0, 1].map(|side| crack.sides[side].to_dvec3());
        let differ = a.cross(b).length() > 1e-9 * a.length() * b.length();
        if !differ {
            c.add(&format!("{path}.sides"), "must be two finite vectors in different directions");
        }
    }
    for (k, pin) in body.pins.iter().enumerate() {
        check_pin(pin, false, None, &format!("{path}.pins[{k}]"), c);
    }
}
