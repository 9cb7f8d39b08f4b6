//! Arrays from Python: checked, and copied.

use glam::DVec3;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pliant::core::Body;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors;

/// One vector for each of `count` particles, from anything that NumPy makes an array of; one vector alone stands for all of them.
pub fn vectors(name: &str, values: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<DVec3>> {
    let py = values.py();
    let numpy = py.import("numpy")?;
    let wrong = |message: String| errors::input(format!("{name}: {message}"));
    let array = numpy.call_method1("asarray", (values,)).map_err(|why| wrong(why.value(py).to_string()))?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !["f", "i", "u"].contains(&kind.as_str()) {
        return Err(wrong(format!("an array of numbers is needed, got one of {dtype}")));
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape != [count, 3] && shape != [3] {
        let found = array.getattr("shape")?;
        return Err(wrong(format!("the shape must be ({count}, 3), or (3,) for one vector for all, got {found}")));
    }
    let exact = numpy.call_method1("ascontiguousarray", (&array, "float64"))?;
    let rows = numpy.call_method1("broadcast_to", (exact, (count, 3)))?;
    let rows: PyReadonlyArray2<f64> = rows.extract()?;
    let read: Vec<DVec3> = rows.as_array().rows().into_iter().map(|row| DVec3::new(row[0], row[1], row[2])).collect();
    match read.iter().position(|vector| !vector.is_finite()) {
        Some(k) => Err(wrong(format!("row {k} is {}: all numbers must be finite", read[k]))),
        None => Ok(read),
    }
}

/// A selection of particles: all, those of a body, or any NumPy index of an array of all of them.
pub fn particles(chosen: Option<&Bound<'_, PyAny>>, bodies: &[Body], count: usize) -> PyResult<Vec<usize>> {
    let Some(chosen) = chosen.filter(|chosen| !chosen.is_none()) else { return Ok((0..count).collect()) };
    if let Ok(name) = chosen.cast::<PyString>() {
        let name: String = name.extract()?;
        let body = bodies.iter().find(|body| body.name == name);
        let known = || bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>().join(", ");
        let body = body.ok_or_else(|| errors::input(format!("there is no body {name:?}; there are: {}", known())))?;
        return Ok(body.particles.clone().collect());
    }
    let py = chosen.py();
    let numpy = py.import("numpy")?;
    let wrong = |why: PyErr| errors::input(format!("particles: {}", why.value(py)));
    let all = numpy.call_method1("arange", (count,))?;
    let index = if chosen.is_instance_of::<pyo3::types::PyTuple>() {
        chosen.try_iter()?.collect::<PyResult<Vec<_>>>()?.into_pyobject(py)?
    } else {
        chosen.clone()
    };
    let some = all.get_item(index).map_err(wrong)?;
    let some = numpy.call_method1("ravel", (some,)).map_err(wrong)?;
    let some = numpy.call_method1("ascontiguousarray", (some, "int64")).map_err(wrong)?;
    let some: PyReadonlyArray1<i64> = some.extract()?;
    Ok(some.as_array().iter().map(|particle| *particle as usize).collect())
}
