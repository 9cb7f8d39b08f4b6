//! The contract of a force model. A model is one virtual call per evaluation; its inner loops are its own.

use glam::DVec3;
use pliant_linalg::block_csr::BlockCsr;
use pliant_linalg::pattern::{Pattern, PatternBuilder};

/// What a model is shown of a state; stages of an integrator copy nothing to make one.
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
    /// Energy of height.
    Gravity,
}

/// Which derivative of the force is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JacobianKind {
    /// The true derivative, possibly unsymmetric (damping along a turning spring) and indefinite (a compressed spring).
    Exact,
    /// Its symmetric part as far as the model keeps one: what conjugate gradients and Cholesky can take, possibly indefinite.
    Symmetric,
    /// Symmetric with `-∂f/∂x` and `-∂f/∂v` positive semi-definite: every linear system built from it can be solved.
    Psd,
}

/// Two value arrays on one pattern: a retry with another `dt` forms `M - dt² K - dt D` without assembling again.
#[derive(Clone, Debug)]
pub struct Jacobian {
    /// `K = ∂f/∂x`, N/m.
    pub stiffness: BlockCsr,
    /// `D = ∂f/∂v`, N s/m.
    pub damping: BlockCsr,
    /// Whether any model writes into `damping`; if not, its pass over memory is skipped.
    pub has_damping: bool,
}

/// Bounds of what one particle feels, summed over models because stiffness adds up: by Gershgorin's theorem `k/m` bounds ω² of the
/// whole system when every model adds the absolute row sum of its stiffness matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Absolute row sum of `∂f/∂x`, N/m.
    pub stiffness: f64,
    /// Absolute row sum of `∂f/∂v`, N s/m.
    pub damping: f64,
}

/// A force on some particles.
pub trait ForceModel: Send + Sync {
    /// Its name in the catalog.
    fn name(&self) -> &'static str;

    /// Potential energy in joules; `None` where the force has none, `+∞` where the state is inadmissible. What depends on velocity
    /// is not part of it.
    fn energy(&mut self, view: &View) -> Option<f64>;

    /// Where [`ForceModel::energy`] is booked.
    fn energy_kind(&self) -> EnergyKind {
        EnergyKind::Elastic
    }

    /// Power of the velocity-dependent part of the force in watts, never positive.
    fn viscous_power(&mut self, _view: &View) -> f64 {
        0.0
    }

    /// Adds the force at `view` to `out`, in newtons.
    fn add_force(&mut self, view: &View, out: &mut [DVec3]);

    /// Announces which particles feel each other.
    fn couple(&self, _pattern: &mut PatternBuilder) {}

    /// Called once with the finished pattern, so that positions of blocks can be looked up before the first step.
    fn bind(&mut self, _pattern: &Pattern) {}

    /// Adds `∂f/∂x` and `∂f/∂v` at `view`.
    fn add_jacobian(&mut self, _view: &View, _kind: JacobianKind, _out: &mut Jacobian) {}

    /// Whether the force depends on velocities. Several schemes save an evaluation, or keep their order, when nothing does.
    fn depends_on_velocity(&self) -> bool {
        false
    }

    /// Whether [`JacobianKind::Exact`] is symmetric.
    fn has_symmetric_jacobian(&self) -> bool {
        true
    }

    /// Whether the forces are between particles, so that they neither push nor turn the whole.
    fn is_internal(&self) -> bool {
        false
    }

    /// Adds bounds of stiffness and damping to every particle; `free` says which particles can move, because a spring to a pinned
    /// particle has no partner to swing against.
    fn add_rates(&self, _view: &View, _free: &[bool], _out: &mut [Rates]) {}

    /// The largest change of an element's length between two states in metres, where that means something.
    fn stretch(&self, _from: &View, _to: &View) -> Option<f64> {
        None
    }
}
