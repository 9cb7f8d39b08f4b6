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
//! two states loses less: what is booked is never too much. (The mean of the powers at both ends is: a long step of a turning sheet ends with
//! velocities along the chord, which stretch it though it was not stretched; `cloth-on-sphere` was once said to lose 0.56 of
//! its 0.52 J that way and to gain the difference by integration.) What a scheme takes from swings that it does not resolve is `integrator`'s.
//! Pins, moving colliders, fluids and grains are booked by the mean of both ends.

use serde::{Deserialize, Serialize};

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
    pub fn starting_at(total: f64) -> Self {
        Self { start: total, ..Self::default() }
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
        integrator
    }

    /// What the books say the energy must be now, J.
    pub fn expected_total(&self) -> f64 {
        self.start + self.viscous + self.contact + self.pins + self.projection + self.fracture + self.integrator
    }
}
