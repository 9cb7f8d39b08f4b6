//! The contract of a force model. A model is one virtual call per evaluation; its inner loops are its own. What only some models can do
//! is a trait of its own in [`crate::capability`], which a model offers by its `as_` method.

use glam::DVec3;
use pliant_linalg::pattern::{Pattern, PatternBuilder};

use crate::capability::{
    CollisionModel, Constrained, Dissipative, Emitter, Incremental, Observable, PressureProjection, Stateful,
    StepLimited, Stretchable,
};
use crate::jacobian::{Jacobian, JacobianKind};

/// The part of a state that a model receives; stages of an integrator copy nothing to make one.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Time, s.
    pub time: f64,
    /// Positions, m.
    pub x: &'a [DVec3],
    /// Velocities, m/s.
    pub v: &'a [DVec3],
}

/// Which entry of the energy ledger a model's potential belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnergyKind {
    /// Energy of deformation.
    Elastic,
    /// Potential energy of height.
    Gravity,
}

/// Bounds per particle, summed over models because stiffness adds up: by Gershgorin's theorem `k/m` bounds ω² of the
/// whole system when every model adds the absolute row sum of its stiffness matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Absolute row sum of `∂f/∂x`, N/m.
    pub stiffness: f64,
    /// Absolute row sum of `∂f/∂v`, N s/m.
    pub damping: f64,
}

impl Rates {
    /// A bound of |λ| for a particle with this inverse mass, 1/s: see `Bounds::frequency_bound`.
    pub(crate) fn frequency(&self, inverse_mass: f64) -> f64 {
        let (omega2, d) = (self.stiffness * inverse_mass, self.damping * inverse_mass);
        0.5 * (d + (d * d + 4.0 * omega2).sqrt())
    }
}

/// Properties of a model that hold at every state. [`ForceProperties::default`]: a constant-in-time, undamped, nonlinear external force with a
/// symmetric derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceProperties {
    /// Where [`ForceModel::energy`] is booked.
    pub energy_kind: EnergyKind,
    /// Between two calls of [`Stateful::begin_step`] the force is affine in positions and velocities, with derivatives that change only when
    /// that call reports it. The constant part may depend on time. Newton's method then takes one step, and the matrix is kept.
    pub is_linear: bool,
    /// The force depends on time only through the motion of particles.
    pub is_steady: bool,
    /// The force depends on velocities. Several schemes save an evaluation, or keep their order, when no force does.
    pub depends_on_velocity: bool,
    /// [`JacobianKind::Exact`] is symmetric.
    pub has_symmetric_jacobian: bool,
    /// The model heeds [`Jacobian::merged`].
    pub merges_damping: bool,
    /// The forces are internal: they exert no net force and no net torque.
    pub is_internal: bool,
    /// A contact force. It switches on and off abruptly, so it is left out of estimates of the time error, which assume smooth forces.
    /// Non-penetration is ensured by [`CollisionModel::collision_free_step`].
    pub is_contact: bool,
    /// The energy budget evaluates powers at the ends of steps only, because a state between them costs a neighbour search or may be
    /// inadmissible. Otherwise powers are evaluated midway ([`crate::ledger`]).
    pub powers_at_ends: bool,
    /// Something in the model breaks by strain, so that strain errors count in full: they are not filtered out of estimates, and velocities are not
    /// corrected after a step.
    pub breaks: bool,
    /// [`StepLimited::step_limit`] is the only limit, so that [`ForceModel::add_rates`] is not needed at every step.
    pub limits_steps: bool,
}

impl Default for ForceProperties {
    fn default() -> Self {
        Self {
            energy_kind: EnergyKind::Elastic,
            is_linear: false,
            is_steady: false,
            depends_on_velocity: false,
            has_symmetric_jacobian: true,
            merges_damping: false,
            is_internal: false,
            is_contact: false,
            powers_at_ends: false,
            breaks: false,
            limits_steps: false,
        }
    }
}

/// A force on some particles: what every model implements. The `as_` methods offer capabilities that only some have.
pub trait ForceModel: Send + Sync {
    /// Its name in the catalog.
    fn name(&self) -> &'static str;

    /// Properties that hold at every state.
    fn properties(&self) -> ForceProperties {
        ForceProperties::default()
    }

    /// Potential energy in joules; `None` where the force has none, `+∞` where the state is inadmissible. Velocity-dependent forces are not
    /// part of it.
    fn energy(&mut self, view: &View) -> Option<f64>;

    /// Adds the force at `view` to `out`, in newtons.
    fn add_force(&mut self, view: &View, out: &mut [DVec3]);

    /// Announces which pairs of particles are coupled.
    fn couple(&self, _pattern: &mut PatternBuilder) {}

    /// Called once with the finished pattern, so that positions of blocks can be looked up before the first step.
    fn bind(&mut self, _pattern: &Pattern) {}

    /// Adds `∂f/∂x` and `∂f/∂v` at `view`; couplings that were not announced go to [`Jacobian::contact_blocks`].
    fn add_jacobian(&mut self, _view: &View, _kind: JacobianKind, _out: &mut Jacobian) {}

    /// Adds bounds of stiffness and damping to every particle; `free` marks the particles that can move, because a spring to a pinned
    /// particle has no partner to oscillate against.
    fn add_rates(&mut self, _view: &View, _free: &[bool], _out: &mut [Rates]) {}

    /// Forces without a potential, and their power.
    fn as_dissipative(&mut self) -> Option<&mut dyn Dissipative> {
        None
    }

    /// Forces that are evaluated again only where particles changed.
    fn as_incremental(&mut self) -> Option<&mut dyn Incremental> {
        None
    }

    /// State that a model keeps from step to step.
    fn as_stateful(&self) -> Option<&dyn Stateful> {
        None
    }

    /// The same, mutable.
    fn as_stateful_mut(&mut self) -> Option<&mut dyn Stateful> {
        None
    }

    /// Surfaces that must not pass through each other.
    fn as_collision(&mut self) -> Option<&mut dyn CollisionModel> {
        None
    }

    /// Whether it keeps something incompressible by [`PressureProjection::project_velocities`].
    fn is_incompressible(&self) -> bool {
        false
    }

    /// A pressure projection instead of a force. Only schemes that ask for it can have such a model.
    fn as_incompressible(&mut self) -> Option<&mut dyn PressureProjection> {
        None
    }

    /// Whether it has sources or outlets.
    fn has_emitters(&self) -> bool {
        false
    }

    /// Sources and outlets.
    fn as_emitter(&mut self) -> Option<&mut dyn Emitter> {
        None
    }

    /// Constraints for position-based projection.
    fn as_constrained(&self) -> Option<&dyn Constrained> {
        None
    }

    /// Limits of explicit steps other than eigenvalues.
    fn as_step_limited(&mut self) -> Option<&mut dyn StepLimited> {
        None
    }

    /// Fields written to frame files.
    fn as_observable(&mut self) -> Option<&mut dyn Observable> {
        None
    }

    /// Elements with a length.
    fn as_stretchable(&self) -> Option<&dyn Stretchable> {
        None
    }
}
