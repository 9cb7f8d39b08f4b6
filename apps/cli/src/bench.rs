//! `pliant bench`.

use clap::Subcommand;

use crate::Outcome;

#[derive(Subcommand)]
pub enum BenchCommand {
    /// Largest stable step, cost a step, order and score of every integrator
    Integrators {
        /// A scene file, or the name of a built-in scene
        #[arg(long, default_value = "spring-net")]
        scene: String,
    },
}

pub fn bench(command: &BenchCommand) -> Outcome {
    let BenchCommand::Integrators { scene: _ } = command;
    Ok(())
}
