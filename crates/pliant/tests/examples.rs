//! The examples are compiled and run, shortened, and find what they say that they find.

use std::path::PathBuf;

#[path = "../examples/breaking_glass.rs"]
#[allow(dead_code)]
mod breaking_glass;
#[path = "../examples/dam_break.rs"]
#[allow(dead_code)]
mod dam_break;
#[path = "../examples/drape.rs"]
#[allow(dead_code)]
mod drape;
#[path = "../examples/own_force.rs"]
#[allow(dead_code)]
mod own_force;
#[path = "../examples/own_integrator.rs"]
#[allow(dead_code)]
mod own_integrator;
#[path = "../examples/rope_knot.rs"]
#[allow(dead_code)]
mod rope_knot;
#[path = "../examples/soft_bar.rs"]
#[allow(dead_code)]
mod soft_bar;
#[path = "../examples/step_by_step.rs"]
#[allow(dead_code)]
mod step_by_step;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pliant-examples-{}", std::process::id())).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn drape_hangs_over_the_ball() {
    let folder = folder("drape");
    let lowest = drape::run(&folder, 0.4).unwrap();
    assert!(lowest < 0.0, "{lowest}");
    assert!(folder.join("obj").is_dir() && folder.join("stats.json").is_file());
    // and again into the same folder, which is replaced
    assert!(drape::run(&folder, 0.05).unwrap() > lowest);
}

#[test]
fn rope_knot_stays_a_knot() {
    assert!(rope_knot::run(&folder("rope_knot"), 0.2).unwrap());
}

#[test]
fn soft_bar_bends_as_a_beam_does() {
    let ratio = soft_bar::run(&folder("soft_bar"), 4.0).unwrap();
    assert!((ratio - 1.0).abs() < 0.03, "{ratio} of beam theory");
}

#[test]
fn dam_break_runs_no_faster_than_it_can() {
    let folder = folder("dam_break");
    let front = dam_break::run(&folder, 0.08).unwrap();
    assert!((1.5..3.5).contains(&front), "{front} widths");
    assert!(folder.join("front.csv").is_file());
}

#[test]
fn breaking_glass_breaks() {
    let (pieces, damage) = breaking_glass::run(&folder("breaking_glass"), 2e-4).unwrap();
    assert!(pieces >= 1 && damage > 1e-3, "{pieces} pieces, damage {damage}");
}

#[test]
fn own_force_keeps_its_energy() {
    let gained = own_force::run(&folder("own_force"), 0.5).unwrap();
    assert!(gained.abs() < 1e-3, "{gained}");
}

#[test]
fn own_integrator_has_its_order() {
    let order = own_integrator::run(&folder("own_integrator"), 0.01).unwrap();
    assert!((order - 3.0).abs() < 0.2, "{order}");
}

#[test]
fn step_by_step_plots() {
    let folder = folder("step_by_step");
    let (steps, drift) = step_by_step::run(&folder, 0.3).unwrap();
    assert!(steps > 20 && drift < 0.1, "{steps} steps, {drift}");
    let svg = std::fs::read_to_string(folder.join("plot.svg")).unwrap();
    assert_eq!(svg.matches("<polyline").count(), 2);
}
