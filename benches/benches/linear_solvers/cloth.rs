//! A stiff cotton-like sheet as a net of springs, made here so that the matrix is available for any dt from one state.
//!
//! 1 m x 1 m of 0.15 kg/m²; structural and shear springs of 5000 N/m, bend springs (to the second neighbour) of 1 N/m. The part of a
//! spring's stiffness across it, k (1 - L0/L), is left out where it is negative, as Pliant's `Psd` Jacobians do.

use glam::{DMat3, DVec3};
use pliant::linalg::{BlockCsr, DirectCholesky, LinearSolver as _, PatternBuilder};
use std::sync::Arc;

const AREA_DENSITY: f64 = 0.15;
const STRETCH: f64 = 5000.0;
const BEND: f64 = 1.0;
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

struct Spring {
    ends: [usize; 2],
    stiffness: f64,
    rest: f64,
}

/// A net and its state.
pub struct Cloth {
    pub side: usize,
    mass: f64,
    springs: Vec<Spring>,
    pub x: Vec<DVec3>,
    v: Vec<DVec3>,
    matrix: BlockCsr,
}

/// The state of the sheet when its matrix is taken.
#[derive(Clone, Copy, PartialEq)]
pub enum State {
    /// Hangs from two corners, close to its equilibrium.
    Hanging,
    /// Released from the horizontal 0.2 s ago.
    Swinging,
}

impl Cloth {
    pub fn new(side: usize, state: State) -> Self {
        let h = 1.0 / (side - 1) as f64;
        let at = |i: usize, j: usize| j * side + i;
        let mut springs = Vec::new();
        let mut connect = |a: usize, b: usize, stiffness: f64, rest: f64| {
            springs.push(Spring { ends: [a, b], stiffness, rest });
        };
        let diagonal = h * 2f64.sqrt();
        for j in 0..side {
            for i in 0..side {
                let (right, down) = (i + 1 < side, j + 1 < side);
                if right {
                    connect(at(i, j), at(i + 1, j), STRETCH, h);
                }
                if down {
                    connect(at(i, j), at(i, j + 1), STRETCH, h);
                }
                if right && down {
                    connect(at(i, j), at(i + 1, j + 1), STRETCH, diagonal);
                    connect(at(i + 1, j), at(i, j + 1), STRETCH, diagonal);
                }
                if i + 2 < side {
                    connect(at(i, j), at(i + 2, j), BEND, 2.0 * h);
                }
                if j + 2 < side {
                    connect(at(i, j), at(i, j + 2), BEND, 2.0 * h);
                }
            }
        }
        let mut builder = PatternBuilder::new(side * side);
        for spring in &springs {
            builder.couple(spring.ends[0], spring.ends[1]);
        }
        let matrix = BlockCsr::zeros(Arc::new(builder.build()));
        // A ripple of 0.1 mm keeps a hanging sheet from being flat, which no sheet is.
        let place = |k: usize| {
            let (i, j) = (k % side, k / side);
            let (s, t) = (i as f64 * h, j as f64 * h);
            match state {
                State::Swinging => DVec3::new(s, t, 0.0),
                State::Hanging => DVec3::new(s, 1e-4 * (31.0 * s + 7.0 * t).sin(), -t),
            }
        };
        let x = (0..side * side).map(place).collect();
        let v = vec![DVec3::ZERO; side * side];
        let mut cloth = Self { side, mass: AREA_DENSITY * h * h, springs, x, v, matrix };
        let (dt, steps) = if state == State::Hanging { (0.05, 16) } else { (0.02, 10) };
        let mut solver = DirectCholesky::new();
        let mut change = vec![DVec3::ZERO; cloth.x.len()];
        for _ in 0..steps {
            let (a, b) = cloth.system(dt);
            solver.factor(a).expect("the matrix is definite");
            solver.solve(a, &b, &mut change, 1e-8).expect("it is solved");
            for ((x, v), change) in cloth.x.iter_mut().zip(&mut cloth.v).zip(&change) {
                *v += *change;
                *x += *v * dt;
            }
        }
        cloth
    }

    fn is_free(&self, k: usize) -> bool {
        k != 0 && k != self.side - 1
    }

    /// The matrix and right-hand side of a linearized backward Euler step: (M - dt² K) Δv = dt (F + dt K v).
    pub fn system(&mut self, dt: f64) -> (&BlockCsr, Vec<DVec3>) {
        let pattern = self.matrix.pattern.clone();
        self.matrix.values.fill(DMat3::ZERO);
        let mut right = vec![GRAVITY * (self.mass * dt); self.x.len()];
        for spring in &self.springs {
            let [a, b] = spring.ends;
            let along = self.x[b] - self.x[a];
            let length = along.length();
            let n = along / length;
            let slack = (1.0 - spring.rest / length).max(0.0);
            let nn = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            let k = dt * dt * spring.stiffness * (nn * (1.0 - slack) + DMat3::IDENTITY * slack);
            let force = n * (spring.stiffness * (length - spring.rest));
            let pull = dt * force + k * (self.v[b] - self.v[a]);
            right[a] += pull;
            right[b] -= pull;
            for (i, j) in [(a, b), (b, a)] {
                if self.is_free(i) {
                    self.matrix.values[pattern.diagonal[i] as usize] += k;
                    if self.is_free(j) {
                        let position = pattern.find(i, j).expect("a block of the pattern");
                        self.matrix.values[position] -= k;
                    }
                }
            }
        }
        for (i, right) in right.iter_mut().enumerate() {
            let mass = if self.is_free(i) { self.mass } else { 1.0 };
            if !self.is_free(i) {
                *right = DVec3::ZERO;
            }
            self.matrix.values[pattern.diagonal[i] as usize] += DMat3::from_diagonal(DVec3::splat(mass));
        }
        (&self.matrix, right)
    }
}
