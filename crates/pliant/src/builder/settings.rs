//! Step control, adaptive restraint, and probes.

use pliant_scene::probes::Quantity;
use pliant_scene::schema::RestraintCriterion;
use pliant_time::catalog::Entry;
use pliant_time::control::Law;
use pliant_time::control::catalog::LAWS;
use toml::{Table, Value};

use super::value::{Amount, choice, count, keys, part, push};

/// An integrator of the catalog by its name, or any other by its entry.
#[derive(Clone, Copy)]
pub enum IntegratorChoice<'a> {
    /// By name.
    Named(&'a str),
    /// By entry.
    Entry(&'static Entry),
}

impl<'a> From<&'a str> for IntegratorChoice<'a> {
    fn from(name: &'a str) -> Self {
        Self::Named(name)
    }
}

impl From<&'static Entry> for IntegratorChoice<'_> {
    fn from(entry: &'static Entry) -> Self {
        Self::Entry(entry)
    }
}

/// How long steps are.
#[derive(Clone, Debug)]
#[must_use]
pub struct Control(pub(super) Table);

impl Control {
    fn kind(kind: &str) -> Self {
        Self(std::iter::once(("kind".to_owned(), kind.into())).collect())
    }

    fn with(mut self, key: &str, value: impl Into<Amount>) -> Self {
        self.0.insert(key.to_owned(), value.into().into());
        self
    }

    /// Equal steps no longer than this, s.
    pub fn fixed(dt: impl Into<Amount>) -> Self {
        Self::kind("fixed").with("dt", dt)
    }

    /// From the error of the linearized force and the truncation error, in metres per step.
    pub fn force_error(tolerance: impl Into<Amount>) -> Self {
        Self::kind("force-error").with("tolerance", tolerance)
    }

    /// From the difference between one step and two half steps, in metres per step.
    pub fn step_doubling(tolerance: impl Into<Amount>) -> Self {
        Self::kind("step-doubling").with("tolerance", tolerance)
    }

    /// No particle moves farther than this per step, m.
    pub fn speed_limit(distance: impl Into<Amount>) -> Self {
        Self::kind("speed-limit").with("distance", distance)
    }

    /// No spring changes its length by more than this per step, m.
    pub fn stretch_limit(stretch: impl Into<Amount>) -> Self {
        Self::kind("stretch-limit").with("stretch", stretch)
    }

    /// This part of the stability limit, in (0, 1].
    pub fn stable(safety: f64) -> Self {
        Self::kind("stable").with("safety", safety)
    }

    /// How `force_error` turns an error into a step.
    pub fn law(mut self, law: Law) -> Self {
        let name = LAWS.iter().find(|(_, one, _)| *one == law).map_or("", |(name, ..)| name);
        self.0.insert("law".to_owned(), name.into());
        self
    }

    /// Part of the tolerance that `force_error` aims at, in (0, 1].
    pub fn alpha(self, alpha: f64) -> Self {
        self.with("alpha", alpha)
    }

    /// The first step, s.
    pub fn first_step(self, dt: impl Into<Amount>) -> Self {
        self.with("dt", dt)
    }

    /// Steps that the run may take; at a pace at which it would take more it fails. `f64::INFINITY`: any number.
    pub fn max_steps(mut self, steps: f64) -> Self {
        self.0.insert("max_steps".to_owned(), steps.into());
        self
    }

    /// The smallest and the largest step, s; a run that needs a smaller one fails.
    pub fn steps_between(self, min: impl Into<Amount>, max: impl Into<Amount>) -> Self {
        self.with("dt_min", min).with("dt_max", max)
    }
}

/// Adaptive restraint: slow particles are restrained until their momentum has grown enough. Restrained particles cost nothing.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Restraint(pub(super) Table);

impl Restraint {
    /// The usual limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// A body is never restrained, or has a limit of its own (m/s).
    pub fn body(mut self, name: &str, speed: Option<f64>) -> Self {
        let mut body: Table = std::iter::once(("name".to_owned(), name.into())).collect();
        match speed {
            Some(speed) => body.insert("speed".to_owned(), speed.into()),
            None => body.insert("enabled".to_owned(), false.into()),
        };
        push(&mut self.0, "body", Value::Table(body));
        self
    }

    keys! {
        /// How the effective velocity follows from the momentum.
        choice criterion: RestraintCriterion;
        /// Error that may remain unseen, m: particles slower than a tenth of it per frame are restrained.
        amount error;
        /// Speed at which a particle is restrained, m/s.
        amount speed;
        /// Kinetic energy at which it is, J.
        amount energy;
        /// Momentum at which it is, kg m/s.
        amount momentum;
        /// Multiple of that speed at which it moves freely.
        number ratio;
        /// Effective speed below which it is restrained as well, m/s.
        amount least_speed;
        /// Part of a body that must be at rest before it is restrained.
        number share;
        /// Time in which the momentum of restrained particles decays, s.
        amount fading;
    }
}

part! {
    /// A column of `probes.csv`.
    Probe, "probe"
}

impl Probe {
    /// A quantity under a name.
    pub fn new(name: &str, quantity: Quantity) -> Self {
        let pairs = [("name", Value::from(name)), ("quantity", choice(quantity))];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// Of a particle of a body, from 0.
    pub fn of(mut self, body: &str, particle: usize) -> Self {
        self.0.insert("body".to_owned(), body.into());
        self.0.insert("particle".to_owned(), count(particle));
        self
    }
}
