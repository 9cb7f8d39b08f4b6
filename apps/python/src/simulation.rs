//! `pliant.Simulation`. All of it is behind one lock, which is never waited for with the GIL held and never held while Python code runs.

use std::path::PathBuf;
use std::time::Duration;

use numpy::PyArray1;
use parking_lot::{Mutex, MutexGuard};
use pliant::display::Display;
use pliant::record::Checkpoint;
use pliant::scene::parameters;
use pliant::scene::units::{dimension, parse_quantity};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::engine::{Came, Engine};
use crate::errors;
use crate::parts::{self, Body, Snapshot, Step};
use crate::views::{Rows, owned, owned_rows};
use crate::{arrays, catalog, convert};

/// Longest slice of steps before Python checks for Ctrl-C, and other threads read the state.
const PATIENCE: Duration = Duration::from_millis(10);

/// A scene in motion.
///
/// ``scene``: the path of a scene file, the name of a built-in scene, or a dict of the same structure.
/// ``set``: changes to it, as a dict (``{"time.control.tolerance": "0.1 mm"}``) or as texts (``["time.until=2"]``).
/// ``folder``: for a dict, the folder that names of mesh files are relative to; the current one if not given.
///
/// Raises ``SceneError`` with everything that is wrong in the scene.
///
/// The GIL is released while steps are taken. Any thread may use a simulation; a call while another thread steps waits for the end of
/// that step, and of a few more if they are short.
#[pyclass(frozen, weakref, module = "pliant")]
pub struct Simulation {
    engine: Mutex<Engine>,
}

impl Simulation {
    /// Waits until no other thread steps, with the GIL released.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Engine> {
        match self.engine.try_lock() {
            Some(engine) => engine,
            None => py.detach(|| self.engine.lock()),
        }
    }

    /// Does something long without the GIL.
    fn during<T: Send>(&self, py: Python<'_>, act: impl FnOnce(&mut Engine) -> T + Send) -> T {
        py.detach(|| {
            let mut engine = self.engine.lock();
            let done = act(&mut engine);
            // threads that wait to read the state come first
            MutexGuard::unlock_fair(engine);
            done
        })
    }

    /// Steps until a time; the number of steps.
    fn go(slf: &Bound<'_, Self>, until: f64, callback: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        let (py, this) = (slf.py(), slf.get());
        let mut all = 0;
        loop {
            let (came, steps) = this.during(py, |engine| engine.go(until, PATIENCE))?;
            all += steps;
            py.check_signals()?;
            if let (Some(callback), true, true) = (callback, came != Came::SomeWay, all > 0) {
                let answer = callback.call1((slf,))?;
                if answer.is(pyo3::types::PyBool::new(py, false)) {
                    return Ok(all);
                }
            }
            if came == Came::There {
                return Ok(all);
            }
        }
    }
}

