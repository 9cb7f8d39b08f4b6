//! Claimed derivatives against central differences along a direction, at two widths.
//!
//! The difference quotient `[g(s) - g(-s)] / 2s` has an error of s²/6 g''' plus rounding of about `ε |g| / s`. Where g''' is not zero
//! the error at half the width is a quarter; where g is at most quadratic along the direction only rounding is left.

use glam::{DMat3, DVec3};
use pliant_core::{Jacobian, JacobianKind, State, System};

use crate::random::Random;

/// A claimed derivative along a direction and its difference quotients.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Largest component of the claim.
    pub size: f64,
    /// Largest difference between claim and quotient at the full and at half the width.
    pub errors: [f64; 2],
    /// Rounding error of each of them.
    pub rounding: [f64; 2],
}

impl Comparison {
    /// Power of the width with which the error shrinks; NaN where all of it is rounding.
    pub fn slope(&self) -> f64 {
        if self.errors[0] <= 100.0 * self.rounding[0] { f64::NAN } else { (self.errors[0] / self.errors[1]).log2() }
    }
}

/// Errors shrink with the square of the width, or are rounding: of the largest number that cancels, a few hundred ε over the width.
///
/// # Panics
/// If they do neither.
pub fn small(what: &str, comparison: Comparison) {
    let slope = comparison.slope();
    let right = slope.is_nan() && comparison.errors[1] <= 100.0 * comparison.rounding[1] || (slope - 2.0).abs() < 0.15;
    assert!(right, "{what}: {comparison:?}, slope {slope}");
}

/// Forces that have a potential are minus its derivative along some direction; gives the largest of them, N.
///
/// # Panics
/// If they are not.
pub fn follows_from_energy(what: &str, system: &mut System, state: &State, width: f64) -> f64 {
    let direction = Random(7).vectors(state.len());
    small(what, force_against_energy(system, state, &direction, width));
    force(system, state).iter().map(|f| f.length()).fold(0.0, f64::max)
}

/// Jacobians are the derivatives of the force by positions and by velocities along some direction.
///
/// # Panics
/// If they are not.
pub fn jacobians_follow_from_force(what: &str, system: &mut System, state: &State, width: f64) {
    let direction = Random(8).vectors(state.len());
    small(&format!("{what}: df/dx"), jacobian_against_force(system, state, &direction, width, false));
    small(&format!("{what}: df/dv"), jacobian_against_force(system, state, &direction, width, true));
}

/// Operations with rounding errors that may add up in one component of a force of the small catalog examples.
const OPERATIONS: f64 = 32.0;

fn compare<const K: usize>(
    width: f64,
    claim: &[[f64; K]],
    scale: f64,
    mut quotient: impl FnMut(f64) -> Vec<[f64; K]>,
) -> Comparison {
    let size = claim.iter().flatten().fold(0.0, |m, c| f64::max(m, c.abs()));
    let widths = [width, 0.5 * width];
    let errors = widths.map(|width| {
        let measured = quotient(width);
        let pairs = claim.iter().flatten().zip(measured.iter().flatten());
        pairs.fold(0.0, |m, (claim, measured)| f64::max(m, (claim - measured).abs()))
    });
    Comparison { size, errors, rounding: widths.map(|width| OPERATIONS * f64::EPSILON * scale / width) }
}

/// `x + s d`, or the same in velocities.
fn moved(state: &State, s: f64, direction: &[DVec3], velocities: bool) -> State {
    let mut state = state.clone();
    let values = if velocities { &mut state.v } else { &mut state.x };
    for (value, d) in values.iter_mut().zip(direction) {
        *value += *d * s;
    }
    state
}

/// The force at a state.
pub fn force(system: &mut System, state: &State) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; system.len()];
    system.forces(&state.view(), &mut out);
    out
}

/// The derivatives at a state.
pub fn jacobian(system: &mut System, state: &State, kind: JacobianKind) -> Jacobian {
    let mut out = system.matrices().new_jacobian();
    system.assemble(&state.view(), kind, &mut out);
    out
}

fn largest(values: &[DVec3]) -> f64 {
    values.iter().map(|v| v.length()).fold(0.0, f64::max)
}

/// `f·d` against `-(E(x + s d) - E(x - s d)) / 2s` with all velocities zero.
pub fn force_against_energy(system: &mut System, state: &State, direction: &[DVec3], width: f64) -> Comparison {
    let state = State { v: vec![DVec3::ZERO; state.len()], ..state.clone() };
    let force = force(system, &state);
    let claim = force.iter().zip(direction).map(|(f, d)| f.dot(*d)).sum::<f64>();
    let terms: f64 = force.iter().zip(&state.x).map(|(f, x)| f.length() * x.length()).sum();
    let scale = system.energies().potential(&state.view()).abs() + terms;
    compare(width, &[[claim]], scale, |s| {
        let up = system.energies().potential(&moved(&state, s, direction, false).view());
        let down = system.energies().potential(&moved(&state, -s, direction, false).view());
        vec![[-(up - down) / (2.0 * s)]]
    })
}

/// `K d` (or `D d`) against the difference of forces.
pub fn jacobian_against_force(
    system: &mut System,
    state: &State,
    direction: &[DVec3],
    width: f64,
    velocities: bool,
) -> Comparison {
    let jacobian = jacobian(system, state, JacobianKind::Exact);
    let mut claim = vec![DVec3::ZERO; state.len()];
    let still = vec![DVec3::ZERO; state.len()];
    let (dx, dv) = if velocities { (&*still, direction) } else { (direction, &*still) };
    jacobian.add_product(dx, dv, &mut claim);
    let claim: Vec<[f64; 3]> = claim.iter().map(|c| c.to_array()).collect();
    // A spring's force is k (|l| - L): its rounding is that of k |x|, however small the force.
    fn norm<'a>(blocks: impl Iterator<Item = &'a DMat3>) -> f64 {
        blocks.flat_map(|b| b.to_cols_array()).fold(0.0, |m, value| f64::max(m, value.abs()))
    }
    let stiffness = jacobian.stiffness.values.iter().chain(jacobian.contact_blocks.iter().map(|b| &b.stiffness));
    let damping = jacobian.damping.values.iter().chain(jacobian.contact_blocks.iter().map(|b| &b.damping));
    let scale =
        largest(&force(system, state)) + norm(stiffness) * largest(&state.x) + norm(damping) * largest(&state.v);
    compare(width, &claim, scale, |s| {
        let up = force(system, &moved(state, s, direction, velocities));
        let down = force(system, &moved(state, -s, direction, velocities));
        up.iter().zip(&down).map(|(up, down)| ((*up - *down) / (2.0 * s)).to_array()).collect()
    })
}
