//! `pliant run --error E`: the error of the kept run is really below E.

use crate::common;

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
        // schemes whose estimate shrinks faster or slower than their error
        ("velocity-verlet", "force-error", 1e-3),
        ("midpoint", "force-error", 1e-3),
        ("forest-ruth", "force-error", 1e-3),
        ("symplectic-euler", "stable", 5e-3),
        ("backward-euler", "speed-limit", 5e-3),
        ("bdf3", "stretch-limit", 1e-4),
    ] {
        let out = folder.join(&format!("{integrator}-{kind}-{error}"));
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
        assert!(verified["runs"].as_u64().is_some_and(|runs| runs >= 3), "{integrator}: {verified}");
        // it says which order it stands on, and that is never above the declared one
        let number = |key: &str| verified[key].as_f64().unwrap_or(f64::NAN);
        assert!(
            number("order") <= number("declared_order") && number("order") <= number("observed_order"),
            "{verified}"
        );
        let mine = rows(&out.join("probes.csv"));
        assert_eq!(mine.len(), exact.len());
        let worst = mine.iter().zip(&exact).map(|(a, b)| (a[1] - b[1]).abs()).fold(0.0, f64::max);
        assert!(worst <= error, "{integrator}: {worst:e} m, {error:e} m promised");
        assert!(worst <= number("estimate"), "{integrator}: {worst:e} m, {verified}");
        assert!(!out.join("tries").exists(), "only the better run is kept");
        let again = run(&out, &[&flags.iter().map(String::as_str).collect::<Vec<_>>()[..], &["--resume"]].concat());
        assert_eq!(summary(&again)["state_hash"], summary(&output)["state_hash"]);
    }
}

/// Steps that the frames cut to the same lengths in both runs, and laws under which a first-order scheme converges slowly.
#[test]
fn runs_that_are_alike_prove_nothing() {
    let folder = Folder::new("alike");
    let reference = folder.join("reference");
    let fine = ["--set", "time.integrator=rk4", "--set", "time.control.kind=fixed", "--set", "time.control.dt=20 us"];
    assert!(run(&reference, &fine).status.success());
    let exact = rows(&reference.join("probes.csv"));
    for (name, error, set) in [
        ("fixed", 1e-3, "time.control.kind=fixed time.control.dt=1 time.integrator=newmark"),
        ("paper", 1e-2, "time.control.law=paper"),
        ("quarter", 1e-2, "time.control.law=quarter"),
        ("pi", 1e-2, "time.control.law=pi"),
        ("speed", 1e-2, "time.control.kind=speed-limit time.control.distance=1"),
    ] {
        let out = folder.join(name);
        let mut flags = vec![format!("--error={error}")];
        flags.extend(set.split(' ').map(|assignment| format!("--set={assignment}")));
        let output = run(&out, &flags.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        let mine = rows(&out.join("probes.csv"));
        let worst = mine.iter().zip(&exact).map(|(a, b)| (a[1] - b[1]).abs()).fold(0.0, f64::max);
        println!("{name}: {worst:.2e} m of {error:.0e} m, {}", summary(&output)["verified"]);
        assert!(worst <= error, "{name}: {worst:e} m, {error:e} m promised");
    }
    let study = ["--error=1mm", "--set=time.integrator=symplectic-midpoint-literal", "--set=time.control.kind=fixed"];
    assert_eq!(run(&folder.join("study"), &study).status.code(), Some(2));
}

/// A chain of three from nearly upright: after a while the smallest difference decides where it is.
#[test]
fn chaos_is_noticed() {
    let folder = Folder::new("chaos");
    let scene = folder.join("chain.toml");
    let pendulums = "version = 1\n[time]\nuntil = \"30 s\"\nintegrator = \"rk4\"\n[time.control]\nkind = \"fixed\"\ndt = \"4 ms\"\n\
        [[springs]]\nname = \"chain\"\nchain = { count = 4, from = [0, 0, 0], to = [0.1, 1, 0] }\ntotal_mass = \"0.4 kg\"\n\
        stiffness = \"500 N/m\"\npins = [{ particles = [0] }]\n";
    std::fs::write(&scene, pendulums).expect("the folder can be written");
    let out = folder.join("out");
    let output =
        command().args(["run", text(&scene), "--error=1mm", "--output", text(&out)]).output().expect("it starts");
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("run 2 of at most 16") && told.contains("no longer bring the runs together"), "{told}");
    assert!(out.join("tries/01").exists(), "the runs are kept");
}

/// `--error` and plain runs do not take each other's folders for their own.
#[test]
fn folders_of_other_kinds_of_runs_are_left_alone() {
    let folder = Folder::new("kinds");
    let out = folder.join("plain");
    assert!(run(&out, &[]).status.success());
    let before = std::fs::read(out.join("probes.csv")).expect("it was written");
    let unverified = run(&out, &["--error=1nm", "--resume"]);
    assert_eq!(unverified.status.code(), Some(2), "{}", stderr(&unverified));
    let broken = run(&out, &["--error=1mm", "--force", "--set=probe[0].particle=99"]);
    assert_eq!(broken.status.code(), Some(2), "{}", stderr(&broken));
    std::fs::remove_file(out.join("stats.json")).expect("it was written");
    let unfinished = run(&out, &["--error=1mm", "--resume"]);
    assert_eq!(unfinished.status.code(), Some(2), "{}", stderr(&unfinished));
    assert_eq!(std::fs::read(out.join("probes.csv")).expect("it is still there"), before);

    let comparing = folder.join("comparing");
    std::fs::create_dir_all(comparing.join("tries/01")).expect("the folder can be written");
    let plain = run(&comparing, &["--resume"]);
    assert_eq!(plain.status.code(), Some(2), "{}", stderr(&plain));
    assert!(comparing.join("tries/01").exists());
}
