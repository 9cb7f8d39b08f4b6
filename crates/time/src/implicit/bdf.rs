//! BDF2 and BDF3 with coefficients for the steps actually taken: the derivative at t1 of the polynomial through the new and the last k
//! states is set to the right-hand side, `Σ ℓ_i'(t1) y_i = y1'`, which for equal steps is the textbook formula (BDF3: 18/11, -9/11, 2/11,
//! 6/11). Steps may grow by 2.4 (BDF2) or 1.5 (BDF3) at most: BDF3 with ratio 2 is unstable. Where history is missing, or a step is
//! longer than that ratio allows, a lower order is used and finally TR-BDF2, which needs no history; one such step of order 2 costs
//! O(dt³) once and does not harm order 3.
//!
//! BDF3 makes *undamped* modes grow for ω dt below 1.936, by 4.6 % per step at 1.14: use it with damping.
//!
//! Truncation, with the same polynomial: `γ/(k+1) · Π (t1 - t_i) · |v[t1, …, t_{1-k}]|` (γ = 1/ℓ_0'; v[…] a divided difference of
//! velocities, since x' = v), for equal steps the textbook 2/9 dt³ x''' and 3/22 dt⁴ x''''.

use glam::DVec3;
use pliant_core::{Attempt, Memory, Point, StepFailure, System, Truncation, View};

use super::conserve::{Keep, gained_in_contact};
use super::stage::{End, Stage, Start};
use super::tr_bdf2::TrBdf2;
use crate::integrator::{Properties, Scheme, Stability, Step, Symplectic, shorter, start_force};

/// What BDF2 declares.
pub const BDF2: Properties = Properties {
    name: "bdf2",
    summary: "backward differentiation over 2 steps, converged; L-stable",
    order: 2,
    order_damped: 2,
    symplectic: Symplectic::No,
    stability: Stability::Always,
    evaluations: 1,
    solves: 1,
    max_ratio: 2.4,
    truncation_exponent: Some(3),
    ..Properties::PLAIN
};

/// What BDF3 declares.
pub const BDF3: Properties = Properties {
    name: "bdf3",
    summary: "backward differentiation over 3 steps, converged; needs damping",
    order: 3,
    order_damped: 3,
    stability: Stability::Above(1.936_49),
    max_ratio: 1.5,
    truncation_exponent: Some(4),
    restrains: false,
    projects_pressure: false,
    gains_in_contact: true,
    undamped: Some("makes undamped motion grow (by up to 4.6 % a step) where ω·dt is below 1.936"),
    ..BDF2
};

/// BDF2 and BDF3. Memory: `vectors` = x, v one step back, then two; `scalars` = length of the last step, then of the one before.
pub struct Bdf {
    order: usize,
    starter: TrBdf2,
    force: Vec<DVec3>,
}

impl Bdf {
    /// Order 2 or 3.
    pub fn new(order: usize, starter: TrBdf2) -> Self {
        debug_assert!(order == 2 || order == 3);
        Self { order, starter, force: Vec::new() }
    }

    /// The highest order that the history and the ratio of steps allow; 1 stands for TR-BDF2.
    fn usable_order(&self, memory: &Memory, dt: f64) -> usize {
        let last = memory.scalars.first().copied().unwrap_or(0.0);
        let ratio = dt / last * (1.0 - 1e-9);
        match self.order.min(1 + memory.scalars.len()) {
            3 if ratio <= BDF3.max_ratio => 3,
            2 | 3 if ratio <= BDF2.max_ratio => 2,
            _ => 1,
        }
    }

    fn remember(&self, from: &Point, dt: f64, to: &mut Memory) {
        let kept = (1 + from.memory.scalars.len()).min(self.order - 1);
        to.vectors.resize_with(2 * kept, Vec::new);
        to.scalars.resize(kept, 0.0);
        to.vectors[0].clone_from(&from.state.x);
        to.vectors[1].clone_from(&from.state.v);
        to.scalars[0] = dt;
        if kept == 2 {
            to.vectors[2].clone_from(&from.memory.vectors[0]);
            to.vectors[3].clone_from(&from.memory.vectors[1]);
            to.scalars[1] = from.memory.scalars[0];
        }
    }
}

