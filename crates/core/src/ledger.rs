//! The energy budget. Every accepted step books the dissipated energy, the work of the pins, and the remainder: the error of the time
//! integration itself. By construction
//!
//! `total(t) - total(0) = viscous + loads + contact + colliders + pins + projection + fracture + integrator`
//!
//! and because the physical entries are integrated independently, `integrator` is the energy that the scheme gains or loses, up to the O(dt²)
//! error of the quadrature.
//!
//! Damping, drag and friction are integrated along the actual path: powers at the mean positions with the mean velocity `Δx/dt`, times
//! dt. With forces linear in the rate of a Green strain, which is quadratic in x, that rate is exactly `Δε/dt`, and no motion between the
//! two states dissipates less: the entry is never too large. Elements that damp the rate of a length, an angle or an area use its actual change.
//! (The mean of the powers at both ends is too large: a long step of a turning sheet ends with velocities along the chord, which stretch it although
//! it was not stretched; with that rule `cloth-on-sphere` seemed to lose 0.56 of its 0.52 J and to gain the difference by integration.) Energy that
//! a scheme takes from oscillations that it does not resolve is booked as `integrator`.
//! Pins, moving colliders, fluids and grains are booked by the mean of both ends.
//!
//! The energy that a scheme may gain before a run counts as wrong cannot be given in joules: heights have no zero, and scenes that start at rest
//! have none. The reference is the energy *available for motion* ([`Ledger::available`]): the kinetic energy of the start, the energy released by
//! potentials, and the energy supplied from outside, at its largest. It is `kinetic + lost - gained`, whatever the scheme gains, and however
//! accurately losses are booked. A scheme has exploded when the kinetic energy exceeds it ([`Ledger::excess`]). The entry `integrator` is no
//! criterion: where a steel cable is solved to a tenth of a millimetre, a step leaves joules of stretch in it, which move nothing, and the
//! next step removes them by damping.

use serde::{Deserialize, Serialize};

/// A kinetic energy above this multiple of the available energy is not an integration error but an explosion.
const ABSURD: f64 = 2.0;
/// Part of two sums below which their difference is rounding.
const ROUNDING: f64 = 1e-9;
/// Part of the energies of a system at rest that is negligible.
const REST: f64 = 1e-3;
/// An entry `integrator` above this multiple of the peak kinetic energy, and above this part of all other entries, needs an explanation.
const BESIDE_MOTION: f64 = 10.0;
const BESIDE_OTHERS: f64 = 0.1;

/// Energies of one state in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// ½ m v², pinned particles included.
    pub kinetic: f64,
    /// Energy of deformation.
    pub elastic: f64,
    /// Potential energy of height.
    pub gravity: f64,
}

impl Energy {
    /// Total energy, J.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// Powers of forces without a potential, W.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Powers {
    /// Damping and drag.
    pub viscous: f64,
    /// Wind, and loads that change with time.
    pub loads: f64,
    /// Friction.
    pub contact: f64,
    /// Moving colliders.
    pub colliders: f64,
}

/// What one state contributes to the energy budget.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// Energies.
    pub energy: Energy,
    /// Powers that are booked by the mean of both ends.
    pub powers: Powers,
    /// Power of the forces on pinned particles, W: the reaction of the pins balances it.
    pub force_power_on_pins: f64,
    /// Kinetic energy of pinned particles, J.
    pub pinned_kinetic: f64,
    /// Energy lost with broken bonds since the run began, J.
    pub released: f64,
}

/// Sums since the start, in joules; what leaves the system is negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Total energy at the start.
    pub start: f64,
    /// Work of damping and drag.
    pub viscous: f64,
    /// Work of wind, and of loads that change with time.
    #[serde(default)]
    pub loads: f64,
    /// Work of friction.
    pub contact: f64,
    /// Work of moving colliders.
    #[serde(default)]
    pub colliders: f64,
    /// Work of moving pins.
    pub pins: f64,
    /// Energy change by position-based projection.
    #[serde(default)]
    pub projection: f64,
    /// Energy lost with broken bonds.
    #[serde(default)]
    pub fracture: f64,
    /// Energy gained (positive) or lost by the integrator itself.
    pub integrator: f64,
    /// Energy supplied from outside: the entries above except `integrator`, each summed over the steps in which it is positive. (This and the
    /// following are no entries: the entries that are written add up to the energy.)
    #[serde(skip)]
    pub brought: f64,
    /// The largest energy available for motion: see [`Ledger::available`].
    #[serde(skip)]
    pub moved: f64,
    /// The largest kinetic energy at any time.
    #[serde(skip)]
    pub peak_kinetic: f64,
}

