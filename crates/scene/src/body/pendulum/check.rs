//! Checks of pendulums.

use crate::schema::Scene;
use crate::validate::Complaints;

pub(super) fn check(scene: &Scene, c: &mut Complaints) {
    for (k, body) in scene.pendulum.iter().enumerate() {
        let path = format!("pendulum[{k}]");
        c.positive(&format!("{path}.length"), body.length.si());
        c.positive(&format!("{path}.mass"), body.mass.si());
        for (key, value) in [("angle", body.angle.si()), ("angular_velocity", body.angular_velocity.si())] {
            if !value.is_finite() {
                c.add(&format!("{path}.{key}"), format!("must be finite, got {value}"));
            }
        }
        if scene.world.gravity.to_dvec3().length() == 0.0 {
            c.add(&path, "a pendulum needs gravity, but world.gravity is zero");
        }
    }
}
