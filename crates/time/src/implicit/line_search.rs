//! The line search of Newton's method: backtracking on the residual and on the merit function ½|v - v̂|²_M + E(x̂ + γ v) + γ Φ(v), whose gradient
//! is the residual when Φ is all of the damping. A correction that shrinks |R| is taken without asking. It is clipped to the collision-free
//! fraction.

use glam::DVec3;
use pliant_core::{System, View, Work};
use pliant_parallel::Partials;

use super::newton::CLEARANCE;
use super::restrained::{Correction, apply_correction, update_restrained_momenta};
use super::stage::{End, Stage, StageSolver, evaluate_turning, write_residual};

const MAX_HALVINGS: usize = 12;
/// Under restraint a correction is too long if the slope of the energy at its end exceeds this part of its initial descent. (This needs no
/// energies, which are sums over the whole system, and holds for damping, which has none.)
const MAX_SLOPE_RATIO: f64 = 0.7;
/// Smallest factor by which that shortens a correction.
const MIN_STEP_REDUCTION: f64 = 0.1;
/// Energies that differ by less than this part are the same.
const ROUNDING: f64 = 1e-14;

impl StageSolver {
    /// Line search: moves (x1, v1) along y, by less than the full correction where CCD limits it, or where both the residual and the energy would
    /// rise.
    pub(super) fn line_search(
        &mut self,
        system: &mut System,
        stage: Stage,
        residual: f64,
        end: &mut End,
        work: &mut Work,
    ) -> Searched {
        let Stage { gamma, time, .. } = stage;
        let has_contact = system.has_contact();
        let (strict, is_in_contact) = (self.strict, self.is_in_contact());
        let Self { trial_x, trial_v, trial_force, right, y, d, e, tangents, x_hat, v_hat, partials, .. } = self;
        let by = Correction { dv: y, du: if self.is_reduced { d } else { y } };
        let mut energy_before = None;
        // Negative directional derivative of the merit function. In contact it takes the place of the merit function itself: most of the damping
        // has no potential there, and a search by energy stalls.
        let fall = (self.is_reduced || stage.is_rough() && is_in_contact).then(|| partials.dot(right, by.du));
        let v1 = &*end.v;
        let mut trial_residual = residual;
        let (mut scale, mut clipped) = (1.0, false);
        for halving in 0..if strict { 3 * MAX_HALVINGS } else { MAX_HALVINGS } {
            apply_correction(system, v1, &by, scale, trial_v);
            system.drift(trial_x, x_hat, gamma, trial_v);
            system.apply_pins(time, trial_x, trial_v);
            if has_contact && halving == 0 {
                let from = View { time, x: end.x, v: v1 };
                let free_step = system.contact().collision_free_step(&from, &View { time, x: trial_x, v: trial_v });
                if !free_step.is_full() {
                    (scale, clipped) = (CLEARANCE * free_step.fraction, true);
                    apply_correction(system, v1, &by, scale, trial_v);
                    system.drift(trial_x, x_hat, gamma, trial_v);
                    system.apply_pins(time, trial_x, trial_v);
                }
            }
            evaluate_turning(
                system,
                time,
                (&trial_x[..], &trial_v[..]),
                (&tangents[..], &mut e[..]),
                trial_force,
                work,
            );
            update_restrained_momenta(system, gamma, v_hat, trial_force, trial_v);
            trial_residual = write_residual(system, gamma, v_hat, trial_v, trial_force, right, partials);
            if trial_residual < residual && !strict {
                break;
            }
            if let Some(fall) = fall.filter(|_| !strict && trial_residual.is_finite()) {
                let left = partials.dot(right, by.du);
                if left >= -MAX_SLOPE_RATIO * fall {
                    break;
                }
                scale *= (fall / (fall - left)).clamp(MIN_STEP_REDUCTION, 0.5);
                continue;
            }
            if trial_residual.is_finite() {
                let before =
                    *energy_before.get_or_insert_with(|| stage_energy(system, stage, end.x, v1, v_hat, partials));
                let after = stage_energy(system, stage, trial_x, trial_v, v_hat, partials);
                let is_equal = (after - before).abs() <= ROUNDING * before.abs();
                if after < before && !(strict && is_equal) || is_equal && trial_residual < residual {
                    break;
                }
            }
            scale *= 0.5;
        }
        end.x.copy_from_slice(trial_x);
        end.v.copy_from_slice(trial_v);
        end.force.copy_from_slice(trial_force);
        Searched { residual: trial_residual, clipped, is_whole: scale == 1.0 }
    }
}

