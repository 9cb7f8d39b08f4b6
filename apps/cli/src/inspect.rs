//! `pliant scenes`, `pliant check`, `pliant schema`.

use clap::Args;
use pliant::inspect;
use pliant::scene::builtin::SCENES;
use pliant::scene::load::from_text;
use pliant::scene::{Scene, load};

use crate::words::{Changes, scene_name};
use crate::{Outcome, print_line};

#[derive(Args)]
pub struct CheckArgs {
    /// A scene file, or the name of a built-in scene
    #[arg(value_parser = scene_name())]
    scene: String,
    /// Change the scene: time.integrator=rk4
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

pub fn scenes() -> Outcome {
    let width = SCENES.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, text) in SCENES {
        let scene = from_text(name, name, text, &[]).map_err(|error| (error.to_string(), 1))?;
        print_line(&format!("{name:width$}  {}", scene.scene.description))?;
    }
    Ok(())
}

pub fn check(args: &CheckArgs) -> Outcome {
    let told = load(&args.scene, &args.set).and_then(|scene| inspect::explain(&scene));
    told.map_err(|error| Changes::set(&args.set).bad(&error))?.iter().try_for_each(|line| print_line(line))
}

pub fn schema() -> Outcome {
    let schema = schemars::schema_for!(Scene);
    let text = serde_json::to_string_pretty(&schema).map_err(|why| (why.to_string(), 1))?;
    print_line(&text)
}
