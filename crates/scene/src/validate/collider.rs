//! Checks of colliders, contact and wind.

use super::{Complaints, check_keyframes};
use crate::schema::cloth::MeshTable;
use crate::schema::collider::{ColliderTable, TurnTable};
use crate::schema::{Oscillate, Scene};

pub(super) fn check(scene: &Scene, c: &mut Complaints) {
    for (k, collider) in scene.collider.iter().enumerate() {
        check_collider(collider, &format!("collider[{k}]"), c);
        if scene.collider[..k].iter().any(|earlier| earlier.name == collider.name) {
            c.add(&format!("collider[{k}].name"), format!("two colliders are called \"{}\"", collider.name));
        }
    }
    c.positive("contact.speed", scene.contact.speed.si());
    c.positive("contact.creep", scene.contact.creep.si());
    c.finite("air.wind", &scene.air.wind);
    c.not_negative("air.gusts", scene.air.gusts);
    c.positive("air.gust_size", scene.air.gust_size.si());
    c.not_negative("air.density", scene.air.density.si());
}

pub(crate) fn check_mesh(mesh: &MeshTable, path: &str, c: &mut Complaints) {
    c.positive(&format!("{path}.scale"), mesh.scale);
    c.finite(&format!("{path}.offset"), &mesh.offset);
    let kinds = "an OBJ, PLY or STL file";
    c.mesh(path, (mesh.file.as_deref(), kinds), &mesh.points, ("triangles", &mesh.triangles));
}

fn check_collider(collider: &ColliderTable, path: &str, c: &mut Complaints) {
    let key = |name: &str| format!("{path}.{name}");
    let shapes = [
        collider.plane.is_some(),
        collider.sphere.is_some(),
        collider.capsule.is_some(),
        collider.block.is_some(),
        collider.mesh.is_some(),
        collider.figure.is_some(),
    ];
    let shapes = shapes.iter().filter(|s| **s).count();
    if shapes != 1 {
        let all = "`plane`, `sphere`, `capsule`, `box`, `mesh` and `figure`";
        c.add(path, format!("give exactly one of {all}; here are {shapes}"));
    }
    if let Some(plane) = &collider.plane {
        c.finite(&key("plane.point"), &plane.point);
        direction(plane.normal, &key("plane.normal"), c);
    }
    if let Some(sphere) = &collider.sphere {
        c.finite(&key("sphere.centre"), &sphere.centre);
        c.positive(&key("sphere.radius"), sphere.radius.si());
    }
    if let Some(capsule) = &collider.capsule {
        c.finite(&key("capsule.from"), &capsule.from);
        c.finite(&key("capsule.to"), &capsule.to);
        c.positive(&key("capsule.radius"), capsule.radius.si());
    }
    if let Some(block) = &collider.block {
        c.finite(&key("box.min"), &block.min);
        c.finite(&key("box.max"), &block.max);
        if !block.min.to_dvec3().cmplt(block.max.to_dvec3()).all() {
            c.add(&key("box"), "every coordinate of `min` must be below that of `max`");
        }
    }
    if let Some(mesh) = &collider.mesh {
        check_mesh(mesh, &key("mesh"), c);
    }
    if let Some(figure) = &collider.figure {
        c.positive(&key("figure.height"), figure.height.si());
        c.finite(&key("figure.foot"), &figure.foot);
    }
    c.not_negative(&key("friction"), collider.friction);
    c.finite(&key("velocity"), &collider.velocity);
    let moving = collider.velocity.to_dvec3() != glam::DVec3::ZERO;
    if [moving, collider.oscillate.is_some(), collider.keyframes.is_some()].iter().filter(|m| **m).count() > 1 {
        c.add(path, "give only one of `velocity`, `oscillate` and `keyframes`");
    }
    if let Some(motion) = &collider.oscillate {
        check_oscillation(motion, &key("oscillate"), c);
    }
    if let Some(frames) = &collider.keyframes {
        check_keyframes(frames, &key("keyframes"), c);
    }
    if let Some(turn) = &collider.turn {
        check_turn(turn, &key("turn"), c);
    }
}

pub(super) fn check_oscillation(motion: &Oscillate, path: &str, c: &mut Complaints) {
    c.finite(&format!("{path}.amplitude"), &motion.amplitude);
    c.not_negative(&format!("{path}.frequency"), motion.frequency.si());
}

pub(super) fn check_turn(turn: &TurnTable, path: &str, c: &mut Complaints) {
    c.finite(&format!("{path}.centre"), &turn.centre);
    direction(turn.axis, &format!("{path}.axis"), c);
    match turn.rate {
        Some(rate) if turn.times.is_empty() && turn.angles.is_empty() => {
            if !rate.si().is_finite() {
                c.add(&format!("{path}.rate"), format!("must be finite, got {}", rate.si()));
            }
        }
        Some(_) => c.add(path, "give either `rate`, or `times` and `angles`"),
        None => {
            if turn.times.len() != turn.angles.len() || turn.times.is_empty() {
                c.add(path, "needs a `rate`, or as many `angles` as `times`, at least one");
            }
            let ordered = turn.times.windows(2).all(|pair| pair[0].si() < pair[1].si());
            if !ordered || turn.times.iter().any(|time| !time.si().is_finite()) {
                c.add(&format!("{path}.times"), "must be finite and increasing");
            }
            if turn.angles.iter().any(|angle| !angle.si().is_finite()) {
                c.add(&format!("{path}.angles"), "must be finite");
            }
        }
    }
}

pub(crate) fn direction(vector: [f64; 3], path: &str, c: &mut Complaints) {
    let length = glam::DVec3::from_array(vector).length();
    if !(length.is_finite() && length > 0.0) {
        c.add(path, format!("needs a direction, three finite numbers that are not all zero; got {vector:?}"));
    }
}