/// Outcome of a line search.
pub(super) struct Searched {
    /// |R|² at its end.
    pub residual: f64,
    /// Whether CCD shortened the step.
    pub clipped: bool,
    /// Whether the full correction was applied.
    pub is_whole: bool,
}

/// The merit function ½ |v - v̂|²_M + E(x) + γ Φ(v); the residual is its gradient by v.
fn stage_energy(
    system: &mut System,
    Stage { gamma, time, .. }: Stage,
    x: &[DVec3],
    v: &[DVec3],
    v_hat: &[DVec3],
    partials: &mut Partials,
) -> f64 {
    let (masses, free) = (system.masses(), system.free());
    let plain = |i: usize| 0.5 * masses[i] * (v[i] - v_hat[i]).length_squared();
    let inertia = match system.restraint() {
        None => partials.sum(v.len(), |range| range.map(|i| if free[i] { plain(i) } else { 0.0 }).sum()),
        Some(restraint) => {
            let restrained = |i: usize| masses[i] * restraint.inertia(i, v[i], v_hat[i]);
            partials.sum(v.len(), |range| range.map(|i| if free[i] { restrained(i) } else { 0.0 }).sum())
        }
    };
    let view = View { time, x, v };
    inertia + system.energies().potential(&view) + gamma * system.energies().dissipation(&view)
}

#[cfg(test)]
mod tests {
    use glam::DMat3;
    use pliant_core::restraint::{Criterion, Limits, Restraint};

    use super::*;

    /// By effective velocities, without forces: minus the residual, `M (v - v̂)`.
    #[test]
    fn the_gradient_of_the_merit_function_is_the_residual() {
        const GAMMA: f64 = 0.1;
        // restrained, in transition, free
        let v = [DVec3::new(0.1, -0.2, 0.2), DVec3::new(0.4, 0.6, -0.3), DVec3::new(1.0, 2.0, 0.5)];
        let v_hat = [DVec3::new(0.5, 0.1, 0.0), DVec3::new(-0.2, 0.3, 0.4), DVec3::new(0.8, 1.5, 1.0)];
        let limits = vec![Limits::new(Criterion::Convex, 0.4, 1.3, 0.0); v.len()];
        for restraint in [None, Some(Restraint::new(Criterion::Convex, limits, f64::INFINITY))] {
            let mut system = System::new(vec![0.7, 2.0, 5.0], vec![], vec![], vec![]).unwrap();
            system.set_restraint(restraint.clone());
            let (mut partials, mut right, still) = (Partials::default(), [DVec3::ZERO; 3], [DVec3::ZERO; 3]);
            write_residual(&system, GAMMA, &v_hat, &v, &still, &mut right, &mut partials);
            let stage = Stage { gamma: GAMMA, time: 0.0, accuracy: 0.0, expected: 0.0 };
            let mut merit = |v: &[DVec3]| stage_energy(&mut system, stage, &still, v, &v_hat, &mut partials);
            let h = 1e-5;
            for i in 0..v.len() {
                let slope =
                    restraint.as_ref().and_then(|restraint| restraint.slope(i, v[i])).unwrap_or(DMat3::IDENTITY);
                for axis in DVec3::AXES {
                    let (mut up, mut down) = (v, v);
                    (up[i], down[i]) = (v[i] + axis * h, v[i] - axis * h);
                    let found = (merit(&up) - merit(&down)) / (2.0 * h);
                    let expected = -(slope * right[i]).dot(axis);
                    assert!((found - expected).abs() < 1e-8, "particle {i}: {found} for {expected}");
                }
            }
        }
    }
}
