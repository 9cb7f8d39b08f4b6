//! What would run: the words of `pliant check`.

use pliant_core::shown::seconds;
use pliant_scene::{LoadedScene, SceneError};
use pliant_time::{Properties, Stability};

/// A scene in a few lines, warnings included. Builds it, so whatever is wrong in it is found.
pub fn explain(scene: &LoadedScene) -> Result<Vec<String>, SceneError> {
    let mut built = scene.build()?;
    let properties = scene.checked.integrator.properties;
    let start = built.simulation.state().clone();
    let system = &mut built.simulation.system;
    let frequency = system.frequency_bound(&start.view());
    let title = &scene.scene.title;
    let mut lines = vec![if title.is_empty() { scene.name.clone() } else { format!("{}: {title}", scene.name) }];
    let springs: usize = system.bodies().iter().map(|body| body.edges.len()).sum();
    lines.push(format!("  {} particles ({} pinned), {springs} springs", system.len(), system.pins().len()));
    let models: Vec<&str> = system.models().iter().map(|model| model.name()).collect();
    lines.push(format!("  forces: {}", models.join(", ")));
    lines.push(format!("  integrator: {} ({})", properties.name, describe(properties)));
    lines.push(format!("  control: {}", scene.checked.control));
    if properties.is_implicit() {
        lines.push(format!("  solver: {}", scene.checked.solver.resolve(system, properties)));
    }
    if let (Stability::UpTo(limit), true) = (properties.stability, frequency > 0.0) {
        lines.push(format!(
            "  stable up to about dt = {} (fastest frequency at most {frequency:.3e} rad/s)",
            seconds(limit / frequency)
        ));
    }
    let frames = built.simulation.frames();
    lines.push(format!("  until t = {}, {} frames", seconds(frames.until), frames.last() + 1));
    lines.extend(built.warnings.iter().map(|warning| format!("  warning: {warning}")));
    Ok(lines)
}

fn describe(properties: &Properties) -> String {
    let cost = match properties.solves {
        0 => format!("{} force evaluations a step", properties.evaluations),
        1 => "a linear solve or more a step".to_owned(),
        solves => format!("{solves} linear solves or more a step"),
    };
    format!("order {}, {cost}", properties.order)
}
