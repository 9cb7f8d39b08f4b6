//! `quality = "preview"`: which settings it makes, and that given ones win.

use pliant_scene::{LoadedScene, load};

fn preview(name: &str, changes: &[&str]) -> Result<LoadedScene, String> {
    let changes: Vec<String> = ["quality=\"preview\""].iter().chain(changes).map(ToString::to_string).collect();
    load(name, &changes).map_err(|error| error.to_string())
}

#[test]
fn a_preview_takes_one_short_step_per_frame() {
    for (fps, dt) in [(60.0, 1.0 / 60.0), (30.0, 1.0 / 30.0), (24.0, 1.0 / 48.0), (1.0, 1.0 / 30.0)] {
        let scene = preview("cloth-on-sphere", &[&format!("time.fps={fps}")]).unwrap();
        let checked = &scene.checked;
        assert_eq!(checked.integrator.properties.name, "backward-euler");
        assert_eq!(checked.control.kind.name, "fixed");
        let given = checked.control.dt.expect("a step");
        assert!((given - dt).abs() < 1e-12, "{fps}: {given}");
        assert_eq!(checked.solver.max_corrections, Some(2));
        assert_eq!(checked.solver.accuracy, Some(1e-3));
    }
}

#[test]
fn given_settings_win() {
    let given = ["time.integrator=\"bdf2\"", "time.control.kind=\"force-error\"", "solver.max_corrections=3"];
    let scene = preview("cloth-on-sphere", &given).unwrap();
    let checked = &scene.checked;
    assert_eq!(checked.integrator.properties.name, "bdf2");
    assert_eq!(checked.control.kind.name, "force-error");
    assert_eq!(checked.solver.max_corrections, Some(3));
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = preview("water-and-cloth", &[]).expect_err("fluids take explicit steps");
    assert!(refused.contains("quality") && refused.contains("fluids"), "{refused}");
    let refused = preview("cloth-on-sphere", &["solver.max_corrections=0"]).expect_err("no correction");
    assert!(refused.contains("solver.max_corrections") && refused.contains("at least 1"), "{refused}");
    let refused = load("cloth-on-sphere", &["quality=\"draft\"".into()]).expect_err("no such quality").to_string();
    assert!(refused.contains("preview"), "{refused}");
}
