//! The engine's part of `pliant.sweep`: the same checks, runs, folder and table as those of `pliant sweep`. Processes are Python's part.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use parking_lot::Mutex;
use pliant::runner::Observer as _;
use pliant::scene::from_text;
use pliant::summary::Summary;
use pliant::sweep::store::names;
use pliant::sweep::{RunResult, Status, Store, Sweep, SweepError, Vary, table};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};

use crate::record::Listener;
use crate::threads::guarded;
use crate::{catalog, convert, errors};

/// A sweep that has been checked: its runs and their stored results.
#[pyclass(frozen, module = "pliant._pliant", name = "_Sweep")]
pub struct PlannedSweep {
    sweep: Sweep,
    store: Mutex<Option<Store>>,
}

#[pymethods]
impl PlannedSweep {
    #[new]
    #[pyo3(signature = (scene, vary, repeat, *, set=None, until=None, folder=None))]
    fn new(
        scene: &Bound<'_, PyAny>,
        vary: &Bound<'_, PyAny>,
        repeat: usize,
        set: Option<&Bound<'_, PyAny>>,
        until: Option<&Bound<'_, PyAny>>,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let source = convert::Source::new(scene, folder)?;
        let mut changes = set.map_or(Ok(Vec::new()), convert::assignments)?;
        let until = match until {
            Some(until) => Some(format!("time.until={}", convert::value(until, "time.until", 0)?)),
            None => None,
        };
        changes.extend(until.clone());
        let vary = varied(vary)?;
        let label = source.label().to_owned();
        let made =
            scene.py().detach(|| guarded(|| Sweep::of(&label, &changes, vary, repeat, &|all| source.load(all))))?;
        let sweep = made.map_err(|error| match error {
            SweepError::Grid(message) => errors::input(message),
            SweepError::Vary(message) => errors::input(format!("vary: {message}")),
            SweepError::Scene(error) => errors::changed(&source.plain(error), &|change| match change {
                change if until.as_deref() == Some(change) => "until",
                change if changes.iter().any(|one| one.trim() == change) => "set",
                _ => "vary",
            }),
        })?;
        Ok(Self { sweep, store: Mutex::new(None) })
    }

    fn __len__(&self) -> usize {
        self.sweep.len()
    }

    /// The scene of a run (from 1) as TOML, with the whole paths of its meshes: enough to run it elsewhere.
    fn text(&self, number: usize) -> PyResult<String> {
        if number == 0 || number > self.sweep.len() {
            return Err(errors::input(format!("there is no run {number}")));
        }
        let scene = self.sweep.scene(&self.sweep.run(number - 1)).map_err(|error| errors::scene(&error))?;
        Ok(scene.to_toml())
    }

    /// Keep results in a folder. Returns the numbers of the runs that are done there already.
    fn open(&self, py: Python<'_>, folder: PathBuf, force: bool) -> PyResult<Vec<usize>> {
        py.detach(|| {
            let store = Store::open(&folder, &self.sweep.plan, force).map_err(|refusal| errors::refused(&refusal))?;
            let results = store.results(self.sweep.len());
            *self.store.lock() = Some(store);
            let done = results.iter().flatten().filter(|result| result.status == Status::Done);
            Ok(done.map(|result| result.number).collect())
        })
    }

    /// Keep a result, if there is a folder.
    fn keep(&self, py: Python<'_>, result: &str) -> PyResult<()> {
        let result: RunResult = serde_json::from_str(result).map_err(|why| errors::input(why.to_string()))?;
        let kept = py.detach(|| self.store.lock().as_ref().map_or(Ok(()), |store| store.keep(&result)));
        kept.map_err(|error| errors::input(error.to_string()))
    }

    /// The table of some results: columns, rows, and pairs of repeats that ended in different states. Written too, if there is a folder.
    fn finish<'py>(&self, py: Python<'py>, results: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
        let store = self.store.lock();
        // results of the folder, and new ones
        let mut all =
            store.as_ref().map_or_else(|| vec![None; self.sweep.len()], |store| store.results(self.sweep.len()));
        for text in results {
            let result: RunResult = serde_json::from_str(&text).map_err(|why| errors::input(why.to_string()))?;
            if let Some(place) = result.number.checked_sub(1).and_then(|k| all.get_mut(k)) {
                *place = Some(result);
            }
        }
        if let Some(store) = &*store {
            let written = store.write(names::TABLE, &table::csv(&self.sweep, &all));
            written.map_err(|error| errors::input(error.to_string()))?;
        }
        let unequal = table::unequal_repeats(&self.sweep, &all);
        let whole = (table::header(&self.sweep), table::rows(&self.sweep, &all), unequal);
        catalog::python(py, &serde_json::to_string(&whole).map_err(|why| errors::input(why.to_string()))?)
    }
}

/// Keys with their values, from a dict of lists.
fn varied(given: &Bound<'_, PyAny>) -> PyResult<Vec<Vary>> {
    let wrong = || errors::input("vary: a dict of keys and lists of values, such as {\"time.fps\": [30, 60]}");
    let mapping = given.cast::<PyMapping>().map_err(|_| wrong())?;
    let mut all = Vec::new();
    for pair in mapping.items()?.iter() {
        let (key, list): (Bound<PyAny>, Bound<PyAny>) = pair.extract()?;
        let path = convert::key_of(&key, "vary")?;
        if list.is_instance_of::<PyString>() || list.cast::<PyMapping>().is_ok() {
            return Err(errors::input(format!("vary: {path}: give a list of values, even of one")));
        }
        let values = list.try_iter().map_err(|_| errors::input(format!("vary: {path}: give a list of values")))?;
        let values = values.map(|entry| convert::value(&entry?, &path, 0)).collect::<PyResult<Vec<_>>>()?;
        all.push(Vary::new(path, values).map_err(|why| errors::input(format!("vary: {why}")))?);
    }
    Ok(all)
}

/// Run a scene, given as TOML, to its end without recording anything; returns the summary as JSON.
#[pyfunction(name = "_run_text")]
pub fn run_text(py: Python<'_>, text: &str) -> PyResult<String> {
    let loaded = from_text(errors::NOWHERE, errors::NOWHERE, text, &[]).map_err(|error| errors::scene(&error))?;
    let mut listener = Listener { stop: Arc::default(), asked: Instant::now(), interrupt: None, warnings: Vec::new() };
    let ended = py.detach(|| {
        guarded(|| {
            let mut simulation = loaded.build().map_err(|error| error.to_string())?.simulation;
            let begun = Instant::now();
            while !simulation.is_done() && !listener.stop.load(Ordering::Relaxed) {
                let report = simulation.step().map_err(|error| error.to_string())?;
                listener.step(&simulation, &report);
            }
            Ok::<_, String>(Summary::of(&loaded, &simulation, begun.elapsed().as_secs_f64()))
        })
    })?;
    if let Some(interrupt) = listener.interrupt {
        return Err(interrupt);
    }
    let summary = ended.map_err(errors::input)?;
    serde_json::to_string(&summary).map_err(|why| errors::input(why.to_string()))
}
