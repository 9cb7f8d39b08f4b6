//! Parameters of a scene that may be changed while it runs: keys with their units, ranges and present values, from which a viewer
//! makes its controls without knowing any model. A new kind of body declares its keys by implementing [`Declares`].

use pliant_time::catalog::INTEGRATORS;
use pliant_time::control::catalog::{CONTROLLERS, LAWS};
use serde::{Deserialize, Serialize};

use crate::body::bodies;
use crate::load::LoadedScene;
use crate::schema::{AirTable, World};
use crate::units::{Dimension, Quantity};

/// One key that may be changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its path, as `--set` takes it.
    pub path: String,
    /// A heading for a group of parameters.
    pub group: String,
    /// A display name.
    pub label: String,
    /// SI unit; empty for none.
    pub unit: &'static str,
    /// Its kind and its present value.
    #[serde(flatten)]
    pub kind: Kind,
}

/// The kind of a parameter, and its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    /// A number between two others.
    Number {
        /// The present value.
        value: f64,
        /// Smallest meaningful value.
        min: f64,
        /// A large one; larger ones are allowed.
        max: f64,
        /// Whether a slider should move in powers of ten.
        logarithmic: bool,
    },
    /// Three numbers.
    Vector {
        /// The present value.
        value: [f64; 3],
    },
    /// One of some names.
    Choice {
        /// The present value.
        value: String,
        /// Name and meaning of each.
        choices: Vec<(&'static str, &'static str)>,
    },
}

/// A new value for a parameter.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A number in SI units.
    Number(f64),
    /// A name, or a number with a unit.
    Text(String),
    /// Three numbers in SI units.
    Vector([f64; 3]),
}

impl Setting {
    /// As `path=value`, the way [`crate::locate::Document::set`] reads it. Text is always a string, whatever it looks like.
    pub fn assignment(&self, path: &str) -> String {
        match self {
            Self::Number(value) => format!("{path}={value:?}"),
            Self::Vector(value) => format!("{path}={value:?}"),
            Self::Text(text) => format!("{path}={}", toml::Value::String(text.clone())),
        }
    }
}

/// Where parameters are collected.
pub struct Declaration<'a> {
    path: String,
    group: String,
    out: &'a mut Vec<Parameter>,
}

impl Declaration<'_> {
    /// A quantity that may span powers of ten; where it is zero now, the range is unknown and `typical` replaces it.
    pub fn quantity<D: Dimension>(&mut self, key: &str, label: &str, value: Quantity<D>, typical: f64) {
        self.number(key, label, D::SYMBOL, value.si(), typical);
    }

    /// The same of a number in SI units.
    fn number(&mut self, key: &str, label: &str, unit: &'static str, value: f64, typical: f64) {
        let scale = if value > 0.0 { value } else { typical };
        let exponent = scale.log10().round();
        let (min, max) = (10f64.powf(exponent - 3.0), 10f64.powf(exponent + 3.0));
        self.add(key, label, unit, Kind::Number { value, min, max, logarithmic: true });
    }

    /// A number without a unit, from 0 to 1.
    pub fn part(&mut self, key: &str, label: &str, value: f64) {
        self.add(key, label, "", Kind::Number { value, min: 0.0, max: 1.0, logarithmic: false });
    }

    fn add(&mut self, key: &str, label: &str, unit: &'static str, kind: Kind) {
        let path = format!("{}.{key}", self.path);
        self.out.push(Parameter { path, group: self.group.clone(), label: label.to_owned(), unit, kind });
    }
}

/// A table of a scene with keys that may be changed while it runs.
pub trait Declares {
    /// Lists them.
    fn declare(&self, to: &mut Declaration);
}

impl Declares for World {
    fn declare(&self, to: &mut Declaration) {
        to.add("gravity", "gravity", "m/s²", Kind::Vector { value: self.gravity.to_dvec3().to_array() });
        to.quantity("drag", "drag", self.drag, 1.0);
    }
}

impl Declares for AirTable {
    fn declare(&self, to: &mut Declaration) {
        to.add("wind", "wind", "m/s", Kind::Vector { value: self.wind.to_dvec3().to_array() });
        to.quantity("density", "density of the air", self.density, 1.2);
    }
}

fn declare(path: &str, group: &str, table: &dyn Declares, out: &mut Vec<Parameter>) {
    table.declare(&mut Declaration { path: path.to_owned(), group: group.to_owned(), out });
}

/// Everything of a scene that may be changed while it runs.
pub fn parameters(loaded: &LoadedScene) -> Vec<Parameter> {
    let mut out = Vec::new();
    let scene = &loaded.scene;
    time(loaded, &mut out);
    declare("world", "World", &scene.world, &mut out);
    for (found, name) in bodies(scene) {
        found.table.declare(&mut Declaration { path: found.path, group: name.to_owned(), out: &mut out });
    }
    if bodies(scene).any(|(found, _)| found.kind.properties.feels_air) {
        declare("air", "Air", &scene.air, &mut out);
    }
    out
}

fn time(loaded: &LoadedScene, out: &mut Vec<Parameter>) {
    let control = &loaded.scene.time.control;
    let spec = &loaded.checked.control;
    let group = "Time".to_owned();
    let mut to = Declaration { path: "time".into(), group, out };
    let integrators = INTEGRATORS.iter().map(|entry| (entry.properties.name, entry.properties.summary)).collect();
    let value = loaded.checked.integrator.properties.name.to_owned();
    to.add("integrator", "integrator", "", Kind::Choice { value, choices: integrators });
    let controllers = CONTROLLERS.iter().map(|entry| (entry.name, entry.summary)).collect();
    to.add("control.kind", "step control", "", Kind::Choice { value: control.kind.clone(), choices: controllers });
    let mut to = Declaration { path: "time.control".into(), ..to };
    if spec.kind.has_laws {
        let laws = LAWS.iter().map(|(name, _, summary)| (*name, *summary)).collect();
        to.add("law", "law", "", Kind::Choice { value: control.law.clone(), choices: laws });
    }
    let parameter = spec.kind.parameter;
    let value = (parameter.value)(spec);
    match parameter.unit {
        "" => to.part(parameter.key, parameter.label, value),
        unit => to.number(parameter.key, parameter.label, unit, value, parameter.typical),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::SCENES;
    use crate::load::load;

    #[test]
    fn every_parameter_can_be_set_to_what_it_is() {
        for (name, _) in SCENES {
            let scene = load(name, &[]).unwrap();
            let list = parameters(&scene);
            assert!(list.len() >= 5, "{name}: {list:?}");
            for parameter in &list {
                let setting = match &parameter.kind {
                    Kind::Number { value, .. } => Setting::Number(*value),
                    Kind::Vector { value } => Setting::Vector(*value),
                    Kind::Choice { value, choices } => {
                        assert!(choices.iter().any(|(choice, _)| choice == value), "{name}: {parameter:?}");
                        Setting::Text(value.clone())
                    }
                };
                let changed = load(name, &[setting.assignment(&parameter.path)]).unwrap();
                assert_eq!(parameters(&changed), list, "{name}: {}", parameter.path);
            }
        }
    }

    #[test]
    fn text_cannot_become_anything_else() {
        let setting = Setting::Text("3 # \"\n[x]".into());
        let scene = load("spring-net", &[setting.assignment("title")]).unwrap();
        assert_eq!(scene.scene.title, "3 # \"\n[x]");
        assert!(load("spring-net", &[Setting::Number(-1.0).assignment("springs[0].stiffness")]).is_err());
    }
}
