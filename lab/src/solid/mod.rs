//! Experiments with solids: what the paper on corotational elements [Corotational] says about its measures of strain, their errors beside
//! Green's and their costs.

mod displacements;
pub mod forces;
mod hierarchy;
mod play;
mod steps;

pub use displacements::corotational_displacements;
pub use forces::corotational_forces;
pub use hierarchy::corotational_hierarchy;
pub use steps::corotational_steps;
