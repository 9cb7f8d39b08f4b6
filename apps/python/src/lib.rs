//! The native half of the Python package `pliant`. Comments on what Python sees become its docstrings, and stand in `python/pliant/_pliant.pyi`
//! too, where editors find them; a test holds both together.

mod arrays;
mod catalog;
mod convert;
mod engine;
mod errors;
mod parts;
mod record;
mod simulation;
mod sweep;
mod threads;
mod views;

use pyo3::prelude::*;

/// Threads of this process; results do not depend on it. To be called before the first simulation is made; all cores if not.
#[pyfunction]
fn set_threads(count: usize) -> PyResult<()> {
    if count == 0 {
        return Err(errors::input("set_threads: must be at least 1"));
    }
    if pliant::parallel::start(Some(count)).wanted() != count {
        return Err(errors::input("set_threads: call it before the first simulation"));
    }
    Ok(())
}

/// The native module.
#[pymodule]
fn _pliant(module: &Bound<'_, PyModule>) -> PyResult<()> {
    threads::settle_here();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<parts::Step>()?;
    module.add_class::<parts::Body>()?;
    module.add_class::<parts::Snapshot>()?;
    module.add_function(wrap_pyfunction!(catalog::catalog, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::scenes, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::schema, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::check, module)?)?;
    module.add_class::<sweep::PlannedSweep>()?;
    module.add_function(wrap_pyfunction!(sweep::run_text, module)?)?;
    module.add_function(wrap_pyfunction!(record::run, module)?)?;
    module.add_function(wrap_pyfunction!(set_threads, module)?)
}
