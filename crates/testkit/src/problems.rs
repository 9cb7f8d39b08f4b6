//! Small problems on which schemes are measured. Constructors, since a system cannot be copied.

use glam::DVec3;
use pliant_core::{ForceModel, Path, Pin, State, System};
use pliant_forces::{CubicSpring, CubicSprings, Drag, Gravity, Pendulum, PendulumForce, Spring, Springs};
use pliant_time::catalog::{Entry, SolverSpec};
use pliant_time::control::ControlSpec;
use pliant_time::{Frames, Simulation};

/// A system and its initial state.
pub struct Problem {
    /// Masses, pins, forces.
    pub system: System,
    /// The initial state.
    pub state: State,
}

impl Problem {
    /// # Panics
    /// If a mass or a pin is impossible.
    pub fn new(
        masses: Vec<f64>,
        x: Vec<DVec3>,
        v: Vec<DVec3>,
        pins: Vec<Pin>,
        models: Vec<Box<dyn ForceModel>>,
    ) -> Self {
        let system = System::new(masses, pins, models, Vec::new()).expect("a system that can be formed");
        Self { system, state: State { time: 0.0, x, v } }
    }

    /// The problem under the loop.
    ///
    /// # Panics
    /// If there is no such solver.
    pub fn simulation(self, entry: &Entry, solver: &SolverSpec, control: &ControlSpec, frames: Frames) -> Simulation {
        Simulation::new(self.system, self.state, entry, solver, control, frames).expect("a solver of the catalog")
    }
}

fn held(particle: usize, x: &[DVec3]) -> Pin {
    Pin { particle, path: Path::Fixed(x[particle]) }
}

/// Gravity on all particles.
fn gravity(acceleration: DVec3, masses: &[f64]) -> Gravity {
    Gravity::new(acceleration, masses.to_vec(), std::iter::once(0..masses.len()).collect())
}

/// A unit mass on a linear spring to the origin, `x'' = -ω² x` in all three coordinates, starting at (x, v) along the x axis.
/// Particle 0 is the pinned origin, particle 1 the mass.
pub fn oscillator(omega: f64, x: f64, v: f64) -> Problem {
    let places = vec![DVec3::ZERO, DVec3::new(x, 0.0, 0.0)];
    let spring = Spring { nodes: [0, 1], rest_length: 0.0, stiffness: omega * omega, damping: 0.0 };
    let pins = vec![held(0, &places)];
    let v = vec![DVec3::ZERO, DVec3::new(v, 0.0, 0.0)];
    Problem::new(vec![1.0; 2], places, v, pins, vec![Box::new(Springs::new(vec![spring]))])
}

/// The same under drag, `x'' = -ω² x - rate x'`.
pub fn damped_oscillator(omega: f64, rate: f64, x: f64, v: f64) -> Problem {
    let places = vec![DVec3::ZERO, DVec3::new(x, 0.0, 0.0)];
    let spring = Spring { nodes: [0, 1], rest_length: 0.0, stiffness: omega * omega, damping: 0.0 };
    let models: Vec<Box<dyn ForceModel>> =
        vec![Box::new(Springs::new(vec![spring])), Box::new(Drag::new(rate, vec![1.0; 2]))];
    let pins = vec![held(0, &places)];
    Problem::new(vec![1.0; 2], places, vec![DVec3::ZERO, DVec3::new(v, 0.0, 0.0)], pins, models)
}

/// Masses 1, 1.5, 2, … on linear springs of no rest length between two walls: forces linear in position, unequal in every way.
pub fn oscillator_chain(count: usize) -> Problem {
    let last = count + 1;
    let x: Vec<DVec3> =
        (0..=last).map(|i| DVec3::new(i as f64, 0.1 * (i * i) as f64, 0.3 * (i as f64).sin())).collect();
    let v = (0..=last).map(|i| DVec3::new((i as f64).cos(), -0.2 * i as f64, 0.4)).collect();
    let spring = |i: u32| Spring { nodes: [i, i + 1], rest_length: 0.0, stiffness: 5.0 + f64::from(i), damping: 0.0 };
    let springs = Springs::new((0..last as u32).map(spring).collect());
    let masses = (0..=last).map(|i| 1.0 + 0.5 * i as f64).collect();
    let pins = vec![held(0, &x), held(last, &x)];
    Problem::new(masses, x, v, pins, vec![Box::new(springs)])
}