/// A time in seconds, or a text with a unit.
fn seconds(name: &str, given: &Bound<'_, PyAny>) -> PyResult<f64> {
    let wrong = |why: String| errors::input(format!("{name}: {why}"));
    let time = if let Ok(text) = given.cast::<PyString>() {
        parse_quantity::<dimension::Time>(&text.extract::<String>()?).map_err(|why| wrong(why.message))?.si()
    } else {
        given.extract::<f64>().map_err(|_| wrong(format!("a time in seconds is needed, got {given}")))?
    };
    if time.is_finite() && time >= 0.0 {
        return Ok(time);
    }
    Err(wrong(format!("must be a finite time and not negative, got {time} s")))
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, *, set=None, folder=None))]
    fn new(scene: &Bound<'_, PyAny>, set: Option<&Bound<'_, PyAny>>, folder: Option<PathBuf>) -> PyResult<Self> {
        let loaded = convert::scene(scene, set, folder)?;
        let engine = scene.py().detach(|| Engine::new(loaded))?;
        Ok(Self { engine: Mutex::new(engine) })
    }

    /// Take one step, as long as the scene's control allows. Steps end on frames and at the scene's end; they may go on after it.
    ///
    /// Raises ``StepError`` if the run cannot go on; the last good state is kept, and another call says the same.
    fn step(&self, py: Python<'_>) -> PyResult<Step> {
        Ok(self.during(py, Engine::step)?.into())
    }

    /// Step until ``dt`` seconds from now (or "20 ms"), exactly; returns how many steps it took.
    fn advance(slf: &Bound<'_, Self>, dt: &Bound<'_, PyAny>) -> PyResult<u64> {
        let dt = seconds("dt", dt)?;
        let until = {
            let engine = slf.get().lock(slf.py());
            engine.meant(engine.time() + dt)
        };
        Self::go(slf, until, None)
    }

    /// Step until the time ``until``, s (or "1.5 s"; the scene's end if not given), exactly; returns how many steps it took.
    ///
    /// ``callback(sim)`` is called at every frame on the way and at the end; if it returns False, the run stops there. Ctrl-C stops it
    /// after the current step. The simulation can go on after either.
    #[pyo3(signature = (until=None, callback=None))]
    fn run(
        slf: &Bound<'_, Self>,
        until: Option<&Bound<'_, PyAny>>,
        callback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        if let Some(callback) = callback.filter(|callback| !callback.is_callable()) {
            return Err(errors::input(format!("callback: must be callable, got {callback}")));
        }
        let until = until.map(|until| seconds("until", until)).transpose()?;
        let until = {
            let engine = slf.get().lock(slf.py());
            until.map_or(engine.until(), |until| engine.meant(until))
        };
        Self::go(slf, until, callback)
    }

    /// Back to the start of the scene as it was given; edits are dropped.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.during(py, Engine::reset)
    }

    /// Positions now, m: a read-only view, (particles, 3).
    ///
    /// Nothing is copied to take it. A view is a snapshot: it shows the moment at which it was taken, whatever is done to the simulation
    /// afterwards, also by other threads, and stays valid when the simulation is gone. After a step, take another one. (A view that is
    /// still alive when the next step begins costs one copy of the array then.)
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, f64>> {
        self.lock(py).view_positions(py)
    }

    /// Velocities now, m/s: a read-only view, (particles, 3), like ``positions``.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, f64>> {
        self.lock(py).view_velocities(py)
    }

    /// What else is known of particles now, one number each, read-only; computed when asked for.
    ///
    /// ``density`` (kg/m^3) and ``pressure`` (Pa) of fluids, ``damage`` (part of the bonds that is broken) and ``fragment`` (number, from 1)
    /// of what can break, ``activity`` (0 moving, 1 in transition, 2 standing still) under restraint.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = self.during(py, Engine::fields)?;
        let all = PyDict::new(py);
        for field in fields.into_all() {
            all.set_item(field.name, owned(py, field.values))?;
        }
        Ok(all)
    }

    /// Masses of particles, kg.
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let masses = self.lock(py).simulation().system.masses().to_vec();
        owned(py, masses)
    }

    /// Which particles are held by pins.
    #[getter]
    fn pinned<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let pinned = self.lock(py).simulation().system.free().iter().map(|free| !free).collect();
        owned(py, pinned)
    }

    /// The bodies of the scene: names, particles, what is drawn of them.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> Vec<Body> {
        parts::bodies(&self.lock(py).simulation().system)
    }

    /// Lines of all bodies that have them, as pairs of particles, (count, 2).
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, u32>> {
        let all: Vec<_> = self.lock(py).bodies().iter().flat_map(|body| body.edges.iter().copied()).collect();
        owned_rows(py, &all)
    }

    /// Surfaces of all bodies that have them, as particles, (count, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, u32>> {
        let all: Vec<_> = self.lock(py).bodies().iter().flat_map(|body| body.triangles.iter().copied()).collect();
        owned_rows(py, &all)
    }

    /// Insides of all soft solids, as particles, (count, 4).
    #[getter]
    fn tetrahedra<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, u32>> {
        let all: Vec<_> = self.lock(py).bodies().iter().flat_map(|body| body.tetrahedra.iter().copied()).collect();
        owned_rows(py, &all)
    }

    /// What is seen: places, m, (count, 3), and triangles between them, (count, 3).
    ///
    /// The first places are those of the particles (of pendulums: where their bobs are), the others those of finer surfaces that ropes and
    /// some solids have; where a body has one, its triangles are in the place of its own.
    fn surface<'py>(&self, py: Python<'py>) -> PyResult<(Rows<'py, f64>, Rows<'py, u32>)> {
        let (points, triangles) = self.during(py, |engine| {
            let (state, bodies) = (engine.simulation().state(), engine.bodies());
            let shown = Display::new(bodies).show(state);
            let mut points: Vec<[f64; 3]> = shown.x.iter().map(|x| x.to_array()).collect();
            let mut triangles = Vec::new();
            for body in bodies {
                let Some(surface) = body.fine_surface_among(state.len()) else {
                    triangles.extend_from_slice(&body.triangles);
                    continue;
                };
                let first = points.len() as u32;
                triangles.extend(surface.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
                points.extend(surface.carry(&shown.x).iter().map(|x| x.to_array()));
            }
            (points, triangles)
        });
        Ok((owned_rows(py, &points)?, owned_rows(py, &triangles)?))
    }

    /// Put particles elsewhere, m: an array (count, 3), or one vector for all.
    ///
    /// ``particles``: all if not given; the name of a body, or anything that indexes an array of all particles. Pinned particles stay with
    /// their pins. The integrator's history is dropped, sums and the energy budget go on. Raises ``InputError``, and changes nothing, for wrong
    /// shapes, for numbers that are not finite, and where the forces or the energy would not be.
    #[pyo3(signature = (positions, particles=None))]
    fn set_positions(&self, positions: &Bound<'_, PyAny>, particles: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.set_state(positions.py(), Some(positions), None, particles)
    }

    /// Give particles other velocities, m/s, like ``set_positions``.
    #[pyo3(signature = (velocities, particles=None))]
    fn set_velocities(&self, velocities: &Bound<'_, PyAny>, particles: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.set_state(velocities.py(), None, Some(velocities), particles)
    }

    /// Positions, m, and velocities, m/s, at once, like ``set_positions``.
    #[pyo3(signature = (positions=None, velocities=None, particles=None))]
    fn set_state(
        &self,
        py: Python<'_>,
        positions: Option<&Bound<'_, PyAny>>,
        velocities: Option<&Bound<'_, PyAny>>,
        particles: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (bodies, count) = {
            let engine = self.lock(py);
            (engine.bodies().to_vec(), engine.simulation().state().len())
        };
        let chosen = arrays::particles(particles, &bodies, count)?;
        let read = |name: &str, given: Option<&Bound<'_, PyAny>>| {
            given.map(|given| arrays::vectors(name, given, chosen.len())).transpose()
        };
        let (x, v) = (read("positions", positions)?, read("velocities", velocities)?);
        self.during(py, |engine| engine.set(&chosen, x.as_deref(), v.as_deref()))
    }

    /// Change parameters while the scene runs: ``sim.edit({"world.gravity": [0, -1.62, 0]})``; ``parameters`` lists what may be.
    ///
    /// The scene goes on from its present state with them. Edits are logged in ``edits`` and are part of checkpoints. If one of the changes
    /// is wrong, none is made.
    fn edit(&self, py: Python<'_>, changes: &Bound<'_, PyAny>) -> PyResult<()> {
        let assignments = convert::assignments(changes)?;
        self.during(py, |engine| engine.edit(&assignments))
    }

    /// What was edited: when, s, and what, as ``--set`` takes it.
    #[getter]
    fn edits(&self, py: Python<'_>) -> Vec<(f64, String)> {
        self.lock(py).edits.clone()
    }

    /// What ``edit`` can change: ``path``, ``label``, ``unit``, ``value`` and the usual range of each.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = serde_json::to_string(&parameters(&self.lock(py).scene));
        catalog::python(py, &all.map_err(|why| errors::input(why.to_string()))?)
    }

    /// Write a checkpoint: everything that is needed to go on from here with the same bits, edits included.
    ///
    /// The file is complete or, if anything fails, as it was before. Raises ``CheckpointError``.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.during(py, |engine| engine.checkpoint().save(&path)).map(drop).map_err(|error| errors::record(&error))
    }

    /// Go on from a checkpoint of the same scene. Raises ``CheckpointError``, and changes nothing, if it is damaged or of another one.
    fn load(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.during(py, |engine| {
            let saved = Checkpoint::read(&path).map_err(|error| errors::record(&error))?;
            engine.restore(&saved, &path)
        })
    }

    /// A checkpoint in memory, to ``restore`` later, as often as wanted: for learning and planning.
    fn snapshot(&self, py: Python<'_>) -> Snapshot {
        Snapshot(self.during(py, |engine| engine.checkpoint()))
    }

    /// Go on from a snapshot of the same scene, with the same bits.
    fn restore(&self, py: Python<'_>, snapshot: &Snapshot) -> PyResult<()> {
        self.during(py, |engine| engine.restore(&snapshot.0, "the snapshot".as_ref()))
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        self.lock(py).time()
    }

    /// The scene's end, s.
    #[getter]
    fn until(&self, py: Python<'_>) -> f64 {
        self.lock(py).until()
    }

    /// Whether the scene's end has been reached.
    #[getter]
    fn done(&self, py: Python<'_>) -> bool {
        let engine = self.lock(py);
        engine.time() >= engine.until()
    }

    /// Frames per second of simulated time; steps end on frames.
    #[getter]
    fn fps(&self, py: Python<'_>) -> f64 {
        self.lock(py).simulation().frames().fps
    }

    /// Length of the last step, s; 0 before the first.
    #[getter]
    fn dt(&self, py: Python<'_>) -> f64 {
        self.lock(py).last.dt
    }

    /// Error of the last step as its controller judged it, m; NaN before the first and where none is judged.
    #[getter]
    fn error(&self, py: Python<'_>) -> f64 {
        self.lock(py).last.error
    }

    /// Energies now, J: ``kinetic``, ``elastic``, ``gravity`` and their sum ``total``.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let energy = self.lock(py).simulation().account().energy;
        let all = PyDict::new(py);
        all.set_item("kinetic", energy.kinetic)?;
        all.set_item("elastic", energy.elastic)?;
        all.set_item("gravity", energy.gravity)?;
        all.set_item("total", energy.total())?;
        Ok(all)
    }

    /// The run in figures, as in ``stats.json``: steps, rejected, solves, dt (s), energy and ledger (J), momentum (kg m/s), state_hash ...
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.during(py, |engine| serde_json::to_string(&engine.summary()));
        catalog::python(py, &text.map_err(|why| errors::input(why.to_string()))?)
    }

    /// Fingerprint of the exact bits of time, positions and velocities; that of ``pliant run`` at the same moment.
    #[getter]
    fn state_hash(&self, py: Python<'_>) -> String {
        self.during(py, |engine| format!("{:016x}", engine.simulation().state().hash()))
    }

    /// The scene as it runs, as TOML.
    #[getter]
    fn scene(&self, py: Python<'_>) -> String {
        self.lock(py).scene.to_toml()
    }

    /// Name of the scene.
    #[getter]
    fn name(&self, py: Python<'_>) -> String {
        self.lock(py).scene.name.clone()
    }

    /// What is legal in the scene but probably not wanted.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> Vec<String> {
        self.lock(py).warnings.clone()
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).simulation().state().len()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let engine = self.lock(py);
        let (name, count) = (&engine.scene.name, engine.simulation().state().len());
        format!("Simulation({name:?}, time={:?}, particles={count})", engine.time())
    }
}
