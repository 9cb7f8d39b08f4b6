//! Checks of `[restraint]`.

use pliant_time::catalog::{Entry, INTEGRATORS};

use super::Complaints;
use crate::body::bodies;
use crate::schema::{FluidPressure, RestraintCriterion, Scene};
use crate::suggest::nearest;
use crate::units::{Energy, Momentum, Velocity};

/// Valid ratios of the speeds of free motion and of rest: smaller ones make transitions that steps cannot resolve.
const RATIO: [f64; 2] = [1.02, 1e6];

/// Limits of whatever has them.
pub(crate) struct Given {
    pub speed: Option<Velocity>,
    pub energy: Option<Energy>,
    pub momentum: Option<Momentum>,
    pub ratio: f64,
    pub least: Option<Velocity>,
}

pub(super) fn check(scene: &Scene, integrator: Option<&Entry>, c: &mut Complaints) {
    let Some(table) = scene.restraint.as_ref().filter(|table| table.enabled) else { return };
    c.positive("restraint.error", table.error.si());
    c.option("restraint.fading", table.fading, Complaints::positive);
    if let Some(share) = table.share.filter(|share| !(0.0..=1.0).contains(share)) {
        c.add("restraint.share", format!("must be from 0 to 1, got {share}"));
    }
    check_limits(&table.given(), "restraint", c);
    let names: Vec<&str> = bodies(scene).map(|(_, name)| name).collect();
    for (k, body) in table.body.iter().enumerate() {
        let path = format!("restraint.body[{k}]");
        check_limits(&body.given(), &path, c);
        if !names.contains(&body.name.as_str()) {
            let hint = match nearest(&body.name, names.iter().copied()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("there are: {}", names.join(", ")),
            };
            c.add(&format!("{path}.name"), format!("there is no body \"{}\"; {hint}", body.name));
        }
    }
    if let Some(entry) = integrator.filter(|entry| !entry.properties.restrains) {
        let known = INTEGRATORS.iter().filter(|entry| entry.properties.restrains).map(|entry| entry.properties.name);
        let known = known.collect::<Vec<_>>().join(", ");
        let name = entry.properties.name;
        c.add_pair(
            &["time.integrator", "restraint.enabled"],
            format!("{name} does not know restraint; these do: {known}"),
        );
    }
    if integrator.is_some_and(|entry| entry.properties.is_implicit() && !entry.properties.predicts_force)
        && matches!(table.criterion, RestraintCriterion::Energy | RestraintCriterion::Momentum)
    {
        c.add_pair(&["restraint.criterion", "time.integrator"], "implicit steps have several solutions unless it is \"ramp\" or \"convex\"; linearized-backward-euler is the published scheme");
    }
    if scene.fluid.iter().any(|fluid| fluid.pressure == FluidPressure::DivergenceFree) {
        c.add(
            "restraint",
            "an incompressible fluid is one whole: nothing of it can be held; take pressure = \"weakly-compressible\"",
        );
    }
    if scene.time.projection.is_some() || scene.time.response.is_some() {
        c.add("restraint", "time.projection and time.response move what is held: leave them out");
    }
    if scene.solver.preconditioner == "hierarchical" {
        c.add("solver.preconditioner", "hierarchical needs whole bodies: under restraint take another one");
    }
    if table.view && (scene.view.camera.is_none() || scene.view.target.is_none()) {
        c.add("restraint.view", "say where view.camera stands and what view.target it looks at");
    }
}

fn check_limits(given: &Given, path: &str, c: &mut Complaints) {
    c.option(&format!("{path}.speed"), given.speed, Complaints::positive);
    c.option(&format!("{path}.energy"), given.energy, Complaints::positive);
    c.option(&format!("{path}.momentum"), given.momentum, Complaints::positive);
    c.option(&format!("{path}.least_speed"), given.least, Complaints::not_negative);
    let [low, high] = RATIO;
    if !(low..=high).contains(&given.ratio) {
        c.add(&format!("{path}.ratio"), format!("must be from {low} to {high}, got {}", given.ratio));
    }
    let several = [given.speed.is_some(), given.energy.is_some(), given.momentum.is_some()];
    if several.into_iter().filter(|is_given| *is_given).count() > 1 {
        c.add(path, "give one of `speed`, `energy` and `momentum`");
    }
}
