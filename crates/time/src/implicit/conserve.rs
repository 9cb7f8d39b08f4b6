//! Conservation in steps of freely rotating bodies. Internal forces exert no torque on a body, so its angular momentum changes by the external
//! torque alone; and where no external force does work, its energy does not grow. A scheme conserves neither exactly: at the steps that a tolerance
//! of millimetres allows, its local error of angular momentum is a part of a per cent in each of a hundred steps.
//!
//! After the stages of a step the rigid part of v1 is therefore set so that `L1 = L0 + dt/2 (τ0 + τ1)` (for schemes that damp rotation by themselves
//! only where |L1| would be larger). Energy beyond that of the start is removed from velocities that strain the body, and then by a rotation of the
//! body about `ω × L`, the one direction in which the rotational energy changes at a given L. Both corrections are of the size of the step's own
//! local error, so that orders are preserved. Energy that cannot be removed shortens the step.

use glam::DVec3;
use pliant_core::{Point, StepFailure, System, Work};
use pliant_parallel::for_each_chunk;

use super::free_flight::MIN_ROTATION;
use super::rigid::turned;
use super::stage::{StageSolver, evaluate};

/// Energy that a step in contact may gain, as a part of the kinetic energy, and of the work of moving pins, which is known only as well as the
/// trapezoidal rule knows it.
const MAX_GAIN_IN_CONTACT: f64 = 1e-3;
const PIN_WORK_UNCERTAINTY: f64 = 0.1;
/// Rotational energy that a step may gain, as a part of it, per radian: a thousandth in sixteen turns.
const MAX_ENERGY_GAIN: f64 = 1e-5;
/// The same for a step that is accepted although not all of it could be removed.
const MAX_ENERGY_GAIN_AT_LIMIT: f64 = 2e-5;
/// Largest part of an angular momentum that a step changes where no external torque acts.
const MAX_ANGULAR_MOMENTUM_DRIFT: f64 = 1e-6;
/// Part of all forces below which their sum is rounding: the momentum of a linearized step has then lost digits to stiff forces, and is set to
/// that of the start.
const FORCE_SUM_ROUNDING: f64 = 1e-11;
/// Energies that differ by less than this part are equal.
const ROUNDING: f64 = 1e-13;
/// Largest part of its angular momentum that a body may gain or lose in a step for corrections to apply,
const MAX_ANGULAR_MOMENTUM_CHANGE: f64 = 0.2;
/// and the largest rotation of the correction, as a part of the angle of the step.
const MAX_TURN: f64 = 0.1;

/// How angular momentum is conserved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Fully.
    All,
    /// The scheme's damping is kept; a gain is removed.
    NoGain,
}

/// Angular momenta of bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Momenta {
    wanted: Vec<DVec3>,
    change: Vec<DVec3>,
    drifts: Vec<DVec3>,
}

