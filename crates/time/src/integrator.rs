//! The contract of a time integrator and the operations common to all of them.

use glam::DVec3;
use pliant_core::{Attempt, ErrorAt, Point, StepFailure, System, Truncation, View, Work};
use pliant_parallel::for_each_chunk;

/// Whether a scheme preserves phase-space area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symplectic {
    /// For every force that has a potential.
    Yes,
    /// Only for forces linear in position.
    OnlyLinear,
    /// Not.
    No,
}

/// For which `z = ω dt` an undamped oscillator does not grow.
#[derive(Clone, Copy, Debug)]
pub enum Stability {
    /// For none; the growth per step as a function of z.
    Never(fn(f64) -> f64),
    /// Up to this z.
    UpTo(f64),
    /// Above this z only.
    Above(f64),
    /// For all.
    Always,
}

/// Declared properties of a scheme. The law tests measure every one of them.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// Catalog name.
    pub name: &'static str,
    /// One line for display.
    pub summary: &'static str,
    /// Order of accuracy for forces that depend on position only.
    pub order: u32,
    /// Order for forces that depend on velocity too.
    pub order_damped: u32,
    /// Area preservation.
    pub symplectic: Symplectic,
    /// Stability on oscillators.
    pub stability: Stability,
    /// Force evaluations per step (without velocity-dependent forces, end force reused; Newton schemes: at least).
    pub evaluations: u32,
    /// Linear solves per step (Newton schemes: at least).
    pub solves: u32,
    /// Largest ratio of successive steps.
    pub max_ratio: f64,
    /// Whether it predicts the end force from a linearization, so that its error can be measured [Adaptive].
    pub predicts_force: bool,
    /// Power of `dt` of its truncation estimate, if it has one, for forces that depend on position only.
    pub truncation_exponent: Option<u32>,
    /// Whether it supports systems under restraint ([`System::restraint`]).
    pub restrains: bool,
    /// Whether it projects the velocities of incompressible fluids ([`Integrator::is_incompressible`]).
    pub projects_pressure: bool,
    /// Whether it is stable on linear problems, but gains energy in the strongly curved potential of a stiff contact.
    pub gains_in_contact: bool,
    /// Its unwanted effect on undamped motion, if any: a verb and the rest of a sentence.
    pub undamped: Option<&'static str>,
    /// Set for variants kept only to study a misprint; says why.
    pub study: Option<&'static str>,
}

impl Properties {
    /// Explicit, of order 1, without an estimate of its error: a scheme names what differs.
    pub const PLAIN: Properties = Properties {
        name: "",
        summary: "",
        order: 1,
        order_damped: 1,
        symplectic: Symplectic::No,
        stability: Stability::UpTo(0.0),
        evaluations: 1,
        solves: 0,
        max_ratio: f64::INFINITY,
        predicts_force: false,
        truncation_exponent: None,
        restrains: false,
        projects_pressure: false,
        gains_in_contact: false,
        undamped: None,
        study: None,
    };

    /// Whether it solves linear systems.
    pub fn is_implicit(&self) -> bool {
        self.solves > 0
    }
}

/// What the controller requests from an attempt besides the step itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// Also compute error estimates that have a cost.
    pub estimate: bool,
    /// Accuracy to which implicit equations are solved, m; 0: to rounding.
    pub accuracy: f64,
}

impl Demand {
    /// All estimates, everything solved to rounding.
    pub const EXACT: Demand = Demand { estimate: true, accuracy: 0.0 };
}

/// Attempts single steps. Holds only scratch: all state that must survive a step is in the `Point`.
pub trait Integrator: Send {
    /// Its properties.
    fn properties(&self) -> &'static Properties;

    /// Attempts a step of length `dt`, reading `from` and writing all of `to`. Its cost is added to `work`, whether or not it
    /// completes. The same arguments give the same bits.
    fn attempt(
        &mut self,
        system: &mut System,
        from: &Point,
        dt: f64,
        demand: Demand,
        to: &mut Point,
        work: &mut Work,
    ) -> Result<Attempt, StepFailure>;

    /// Whether it calls [`System::project_velocities`] for incompressible fluids.
    fn is_incompressible(&self) -> bool {
        self.properties().projects_pressure
    }

