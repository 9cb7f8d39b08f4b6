//! The engine's errors in the terms of the command line: flags as they were typed, remedies as flags.

use std::ffi::OsString;

use clap::builder::{OsStringValueParser, TypedValueParser};
use pliant::refusal::{Refusal, Remedy};
use pliant::runner::RunFailure;
use pliant::scene::SceneError;

/// Changes of a scene, each with the flag that makes it.
#[derive(Clone, Default)]
pub struct Changes {
    /// As the engine takes them.
    pub assignments: Vec<String>,
    /// Those that are not from `--set`: the assignment, and the text that was typed.
    flags: Vec<(String, String)>,
}

impl Changes {
    /// Those of `--set`.
    pub fn set(set: &[String]) -> Self {
        Self { assignments: set.to_vec(), flags: Vec::new() }
    }

    /// One more, made by a flag of its own.
    pub fn flag(&mut self, name: &str, typed: &str, assignment: String) {
        self.flags.push((assignment.clone(), format!("{name} {}", typed.trim())));
        self.assignments.push(assignment);
    }

    /// The text that was typed to make a change; `None` if none of these made it.
    pub fn typed(&self, change: &str) -> Option<String> {
        let flag = self.flags.iter().rev().find(|(assignment, _)| assignment == change);
        let is_set = || self.assignments.iter().any(|assignment| assignment.trim() == change);
        flag.map(|(_, typed)| typed.clone()).or_else(|| is_set().then(|| format!("--set {change}")))
    }

    /// Bad input.
    pub fn bad(&self, error: &SceneError) -> (String, u8) {
        (error.told(&|change| self.typed(change).unwrap_or_else(|| change.to_owned())), 2)
    }

    /// A run that failed.
    pub fn failed(&self, failure: &RunFailure) -> (String, u8) {
        let text = match failure {
            RunFailure::Scene(error) => self.bad(error).0,
            RunFailure::Input(refusal) | RunFailure::Interrupted(refusal) => refusal.told(word),
            RunFailure::Failed(_) => failure.to_string(),
        };
        (text, failure.exit_code())
    }
}

/// Reads the argument that names a scene: messages and results are in its terms, so it must be text.
pub fn scene_name() -> impl TypedValueParser<Value = String> {
    let text = |given: OsString| given.into_string().map_err(|_| "the name is not UTF-8 text: rename the file");
    OsStringValueParser::new().try_map(text)
}

/// A request that is not carried out.
pub fn refused(refusal: &Refusal) -> (String, u8) {
    (refusal.told(word), 2)
}

fn word(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::Resume => "--resume goes on with it",
        Remedy::Replace => "--force replaces it",
        Remedy::Elsewhere => "-o writes somewhere else",
        Remedy::AskError => "give --error again to go on with it",
        Remedy::LeaveError => "leave --error away to go on with it",
    }
}
