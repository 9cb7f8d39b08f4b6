//! `pliant.run`: a scene into a folder, as the command line does it.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pliant::core::StepReport;
use pliant::runner::{Observer, RunOptions, run as run_scene};
use pliant::scene::units::{dimension, parse_quantity};
use pliant::time::Simulation;
use pliant::verify::run_verified;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::threads::guarded;
use crate::{catalog, convert, errors};

/// Interval of checks for Ctrl-C.
const ASKED: Duration = Duration::from_millis(50);

/// Stops the run when Python was interrupted, and keeps the exception.
pub struct Listener {
    pub stop: Arc<AtomicBool>,
    pub asked: Instant,
    pub interrupt: Option<PyErr>,
    /// Warnings about legal but probably unintended input, each once.
    pub warnings: Vec<String>,
}

impl Observer for Listener {
    fn message(&mut self, text: &str) {
        // compared runs of one scene all give the same warnings
        if let Some(warning) = text.strip_prefix("warning: ").filter(|new| !self.warnings.iter().any(|old| old == new))
        {
            self.warnings.push(warning.to_owned());
        }
    }

    fn step(&mut self, _: &Simulation, _: &StepReport) {
        self.listen();
    }

    fn drawing(&mut self, _: &str, _: usize, _: usize) {
        self.listen();
    }
}

impl Listener {
    /// Checks periodically whether Python was interrupted.
    fn listen(&mut self) {
        if self.asked.elapsed() < ASKED {
            return;
        }
        self.asked = Instant::now();
        if let Err(interrupt) = Python::attach(|py| py.check_signals()) {
            self.stop.store(true, Ordering::Relaxed);
            self.interrupt = Some(interrupt);
        }
    }
}

fn metres(given: &Bound<'_, PyAny>) -> PyResult<f64> {
    let wrong = |why: String| errors::input(format!("error: {why}"));
    let metres = if let Ok(text) = given.cast::<PyString>() {
        parse_quantity::<dimension::Length>(&text.extract::<String>()?).map_err(|why| wrong(why.message))?.si()
    } else {
        given.extract::<f64>().map_err(|_| wrong(format!("a length in metres is needed, got {given}")))?
    };
    if metres.is_finite() && metres > 0.0 {
        return Ok(metres);
    }
    Err(wrong(format!("must be positive and finite, got {metres} m")))
}

/// Run a scene to its end and record it into the folder ``output``, as ``pliant run -o`` does; returns the summary.
///
/// ``resume``: go on with an interrupted run. ``force``: replace an earlier result. ``error``: a verified error, m (or "1 mm"): the scene is
/// run with smaller tolerances until two runs agree within it and three show how fast errors fall; ``verified`` of the summary has the error (``estimate``) and
/// the ``order`` that it stands on, the smaller one of ``declared_order`` and ``observed_order``. Ctrl-C leaves a checkpoint to resume from.
/// Pictures ("png", "gif") are drawn when the run is over.
/// What is legal but probably not wanted, such as an error as large as the scene, is a ``UserWarning``.
#[pyfunction]
#[pyo3(signature = (scene, output, *, set=None, folder=None, resume=false, force=false, error=None))]
pub fn run<'py>(
    scene: &Bound<'py, PyAny>,
    output: PathBuf,
    set: Option<&Bound<'py, PyAny>>,
    folder: Option<PathBuf>,
    resume: bool,
    force: bool,
    error: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = scene.py();
    if resume && force {
        return Err(errors::input("resume goes on with a run, force throws it away: give one of them"));
    }
    let loaded = convert::scene(scene, set, folder)?;
    let error = error.map(metres).transpose()?;
    let options = RunOptions { resume, force, ..RunOptions::new(output) };
    let stop = options.stop.clone();
    let mut listener = Listener { stop, asked: Instant::now(), interrupt: None, warnings: Vec::new() };
    let ended = py.detach(|| {
        guarded(|| match error {
            Some(error) => run_verified(&loaded, error, &options, &mut listener),
            None => run_scene(&loaded, &options, &mut listener),
        })
    })?;
    if let Some(interrupt) = listener.interrupt {
        return Err(interrupt);
    }
    for warning in listener.warnings {
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(warning)?, 1)?;
    }
    let summary = ended.map_err(|failure| errors::run(&failure))?;
    catalog::python(py, &serde_json::to_string(&summary).map_err(|why| errors::input(why.to_string()))?)
}
