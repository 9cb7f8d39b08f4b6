//! `pliant reproduce`.

use clap::Args;

use crate::Outcome;

#[derive(Args)]
pub struct ReproduceArgs {
    /// Experiments or papers; all without one
    names: Vec<String>,
}

pub fn reproduce(_args: &ReproduceArgs) -> Outcome {
    Ok(())
}
