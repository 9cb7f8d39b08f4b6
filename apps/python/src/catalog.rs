//! Catalogs: integrators, controllers, force models, solvers, scenes, and the keys of a scene.

use pliant::forces::catalog::FORCES;
use pliant::inspect;
use pliant::linalg::catalog::{PRECONDITIONERS, SOLVERS};
use pliant::record::FORMATS;
use pliant::scene::builtin::SCENES;
use pliant::scene::{Scene, from_text};
use pliant::time::catalog::INTEGRATORS;
use pliant::time::control::catalog::{CONTROLLERS, LAWS};
use pliant::time::{Stability, Symplectic};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::{convert, errors, threads};

/// JSON as Python objects. NaN, which JSON does not have, becomes None.
pub fn python<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

fn integrators() -> Vec<Value> {
    let describe = |entry: &pliant::time::catalog::Entry| {
        let p = entry.properties;
        let stable = match p.stability {
            Stability::Never(_) => json!(0.0),
            Stability::UpTo(limit) => json!(limit),
            Stability::Above(limit) => json!(format!("above {limit}")),
            Stability::Always => json!("always"),
        };
        json!({
            "name": p.name, "summary": p.summary, "order": p.order, "order_damped": p.order_damped,
            "area_preserving": match p.symplectic { Symplectic::No => "no", Symplectic::OnlyLinear => "linear forces", Symplectic::Yes => "yes" },
            "stable_omega_dt": stable, "force_evaluations": p.evaluations, "solves": p.solves, "study": p.study,
        })
    };
    INTEGRATORS.iter().map(describe).collect()
}

/// Everything that a scene can name, by kind: lists of dicts with ``name`` and ``summary``.
///
/// Integrators also tell their order, their cost, and the largest angular frequency times step (rad) at which they are stable.
#[pyfunction]
pub fn catalog(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let entry = |name: &str, summary: &str| json!({ "name": name, "summary": summary });
    let all = json!({
        "integrators": integrators(),
        "controllers": CONTROLLERS.iter().map(|one| entry(one.name, one.summary)).collect::<Vec<_>>(),
        "laws": LAWS.iter().map(|(name, _, summary)| entry(name, summary)).collect::<Vec<_>>(),
        "forces": FORCES.iter().map(|force| entry(force.name, force.summary)).collect::<Vec<_>>(),
        "solvers": SOLVERS.iter().map(|solver| entry(solver.name, solver.summary)).collect::<Vec<_>>(),
        "preconditioners": PRECONDITIONERS.iter().map(|p| entry(p.name, p.summary)).collect::<Vec<_>>(),
        "formats": FORMATS.iter().map(|format| entry(format.name, format.main)).collect::<Vec<_>>(),
    });
    python(py, &all.to_string())
}

/// The built-in scenes: their names, each with one line on what happens in it.
#[pyfunction]
pub fn scenes(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for (name, text) in SCENES {
        let scene = from_text(name, name, text, &[]).map_err(|error| errors::scene(&error))?;
        all.set_item(name, scene.scene.description)?;
    }
    Ok(all)
}

/// The JSON Schema of scenes.
#[pyfunction]
pub fn schema(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let text = serde_json::to_string(&schemars::schema_for!(Scene)).map_err(|why| errors::input(why.to_string()))?;
    python(py, &text)
}

/// Check a scene and say what would run, in the words of ``pliant check``. Raises ``SceneError`` with everything that is wrong in it.
#[pyfunction]
#[pyo3(signature = (scene, *, set=None, folder=None))]
pub fn check(
    scene: &Bound<'_, PyAny>,
    set: Option<&Bound<'_, PyAny>>,
    folder: Option<std::path::PathBuf>,
) -> PyResult<String> {
    let loaded = convert::scene(scene, set, folder)?;
    let lines = scene.py().detach(|| threads::guarded(|| inspect::explain(&loaded)))?;
    Ok(lines.map_err(|error| errors::scene(&error))?.join("\n"))
}
