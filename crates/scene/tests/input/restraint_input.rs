//! What is refused of `[restraint]`, and what it becomes.

use pliant_core::{Activity, Limits};
use pliant_scene::load::from_text;

const NET: &str = "version = 1\n[time]\nuntil = 1\n[[springs]]\nname = \"net\"\ngrid = { columns = 4, rows = 4, width = 1, height = 1 }\nmass = 0.5\nstiffness = 100\n";

fn complaint(more: &str, sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    match from_text("net", "net.toml", &format!("{NET}{more}"), &sets) {
        Ok(_) => panic!("accepted: {more} {sets:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (table, expected) in [
        ("speed = -1", "restraint.speed"),
        ("speed = \"nan\"", "speed"),
        ("error = 0", "restraint.error"),
        ("fading = 0", "restraint.fading"),
        ("ratio = 1", "must be from 1.02"),
        ("speed = 0.1\nenergy = 0.1", "give one of"),
        ("speed = \"1 kg\"", "speed"),
        ("criterion = \"concave\"", "criterion"),
        ("criterion = \"energy\"", "several solutions"),
        ("view = true", "view.camera"),
        ("sped = 1", "did you mean"),
        ("[[restraint.body]]\nname = \"nut\"", "did you mean \"net\""),
        ("[[restraint.body]]\nname = \"net\"\nratio = 0.5", "restraint.body[0].ratio"),
    ] {
        let message = complaint(&format!("[restraint]\n{table}\n"), &[]);
        assert!(message.contains(expected), "{table}: {message}");
    }
    let message = complaint("[restraint]\n", &["time.integrator=bdf2"]);
    assert!(message.contains("bdf2 does not know restraint; these do: symplectic-euler"), "{message}");
    let message = complaint("[restraint]\n", &["time.integrator=symplectic-euler", "time.projection.iterations=3"]);
    assert!(message.contains("restraint"), "{message}");
    let message = complaint("[restraint]\n", &["solver.preconditioner=hierarchical"]);
    assert!(message.contains("hierarchical"), "{message}");
}

#[test]
fn limits_are_speeds_of_every_particle() {
    // from the beginning on, not only once the net has stood still for a while
    let limits = |more: &str| -> Limits {
        let more = more.replacen("[restraint]", "[restraint]\nshare = 0", 1);
        let scene = from_text("net", "net.toml", &format!("{NET}{more}"), &[]).unwrap();
        assert_eq!(scene.scene.time.integrator, "backward-euler");
        let built = scene.build().unwrap();
        built.simulation.system.restraint().unwrap().limits[3]
    };
    // a tenth of a millimetre a frame, sixty times a second; four times that is free
    let usual = limits("[restraint]\n");
    assert!((usual.restrained - 6e-3).abs() < 1e-15 && (usual.full - 24e-3).abs() < 1e-15, "{usual:?}");
    let by_energy = limits("[restraint]\nenergy = \"1 J\"\nratio = 2\n");
    assert!((by_energy.restrained - 2.0).abs() < 1e-15 && (by_energy.full - 4.0).abs() < 1e-15, "{by_energy:?}");
    let by_momentum = limits("[restraint]\nmomentum = 0.1\nleast_speed = 0\n");
    assert!((by_momentum.restrained - 0.2).abs() < 1e-15 && by_momentum.stop == by_momentum.restrained);
    let own = limits("[restraint]\n[[restraint.body]]\nname = \"net\"\nspeed = \"1 m/s\"\n");
    assert_eq!(own.restrained, 1.0);
    assert_eq!(limits("[restraint]\n[[restraint.body]]\nname = \"net\"\nenabled = false\n"), Limits::NONE);
}

#[test]
fn far_away_and_out_of_sight_limits_are_larger() {
    let view = "[restraint]\nshare = 0\nview = true\n[view]\ncamera = [0.5, 0, 2]\ntarget = [0.5, 0, 0]\n";
    let text = format!("{NET}{view}").replace("height = 1 }", "height = 1, origin = [0, 0, 0] }");
    let built = from_text("net", "net.toml", &text, &[]).unwrap().build().unwrap();
    let limits = &built.simulation.system.restraint().unwrap().limits;
    // a row lower is farther away, but in sight
    assert!(limits[5].restrained > limits[1].restrained && limits[5].restrained < 1.5 * limits[1].restrained);
    let text = text
        .replace("camera = [0.5, 0, 2]", "camera = [0.5, 0, 0.2]")
        .replace("target = [0.5, 0, 0]", "target = [0.5, 0, 1]");
    let built = from_text("net", "net.toml", &text, &[]).unwrap().build().unwrap();
    let behind = &built.simulation.system.restraint().unwrap().limits;
    assert!(behind[1].restrained >= 0.06, "ten times as large behind the camera: {:?}", behind[1]);
    let still = built.simulation.system.active_set().activity(1, glam::DVec3::ZERO);
    assert_eq!(still, Activity::Restrained);
}
