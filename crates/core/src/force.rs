//! The contract of a force model. A model is one virtual call per evaluation; its inner loops are its own.

use glam::{DMat3, DVec3};
use pliant_linalg::block_csr::BlockCsr;
use pliant_linalg::pattern::{Pattern, PatternBuilder};

use crate::attempt::StepFailure;
use crate::fields::Fields;
use crate::reach::Reach;
use crate::state::State;

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
    /// 1/γ where models that can are to add `K + D/γ` to `stiffness` and nothing to `damping`.
    pub merged: Option<f64>,
    /// The rows that are wanted, in order; the others hold nothing of use. Only where `is_partial`.
    pub rows: Vec<u32>,
    /// Whether not all rows are wanted: under restraint those of whoever stands still are not.
    pub is_partial: bool,
    /// What couples particles that met only lately (contact), sorted by row and column: it is not part of the pattern, which is laid
    /// out once.
    pub loose: Vec<LooseBlock>,
    /// Where the loose blocks belong, and which they are; and room for them in order.
    pub(crate) places: Vec<(u64, u32)>,
    pub(crate) ordered: Vec<LooseBlock>,
}

/// Two blocks outside the pattern. (No `Default`: that of a matrix is the identity.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LooseBlock {
    /// Block row.
    pub row: u32,
    /// Block column.
    pub column: u32,
    /// Of `∂f/∂x`.
    pub stiffness: DMat3,
    /// Of `∂f/∂v`.
    pub damping: DMat3,
}

impl Jacobian {
    /// Adds `K dx + D dv` to `out`.
    pub fn add_product(&self, dx: &[DVec3], dv: &[DVec3], out: &mut [DVec3]) {
        self.stiffness.multiply_add(1.0, dx, out);
        if self.has_damping {
            self.damping.multiply_add(1.0, dv, out);
        }
        self.add_loose_product(dx, dv, out);
    }

    /// The part of [`Jacobian::add_product`] that contact contributes.
    pub fn add_loose_product(&self, dx: &[DVec3], dv: &[DVec3], out: &mut [DVec3]) {
        for block in &self.loose {
            let column = block.column as usize;
            out[block.row as usize] += block.stiffness * dx[column] + block.damping * dv[column];
        }
    }

    /// Sorts the loose blocks and adds up those that share a place, in the order in which they came.
    pub(crate) fn tidy_loose(&mut self) {
        // Blocks are ten times as large as what says where they belong: that is sorted, and each block moves once.
        let place = |block: &LooseBlock| u64::from(block.row) << 32 | u64::from(block.column);
        self.places.clear();
        self.places.extend(self.loose.iter().zip(0..).map(|(block, k)| (place(block), k)));
        self.places.sort_unstable();
        self.ordered.clear();
        for &(at, k) in &self.places {
            let block = &self.loose[k as usize];
            match self.ordered.last_mut().filter(|last| place(last) == at) {
                Some(kept) => {
                    kept.stiffness += block.stiffness;
                    kept.damping += block.damping;
                }
                None => self.ordered.push(*block),
            }
        }
        std::mem::swap(&mut self.loose, &mut self.ordered);
    }
}

/// How far a motion may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeWay {
    /// Part of the way, in [0, 1]; 1: all of it.
    pub fraction: f64,
    /// A particle that is in the way.
    pub particle: usize,
}

impl FreeWay {
    /// Nothing is in the way.
    pub const CLEAR: FreeWay = FreeWay { fraction: 1.0, particle: 0 };

    /// Whether nothing is in the way.
    pub fn is_clear(&self) -> bool {
        self.fraction >= 1.0
    }
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

    /// The same in the mean of a straight way of `span` seconds that has this state as its middle.
    fn mean_viscous_power(&mut self, midway: &View, _span: f64) -> f64 {
        self.viscous_power(midway)
    }

    /// A potential Φ in watts with `f = -∂Φ/∂v` for the velocity-dependent force, as far as it has one: what Newton's method goes down.
    fn dissipation(&mut self, _view: &View) -> f64 {
        0.0
    }

    /// Power in watts that something outside the system brings in through this force: a moving collider, wind. For a potential that
    /// depends on time it is `∂E/∂t`.
    fn external_power(&mut self, _view: &View) -> f64 {
        0.0
    }

    /// Whether the books ask for powers at the ends of steps only, because looking at a state between them costs a search of neighbours or
    /// may find things in each other. Elsewhere they are asked for midway ([`crate::ledger`]).
    fn powers_at_ends(&self) -> bool {
        false
    }

    /// Tells from which state the next steps start, before any of them is attempted. A model may hold on to what it finds there until the
    /// next call: friction to how hard things press. Nothing else may be remembered. Whether the force at this very state may now be another
    /// one than before the call.
    fn begin_step(&mut self, _from: &View) -> bool {
        false
    }

    /// Forgets what earlier states left behind: the next [`ForceModel::begin_step`] is that of a new run.
    fn forget(&mut self) {}

    /// What a restart must know of earlier states, as plain numbers; empty where [`ForceModel::begin_step`] at the state itself tells all.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Takes back the first of these numbers as [`ForceModel::memory`] gave them, after [`ForceModel::begin_step`]; returns how many.
    fn restore(&mut self, _memory: &[f64]) -> usize {
        0
    }

    /// Whether between two calls of [`ForceModel::begin_step`] the force is affine in positions and velocities, with derivatives that
    /// change only when that call says so. What is added to it may depend on time. Newton's method then takes one step, and the
    /// matrix is kept.
    fn is_linear(&self) -> bool {
        false
    }

    /// Adds the force at `view` to `out`, in newtons.
    fn add_force(&mut self, view: &View, out: &mut [DVec3]);

