//! Equilibria, found by letting a scene come to rest in growing steps of backward Euler: the scheme removes energy
//! in every one of them, and a step much longer than the slowest swing is close to a solve of the static equations.

use pliant::core::State;
use pliant::scene::LoadedScene;

use crate::stepper::Stepper;

/// First step, s.
const FIRST: f64 = 2e-3;
/// Each step is this many times as long as the one before, up to
const GROWTH: f64 = 1.3;
/// the longest, s.
const LONGEST: f64 = 5.0;
/// At rest: no particle moves by more than this part of a step's length, m.
const STILL: f64 = 1e-9;
/// Largest number of attempts.
const MOST: usize = 400;

/// The equilibrium of a scene.
pub struct Rest {
    /// At rest.
    pub state: State,
    /// Steps it took.
    pub steps: usize,
    /// Steps that failed and were tried again at half the length.
    pub failed: usize,
}

/// Lets a scene come to rest; its pins must have stopped by `moving`, s.
///
/// # Errors
/// If it does not.
pub fn settle(scene: &LoadedScene, moving: f64) -> Result<Rest, String> {
    let mut stepper = Stepper::new(scene, "backward-euler");
    let (mut dt, mut steps, mut failed, mut last) = (FIRST, 0, 0, f64::INFINITY);
    while steps + failed < MOST {
        let before = stepper.state().clone();
        // while pins move, steps are short enough to follow them
        let length = if before.time < moving { dt.min(0.05 * moving) } else { dt };
        match stepper.step(length) {
            Err(failure) if dt < 1e-6 => return Err(format!("a step of {dt:e} s fails: {failure}")),
            Err(_) => {
                dt = 0.5 * length;
                failed += 1;
            }
            Ok(()) => {
                steps += 1;
                let now = stepper.state();
                last = now.x.iter().zip(&before.x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                if now.time > moving && dt >= LONGEST && last < STILL {
                    return Ok(Rest { state: now.clone(), steps, failed });
                }
                dt = LONGEST.min(GROWTH * dt);
            }
        }
    }
    Err(format!("still moves by {last:e} m a step of {dt} s after {steps} steps, {failed} of them failed"))
}
