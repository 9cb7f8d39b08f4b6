//! `pliant check` says about how long steps will be, within a factor of 1.5 of the mean of a short run.

use pliant::inspect::explain;
use pliant::scene::builtin::SCENES;
use pliant::scene::load;
use pliant::scene::units::{dimension, parse_quantity};

/// The step that `check` tells, s.
fn told(name: &str) -> Option<f64> {
    let lines = explain(&load(name, &[]).unwrap()).unwrap();
    let line = lines.iter().find_map(|line| line.trim_start().strip_prefix("steps of about "))?;
    let dt = line.split(" at the start").next()?;
    Some(parse_quantity::<dimension::Time>(dt).unwrap_or_else(|why| panic!("{dt}: {why}")).si())
}

/// The mean of so many steps, or of those until a time, s.
fn mean(name: &str, steps: u64, until: f64) -> f64 {
    let mut simulation = load(name, &[]).unwrap().build().unwrap().simulation;
    while simulation.tally().steps < steps && simulation.state().time < until && !simulation.is_done() {
        simulation.step().unwrap();
    }
    simulation.state().time / simulation.tally().steps as f64
}

#[test]
fn explicit_scenes_take_the_steps_that_are_forecast() {
    let mut count = 0;
    for (name, _) in SCENES {
        if load(name, &[]).unwrap().checked.integrator.properties.is_implicit() {
            continue;
        }
        count += 1;
        let told = told(name).unwrap_or_else(|| panic!("{name}: no step is told"));
        // long enough for the water to lie in the sheet
        let (steps, until) = if *name == "water-and-cloth" { (u64::MAX, 0.3) } else { (10, f64::INFINITY) };
        let ratio = told / mean(name, steps, until);
        assert!((1.0 / 1.5..=1.5).contains(&ratio), "{name}: {told} s is told, {ratio} times the mean");
    }
    assert!(count >= 14, "{count} scenes");
}
