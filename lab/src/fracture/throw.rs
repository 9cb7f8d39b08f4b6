//! A plate of glass that flies against a ball and breaks: the scene, and its step settings.
//!
//! There is no gravity: before the ball is reached nothing happens at all, and fragments fly freely after it.

use pliant::scene::load::{LoadedScene, from_text};

use pliant_plot::text::significant;

/// Sides of the plate, m; the second is its thickness.
pub const PLATE: [f64; 3] = [0.05, 0.008, 0.05];
/// Of the ball, m.
pub const BALL: f64 = 0.01;
/// Jitter of particles off their lattice, in spacings: what a seed changes.
const JITTER: f64 = 0.1;
/// The part of the stable step that explicit steps take where they are a rival,
pub const SAFETY: f64 = 0.7;
/// and where they are the reference: at 0.15 of the limit energies are 4 % smaller again (648 particles), where seeds differ by 17 %.
pub const REFERENCE: Method = Method::Explicit { safety: 0.35 };
/// The part of the tolerance that equations of adaptive steps are solved to, which fixed steps are given as well.
const SOLVED_TO: f64 = 0.1;

/// One throw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throw {
    /// Distance of particles, m.
    pub spacing: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// m/s
    pub speed: f64,
    /// When the ball is reached, s.
    pub flight: f64,
    /// s
    pub until: f64,
}

/// A step setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Lengths follow from the error of the linearized force and from the truncation.
    Adaptive {
        /// Name of the integrator.
        integrator: &'static str,
        /// The tolerance, in usual ones.
        tolerance: f64,
        /// Largest overshoot of bonds per step, as a part of their limit.
        overshoot: Option<f64>,
    },
    /// Newmark with equal steps.
    Fixed {
        /// s
        dt: f64,
        /// Equations are solved as exactly as those of adaptive steps with this tolerance, in usual ones.
        tolerance: f64,
        /// Largest overshoot of bonds per step, as a part of their limit.
        overshoot: Option<f64>,
    },
    /// Velocity Verlet.
    Explicit {
        /// The part of the stable step that is taken.
        safety: f64,
    },
}

/// The setting that the paper adapts, with the usual tolerance.
pub const ADAPTIVE: Method = Method::Adaptive { integrator: "newmark", tolerance: 1.0, overshoot: None };

impl Method {
    /// As tables call it.
    pub fn name(self) -> String {
        let clipped = |overshoot: Option<f64>| overshoot.map_or(String::new(), |part| format!(", overshoot {part}"));
        match self {
            Self::Adaptive { integrator, tolerance, overshoot } => {
                format!("adaptive {integrator}, tolerance {tolerance}{}", clipped(overshoot))
            }
            Self::Fixed { dt, overshoot, .. } => {
                format!("fixed newmark {} µs{}", significant(1e6 * dt, 3), clipped(overshoot))
            }
            Self::Explicit { safety } => format!("explicit verlet, {safety} of its limit"),
        }
    }

    /// The tolerance in usual ones, if there is one.
    pub fn tolerance(self) -> Option<f64> {
        match self {
            Self::Adaptive { tolerance, .. } | Self::Fixed { tolerance, .. } => Some(tolerance),
            Self::Explicit { .. } => None,
        }
    }

    /// What it changes in the scene.
    fn settings(self, usual: f64) -> Vec<String> {
        let torn = |overshoot: Option<f64>| overshoot.map(|part| format!("fracture.overshoot={part}"));
        match self {
            Self::Adaptive { integrator, tolerance, overshoot } => {
                let own =
                    [format!("time.integrator={integrator}"), format!("time.control.tolerance={}", tolerance * usual)];
                own.into_iter().chain(torn(overshoot)).collect()
            }
            Self::Fixed { dt, tolerance, overshoot } => {
                // as exactly as adaptive steps are solved, or equal steps would pay for unneeded digits
                let own = [
                    "time.integrator=newmark".to_owned(),
                    "time.control.kind=fixed".to_owned(),
                    format!("time.control.dt={dt}"),
                    format!("solver.accuracy={}", SOLVED_TO * tolerance * usual),
                ];
                own.into_iter().chain(torn(overshoot)).collect()
            }
            Self::Explicit { safety } => vec![
                "time.integrator=velocity-verlet".to_owned(),
                "time.control.kind=stable".to_owned(),
                format!("time.control.safety={safety}"),
            ],
        }
    }
}

impl Throw {
    /// The middle of the ball, m: particles, half a spacing thick, are there after the flight.
    pub fn ball(&self) -> [f64; 3] {
        [0.0, -BALL - self.speed * self.flight, 0.0]
    }

    fn text(&self) -> String {
        let Self { spacing, seed, speed, until, .. } = self;
        let ([x, y, z], [bx, by, bz]) = (PLATE, self.ball());
        let (x, z) = (0.5 * x, 0.5 * z);
        // one frame: no frame shortens a step
        format!(
            "version = 1\n[world]\ngravity = [0, 0, 0]\n[time]\nuntil = {until}\nfps = {}\n[[peridynamic]]\nname = \"plate\"\npreset = \"glass\"\n\
             box = {{ min = [-{x}, 0, -{z}], max = [{x}, {y}, {z}] }}\nspacing = {spacing}\njitter = {JITTER}\nseed = {seed}\n\
             velocity = [0, -{speed}, 0]\n[[collider]]\nname = \"ball\"\nsphere = {{ centre = [{bx}, {by}, {bz}], radius = {BALL} }}\n",
            1.0 / until
        )
    }

    /// The scene with a method.
    pub fn scene(&self, method: Method) -> Result<LoadedScene, String> {
        let scene = from_text("throw", "throw.toml", &self.text(), &[]).map_err(|error| error.to_string())?;
        let usual = scene.scene.time.control.tolerance.si();
        scene.with(&method.settings(usual)).map_err(|error| error.to_string())
    }
}