/// Energy changes made after the integrator's part of a step, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Corrections {
    /// By position-based projection.
    pub projection: f64,
    /// By the collision response, and the work of the forces that it fed back to this step.
    pub contact: f64,
}

impl Ledger {
    /// An energy budget that starts at an energy, J.
    pub fn starting_at(energy: &Energy) -> Self {
        Self { start: energy.total(), moved: energy.kinetic, peak_kinetic: energy.kinetic, ..Self::default() }
    }

    /// Books one accepted step of length `dt`, s, with the powers `midway` of forces that are not booked by both ends; returns the energy that
    /// the integrator gains in it, J.
    pub fn book(&mut self, from: &Account, to: &Account, midway: &Powers, dt: f64, corrections: &Corrections) -> f64 {
        let work = |power: fn(&Powers) -> f64| dt * (0.5 * (power(&from.powers) + power(&to.powers)) + power(midway));
        let viscous = work(|powers| powers.viscous);
        let loads = work(|powers| powers.loads);
        let pins =
            to.pinned_kinetic - from.pinned_kinetic - 0.5 * dt * (from.force_power_on_pins + to.force_power_on_pins);
        let contact = work(|powers| powers.contact) + corrections.contact;
        let colliders = work(|powers| powers.colliders);
        let projection = corrections.projection;
        let fracture = from.released - to.released;
        let booked = viscous + loads + contact + colliders + pins + projection + fracture;
        let integrator = to.energy.total() - from.energy.total() - booked;
        self.viscous += viscous;
        self.loads += loads;
        self.contact += contact;
        self.colliders += colliders;
        self.pins += pins;
        self.projection += projection;
        self.fracture += fracture;
        self.integrator += integrator;
        let entries = [viscous, loads, contact, colliders, pins, projection, fracture];
        self.brought += entries.iter().map(|work| work.max(0.0)).sum::<f64>();
        let (gained, with_gains) = (self.integrator.max(0.0), to.energy.kinetic + self.brought - self.booked());
        // the difference of two numbers of 10⁵⁰ J is no energy of motion
        if with_gains - gained > ROUNDING * with_gains.abs().max(gained) {
            self.moved = self.moved.max(with_gains - gained);
        }
        // an infinite value is stored as the largest finite number
        let kinetic = if to.energy.kinetic.is_finite() { to.energy.kinetic } else { f64::MAX };
        self.peak_kinetic = self.peak_kinetic.max(kinetic);
        integrator
    }

    /// The largest energy available for motion at any time, J, without the integrator's gain: kinetic energy of the start, energy released by
    /// potentials, and energy supplied from outside.
    pub fn available(&self) -> f64 {
        self.moved.max(self.brought)
    }

    /// Ratio of the peak kinetic energy to the available energy, if it exceeds the error that a scheme may have (∞ where none was available).
    /// `now` are the energies at the end.
    pub fn excess(&self, now: &Energy) -> Option<f64> {
        // A system at rest has no energy available, and solvers leave a small part of its loads as residual: that is no gain.
        let noise = REST * (self.start.abs() + now.elastic.abs() + now.gravity.abs());
        let is_absurd = self.peak_kinetic == f64::MAX || self.peak_kinetic > ABSURD * (self.available() + noise);
        let times = self.peak_kinetic / self.available();
        is_absurd.then_some(if times.is_finite() { times } else { f64::INFINITY })
    }

    /// The entry `integrator`, if it is large against both the motion and all other energies: it is then no property of the motion. `now` are the
    /// energies at the end, `negligible` is an energy, J.
    pub fn unexplained(&self, now: &Energy, negligible: f64) -> Option<f64> {
        let others = self.entries().iter().map(|entry| entry.abs()).sum::<f64>() + now.elastic.abs();
        let noise = REST * (self.start.abs() + now.gravity.abs());
        let is_large = self.integrator.abs() > BESIDE_MOTION * self.peak_kinetic.max(negligible) + noise;
        (is_large && self.integrator.abs() > BESIDE_OTHERS * others).then_some(self.integrator)
    }

    /// The sum of all entries except `integrator`, J.
    fn booked(&self) -> f64 {
        self.entries().iter().sum()
    }

    /// All entries except `integrator`, J.
    fn entries(&self) -> [f64; 7] {
        [self.viscous, self.loads, self.contact, self.colliders, self.pins, self.projection, self.fracture]
    }

    /// The energy now according to the budget, J.
    pub fn expected_total(&self) -> f64 {
        self.start + self.booked() + self.integrator
    }
}
