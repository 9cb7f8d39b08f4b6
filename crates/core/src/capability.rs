//! What only some force models can do, each as a small trait. A model offers one by the `as_` method of [`crate::ForceModel`] of its name.

use glam::DVec3;

use crate::attempt::StepFailure;
use crate::dirty_set::DirtySet;
use crate::fields::Fields;
use crate::force::View;
use crate::state::State;

/// Forces without a potential: damping, friction, moving colliders, wind.
pub trait Dissipative {
    /// Power of the velocity-dependent part of the force in watts, never positive.
    fn viscous_power(&mut self, _view: &View) -> f64 {
        0.0
    }

    /// The same in the mean of a straight path of `span` seconds that has this state as its midpoint.
    fn mean_viscous_power(&mut self, midway: &View, _span: f64) -> f64 {
        self.viscous_power(midway)
    }

    /// A potential Φ in watts with `f = -∂Φ/∂v` for the velocity-dependent force, as far as it has one: part of the merit function of the line
    /// search.
    fn dissipation(&mut self, _view: &View) -> f64 {
        0.0
    }

    /// Power in watts that something outside the system brings in through this force, other than colliders: wind, loads. For a potential that
    /// depends on time it is `∂E/∂t`.
    fn external_power(&mut self, _view: &View) -> f64 {
        0.0
    }

    /// Power in watts that moving colliders bring in through this force.
    fn collider_power(&mut self, _view: &View) -> f64 {
        0.0
    }
}

/// Evaluation in part: only forces whose surroundings changed since the last evaluation are computed again.
pub trait Incremental {
    /// Adds to `out` the particles on which the force may differ from that of the last [`crate::ForceModel::add_force`] or
    /// [`Incremental::update_force`], if since then only those in `moved` changed their positions or velocities; time and the state that the
    /// model keeps may have changed.
    fn mark_dirty(&mut self, view: &View, moved: &DirtySet, out: &mut DirtySet);

    /// Adds the force on the particles in `dirty` alone, with the bits of [`crate::ForceModel::add_force`]: all that any model's last call of
    /// [`Incremental::mark_dirty`] added, in the order of particles. Not called after a model has marked all particles.
    fn update_force(&mut self, view: &View, dirty: &[u32], out: &mut [DVec3]);
}

/// State that a model keeps from step to step.
pub trait Stateful {
    /// Announces the state from which the next steps start, before any of them is attempted. A model may keep what it finds there until the
    /// next call, for example contact forces for lagged friction. Nothing else may be remembered. Returns whether the force at this state may have
    /// changed by the call.
    fn begin_step(&mut self, from: &View) -> bool;

    /// Drops the history: the next [`Stateful::begin_step`] is that of a new run.
    fn reset(&mut self) {}

    /// History that a restart needs, as plain numbers; empty where [`Stateful::begin_step`] at the state itself is sufficient.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Restores the first of these numbers, as [`Stateful::memory`] returned them, after [`Stateful::begin_step`]; returns how many.
    fn restore(&mut self, _memory: &[f64]) -> usize {
        0
    }

    /// Energy lost by fracture since the run began, J: the decrease of [`crate::ForceModel::energy`] in calls of [`Stateful::begin_step`].
    fn released_energy(&self) -> f64 {
        0.0
    }

    /// The longest step that may follow the last call of [`Stateful::begin_step`], s: shorter right after fracture, which no error estimate
    /// detects.
    fn max_next_step(&self) -> f64 {
        f64::INFINITY
    }
}

/// The largest collision-free fraction of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionFreeStep {
    /// Fraction of the step, in [0, 1]; 1: the whole step.
    pub fraction: f64,
    /// A particle of the contact that limits it.
    pub particle: usize,
}

impl CollisionFreeStep {
    /// A step without collision.
    pub const FULL: CollisionFreeStep = CollisionFreeStep { fraction: 1.0, particle: 0 };

    /// Whether the whole step is collision-free.
    pub fn is_full(&self) -> bool {
        self.fraction >= 1.0
    }
}

/// Surfaces that must not pass through each other.
pub trait CollisionModel {
    /// The largest fraction of the straight path between two states before a surface would pass through another one (CCD).
    fn collision_free_step(&mut self, from: &View, to: &View) -> CollisionFreeStep;

    /// Changes velocities so that contact pairs at `view` do not approach: the collision response of an explicit step. `v` begins as
    /// the velocities of `view`; `weights` are 1/m, zero where pinned.
    fn respond(&mut self, _view: &View, _weights: &[f64], _v: &mut [DVec3]) {}

