//! `[[rope]]`: ropes, cables, cords and threads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::body::shared_keys::{body_table, part_table};
use crate::schema::{BoxTable, zero_length};
use crate::units::{Angle, Density, Force, Length, LinearDensity, RodStiffness, Vec3Of, dimension};

body_table! {
    /// A rope: give one of `points`, `file` and `curve`; and a `preset`, or the material's numbers, or both (numbers win). Point k along it is
    /// particle 4k of the body (3k with the paper's cell); the particles between show how it is turned.
    pub struct RopeBody {
        shared name,
        /// Places along it, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub points: Option<Vec<Vec3Of<dimension::Length>>>,
        /// Places along it from a file: OBJ with a polyline `l`, or a line of three numbers (blanks or commas between them) for each.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub file: Option<String>,
        /// A curve that is made here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub curve: Option<CurveTable>,
        /// Metres a unit of the `file`.
        shared scale,
        /// How `points` or a `file` are joined.
        #[serde(default)]
        pub through: Through,
        /// Whether the last of `points` or of a `file` is joined to the first.
        #[serde(default)]
        pub closed: bool,
        /// Turned about the origin before it is moved by `offset`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub rotate: Option<RotationTable>,
        /// Moved by this, m.
        #[serde(default = "zero_length")]
        pub offset: Vec3Of<dimension::Length>,
        /// Number of segments, all of one length (default: those of a polyline as given, else some two diameters each).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub segments: Option<usize>,
        /// m
        pub radius: Length,
        /// nylon-rope, steel-cable, suture, rubber-cord or spaghetti: everything below that is not given.
        shared preset,
        /// Young's modulus of a solid round rod, Pa: stretch, bend and twist stiffness that are not given follow from it.
        shared youngs_modulus,
        /// Poisson's ratio, for the twist stiffness.
        shared poisson,
        /// EA, N: force for a strain of 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub stretch_stiffness: Option<Force>,
        /// EI, N m²: moment for a curvature of 1/m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub bend_stiffness: Option<RodStiffness>,
        /// GJ, N m²: moment for a twist of 1 rad/m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub twist_stiffness: Option<RodStiffness>,
        /// kg/m
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mass_per_length: Option<LinearDensity>,
        /// Of the full round section, kg/m³ (instead of `mass_per_length`).
        shared density: Density,
        /// Inner friction: forces and moments follow rates of strain, curvature and twist times stiffness times this time, s.
        shared damping,
        /// Which shape has no stress.
        #[serde(default)]
        pub rest: RopeRest,
        /// How often its end is turned against its start at the beginning.
        #[serde(default)]
        pub twist: f64,
        /// What it is made of inside.
        #[serde(default)]
        pub cell: RopeCell,
        /// How many strands it is drawn with (default: those of the preset); 1: smooth.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub strands: Option<usize>,
        /// Whether it is knotted to other ropes of which this is said too, wherever it passes one at the start.
        #[serde(default)]
        pub knotted: bool,
        shared velocity,
        /// Points whose motion is given.
        #[serde(default)]
        pub pins: Vec<RopePin>,
        shared friction,
        /// How soft its outside is, m: two ropes begin to push each other at the sum of their radii and never come nearer than that less this
        /// (default: a fifth of the radius).
        shared contact_distance,
        shared contact,
        /// Whether it is moved aside, before anything begins, where it would cut itself or another rope.
        #[serde(default)]
        pub separate: bool,
    }
}

/// How places are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Through {
    /// Straight.
    #[default]
    Polyline,
    /// By a smooth curve.
    Spline,
}

/// Which shape has no stress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RopeRest {
    /// Straight and untwisted.
    #[default]
    Straight,
    /// As it is laid out.
    Curve,
}

/// What a rope is made of inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RopeCell {
    /// Sections of a centre and three wings: the same in all directions, with the stiffnesses asked for.
    #[default]
    Isotropic,
    /// Three tetrahedra a segment as in the paper, for study: it bends more easily in one direction than in the other, and its bend
    /// stiffness is not the one asked for. Always at rest as laid out.
    Paper,
}

/// A curve that is made here, about the origin.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum CurveTable {
    /// A straight line.
    Line {
        /// m
        from: Vec3Of<dimension::Length>,
        /// m
        to: Vec3Of<dimension::Length>,
    },
    /// About the y axis.
    Helix {
        /// m
        radius: Length,
        /// Height of one turn, m.
        pitch: Length,
        /// How many.
        turns: f64,
    },
    /// A closed circle in the plane y = 0.
    Ring {
        /// m
        radius: Length,
    },
    /// A closed trefoil knot.
    Trefoil {
        /// Largest distance from the y axis, m.
        size: Length,
    },
    /// A closed figure-eight knot.
    FigureEight {
        /// Largest distance from the y axis, m.
        size: Length,
    },
    /// A closed torus knot with five crossings.
    Cinquefoil {
        /// Largest distance from the y axis, m.
        size: Length,
    },
    /// A loose overhand knot whose two ends lead up and apart.
    Overhand {
        /// Of the loops, m.
        size: Length,
        /// Length of each end, m.
        ends: Length,
    },
    /// A wave along x.
    Wave {
        /// From end to end, m.
        length: Length,
        /// Of the crests, m.
        height: Length,
        /// How many.
        waves: f64,
    },
}

/// A turn about an axis through the origin.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationTable {
    /// Direction of the axis; any length.
    pub axis: [f64; 3],
    /// rad
    pub angle: Angle,
}

part_table! {
    /// Pins some points of a rope: choose them by `points`, `end` or `box`; without a motion they are held in place.
    pub struct RopePin {
        /// Numbers of points along the rope, from 0.
        #[serde(default)]
        pub points: Vec<usize>,
        /// An end of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub end: Option<RopeEnd>,
        /// All points inside a box, m.
        #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
        pub inside: Option<BoxTable>,
        /// Whether direction and turn are held too: the whole section, at right angles to which the rope leaves it on both sides.
        #[serde(default)]
        pub clamp: bool,
        shared oscillate,
        shared keyframes,
        shared turn,
    }
}

/// An end of a rope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RopeEnd {
    /// Where it begins.
    First,
    /// Where it ends.
    Last,
    /// Both.
    Both,
}

fn default_preset() -> String {
    "nylon-rope".into()
}
