//! Keys that several kinds of bodies have: type, default, description and check of each stand here once.
//!
//! `#[serde(flatten)]` does not go with `deny_unknown_fields`, and errors inside it lose their place. So [`body_table`] writes the keys into the struct
//! itself: `shared friction,` among the fields of a table becomes the field. A key with a meaning of its own in each kind takes its description from
//! the table, and `density`, which differs in its unit, its type. Checks become [`SharedKeys::check_shared`].

/// Makes the table of a kind of body from its own fields and the shared keys that it names.
macro_rules! body_table {
    // all fields are read: the struct and its check
    (@fields [$($head:tt)*] $table:ident {$($fields:tt)*} {$($checks:tt)*}) => {
        $($head)*
        #[derive(Clone, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $table {
            $($fields)*
        }

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
        body_table! { @fields $head $table { $($fields)* $(#[$attribute])* pub $field: $type, } $checks $($rest)* }
    };
    // a shared key
    (@fields $head:tt $table:ident $fields:tt {$($checks:tt)*}
        $(#[$text:meta])* shared $key:ident $(: $type:ty)?, $($rest:tt)*) => {
        body_table! { @$key [$(#[$text])*] [$($type)?] $head $table $fields {$($checks)* $key} $($rest)* }
    };
    (@name [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            /// Name, for probes.
            pub name: String,
        } $($rest)* }
    };
    (@preset [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default = "default_preset")]
            pub preset: String,
        } $($rest)* }
    };
    (@density [$($text:tt)+] [$type:ty] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub density: Option<$type>,
        } $($rest)* }
    };
    (@youngs_modulus [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub youngs_modulus: Option<$crate::units::Pressure>,
        } $($rest)* }
    };
    (@poisson [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub poisson: Option<f64>,
        } $($rest)* }
    };
    (@damping [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default = "crate::body::shared_keys::default_damping")]
            pub damping: $crate::units::Time,
        } $($rest)* }
    };
    (@velocity [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            /// Velocity at the start, m/s.
            #[serde(default = "crate::schema::zero_velocity")]
            pub velocity: $crate::units::Vec3Of<$crate::units::dimension::Velocity>,
        } $($rest)* }
    };
    (@pins [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            /// Particles whose motion is given.
            #[serde(default)]
            pub pins: Vec<$crate::schema::PinTable>,
        } $($rest)* }
    };
    (@friction [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            /// Coefficient of friction.
            #[serde(default = "crate::body::shared_keys::default_friction")]
            pub friction: f64,
        } $($rest)* }
    };
    (@contact_distance [$($text:tt)+] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            $($text)*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub contact_distance: Option<$crate::units::Length>,
        } $($rest)* }
    };
    (@contact [] [] $head:tt $table:ident {$($fields:tt)*} $($rest:tt)*) => {
        body_table! { @fields $head $table {
            $($fields)*
            /// Whether it touches itself and what else there is; without it, it passes through everything.
            #[serde(default = "crate::schema::yes")]
            pub contact: bool,
        } $($rest)* }
    };
    ($(#[$text:meta])* pub struct $table:ident { $($fields:tt)* }) => {
        body_table! { @fields [$(#[$text])*] $table {} {} $($fields)* }
    };
}
pub(crate) use body_table;

/// The check of a shared key. Those of names are in `validate`, those of `preset`, `poisson` and `pins` are of each kind.
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
