//! A summary of what would run: the text of `pliant check`.

use pliant_core::{Body, BodyShape, Point, System};
use pliant_scalar::shown::seconds;
use pliant_scene::{LoadedScene, SceneError};
use pliant_time::control::ControlKind;
use pliant_time::{Properties, Simulation, Stability};

/// A scene in a few lines, warnings included. All of its parts are made, so that all errors in it are found; nothing is started, except where the
/// step at the start is a limit of stability.
pub fn explain(scene: &LoadedScene) -> Result<Vec<String>, SceneError> {
    let properties = scene.checked.integrator.properties;
    let (system, warnings, steps) = match properties.stability {
        Stability::UpTo(limit) => started(scene, limit)?,
        _ => {
            let assembled = scene.assembled()?;
            (assembled.system, assembled.warnings, Vec::new())
        }
    };
    let title = &scene.scene.title;
    let mut lines = vec![if title.is_empty() { scene.name.clone() } else { format!("{}: {title}", scene.name) }];
    let springs: usize = system.bodies().iter().map(|body| body.edges.len()).sum();
    lines.push(format!("  {} particles ({} pinned), {springs} springs", system.len(), system.pins().len()));
    lines.push(format!("  forces: {}", grouped(system.models().iter().map(|model| model.name()))));
    lines.push(format!("  integrator: {} ({})", properties.name, describe(properties)));
    lines.push(format!("  control: {}", scene.checked.control));
    if properties.is_implicit() {
        lines.push(format!("  solver: {}", scene.checked.solver.resolve(&system, properties)));
    }
    lines.extend(steps);
    let frames = scene.frames();
    lines.push(format!("  until t = {}, {} frames", seconds(frames.until), frames.last() + 1));
    lines.extend(warnings.iter().map(|warning| format!("  warning: {warning}")));
    Ok(lines)
}

/// The system at its start, warnings, and what is known of the steps of a scheme that is stable up to a limit.
fn started(scene: &LoadedScene, limit: f64) -> Result<(System, Vec<String>, Vec<String>), SceneError> {
    let built = scene.build()?;
    let (start, steps) = (built.simulation.point().clone(), forecast(scene, &built.simulation));
    let mut system = built.simulation.system;
    let steps = steps.map(|dt| format!("steps of about {} at the start", seconds(dt)));
    let known: Vec<String> = steps.into_iter().chain(stable(&mut system, &start, limit)).collect();
    let mut lines = Vec::new();
    if !known.is_empty() {
        lines.push(format!("  {}", known.join("; ")));
    }
    lines.extend(later(&system).map(|what| format!("  shorter steps {what}")));
    Ok((system, built.warnings, lines))
}

/// The mean step that the controller takes as long as all stays as it is at the start, s: frames cut steps. `None` where errors that are not
/// known yet decide.
pub fn forecast(scene: &LoadedScene, simulation: &Simulation) -> Option<f64> {
    let kind = scene.checked.control.kind;
    let frames = simulation.frames();
    let (frame, proposal) = (frames.until.min(1.0 / frames.fps), simulation.progress().proposal);
    let steps = (frame / proposal * (1.0 - 1e-9)).ceil().max(1.0);
    (kind == ControlKind::FIXED || kind == ControlKind::STABLE).then_some(frame / steps)
}

/// The longest stable step of a scheme that has one, and what it follows from.
fn stable(system: &mut System, start: &Point, limit: f64) -> Option<String> {
    let view = start.state.view();
    let force: &[_] = if start.force_known { &start.force } else { &[] };
    let frequency = system.bounds().frequency_bound_besides_limits(&view);
    let own = system.bounds().step_limit(&view, force);
    let limiting = system.models().iter().filter(|model| model.properties().limits_steps).map(|model| model.name());
    let (dt, why) = match limit / frequency {
        dt if dt <= own => (dt, format!("fastest frequency at most {frequency:.3e} rad/s")),
        _ => (own, format!("limit of {}", grouped(limiting))),
    };
    dt.is_finite().then(|| format!("stable up to about {} ({why})", seconds(dt)))
}

/// When limits will bind that do not bind at the start.
fn later(system: &System) -> Option<&'static str> {
    let bodies = system.bodies();
    let is_fluid = |body: &Body| matches!(body.shape, BodyShape::Grains { .. }) && body.rubble.is_none();
    if !bodies.iter().any(is_fluid) {
        None
    } else if system.is_incompressible() {
        Some("once the fluid is fast: it moves by less than its spacing in a step")
    } else {
        bodies.iter().any(|body| !body.triangles.is_empty()).then_some("where a fluid presses on a sheet")
    }
}

fn describe(properties: &Properties) -> String {
    let cost = match properties.solves {
        0 => format!("{} force evaluations a step", properties.evaluations),
        1 => "a linear solve or more a step".to_owned(),
        solves => format!("{solves} linear solves or more a step"),
    };
    format!("order {}, {cost}", properties.order)
}

/// Names in the order of their first occurrence, each once, with its count.
fn grouped<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for name in names {
        match groups.iter_mut().find(|group| group.0 == name) {
            Some(group) => group.1 += 1,
            None => groups.push((name, 1)),
        }
    }
    let told = |(name, count): (&str, usize)| if count == 1 { name.to_owned() } else { format!("{count} x {name}") };
    groups.into_iter().map(told).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_flags_are_told_in_one_line() {
        let names = ["gravity", "cloth", "air", "cloth", "air", "cloth", "contact"];
        assert_eq!(grouped(names.into_iter()), "gravity, 3 x cloth, 2 x air, contact");
        let scene = pliant_scene::load("crowd-of-flags", &[]).unwrap();
        let lines = explain(&scene).unwrap();
        let forces = lines.iter().find(|line| line.trim_start().starts_with("forces:")).unwrap();
        assert!(forces.contains("100 x ") && forces.len() < 200, "{forces}");
        assert!(lines.iter().all(|line| lines.iter().filter(|other| *other == line).count() == 1), "{lines:#?}");
    }
}
