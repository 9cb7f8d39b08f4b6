//! The fuzz targets without a fuzzer: inputs of a fixed seed, made of the same first inputs. `fuzz/run.sh` runs the targets themselves.

#[path = "../../../../fuzz/src/entry.rs"]
mod entry;
#[path = "../../../../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../../../../fuzz/src/seeds.rs"]
mod seeds;
#[path = "../../../../fuzz/src/size.rs"]
mod size;
#[path = "../../../../fuzz/src/viewer.rs"]
mod viewer;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use entry::{MAX_INPUT, TARGETS, run};
use mutate::{Random, input};
use seeds::seeds;

/// No input of this length may take longer.
const MOST: Duration = Duration::from_secs(20);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs an input and says which one it was if it fails; returns whether it was read.
fn tried(name: &str, number: usize, bytes: &[u8]) -> bool {
    let begun = Instant::now();
    let shown = || String::from_utf8_lossy(bytes).into_owned();
    let Ok(is_read) = catch_unwind(AssertUnwindSafe(|| run(name, bytes))) else {
        panic!("{name}: input {number} fails; its {} bytes are\n{}\n{bytes:?}", bytes.len(), shown());
    };
    let taken = begun.elapsed();
    assert!(taken < MOST, "{name}: input {number} takes {taken:?}; its {} bytes are\n{}", bytes.len(), shown());
    is_read
}

/// The first inputs, then `count` mutated ones.
fn fuzz(name: &str, count: usize) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target has this name");
    let first: Vec<Vec<u8>> = seeds(&root(), name).into_iter().filter(|bytes| bytes.len() <= MAX_INPUT).collect();
    for (number, bytes) in first.iter().enumerate() {
        let _ = tried(name, number, bytes);
    }
    let mut random = Random(0);
    let made = first.len()..first.len() + count;
    let read = made.filter(|number| tried(name, *number, &input(&mut random, &first, target.is_text))).count();
    println!("{name}: {read} of {count} inputs are read");
    assert!(50 * read > count, "{name}: only {read} of {count} inputs are read: the others show little");
}

macro_rules! twins {
    ($($name:ident: $count:literal,)*) => {
        $(
            #[test]
            fn $name() {
                fuzz(stringify!($name), $count);
            }
        )*

        /// In the order of the targets.
        const TWINS: &[&str] = &[$(stringify!($name)),*];
    };
}

twins! {
    scene: 30_000,
    set: 20_000,
    viewer: 2000,
    obj: 20_000,
    ply: 30_000,
    stl: 30_000,
    vtk: 40_000,
    vtu: 40_000,
    gmsh: 40_000,
    tetgen: 30_000,
    checkpoint: 10_000,
}

#[test]
fn every_target_has_a_twin_and_a_file() {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(names, TWINS);
    let manifest = std::fs::read_to_string(root().join("fuzz/Cargo.toml")).expect("the manifest can be read");
    for name in names {
        let path = root().join(format!("fuzz/fuzz_targets/{name}.rs"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(text.contains(&format!("run(\"{name}\", data)")), "{text}");
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name} is not in the manifest");
    }
}

/// The same inputs on every machine: a failure can be repeated.
#[test]
fn inputs_are_reproducible_and_vary() {
    let first = seeds(&root(), "obj");
    let made = |seed| {
        let mut random = Random(seed);
        (0..100).map(|_| input(&mut random, &first, true)).collect::<Vec<_>>()
    };
    assert_eq!(made(1), made(1));
    assert_ne!(made(1), made(2));
    let mut different = made(1);
    different.sort();
    different.dedup();
    assert!(different.len() > 80, "{}", different.len());
}
