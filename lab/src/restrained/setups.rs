//! The scenes of [Restrained] tables 1 to 3, and all thresholds that they are restrained by here.

/// The compared quantities, and the second full run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Chaotic: centre, heights and kinetic energy, beside those of a full run from places that are 1e-12 of a spacing away.
    Fluid,
    /// Comes to the same rest: distances of particles, beside a full run with the default integrator of the scene.
    Cloth,
}

/// A line of the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// Which table.
    pub table: u32,
    /// Computation time without and with restraint, s.
    pub seconds: [f64; 2],
    /// Speed-up: smallest, largest, mean.
    pub gains: [f64; 3],
}

/// Our goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aims {
    /// Total time of the full simulation over that of the restrained one.
    pub mean: f64,
    /// The largest ratio over a window.
    pub peak: Option<f64>,
}

/// A scene, how it is restrained, and what is said of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Of the experiment.
    pub id: &'static str,
    /// Of the experiment.
    pub title: &'static str,
    /// The built-in scene.
    pub scene: &'static str,
    /// Changes for all runs.
    pub changes: &'static [&'static str],
    /// Changes for the full and for the restrained run: an integrator that supports restraint.
    pub scheme: &'static [&'static str],
    /// Changes for the restrained run: the thresholds.
    pub restraint: &'static [&'static str],
    /// The same with other thresholds, to show the cost of a gain.
    pub others: &'static [&'static [&'static str]],
    /// How long it runs, s.
    pub until: f64,
    /// See there.
    pub kind: Kind,
    /// See there.
    pub printed: Printed,
    /// See there.
    pub aims: Aims,
}

/// No scene may be slower than this part of the full one.
pub const MIN_GAIN: f64 = 0.95;
/// Largest difference of a fluid, as a multiple of that of two full runs.
pub const TIMES_CHAOS: f64 = 2.0;
/// Largest distance of cloth at rest from the full run, m.
pub const AT_REST: f64 = 1e-3;

/// Table 1.
pub const BLOCK_OF_WATER: Setup = Setup {
    id: "restrained-block-of-water",
    title: "A block of water, restrained",
    scene: "block-of-water",
    changes: &[],
    scheme: &[],
    restraint: &["restraint.speed=\"5 cm/s\""],
    others: &[
        &["restraint.speed=\"5 cm/s\"", "restraint.fading=\"100 ms\""],
        &["restraint.speed=\"2 cm/s\"", "restraint.fading=\"100 ms\""],
    ],
    until: 15.0,
    kind: Kind::Fluid,
    printed: Printed { table: 1, seconds: [893.0, 232.0], gains: [0.91, 25.73, 3.85] },
    aims: Aims { mean: 3.85, peak: Some(25.0) },
};

/// Table 2.
pub const PERMANENT_FLOW: Setup = Setup {
    id: "restrained-permanent-flow",
    title: "A permanent flow, restrained",
    scene: "permanent-flow",
    changes: &[],
    scheme: &[],
    restraint: &["restraint.speed=\"5 cm/s\""],
    others: &[],
    until: 30.0,
    kind: Kind::Fluid,
    printed: Printed { table: 2, seconds: [2166.0, 814.0], gains: [0.83, 3.99, 2.66] },
    aims: Aims { mean: 2.66, peak: None },
};

/// Table 3.
pub const HANGING_CLOTH: Setup = Setup {
    id: "restrained-hanging-cloth",
    title: "A hanging cloth, restrained",
    scene: "hanging-cloth",
    changes: &[],
    scheme: &["time.integrator=\"backward-euler\""],
    restraint: &["restraint.speed=\"2 cm/s\""],
    others: &[&["restraint.speed=\"4 cm/s\""], &["restraint.speed=\"1 cm/s\""], &["restraint.speed=\"5 mm/s\""]],
    until: 20.0,
    kind: Kind::Cloth,
    printed: Printed { table: 3, seconds: [16.9, 6.2], gains: [0.77, 15.16, 2.73] },
    aims: Aims { mean: 2.73, peak: Some(15.0) },
};
