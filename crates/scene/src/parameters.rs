//! What of a scene may be changed while it runs: a list of keys with their units, ranges and present values, from which a viewer
//! makes its controls without knowing any model. A new kind of body declares its keys by implementing [`Declares`].

use pliant_time::catalog::INTEGRATORS;
use pliant_time::control::ControlKind;
use pliant_time::control::catalog::{CONTROLLERS, LAWS};
use serde::{Deserialize, Serialize};

use crate::load::LoadedScene;
use crate::schema::{
    AirTable, ClothBody, FluidBody, PendulumBody, PeridynamicBody, RopeBody, SolidBody, SpringLaw, SpringsBody, World,
};
use crate::units::{Dimension, Quantity};

/// One key that may be changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its path, as `--set` takes it.
    pub path: String,
    /// A heading for a group of parameters.
    pub group: String,
    /// A name for people.
    pub label: String,
    /// SI unit; empty for none.
    pub unit: &'static str,
    /// What it is and what it is now.
    #[serde(flatten)]
    pub kind: Kind,
}

/// What a parameter is, and its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    /// A number between two others.
    Number {
        /// Now.
        value: f64,
        /// Smallest value that means something.
        min: f64,
        /// A large one; larger ones are allowed.
        max: f64,
        /// Whether a slider should move in powers of ten.
        logarithmic: bool,
    },
    /// Three numbers.
    Vector {
        /// Now.
        value: [f64; 3],
    },
    /// One of some names.
    Choice {
        /// Now.
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
    /// A quantity that may span powers of ten; where it is zero now, a range is not known and `typical` stands for one.
    pub fn quantity<D: Dimension>(&mut self, key: &str, label: &str, value: Quantity<D>, typical: f64) {
        let scale = if value.si() > 0.0 { value.si() } else { typical };
        let exponent = scale.log10().round();
        let (min, max) = (10f64.powf(exponent - 3.0), 10f64.powf(exponent + 3.0));
        self.add(key, label, D::SYMBOL, Kind::Number { value: value.si(), min, max, logarithmic: true });
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

/// A table of a scene that has keys which may be changed while it runs.
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

impl Declares for SpringsBody {
    fn declare(&self, to: &mut Declaration) {
        to.quantity("stiffness", "stiffness", self.stiffness, 100.0);
        if self.grid.is_some() && self.law == SpringLaw::Linear {
            to.quantity("shear_stiffness", "shear stiffness", self.shear_stiffness.unwrap_or(self.stiffness), 100.0);
            to.quantity("bend_stiffness", "bend stiffness", self.bend_stiffness.unwrap_or(self.stiffness), 100.0);
        }
        to.quantity("damping", "damping", self.damping, 0.1);
        match (self.mass, self.total_mass) {
            (Some(mass), _) => to.quantity("mass", "mass of a particle", mass, 1.0),
            (_, Some(mass)) => to.quantity("total_mass", "mass", mass, 1.0),
            _ => {}
        }
    }
}

impl Declares for ClothBody {
    fn declare(&self, to: &mut Declaration) {
        to.quantity("damping", "damping", self.damping, 1e-3);
        to.part("friction", "friction", self.friction);
        if let Some(gas) = &self.inflate {
            to.quantity("inflate.pressure", "pressure inside", gas.pressure, 300.0);
        }
    }
}

impl Declares for SolidBody {
    fn declare(&self, to: &mut Declaration) {
        if let Some(young) = self.youngs_modulus {
            to.quantity("youngs_modulus", "Young's modulus", young, 1e4);
        }
        to.quantity("damping", "damping", self.damping, 1e-3);
        to.part("friction", "friction", self.friction);
    }
}

impl Declares for RopeBody {
    fn declare(&self, to: &mut Declaration) {
        if let Some(stretch) = self.stretch_stiffness {
            to.quantity("stretch_stiffness", "stretch stiffness", stretch, 1e3);
        }
        if let Some(bend) = self.bend_stiffness {
            to.quantity("bend_stiffness", "bend stiffness", bend, 1e-3);
        }
        if let Some(twist) = self.twist_stiffness {
            to.quantity("twist_stiffness", "twist stiffness", twist, 1e-3);
        }
        if let Some(young) = self.youngs_modulus {
            to.quantity("youngs_modulus", "Young's modulus", young, 1e7);
        }
        to.quantity("damping", "damping", self.damping, 1e-3);
        to.part("friction", "friction", self.friction);
    }
}

impl Declares for FluidBody {
    fn declare(&self, to: &mut Declaration) {
        to.part("artificial_viscosity", "artificial viscosity", self.artificial_viscosity);
        to.quantity("viscosity", "kinematic viscosity", self.viscosity, 1e-3);
    }
}

impl Declares for PeridynamicBody {
    fn declare(&self, to: &mut Declaration) {
        to.part("friction", "friction", self.friction);
        to.part("toughening", "toughening", self.toughening);
    }
}

impl Declares for AirTable {
    fn declare(&self, to: &mut Declaration) {
        to.add("wind", "wind", "m/s", Kind::Vector { value: self.wind.to_dvec3().to_array() });
        to.quantity("density", "density of the air", self.density, 1.2);
    }
}

impl Declares for PendulumBody {
    fn declare(&self, to: &mut Declaration) {
        to.quantity("length", "length", self.length, 1.0);
    }
}

/// Everything of a scene that may be changed while it runs.
pub fn parameters(loaded: &LoadedScene) -> Vec<Parameter> {
    let mut out = Vec::new();
    let scene = &loaded.scene;
    time(loaded, &mut out);
    let mut declare = |path: String, group: &str, table: &dyn Declares| {
        table.declare(&mut Declaration { path, group: group.to_owned(), out: &mut out });
    };
    declare("world".into(), "World", &scene.world);
    for (k, body) in scene.springs.iter().enumerate() {
        declare(format!("springs[{k}]"), &body.name, body);
    }
    for (k, body) in scene.cloth.iter().enumerate() {
        declare(format!("cloth[{k}]"), &body.name, body);
    }
    for (k, body) in scene.solid.iter().enumerate() {
        declare(format!("solid[{k}]"), &body.name, body);
    }
    for (k, body) in scene.rope.iter().enumerate() {
        declare(format!("rope[{k}]"), &body.name, body);
    }
    for (k, body) in scene.fluid.iter().enumerate() {
        declare(format!("fluid[{k}]"), &body.name, body);
    }
    for (k, body) in scene.peridynamic.iter().enumerate() {
        declare(format!("peridynamic[{k}]"), &body.name, body);
    }
    if !scene.cloth.is_empty() {
        declare("air".into(), "Air", &scene.air);
    }
    for (k, body) in scene.pendulum.iter().enumerate() {
        declare(format!("pendulum[{k}]"), &body.name, body);
    }
    out
}

fn time(loaded: &LoadedScene, out: &mut Vec<Parameter>) {
    let control = &loaded.scene.time.control;
    let kind = loaded.checked.control.kind;
    let group = "Time".to_owned();
    let mut to = Declaration { path: "time".into(), group, out };
    let integrators = INTEGRATORS.iter().map(|entry| (entry.properties.name, entry.properties.summary)).collect();
    let value = loaded.checked.integrator.properties.name.to_owned();
    to.add("integrator", "integrator", "", Kind::Choice { value, choices: integrators });
    let controllers = CONTROLLERS.iter().map(|(name, _, summary)| (*name, *summary)).collect();
    to.add("control.kind", "step control", "", Kind::Choice { value: control.kind.clone(), choices: controllers });
    let mut to = Declaration { path: "time.control".into(), ..to };
    match kind {
        ControlKind::ForceError => {
            let laws = LAWS.iter().map(|(name, _, summary)| (*name, *summary)).collect();
            to.add("law", "law", "", Kind::Choice { value: control.law.clone(), choices: laws });
            to.quantity("tolerance", "tolerance", control.tolerance, 1e-3);
        }
        ControlKind::StepDoubling => to.quantity("tolerance", "tolerance", control.tolerance, 1e-3),
        ControlKind::SpeedLimit => to.quantity("distance", "distance a step", control.distance, 1e-2),
        ControlKind::StretchLimit => to.quantity("stretch", "stretch a step", control.stretch, 1e-2),
        ControlKind::Stable => to.part("safety", "safety", control.safety),
        ControlKind::Fixed => to.quantity("dt", "step", control.dt.unwrap_or_else(|| 1e-3.into()), 1e-3),
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
