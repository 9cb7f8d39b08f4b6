//! Keys that several kinds of bodies, or the meshes and pins within them, have: type, default, description and check of each stand here once.
//!
//! `#[serde(flatten)]` does not go with `deny_unknown_fields`, and errors inside it lose their place. So [`body_table`] writes the keys into the struct
//! itself: `shared friction,` among the fields of a table becomes the field. A key with a meaning of its own in each kind takes its description from
//! the table, and `density`, which differs in its unit, its type. Checks become [`SharedKeys::check_shared`].

/// Makes the table of a kind of body from its own fields and the shared keys that it names.
macro_rules! body_table {
    (@struct [$($head:tt)*] $table:ident {$($fields:tt)*}) => {
        $($head)*
        #[derive(Clone, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $table {
            $($fields)*
        }
    };
    // all fields are read: the struct and, of a body, its check
    (@fields [part $($head:tt)*] $table:ident $fields:tt $checks:tt) => {
        $crate::body::shared_keys::body_table! { @struct [$($head)*] $table $fields }
    };
    (@fields [body $($head:tt)*] $table:ident $fields:tt {$($checks:tt)*}) => {
        $crate::body::shared_keys::body_table! { @struct [$($head)*] $table $fields }

        impl $crate::body::shared_keys::SharedKeys for $table {
            fn name(&self) -> Option<&str> {
                Some(&self.name)
            }

            #[allow(unused_variables, reason = "not every table has a shared key with a check")]
            fn check_shared(&self, path: &str, c: &mut $crate::validate::Complaints) {
                let key = |name: &str| format!("{path}.{name}");
                $($crate::body::shared_keys::check_key!(self, key, c, $checks);)*
            }
        }
    };
    // a field of its own
    (@fields $head:tt $table:ident {$($fields:tt)*} $checks:tt
        $(#[$attribute:meta])* pub $field:ident: $type:ty, $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table { $($fields)* $(#[$attribute])* pub $field: $type, } $checks $($rest)* }
    };
    // a shared key
    (@fields $head:tt $table:ident $fields:tt {$($checks:tt)*}
        $(#[$text:meta])* shared $key:ident $(: $type:ty)?, $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @$key [$(#[$text])*] [$($type)?] $head $table $fields {$($checks)* $key} $($rest)* }
    };
    (@name [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// Name, for probes.
            pub name: String,
        } $($rest)* }
    };
    (@preset [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default = "default_preset")]
            pub preset: String,
        } $($rest)* }
    };
    (@density [$($text:tt)+] [$type:ty] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub density: Option<$type>,
        } $($rest)* }
    };
    (@youngs_modulus [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub youngs_modulus: Option<$crate::units::Pressure>,
        } $($rest)* }
    };
    (@poisson [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub poisson: Option<f64>,
        } $($rest)* }
    };
    (@damping [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default = "crate::body::shared_keys::default_damping")]
            pub damping: $crate::units::Time,
        } $($rest)* }
    };
    (@velocity [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// Velocity at the start, m/s.
            #[serde(default = "crate::schema::zero_velocity")]
            pub velocity: $crate::units::Vec3Of<$crate::units::dimension::Velocity>,
        } $($rest)* }
    };
    (@pins [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// Particles whose motion is given.
            #[serde(default)]
            pub pins: Vec<$crate::schema::PinTable>,
        } $($rest)* }
    };
    (@friction [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// Coefficient of friction.
            #[serde(default = "crate::body::shared_keys::default_friction")]
            pub friction: f64,
        } $($rest)* }
    };
    (@contact_distance [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub contact_distance: Option<$crate::units::Length>,
        } $($rest)* }
    };
    (@contact [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// Whether it touches itself and what else there is; without it, it passes through everything.
            #[serde(default = "crate::schema::yes")]
            pub contact: bool,
        } $($rest)* }
    };
    (@file [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub file: Option<String>,
        } $($rest)* }
    };
    (@points [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// Points, in place of a file.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub points: Vec<$crate::units::Vec3Of<$crate::units::dimension::Length>>,
        } $($rest)* }
    };
    (@triangles [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// Corners of triangles among `points`, from 0.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub triangles: Vec<[u32; 3]>,
        } $($rest)* }
    };
    (@scale [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default = "crate::body::shared_keys::one")]
            pub scale: f64,
        } $($rest)* }
    };
    (@offset [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// Where its origin goes, m.
            #[serde(default = "crate::schema::zero_length")]
            pub offset: $crate::units::Vec3Of<$crate::units::dimension::Length>,
        } $($rest)* }
    };
    (@oscillate [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// Harmonic motion about the starting position.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub oscillate: Option<$crate::schema::Oscillate>,
        } $($rest)* }
    };
    (@keyframes [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// A smooth path through displacements from the starting position.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub keyframes: Option<$crate::schema::Keyframes>,
        } $($rest)* }
    };
    (@turn [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        $crate::body::shared_keys::body_table! { @fields $head $table {
            $($fields)*
            /// Turned about an axis, all as one; `keyframes` then move the axis.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub turn: Option<$crate::schema::TurnTable>,
        } $($rest)* }
    };
    ($(#[$text:meta])* pub struct $table:ident { $($fields:tt)* }) => {
        $crate::body::shared_keys::body_table! { @fields [body $(#[$text])*] $table {} {} $($fields)* }
    };
}
pub(crate) use body_table;

/// The same for a table within a body, which has no name and is checked where the body is.
macro_rules! part_table {
    ($(#[$text:meta])* pub struct $table:ident { $($fields:tt)* }) => {
        $crate::body::shared_keys::body_table! { @fields [part $(#[$text])*] $table {} {} $($fields)* }
    };
}
pub(crate) use part_table;

/// The check of a shared key of a body. Those of names are in `validate`; those of `preset`, `poisson`, `pins` and of the keys of meshes are of each kind.
macro_rules! check_key {
    ($body:ident, $key:ident, $c:ident, density) => {
        $c.option(&$key("density"), $body.density, $crate::validate::Complaints::positive)
    };
    ($body:ident, $key:ident, $c:ident, youngs_modulus) => {
        $c.option(&$key("youngs_modulus"), $body.youngs_modulus, $crate::validate::Complaints::positive)
    };
    ($body:ident, $key:ident, $c:ident, damping) => {
        $c.not_negative(&$key("damping"), $body.damping.si())
    };
    ($body:ident, $key:ident, $c:ident, velocity) => {
        $c.finite(&$key("velocity"), &$body.velocity)
    };
    ($body:ident, $key:ident, $c:ident, friction) => {
        $c.not_negative(&$key("friction"), $body.friction)
    };
    ($body:ident, $key:ident, $c:ident, contact_distance) => {
        $c.option(&$key("contact_distance"), $body.contact_distance, $crate::validate::Complaints::positive)
    };
    ($body:ident, $key:ident, $c:ident, $of_each_kind:ident) => {};
}
pub(crate) use check_key;

use crate::units::Time;
use crate::validate::Complaints;

/// The shared keys of a table, whatever its kind.
pub(crate) trait SharedKeys {
    /// The name of the body; `None` for kinds that only join bodies.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Checks the values of shared keys.
    fn check_shared(&self, _path: &str, _c: &mut Complaints) {}
}

pub(crate) fn default_damping() -> Time {
    1e-3.into()
}

pub(crate) fn default_friction() -> f64 {
    0.3
}

pub(crate) fn one() -> f64 {
    1.0
}
