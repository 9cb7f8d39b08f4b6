//! Pressure solve of incompressible fluids: DFSPH [Dfsph], for steps that the speed of sound does not limit.
//!
//! A step starts at positions with compression s. Pressures q ≥ 0 act as `p/s²` does, `F_i = -Σ_l V_l q_l ∂s_l/∂x_i`, and are sought such that with
//! `v = v* + dt F/m` there is no compression at the end of the step, `s + dt ṡ(v) ≤ 1`. Before that the velocities at the start of the step are made
//! divergence-free, `ṡ ≤ 0` where the fluid is dense, which keeps the density solve short. Both are solved by projected Jacobi iterations
//!
//! `q ← max(0, y + 0.4 (c + dt ṡ)/(dt² V D))`, `D = w |∂s/∂x|² + Σ_j w_j |∂s/∂x_j|²`, `c = s - 1` or `min(0, s - 1)`,
//!
//! at points y that are extrapolated from the last two q [Nesterov], restarted where the objective increases [Restart]: a column of 40 layers takes
//! 20 iterations per step, where Jacobi's method alone takes 62. The row sums of the matrix are at most about twice its diagonal, so 0.4 converges.
//!
//! They end when the mean residual is below a bound: `|c + dt ṡ|` where a pressure acts and `max(0, c + dt ṡ)` where none does. Both signs count. A
//! pressure that is too high drives the fluid apart, which no later solve corrects, because fluids may expand. After the maximum number of
//! iterations it is enough that the residual is no larger than the initial compression. The warm start takes half of the pressures of the previous
//! step, as [Dfsph] does: the remaining error is then a pressure too low and not too high, and the next step, which sees it as compression, corrects
//! it. From the full pressures the error of a smooth mode stays just below the bound, adds up over the height, and water at rest bounces. F is that
//! of `neighbour_pass.rs`, so momentum is conserved, and `ṡ` is its transpose, so that pressures dissipate energy where the fluid is not yet
//! compressed, and add energy where they remove a compression. Walls, moving ones and sheets of particles act as they do elsewhere.
//!
//! Departure from the paper: both solves use the positions at which a step begins, the first on the velocities before forces acted. The order of
//! operations over many steps is the same.

use glam::DVec3;
use pliant_core::{StepFailure, View};
use pliant_parallel::{for_each_task, for_each_task2};

use super::boundary_index::BoundaryContact;
use super::lanes::{BLOCK, Vector4};
use super::model::Sph;
use super::pressure_pass::{Neighbours, Sum};
use super::settings::Incompressible;
use crate::vector::on_widest;

/// Relaxation factor of Jacobi's method.
const RELAXED: f64 = 0.4;
/// Factor on the pressures of the previous step in the warm start.
const WARM: f64 = 0.5;
/// Growth of the residual over its minimum at which the iteration counts as diverging.
const MAX_RESIDUAL_GROWTH: f64 = 2.0;
/// Fraction of the bound that a solve may use: ṡ is evaluated at the start of the step, and its change until the end adds to the error.
const BELOW: f64 = 0.75;
/// Minimum number of iterations.
const MIN_ITERATIONS: u64 = 1;

/// Work arrays, in the order of the lists.
#[derive(Clone, Debug, Default)]
pub(super) struct PressureSolve {
    /// Velocities without pressures, and 1/m.
    start: Vec<[Vector4; BLOCK]>,
    /// `q`, `1/(dt² V D)`, c, and the residual.
    rows: Vec<[Vector4; BLOCK]>,
    /// q of the previous iteration.
    last: Vec<[f64; BLOCK]>,
    /// `∂s/∂x` by walls, and `ṡ` by moving walls.
    walls: Vec<[Vector4; BLOCK]>,
    /// Pressures by particle, of the two solves: `known` are those at the start of the present step, `found` those it computed.
    pub known: [Vec<f64>; 2],
    pub found: [Vec<f64>; 2],
    /// Velocities of sheets without pressures, by node.
    sheet: Vec<DVec3>,
    /// Velocity change of sheet nodes under unit pressures, by particle.
    pushes: Vec<f64>,
    /// Velocity change by forces, by particle.
    change: Vec<DVec3>,
}

impl PressureSolve {
    /// Sets the previous iterate to the present one.
    fn begin(&mut self) {
        self.last.resize(self.rows.len(), [0.0; BLOCK]);
        for_each_task2(&mut self.last, &mut self.rows, |_, last, rows| {
            last.iter_mut().zip(rows).for_each(|(last, row)| *last = row.0[0]);
        });
    }

    /// Sets all pressures to zero.
    fn release(&mut self) {
        for_each_task2(&mut self.rows, &mut self.last, |_, rows, last| {
            rows.iter_mut().for_each(|row| row.0[0] = 0.0);
            last.fill(0.0);
        });
    }
}