impl StageSolver {
    /// Corrects the end of a step of length dt from `from`, where the force is `force`. The force at the end must be known, and is updated. The
    /// velocities before the correction are left in `trial_v`; `false` where they are unchanged.
    pub(super) fn conserve(
        &mut self,
        system: &mut System,
        (from, force): (&Point, &[DVec3]),
        (dt, keep, may_fail): (f64, Keep, bool),
        to: &mut Point,
        work: &mut Work,
    ) -> Result<bool, StepFailure> {
        if self.rigid.is_empty() || system.is_linear() || system.breaks() || !self.flies_throughout(system, from, to) {
            return Ok(false);
        }
        let masses = system.masses();
        let x0 = &from.state.x;
        // from the motion found last, that of the start
        let (spin_energy, angle) = (self.rigid.spin_energy(), self.rigid.fastest_spin() * dt);
        let Momenta { wanted, change, drifts } = &mut self.momenta;
        self.rigid.write_angular_momenta(wanted);
        self.rigid.write_drifts(drifts);
        self.rigid.find(masses, x0, |i| force[i] * (0.5 * dt));
        self.rigid.write_angular_momenta(change);
        let mut pushed = self.rigid.momentum();
        let mut gives = self.rigid.power_of(wanted);
        let end = &to.force;
        self.rigid.find(masses, &to.state.x, |i| end[i] * (0.5 * dt));
        self.rigid.add_angular_momenta(change);
        pushed += self.rigid.momentum();
        gives += self.rigid.power_of(wanted);
        let all = |i: usize| 0.5 * dt * (force[i].length() + end[i].length());
        let is_pushed = pushed > FORCE_SUM_ROUNDING * self.partials.sum(end.len(), |range| range.map(all).sum());
        self.trial_v.copy_from_slice(&to.state.v);
        let v1 = &to.state.v;
        self.rigid.find(masses, &to.state.x, |i| v1[i] * masses[i]);
        if !is_pushed {
            self.rigid.drift_by(drifts);
            let rigid = &self.rigid;
            to.state.v.iter_mut().enumerate().for_each(|(i, v)| *v += rigid.drift(i));
        }
        if angle <= MIN_ROTATION {
            return Ok(!is_pushed);
        }
        // some bodies may not rotate at all
        let most = wanted.iter().map(|momentum| momentum.length()).fold(0.0, f64::max);
        let turned_by = change.iter().map(|change| change.length()).fold(0.0, f64::max);
        if turned_by > MAX_ANGULAR_MOMENTUM_CHANGE * most {
            return Ok(false);
        }
        // External forces that do work on rotating bodies, such as wind or drag, change their momentum or exert torques.
        let is_closed = !is_pushed || turned_by <= MAX_ANGULAR_MOMENTUM_DRIFT * most;
        let given = if turned_by <= MAX_ANGULAR_MOMENTUM_DRIFT * most { 0.0 } else { gives.max(0.0) };
        wanted.iter_mut().zip(&*change).for_each(|(wanted, change)| *wanted += *change);

        let v1 = &to.state.v;
        self.rigid.find(masses, &to.state.x, |i| v1[i] * masses[i]);
        self.rigid.write_angular_momenta(change);
        let mut is_small = true;
        for (has, wanted) in change.iter().zip(&mut *wanted) {
            let gains = has.length_squared() > wanted.length_squared();
            if keep == Keep::NoGain {
                *wanted = if gains { *has * (wanted.length() / has.length()) } else { *has };
            }
            is_small &= (*wanted - *has).length() <= MAX_ANGULAR_MOMENTUM_CHANGE * most;
        }
        // A body that hardly rotates any more keeps what the step gives it; its energy is bounded all the same.
        if is_small {
            self.set_angular_momenta(masses, &to.state.x, &mut to.state.v);
        }

        let before = energy(system, from);
        let slack = given + MAX_ENERGY_GAIN * angle * spin_energy + ROUNDING * before.abs();
        let mut excess = energy(system, to) - before - slack;
        let mut is_turned = false;
        if excess > 0.0 && is_closed {
            excess -= self.take_from_strains(system, excess, to);
            if excess > 0.0 {
                is_turned = self.take_by_turning(system, excess, MAX_TURN * angle, to);
                let left = energy(system, to) - before - slack;
                if may_fail && left > MAX_ENERGY_GAIN_AT_LIMIT * angle * spin_energy {
                    return Err(StepFailure::Clipped { fraction: 0.5 });
                }
            }
        }
        if is_turned || system.depends_on_velocity() {
            let (state, force) = (&to.state, &mut to.force);
            evaluate(system, state.time, &state.x, &state.v, force, work);
        }
        Ok(true)
    }

    /// Whether all particles belong to bodies without contact at either end. Leaves the motion at the start.
    fn flies_throughout(&mut self, system: &mut System, from: &Point, to: &Point) -> bool {
        let v = &from.state.v;
        if system.active_set().has_restrained(v) || !to.force_known {
            return false;
        }
        self.rigid.release();
        if let Some(contacts) = system.contact().forces_at_ends(&from.state.view(), &to.state.view()) {
            let ends = contacts.start.iter().zip(&contacts.end).enumerate();
            let in_contact = ends.filter(|(_, (start, end))| **start != DVec3::ZERO || **end != DVec3::ZERO);
            in_contact.for_each(|(i, _)| self.rigid.mark_contact(i));
            system.contact().give_back(contacts);
        }
        if !self.rigid.is_free_flight() {
            return false;
        }
        let masses = system.masses();
        self.rigid.find(masses, &from.state.x, |i| v[i] * masses[i]);
        true
    }

