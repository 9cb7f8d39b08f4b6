//! A run whose steps have become so short that it would never end stops early, and says where and why.

use pliant_scalar::shown::{metres, seconds};

use super::{RunError, Simulation};
use crate::pace::{Cause, Pace, StepLimit, WINDOW};

impl Simulation {
    /// Sets how many steps the run may take at its present pace; it stops when they would be more. `None`: any number.
    pub fn limit_steps(&mut self, limit: Option<StepLimit>) {
        self.step_limit = limit;
    }

    /// Judges the pace after every few steps.
    pub(super) fn judge_pace(&mut self) -> Result<(), RunError> {
        let Pace { since, steps, causes } = self.progress.pace;
        if steps < WINDOW {
            return Ok(());
        }
        let (now, limit) = (self.point.state.time, self.step_limit.map(|limit| limit.of(&self.frames)));
        let (gone, left) = (now - since, self.frames.until - now);
        let forecast = left / gone * steps as f64;
        let Some(limit) = limit.filter(|limit| forecast > *limit) else {
            self.progress.pace = Pace::starting_at(now);
            return Ok(());
        };
        let (cause, particle) = causes.main(steps);
        let particle = particle.unwrap_or_else(|| self.system.bounds().stiffest_particle(&self.point.state.view()));
        Err(self.give_up(format!(
            "it crawls: the last {steps} steps took it {} further, so that the {} left would take {forecast:.1e} more \
             (`time.control.max_steps` is {limit:.1e}); {}, {}; {}",
            seconds(gone),
            seconds(left),
            what(cause),
            self.place(particle),
            remedy(cause)
        )))
    }

    /// `at particle 3 of "cloth" at (0 m, 1 m, 2 mm)`.
    fn place(&self, particle: usize) -> String {
        let body = self.system.bodies().iter().find(|body| body.particles.contains(&particle));
        let of = body.map(|body| format!("{} of \"{}\"", particle - body.particles.start, body.name));
        // a checkpoint may be forged
        let at = self.point.state.x.get(particle).copied().unwrap_or_default();
        let [x, y, z] = at.to_array().map(metres);
        format!("at particle {} at ({x}, {y}, {z})", of.unwrap_or_else(|| particle.to_string()))
    }
}

fn what(cause: Cause) -> &'static str {
    match cause {
        Cause::Tolerance => "longer steps exceed the tolerance",
        Cause::Limit => "longer steps are not stable, or exceed the limit of the controller",
        Cause::Given => "the given step is so short",
        Cause::Collision => "in longer steps something would pass through something",
        Cause::Newton => "in longer steps Newton's method does not converge",
        Cause::Solve => "in longer steps the equations cannot be solved",
        Cause::NotFinite => "longer steps lead to infinite numbers",
    }
}

fn remedy(cause: Cause) -> &'static str {
    match cause {
        Cause::Tolerance => {
            "look there for an element that is inverted, far too stiff or far too light, for a sudden motion, or take a larger tolerance \
             (time.control.tolerance)"
        }
        Cause::Limit => {
            "make what is there heavier, softer or coarser, or take an implicit integrator with a tolerance (time.integrator = \"bdf2\", \
             time.control.kind = \"force-error\")"
        }
        Cause::Given => "take a longer step (time.control.dt)",
        Cause::Collision => {
            "let colliders and pins move more slowly, start bodies farther apart, or look there for something that is trapped"
        }
        Cause::Newton | Cause::Solve | Cause::NotFinite => {
            "look there for an element that is inverted, has the wrong corners, or is far stiffer or lighter than its neighbours"
        }
    }
}