/// The two solves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SolveKind {
    Divergence,
    Density,
}

impl Sph {
    /// See the file head.
    pub(super) fn solve_pressure(
        &mut self,
        view: &View,
        dt: f64,
        weights: &[f64],
        v: &mut [DVec3],
    ) -> Result<u64, StepFailure> {
        let Some(aim) = self.settings.incompressible else { return Ok(0) };
        let is_persistent = self.evaluate(view);
        let mut solve = std::mem::take(&mut self.solve);
        self.prepare(&mut solve, view, is_persistent, weights);
        // the divergence solve acts on the velocities before forces; the change by forces is added afterwards
        let mut change = std::mem::take(&mut solve.change);
        change.clear();
        change.extend(v.iter().zip(view.v).map(|(after, before)| *after - *before));
        v.copy_from_slice(view.v);
        let first = self.solve(SolveKind::Divergence, &aim, &mut solve, is_persistent, dt, weights, v);
        v.iter_mut().zip(&change).for_each(|(v, change)| *v += *change);
        let second = self.solve(SolveKind::Density, &aim, &mut solve, is_persistent, dt, weights, v);
        solve.change = change;
        // none of this enters the forces
        for_each_task(&mut self.inputs, |_, inputs| inputs.iter_mut().for_each(|input| input.velocity[3] = 0.0));
        self.solve = solve;
        let (first, second) = (first?, second?);
        Ok(first + second)
    }

