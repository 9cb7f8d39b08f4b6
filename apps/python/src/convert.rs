//! From Python arguments to a scene: paths, names, dicts, and changes by key.

use std::path::{Path, PathBuf};

use pliant::scene::{Language, LoadedScene, Located, SceneError, from_text_in, load_in};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use toml::Value;

use crate::errors;

/// Largest depth of a dict; one that contains itself has no end.
const DEEPEST: usize = 32;

/// The source of a scene.
pub enum Source {
    /// A file or a built-in name.
    File(String),
    /// A dict, as TOML, and the file that it would be: names of mesh files are relative to that.
    Dict { text: String, source: String },
}

impl Source {
    /// The path of a file, the name of a built-in scene, or a dict of the same structure, with mesh files relative to `folder`.
    pub fn new(scene: &Bound<'_, PyAny>, folder: Option<PathBuf>) -> PyResult<Self> {
        if scene.cast::<PyMapping>().is_ok() {
            let Value::Table(table) = value(scene, "", 0)? else { return Err(errors::input("a scene is a dict")) };
            let text = toml::to_string(&table).map_err(|why| errors::wrong_key("", why.to_string()))?;
            let source = folder.unwrap_or_default().join("scene.toml");
            return Ok(Self::Dict { text, source: text_of(&source)?.to_owned() });
        }
        let Ok(path) = scene.extract::<PathBuf>() else {
            let found = scene.get_type().name()?;
            return Err(errors::input(format!(
                "a scene is the path of a file, the name of a built-in scene, or a dict; got {found}"
            )));
        };
        if folder.is_some() {
            return Err(errors::input(
                "folder: only a scene that is a dict has one; that of a file is where the file is",
            ));
        }
        Ok(Self::File(text_of(&path)?.to_owned()))
    }

    /// What it is called in messages.
    pub fn label(&self) -> &str {
        match self {
            Self::File(path) => path,
            Self::Dict { .. } => errors::NOWHERE,
        }
    }

    /// Reads the scene with changes.
    pub fn load(&self, changes: &[String]) -> Result<LoadedScene, SceneError> {
        match self {
            Self::File(path) => load_in(Language::Python, path, changes),
            Self::Dict { text, source } => {
                let loaded = from_text_in(Language::Python, [errors::NOWHERE; 2], text, changes);
                let loaded = loaded.map_err(|error| self.plain(error))?;
                Ok(LoadedScene { source: source.clone(), ..loaded })
            }
        }
    }

    /// The text of a dict is generated: its line numbers are meaningless.
    pub fn plain(&self, error: SceneError) -> SceneError {
        let plain = |wrong: Located| Located { line: None, ..wrong };
        match (self, error) {
            (Self::Dict { .. }, SceneError::Wrong(all)) => SceneError::Wrong(all.into_iter().map(plain).collect()),
            (_, other) => other,
        }
    }
}

/// Reads a scene with changes.
pub fn scene(
    scene: &Bound<'_, PyAny>,
    set: Option<&Bound<'_, PyAny>>,
    folder: Option<PathBuf>,
) -> PyResult<LoadedScene> {
    let changes = set.map_or(Ok(Vec::new()), assignments)?;
    Source::new(scene, folder)?.load(&changes).map_err(|error| errors::scene(&error))
}

/// A path as the engine takes it.
fn text_of(path: &Path) -> PyResult<&str> {
    path.to_str().ok_or_else(|| errors::input(format!("{}: names of scene files must be UTF-8", path.display())))
}

/// Changes as `--set` takes them, from a dict of keys and values or from texts such as `"time.until=2"`.
pub fn assignments(changes: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(text) = changes.cast::<PyString>() {
        return Ok(vec![text.extract()?]);
    }
    if let Ok(mapping) = changes.cast::<PyMapping>() {
        let pairs = mapping.items()?;
        return pairs
            .iter()
            .map(|pair| {
                let (key, given): (Bound<PyAny>, Bound<PyAny>) = pair.extract()?;
                let path = key_of(&key, "")?;
                Ok(format!("{path}={}", value(&given, &path, 0)?))
            })
            .collect();
    }
    let wrong = |_| errors::input("changes are a dict of keys and values, or texts such as \"time.until=2\"");
    changes.try_iter().map_err(wrong)?.map(|text| text?.extract::<String>().map_err(wrong)).collect()
}

/// The key that an assignment changes, with indices in brackets.
pub fn key(assignment: &str) -> String {
    let path = assignment.split_once('=').map_or(assignment, |(path, _)| path).trim();
    let mut out = String::new();
    for part in path.split('.') {
        if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) {
            out += &format!("[{part}]");
        } else {
            out += if out.is_empty() { "" } else { "." };
            out += part;
        }
    }
    out
}

pub fn key_of(key: &Bound<'_, PyAny>, path: &str) -> PyResult<String> {
    key.extract().map_err(|_| errors::wrong_key(path, format!("keys are strings, got {}", shown(key))))
}

fn shown(object: &Bound<'_, PyAny>) -> String {
    object.repr().map_or_else(|_| "something".into(), |text| text.to_string())
}

/// A Python object as a value of a scene.
pub fn value(object: &Bound<'_, PyAny>, path: &str, depth: usize) -> PyResult<Value> {
    let wrong = |message: String| Err(errors::wrong_key(path, message));
    if depth > DEEPEST {
        return wrong(format!("is nested more than {DEEPEST} deep"));
    }
    if object.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(object.extract()?));
    }
    if object.is_instance_of::<PyInt>() {
        return object.extract().map(Value::Integer).or_else(|_| wrong(format!("{object} does not fit into 64 bits")));
    }
    if object.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(object.extract()?));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return text.extract().map(Value::String).or_else(|_| wrong("is not UTF-8 text".into()));
    }
    if object.is_instance_of::<PyDict>() || object.cast::<PyMapping>().is_ok() {
        let mut table = toml::Table::new();
        for pair in object.cast::<PyMapping>()?.items()?.iter() {
            let (key, inner): (Bound<PyAny>, Bound<PyAny>) = pair.extract()?;
            let key = key_of(&key, path)?;
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            table.insert(key, value(&inner, &path, depth + 1)?);
        }
        return Ok(Value::Table(table));
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let inner = |(k, entry): (usize, PyResult<Bound<PyAny>>)| value(&entry?, &format!("{path}[{k}]"), depth + 1);
        return object.try_iter()?.enumerate().map(inner).collect::<PyResult<Vec<_>>>().map(Value::Array);
    }
    // arrays and numbers of NumPy
    if let Ok(plain) = object.call_method0("tolist") {
        return value(&plain, path, depth + 1);
    }
    if let Ok(path) = object.extract::<PathBuf>() {
        return Ok(Value::String(text_of(&path)?.to_owned()));
    }
    if object.is_none() {
        return wrong("None is no value; leave the key out".into());
    }
    let found = object.get_type().name().map_err(|_| PyTypeError::new_err("an object without a type"))?;
    let found = found.to_string();
    let article = if found.to_lowercase().starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    wrong(format!("{article} {found} is no value of a scene: numbers, strings, lists and dicts are"))
}
