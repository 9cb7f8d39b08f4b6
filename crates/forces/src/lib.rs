//! The forces. Each model is one file and one entry in [`catalog`]; registering it is what gets it tested.

pub mod catalog;
pub mod cloth;
pub mod contact;
pub mod drag;
pub mod gravity;
pub mod pendulum;
pub mod pull;
pub mod solid;
pub mod spring;

pub use cloth::aerodynamics::{Aerodynamics, Air};
pub use cloth::baraff_witkin::{BaraffWitkin, ConditionTriangle, Conditions};
pub use cloth::hinge::{Hinge, HingeBending};
pub use cloth::pressure::{Filling, Pressure};
pub use cloth::quadratic::{QuadraticBending, QuadraticHinge};
pub use cloth::rest::RestTriangle;
pub use cloth::strain_limit::{LimitedEdge, StrainLimit};
pub use cloth::stvk::{Orthotropic, StvkMembrane, StvkTriangle};
pub use cloth::wind::{Gust, Wind};
pub use drag::Drag;
pub use gravity::Gravity;
pub use pendulum::{Pendulum, PendulumForce};
pub use pull::{Grip, Hand, Pull};
pub use solid::material::{Lame, SolidMaterial, Viscosity};
pub use solid::model::{MeasureKind, SolidError};
pub use solid::ramp::Ramp;
pub use solid::tetrahedron::RestTetrahedron;
pub use solid::traction::{FacePressure, LoadError, Traction};
pub use spring::cubic::{CubicSpring, CubicSprings};
pub use spring::linear::{Spring, Springs};
