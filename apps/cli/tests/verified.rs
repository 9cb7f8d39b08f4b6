//! `pliant run --error E`: the error of the kept run is really below E.

mod common;

use common::{Folder, command, rows, stderr, summary, text};

fn run(out: &std::path::Path, more: &[&str]) -> std::process::Output {
    let flags = ["run", "nonlinear-spring", "--quiet", "--json", "--output", text(out)];
    command().args(flags).args(more).output().expect("it starts")
}

#[test]
fn the_verified_error_is_an_error() {
    let folder = Folder::new("verified");
    // The reference: order 4 with steps a hundred times smaller than anything below takes.
    let reference = folder.join("reference");
    let fine = ["--set", "time.integrator=rk4", "--set", "time.control.kind=fixed", "--set", "time.control.dt=20 us"];
    assert!(run(&reference, &fine).status.success());
    let exact = rows(&reference.join("probes.csv"));
    for (integrator, kind, error) in [
        ("linearized-backward-euler", "force-error", 5e-3),
        ("newmark", "force-error", 1e-4),
        ("tr-bdf2", "step-doubling", 1e-5),
        ("velocity-verlet", "fixed", 1e-4),
    ] {
        let out = folder.join(&format!("{integrator}-{kind}"));
        let flags = [
            format!("--error={error}"),
            format!("--set=time.integrator={integrator}"),
            format!("--set=time.control.kind={kind}"),
            "--set=time.control.dt=10 ms".into(),
        ];
        let output = run(&out, &flags.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status.success(), "{integrator}: {}", stderr(&output));
        let verified = &summary(&output)["verified"];
        assert!(verified["difference"].as_f64().is_some_and(|d| d > 0.0 && d <= error), "{integrator}: {verified}");
        assert!(verified["runs"].as_u64().is_some_and(|runs| runs >= 2), "{integrator}: {verified}");
        let mine = rows(&out.join("probes.csv"));
        assert_eq!(mine.len(), exact.len());
        let worst = mine.iter().zip(&exact).map(|(a, b)| (a[1] - b[1]).abs()).fold(0.0, f64::max);
        assert!(worst <= error, "{integrator}: {worst:e} m, {error:e} m promised");
        assert!(!out.join("tries").exists(), "only the better run is kept");
        let again = run(&out, &[&flags.iter().map(String::as_str).collect::<Vec<_>>()[..], &["--resume"]].concat());
        assert_eq!(summary(&again)["state_hash"], summary(&output)["state_hash"]);
    }
}
