//! Pressure that keeps a fluid from being compressed instead of answering to it: DFSPH [Dfsph], for steps that sound does not limit.
//!
//! A step leaves from positions with compression s. Pressures q ≥ 0 push as `p/s²` would, `F_i = -Σ_l V_l q_l ∂s_l/∂x_i`, and are wanted such that with
//! `v = v* + dt F/m` nothing is compressed where the step ends, `s + dt ṡ(v) ≤ 1`. Before that the velocities that the last step left are made
//! free of divergence, `ṡ ≤ 0` where the fluid is dense, which is what keeps the first solve short. Both are solved by projected Jacobi iterations
//!
//! `q ← max(0, y + 0.4 (c + dt ṡ)/(dt² V D))`, `D = w |∂s/∂x|² + Σ_j w_j |∂s/∂x_j|²`, `c = s - 1` or `min(0, s - 1)`,
//!
//! at points y that are extrapolated from the last two q [Nesterov], restarted where that goes uphill [Restart]: a column of 40 layers takes 20 iterations
//! a step, where Jacobi's method alone takes 62. Rows of the matrix add up to at most twice about their diagonal, so 0.4 converges.
//!
//! They end when the mean of what is left is below a bound: `|c + dt ṡ|` where a pressure acts and `max(0, c + dt ṡ)` where none does. Both signs
//! count. A pressure that is too high throws the fluid apart, which no later solve takes back, because fluids may expand. After many iterations it is
//! enough that no more is left than was found. A warm start takes half of the pressures of the step before, as [Dfsph] does: what is
//! left over is then too little and not too much, and the next step, which finds it as compression, makes up for it. From the whole pressures the
//! error of a smooth mode stays just below the bound, adds up over the height, and still water bounces. F is that of `neighbour_pass.rs`, so momentum is kept, and `ṡ` is its transpose, so that pressures
//! take energy wherever the fluid is not compressed already, and give some where they push apart what is. Walls, moving ones and sheets of particles take part as they do elsewhere.
//!
//! Departure from the paper: both solves are made at the positions where a step begins, the first on the velocities before forces acted. The order of
//! operations over many steps is the same.

use glam::DVec3;
use pliant_core::parallel::{for_each_task, for_each_task2};
use pliant_core::{StepFailure, View};

use super::boundary_index::BoundaryContact;
use super::lanes::{BLOCK, Place};
use super::model::Sph;
use super::pressure_pass::{Neighbours, Sum};
use super::settings::Incompressible;
use crate::vector::on_widest;

/// Part of a correction that is made.
const RELAXED: f64 = 0.4;
/// Part of the pressures of the step before that a solve begins with.
const WARM: f64 = 0.5;
/// What is left may grow by this factor over the least so far before corrections are made smaller.
const GROWN: f64 = 2.0;
/// Part of the bound that a solve may use: ṡ is taken where a step begins, and what it changes by until the end is added.
const BELOW: f64 = 0.75;
/// Iterations that are made in any case.
const MIN_ITERATIONS: u64 = 1;

/// What is sorted as the lists are.
#[derive(Clone, Debug, Default)]
pub(super) struct PressureSolve {
    /// Velocities without pressures, and 1/m.
    start: Vec<[Place; BLOCK]>,
    /// `q`, `1/(dt² V D)`, c, and what is left.
    rows: Vec<[Place; BLOCK]>,
    /// q of the iteration before.
    last: Vec<[f64; BLOCK]>,
    /// `∂s/∂x` by walls, and `ṡ` by walls that move.
    walls: Vec<[Place; BLOCK]>,
    /// Pressures by particle: of the two solves. The first pair is what the present step began with, the second what it found.
    pub known: [Vec<f64>; 2],
    pub found: [Vec<f64>; 2],
    /// Velocities of sheets without pressures, by node.
    sheet: Vec<DVec3>,
    /// What the pressure 1 does to nodes of sheets, by particle.
    pushes: Vec<f64>,
    /// What forces did to velocities, by particle.
    change: Vec<DVec3>,
}

impl PressureSolve {
    /// The iteration before the first has the same pressures.
    fn begin(&mut self) {
        self.last.resize(self.rows.len(), [0.0; BLOCK]);
        for_each_task2(&mut self.last, &mut self.rows, |_, last, rows| {
            last.iter_mut().zip(rows).for_each(|(last, row)| *last = row.0[0]);
        });
    }

