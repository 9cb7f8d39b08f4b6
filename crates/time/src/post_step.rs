//! Post-step corrections after [Ropes] section 5: positions are projected onto the constraints of stiff springs, then
//! the collision response acts, and its forces are fed back to the next step. Both are enabled by name; without them a step is the
//! integrator's alone.
//!
//! - **Projection**: some sweeps over lengths and volumes ([`pliant_core::constraint`]), then `v += Δx/dt`. Momentum is kept to rounding, angular
//!   momentum up to `Σ m Δx × v`, of second order in the step. Energy is not: what each step gains or loses is booked under `projection`.
//!   Projected springs hardly stretch any more, so that they no longer limit stability, but their waves are lost as well: this
//!   is a visual effect, not a material.
//! - **Response**: velocities at which no contact pair approaches. With **feedback**, `Δf = m (v₁ - v)/dt` acts as a constant force through the
//!   next step; the paper omits m. An impulse is then applied twice, as a velocity and as a force: a stopped particle bounces back.
//!
//! They act on the end of an attempt, before contact, guards and the controller examine it: a rejected step leaves no trace,
//! and the fed-back force is part of the `Point`, so that a restart has it. Estimates of the integrator's error are of its own part of the
//! step. Departure from the paper: its response moves positions too; here contact is a barrier that no step may pass, so there is nothing to move.

use glam::DVec3;
use pliant_core::ledger::Corrections;
use pliant_core::{Point, System};

use crate::error::Incompatible;
use crate::integrator::Properties;

/// Position-based projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Sweeps per step.
    pub iterations: u32,
    /// Part of each correction that is applied, in (0, 1].
    pub part: f64,
}

/// The collision response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// Whether its forces act through the next step.
    pub feedback: bool,
}

/// The corrections that follow the integration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PostStepSpec {
    /// `None`: springs keep their stiffness.
    pub projection: Option<Projection>,
    /// `None`: contact is a force like others.
    pub response: Option<Response>,
}

impl PostStepSpec {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether they work with an integrator; if not, why.
    pub fn works_with(&self, integrator: &Properties) -> Result<(), Incompatible> {
        if self.is_none() || integrator.max_ratio.is_infinite() {
            return Ok(());
        }
        Err(Incompatible::BreaksHistory { integrator: integrator.name })
    }

    fn feeds_back(&self) -> bool {
        self.response.is_some_and(|response| response.feedback)
    }
}

/// The corrections with their scratch.
#[derive(Debug, Default)]
pub(crate) struct PostStep {
    pub spec: PostStepSpec,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
}

impl PostStep {
    /// Corrects the end of a step that began at `from`. Returns the change of the energy, J, if it is requested.
    pub fn correct(
        &mut self,
        system: &mut System,
        from: &Point,
        dt: f64,
        to: &mut Point,
        track_energy: bool,
    ) -> Corrections {
        let mut corrections = Corrections::default();
        if self.spec.is_none() {
            return corrections;
        }
        if track_energy {
            // the fed-back force acted along the path of the integrator
            let path = from.state.x.iter().zip(&to.state.x);
            corrections.contact = system.fed_back().iter().zip(path).map(|(f, (from, to))| f.dot(*to - *from)).sum();
        }
        let energy = |system: &mut System, to: &Point| {
            if track_energy {
                system.energies().potential(&to.state.view()) + system.energies().kinetic(&to.state.v)
            } else {
                0.0
            }
        };
        let before = energy(system, to);
        if let Some(Projection { iterations, part }) = self.spec.projection {
            self.x.clone_from(&to.state.x);
            system.constraints().project(iterations, part, &mut self.x);
            let (old, rate) = (&mut to.state.x, dt.recip());
            for ((x, v), new) in old.iter_mut().zip(&mut to.state.v).zip(&self.x) {
                *v += (*new - *x) * rate;
                *x = *new;
            }
        }
        let projected = energy(system, to);
        corrections.projection = projected - before;
        if self.spec.response.is_some() {
            self.v.resize(to.state.len(), DVec3::ZERO);
            system.contact().respond(&to.state.view(), &mut self.v);
            self.write_feedback(system, dt, to);
            std::mem::swap(&mut to.state.v, &mut self.v);
            corrections.contact += energy(system, to) - projected;
        }
        to.force_known = false;
        corrections
    }

    /// `Δf = m (v₁ - v)/dt`, as the point's memory: schemes that work with corrections have none of their own.
    fn write_feedback(&self, system: &System, dt: f64, to: &mut Point) {
        if !self.spec.feeds_back() {
            return;
        }
        to.memory.vectors.resize_with(1, Vec::new);
        let forces = &mut to.memory.vectors[0];
        forces.clear();
        let change = self.v.iter().zip(&to.state.v);
        forces.extend(change.zip(system.masses()).map(|((new, old), mass)| (*new - *old) * (mass / dt)));
    }

    /// Passes the fed-back force of the point to the next step.
    pub fn feed_back(&self, system: &mut System, point: &Point) {
        if self.spec.feeds_back() {
            system.feed_back(point.memory.vectors.first().map_or(&[], |forces| forces));
        }
    }
}