/// `θ'' = -sin θ`.
pub fn pendulum(angle: f64, rate: f64) -> Problem {
    let force = PendulumForce::new(vec![Pendulum { node: 0, strength: 1.0 }]);
    let (x, v) = (vec![DVec3::new(angle, 0.0, 0.0)], vec![DVec3::new(rate, 0.0, 0.0)]);
    Problem::new(vec![1.0], x, v, Vec::new(), vec![Box::new(force)])
}

/// The nonlinear damped spring of [Adaptive], `x'' = -100 (x + x³) - (v + v³)`.
pub fn nonlinear_spring(x: f64, v: f64) -> Problem {
    let force = CubicSprings::new(vec![CubicSpring { node: 0, anchor: DVec3::ZERO, stiffness: 100.0, damping: 1.0 }]);
    let (x, v) = (vec![DVec3::new(x, 0.0, 0.0)], vec![DVec3::new(v, 0.0, 0.0)]);
    Problem::new(vec![1.0], x, v, Vec::new(), vec![Box::new(force)])
}

/// The parameters of a net.
#[derive(Clone, Copy, Debug)]
pub struct Net {
    /// Particles along each side.
    pub size: (usize, usize),
    /// Damping along every spring, N s/m.
    pub damping: f64,
    /// Whether two corners are pinned and gravity acts; otherwise the net is free, without external forces and moments.
    pub hung: bool,
    /// Whether the first corner, if pinned, oscillates.
    pub driven: bool,
}

impl Default for Net {
    fn default() -> Self {
        Self { size: (3, 3), damping: 0.0, hung: true, driven: false }
    }
}

/// A rectangle of springs with one diagonal per cell, twisted about its long side, of unequal masses, in motion. Stiffness and masses are
/// about 1 in SI units with frequencies below 10 rad/s. Some springs start stretched, some compressed.
pub fn net(net: Net) -> Problem {
    let (wide, high) = net.size;
    let spacing = 0.5;
    let place = |k: usize| {
        let (i, j) = ((k % wide) as f64, (k / wide) as f64);
        let (sin, cos) = (0.3 * j).sin_cos();
        let arm = spacing * (i - 0.5);
        DVec3::new(arm * cos, -spacing * j, arm * sin)
    };
    let count = wide * high;
    let x: Vec<DVec3> = (0..count).map(place).collect();
    let wave = |k: usize| {
        let s = k as f64;
        DVec3::new(0.4 * (1.3 * s).sin(), 0.3 * (0.7 * s).cos(), 0.5 * (2.1 * s).sin())
    };
    let mut v: Vec<DVec3> = (0..count).map(wave).collect();
    let masses: Vec<f64> = (0..count).map(|k| 0.8 + 0.1 * (k % 5) as f64).collect();

    let mut springs = Vec::new();
    let mut tie = |a: usize, b: usize, rest: f64| {
        let k = springs.len();
        springs.push(Spring {
            nodes: [a as u32, b as u32],
            rest_length: rest * (0.85 + 0.05 * (k % 6) as f64),
            stiffness: 6.0 + (k % 3) as f64,
            damping: net.damping,
        });
    };
    for k in 0..count {
        let (right, down) = (k % wide + 1 < wide, k + wide < count);
        if right {
            tie(k, k + 1, spacing);
        }
        if down {
            tie(k, k + wide, spacing);
        }
        if right && down {
            tie(k, k + wide + 1, spacing * std::f64::consts::SQRT_2);
        }
    }
    let mut models: Vec<Box<dyn ForceModel>> = vec![Box::new(Springs::new(springs))];
    let mut pins = Vec::new();
    if net.hung {
        models.push(Box::new(gravity(DVec3::new(0.0, -2.0, 0.0), &masses)));
        let swing = Path::Oscillate { centre: x[0], amplitude: DVec3::new(0.2, 0.1, -0.15), frequency: 0.4 };
        pins.push(if net.driven { Pin { particle: 0, path: swing } } else { held(0, &x) });
        pins.push(held(wide - 1, &x));
    }
    for pin in &pins {
        v[pin.particle] = pin.path.at(0.0).1;
    }
    Problem::new(masses, x, v, pins, models)
}

