//! `pliant reproduce` and `pliant bench`, as a user runs them.

use crate::common;

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use common::{Folder, command, pliant, stderr, summary, text};

#[test]
fn an_experiment_becomes_a_report() {
    let folder = Folder::new("reproduce");
    let report = folder.join("report");
    let output = pliant(&["reproduce", "intro-energy", "-o", text(&report)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("intro-energy  holds in part") && told.contains("index.html"), "{told}");
    let page = std::fs::read_to_string(report.join("index.html")).expect("the page is there");
    assert!(page.contains("Energy of the orbiting ball"));
    let computing = told.split("1 experiments, ").nth(1).and_then(|rest| rest.split(" of computing (").next());
    assert!(page.contains(&format!("<b>{}</b> of computing", computing.expect("it is told"))), "{told}");
    for file in ["data.csv", "path.svg", "orbit.csv"] {
        assert!(report.join("intro-energy").join(file).exists(), "{file}");
    }
}

#[test]
fn names_are_experiments_or_papers() {
    let listed = |names: &[&str]| {
        let output = pliant(&[&["reproduce", "--list"], names].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(|l| l[..l.find(' ').unwrap_or(0)].to_owned())
            .collect::<Vec<_>>()
    };
    let all = listed(&[]);
    assert!(all.len() >= 8 && all.iter().any(|id| id == "adaptive-work-precision"), "{all:?}");
    assert_eq!(listed(&["intro"]), ["intro-energy", "intro-huge-step"]);
    assert_eq!(listed(&["ropes-phase", "intro-energy", "int"]), ["intro-energy", "intro-huge-step", "ropes-phase"]);
    let output = pliant(&["reproduce", "ropes-fase"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean ropes-phase?"), "{}", stderr(&output));
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_at_once() {
    let folder = Folder::new("reproduce-blocked");
    let file = folder.write("in-the-way", "");
    let output = pliant(&["reproduce", "intro-energy", "-o", text(&file)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("in-the-way"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn interrupted_it_keeps_what_is_finished() {
    let folder = Folder::new("reproduce-interrupted");
    let report = folder.join("report");
    let mut child = command()
        .args(["reproduce", "intro-energy", "ropes-score", "-o", text(&report)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("intro-energy"), "{line}");
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("interrupted"), "{}", stderr(&output));
    let page = std::fs::read_to_string(report.join("index.html")).expect("the page is there");
    assert!(page.contains("Energy of the orbiting ball"));

    // taken as it is, time on the clock and all; what cannot be read is done again
    let resume = || {
        let output = pliant(&["reproduce", "intro-energy", "--resume", "-o", text(&report)]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        std::fs::read_to_string(report.join("intro-energy/experiment.json")).expect("it is kept")
    };
    let kept = report.join("intro-energy/experiment.json");
    let text = std::fs::read_to_string(&kept).expect("it is kept").replace("Energy of the orbiting ball", "As it was");
    std::fs::write(&kept, &text).expect("it can be written");
    assert_eq!(resume(), text);
    std::fs::write(&kept, &text[..text.len() / 2]).expect("it can be written");
    assert!(resume().contains("Energy of the orbiting ball"));
}

#[test]
fn integrators_are_measured() {
    let arguments = ["bench", "integrators", "--scene", "pendulum", "--only", "rk4", "--only", "velocity-verlet"];
    let output = pliant(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("velocity-verlet") && told.contains("score ="), "{told}");
    let json = summary(&pliant(&[&arguments[..], &["--json"]].concat()));
    assert_eq!(json["scene"], "pendulum");
    assert!(
        json["rows"].as_array().is_some_and(|rows| rows.len() == 2 && rows.iter().all(|row| row["score"].is_f64()))
    );
    let wrong = pliant(&["bench", "integrators", "--scene", "pendulum", "--only", "rk5"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("did you mean rk4?"), "{}", stderr(&wrong));
}
