//! Arrays of the engine in Python without a copy.
//!
//! A view is a snapshot: it shows the moment at which it was taken, forever, whatever is done to the simulation. It costs nothing to take,
//! because it shows the engine's own array. Only when the engine is about to change (and it changes only behind [`Loan::settle`]), and only if
//! a view is alive, the engine hands that array over to the view, and continues with a copy. So
//! - no thread writes to memory that a view shows;
//! - memory that a view shows is freed by the last view and by nothing else;
//! - a view that is dropped before the next step costs nothing; one that is kept costs one copy.

use std::sync::Arc;

use glam::DVec3;
use numpy::ndarray::{Array2, ArrayView2};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use parking_lot::Mutex;
use pyo3::prelude::*;

/// An array with columns, as Python sees it.
pub type Rows<'py, T> = Bound<'py, PyArray2<T>>;

/// Holds an array after the engine handed it over; empty before.
type Keep = Mutex<Vec<DVec3>>;

/// What NumPy calls the base of a view: as long as it lives, so does the memory.
#[pyclass(frozen, module = "pliant._pliant")]
struct Lease {
    _keep: Arc<Keep>,
}

/// Whether views of an array of the engine are alive, and the owner of the array after the next change.
#[derive(Default)]
pub struct Loan(Option<Arc<Keep>>);

impl Loan {
    /// A read-only view of an array of the engine, `count x 3`.
    #[allow(unsafe_code)]
    pub fn view<'py>(&mut self, py: Python<'py>, array: &[DVec3]) -> PyResult<Rows<'py, f64>> {
        let keep = self.0.get_or_insert_default().clone();
        let lease = Bound::new(py, Lease { _keep: keep })?;
        let numbers: &[f64] = bytemuck::cast_slice(array);
        let shaped =
            ArrayView2::from_shape((array.len(), 3), numbers).map_err(|e| crate::errors::input(e.to_string()))?;
        // SAFETY: the memory lives as long as `lease`, the base of the view. Until `settle` it is a part of the engine, which neither writes to
        // it nor frees it before; `settle` puts it into `keep`, which `lease` holds, if `lease` is still there. The view is made read-only
        // before any other code sees it, and NumPy cannot make it writeable again, because its base is no array and offers no buffer.
        let view = unsafe { PyArray2::borrow_from_array(&shaped, lease.into_any()) };
        Ok(read_only(view))
    }

    /// Must be called before the engine changes: `part` takes the array out of the engine and leaves a copy there.
    pub fn settle(&mut self, part: impl FnOnce() -> Vec<DVec3>) {
        // `try_unwrap` and not a check of the count: it also synchronizes with reads of the last view in another thread
        if let Some(Err(keep)) = self.0.take().map(Arc::try_unwrap) {
            *keep.lock() = part();
        }
    }
}

fn read_only<'py, T: Element, D: numpy::ndarray::Dimension>(
    array: Bound<'py, numpy::PyArray<T, D>>,
) -> Bound<'py, numpy::PyArray<T, D>> {
    array.readwrite().make_nonwriteable();
    array
}

/// A read-only array that owns its numbers.
pub fn owned<T: Element>(py: Python<'_>, numbers: Vec<T>) -> Bound<'_, PyArray1<T>> {
    read_only(PyArray1::from_vec(py, numbers))
}

/// The same with `N` columns.
pub fn owned_rows<'py, T: Element + bytemuck::Pod, const N: usize>(
    py: Python<'py>,
    rows: &[[T; N]],
) -> PyResult<Rows<'py, T>> {
    let numbers: Vec<T> = rows.iter().flatten().copied().collect();
    let shaped = Array2::from_shape_vec((rows.len(), N), numbers).map_err(|e| crate::errors::input(e.to_string()))?;
    Ok(read_only(PyArray2::from_owned_array(py, shaped)))
}