/// A chain of springs with rest length; its first end follows an oscillation, its other end is free.
pub fn driven_chain(count: usize, damping: f64) -> Problem {
    let x: Vec<DVec3> = (0..count).map(|i| DVec3::new(0.4 * i as f64, 0.1 * (1.7 * i as f64).sin(), 0.0)).collect();
    let v = vec![DVec3::ZERO; count];
    let spring = |i: u32| Spring { nodes: [i, i + 1], rest_length: 0.35, stiffness: 8.0, damping };
    let springs = Springs::new((0..count as u32 - 1).map(spring).collect());
    let masses: Vec<f64> = (0..count).map(|i| 0.9 + 0.2 * (i % 2) as f64).collect();
    let path = Path::Oscillate { centre: x[0], amplitude: DVec3::new(0.1, 0.25, 0.2), frequency: 0.6 };
    let pull = gravity(DVec3::new(0.0, -1.0, 0.5), &masses);
    let models: Vec<Box<dyn ForceModel>> = vec![Box::new(springs), Box::new(pull)];
    Problem::new(masses, x, v, vec![Pin { particle: 0, path }], models)
}

/// A chain of stiff damped springs (ω up to 2000 rad/s) that hangs from a pin at `place`, released at rest length and askew.
pub fn stiff_chain(count: usize, place: DVec3) -> Problem {
    let x: Vec<DVec3> = (0..count).map(|i| place + DVec3::new(0.2, -0.2, 0.1) * i as f64).collect();
    let spring = |i: u32| Spring { nodes: [i, i + 1], rest_length: 0.3, stiffness: 1e6, damping: 300.0 };
    let masses = vec![1.0; count];
    let models: Vec<Box<dyn ForceModel>> = vec![
        Box::new(Springs::new((0..count as u32 - 1).map(spring).collect())),
        Box::new(gravity(DVec3::new(0.0, -9.81, 0.0), &masses)),
        Box::new(Drag::new(3.0, masses.clone())),
    ];
    let pins = vec![held(0, &x)];
    let v = vec![DVec3::ZERO; count];
    Problem::new(masses, x, v, pins, models)
}

/// A net at rest that lies along x, masses and stiffnesses of 1 at distances of 1 m, and a wave in it that travels towards larger x with a speed of
/// about 1 m/s: `v = peak exp(-((x - 25)/8)²)`, compressed as such a wave is. Particle `rows i + j` is number i along x; one row is a chain. Nothing is
/// pinned, and nothing moves across.
pub fn travelling_wave(count: usize, rows: usize, peak: f64) -> Problem {
    let (middle, width) = (25.0, 8.0);
    let speed = |x: f64| peak * (-((x - middle) / width).powi(2)).exp();
    // with u' = -v/c nothing travels back; behind the wave all particles have their full displacement
    let mut gone = vec![0.0; count];
    for i in (1..count).rev() {
        gone[i - 1] = gone[i] + speed(i as f64 - 0.5);
    }
    let (mut x, mut v, mut springs) = (Vec::new(), Vec::new(), Vec::new());
    for (i, gone) in gone.into_iter().enumerate() {
        for j in 0..rows {
            let k = (rows * i + j) as u32;
            x.push(DVec3::new(i as f64 + gone, j as f64, 0.0));
            v.push(DVec3::new(speed(i as f64), 0.0, 0.0));
            let mut tie = |other: u32| {
                springs.push(Spring { nodes: [k, other], rest_length: 1.0, stiffness: 1.0, damping: 0.0 });
            };
            if i + 1 < count {
                tie(k + rows as u32);
            }
            if j + 1 < rows {
                tie(k + 1);
            }
        }
    }
    Problem::new(vec![1.0; count * rows], x, v, Vec::new(), vec![Box::new(Springs::new(springs))])
}