    /// Announces that x or v of `point` were changed from outside: the force there is unknown and history is invalid.
    fn discontinuity(&mut self, point: &mut Point) {
        point.force_known = false;
        point.memory.clear();
    }
}

/// What an attempt gets: the arguments of [`Integrator::attempt`].
pub(crate) struct Step<'a> {
    pub system: &'a mut System,
    pub from: &'a Point,
    pub dt: f64,
    pub demand: Demand,
    pub to: &'a mut Point,
    pub work: &'a mut Work,
}

/// An integrator of the catalog. Vectors of `to` have their size and its time is that of the end.
pub(crate) trait Scheme: Send {
    /// See [`Integrator::properties`].
    fn properties(&self) -> &'static Properties;

    /// See [`Integrator::attempt`].
    fn step(&mut self, step: Step) -> Result<Attempt, StepFailure>;
}

impl<S: Scheme> Integrator for S {
    fn properties(&self) -> &'static Properties {
        Scheme::properties(self)
    }

    fn attempt(
        &mut self,
        system: &mut System,
        from: &Point,
        dt: f64,
        demand: Demand,
        to: &mut Point,
        work: &mut Work,
    ) -> Result<Attempt, StepFailure> {
        let count = from.state.len();
        to.state.x.resize(count, DVec3::ZERO);
        to.state.v.resize(count, DVec3::ZERO);
        to.force.resize(count, DVec3::ZERO);
        to.state.time = from.state.time + dt;
        to.force_known = false;
        self.step(Step { system, from, dt, demand, to, work })
    }
}

/// `out = v + dt · F/m`; pinned particles keep their velocity.
pub(crate) fn kick(out: &mut [DVec3], v: &[DVec3], dt: f64, force: &[DVec3], inverse_masses: &[f64]) {
    for_each_chunk(out, |start, chunk| {
        for (i, out) in (start..).zip(chunk) {
            *out = v[i] + force[i] * (dt * inverse_masses[i]);
        }
    });
}

/// `v += dt · F/m`.
pub(crate) fn kick_by(v: &mut [DVec3], dt: f64, force: &[DVec3], inverse_masses: &[f64]) {
    for_each_chunk(v, |start, chunk| {
        for (i, v) in (start..).zip(chunk) {
            *v += force[i] * (dt * inverse_masses[i]);
        }
    });
}

/// `out = x + dt · v`.
pub(crate) fn drift(out: &mut [DVec3], x: &[DVec3], dt: f64, v: &[DVec3]) {
    for_each_chunk(out, |start, chunk| {
        for (i, out) in (start..).zip(chunk) {
            *out = x[i] + v[i] * dt;
        }
    });
}

/// `x += dt · v`.
pub(crate) fn drift_by(x: &mut [DVec3], dt: f64, v: &[DVec3]) {
    for_each_chunk(x, |start, chunk| {
        for (i, x) in (start..).zip(chunk) {
            *x += v[i] * dt;
        }
    });
}

/// Places pins for a stage and evaluates the force there.
pub(crate) fn stage_force(
    system: &mut System,
    time: f64,
    x: &mut [DVec3],
    v: &mut [DVec3],
    out: &mut [DVec3],
    work: &mut Work,
) {
    system.apply_pins(time, x, v);
    work.force_evaluations += 1;
    system.forces(&View { time, x, v }, out);
}

/// The force at the start of a step: the one that the point carries, or a fresh evaluation into `buffer`.
pub(crate) fn start_force<'a>(
    system: &mut System,
    from: &'a Point,
    buffer: &'a mut Vec<DVec3>,
    work: &mut Work,
) -> &'a [DVec3] {
    if from.force_known {
        return &from.force;
    }
    buffer.resize(from.state.len(), DVec3::ZERO);
    work.force_evaluations += 1;
    system.forces(&from.state.view(), buffer);
    buffer
}

/// Evaluates the force at the end of a step.
pub(crate) fn end_force(system: &mut System, to: &mut Point, work: &mut Work) {
    work.force_evaluations += 1;
    system.forces(&to.state.view(), &mut to.force);
    to.force_known = true;
}

/// Places pins at the end of the step.
pub(crate) fn end_pins(system: &System, to: &mut Point) {
    system.apply_pins(to.state.time, &mut to.state.x, &mut to.state.v);
}

