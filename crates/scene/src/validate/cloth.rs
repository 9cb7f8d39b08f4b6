//! What can be wrong with cloth, colliders, contact and wind.

use pliant_forces::cloth::presets::FABRICS;

use super::{Complaints, MOST_PARTICLES, check_keyframes, check_pin};
use crate::schema::cloth::{ClothBending, ClothBody, ClothModel, MeshTable};
use crate::schema::collider::{ColliderTable, TurnTable};
use crate::schema::{Oscillate, Scene};

/// More than this is more triangles than anyone has memory for.
const MOST_SUBDIVISIONS: usize = 8;

pub(super) fn check(scene: &Scene, c: &mut Complaints) {
    for (k, body) in scene.cloth.iter().enumerate() {
        check_cloth(body, &format!("cloth[{k}]"), c);
    }
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

fn check_cloth(body: &ClothBody, path: &str, c: &mut Complaints) {
    let key = |name: &str| format!("{path}.{name}");
    let shapes = [body.grid.is_some(), body.sphere.is_some(), body.mesh.is_some()].iter().filter(|s| **s).count();
    if shapes != 1 {
        c.add(path, format!("give exactly one of `grid`, `sphere` and `mesh`; here are {shapes}"));
    }
    let mut count = None;
    if let Some(grid) = &body.grid {
        count = grid.columns.checked_mul(grid.rows).or(Some(usize::MAX));
        if grid.columns < 2 || grid.rows < 2 {
            c.add(&key("grid"), format!("needs at least 2 columns and 2 rows, got {} x {}", grid.columns, grid.rows));
        }
        c.positive(&key("grid.width"), grid.width.si());
        c.positive(&key("grid.height"), grid.height.si());
        c.finite(&key("grid.origin"), &grid.origin);
    }
    if let Some(sphere) = &body.sphere {
        c.positive(&key("sphere.radius"), sphere.radius.si());
        c.finite(&key("sphere.centre"), &sphere.centre);
        if sphere.subdivisions > MOST_SUBDIVISIONS {
            c.add(&key("sphere.subdivisions"), format!("at most {MOST_SUBDIVISIONS}, got {}", sphere.subdivisions));
        } else {
            count = Some(10 * 4_usize.pow(sphere.subdivisions as u32) + 2);
        }
    }
    if let Some(mesh) = &body.mesh {
        check_mesh(mesh, &key("mesh"), c);
    }
    if count.is_some_and(|count| count > MOST_PARTICLES) {
        c.add(path, format!("more than {MOST_PARTICLES} particles"));
    }
    let presets = FABRICS.iter().map(|fabric| fabric.name);
    if !presets.clone().any(|name| name == body.preset) {
        c.unknown(&key("preset"), "cloth preset", &body.preset, presets);
    }
    c.option(&key("density"), body.density, Complaints::positive);
    c.option(&key("thickness"), body.thickness, Complaints::positive);
    c.option(&key("youngs_modulus"), body.youngs_modulus, Complaints::positive);
    c.option(&key("youngs_modulus_weft"), body.youngs_modulus_weft, Complaints::positive);
    c.option(&key("shear_modulus"), body.shear_modulus, Complaints::positive);
    c.option(&key("bending_stiffness"), body.bending_stiffness, Complaints::not_negative);
    c.not_negative(&key("damping"), body.damping.si());
    c.not_negative(&key("bending_damping"), body.bending_damping.si());
    if body.bending == ClothBending::Quadratic && body.model != ClothModel::Springs {
        if body.bending_damping.si() > 0.0 {
            let message =
                "`bending = \"quadratic\"` has no damping: set `bending_damping = 0`, or take \"plate\" or \"hinges\"";
            c.add(&key("bending"), message);
        }
        if body.sphere.is_some() {
            c.add(&key("bending"), "\"quadratic\" is for sheets that are flat at rest; take \"plate\" or \"hinges\"");
        }
    }
    if body.model == ClothModel::Springs && body.bending != ClothBending::default() {
        c.add(&key("bending"), "`model = \"springs\"` has springs against bending; leave `bending` out");
    }
    if let Some(poisson) = body.poisson.filter(|nu| !(*nu > -1.0 && *nu < 1.0)) {
        c.add(&key("poisson"), format!("of a sheet it lies between -1 and 1, got {poisson}"));
    }
    if let Some(limit) = body.strain_limit {
        c.positive(&key("strain_limit"), limit);
    }
    if let Some(gas) = &body.inflate {
        c.not_negative(&key("inflate.pressure"), gas.pressure.si());
        c.not_negative(&key("inflate.ambient"), gas.ambient.si());
        if body.grid.is_some() {
            c.add(&key("inflate"), "a rectangle is not closed: only `sphere` or a closed `mesh` can be inflated");
        }
    }
    c.finite(&key("velocity"), &body.velocity);
    c.not_negative(&key("friction"), body.friction);
    c.option(&key("contact_distance"), body.contact_distance, Complaints::positive);
    for (k, pin) in body.pins.iter().enumerate() {
        let pins = format!("{path}.pins[{k}]");
        check_pin(pin, body.grid.is_some(), count, &pins, c);
        if pin.attribute.is_some() && body.mesh.is_none() {
            c.add(&format!("{pins}.attribute"), "only a `mesh` has vertex properties");
        }
    }
}

fn check_mesh(mesh: &MeshTable, path: &str, c: &mut Complaints) {
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

pub(super) fn direction(vector: [f64; 3], path: &str, c: &mut Complaints) {
    let length = glam::DVec3::from_array(vector).length();
    if !(length.is_finite() && length > 0.0) {
        c.add(path, format!("needs a direction, three finite numbers that are not all zero; got {vector:?}"));
    }
}
