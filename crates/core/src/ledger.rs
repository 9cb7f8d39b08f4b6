//! Where the energy went. Every accepted step books what was dissipated, what the pins brought in, and what is left over: the error
//! of the time integration itself. By construction
//!
//! `total(t) - total(0) = viscous + contact + pins + projection + fracture + integrator`
//!
//! and because the physical entries are integrated independently, `integrator` really is what the scheme gained or lost, up to the O(dt²)
//! error of the rule that integrates them.
//!
//! Damping, drag and friction are booked by the way that was really gone: powers at the mean positions with the mean velocity `Δx/dt`, times
//! dt. With forces linear in the rate of a Green strain, which is quadratic in x, that rate is exactly `Δε/dt`, and no motion between the
//! two states loses less: what is booked is never too much. Lengths, angles and areas that are damped by their rate tell by how much they changed. (The mean of the powers at both ends is: a long step of a turning sheet ends with
//! velocities along the chord, which stretch it though it was not stretched; `cloth-on-sphere` was once said to lose 0.56 of
//! its 0.52 J that way and to gain the difference by integration.) What a scheme takes from swings that it does not resolve is `integrator`'s.
//! Pins, moving colliders, fluids and grains are booked by the mean of both ends.
//!
//! How much energy a scheme may gain before something is wrong has no answer in joules: heights have no zero, and scenes that start at rest
//! have nothing. What has one is the energy that *there was to move* ([`Ledger::available`]): what moved at the start, what potentials gave
//! away, and what came in from outside, at its largest. It is `kinetic + lost - gained`, whatever the scheme gained, and however well losses are
//! booked. A scheme has exploded when more than that moves ([`Ledger::excess`]). The entry `integrator` does not tell: where a steel
//! cable is solved to a tenth of a millimetre, a step leaves joules of stretch in it, which move nothing, and the next takes them out by damping.

use serde::{Deserialize, Serialize};

/// Kinetic energy of more than this times what there was to move is not an error of a scheme but an explosion.
const ABSURD: f64 = 2.0;
/// Part of two sums below which their difference is rounding.
const ROUNDING: f64 = 1e-9;
/// Part of the energies of something at rest that is not worth a word.
const REST: f64 = 1e-3;

/// Energies of one state in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// ½ m v², pinned particles included.
    pub kinetic: f64,
    /// Energy of deformation.
    pub elastic: f64,
    /// Energy of height.
    pub gravity: f64,
}

impl Energy {
    /// All of it, J.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// What forces without a potential do, W.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Powers {
    /// Damping, drag and wind.
    pub viscous: f64,
    /// Friction and moving colliders.
    pub contact: f64,
}

/// What one state contributes to the books.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// Energies.
    pub energy: Energy,
    /// Powers that are booked by the mean of both ends.
    pub powers: Powers,
    /// Power of the forces on pinned particles, W: what the pins must hold against.
    pub force_power_on_pins: f64,
    /// Kinetic energy of pinned particles, J.
    pub pinned_kinetic: f64,
    /// What has left with what broke since the run began, J.
    pub released: f64,
}

/// Sums since the start, in joules; what leaves the system is negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Total energy at the start.
    pub start: f64,
    /// Work of damping, drag and wind.
    pub viscous: f64,
    /// Work of friction and moving colliders.
    pub contact: f64,
    /// Work of moving pins.
    pub pins: f64,
    /// What position-based projection brought in.
    #[serde(default)]
    pub projection: f64,
    /// What left with bonds that broke.
    #[serde(default)]
    pub fracture: f64,
    /// What the integrator itself gained (positive) or lost.
    pub integrator: f64,
    /// What came in from outside: the entries above without the integrator's, each in those steps alone in which it was positive. (It and
    /// what follows are no entries: those that are written add up to the energy.)
    #[serde(skip)]
    pub brought: f64,
    /// The most energy that there was to move: see [`Ledger::available`].
    #[serde(skip)]
    pub moved: f64,
    /// The most kinetic energy at any time.
    #[serde(skip)]
    pub peak_kinetic: f64,
}

/// What was changed after the integrator had done its part of a step, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Corrections {
    /// By position-based projection.
    pub projection: f64,
    /// By the response to collisions, and the work of what it gave to this step.
    pub contact: f64,
}

impl Ledger {
    /// Books that start at an energy, J.
    pub fn starting_at(energy: &Energy) -> Self {
        Self { start: energy.total(), moved: energy.kinetic, peak_kinetic: energy.kinetic, ..Self::default() }
    }

    /// Books one accepted step of length `dt`, s, with the powers `midway` of what is not booked by both ends; returns what the integrator
    /// gained in it, J.
    pub fn book(&mut self, from: &Account, to: &Account, midway: &Powers, dt: f64, corrections: &Corrections) -> f64 {
        let work = |power: fn(&Powers) -> f64| dt * (0.5 * (power(&from.powers) + power(&to.powers)) + power(midway));
        let viscous = work(|powers| powers.viscous);
        let pins =
            to.pinned_kinetic - from.pinned_kinetic - 0.5 * dt * (from.force_power_on_pins + to.force_power_on_pins);
        let contact = work(|powers| powers.contact) + corrections.contact;
        let projection = corrections.projection;
        let fracture = from.released - to.released;
        let integrator = to.energy.total() - from.energy.total() - viscous - contact - pins - projection - fracture;
        self.viscous += viscous;
        self.contact += contact;
        self.pins += pins;
        self.projection += projection;
        self.fracture += fracture;
        self.integrator += integrator;
        self.brought += [viscous, contact, pins, projection, fracture].iter().map(|work| work.max(0.0)).sum::<f64>();
        let (gained, with_gains) = (self.integrator.max(0.0), to.energy.kinetic + self.brought - self.booked());
        // the difference of two numbers of 10⁵⁰ J is not something that moved
        if with_gains - gained > ROUNDING * with_gains.abs().max(gained) {
            self.moved = self.moved.max(with_gains - gained);
        }
        // beyond numbers it is as large as can be written down
        let kinetic = if to.energy.kinetic.is_finite() { to.energy.kinetic } else { f64::MAX };
        self.peak_kinetic = self.peak_kinetic.max(kinetic);
        integrator
    }

    /// The most energy that there was to move at any time, J, without what the integrator gained: kinetic energy of the start, what
    /// potentials had given away, and what came in from outside.
    pub fn available(&self) -> f64 {
        self.moved.max(self.brought)
    }

    /// How many times what there was to move did move, if that is more than a scheme may err by (∞ where nothing could move). `now` are the
    /// energies at the end.
    pub fn excess(&self, now: &Energy) -> Option<f64> {
        // What is at rest has nothing to move, and solvers leave a little of what presses on it: that is no gain.
        let noise = REST * (self.start.abs() + now.elastic.abs() + now.gravity.abs());
        let is_absurd = self.peak_kinetic == f64::MAX || self.peak_kinetic > ABSURD * (self.available() + noise);
        let times = self.peak_kinetic / self.available();
        is_absurd.then_some(if times.is_finite() { times } else { f64::INFINITY })
    }

    /// Everything but the integrator's entry, J.
    fn booked(&self) -> f64 {
        self.viscous + self.contact + self.pins + self.projection + self.fracture
    }

    /// What the books say the energy must be now, J.
    pub fn expected_total(&self) -> f64 {
        self.start + self.booked() + self.integrator
    }
}
