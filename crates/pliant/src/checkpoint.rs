//! From a simulation to a checkpoint and back: what `--resume` and Python's `save` and `load` share.

use pliant_core::Point;
use pliant_record::Checkpoint;
use pliant_time::{Progress, Simulation};

use crate::folder::note;

/// Everything that a simulation needs to go on as if it had not stopped. `seconds`: wall-clock time so far. Files and edits are for the
/// caller to fill in.
pub fn of(simulation: &Simulation, fingerprint: u64, seconds: f64) -> Checkpoint {
    let (mut numbers, counts) = simulation.progress().to_parts();
    numbers.push(seconds);
    let point = simulation.point().clone();
    Checkpoint { fingerprint, point, numbers, counts, note: note(), ..Checkpoint::default() }
}

/// Restores a simulation from a checkpoint of the same scene, and returns the wall-clock time until then, s. `None`, and nothing changes, if
/// its shape is not that of the scene.
pub fn restore(simulation: &mut Simulation, checkpoint: &Checkpoint) -> Option<f64> {
    let (seconds, numbers) = checkpoint.numbers.split_last().unwrap_or((&0.0, &[]));
    let progress = Progress::from_parts(numbers, &checkpoint.counts)
        .filter(|_| fits(&checkpoint.point, simulation.state().len()))?;
    simulation.restore(checkpoint.point.clone(), progress);
    Some(*seconds)
}

/// The warning for a checkpoint that another program or machine wrote.
pub fn warning(checkpoint: &Checkpoint) -> Option<String> {
    let (theirs, ours) = (&checkpoint.note, note());
    let differs = || format!("the checkpoint was written by {theirs}, this is {ours}: the last digits may differ");
    (*theirs != ours).then(differs)
}

/// Whether every array of a point has one entry per particle.
fn fits(point: &Point, particles: usize) -> bool {
    let state = &point.state;
    let lengths = [state.x.len(), state.v.len(), point.force.len()];
    lengths.into_iter().chain(point.memory.vectors.iter().map(Vec::len)).all(|length| length == particles)
}
