//! `--error` over the catalog: the error that it quotes is never too small, by references that are far finer and of another scheme.
//! The table of all cases: `cargo test -p pliant --test laws_time verified -- --nocapture`.

use std::path::PathBuf;

use pliant::record::largest_difference;
use pliant::runner::{RunOptions, Silent, run};
use pliant::scene::load;
use pliant::verify::run_verified;

/// A scene with changes, and what is asked of it.
struct Case {
    scene: &'static str,
    changes: &'static [&'static str],
    integrators: &'static [&'static str],
    /// m
    error: f64,
    /// The scheme of the reference, and its changes.
    reference: &'static [&'static str],
}

/// Explicit and exact to rounding, for what is not stiff.
const BY_STEPS: &[&str] = &["time.integrator=rk4", "time.control.kind=fixed", "time.control.dt=50 us"];
/// For what is stiff.
const BY_TOLERANCE: &[&str] = &["time.integrator=tr-bdf2", "time.control.tolerance=1e-8"];
/// The same for larger ones.
const BY_TOLERANCE_LARGE: &[&str] = &["time.integrator=tr-bdf2", "time.control.tolerance=1e-7"];

const CASES: &[Case] = &[
    Case {
        scene: "nonlinear-spring",
        changes: &["time.until=2"],
        integrators: &["newmark", "bdf2", "backward-euler", "velocity-verlet", "tr-bdf2", "linearized-backward-euler"],
        error: 1e-3,
        reference: BY_STEPS,
    },
    Case {
        scene: "pendulum",
        changes: &["time.until=2"],
        integrators: &["newmark", "bdf2", "bdf3", "rk4", "tr-bdf2"],
        error: 1e-3,
        reference: BY_STEPS,
    },
    Case {
        scene: "spring-chain",
        changes: &["time.until=0.5"],
        integrators: &["newmark", "bdf2", "bdf3", "backward-euler", "tr-bdf2"],
        error: 2e-3,
        reference: BY_STEPS,
    },
    Case {
        scene: "sheared-bar",
        changes: &["time.until=0.3"],
        integrators: &["newmark", "bdf2", "bdf3", "tr-bdf2", "backward-euler"],
        error: 1e-3,
        reference: BY_TOLERANCE,
    },
    Case {
        scene: "hanging-cloth",
        changes: &["time.until=0.3", "cloth[0].grid.columns=9", "cloth[0].grid.rows=9"],
        integrators: &["bdf2", "bdf3", "tr-bdf2"],
        error: 1e-3,
        reference: BY_TOLERANCE_LARGE,
    },
    Case {
        scene: "balloon",
        changes: &["time.until=0.45", "cloth[0].sphere.subdivisions=1"],
        integrators: &["bdf2", "tr-bdf2"],
        error: 1e-3,
        reference: BY_TOLERANCE_LARGE,
    },
    Case {
        scene: "rope-hanging",
        changes: &["time.until=0.1", "rope[0].segments=12", "rope[1].segments=12", "rope[2].segments=12"],
        integrators: &["bdf2", "tr-bdf2"],
        error: 1e-3,
        reference: BY_TOLERANCE_LARGE,
    },
    Case {
        scene: "rotating-cube",
        changes: &["time.until=0.2", "solid[0].box.cells=[2, 2, 2]"],
        integrators: &["bdf2", "tr-bdf2", "newmark"],
        error: 1e-3,
        reference: BY_TOLERANCE,
    },
];

/// A folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-verified-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for tests");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn assignments(parts: &[&[&str]]) -> Vec<String> {
    parts.iter().flat_map(|part| part.iter().map(|text| (*text).to_owned())).collect()
}

#[test]
fn quoted_errors_are_never_too_small() {
    let folder = Folder::new("all");
    let (mut quoted, mut faults) = (0, Vec::new());
    println!(
        "| scene | integrator | asked | runs | steps | order | quoted, mm | true, mm |\n|---|---|---|---|---|---|---|---|"
    );
    for case in CASES {
        let place = folder.0.join(format!("{}-reference", case.scene));
        let changes = assignments(&[case.changes, case.reference, &["output.formats=[]"]]);
        let scene = load::load(case.scene, &changes).unwrap_or_else(|error| panic!("{error}"));
        let options = RunOptions { keep_positions: true, ..RunOptions::new(&place) };
        run(&scene, &options, &mut Silent).unwrap_or_else(|error| panic!("{}: {error}", case.scene));
        let exact = place.join("positions.bin");
        for integrator in case.integrators {
            let scheme = format!("time.integrator={integrator}");
            let changes = assignments(&[case.changes, &[&scheme, "output.formats=[]"]]);
            let scene = load::load(case.scene, &changes).unwrap_or_else(|error| panic!("{error}"));
            let place = folder.0.join(format!("{}-{integrator}", case.scene));
            let options = RunOptions { keep_positions: true, ..RunOptions::new(&place) };
            let summary = run_verified(&scene, case.error, &options, &mut Silent)
                .unwrap_or_else(|error| panic!("{}, {integrator}: {error}", case.scene));
            let verified = summary.verified.expect("it was asked for");
            let compared = largest_difference(&exact, &place.join("positions.bin")).expect("both can be read");
            let wrong = compared.expect("there are frames").metres;
            let line = format!(
                "| {} | {integrator} | {} | {} | {} | {} | {:.4} | {:.4} |",
                case.scene,
                1e3 * verified.asked,
                verified.runs,
                verified.steps,
                verified.by_order(),
                1e3 * verified.estimate,
                1e3 * wrong
            );
            println!("{line}");
            quoted += 1;
            if wrong > verified.estimate {
                faults.push(line);
            }
        }
    }
    assert!(quoted >= 30, "{quoted} cases");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