    /// Tells on whom the force may differ from that of the last [`ForceModel::add_force`] or [`ForceModel::update_force`], if since then only
    /// those in `moved` have gone elsewhere or changed their velocities, and time and whatever the model holds on to may be others.
    fn reach(&mut self, _view: &View, _moved: &Reach, out: &mut Reach) {
        out.add_everybody();
    }

    /// Adds the force on those in `reached` alone, with the bits of [`ForceModel::add_force`]: all that any model's last call of
    /// [`ForceModel::reach`] told, in the order of particles. Never called of a model that tells of everybody.
    fn update_force(&mut self, _view: &View, _reached: &[u32], _out: &mut [DVec3]) {}

    /// Whether the force stays what it is as long as nobody moves, whatever the time is.
    fn is_steady(&self) -> bool {
        false
    }

    /// Announces which particles feel each other.
    fn couple(&self, _pattern: &mut PatternBuilder) {}

    /// Called once with the finished pattern, so that positions of blocks can be looked up before the first step.
    fn bind(&mut self, _pattern: &Pattern) {}

    /// Adds `∂f/∂x` and `∂f/∂v` at `view`; couplings that were not announced go to [`Jacobian::loose`].
    fn add_jacobian(&mut self, _view: &View, _kind: JacobianKind, _out: &mut Jacobian) {}

    /// Whether it heeds [`Jacobian::merged`].
    fn merges_damping(&self) -> bool {
        false
    }

    /// Whether the force depends on velocities. Several schemes save an evaluation, or keep their order, when nothing does.
    fn depends_on_velocity(&self) -> bool {
        false
    }

    /// Whether [`JacobianKind::Exact`] is symmetric.
    fn has_symmetric_jacobian(&self) -> bool {
        true
    }

    /// Whether these are forces of contact: switched on and off in an instant, they are left out of estimates of the time error, which
    /// suppose that forces are smooth; that nothing passes through is the matter of [`ForceModel::free_way`].
    fn is_contact(&self) -> bool {
        false
    }

    /// How much of the straight way between two states can be gone before something would pass through something else.
    fn free_way(&mut self, _from: &View, _to: &View) -> FreeWay {
        FreeWay::CLEAR
    }

    /// Whether the forces are between particles, so that they neither push nor turn the whole.
    fn is_internal(&self) -> bool {
        false
    }

    /// Adds bounds of stiffness and damping to every particle; `free` says which particles can move, because a spring to a pinned
    /// particle has no partner to swing against.
    fn add_rates(&mut self, _view: &View, _free: &[bool], _out: &mut [Rates]) {}

    /// The longest step in seconds, of which controllers that heed stability take their part: for limits that are no eigenvalues, such as that
    /// of Courant. `force` is the total force at `view`, N, or empty where it is not known.
    fn step_limit(&mut self, _view: &View, _force: &[DVec3], _inverse_masses: &[f64]) -> f64 {
        f64::INFINITY
    }

    /// Whether [`ForceModel::step_limit`] is all there is to heed, so that nobody needs to ask for [`ForceModel::add_rates`] at every step.
    fn limits_steps(&self) -> bool {
        false
    }

    /// One sweep of position-based projection, see [`crate::constraint`]: moves particles of `x` by `part` of what would meet its constraints,
    /// one after the other; `weights` are 1/m, zero where pinned.
    fn project(&self, _weights: &[f64], _part: f64, _x: &mut [DVec3]) {}

    /// The largest relative error of a constraint that [`ForceModel::project`] would meet; `None` where there is none.
    fn constraint_error(&self, _view: &View) -> Option<f64> {
        None
    }

    /// Changes velocities so that what touches at `view` does not approach: the response to collisions of an explicit step. `v` begins as
    /// the velocities of `view`; `weights` are 1/m, zero where pinned.
    fn respond(&mut self, _view: &View, _weights: &[f64], _v: &mut [DVec3]) {}

    /// Energy that has left the model since the run began because something in it broke, J: what [`ForceModel::energy`] fell by in calls of
    /// [`ForceModel::begin_step`].
    fn released(&self) -> f64 {
        0.0
    }

    /// The longest step that may follow the last call of [`ForceModel::begin_step`], s: shorter where something has just broken, which no estimate
    /// of the error sees.
    fn longest_next_step(&self) -> f64 {
        f64::INFINITY
    }

    /// Whether it has anything to [`ForceModel::renew`].
    fn renews(&self) -> bool {
        false
    }

    /// Called where a step has ended and where a run begins: holds particles (`free` false: they then go on with the velocity that they have),
    /// lets them go, or puts them elsewhere, as outlets and sources do. What it does to its own particles at a state is done when it is called
    /// there again. Whether anybody was put elsewhere.
    fn renew(&mut self, _state: &mut State, _free: &mut [bool]) -> bool {
        false
    }

    /// Whether it keeps something incompressible by [`ForceModel::confine`] instead of by a force. Only schemes that ask for it can have such a model.
    fn confines(&self) -> bool {
        false
    }

    /// Changes the velocities `v` with which a step of length `dt` is about to leave the positions of `view`, so that nothing is compressed where
    /// it ends; `view` has the velocities at the start, `weights` are 1/m, zero where pinned. How many iterations that took.
    fn confine(&mut self, _view: &View, _dt: f64, _weights: &[f64], _v: &mut [DVec3]) -> Result<u64, StepFailure> {
        Ok(0)
    }

    /// The largest change of an element's length between two states in metres, where that means something.
    fn stretch(&self, _from: &View, _to: &View) -> Option<f64> {
        None
    }

    /// Writes what it knows of its particles at `view` and files of frames are to show. The same fields at every state, and without a trace
    /// in any force.
    fn write_fields(&mut self, _view: &View, _out: &mut Fields) {}
}
