//! A run that would never end stops early and says why; it goes on where it is told to, and a restart decides the same.

use crate::common;

use common::{Folder, pliant, stderr, summary, text};

/// A chain that oscillates with 5·10⁸ rad/s under an explicit scheme: every step is about a nanosecond.
const STIFF: &str = r#"
version = 1
[time]
until = 1
integrator = "velocity-verlet"
control = { kind = "stable" }
[[springs]]
name = "chain"
points = [[0, 0, 0], [0, -1, 0], [0, -2, 0]]
edges = [[0, 1], [1, 2]]
mass = 1e-6
stiffness = 1e11
pins = [{ particles = [0] }]
"#;

fn run(scene: &std::path::Path, out: &std::path::Path, more: &[&str]) -> std::process::Output {
    pliant(&[&["run", text(scene), "--format", "vtu", "--quiet", "--json", "-o", text(out)], more].concat())
}

#[test]
fn a_run_that_crawls_stops_and_says_where_and_why() {
    let folder = Folder::new("crawl");
    let (scene, out) = (folder.write("stiff.toml", STIFF), folder.join("out"));
    let stopped = run(&scene, &out, &[]);
    let said = stderr(&stopped);
    assert_eq!(stopped.status.code(), Some(1), "{said}");
    for words in [
        "after 256 steps): it crawls: ",
        "e8 more (`time.control.max_steps` is 1.0e7)",
        "longer steps are not stable",
        "at particle 1 of \"chain\" at (0 m, -1 m, 0 m)",
        "an implicit integrator with a tolerance",
        "is kept in",
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    assert!(out.join("frames/frame_00000.vtu").exists() && out.join("checkpoint.bin").exists());
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("stats.json")).expect("stats.json")).expect("it is JSON");
    assert!(stats["died"]["why"].as_str().is_some_and(|why| why.starts_with("it crawls")), "{stats}");

    // a restart decides the same; told otherwise, it goes on
    let again = run(&scene, &out, &["--resume"]);
    assert_eq!(again.status.code(), Some(1), "{}", stderr(&again));
    assert_eq!(stderr(&again).lines().next_back(), said.lines().next_back());
    let why = |said: &str| said.lines().find(|line| line.contains("it crawls")).map(str::to_owned);
    assert_eq!(why(&stderr(&again)), why(&said));
    let short = ["--set", "time.until=\"2 us\"", "--set", "time.fps=1e6"];
    let let_go = run(&scene, &folder.join("free"), &[&short[..], &["--set", "time.control.max_steps=inf"]].concat());
    assert_eq!(let_go.status.code(), Some(0), "{}", stderr(&let_go));
    let few = run(&scene, &folder.join("few"), &[&short[..], &["--set", "time.control.max_steps=500"]].concat());
    assert_eq!(few.status.code(), Some(1), "{}", stderr(&few));
    let allowed =
        run(&scene, &folder.join("few"), &[&short[..], &["--set", "time.control.max_steps=5000", "--resume"]].concat());
    assert_eq!(allowed.status.code(), Some(0), "{}", stderr(&allowed));
    assert_eq!(summary(&allowed)["state_hash"], summary(&let_go)["state_hash"], "the same bits, stopped or not");
    let bad = run(&scene, &folder.join("bad"), &["--set", "time.control.max_steps=0"]);
    assert!(bad.status.code() == Some(2) && stderr(&bad).contains("max_steps: must be at least 1"), "{}", stderr(&bad));
}