/// Whether Newton's method starts from extrapolated velocities: where nothing can collide, and where something is in contact, whose forces the
/// linearized predictor would take for those of the whole step. Between contacts it is better: ropes without contact come to rest with it.
fn may_extrapolate(system: &mut System, start: &View) -> bool {
    let Some(contacts) = system.contact().forces_at_ends(start, start) else { return true };
    let in_contact = contacts.start.iter().any(|force| *force != DVec3::ZERO);
    system.contact().give_back(contacts);
    in_contact
}

/// Derivatives at time 0 of the Lagrange polynomials on the nodes 0, -s_1, -s_2, … (`back[i]` = s_i > 0).
fn weights<const K: usize>(back: [f64; K]) -> (f64, [f64; K]) {
    let mut own = 0.0;
    let mut others = [0.0; K];
    for i in 0..K {
        own += 1.0 / back[i];
        let mut value = -1.0 / back[i];
        for j in (0..K).filter(|j| *j != i) {
            value *= back[j] / (back[j] - back[i]);
        }
        others[i] = value;
    }
    (own, others)
}

impl Scheme for Bdf {
    fn properties(&self) -> &'static Properties {
        if self.order == 3 { &BDF3 } else { &BDF2 }
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        let mut order = self.usable_order(&from.memory, dt);
        self.remember(from, dt, &mut to.memory);
        if order == 3 && self.starter.stage().turns_freely(system, &from.state.view(), dt)? {
            order = 2;
        }
        if order == 1 {
            return self.starter.step(Step { system, from, dt, demand, to, work });
        }
        let stage = self.starter.stage();
        stage.resize(system)?;
        // Only needed for a linearization about the start.
        let force = if system.is_linear() { &[] } else { start_force(system, from, &mut self.force, work) };
        let (x0, v0) = (&from.state.x, &from.state.v);
        let [x_1, v_1] = [&from.memory.vectors[0], &from.memory.vectors[1]];
        let s2 = dt + from.memory.scalars[0];
        // ŷ = -γ Σ w_i y_i. All weights sum to zero, so γ Σ w_i = -1 over the history: as differences from y0, a state at rest keeps its bits.
        let gamma;
        let mut expected = 0.0;
        if order == 2 {
            let (own, [_, w1]) = weights([dt, s2]);
            gamma = 1.0 / own;
            // v0 + (v0 - v_1) dt/h, as at a steady acceleration
            expected = dt / from.memory.scalars[0] / (gamma * w1);
            System::fill(&mut stage.x_hat, |i| x0[i] - (x_1[i] - x0[i]) * (gamma * w1));
            System::fill(&mut stage.v_hat, |i| v0[i] - (v_1[i] - v0[i]) * (gamma * w1));
        } else {
            let [x_2, v_2] = [&from.memory.vectors[2], &from.memory.vectors[3]];
            let (own, [_, w1, w2]) = weights([dt, s2, s2 + from.memory.scalars[1]]);
            gamma = 1.0 / own;
            let (c1, c2) = (gamma * w1, gamma * w2);
            System::fill(&mut stage.x_hat, |i| x0[i] - ((x_1[i] - x0[i]) * c1 + (x_2[i] - x0[i]) * c2));
            System::fill(&mut stage.v_hat, |i| v0[i] - ((v_1[i] - v0[i]) * c1 + (v_2[i] - v0[i]) * c2));
        }
        let start = Start { view: from.state.view(), force };
        let mut end = End { x: &mut to.state.x, v: &mut to.state.v, force: &mut to.force };
        let goal = Stage { gamma, time: to.state.time, accuracy: demand.accuracy, expected };
        if demand.accuracy > 0.0 && !system.is_linear() && may_extrapolate(system, &from.state.view()) {
            // The polynomial of the last velocities, which is off by as much as the estimate of the error below, times order + 1.
            let slope = |i: usize| (v0[i] - v_1[i]) / from.memory.scalars[0];
            if order == 2 {
                System::fill(end.v, |i| v0[i] + slope(i) * dt);
            } else {
                let (h1, h2, v_2) = (from.memory.scalars[0], from.memory.scalars[1], &from.memory.vectors[3]);
                let bend = |i: usize| (slope(i) - (v_1[i] - v_2[i]) / h2) / (h1 + h2);
                System::fill(end.v, |i| v0[i] + (slope(i) + bend(i) * s2) * dt);
            }
            stage.predicted(system, &start, goal, &mut end, work)?;
        } else {
            stage.converged(system, &start, goal, &mut end, work)?;
        }
        to.force_known = true;
        let how = (dt, Keep::All, demand.accuracy > 0.0);
        stage.conserve(system, (from, force), how, to, work)?;
        // Order 3 is not A-stable: it amplifies what swings against a barrier.
        if order == 3
            && demand.accuracy > 0.0
            && stage.is_in_contact()
            && gained_in_contact(system, from, force, to, dt)
        {
            return Err(StepFailure::Clipped { fraction: 0.5 });
        }
        let v1 = &to.state.v;
        let mut attempt = Attempt::default();
        if demand.estimate {
            let h1 = from.memory.scalars[0];
            let second = |i: usize| ((v1[i] - v0[i]) / dt - (v0[i] - v_1[i]) / h1) / s2;
            let error = if order == 2 {
                let scale = gamma / 3.0 * dt * s2;
                match system.contact().forces_at_ends(&from.state.view(), &to.state.view()) {
                    None => stage.filtered(system, &from.state.x, work, |i, _| second(i) * scale)?,
                    Some(contact) => {
                        // The same difference from the smooth forces: v[t1, t0, t-1] ≈ v''/2 ≈ (a1 - a0) / 2 dt.
                        let f1 = &to.force;
                        let smooth = |i: usize| (f1[i] - contact.end[i]) - (force[i] - contact.start[i]);
                        let error = |i: usize, weight: f64| shorter(second(i), smooth(i) * (0.5 * weight / dt)) * scale;
                        let error = stage.filtered(system, &from.state.x, work, error)?;
                        system.contact().give_back(contact);
                        error
                    }
                }
            } else {
                let (h2, v_2) = (from.memory.scalars[1], &from.memory.vectors[3]);
                let s3 = s2 + h2;
                let older = |i: usize| ((v0[i] - v_1[i]) / h1 - (v_1[i] - v_2[i]) / h2) / (h1 + h2);
                stage.filtered(system, &from.state.x, work, |i, _| {
                    (second(i) - older(i)) / s3 * (gamma / 4.0 * dt * s2 * s3)
                })?
            };
            attempt.truncation = Some(Truncation { error, exponent: order as f64 + 1.0 });
        }
        Ok(attempt)
    }
}

#[cfg(test)]
mod tests {
    use super::weights;

    #[test]
    fn equal_steps_give_the_textbook_formula() {
        let (own, others) = weights([1.0, 2.0, 3.0]);
        for (weight, textbook) in others.iter().zip([18.0 / 11.0, -9.0 / 11.0, 2.0 / 11.0]) {
            assert!((-weight / own - textbook).abs() < 1e-15);
        }
        assert!((1.0 / own - 6.0 / 11.0).abs() < 1e-15);
    }

    #[test]
    fn any_steps_differentiate_cubics_exactly() {
        let back = [0.3, 0.7, 1.9];
        let (own, others) = weights(back);
        let p = |t: f64| 2.0 - 3.0 * t + 0.5 * t * t - 1.5 * t * t * t;
        let derivative = own * p(0.0) + others.iter().zip(back).map(|(w, s)| w * p(-s)).sum::<f64>();
        assert!((derivative + 3.0).abs() < 1e-13);
    }
}
