//! The front of a collapsing column of water, run from the scene `dam-break` and compared with the measurements of Martin and Moyce, [MartinMoyce]
//! figure 3: `Z = z/a` over `T = t √(2g/a)` for a column of width a and height 2a.

use pliant::core::BodyShape;
use pliant::prelude::DVec3;
use pliant::scene::load;

use super::front::{LINK, front, largest_cluster};

/// m/s².
const GRAVITY: f64 = 9.81;
/// a, m: 2.25 in.
pub const WIDTH: f64 = 0.05715;
/// The front is the foremost point below this part of a.
const FLOOR: f64 = 0.25;
/// The clock of the experiment started when a film showed that the gate had moved: it may be off by this much of T.
pub const MAX_SHIFT: f64 = 0.3;
/// Where fronts are compared.
pub const COMPARED: [f64; 2] = [1.0, 5.0];
/// Speeds of the front are means over this much of T.
const SPEED_OVER: f64 = 0.5;

/// T and Z for a = 2.25 in.
pub const MEASURED: &[(f64, f64)] = &[
    (0.832, 1.217),
    (1.219, 1.474),
    (1.997, 2.292),
    (2.547, 2.995),
    (3.345, 4.134),
    (4.034, 4.944),
    (4.418, 5.881),
    (5.091, 6.980),
    (5.685, 7.945),
    (6.306, 8.966),
    (6.822, 9.986),
    (7.439, 10.963),
    (8.031, 11.977),
    (8.633, 13.005),
    (9.237, 13.970),
];

/// T and Z for a = 1.125 in.
pub const MEASURED_SMALL: &[(f64, f64)] = &[
    (0.849, 1.245),
    (1.212, 1.443),
    (1.602, 1.884),
    (2.283, 2.689),
    (2.950, 3.728),
    (3.598, 4.528),
    (3.905, 4.999),
    (4.592, 5.841),
    (4.961, 6.271),
    (5.316, 6.717),
];

/// The speed that no front passes, [Ritter]: `2 √(g H)`, as dZ/dT.
pub fn fastest_front() -> f64 {
    // H = 2a, and dz/dt = √(2 g a) dZ/dT
    2.0
}

/// Where a front was: Z over T.
#[derive(Clone, Debug, PartialEq)]
pub struct Collapse {
    /// Spacing of particles, m.
    pub spacing: f64,
    /// Particles of water.
    pub particles: usize,
    /// T and Z, from T = 0 on.
    pub front: Vec<(f64, f64)>,
    /// How many of the particles were connected in the end.
    pub connected: usize,
}

/// How a front compares with a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// What is added to the simulation's T.
    pub shift: f64,
    /// The largest |Z/Z measured - 1| with it.
    pub deviation: f64,
    /// The same without a shift.
    pub unshifted: f64,
}

/// Releases the column, with changes to the scene.
pub fn collapse(changes: &[&str]) -> Result<Collapse, String> {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let scene = load("dam-break", &changes).map_err(|error| error.to_string())?;
    let mut simulation = scene.build().map_err(|error| error.to_string())?.simulation;
    simulation.track_energy(false);
    let water = simulation.system.bodies().first().ok_or("there is no water")?;
    let BodyShape::Grains { spacing } = water.shape else { return Err("the first body is no fluid".into()) };
    let particles = water.particles.clone();
    let place = |x: &[DVec3]| front(x, spacing, FLOOR * WIDTH).map(|z| z / WIDTH).ok_or("the water has left the floor");
    let mut fronts = vec![(0.0, place(&simulation.state().x[particles.clone()])?)];
    while !simulation.is_done() {
        simulation.advance_frame(|_, _| {}).map_err(|error| error.to_string())?;
        let state = simulation.state();
        fronts.push((state.time * (2.0 * GRAVITY / WIDTH).sqrt(), place(&state.x[particles.clone()])?));
    }
    let connected = largest_cluster(&simulation.state().x[particles.clone()], LINK * spacing).len();
    Ok(Collapse { spacing, particles: particles.len(), front: fronts, connected })
}

impl Collapse {
    /// Z at T, linearly between samples; `None` outside of them.
    pub fn at(&self, time: f64) -> Option<f64> {
        let next = self.front.iter().position(|sample| sample.0 >= time)?;
        let (b, a) = (self.front[next], self.front[next.max(1) - 1]);
        let part = if b.0 > a.0 { (time - a.0) / (b.0 - a.0) } else { 0.0 };
        (time >= a.0).then_some(a.1 + part * (b.1 - a.1))
    }

    /// The largest deviation from a table where fronts are compared, with a shift; `None` if the run does not reach as far.
    fn deviation(&self, table: &[(f64, f64)], shift: f64) -> Option<f64> {
        let compared = table.iter().filter(|row| row.0 >= COMPARED[0] && row.0 <= COMPARED[1]);
        compared.map(|row| Some((self.at(row.0 - shift)? / row.1 - 1.0).abs())).try_fold(0.0, |a, b| Some(b?.max(a)))
    }

    /// The shift with the smallest deviation from a table.
    pub fn compare(&self, table: &[(f64, f64)]) -> Option<Match> {
        let unshifted = self.deviation(table, 0.0)?;
        let shifts = (-60..=60).map(|k| MAX_SHIFT * f64::from(k) / 60.0);
        let all = shifts.filter_map(|shift| self.deviation(table, shift).map(|deviation| (shift, deviation)));
        let (shift, deviation) = all.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Match { shift, deviation, unshifted })
    }

    /// dZ/dT at the middles of stretches of a set length.
    pub fn speeds(&self) -> Vec<(f64, f64)> {
        let late = self.front.iter().filter(|sample| sample.0 >= SPEED_OVER);
        let speed = |sample: &(f64, f64)| {
            let before = self.at(sample.0 - SPEED_OVER)?;
            Some((sample.0 - 0.5 * SPEED_OVER, (sample.1 - before) / SPEED_OVER))
        };
        late.filter_map(speed).collect()
    }

    /// The largest of them.
    pub fn fastest(&self) -> f64 {
        self.speeds().into_iter().map(|speed| speed.1).fold(0.0, f64::max)
    }
}
