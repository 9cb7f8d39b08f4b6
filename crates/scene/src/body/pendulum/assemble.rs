//! From `[[pendulum]]` to angles and their forces.

use glam::DVec3;
use pliant_core::{Body, BodyShape};
use pliant_forces::{Pendulum, PendulumForce};

use crate::assemble::Parts;
use crate::schema::Scene;

pub(super) fn add_all(scene: &Scene, parts: &mut Parts) {
    for body in &scene.pendulum {
        let first = parts.x.len();
        let strength = body.mass.si() * scene.world.gravity.to_dvec3().length() / body.length.si();
        parts.x.push(DVec3::new(body.angle.si(), 0.0, 0.0));
        parts.v.push(DVec3::new(body.angular_velocity.si(), 0.0, 0.0));
        parts.masses.push(body.mass.si());
        parts.models.push(Box::new(PendulumForce::new(vec![Pendulum { node: first as u32, strength }])));
        let shape = BodyShape::Pendulum { length: body.length.si() };
        parts.bodies.push(Body { name: body.name.clone(), particles: first..first + 1, shape, ..Body::default() });
    }
}
