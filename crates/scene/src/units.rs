//! Quantities with units, as scene files and command-line flags give them.
//!
//! A value is a number in SI units or a string such as `"0.5 mm"`, `"2 kPa"`, `"30 deg"`, `"0.2 N s/m"`, `"1/60 s"`.
//! Each type below knows its dimension, so a mass where a length belongs is rejected when the scene is read, with a
//! message that shows a valid value. Inside the program everything is SI; numbers are not checked further here
//! (infinities and NaN pass, so that validation can name the key that holds them).
//!
//! Angles are a dimension of their own: `"60 rad/s"` is not a frequency, because a factor of 2π would be ambiguous.

mod parse;
mod table;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use glam::DVec3;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// The exponents of metre, kilogram, second and radian in a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exponents {
    /// Exponent of the metre.
    pub m: i32,
    /// Exponent of the kilogram.
    pub kg: i32,
    /// Exponent of the second.
    pub s: i32,
    /// Exponent of the radian.
    pub rad: i32,
}

/// What kind of quantity a number is. Implemented by the empty types of [`dimension`].
pub trait Dimension: Copy + PartialEq + 'static {
    /// The name of the type alias, which is also the name in the JSON Schema: `Length`.
    const TYPE: &'static str;
    /// In a sentence: `length`.
    const NAME: &'static str;
    /// The SI unit in words: `metres`.
    const UNIT: &'static str;
    /// The SI unit as it is written: `m`.
    const SYMBOL: &'static str;
    /// An example of a value with a unit: `0.5 mm`. A blank separates the number from the unit.
    const EXAMPLE: &'static str;
    /// The SI unit as powers of the base units.
    const EXPONENTS: Exponents;
}

/// One row for each dimension: marker and alias, words, units, example, exponents of m, kg, s, rad.
macro_rules! dimensions {
    ($($type:ident, $name:literal, $unit:literal, $symbol:literal, $example:literal, [$m:literal $kg:literal $s:literal $rad:literal];)*) => {
        /// Empty types that name the dimensions.
        pub mod dimension {
            use super::{Dimension, Exponents};
            $(
                #[doc = concat!("Marks a ", $name, ", in ", $unit, ".")]
                #[derive(Clone, Copy, Debug, PartialEq, Eq)]
                pub struct $type;

                impl Dimension for $type {
                    const TYPE: &'static str = stringify!($type);
                    const NAME: &'static str = $name;
                    const UNIT: &'static str = $unit;
                    const SYMBOL: &'static str = $symbol;
                    const EXAMPLE: &'static str = $example;
                    const EXPONENTS: Exponents = Exponents { m: $m, kg: $kg, s: $s, rad: $rad };
                }
            )*
        }
        $(
            #[doc = concat!("A ", $name, " in ", $unit, "; in a scene also a string such as `\"", $example, "\"`.")]
            pub type $type = Quantity<dimension::$type>;
        )*
        /// Names by exponents, to explain a wrong unit; the first match counts.
        const NAMES: &[(Exponents, &str)] = &[$((dimension::$type::EXPONENTS, $name)),*];
    };
}

dimensions! {
    Length, "length", "metres", "m", "0.5 mm", [1 0 0 0];
    Time, "time", "seconds", "s", "2 ms", [0 0 1 0];
    Mass, "mass", "kilograms", "kg", "5 g", [0 1 0 0];
    Angle, "angle", "radians", "rad", "30 deg", [0 0 0 1];
    Velocity, "velocity", "metres per second", "m/s", "2 m/s", [1 0 -1 0];
    Acceleration, "acceleration", "metres per second squared", "m/s^2", "9.81 m/s^2", [1 0 -2 0];
    AngularVelocity, "angular velocity", "radians per second", "rad/s", "90 deg/s", [0 0 -1 1];
    Frequency, "frequency", "hertz", "Hz", "60 Hz", [0 0 -1 0];
    DragRate, "drag rate", "1/second", "1/s", "0.5 1/s", [0 0 -1 0];
    Force, "force", "newtons", "N", "5 N", [1 1 -2 0];
    Stiffness, "stiffness", "newtons per metre", "N/m", "100 N/m", [0 1 -2 0];
    DampingCoefficient, "damping coefficient", "newton seconds per metre", "N s/m", "0.2 N s/m", [0 1 -1 0];
    BendingStiffness, "bending stiffness", "newton metres", "N m", "0.1 mN m", [2 1 -2 0];
    Energy, "energy", "joules", "J", "1 mJ", [2 1 -2 0];
    Momentum, "momentum", "kilogram metres per second", "kg m/s", "0.1 kg m/s", [1 1 -1 0];
    RodStiffness, "rod stiffness", "newton square metres", "N m^2", "2 mN m^2", [3 1 -2 0];
    Pressure, "pressure", "pascals", "Pa", "2 kPa", [-1 1 -2 0];
    Viscosity, "viscosity", "pascal seconds", "Pa s", "1 mPa s", [-1 1 -1 0];
    KinematicViscosity, "kinematic viscosity", "square metres per second", "m^2/s", "1 mm^2/s", [2 0 -1 0];
    LinearDensity, "linear density", "kilograms per metre", "kg/m", "50 g/m", [-1 1 0 0];
    AreaDensity, "area density", "kilograms per square metre", "kg/m^2", "200 g/m^2", [-2 1 0 0];
    Density, "density", "kilograms per cubic metre", "kg/m^3", "1000 kg/m^3", [-3 1 0 0];
}

/// A number of dimension `D`, kept in SI units.
#[derive(Clone, Copy, PartialEq)]
pub struct Quantity<D: Dimension> {
    si: f64,
    dimension: PhantomData<D>,
}