    /// Computes the derivatives of s that do not depend on velocities.
    fn prepare(&mut self, solve: &mut PressureSolve, view: &View, is_persistent: bool, weights: &[f64]) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (blocks, order) = (lists.blocks.len(), &lists.order);
        for rows in [&mut solve.start, &mut solve.rows, &mut solve.walls] {
            rows.resize(blocks, [Vector4::default(); BLOCK]);
        }
        for known in solve.known.iter_mut().chain(&mut solve.found) {
            known.resize(self.constants.len(), 0.0);
        }
        let walls = solve.walls.as_flattened_mut();
        walls.fill(Vector4::default());
        let inputs = self.inputs.as_flattened();
        for block in &self.boundary.blocks {
            for near_boundary in &block.near_boundary {
                let k = lists.rank[near_boundary.particle as usize] as usize;
                let (Some(wall), Some(input)) = (walls.get_mut(k), inputs.get(k)) else { continue };
                for contact in block.boundary_contacts(near_boundary) {
                    let slope = contact.slope(near_boundary.scale, input.pair[0]);
                    for axis in 0..3 {
                        wall.0[axis] += slope * contact.normal[axis];
                    }
                    if !self.has_free_nodes(contact) {
                        let carried = self.boundary.velocity(view, contact, view.x[near_boundary.particle as usize]);
                        wall.0[3] -= slope * contact.normal.dot(carried);
                    }
                }
            }
        }
        for_each_task(&mut self.inputs, |b, inputs| {
            for (id, input) in order[(b * BLOCK).min(order.len())..].iter().zip(inputs) {
                input.velocity[3] = weights[*id as usize];
            }
        });
        let (near, scales, walls, common) = (&self.near, &self.walls, &solve.walls, &self.common);
        let (positions, inputs) = (self.positions.as_flattened(), self.inputs.as_flattened());
        let (kind, periodic, count) = (self.settings.kernel, self.is_periodic(), order.len());
        for_each_task2(&mut solve.rows, &mut solve.start, |b, rows, start| {
            let (first, near, scales, walls) = (b * BLOCK, &near[b], &scales[b], &walls[b]);
            let all = Neighbours { first, count, near, scales, walls, positions, inputs, common };
            on_widest(all.dispatched(kind, periodic, Sum::Diagonal { rows, start }));
        });
        self.brace(solve, is_persistent, weights);
    }

    /// Adds the row sum to the diagonal for contacts with sheets: a sheet node is coupled to many particles at once, more strongly than their
    /// diagonals account for.
    fn brace(&self, solve: &mut PressureSolve, is_persistent: bool, weights: &[f64]) {
        let (positions, pushes) = (self.positions.as_flattened(), &mut solve.pushes);
        pushes.clear();
        pushes.resize(self.constants.len(), 0.0);
        self.for_each_free_contact(is_persistent, |k, slope, contact, nodes| {
            for (node, share) in nodes.into_iter().zip(contact.weights) {
                pushes[node as usize] += positions[k].0[3] * slope.abs() * share * weights[node as usize];
            }
        });
        let rows = solve.rows.as_flattened_mut();
        self.for_each_free_contact(is_persistent, |k, slope, contact, nodes| {
            let shares = nodes.iter().zip(contact.weights).map(|(node, share)| share * pushes[*node as usize]);
            let row = &mut rows[k].0[1];
            *row = 1.0 / (1.0 / *row + slope.abs() * shares.sum::<f64>());
        });
    }

    fn has_free_nodes(&self, contact: &BoundaryContact) -> bool {
        contact.nodes.is_some_and(|nodes| self.boundary.is_particle(nodes[0]))
    }

    /// Iterates one solve; updates `v`.
    #[expect(clippy::too_many_arguments)]
    fn solve(
        &mut self,
        aim: SolveKind,
        wanted: &Incompressible,
        solve: &mut PressureSolve,
        is_persistent: bool,
        dt: f64,
        weights: &[f64],
        v: &mut [DVec3],
    ) -> Result<u64, StepFailure> {
        let which = usize::from(aim == SolveKind::Density);
        let count = if is_persistent { &self.persistent } else { &self.temporary }.order.len();
        self.start_solve(
            aim,
            &solve.known[which],
            solve.rows.as_mut_slice(),
            solve.start.as_mut_slice(),
            is_persistent,
            v,
        );
        solve.begin();
        solve.sheet.clear();
        solve.sheet.extend(self.boundary.sheet().iter().map(|node| v[*node as usize]));
        let (mut iterations, mut left, mut part, mut least) = (0, f64::INFINITY, RELAXED, f64::INFINITY);
        // iterations since the last restart of the extrapolation
        let mut age = 0.0;
        let mut pressed = solve.known[which].iter().any(|q| *q > 0.0);
        while iterations < wanted.most_iterations {
            if pressed {
                self.push_apart(solve, is_persistent, dt, weights, v);
            }
            left = self.rate(solve, is_persistent, dt, v) / count.max(1) as f64;
            if left.is_nan() {
                break;
            }
            if left <= BELOW * wanted.density_error && iterations >= MIN_ITERATIONS {
                self.finish(solve, which, is_persistent, v);
                return Ok(iterations);
            }
            // in dense clusters the row sums are larger: restart from zero with a smaller relaxation factor
            let diverges = left > MAX_RESIDUAL_GROWTH * least;
            if diverges {
                part *= 0.5;
            }
            least = if diverges { f64::INFINITY } else { least.min(left) };
            if diverges {
                solve.release();
                age = 0.0;
            } else {
                let uphill = self.correct(solve, count, part / (dt * dt), age / (age + 3.0));
                age = if uphill { 0.0 } else { age + 1.0 };
            }
            (pressed, iterations) = (true, iterations + 1);
        }
        // compression present before the step is not an error of this step, and a shorter step would not reduce it
        let rows = solve.rows.as_flattened();
        let before = self.partials.sum(count, |range| range.map(|k| rows[k].0[2].max(0.0)).sum());
        if left <= before / count.max(1) as f64 + wanted.density_error {
            self.finish(solve, which, is_persistent, v);
            return Ok(iterations);
        }
        Err(StepFailure::Compressed { iterations, left })
    }

    /// Computes the next pressures with an extrapolation factor; whether the restart criterion holds.
    fn correct(&mut self, solve: &mut PressureSolve, count: usize, part: f64, ahead: f64) -> bool {
        for_each_task2(&mut solve.rows, &mut solve.last, |_, rows, last| {
            for (row, last) in rows.iter_mut().zip(last) {
                let [q, per_diagonal, _, left] = row.0;
                let next = (q + part * left * per_diagonal).max(0.0);
                let change = next - *last;
                row.0[0] = (next + ahead * change).max(0.0);
                row.0[3] = if per_diagonal > 0.0 { (q - next) * change / per_diagonal } else { 0.0 };
                *last = next;
            }
        });
        let rows = solve.rows.as_flattened();
        self.partials.sum(count, |range| range.map(|k| rows[k].0[3]).sum()) > 0.0
    }

    /// Initializes the pressures (warm start), c, and the velocities.
    fn start_solve(
        &mut self,
        aim: SolveKind,
        known: &[f64],
        rows: &mut [[Vector4; BLOCK]],
        start: &mut [[Vector4; BLOCK]],
        is_persistent: bool,
        v: &[DVec3],
    ) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (order, inputs) = (&lists.order, &mut self.inputs);
        for_each_task2(inputs, rows, |b, inputs, rows| {
            for ((id, input), row) in order[(b * BLOCK).min(order.len())..].iter().zip(inputs).zip(rows) {
                let dense = input.pair[0] - 1.0;
                row.0[0] = WARM * known[*id as usize];
                row.0[2] = if aim == SolveKind::Density { dense } else { dense.min(0.0) };
                input.velocity[..3].copy_from_slice(&v[*id as usize].to_array());
            }
        });
        let inputs = &self.inputs;
        for_each_task(start, |b, start| {
            for (start, input) in start.iter_mut().zip(&inputs[b]) {
                start.0[..3].copy_from_slice(&input.velocity[..3]);
            }
        });
    }

    /// Computes the velocities with the present pressures.
    fn push_apart(
        &mut self,
        solve: &mut PressureSolve,
        is_persistent: bool,
        dt: f64,
        weights: &[f64],
        v: &mut [DVec3],
    ) {
        let (rows, scales, start, walls) = (&solve.rows, &self.walls, &solve.start, &solve.walls);
        for_each_task(&mut self.inputs, |b, inputs| {
            for ((input, row), scale) in inputs.iter_mut().zip(&rows[b]).zip(&scales[b]) {
                input.velocity[3] = scale.factor * row.0[0];
            }
        });
        self.push_pressures(is_persistent);
        let (forces, positions) = (&self.forces, &self.positions);
        for_each_task(&mut self.inputs, |b, inputs| {
            for (k, input) in inputs.iter_mut().enumerate() {
                let (start, force, wall) = (&start[b][k].0, &forces[b][k].0, &walls[b][k].0);
                let push = positions[b][k].0[3] * rows[b][k].0[0];
                for axis in 0..3 {
                    input.velocity[axis] = start[axis] + dt * start[3] * (force[axis] - push * wall[axis]);
                }
            }
        });
        if !self.boundary.has_sheets() {
            return;
        }
        for (node, start) in self.boundary.sheet().iter().zip(&solve.sheet) {
            v[*node as usize] = *start;
        }
        let (rows, positions) = (solve.rows.as_flattened(), self.positions.as_flattened());
        self.for_each_free_contact(is_persistent, |k, slope, contact, nodes| {
            let push = contact.normal * (dt * positions[k].0[3] * rows[k].0[0] * slope);
            for (node, share) in nodes.into_iter().zip(contact.weights) {
                v[node as usize] += push * (share * weights[node as usize]);
            }
        });
    }

    /// Computes `c + dt ṡ` of every row; returns the sum of the residuals.
    fn rate(&mut self, solve: &mut PressureSolve, is_persistent: bool, dt: f64, v: &[DVec3]) -> f64 {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (near, scales, walls, common) = (&self.near, &self.walls, &solve.walls, &self.common);
        let (positions, inputs) = (self.positions.as_flattened(), self.inputs.as_flattened());
        let (kind, periodic, count) = (self.settings.kernel, self.is_periodic(), lists.order.len());
        for_each_task(&mut solve.rows, |b, rows| {
            let (first, near, scales, walls) = (b * BLOCK, &near[b], &scales[b], &walls[b]);
            let all = Neighbours { first, count, near, scales, walls, positions, inputs, common };
            on_widest(all.dispatched(kind, periodic, Sum::Rate { rows, dt }));
        });
        let rows = solve.rows.as_flattened_mut();
        self.for_each_free_contact(is_persistent, |k, slope, contact, nodes| {
            let carried: DVec3 = nodes.iter().zip(contact.weights).map(|(node, share)| v[*node as usize] * share).sum();
            rows[k].0[3] -= dt * slope * contact.normal.dot(carried);
        });
        let error = |[q, _, _, left]: [f64; 4]| if q > 0.0 { left.abs() } else { left.max(0.0) };
        self.partials.sum(count, |range| range.map(|k| error(rows[k].0)).sum())
    }

    /// Calls `act` for every contact with a sheet of particles: place in the order, ∂s/∂φ, the contact, its nodes.
    fn for_each_free_contact(&self, is_persistent: bool, mut act: impl FnMut(usize, f64, &BoundaryContact, [u32; 3])) {
        if !self.boundary.has_sheets() {
            return;
        }
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let inputs = self.inputs.as_flattened();
        for block in &self.boundary.blocks {
            for near_boundary in &block.near_boundary {
                let k = lists.rank[near_boundary.particle as usize] as usize;
                let Some(input) = inputs.get(k) else { continue };
                for contact in
                    block.boundary_contacts(near_boundary).iter().filter(|contact| self.has_free_nodes(contact))
                {
                    if let Some(nodes) = contact.nodes {
                        act(k, contact.slope(near_boundary.scale, input.pair[0]), contact, nodes);
                    }
                }
            }
        }
    }

    /// Writes back velocities and pressures by particle.
    fn finish(&mut self, solve: &mut PressureSolve, which: usize, is_persistent: bool, v: &mut [DVec3]) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (inputs, rows) = (self.inputs.as_flattened(), solve.rows.as_flattened());
        for (k, id) in lists.order.iter().enumerate() {
            let [x, y, z, _] = inputs[k].velocity;
            v[*id as usize] = DVec3::new(x, y, z);
            solve.found[which][*id as usize] = rows[k].0[0];
        }
    }
}
