//! Folders and systems for the tests.
#![allow(dead_code)] // every test file uses its own part

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_core::{Body, Path as PinPath, Pin, State, System};

/// An empty folder of this test's own.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("record").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Names of all files in a folder, hidden ones included, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Seven particles: a triangle, one in no body, a pair (the second pinned), and one of a body that has no edge.
pub fn system() -> System {
    let body = |name: &str, particles, edges: &[[u32; 2]]| Body {
        name: name.into(),
        particles,
        edges: edges.to_vec(),
        ..Body::default()
    };
    let bodies =
        vec![body("triangle", 0..3, &[[0, 1], [1, 2], [2, 0]]), body("pair", 4..6, &[[5, 4]]), body("dust", 6..7, &[])];
    let pin = Pin { particle: 5, path: PinPath::Fixed(DVec3::ONE) };
    System::new((1..=7).map(|i| 0.1 * f64::from(i)).collect(), vec![pin], vec![], bodies).unwrap()
}

/// A state whose numbers have no short form.
pub fn state(count: usize, time: f64) -> State {
    let number = |i: usize| (time + 1.0) * (1.0 + i as f64).sqrt().ln() - 0.3;
    let vector = |i: usize| DVec3::new(number(3 * i), number(3 * i + 1), number(3 * i + 2));
    State { time, x: (0..count).map(vector).collect(), v: (count..2 * count).map(vector).collect() }
}

/// The bits of vectors, for comparing NaN too.
pub fn bits(vectors: &[DVec3]) -> Vec<[u64; 3]> {
    vectors.iter().map(|vector| vector.to_array().map(f64::to_bits)).collect()
}