    /// How far friction at `view` is from what the last derivative predicted there.
    fn friction_residual(&mut self, _view: &View) -> FrictionResidual {
        FrictionResidual::default()
    }
}

/// Sums over all contacts with friction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionResidual {
    /// |force by the law - force by the linear model|, N.
    pub unresolved: f64,
    /// The largest friction force, N.
    pub limit: f64,
}

/// A pressure projection.
pub trait PressureProjection {
    /// Changes the velocities `v` with which a step of length `dt` is about to leave the positions of `view`, so that the fluid is not compressed at
    /// its end; `view` has the velocities at the start, `weights` are 1/m, zero where pinned. Returns the number of iterations.
    fn project_velocities(
        &mut self,
        view: &View,
        dt: f64,
        weights: &[f64],
        v: &mut [DVec3],
    ) -> Result<u64, StepFailure>;
}

/// Sources and outlets.
pub trait Emitter {
    /// Called at the end of a step and at the start of a run: holds particles (`free` false: they then keep their velocity), releases them, or
    /// moves them from outlets back to sources. A second call at the same state has no effect on this model's own particles. Returns whether any
    /// particle was moved.
    fn emit_and_recycle(&mut self, state: &mut State, free: &mut [bool]) -> bool;
}

/// Constraints for position-based projection, see [`crate::constraint`].
pub trait Constrained {
    /// One sweep: moves particles of `x` by `part` of the correction of each constraint, one after the other; `weights` are 1/m, zero where pinned.
    fn project(&self, weights: &[f64], part: f64, x: &mut [DVec3]);

    /// The largest relative error of a constraint of [`Constrained::project`]; `None` if there is none.
    fn constraint_error(&self, view: &View) -> Option<f64>;
}

/// Limits of explicit steps other than eigenvalues, such as the Courant condition.
pub trait StepLimited {
    /// The longest step in seconds, to which stability controllers apply their safety factor. `force` is the total force at `view`, N, or empty
    /// where it is not known.
    fn step_limit(&mut self, view: &View, force: &[DVec3], inverse_masses: &[f64]) -> f64;
}

/// Fields written to frame files.
pub trait Observable {
    /// Writes the model's fields of its particles at `view`. The same fields at every state, and without effect on any force.
    fn write_fields(&mut self, view: &View, out: &mut Fields);
}

/// Elements with a length.
pub trait Stretchable {
    /// The largest change of an element's length between two states in metres; `None` where it is undefined.
    fn stretch(&self, from: &View, to: &View) -> Option<f64>;
}

/// In an `impl ForceModel`: what the model can do, by the names of the capabilities, such as `capabilities!(dissipative, stateful);`.
#[macro_export]
macro_rules! capabilities {
    (@ dissipative) => {
        fn as_dissipative(&mut self) -> Option<&mut dyn $crate::Dissipative> {
            Some(self)
        }
    };
    (@ incremental) => {
        fn as_incremental(&mut self) -> Option<&mut dyn $crate::Incremental> {
            Some(self)
        }
    };
    (@ collision) => {
        fn as_collision(&mut self) -> Option<&mut dyn $crate::CollisionModel> {
            Some(self)
        }
    };
    (@ incompressible) => {
        fn as_incompressible(&mut self) -> Option<&mut dyn $crate::PressureProjection> {
            Some(self)
        }
    };
    (@ emitter) => {
        fn as_emitter(&mut self) -> Option<&mut dyn $crate::Emitter> {
            Some(self)
        }
    };
    (@ constrained) => {
        fn as_constrained(&self) -> Option<&dyn $crate::Constrained> {
            Some(self)
        }
    };
    (@ step_limited) => {
        fn as_step_limited(&mut self) -> Option<&mut dyn $crate::StepLimited> {
            Some(self)
        }
    };
    (@ observable) => {
        fn as_observable(&mut self) -> Option<&mut dyn $crate::Observable> {
            Some(self)
        }
    };
    (@ stretchable) => {
        fn as_stretchable(&self) -> Option<&dyn $crate::Stretchable> {
            Some(self)
        }
    };
    (@ stateful) => {
        fn as_stateful(&self) -> Option<&dyn $crate::Stateful> {
            Some(self)
        }

        fn as_stateful_mut(&mut self) -> Option<&mut dyn $crate::Stateful> {
            Some(self)
        }
    };
    ($($name:ident),+ $(,)?) => {
        $($crate::capabilities!(@ $name);)+
    };
}
