//! From the arguments of builders to the values of a scene. Builders hold only the keys that were set, so that defaults are those of scene files.

use glam::DVec3;
use pliant_scene::units::{Dimension, Quantity};
use serde::Serialize;
use toml::{Table, Value};

/// A number in SI units, or a text with a unit: `1e-3`, `"1 mm"`.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// In SI units.
    Number(f64),
    /// With a unit.
    Text(String),
}

impl From<f64> for Amount {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i32> for Amount {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<&str> for Amount {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Amount {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<D: Dimension> From<Quantity<D>> for Amount {
    fn from(quantity: Quantity<D>) -> Self {
        Self::Number(quantity.si())
    }
}

impl From<Amount> for Value {
    fn from(amount: Amount) -> Self {
        match amount {
            Amount::Number(number) => number.into(),
            Amount::Text(text) => text.into(),
        }
    }
}

/// Three numbers.
pub(super) fn vector(vector: impl Into<DVec3>) -> Value {
    Value::from(vector.into().to_array().to_vec())
}

/// A whole number. One that TOML cannot hold becomes the largest that it can, which every check rejects.
pub(super) fn count(number: usize) -> Value {
    Value::from(i64::try_from(number).unwrap_or(i64::MAX))
}

/// One of several choices, by its name in scene files.
pub(super) fn choice(choice: impl Serialize) -> Value {
    Value::try_from(choice).unwrap_or_else(|_| Value::from(""))
}

/// A table of some keys.
pub(super) fn table<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Table(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A box from corner to corner.
pub(super) fn corners(min: impl Into<DVec3>, max: impl Into<DVec3>) -> Value {
    table([("min", vector(min)), ("max", vector(max))])
}

/// Points of a mesh and the corners of its elements.
pub(super) fn mesh<const N: usize>(points: &[DVec3], key: &str, elements: &[[u32; N]]) -> Value {
    let points: Vec<Value> = points.iter().map(|point| vector(*point)).collect();
    let elements = elements.iter().map(|corners| Value::from(corners.map(i64::from).to_vec())).collect();
    table([("points", Value::Array(points)), (key, Value::Array(elements))])
}

/// Appends to an array of a table.
pub(super) fn push(table: &mut Table, key: &str, value: Value) {
    if let Value::Array(array) = table.entry(key).or_insert_with(|| Value::Array(Vec::new())) {
        array.push(value);
    }
}

/// Sets a key of a table inside of a table.
pub(super) fn set_inside(table: &mut Table, outer: &str, key: &str, value: Value) {
    if let Value::Table(inner) = table.entry(outer).or_insert_with(|| Value::Table(Table::new())) {
        inner.insert(key.to_owned(), value);
    }
}

/// Something that a builder adds to a scene: a body, a collider, a probe.
pub trait Part {
    /// The key of its kind in scenes: `cloth`.
    const KEY: &'static str;

    /// The keys that were set.
    fn into_table(self) -> Table;
}

/// A builder over a table of the keys that were set, with a method for each key of the given kind.
macro_rules! part {
    ($(#[$doc:meta])* $type:ident, $key:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[must_use]
        pub struct $type(pub(super) toml::Table);

        impl $crate::builder::value::Part for $type {
            const KEY: &'static str = $key;

            fn into_table(self) -> toml::Table {
                self.0
            }
        }
    };
}

/// Methods that set one key each: `amount density` is `.density("200 g/m^2")`.
macro_rules! keys {
    ($($(#[$doc:meta])* $kind:ident $name:ident $(: $type:ty)?;)*) => {
        $($crate::builder::value::keys!(@ $(#[$doc])* $kind $name $(: $type)?);)*
    };
    (@ $(#[$doc:meta])* amount $name:ident) => {
        $(#[$doc])*
        pub fn $name(mut self, value: impl Into<$crate::builder::Amount>) -> Self {
            self.0.insert(stringify!($name).to_owned(), value.into().into());
            self
        }
    };
    (@ $(#[$doc:meta])* number $name:ident) => {
        $(#[$doc])*
        pub fn $name(mut self, value: f64) -> Self {
            self.0.insert(stringify!($name).to_owned(), value.into());
            self
        }
    };
    (@ $(#[$doc:meta])* count $name:ident) => {
        $(#[$doc])*
        pub fn $name(mut self, value: usize) -> Self {
            self.0.insert(stringify!($name).to_owned(), $crate::builder::value::count(value));
            self
        }
    };
    (@ $(#[$doc:meta])* flag $name:ident) => {
        $(#[$doc])*
        pub fn $name(mut self, value: bool) -> Self {
            self.0.insert(stringify!($name).to_owned(), value.into());
            self
        }
    };
    (@ $(#[$doc:meta])* text $name:ident) => {
        $(#[$doc])*
        pub fn $name(mut self, value: impl Into<String>) -> Self {
            self.0.insert(stringify!($name).to_owned(), toml::Value::String(value.into()));
            self
        }
    };
    (@ $(#[$doc:meta])* vector $name:ident) => {
        $(#[$doc])*
        pub fn $name(mut self, value: impl Into<glam::DVec3>) -> Self {
            self.0.insert(stringify!($name).to_owned(), $crate::builder::value::vector(value));
            self
        }
    };
    (@ $(#[$doc:meta])* choice $name:ident : $type:ty) => {
        $(#[$doc])*
        pub fn $name(mut self, value: $type) -> Self {
            self.0.insert(stringify!($name).to_owned(), $crate::builder::value::choice(value));
            self
        }
    };
}

pub(super) use {keys, part};
