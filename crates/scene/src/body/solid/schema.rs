//! `[[solid]]`: soft bodies of tetrahedra.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::body::shared_keys::{body_table, part_table};
use crate::schema::{BoxTable, zero_length};
use crate::units::{Density, Length, Pressure, Time, Vec3Of, dimension};

body_table! {
    /// A soft body: give one of `box`, `mesh`, `surface` and `figure`; and a `preset`, or the material's numbers, or both (numbers win).
    pub struct SolidBody {
        shared name,
        /// A block of cells, each cut into tetrahedra.
        #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
        pub block: Option<SolidBlock>,
        /// Tetrahedra.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mesh: Option<VolumeTable>,
        /// A closed surface, filled with tetrahedra.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub surface: Option<SurfaceTable>,
        /// A shape that is made here, filled with tetrahedra.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub figure: Option<SolidFigureTable>,
        /// How often every tetrahedron is divided into eight.
        #[serde(default)]
        pub refine: usize,
        /// Whether pictures, the viewer and surface formats show the fine surface that a `surface` or `figure` was filled from, carried along by
        /// its tetrahedra (the default), and not the outside of those.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub skin: Option<bool>,
        /// rubber, silicone, foam, gelatine, liver, …: everything below that is not given.
        shared preset,
        /// How strain is measured: cauchy, green, corotational, warped, hybrid or neo-hookean.
        #[serde(default = "default_measure")]
        pub measure: String,
        /// Which rotations the corotational measure takes out.
        #[serde(default)]
        pub frames: Frames,
        /// Time between two updates of frames that stand still, s (default: they are taken at every step).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub frame_interval: Option<Time>,
        /// With `frame_interval`: frames are taken in turns, spread evenly over it, so that steps take equally long.
        #[serde(default)]
        pub spread_frames: bool,
        /// With coarse frames: how much of Green's measure the coarse tetrahedra have, 0 to 1. For study: not for compression.
        #[serde(default)]
        pub coarse_green: f64,
        /// kg/m³
        shared density: Density,
        /// Young's modulus, Pa.
        shared youngs_modulus,
        /// Poisson's ratio, below 0.5.
        shared poisson,
        /// Inner friction: stress follows strain rate times modulus times this time, s.
        shared damping,
        /// Forces on parts of the surface.
        #[serde(default)]
        pub loads: Vec<LoadTable>,
        shared velocity,
        shared pins,
        shared friction,
        /// Distance at which it begins to push others away, m (default: what fits its mesh, 2 mm at most).
        shared contact_distance,
        shared contact,
    }
}

/// Rotations of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Frames {
    /// Each its own, at every moment: exact.
    #[default]
    Current,
    /// Each its own, as it was when the step began, or at the last `frame_interval`: one linear solve a step.
    Step,
    /// That of the tetrahedron before `refine`, as it was then.
    Coarse,
}

/// A block of cells.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolidBlock {
    /// Cells along x, y and z.
    pub cells: [usize; 3],
    /// Lengths along x, y and z, m.
    pub size: Vec3Of<dimension::Length>,
    /// Lowest corner, m.
    #[serde(default = "zero_length")]
    pub origin: Vec3Of<dimension::Length>,
    /// How cells are cut.
    #[serde(default)]
    pub split: Split,
}

/// How a cell becomes tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// A regular tetrahedron and four corners, mirrored from cell to cell: fewest tetrahedra, best angles.
    #[default]
    Five,
    /// Six around one diagonal, mirrored from cell to cell.
    Six,
    /// Six around one diagonal, the same in every cell [Kuhn]: as in many papers, but a bent bar moves sideways.
    Kuhn,
}

part_table! {
    /// Tetrahedra: give `file`, or `points` and `tetrahedra`.
    pub struct VolumeTable {
        /// Gmsh (.msh), TetGen (.node with its .ele), VTK or VTU, relative to the scene file.
        shared file,
        shared points,
        /// Corners of tetrahedra among `points`, from 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub tetrahedra: Vec<[u32; 4]>,
        /// Metres a unit of the mesh.
        shared scale,
        shared offset,
    }
}

part_table! {
    /// A closed surface that is filled: give `file`, or `points` and `triangles`.
    pub struct SurfaceTable {
        /// OBJ, PLY or STL, relative to the scene file.
        shared file,
        shared points,
        shared triangles,
        /// Metres a unit of the surface.
        shared scale,
        shared offset,
        /// About the length of an edge inside, m.
        pub spacing: Length,
    }
}

/// A shape that is made here.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolidFigureTable {
    /// Which.
    pub shape: SolidFigure,
    /// Its largest extent, m.
    pub size: Length,
    /// About the length of an edge inside, m.
    pub spacing: Length,
    /// Where its middle goes, m.
    #[serde(default = "zero_length")]
    pub centre: Vec3Of<dimension::Length>,
}

/// Shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolidFigure {
    /// A ball.
    Ball,
    /// A ring.
    Ring,
    /// A rabbit.
    Rabbit,
    /// An organ of two lobes.
    Liver,
}

/// A force on a part of the surface.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadTable {
    /// Faces whose corners all lie in this box, m.
    #[serde(rename = "box")]
    pub inside: BoxTable,
    /// Force per area of a fixed direction, Pa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traction: Option<Vec3Of<dimension::Pressure>>,
    /// Pressure normal to the surface as it deforms, Pa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<Pressure>,
    /// Time in which the load grows from zero to its full value, s; instead of `times` and `parts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ramp: Option<Time>,
    /// Times of a piecewise linear load, s.
    #[serde(default)]
    pub times: Vec<Time>,
    /// Parts of the full load at `times`.
    #[serde(default)]
    pub parts: Vec<f64>,
}

fn default_preset() -> String {
    "silicone".into()
}

fn default_measure() -> String {
    "corotational".into()
}
