//! Quantities of `[[probe]]`.

use pliant_core::{StepReport, System};
use pliant_time::Simulation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Position of a particle, m.
    Position,
    /// Velocity of a particle, m/s.
    Velocity,
    /// Force on a particle, N.
    Force,
    /// Mean position of a body, weighted by mass, m.
    MeanPosition,
    /// Total energy of everything, J.
    Energy,
    /// Kinetic energy of everything, J.
    KineticEnergy,
    /// Energy of deformation, J.
    ElasticEnergy,
    /// Energy of height, J.
    GravityEnergy,
    /// Energy that the integrator itself has gained since the start, J.
    IntegratorEnergy,
    /// Length of the last step, s.
    Dt,
    /// Error of the last step as its controller judged it, m (NaN where it judges none).
    Error,
    /// Part of all particles that moves, in transition or freely: 1 without restraint.
    ActiveFraction,
}

impl Quantity {
    /// Whether it has three components.
    pub fn is_vector(self) -> bool {
        matches!(self, Self::Position | Self::Velocity | Self::Force | Self::MeanPosition)
    }

    /// Whether it belongs to a particle or body.
    pub fn needs_body(self) -> bool {
        self.is_vector()
    }
}

/// A probe with its particle resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Column name.
    pub name: String,
    /// What.
    pub quantity: Quantity,
    /// Particle of the system.
    pub particle: usize,
    /// Particles of its body.
    pub body: std::ops::Range<usize>,
}

impl Probe {
    /// Its column names.
    pub fn columns(&self) -> Vec<String> {
        if self.quantity.is_vector() {
            ["x", "y", "z"].iter().map(|axis| format!("{}.{axis}", self.name)).collect()
        } else {
            vec![self.name.clone()]
        }
    }

    /// Appends its values. The force is evaluated again where the scheme left it unknown.
    pub fn measure(&self, simulation: &mut Simulation, report: &StepReport, out: &mut Vec<f64>) {
        let energy = simulation.account().energy;
        let scalar = match self.quantity {
            Quantity::Position => return out.extend(simulation.state().x[self.particle].to_array()),
            Quantity::Velocity => return out.extend(simulation.state().v[self.particle].to_array()),
            Quantity::Force => return out.extend(simulation.force_at(self.particle).to_array()),
            Quantity::MeanPosition => return out.extend(mean(&simulation.system, simulation.state(), &self.body)),
            Quantity::Energy => energy.total(),
            Quantity::KineticEnergy => energy.kinetic,
            Quantity::ElasticEnergy => energy.elastic,
            Quantity::GravityEnergy => energy.gravity,
            Quantity::IntegratorEnergy => simulation.ledger().integrator,
            Quantity::Dt => report.dt,
            Quantity::Error => report.error,
            Quantity::ActiveFraction => report.activities.moving(),
        };
        out.push(scalar);
    }
}

fn mean(system: &System, state: &pliant_core::State, body: &std::ops::Range<usize>) -> [f64; 3] {
    let masses = &system.masses()[body.clone()];
    let sum: glam::DVec3 = masses.iter().zip(&state.x[body.clone()]).map(|(m, x)| *x * *m).sum();
    (sum / masses.iter().sum::<f64>()).to_array()
}