    /// Adds the rigid velocities with which bodies have the required angular momenta.
    fn set_angular_momenta(&mut self, masses: &[f64], x: &[DVec3], v: &mut [DVec3]) {
        let Momenta { wanted, change, .. } = &mut self.momenta;
        let now = &*v;
        self.rigid.find(masses, x, |i| now[i] * masses[i]);
        self.rigid.write_angular_momenta(change);
        change.iter_mut().zip(&*wanted).for_each(|(change, wanted)| *change = *wanted - *change);
        self.rigid.spin_by(change);
        let rigid = &self.rigid;
        for_each_chunk(v, |start, chunk| {
            for (i, v) in (start..).zip(chunk) {
                *v += rigid.velocity(i, x[i]);
            }
        });
    }

    /// Reduces the velocities that strain bodies until they have lost an energy, J; returns the energy lost.
    fn take_from_strains(&mut self, system: &System, excess: f64, to: &mut Point) -> f64 {
        let (masses, x) = (system.masses(), &to.state.x);
        let v = &mut to.state.v;
        let now = &*v;
        self.rigid.find(masses, x, |i| now[i] * masses[i]);
        let rigid = &self.rigid;
        let of = |i: usize| 0.5 * masses[i] * (now[i] - rigid.velocity(i, x[i])).length_squared();
        let there_is = self.partials.sum(now.len(), |range| range.map(of).sum());
        let taken = excess.min(there_is);
        if taken > 0.0 {
            let left = (1.0 - taken / there_is).max(0.0).sqrt();
            for_each_chunk(v, |start, chunk| {
                for (i, v) in (start..).zip(chunk) {
                    let whole = rigid.velocity(i, x[i]);
                    *v = whole + (*v - whole) * left;
                }
            });
        }
        taken
    }

    /// Rotates bodies about ω × L so that their rotational energy decreases by `excess`, J, but by no more than an angle, rad.
    fn take_by_turning(&mut self, system: &System, excess: f64, most: f64, to: &mut Point) -> bool {
        let masses = system.masses();
        let (x, v) = (&mut to.state.x, &mut to.state.v);
        let now = &*v;
        self.rigid.find(masses, x, |i| now[i] * masses[i]);
        self.rigid.write_angular_momenta(&mut self.momenta.wanted);
        if !self.rigid.tilt(excess, most) {
            return false;
        }
        let rigid = &self.rigid;
        for_each_chunk(v, |start, chunk| {
            for (i, v) in (start..).zip(chunk) {
                *v += turned(rigid.spin(i), *v - rigid.drift(i));
            }
        });
        for_each_chunk(x, |start, chunk| {
            for (i, x) in (start..).zip(chunk) {
                *x += turned(rigid.spin(i), *x - rigid.middle(i));
            }
        });
        self.set_angular_momenta(masses, &to.state.x, &mut to.state.v);
        true
    }
}

fn energy(system: &mut System, at: &Point) -> f64 {
    system.energies().kinetic(&at.state.v) + system.energies().potential(&at.state.view())
}

/// Whether a step in contact gains energy that nothing gives: `force` is that at its start. Schemes that damp little amplify what swings against a
/// barrier. A shorter step gains less.
pub(super) fn gained_in_contact(system: &mut System, from: &Point, force: &[DVec3], to: &Point, dt: f64) -> bool {
    let kinetic = system.energies().kinetic(&to.state.v);
    let powers = [from, to]
        .map(|point| system.energies().powers_at(&point.state))
        .map(|p| p.viscous + p.loads + p.contact + p.colliders);
    let given = (0.5 * dt * (powers[0] + powers[1])).max(0.0);
    let pins = if system.has_moving_pins() { pin_work(system, from, force, to, dt) } else { 0.0 };
    let allowed = given + pins + PIN_WORK_UNCERTAINTY * pins.abs() + MAX_GAIN_IN_CONTACT * kinetic;
    energy(system, to) - energy(system, from) > allowed
}

/// Work of the reactions of pins, J.
fn pin_work(system: &System, from: &Point, force: &[DVec3], to: &Point, dt: f64) -> f64 {
    let (masses, free) = (system.masses(), system.free());
    let of_pin = |i: usize| {
        let (v0, v1) = (from.state.v[i], to.state.v[i]);
        let kinetic = 0.5 * masses[i] * (v1.length_squared() - v0.length_squared());
        kinetic - 0.5 * dt * (force[i].dot(v0) + to.force[i].dot(v1))
    };
    (0..free.len()).filter(|i| !free[*i]).map(of_pin).sum()
}
