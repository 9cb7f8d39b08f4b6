//! Operations of a host program between two steps, besides stepping: keep arrays beyond the next step, move the end of the run, set
//! particle states.

use glam::DVec3;
use pliant_core::Ledger;

use super::Simulation;

/// Why a run cannot continue from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadState {
    /// Its number of particles differs.
    Count(usize),
    /// The position or velocity of this particle, or the force on it there, is not finite.
    NonFinite(usize),
    /// Its energy is infinite: the state is inadmissible.
    Inadmissible,
}

impl Simulation {
    /// Continues with a copy of the positions and hands out the array that held them: a reader must not see it change.
    pub fn part_with_positions(&mut self) -> Vec<DVec3> {
        let copy = self.point.state.x.clone();
        std::mem::replace(&mut self.point.state.x, copy)
    }

    /// The same with the velocities.
    pub fn part_with_velocities(&mut self) -> Vec<DVec3> {
        let copy = self.point.state.v.clone();
        std::mem::replace(&mut self.point.state.v, copy)
    }

    /// Moves the end of the run, s; a step ends there exactly. Frames stay where they are, at k/fps, and the next one is the first after now.
    pub fn set_until(&mut self, until: f64) {
        self.frames.until = until;
        self.progress.next_frame = self.frames.after(self.point.state.time);
    }

    /// Sets all positions and velocities; pinned particles stay with their pins. As after any discontinuity, history is
    /// dropped and the controller restarts; sums continue, and the change of the energy is added to the ledger's start, so that the
    /// energy budget stays closed. Nothing changes if the run cannot continue from such a state.
    pub fn set_state(&mut self, x: Vec<DVec3>, v: Vec<DVec3>) -> Result<(), BadState> {
        let count = self.point.state.len();
        if x.len() != count || v.len() != count {
            return Err(BadState::Count(count));
        }
        if let Some(particle) = x.iter().zip(&v).position(|(x, v)| !(x.is_finite() && v.is_finite())) {
            return Err(BadState::NonFinite(particle));
        }
        let (point, progress) = (self.point.clone(), self.progress());
        let (before, tally, books) = (self.account.energy.total(), progress.tally, progress.ledger);
        let state = pliant_core::State { time: point.state.time, x, v };
        // the number of particles was checked above
        let _ = self.start_from(state, &progress.models);
        let forces = self.point.force.iter().position(|force| !force.is_finite());
        let energy = self.account.energy.total();
        let wrong = match forces {
            Some(particle) => Some(BadState::NonFinite(particle)),
            None => (!energy.is_finite()).then_some(BadState::Inadmissible),
        };
        if let Some(wrong) = wrong {
            self.restore(point, progress);
            return Err(wrong);
        }
        let work = self.progress.tally.work;
        self.progress.tally = tally;
        self.progress.tally.work += work;
        self.progress.ledger = Ledger { start: books.start + energy - before, ..books };
        Ok(())
    }
}
