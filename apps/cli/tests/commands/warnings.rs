//! Runs that end well and are still wrong.

use crate::common;

use common::{Folder, pliant, stderr, summary, text};

fn run(out: &std::path::Path, set: &[&str], more: &[&str]) -> std::process::Output {
    let mut arguments = vec!["run", "spring-net", "--until", "0.2", "--format", "none", "--json", "-o", text(out)];
    set.iter().for_each(|one| arguments.extend(["--set", one]));
    arguments.extend(more);
    pliant(&arguments)
}

/// The net under explicit Euler: beyond its limit it gains thousands of joules and ends with exit status 0.
#[test]
fn an_exploded_run_says_so_and_a_good_one_does_not() {
    let folder = Folder::new("exploded");
    let euler = ["time.integrator=explicit-euler", "time.control.kind=fixed"];
    let out = folder.join("wild");
    let wild = run(&out, &[&euler[..], &["time.control.dt=\"8 ms\""]].concat(), &[]);
    let said = stderr(&wild);
    assert_eq!(wild.status.code(), Some(0), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("warning: energy out of nothing: ") && last.contains("explicit-euler has exploded"),
        "{said}"
    );
    for remedy in ["a shorter step (time.control.dt)", "an implicit integrator with a tolerance", "velocity-verlet"] {
        assert!(last.contains(remedy), "{last}");
    }
    let warned = &summary(&wild)["warnings"];
    assert!(warned[0].as_str().is_some_and(|text| last.ends_with(text)), "{warned}");
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("stats.json")).expect("stats.json")).expect("it is JSON");
    assert_eq!(stats["warnings"], *warned);

    // quiet or not; and of a result that was there before, too
    let quiet = run(&folder.join("quiet"), &[&euler[..], &["time.control.dt=\"8 ms\""]].concat(), &["--quiet"]);
    assert!(stderr(&quiet).starts_with("warning: energy out of nothing"), "{}", stderr(&quiet));
    let again = run(&out, &[&euler[..], &["time.control.dt=\"8 ms\""]].concat(), &["--resume"]);
    assert!(stderr(&again).contains("warning: energy out of nothing"), "{}", stderr(&again));

    let fine = run(&folder.join("fine"), &[&euler[..], &["time.control.dt=\"0.1 ms\""]].concat(), &[]);
    let symplectic = ["time.integrator=velocity-verlet", "time.control.kind=fixed", "time.control.dt=\"0.5 ms\""];
    let swinging = run(&folder.join("swinging"), &symplectic, &["--set", "springs[0].damping=0"]);
    for good in [fine, swinging] {
        assert_eq!(good.status.code(), Some(0), "{}", stderr(&good));
        assert!(!stderr(&good).contains("warning"), "{}", stderr(&good));
        assert!(summary(&good).get("warnings").is_none());
    }
}

/// A steel cable that is solved to a tenth of a millimetre, which is joules of stretch. Newton's method leaves none of them: the integrator's entry
/// stays below what there is to move (it was sixty times as much). Nothing moves that should not, and nothing is said.
#[test]
fn a_stiff_cable_does_not_explode() {
    let folder = Folder::new("cable");
    let out = folder.join("out");
    let rough = "solver.accuracy=0.1mm";
    let output = pliant(&[
        "run",
        "rope-hanging",
        "--set",
        rough,
        "--until",
        "0.6",
        "--format",
        "none",
        "--json",
        "-o",
        text(&out),
    ]);
    let (end, said) = (summary(&output), stderr(&output));
    let number = |of: &str, name: &str| end[of][name].as_f64().unwrap_or_else(|| panic!("no {of}.{name}: {end}"));
    let available = number("motion", "available");
    assert!(number("ledger", "integrator").abs() < 0.5 * available, "{end}");
    assert!(number("motion", "peak") <= 1.5 * available, "{end}");
    assert!(!said.contains("warning") && end.get("warnings").is_none(), "{said}");
}
