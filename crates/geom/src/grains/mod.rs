//! Bodies made of particles on a cubic lattice, and the surfaces of the pieces that they break into.
//!
//! - [`Lattice`]: the occupied cells, one particle each: of a block, or of all that is inside of a closed surface;
//! - [`Shards`]: where cells meet, so that any division of the particles into fragments has closed surfaces that fit together;
//! - [`ShardSurface`]: those surfaces as triangles, wherever the particles have gone;
//! - [`Rubble`]: how they follow from the positions of particles.

mod corners;
mod error;
mod lattice;
mod rotation;
mod rubble;
mod shards;
mod surface;

pub use error::GrainError;
pub use lattice::{Lattice, MAX_CELLS};
pub use rubble::Rubble;
pub use shards::Shards;
pub use surface::ShardSurface;

/// Marks an unoccupied cell.
const NONE: u32 = u32::MAX;
