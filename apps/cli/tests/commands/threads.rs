//! Where no thread can be started, one does all the work, with the same results; what needs more says so.

use std::process::Output;

use crate::common::{Folder, command, pliant, stderr, summary, text};

/// Threads of the standard library get a stack that fits into no address space, so that the system starts none.
fn without_threads(arguments: &[&str]) -> Output {
    command()
        .env("RUST_MIN_STACK", (1_u64 << 50).to_string())
        .args(arguments)
        .output()
        .expect("the program can be started")
}

/// More particles than one thread would take by itself, in an implicit scheme with a direct solver.
const CLOTH: [&str; 10] =
    ["run", "hanging-cloth", "--json", "--quiet", "--until", "0.05", "--set", "solver.kind=cholesky", "--threads", "4"];

#[test]
fn a_run_needs_no_further_thread() {
    let folder = Folder::new("no-thread-run");
    let [usual, alone] = ["usual", "alone"].map(|name| folder.join(name));
    let hash = |output: &Output| summary(output)["state_hash"].clone();
    let expected = pliant(&[&CLOTH[..], &["--output", text(&usual)]].concat());
    let output = without_threads(&[&CLOTH[..], &["--output", text(&alone)]].concat());
    assert!(expected.status.success() && output.status.success(), "{}", stderr(&output));
    assert_eq!(hash(&output), hash(&expected));
    assert_eq!((&summary(&output)["threads"], &summary(&expected)["threads"]), (&1.into(), &4.into()));
    let said = stderr(&output);
    assert!(said.contains("warning: no thread can be started") && said.contains("same results"), "{said}");
    assert!(!stderr(&expected).contains("thread"), "{}", stderr(&expected));
}

#[test]
fn a_picture_and_a_check_need_no_further_thread() {
    let folder = Folder::new("no-thread-picture");
    for scene in ["stacked-cloths", "dam-break"] {
        let [one, other] = ["one", "other"].map(|name| folder.join(&format!("{scene}-{name}.png")));
        let arguments = |place| ["render", scene, "--time", "2 ms", "--size", "320x180", "--output", place];
        assert!(pliant(&arguments(text(&one))).status.success());
        let output = without_threads(&arguments(text(&other)));
        assert!(output.status.success(), "{}", stderr(&output));
        let read = |place| std::fs::read(place).expect("a picture is there");
        assert!(read(&one) == read(&other), "the same picture of {scene}");
        let output = without_threads(&["check", scene]);
        assert!(output.status.success() && stderr(&output).contains("no thread can be started"), "{}", stderr(&output));
    }
}

#[test]
fn a_sweep_and_the_viewer_say_that_they_need_threads() {
    let folder = Folder::new("no-thread-sweep");
    let place = folder.join("sweep");
    let output = without_threads(&[
        "sweep",
        "spring-chain",
        "--vary",
        "world.drag=0,1",
        "--until",
        "0.1",
        "--output",
        text(&place),
    ]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("pliant: no thread can be started for the runs") && !said.contains("panicked"), "{said}");
    let output = without_threads(&["view", "spring-chain", "--no-open", "--port", "0"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("cannot start the viewer, which needs threads of its own") && !said.contains("panicked"),
        "{said}"
    );
}
