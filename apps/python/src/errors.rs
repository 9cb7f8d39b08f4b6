//! From the engine's errors to Python's, with the same words as the command line. The classes themselves are in `pliant/errors.py`, where they
//! can have more than one base and are easy to read.

use std::path::Path;

use pliant::record::RecordError;
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

/// Something that was given is not right.
pub fn input(message: impl Into<String>) -> PyErr {
    python::InputError::new_err(message.into())
}

/// What is wrong in a scene, each problem with its place.
pub fn scene(error: &WrongScene) -> PyErr {
    let problem = |wrong: &Located| (wrong.file.clone(), wrong.line, wrong.path.clone(), wrong.message.clone());
    let problems: Vec<_> = match error {
        WrongScene::Unreadable(_) => Vec::new(),
        WrongScene::Wrong(all) => all.iter().map(problem).collect(),
    };
    python::SceneError::new_err((error.to_string(), problems))
}

/// One problem of a scene that has no file.
pub fn wrong_key(path: &str, message: String) -> PyErr {
    scene(&Located { file: NOWHERE.into(), line: None, path: path.into(), message }.into())
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

/// Why a simulation cannot go on.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The engine gave up; the last good state is kept.
    Run(RunError),
    /// A mistake in the engine.
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

/// How a recorded run ended other than well.
pub fn run(failure: &RunFailure) -> PyErr {
    match failure {
        RunFailure::Input(text) => python::InputError::new_err(text.clone()),
        RunFailure::Failed(text) => python::StepError::new_err(text.clone()),
        RunFailure::Interrupted(text) => pyo3::exceptions::PyKeyboardInterrupt::new_err(text.clone()),
    }
}
