//! Golden states: what the first accepted steps of every built-in scene lead to. A change that is meant to leave results alone leaves these
//! alone. After a change that is meant to be seen: `PLIANT_BLESS=1 cargo test -p pliant --test scenes golden_states`, and the commit says why.
//!
//! On an instruction level (`simd` in `stats.json`) that has a golden hash, every bit of the state must agree; elsewhere sampled positions
//! must, within a small part of the scene's size.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pliant::core::State;
use pliant::scene::builtin::SCENES;
use pliant::scene::load;
use pliant::summary::instruction_level;
use serde_json::{Value, json};

const STEPS: usize = 20;
/// Positions kept of a scene, for instruction levels without a hash.
const SAMPLES: usize = 12;
/// Largest difference of such a position, as a part of the scene's size.
const TOLERANCE: f64 = 1e-6;

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/states.json")
}

fn state_after_steps(scene: &str) -> State {
    let loaded = load(scene, &[]).unwrap_or_else(|error| panic!("{scene}: {error}"));
    let mut simulation = loaded.build().unwrap_or_else(|error| panic!("{scene}: {error}")).simulation;
    for _ in 0..STEPS {
        if simulation.is_done() {
            break;
        }
        simulation.step().unwrap_or_else(|error| panic!("{scene}: {error}"));
    }
    simulation.state().clone()
}

fn samples(state: &State) -> Vec<[f64; 3]> {
    let stride = state.x.len().div_ceil(SAMPLES).max(1);
    state.x.iter().step_by(stride).map(|x| x.to_array()).collect()
}

/// Largest extent of the particles, m; 1 where they are all in one place.
fn size(state: &State) -> f64 {
    let (min, max) = state.x.iter().fold((state.x[0], state.x[0]), |(min, max), x| (min.min(*x), max.max(*x)));
    let size = (max - min).max_element();
    if size > 0.0 { size } else { 1.0 }
}

fn entry(state: &State, old: &Value) -> Value {
    let mut hashes = old["hashes"].as_object().cloned().unwrap_or_default();
    if old["positions"] != json!(samples(state)) {
        // hashes of other levels belong to the old positions
        hashes.clear();
    }
    hashes.insert(instruction_level().into(), json!(format!("{:016x}", state.hash())));
    json!({ "time": state.time, "particles": state.x.len(), "hashes": hashes, "positions": samples(state) })
}

fn mismatch(state: &State, golden: &Value) -> Option<String> {
    if golden["particles"] != json!(state.x.len()) {
        return Some(format!("{} particles, golden {}", state.x.len(), golden["particles"]));
    }
    if let Some(hash) = golden["hashes"][instruction_level()].as_str() {
        let now = format!("{:016x}", state.hash());
        return (now != hash).then(|| format!("state {now}, golden {hash}"));
    }
    let positions: Vec<[f64; 3]> = serde_json::from_value(golden["positions"].clone()).expect("positions");
    let differences =
        samples(state).into_iter().zip(positions).flat_map(|(a, b)| (0..3).map(move |k| (a[k] - b[k]).abs()));
    let largest = differences.fold(0.0, f64::max);
    (largest > TOLERANCE * size(state)).then(|| format!("a position differs by {largest:e} m"))
}

#[test]
fn the_first_steps_of_every_scene_are_those_that_were_blessed() {
    let text = std::fs::read_to_string(file()).unwrap_or_else(|_| "{}".into());
    let golden: BTreeMap<String, Value> = serde_json::from_str(&text).expect("golden/states.json is JSON");
    let bless = std::env::var_os("PLIANT_BLESS").is_some_and(|value| value == "1");
    let (mut blessed, mut failures) = (BTreeMap::new(), Vec::new());
    for (scene, _) in SCENES {
        let state = state_after_steps(scene);
        let old = golden.get(*scene).cloned().unwrap_or(Value::Null);
        if bless {
            blessed.insert((*scene).to_owned(), entry(&state, &old));
        } else if let Some(message) = mismatch(&state, &old) {
            failures.push(format!("{scene}: {message}"));
        }
    }
    if bless {
        let text = serde_json::to_string_pretty(&blessed).expect("numbers and strings");
        std::fs::write(file(), text + "\n").expect("golden/ can be written");
    }
    assert!(failures.is_empty(), "{} scenes changed:\n{}", failures.len(), failures.join("\n"));
    assert!(bless || golden.len() == SCENES.len(), "golden/states.json lists scenes that are not built in");
}
