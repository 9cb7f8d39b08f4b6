//! The compared step controllers, each with the one parameter that sets its work.

use pliant::prelude::*;
use pliant::time::catalog::Entry;

use super::problem::BOUNDS;

/// The two schemes of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scheme {
    /// Backward Euler with one Newton step.
    BackwardEuler,
    /// The trapezoidal rule with one Newton step.
    Newmark,
}

impl Scheme {
    /// Both.
    pub const ALL: [Self; 2] = [Self::BackwardEuler, Self::Newmark];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::BackwardEuler => "backward Euler",
            Self::Newmark => "Newmark",
        }
    }

    /// In names of files.
    pub fn file(self) -> &'static str {
        match self {
            Self::BackwardEuler => "backward-euler",
            Self::Newmark => "newmark",
        }
    }

    /// In the catalog.
    pub fn entry(self) -> &'static Entry {
        let name = match self {
            Self::BackwardEuler => "linearized-backward-euler",
            Self::Newmark => "newmark",
        };
        integrator(name).expect("it is in the catalog")
    }
}

/// What chooses the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Force error, eq. 12 of the paper.
    Paper,
    /// Force error with exponent 1/4.
    Quarter,
    /// Force error with exponent 1/4 over the last two errors.
    Pi,
    /// Force error and truncation.
    Combined,
    /// A distance per step.
    Speed,
    /// A change of length per step.
    Stretch,
    /// One step against two half steps.
    Doubling,
    /// Equal steps.
    Fixed,
}

impl Method {
    /// All, in the order of the tables.
    pub const ALL: [Self; 8] =
        [Self::Paper, Self::Quarter, Self::Pi, Self::Combined, Self::Speed, Self::Stretch, Self::Doubling, Self::Fixed];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "force, eq. 12",
            Self::Quarter => "force, 1/4",
            Self::Pi => "force, PI",
            Self::Combined => "force + truncation",
            Self::Speed => "speed limit",
            Self::Stretch => "stretch limit",
            Self::Doubling => "step doubling",
            Self::Fixed => "fixed",
        }
    }

    /// For the head of a column.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Paper => "eq. 12",
            Self::Quarter => "1/4",
            Self::Pi => "PI",
            Self::Combined => "+ truncation",
            Self::Speed => "speed",
            Self::Stretch => "stretch",
            Self::Doubling => "doubling",
            Self::Fixed => "fixed",
        }
    }

    /// The controller, given a tolerance (m), a distance (m), a change of length (m) or a step (s).
    pub fn control(self, parameter: f64) -> ControlSpec {
        let spec = ControlSpec { bounds: BOUNDS, ..ControlSpec::default() };
        let force_error = |law| ControlSpec { kind: ControlKind::FORCE_ERROR, law, tolerance: parameter, ..spec };
        match self {
            Self::Paper => force_error(Law::Paper),
            Self::Quarter => force_error(Law::Quarter),
            Self::Pi => force_error(Law::Pi),
            Self::Combined => force_error(Law::Combined),
            Self::Speed => ControlSpec { kind: ControlKind::SPEED_LIMIT, distance: parameter, ..spec },
            Self::Stretch => ControlSpec { kind: ControlKind::STRETCH_LIMIT, stretch: parameter, ..spec },
            Self::Doubling => {
                // Adaptive quadrature starts from the whole and subdivides.
                ControlSpec { kind: ControlKind::STEP_DOUBLING, tolerance: parameter, dt: Some(BOUNDS.max), ..spec }
            }
            Self::Fixed => ControlSpec { kind: ControlKind::FIXED, dt: Some(parameter), ..spec },
        }
    }

    /// The work scales about with this power of 1/parameter.
    pub fn inverse_power(self, scheme: Scheme) -> f64 {
        match self {
            Self::Paper | Self::Quarter | Self::Pi => 4.0,
            Self::Combined | Self::Doubling => {
                if scheme == Scheme::Newmark {
                    3.0
                } else {
                    2.0
                }
            }
            Self::Speed | Self::Stretch | Self::Fixed => 1.0,
        }
    }
}