/// Truncation from the change of velocity, `factor · dt · |v1 - v0|`: shrinks like dt².
pub(crate) fn velocity_jump(system: &mut System, from: &Point, to: &Point, dt: f64, factor: f64) -> Option<Truncation> {
    let moving = |system: &mut System, error: ErrorOf| system.active_set_mut().max_over_moving(&to.state.v, error);
    let error = with_velocity_jump(system, from, to, dt, factor, moving);
    Some(Truncation { error, exponent: 2.0 })
}

/// Truncation from the change of acceleration, `factor · dt² · |a1 - a0|`: shrinks like dt³.
pub(crate) fn acceleration_jump(
    system: &mut System,
    from: &Point,
    start: &[DVec3],
    to: &Point,
    dt: f64,
    factor: f64,
) -> Option<Truncation> {
    let measure = |system: &mut System, error: ErrorOf| system.active_set_mut().max_over_moving(&to.state.v, error);
    let error = with_acceleration_jump(system, from, start, to, dt, factor, measure);
    Some(Truncation { error, exponent: 3.0 })
}

/// An error vector of a particle, from its number and 1/m.
pub(crate) type ErrorOf<'a> = &'a (dyn Fn(usize, f64) -> DVec3 + Sync);

/// Calls `measure` with the error vectors `factor · dt · (v1 - v0)`.
///
/// Contact changes velocities abruptly, however short the step: where it acts, the change by the other forces is used if
/// it is smaller.
pub(crate) fn with_velocity_jump<R>(
    system: &mut System,
    from: &Point,
    to: &Point,
    dt: f64,
    factor: f64,
    measure: impl FnOnce(&mut System, ErrorOf) -> R,
) -> R {
    let (v0, v1) = (&from.state.v, &to.state.v);
    let Some(contact) = system.contact().forces_at_ends(&from.state.view(), &to.state.view()) else {
        return measure(system, &|i, _| (v1[i] - v0[i]) * (factor * dt));
    };
    let pushed = |i: usize, weight: f64| (contact.start[i] + contact.end[i]) * (0.5 * dt * weight);
    let jump = |i: usize, weight: f64| shorter(v1[i] - v0[i], v1[i] - v0[i] - pushed(i, weight));
    let result = measure(system, &|i, weight| jump(i, weight) * (factor * dt));
    system.contact().give_back(contact);
    result
}

/// Calls `measure` with the error vectors `factor · dt² · (a1 - a0)`. For contact see [`with_velocity_jump`].
pub(crate) fn with_acceleration_jump<R>(
    system: &mut System,
    from: &Point,
    start: &[DVec3],
    to: &Point,
    dt: f64,
    factor: f64,
    measure: impl FnOnce(&mut System, ErrorOf) -> R,
) -> R {
    let (scale, end) = (factor * dt * dt, &to.force);
    let Some(contact) = system.contact().forces_at_ends(&from.state.view(), &to.state.view()) else {
        return measure(system, &|i, inverse_mass| (end[i] - start[i]) * (scale * inverse_mass));
    };
    let jump = |i: usize| {
        let all = end[i] - start[i];
        shorter(all, all - (contact.end[i] - contact.start[i]))
    };
    let result = measure(system, &|i, inverse_mass| jump(i) * (scale * inverse_mass));
    system.contact().give_back(contact);
    result
}

/// The largest `error(i, 1/m)`; where the contact force was mispredicted, the error without it if that is smaller.
pub(crate) fn without_contact(
    system: &mut System,
    misfit: Option<&[DVec3]>,
    scale: f64,
    error: impl Fn(usize, f64) -> DVec3 + Sync,
) -> ErrorAt {
    match misfit {
        None => system.max_over_free(error),
        Some(misfit) => system.max_over_free(|i, weight| {
            let all = error(i, weight);
            shorter(all, all - misfit[i] * (scale * weight))
        }),
    }
}

/// The shorter of two vectors.
pub(crate) fn shorter(a: DVec3, b: DVec3) -> DVec3 {
    if a.length_squared() <= b.length_squared() { a } else { b }
}

/// `scale · |M⁻¹ (F1 - F0)|`.
pub(crate) fn force_difference(system: &mut System, start: &[DVec3], end: &[DVec3], scale: f64) -> ErrorAt {
    system.max_over_free(|i, inverse_mass| (end[i] - start[i]) * (scale * inverse_mass))
}
