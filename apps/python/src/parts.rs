//! Small things that a simulation hands out: steps, bodies, snapshots.

use std::ops::Range;

use pliant::core::{Binding, BodyShape, StepReport, System};
use pliant::record::Checkpoint;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::views::{Rows, owned_rows};

/// One accepted step.
#[pyclass(frozen, get_all, module = "pliant")]
pub struct Step {
    /// Its number, from 1.
    number: u64,
    /// Time at its end, s.
    time: f64,
    /// Its length, s.
    dt: f64,
    /// The error that was judged, m; NaN where the controller judges none.
    error: f64,
    /// Attempts that were thrown away before it.
    rejected: u64,
    /// Whether it was shortened to end on a frame.
    fitted: bool,
    /// What set its length: "force-error", "truncation", "doubling", "limit" or "given".
    binding: &'static str,
}

impl From<StepReport> for Step {
    fn from(report: StepReport) -> Self {
        let StepReport { step: number, time, dt, error, rejected, fitted, binding, .. } = report;
        let binding = match binding {
            Binding::ForceError => "force-error",
            Binding::Truncation => "truncation",
            Binding::Doubling => "doubling",
            Binding::Limit => "limit",
            Binding::Given => "given",
        };
        Self { number, time, dt, error, rejected, fitted, binding }
    }
}

#[pymethods]
impl Step {
    fn __repr__(&self) -> String {
        let Self { number, time, dt, error, rejected, .. } = self;
        format!("Step(number={number}, time={time:?}, dt={dt:?}, error={error:?}, rejected={rejected})")
    }
}

/// A named group of particles and what is drawn of it. Corners are particles of the whole simulation.
#[pyclass(frozen, module = "pliant")]
pub struct Body {
    /// Its name in the scene.
    #[pyo3(get)]
    name: String,
    particles: Range<usize>,
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    tetrahedra: Vec<[u32; 4]>,
    /// What the coordinates are: "points", "grains" (particles that fill it), or "pendulum" (x is the angle, rad).
    #[pyo3(get)]
    shape: &'static str,
}

/// The bodies of a system.
pub fn bodies(system: &System) -> Vec<Body> {
    let body = |body: &pliant::core::Body| Body {
        name: body.name.clone(),
        particles: body.particles.clone(),
        edges: body.edges.clone(),
        triangles: body.triangles.clone(),
        tetrahedra: body.tetrahedra.clone(),
        shape: match body.shape {
            BodyShape::Points => "points",
            BodyShape::Grains { .. } => "grains",
            BodyShape::Pendulum { .. } => "pendulum",
        },
    };
    system.bodies().iter().map(body).collect()
}

#[pymethods]
impl Body {
    /// Its particles, to index arrays with: ``sim.positions[body.particles]``.
    #[getter]
    fn particles<'py>(&self, py: Python<'py>) -> Bound<'py, PySlice> {
        PySlice::new(py, self.particles.start as isize, self.particles.end as isize, 1)
    }

    /// Lines, (count, 2).
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, u32>> {
        owned_rows(py, &self.edges)
    }

    /// Its surface, (count, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, u32>> {
        owned_rows(py, &self.triangles)
    }

    /// Its inside, (count, 4); empty where it is not made of them.
    #[getter]
    fn tetrahedra<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, u32>> {
        owned_rows(py, &self.tetrahedra)
    }

    fn __len__(&self) -> usize {
        self.particles.len()
    }

    fn __repr__(&self) -> String {
        let Range { start, end } = self.particles;
        format!("Body({:?}, particles {start} to {end}, {} triangles)", self.name, self.triangles.len())
    }
}

/// A simulation at one moment, in memory; see ``Simulation.snapshot``.
#[pyclass(frozen, module = "pliant")]
pub struct Snapshot(pub Checkpoint);

#[pymethods]
impl Snapshot {
    /// Simulated time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.0.point.state.time
    }

    fn __repr__(&self) -> String {
        format!("Snapshot(time={:?})", self.time())
    }
}
