//! `[[cloth]]`: sheets of fabric.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::body::shared_keys::{body_table, default_damping, part_table};
use crate::schema::{Plane, zero_length};
use crate::units::{AreaDensity, BendingStiffness, Length, Pressure, Time, Vec3Of, dimension};

body_table! {
    /// A sheet of fabric: give one of `grid`, `sphere` and `mesh`; and a `preset`, or the material's numbers, or both (numbers win).
    pub struct ClothBody {
        shared name,
        /// A rectangle.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub grid: Option<ClothGrid>,
        /// A closed sphere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub sphere: Option<ClothSphere>,
        /// A triangle mesh.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mesh: Option<MeshTable>,
        /// silk, cotton, wool, denim, leather or paper: everything below that is not given.
        shared preset,
        /// How it resists stretching.
        #[serde(default)]
        pub model: ClothModel,
        /// Mass of a square metre, kg/m².
        shared density: AreaDensity,
        /// m
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub thickness: Option<Length>,
        /// Young's modulus along the warp, Pa.
        shared youngs_modulus,
        /// Young's modulus along the weft, Pa (default: `youngs_modulus` if that is given).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub youngs_modulus_weft: Option<Pressure>,
        /// Shear modulus, Pa (default, if `youngs_modulus` is given: that of an isotropic sheet).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub shear_modulus: Option<Pressure>,
        /// Poisson's ratio.
        shared poisson,
        /// How it resists bending (not with `model = "springs"`, which has springs for that).
        #[serde(default)]
        pub bending: ClothBending,
        /// Resistance to bending, N m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub bending_stiffness: Option<BendingStiffness>,
        /// Inner friction of stretching: stress follows strain rate times modulus times this time, s.
        shared damping,
        /// Inner friction of bending, s.
        #[serde(default = "default_damping")]
        pub bending_damping: Time,
        /// Strain beyond which the sheet quickly becomes stiffer, such as 0.05; without it, it stretches as its modulus says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub strain_limit: Option<f64>,
        /// Gas inside a closed sheet.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub inflate: Option<Inflate>,
        shared velocity,
        shared pins,
        shared friction,
        /// Distance between two sheets at which they begin to push each other away, m (default: what fits its mesh, 2 mm at most).
        shared contact_distance,
        shared contact,
    }
}

/// How cloth resists stretching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClothModel {
    /// A continuum: St. Venant-Kirchhoff membrane.
    #[default]
    Stvk,
    /// Stretch and shear conditions of Baraff and Witkin.
    BaraffWitkin,
    /// Springs along edges, across cells, and over two edges against bending.
    Springs,
}

/// How cloth resists bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClothBending {
    /// As a thin plate: as stiff as asked for on any mesh, and closer to it on a finer one.
    #[default]
    Plate,
    /// Each angle between two triangles by itself: cheaper, but how stiff the sheet is depends on the mesh.
    Hinges,
    /// The same as a quadratic form of positions: cheapest, for sheets that are flat at rest, without damping.
    Quadratic,
}

/// A rectangle.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClothGrid {
    /// Particles along x, the weft.
    pub columns: usize,
    /// Particles along the other direction, the warp.
    pub rows: usize,
    /// m
    pub width: Length,
    /// m
    pub height: Length,
    /// How it hangs or lies.
    #[serde(default)]
    pub plane: Plane,
    /// Position of the first particle (top left), m.
    #[serde(default = "zero_length")]
    pub origin: Vec3Of<dimension::Length>,
}

/// A closed sphere of triangles.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClothSphere {
    /// m
    pub radius: Length,
    /// m
    #[serde(default = "zero_length")]
    pub centre: Vec3Of<dimension::Length>,
    /// How often the 20 triangles of an icosahedron are divided into four.
    #[serde(default = "default_subdivisions")]
    pub subdivisions: usize,
}

part_table! {
    /// A triangle mesh: give `file`, or `points` and `triangles`.
    pub struct MeshTable {
        /// OBJ, PLY or STL, relative to the scene file. Polygons are cut into triangles.
        shared file,
        shared points,
        shared triangles,
        /// Metres a unit of the mesh.
        shared scale,
        shared offset,
        /// What may be mended instead of refused.
        #[serde(default)]
        pub repair: Vec<Repair>,
    }
}

/// What may be mended in a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// Triangles without area, with a repeated corner, or with the corners of an earlier one are left out.
    DropBad,
    /// Points at exactly the same place become one.
    Weld,
    /// Triangles are turned so that neighbours agree.
    Orient,
    /// Points of no triangle are left out.
    DropUnused,
}

/// Gas inside a closed sheet.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inflate {
    /// Pressure above that of the surroundings at the start, Pa.
    pub pressure: Pressure,
    /// Pressure around, Pa; the gas inside follows p V = constant.
    #[serde(default = "atmosphere")]
    pub ambient: Pressure,
    /// Keep the pressure whatever the volume.
    #[serde(default)]
    pub constant: bool,
}

fn default_preset() -> String {
    "cotton".into()
}

fn default_subdivisions() -> usize {
    4
}

fn atmosphere() -> Pressure {
    101_325.0.into()
}
