//! Sweeps: one scene, run with every combination of some values. The grid, its checks, the folder of results and the table are here, so that
//! the command line and Python share them; each starts the runs itself.

pub mod grid;
pub mod store;
pub mod table;

use pliant_scene::{LoadedScene, SceneError, load};
use serde::{Deserialize, Serialize};

pub use grid::{Run, Vary};
pub use store::{RunResult, Status, Store};

/// With more combinations than this, each value is tried with the first ones of the others, and not every combination.
const TRY_ALL: usize = 2_000;

/// Why a sweep cannot begin.
#[derive(Clone, Debug, PartialEq)]
pub enum SweepError {
    /// The number of runs is zero or too large.
    Grid(String),
    /// The varied keys or values are invalid.
    Vary(String),
    /// A combination gives an invalid scene.
    Scene(SceneError),
}

impl std::fmt::Display for SweepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Grid(message) | Self::Vary(message) => f.write_str(message),
            Self::Scene(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SweepError {}

/// What is swept: enough to distinguish one sweep from another. Kept beside the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The scene, as it was given.
    pub scene: String,
    /// Changes made to it in all runs.
    pub set: Vec<String>,
    /// What is varied; the last key changes fastest.
    pub vary: Vec<Vary>,
    /// Runs of each combination.
    pub repeat: usize,
    /// Fingerprint of the scene with the first combination.
    pub fingerprint: String,
}

/// A sweep that has been checked.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What is swept.
    pub plan: Plan,
    count: usize,
    first: LoadedScene,
}

impl Sweep {
    /// Checks a sweep of a scene file or a built-in scene.
    pub fn new(scene: &str, set: &[String], vary: Vec<Vary>, repeat: usize) -> Result<Self, SweepError> {
        Self::of(scene, set, vary, repeat, &|changes| load(scene, changes))
    }

    /// The same for a scene that comes from elsewhere: `load` reads it with changes.
    pub fn of(
        scene: &str,
        set: &[String],
        mut vary: Vec<Vary>,
        repeat: usize,
        load: &dyn Fn(&[String]) -> Result<LoadedScene, SceneError>,
    ) -> Result<Self, SweepError> {
        let count = grid::count(&vary, repeat)?;
        let changes = [set, &grid::run(&vary, repeat, 0).assignments].concat();
        let first = load(&changes).map_err(SweepError::Scene)?;
        for one in &mut vary {
            let path = first.document.canonical(&one.path);
            one.path = path.map_err(|why| SweepError::Vary(format!("{}: {why}", one.path)))?;
        }
        refuse_same_keys(&first, set, &vary)?;
        let fingerprint = format!("{:016x}", first.fingerprint());
        let plan = Plan { scene: scene.to_owned(), set: set.to_vec(), vary, repeat, fingerprint };
        let sweep = Self { plan, count, first };
        sweep.try_values()?;
        Ok(sweep)
    }

    /// How many runs there are.
    #[allow(clippy::len_without_is_empty)] // there is always one
    pub fn len(&self) -> usize {
        self.count
    }

    /// All runs, in their order.
    pub fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        (0..self.count).map(|k| self.run(k))
    }

    /// Run `k`, from 0.
    pub fn run(&self, k: usize) -> Run {
        grid::run(&self.plan.vary, self.plan.repeat, k)
    }

    /// The name of the scene.
    pub fn name(&self) -> &str {
        &self.first.name
    }

    /// The scene of a run, as it was when the sweep began.
    pub fn scene(&self, run: &Run) -> Result<LoadedScene, SceneError> {
        self.first.with(&run.assignments)
    }

    /// Errors are found now and not after hours.
    fn try_values(&self) -> Result<(), SweepError> {
        let Plan { vary, repeat, .. } = &self.plan;
        let attempt = |assignments: &[String]| self.first.with(assignments).map(drop).map_err(SweepError::Scene);
        if self.count / repeat <= TRY_ALL {
            return (0..self.count).step_by(*repeat).try_for_each(|k| attempt(&self.run(k).assignments));
        }
        vary.iter()
            .try_for_each(|one| one.values.iter().try_for_each(|value| attempt(&[format!("{}={value}", one.path)])))
    }
}

fn refuse_same_keys(scene: &LoadedScene, set: &[String], vary: &[Vary]) -> Result<(), SweepError> {
    for (k, one) in vary.iter().enumerate() {
        let path = &one.path;
        if vary[..k].iter().any(|other| other.path == *path) {
            return Err(SweepError::Vary(format!("{path}: is given twice; put all its values into one list")));
        }
        let key = |assignment: &String| {
            let (key, _) = pliant_scene::locate::split_assignment(assignment)?;
            scene.document.canonical(key).ok()
        };
        if set.iter().filter_map(key).any(|other| other == *path) {
            return Err(SweepError::Vary(format!("{path}: is also set for all runs, which would have no effect")));
        }
    }
    Ok(())
}
