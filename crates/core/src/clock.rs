//! Wall-clock time of the parts of a run. It only reports: no result depends on a clock.

use std::time::Instant;

use serde::{Deserialize, Serialize};

/// Wall-clock seconds, part by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Forces and energies.
    pub forces: f64,
    /// Derivatives of forces.
    pub derivatives: f64,
    /// Linear systems: assembly, factorization, solution.
    pub linear: f64,
    /// Collision detection (CCD).
    pub ccd: f64,
}

/// A part of the clock.
pub type Part = fn(&mut Clock) -> &mut f64;

impl Clock {
    /// Adds the time since `begun`.
    pub fn book(&mut self, part: Part, begun: Instant) {
        *part(self) += begun.elapsed().as_secs_f64();
    }

    /// All parts with their names.
    pub fn parts(&self) -> [(&'static str, f64); 4] {
        [
            ("forces", self.forces),
            ("derivatives", self.derivatives),
            ("linear systems", self.linear),
            ("collisions", self.ccd),
        ]
    }
}
