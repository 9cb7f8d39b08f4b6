//! The common base of Pliant: the state of the particles, the system they form, the contract of a force model, and the report of
//! one attempted step. It holds no physics and no time stepping: `pliant-forces` and `pliant-time` both depend on this
//! crate and not on each other.

pub mod attempt;
pub mod body;
pub mod capability;
pub mod clock;
pub mod constraint;
pub mod dirty_set;
pub mod element;
pub mod fields;
pub mod force;
pub mod guard;
pub mod jacobian;
pub mod ledger;
pub mod low_rank;
pub mod pins;
pub mod point;
pub mod report;
pub mod restraint;
pub mod rows;
pub mod solid;
pub mod state;
pub mod system;

pub use attempt::{Attempt, ErrorAt, StepFailure, Truncation, Work};
pub use body::{Body, BodyShape};
pub use capability::{
    CollisionFreeStep, CollisionModel, Constrained, Dissipative, Emitter, FrictionResidual, Incremental, Observable,
    PressureProjection, Stateful, StepLimited, Stretchable,
};
pub use clock::Clock;
pub use constraint::Constraint;
pub use dirty_set::{DirtySet, Spread};
pub use element::{Element, Elements, mean_rate};
pub use fields::{Field, Fields};
pub use force::{EnergyKind, ForceModel, ForceProperties, Rates, View};
pub use guard::{GuardVerdict, StepGuard};
pub use jacobian::{ContactBlock, Jacobian, JacobianKind, Merged};
pub use ledger::{Energy, Ledger};
pub use low_rank::{LowRank, RankOne};
pub use pins::{Motion, Path, Pin, Turn};
pub use point::{Memory, Point};
pub use report::{Binding, StepReport};
pub use restraint::active_set::{ActiveSet, ActiveSetMut, Activities};
pub use restraint::active_system::ActiveSystem;
pub use restraint::{Activity, Criterion, LevelOfDetail, Limits, Response, Restraint};
pub use solid::{Pose, Solid, SolidShape};
pub use state::State;
pub use system::{Bounds, Constraints, ContactQueries, Contacts, Energies, Matrices, System, SystemError};
