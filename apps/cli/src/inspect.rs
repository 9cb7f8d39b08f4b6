//! `pliant scenes`, `pliant check`, `pliant schema`.

use clap::Args;
use pliant::scene::builtin::SCENES;
use pliant::scene::load::from_text;
use pliant::scene::{Scene, load};
use pliant::time::{Properties, Stability};

use crate::{Outcome, print_line};

#[derive(Args)]
pub struct CheckArgs {
    /// A scene file, or the name of a built-in scene
    scene: String,
    /// Change the scene: time.integrator=rk4
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

pub fn scenes() -> Outcome {
    let width = SCENES.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, text) in SCENES {
        let scene = from_text(name, name, text, &[]).map_err(|error| (error.to_string(), 1))?;
        print_line(&format!("{name:width$}  {}", scene.scene.description));
    }
    Ok(())
}

pub fn check(args: &CheckArgs) -> Outcome {
    let loaded = load(&args.scene, &args.set).map_err(|error| (error.to_string(), 2))?;
    let mut built = loaded.build().map_err(|error| (error.to_string(), 2))?;
    let properties = loaded.checked.integrator.properties;
    let start = built.simulation.state().clone();
    let system = &mut built.simulation.system;
    let frequency = system.frequency_bound(&start.view());
    print_line(&format!("{}: {}", loaded.name, loaded.scene.title));
    let springs: usize = system.bodies().iter().map(|body| body.edges.len()).sum();
    print_line(&format!("  {} particles ({} pinned), {springs} springs", system.len(), system.pins().len()));
    let models: Vec<&str> = system.models().iter().map(|model| model.name()).collect();
    print_line(&format!("  forces: {}", models.join(", ")));
    print_line(&format!("  integrator: {} ({})", properties.name, describe(properties)));
    print_line(&format!("  control: {:?}", loaded.checked.control));
    if properties.is_implicit() {
        print_line(&format!("  solver: {}", loaded.checked.solver.resolve(system, properties)));
    }
    if let (Stability::UpTo(limit), true) = (properties.stability, frequency > 0.0) {
        let dt = limit / frequency;
        print_line(&format!("  stable up to about dt = {dt:.3e} s (fastest frequency at most {frequency:.3e} rad/s)"));
    }
    let frames = built.simulation.frames();
    print_line(&format!("  until t = {} s, {} frames", frames.until, frames.last() + 1));
    for warning in &built.warnings {
        print_line(&format!("  warning: {warning}"));
    }
    Ok(())
}

fn describe(properties: &Properties) -> String {
    let cost = match properties.solves {
        0 => format!("{} force evaluations a step", properties.evaluations),
        solves => format!("{solves} or more solves a step"),
    };
    format!("order {}, {cost}", properties.order)
}

pub fn schema() -> Outcome {
    let schema = schemars::schema_for!(Scene);
    let text = serde_json::to_string_pretty(&schema).map_err(|why| (why.to_string(), 1))?;
    print_line(&text);
    Ok(())
}
