//! From the engine's errors to Python's: the remedy `--force` is an argument here. The classes themselves are in `pliant/errors.py`, where they
//! can have more than one base and are easy to read.

use std::path::Path;

use pliant::record::RecordError;
use pliant::refusal::{Refusal, Remedy};
use pliant::runner::RunFailure;
use pliant::scene::{Located, SceneError as WrongScene};
use pliant::time::RunError;
use pyo3::prelude::*;

mod python {
    #![allow(missing_docs)]
    pyo3::import_exception!(pliant.errors, PliantError);
    pyo3::import_exception!(pliant.errors, InputError);
    pyo3::import_exception!(pliant.errors, SceneError);
    pyo3::import_exception!(pliant.errors, StepError);
    pyo3::import_exception!(pliant.errors, CheckpointError);
}

/// An invalid argument.
pub fn input(message: impl Into<String>) -> PyErr {
    python::InputError::new_err(message.into())
}

/// A request that is not carried out, and its remedies.
pub fn refused(refusal: &Refusal) -> PyErr {
    input(refusal.told(word))
}

fn word(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::Resume => "resume=True goes on with it",
        Remedy::Replace => "force=True replaces it",
        Remedy::Elsewhere => "another output keeps it",
        Remedy::AskError => "give error again to go on with it",
        Remedy::LeaveError => "leave error out to go on with it",
    }
}

/// The errors in a scene, each with its position. Changes came with the argument `set`.
pub fn scene(error: &WrongScene) -> PyErr {
    changed(error, &|_| "set")
}

/// The same where changes may have come with other arguments.
pub fn changed(error: &WrongScene, argument: &dyn Fn(&str) -> &'static str) -> PyErr {
    let file = |wrong: &Located| wrong.change.as_ref().map_or_else(|| wrong.file.clone(), |one| argument(one).into());
    let problem = |wrong: &Located| (file(wrong), wrong.line, wrong.path.clone(), wrong.message.clone());
    let problems: Vec<_> = match error {
        WrongScene::Unreadable(_) => Vec::new(),
        WrongScene::Wrong(all) => all.iter().map(problem).collect(),
    };
    python::SceneError::new_err((error.told(&|change| argument(change).to_owned()), problems))
}

/// One problem of a scene that has no file.
pub fn wrong_key(path: &str, message: String) -> PyErr {
    scene(&Located { file: NOWHERE.into(), line: None, change: None, path: path.into(), message }.into())
}

/// Stands in messages for the file where a scene is a dict.
pub const NOWHERE: &str = "scene";

/// A checkpoint that cannot be written or read.
pub fn record(error: &RecordError) -> PyErr {
    python::CheckpointError::new_err(error.to_string())
}

/// A checkpoint that is not one of this scene, though it claims to be.
pub fn misfit(path: &Path) -> PyErr {
    python::CheckpointError::new_err(format!("{}: does not fit this scene", path.display()))
}

/// Why a simulation failed.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The engine failed; the last good state is kept.
    Run(RunError),
    /// A bug in the engine.
    Panic(String),
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Run(error) => {
                let text = error.to_string();
                python::StepError::new_err((text, error.time, error.steps, error.why))
            }
            Failure::Panic(text) => python::PliantError::new_err(text),
        }
    }
}

/// Why a recorded run failed.
pub fn run(failure: &RunFailure) -> PyErr {
    match failure {
        RunFailure::Scene(error) => scene(error),
        RunFailure::Input(refusal) => refused(refusal),
        RunFailure::Failed(text) => python::StepError::new_err(text.clone()),
        RunFailure::Interrupted(refusal) => pyo3::exceptions::PyKeyboardInterrupt::new_err(refusal.told(word)),
    }
}
