//! Checks of ropes.

use pliant_forces::rope::ROPES;
use pliant_scalar::shown::metres;

use crate::schema::Scene;
use crate::schema::rope::{CurveTable, RopeBody, RopeCell, RopePin, RopeRest};
use crate::validate::collider::direction;
use crate::validate::{Complaints, MAX_PARTICLES, check_motion};

/// Largest number of strands: more cannot be distinguished in a picture.
const MAX_STRANDS: usize = 24;

pub(super) fn check(scene: &Scene, c: &mut Complaints) {
    for (k, body) in scene.rope.iter().enumerate() {
        check_rope(body, &format!("rope[{k}]"), c);
    }
}

fn check_rope(body: &RopeBody, path: &str, c: &mut Complaints) {
    let key = |name: &str| format!("{path}.{name}");
    let shapes = [body.points.is_some(), body.file.is_some(), body.curve.is_some()];
    let shapes = shapes.iter().filter(|given| **given).count();
    if shapes != 1 {
        c.add(path, format!("give exactly one of `points`, `file` and `curve`; here are {shapes}"));
    }
    if let Some(points) = &body.points {
        let least = if body.closed { 3 } else { 2 };
        if points.len() < least {
            c.add(&key("points"), format!("a rope needs at least {least} points, got {}", points.len()));
        }
        for (k, point) in points.iter().enumerate() {
            c.finite(&format!("{path}.points[{k}]"), point);
        }
    }
    if body.closed && body.curve.is_some() {
        c.add(&key("closed"), "goes with `points` and `file`: a `curve` is closed or not by its kind");
    }
    c.positive(&key("scale"), body.scale);
    c.finite(&key("offset"), &body.offset);
    if let Some(curve) = &body.curve {
        check_curve(curve, &key("curve"), c);
    }
    if let Some(turn) = &body.rotate {
        direction(turn.axis, &key("rotate.axis"), c);
        if !turn.angle.si().is_finite() {
            c.add(&key("rotate.angle"), "must be finite");
        }
    }
    if let Some(segments) = body.segments.filter(|n| *n == 0 || *n > MAX_PARTICLES / 4) {
        c.add(&key("segments"), format!("must be at least 1 and at most {}, got {segments}", MAX_PARTICLES / 4));
    }
    c.positive(&key("radius"), body.radius.si());
    check_material(body, path, c);
    if let Some(distance) = body.contact_distance.map(|distance| distance.si()).filter(|d| *d >= body.radius.si()) {
        c.add(
            &key("contact_distance"),
            format!("must be below the radius of {}, got {}", metres(body.radius.si()), metres(distance)),
        );
    }
    for (k, pin) in body.pins.iter().enumerate() {
        check_pin(pin, body, &format!("{path}.pins[{k}]"), c);
    }
}

fn check_material(body: &RopeBody, path: &str, c: &mut Complaints) {
    let key = |name: &str| format!("{path}.{name}");
    let presets = ROPES.iter().map(|kind| kind.name);
    if !presets.clone().any(|name| name == body.preset) {
        c.unknown(&key("preset"), "kind of rope", &body.preset, presets);
    }
    c.option(&key("stretch_stiffness"), body.stretch_stiffness, Complaints::positive);
    c.option(&key("bend_stiffness"), body.bend_stiffness, Complaints::positive);
    c.option(&key("twist_stiffness"), body.twist_stiffness, Complaints::positive);
    if let Some(poisson) = body.poisson.filter(|nu| !(*nu > -1.0 && *nu <= 0.5)) {
        c.add(&key("poisson"), format!("must lie above -1 and not above 0.5, got {poisson}"));
    }
    c.option(&key("mass_per_length"), body.mass_per_length, Complaints::positive);
    if body.mass_per_length.is_some() && body.density.is_some() {
        c.add(&key("density"), "give either `mass_per_length` or `density`, not both");
    }
    if !body.twist.is_finite() {
        c.add(&key("twist"), format!("must be a finite number of turns, got {}", body.twist));
    }
    if body.cell == RopeCell::Paper && body.rest == RopeRest::Straight && body.bend_stiffness.is_some() {
        c.add(
            &key("bend_stiffness"),
            "the paper's cell bends as its edges make it: leave this out, or take cell = \"isotropic\"",
        );
    }
    if let Some(strands) = body.strands.filter(|n| *n == 0 || *n > MAX_STRANDS) {
        c.add(&key("strands"), format!("must be at least 1 and at most {MAX_STRANDS}, got {strands}"));
    }
}

fn check_curve(curve: &CurveTable, path: &str, c: &mut Complaints) {
    let mut positive = |name: &str, value: f64| c.positive(&format!("{path}.{name}"), value);
    match curve {
        CurveTable::Line { from, to } => {
            c.finite(&format!("{path}.from"), from);
            c.finite(&format!("{path}.to"), to);
        }
        CurveTable::Helix { radius, pitch, turns } => {
            positive("radius", radius.si());
            positive("pitch", pitch.si());
            positive("turns", *turns);
        }
        CurveTable::Ring { radius } => positive("radius", radius.si()),
        CurveTable::Trefoil { size } | CurveTable::FigureEight { size } | CurveTable::Cinquefoil { size } => {
            positive("size", size.si());
        }
        CurveTable::Overhand { size, ends } => {
            positive("size", size.si());
            positive("ends", ends.si());
        }
        CurveTable::Wave { length, height, waves } => {
            positive("length", length.si());
            positive("height", height.si());
            positive("waves", *waves);
        }
    }
}

fn check_pin(pin: &RopePin, body: &RopeBody, path: &str, c: &mut Complaints) {
    if pin.points.is_empty() && pin.end.is_none() && pin.inside.is_none() {
        c.add(path, "pins nothing: give `points`, `end` or `box`");
    }
    if pin.end.is_some() && body.closed {
        c.add(&format!("{path}.end"), "a closed rope has no ends; use `points` or `box`");
    }
    if let Some(inside) = &pin.inside {
        c.finite(&format!("{path}.box.min"), &inside.min);
        c.finite(&format!("{path}.box.max"), &inside.max);
    }
    check_motion(pin.oscillate.as_ref(), pin.keyframes.as_ref(), pin.turn.as_ref(), path, c);
}