impl<D: Dimension> Quantity<D> {
    /// The quantity of `si` SI units.
    pub const fn new(si: f64) -> Self {
        Self { si, dimension: PhantomData }
    }

    /// The number of SI units.
    pub fn si(&self) -> f64 {
        self.si
    }
}

/// The dimension that a text should have.
struct Wanted {
    exponents: Exponents,
    name: &'static str,
    symbol: &'static str,
    example: &'static str,
}

impl Wanted {
    fn of<D: Dimension>() -> Self {
        Self { exponents: D::EXPONENTS, name: D::NAME, symbol: D::SYMBOL, example: D::EXAMPLE }
    }

    /// A valid form, with the given number.
    fn needed(&self, number: &str) -> String {
        let write = match table::common(self.symbol).as_slice() {
            [first @ .., last] if !first.is_empty() => format!("write it in {} or {last}", first.join(", ")),
            _ => {
                let (_, unit) = self.example.split_once(' ').unwrap_or(("", self.symbol));
                format!("write for example \"{number} {unit}\"")
            }
        };
        format!("{} is needed here: {write}", with_article(self.name))
    }
}

/// Why a text is not a quantity of the required dimension.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QuantityError {
    /// What is wrong, and a valid form.
    pub message: String,
}

/// Reads a number in SI units or a number with a unit, as for a command-line flag.
pub fn parse_quantity<D: Dimension>(text: &str) -> Result<Quantity<D>, QuantityError> {
    let wanted = Wanted::of::<D>();
    let found = parse::quantity(text, Some(&wanted)).map_err(|message| QuantityError { message })?;
    // A plain number is in SI units.
    let exponents = found.exponents.unwrap_or(D::EXPONENTS);
    if exponents == D::EXPONENTS {
        return Ok(Quantity::new(found.value));
    }
    let what = match NAMES.iter().find(|(known, _)| *known == exponents) {
        Some((_, name)) => format!("is {}", with_article(name)),
        None if exponents == Exponents::default() => "has no dimension".to_owned(),
        None => format!("has the unit {}", table::spell(exponents)),
    };
    Err(QuantityError { message: format!("\"{}\" {what}, but {}", text.trim(), wanted.needed(found.number)) })
}

/// The number of SI units and how that unit is written, whatever the dimension; nothing for a plain number and for what is no quantity.
pub fn any_quantity(text: &str) -> Option<(f64, String)> {
    let found = parse::quantity(text, None).ok()?;
    let unit = table::spell(found.exponents?);
    Some((found.value, unit))
}

fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}

impl<D: Dimension> From<f64> for Quantity<D> {
    fn from(si: f64) -> Self {
        Self::new(si)
    }
}

impl<D: Dimension> FromStr for Quantity<D> {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        parse_quantity(text)
    }
}

impl<D: Dimension> fmt::Display for Quantity<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.si, D::SYMBOL)
    }
}

impl<D: Dimension> fmt::Debug for Quantity<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.si, D::SYMBOL)
    }
}

impl<D: Dimension> Serialize for Quantity<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.si)
    }
}

impl<'de, D: Dimension> Deserialize<'de> for Quantity<D> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_any(QuantityVisitor(PhantomData))
    }
}

struct QuantityVisitor<D>(PhantomData<D>);

impl<D: Dimension> Visitor<'_> for QuantityVisitor<D> {
    type Value = Quantity<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}, or a string with a unit such as \"{}\"", with_article(D::NAME), D::UNIT, D::EXAMPLE)
    }

    fn visit_f64<E: de::Error>(self, si: f64) -> Result<Self::Value, E> {
        Ok(Quantity::new(si))
    }

    fn visit_i64<E: de::Error>(self, si: i64) -> Result<Self::Value, E> {
        Ok(Quantity::new(si as f64))
    }

    fn visit_u64<E: de::Error>(self, si: u64) -> Result<Self::Value, E> {
        Ok(Quantity::new(si as f64))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        parse_quantity(text).map_err(E::custom)
    }
}

impl<D: Dimension> JsonSchema for Quantity<D> {
    fn schema_name() -> Cow<'static, str> {
        D::TYPE.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": format!("{}, or a string with a unit such as \"{}\"", D::UNIT, D::EXAMPLE),
            "oneOf": [
                { "type": "number" },
                { "type": "string", "pattern": "^\\s*[-+]?(\\d|\\.\\d|inf|nan)", "examples": [D::EXAMPLE] },
            ],
        })
    }
}

/// Three quantities of dimension `D`, along x, y and z: `[0, "-9.81 m/s^2", 0]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec3Of<D: Dimension>(pub [Quantity<D>; 3]);

impl<D: Dimension> Vec3Of<D> {
    /// The three numbers in SI units.
    pub fn to_dvec3(&self) -> DVec3 {
        DVec3::from_array(self.0.map(|quantity| quantity.si))
    }
}

impl<D: Dimension> From<DVec3> for Vec3Of<D> {
    fn from(si: DVec3) -> Self {
        Self(si.to_array().map(Quantity::new))
    }
}

impl<D: Dimension> From<[f64; 3]> for Vec3Of<D> {
    fn from(si: [f64; 3]) -> Self {
        Self(si.map(Quantity::new))
    }
}

impl<D: Dimension> Serialize for Vec3Of<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, D: Dimension> Deserialize<'de> for Vec3Of<D> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        <[Quantity<D>; 3]>::deserialize(deserializer).map(Self)
    }
}

impl<D: Dimension> JsonSchema for Vec3Of<D> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Vector", D::TYPE).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": format!("x, y and z, each in {}, or a string with a unit such as \"{}\"", D::UNIT, D::EXAMPLE),
            "type": "array",
            "items": generator.subschema_for::<Quantity<D>>(),
            "minItems": 3,
            "maxItems": 3,
        })
    }
}

#[cfg(test)]
mod tests;