    /// No pressures.
    fn release(&mut self) {
        for_each_task2(&mut self.rows, &mut self.last, |_, rows, last| {
            rows.iter_mut().for_each(|row| row.0[0] = 0.0);
            last.fill(0.0);
        });
    }
}

/// Which of the two solves.
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
        let kept = self.evaluate(view);
        let mut solve = std::mem::take(&mut self.solve);
        self.prepare(&mut solve, view, kept, weights);
        // the first solve is about the velocities before the forces, whose change is added to those after
        let mut change = std::mem::take(&mut solve.change);
        change.clear();
        change.extend(v.iter().zip(view.v).map(|(after, before)| *after - *before));
        v.copy_from_slice(view.v);
        let first = self.solve(SolveKind::Divergence, &aim, &mut solve, kept, dt, weights, v);
        v.iter_mut().zip(&change).for_each(|(v, change)| *v += *change);
        let second = self.solve(SolveKind::Density, &aim, &mut solve, kept, dt, weights, v);
        solve.change = change;
        // nothing of this is a force
        for_each_task(&mut self.motions, |_, motions| motions.iter_mut().for_each(|motion| motion.velocity[3] = 0.0));
        self.solve = solve;
        let (first, second) = (first?, second?);
        Ok(first + second)
    }

    /// Derivatives of s, as far as they do not depend on velocities.
    fn prepare(&mut self, solve: &mut PressureSolve, view: &View, kept: bool, weights: &[f64]) {
        let lists = if kept { &self.kept } else { &self.passing };
        let (blocks, order) = (lists.blocks.len(), &lists.order);
        for rows in [&mut solve.start, &mut solve.rows, &mut solve.walls] {
            rows.resize(blocks, [Place::default(); BLOCK]);
        }
        for known in solve.known.iter_mut().chain(&mut solve.found) {
            known.resize(self.constants.len(), 0.0);
        }
        let walls = solve.walls.as_flattened_mut();
        walls.fill(Place::default());
        let motions = self.motions.as_flattened();
        for block in &self.boundary.blocks {
            for near_boundary in &block.near_boundary {
                let k = lists.rank[near_boundary.particle as usize] as usize;
                let (Some(wall), Some(motion)) = (walls.get_mut(k), motions.get(k)) else { continue };
                for touch in block.boundary_contacts(near_boundary) {
                    let slope = touch.slope(near_boundary.scale, motion.pair[0]);
                    for axis in 0..3 {
                        wall.0[axis] += slope * touch.normal[axis];
                    }
                    if !self.has_free_nodes(touch) {
                        let carried = self.boundary.velocity(view, touch, view.x[near_boundary.particle as usize]);
                        wall.0[3] -= slope * touch.normal.dot(carried);
                    }
                }
            }
        }
        for_each_task(&mut self.motions, |b, motions| {
            for (id, motion) in order[(b * BLOCK).min(order.len())..].iter().zip(motions) {
                motion.velocity[3] = weights[*id as usize];
            }
        });
        let (near, scales, walls, common) = (&self.near, &self.walls, &solve.walls, &self.common);
        let (places, motions) = (self.places.as_flattened(), self.motions.as_flattened());
        let (kind, periodic, count) = (self.settings.kernel, self.is_periodic(), order.len());
        for_each_task2(&mut solve.rows, &mut solve.start, |b, rows, start| {
            let (first, near, scales, walls) = (b * BLOCK, &near[b], &scales[b], &walls[b]);
            let all = Neighbours { first, count, near, scales, walls, places, motions, common };
            on_widest(all.dispatched(kind, periodic, Sum::Diagonal { rows, start }));
        });
        self.brace(solve, kept, weights);
    }

    /// A node of a sheet is pushed by many particles at once, which couples them more strongly than their diagonals say: the sum over the row is
    /// added to those.
    fn brace(&self, solve: &mut PressureSolve, kept: bool, weights: &[f64]) {
        let (places, pushes) = (self.places.as_flattened(), &mut solve.pushes);
        pushes.clear();
        pushes.resize(self.constants.len(), 0.0);
        self.for_each_free_touch(kept, |k, slope, touch, nodes| {
            for (node, share) in nodes.into_iter().zip(touch.weights) {
                pushes[node as usize] += places[k].0[3] * slope.abs() * share * weights[node as usize];
            }
        });
        let rows = solve.rows.as_flattened_mut();
        self.for_each_free_touch(kept, |k, slope, touch, nodes| {
            let shares = nodes.iter().zip(touch.weights).map(|(node, share)| share * pushes[*node as usize]);
            let row = &mut rows[k].0[1];
            *row = 1.0 / (1.0 / *row + slope.abs() * shares.sum::<f64>());
        });
    }

    fn has_free_nodes(&self, touch: &BoundaryContact) -> bool {
        touch.nodes.is_some_and(|nodes| self.boundary.is_particle(nodes[0]))
    }

    /// Iterations of one solve; `v` is changed.
    #[expect(clippy::too_many_arguments)]
    fn solve(
        &mut self,
        aim: SolveKind,
        wanted: &Incompressible,
        solve: &mut PressureSolve,
        kept: bool,
        dt: f64,
        weights: &[f64],
        v: &mut [DVec3],
    ) -> Result<u64, StepFailure> {
        let which = usize::from(aim == SolveKind::Density);
        let count = if kept { &self.kept } else { &self.passing }.order.len();
        self.start_solve(aim, &solve.known[which], solve.rows.as_mut_slice(), solve.start.as_mut_slice(), kept, v);
        solve.begin();
        solve.sheet.clear();
        solve.sheet.extend(self.boundary.sheet().iter().map(|node| v[*node as usize]));
        let (mut iterations, mut left, mut part, mut least) = (0, f64::INFINITY, RELAXED, f64::INFINITY);
        // iterations since extrapolation began
        let mut age = 0.0;
        let mut pressed = solve.known[which].iter().any(|q| *q > 0.0);
        while iterations < wanted.most_iterations {
            if pressed {
                self.push_apart(solve, kept, dt, weights, v);
            }
            left = self.rate(solve, kept, dt, v) / count.max(1) as f64;
            if left.is_nan() {
                break;
            }
            if left <= BELOW * wanted.density_error && iterations >= MIN_ITERATIONS {
                self.finish(solve, which, kept, v);
                return Ok(iterations);
            }
            // where particles are crowded, rows add up to more: anew from nothing, with smaller corrections
            let diverges = left > GROWN * least;
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
        // what was compressed before is not this step's fault, and no shorter one would mend it
        let rows = solve.rows.as_flattened();
        let before = self.partials.sum(count, |range| range.map(|k| rows[k].0[2].max(0.0)).sum());
        if left <= before / count.max(1) as f64 + wanted.density_error {
            self.finish(solve, which, kept, v);
            return Ok(iterations);
        }
        Err(StepFailure::Compressed { iterations, left })
    }

    /// Next pressures, extrapolated so far; whether that goes against what the residual says.
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

    /// Pressures of the step before, what is wanted, and velocities.
    fn start_solve(
        &mut self,
        aim: SolveKind,
        known: &[f64],
        rows: &mut [[Place; BLOCK]],
        start: &mut [[Place; BLOCK]],
        kept: bool,
        v: &[DVec3],
    ) {
        let lists = if kept { &self.kept } else { &self.passing };
        let (order, motions) = (&lists.order, &mut self.motions);
        for_each_task2(motions, rows, |b, motions, rows| {
            for ((id, motion), row) in order[(b * BLOCK).min(order.len())..].iter().zip(motions).zip(rows) {
                let dense = motion.pair[0] - 1.0;
                row.0[0] = WARM * known[*id as usize];
                row.0[2] = if aim == SolveKind::Density { dense } else { dense.min(0.0) };
                motion.velocity[..3].copy_from_slice(&v[*id as usize].to_array());
            }
        });
        let motions = &self.motions;
        for_each_task(start, |b, start| {
            for (start, motion) in start.iter_mut().zip(&motions[b]) {
                start.0[..3].copy_from_slice(&motion.velocity[..3]);
            }
        });
    }

    /// Velocities with the present pressures.
    fn push_apart(&mut self, solve: &mut PressureSolve, kept: bool, dt: f64, weights: &[f64], v: &mut [DVec3]) {
        let (rows, scales, start, walls) = (&solve.rows, &self.walls, &solve.start, &solve.walls);
        for_each_task(&mut self.motions, |b, motions| {
            for ((motion, row), scale) in motions.iter_mut().zip(&rows[b]).zip(&scales[b]) {
                motion.velocity[3] = scale.factor * row.0[0];
            }
        });
        self.push_pressures(kept);
        let (forces, places) = (&self.forces, &self.places);
        for_each_task(&mut self.motions, |b, motions| {
            for (k, motion) in motions.iter_mut().enumerate() {
                let (start, force, wall) = (&start[b][k].0, &forces[b][k].0, &walls[b][k].0);
                let push = places[b][k].0[3] * rows[b][k].0[0];
                for axis in 0..3 {
                    motion.velocity[axis] = start[axis] + dt * start[3] * (force[axis] - push * wall[axis]);
                }
            }
        });
        if !self.boundary.has_sheets() {
            return;
        }
        for (node, start) in self.boundary.sheet().iter().zip(&solve.sheet) {
            v[*node as usize] = *start;
        }
        let (rows, places) = (solve.rows.as_flattened(), self.places.as_flattened());
        self.for_each_free_touch(kept, |k, slope, touch, nodes| {
            let push = touch.normal * (dt * places[k].0[3] * rows[k].0[0] * slope);
            for (node, share) in nodes.into_iter().zip(touch.weights) {
                v[node as usize] += push * (share * weights[node as usize]);
            }
        });
    }

    /// `c + dt ṡ` of every row; the sum of those above zero.
    fn rate(&mut self, solve: &mut PressureSolve, kept: bool, dt: f64, v: &[DVec3]) -> f64 {
        let lists = if kept { &self.kept } else { &self.passing };
        let (near, scales, walls, common) = (&self.near, &self.walls, &solve.walls, &self.common);
        let (places, motions) = (self.places.as_flattened(), self.motions.as_flattened());
        let (kind, periodic, count) = (self.settings.kernel, self.is_periodic(), lists.order.len());
        for_each_task(&mut solve.rows, |b, rows| {
            let (first, near, scales, walls) = (b * BLOCK, &near[b], &scales[b], &walls[b]);
            let all = Neighbours { first, count, near, scales, walls, places, motions, common };
            on_widest(all.dispatched(kind, periodic, Sum::Rate { rows, dt }));
        });
        let rows = solve.rows.as_flattened_mut();
        self.for_each_free_touch(kept, |k, slope, touch, nodes| {
            let carried: DVec3 = nodes.iter().zip(touch.weights).map(|(node, share)| v[*node as usize] * share).sum();
            rows[k].0[3] -= dt * slope * touch.normal.dot(carried);
        });
        let error = |[q, _, _, left]: [f64; 4]| if q > 0.0 { left.abs() } else { left.max(0.0) };
        self.partials.sum(count, |range| range.map(|k| error(rows[k].0)).sum())
    }

    /// Everyone who touches a sheet of particles: place in the order, ∂s/∂φ, the touch, its nodes.
    fn for_each_free_touch(&self, kept: bool, mut act: impl FnMut(usize, f64, &BoundaryContact, [u32; 3])) {
        if !self.boundary.has_sheets() {
            return;
        }
        let lists = if kept { &self.kept } else { &self.passing };
        let motions = self.motions.as_flattened();
        for block in &self.boundary.blocks {
            for near_boundary in &block.near_boundary {
                let k = lists.rank[near_boundary.particle as usize] as usize;
                let Some(motion) = motions.get(k) else { continue };
                for touch in block.boundary_contacts(near_boundary).iter().filter(|touch| self.has_free_nodes(touch)) {
                    if let Some(nodes) = touch.nodes {
                        act(k, touch.slope(near_boundary.scale, motion.pair[0]), touch, nodes);
                    }
                }
            }
        }
    }

    /// Velocities and pressures by particle.
    fn finish(&mut self, solve: &mut PressureSolve, which: usize, kept: bool, v: &mut [DVec3]) {
        let lists = if kept { &self.kept } else { &self.passing };
        let (motions, rows) = (self.motions.as_flattened(), solve.rows.as_flattened());
        for (k, id) in lists.order.iter().enumerate() {
            let [x, y, z, _] = motions[k].velocity;
            v[*id as usize] = DVec3::new(x, y, z);
            solve.found[which][*id as usize] = rows[k].0[0];
        }
    }
}
