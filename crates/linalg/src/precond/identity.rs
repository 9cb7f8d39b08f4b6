//! No preconditioning: z = r. For comparison, and for matrices close to a multiple of the identity.

use crate::block_csr::BlockCsr;
use crate::pattern::Pattern;
use crate::solver::{Preconditioner, SolveError};
use glam::DVec3;
use pliant_parallel::Partials;
use std::sync::Arc;

/// z = r
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl Preconditioner for Identity {
    fn name(&self) -> &'static str {
        "none"
    }

    fn analyze(&mut self, _pattern: &Arc<Pattern>) {}

    fn factor(&mut self, _a: &BlockCsr) -> Result<(), SolveError> {
        Ok(())
    }

    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        z.copy_from_slice(r);
    }

    fn apply_and_dot(&mut self, r: &[DVec3], z: &mut [DVec3], partials: &mut Partials) -> f64 {
        z.copy_from_slice(r);
        partials.dot(r, r)
    }
}
