//! Bad fluids end in a message that names the key and what would be right; good ones become particles.

use pliant_scene::load::from_text;

const BOX: &str = "boxes = [{ min = [0, 0, 0], max = [0.4, 0.3, 0.2] }]";
const MOUTH: &str = "centre = [0, 0, 0], direction = [1, 0, 0], size = [0.5, 0.5]";
const CONTAINER: &str = "container = { box = { min = [0, 0, 0], max = [0.5, 0.4, 0.2] } }";

fn scene(head: &str, fluid: &str) -> String {
    format!("version = 1\n{head}\n[time]\nuntil = 0.1\n[[fluid]]\nname = \"water\"\n{fluid}\n")
}

/// How many particles a scene has, how many of them are pinned and how many are drawn; or what is wrong with it.
fn build(text: &str) -> Result<[usize; 3], String> {
    let loaded = from_text("scene", "scene.toml", text, &[]).map_err(|error| error.to_string())?;
    let built = loaded.build().map_err(|error| error.to_string())?;
    let system = &built.simulation.system;
    let pinned = system.free().iter().filter(|free| !**free).count();
    let drawn = system.bodies().iter().map(|body| body.particles.len()).sum();
    Ok([system.len(), pinned, drawn])
}

#[test]
fn boxes_become_particles_where_there_is_room() {
    let fluid = format!("{BOX}\nspacing = 0.1");
    assert_eq!(build(&scene("", &fluid)), Ok([24, 0, 24]));
    // walls are no particles
    assert_eq!(build(&scene("", &format!("{fluid}\n{CONTAINER}"))), Ok([24, 0, 24]));
    let closed = CONTAINER.replace("} }", "}, open_top = false }");
    assert_eq!(build(&scene("", &format!("{fluid}\n{closed}"))), Ok([24, 0, 24]));
    // a ball in a corner leaves no room for those that are nearer than half a spacing to it
    let ball = "[[collider]]\nname = \"ball\"\nsphere = { radius = 0.15 }";
    assert_eq!(build(&scene(ball, &fluid)), Ok([20, 0, 20]));
    // twenty-five cells in three layers wait in the pipe
    let source = format!("spacing = 0.1\nsource = {{ {MOUTH}, speed = 1, layers = 3 }}");
    assert_eq!(build(&scene("", &source)), Ok([75, 75, 75]));
    assert_eq!(build(&scene("", &format!("{fluid}\ntwo_dimensional = true"))), Ok([12, 0, 12]));
    let two = "boxes = [{ min = [0, 0, 0], max = [0.4, 0.3, 0.2] }, { min = [0.4, 0, 0], max = [0.5, 0.3, 0.2] }]\nspacing = 0.1";
    assert_eq!(build(&scene("", two)), Ok([30, 0, 30]));
}

#[test]
fn defaults_suit_a_fluid_and_are_only_defaults() {
    let fluid = format!("{BOX}\nspacing = 0.1\n{CONTAINER}");
    let load = |changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
        from_text("scene", "scene.toml", &scene("", &fluid), &changes).map_err(|error| error.to_string())
    };
    let time = load(&[]).unwrap().scene.time;
    assert_eq!((time.integrator.as_str(), time.control.kind.as_str()), ("symplectic-euler", "stable"));
    let time = load(&["time.integrator=velocity-verlet", "time.control.kind=fixed", "time.control.dt=1e-4"])
        .unwrap()
        .scene
        .time;
    assert_eq!((time.integrator.as_str(), time.control.kind.as_str()), ("velocity-verlet", "fixed"));
    let error = load(&["time.integrator=velocity-verlet", "fluid[0].pressure=divergence-free"]).unwrap_err();
    assert!(error.contains("time.integrator: velocity-verlet has no place for the pressures"), "{error}");
    let error = load(&["time.integrator=bdf2", "time.control.kind=fixed"]).unwrap_err();
    assert!(error.contains("time.integrator: bdf2 is implicit"), "{error}");
    assert!(error.contains("symplectic-euler"), "{error}");
    // the fall is 0.3 m
    let dt = load(&[]).unwrap().build().unwrap().simulation.step().unwrap().dt;
    let courant = 0.4 * 0.125 / (10.0 * (2.0 * 9.81 * 0.3_f64).sqrt() * 1.06);
    assert!(dt <= courant && dt > 0.3 * courant, "{dt} and {courant}");
}

#[test]
fn what_is_wrong_is_named() {
    let zero = "[world]\ngravity = [0, 0, 0]";
    let other = |fluid: &str| format!("{BOX}\nspacing = 0.1\n[[fluid]]\nname = \"oil\"\n{fluid}");
    for (head, fluid, wanted) in [
        ("", format!("{BOX}\nspacing = 0"), "fluid[0].spacing: must be positive and finite, got 0"),
        ("", "boxes = []\nspacing = 0.1".into(), "fluid[0].boxes: there is no fluid: give at least one box"),
        (
            "",
            format!("{BOX}\nspacing = 0.25"),
            "fluid[0].boxes[0]: the box is [0.4, 0.3, 0.2] m: not even one particle",
        ),
        ("", format!("{BOX}\nspacing = 1e-3"), "are more than the 2000000 that a body may have; make `spacing` larger"),
        ("", format!("{BOX}\nspacing = 0.1\ndensity = -1"), "fluid[0].density: must be positive"),
        (
            "",
            format!("{BOX}\nspacing = 0.1\nsmoothing = 3"),
            "fluid[0].smoothing: must lie between 1 and 2 spacings, got 3",
        ),
        (
            "",
            format!("{BOX}\nspacing = 0.1\nviscosity = \"1 Pa s\""),
            "is a viscosity, but a kinematic viscosity is needed",
        ),
        ("", format!("{BOX}\nspacing = 0.1\nkernel = \"gauss\""), "fluid[0].kernel"),
        (zero, format!("{BOX}\nspacing = 0.1"), "fluid[0]: neither gravity nor a velocity tells how fast it will flow"),
        (
            "",
            "boxes = [{ min = [0, 0, 0], max = [0, 1, 1] }]\nspacing = 0.1".into(),
            "fluid[0].boxes[0].max: must be above min along every axis",
        ),
        (
            "",
            "boxes = [{ min = [0, 0, 0], max = [1, 1, 1] }, { min = [0.5, 0, 0], max = [2, 1, 1] }]\nspacing = 0.1"
                .into(),
            "fluid[0].boxes[1]: overlaps boxes[0]",
        ),
        (
            "",
            format!("boxes = [{{ min = [0, 0, 0], max = [0.6, 0.3, 0.2] }}]\nspacing = 0.1\n{CONTAINER}"),
            "fluid[0].boxes[0]: reaches out of the container of",
        ),
        ("", other(&format!("{BOX}\nspacing = 0.1")), "fluid[1].boxes[0]: overlaps fluid[0].boxes[0]"),
        ("", format!("{BOX}\nspacing = 0.1\noutlets = [{{ min = [2, 0, 0], max = [3, 1, 1] }}]"), "fluid[0].outlets: what reaches"),
        ("", format!("spacing = 0.1\nsource = {{ {MOUTH}, speed = 0, layers = 3 }}"), "fluid[0].source.speed: must be"),
        ("", format!("spacing = 0.1\nsource = {{ {MOUTH}, speed = 1, layers = 0 }}"), "fluid[0].source.layers: must be at least 1"),
        (
            "",
            format!("spacing = 0.6\nsource = {{ {MOUTH}, speed = 1, layers = 3 }}"),
            "fluid[0].source.size[0]: 0.5 m: not even one particle",
        ),
        (
            "",
            "spacing = 0.1\nsource = { centre = [0, 0, 0], direction = [0, 0, 0], size = [1, 1], speed = 1, layers = 3 }".into(),
            "fluid[0].source.direction: must point somewhere",
        ),
        ("", format!("{BOX}\nspacing = 0.1\ndensity_error = 0"), "fluid[0].density_error: must be"),
        ("", format!("{BOX}\nspacing = 0.1\nsurface_tension = -1"), "fluid[0].surface_tension: must"),
        ("", format!("{BOX}\nspacing = 0.1\nsurface_tension = 1\ntwo_dimensional = true"), "is a matter of three dimensions"),
        (
            "[[collider]]\nname = \"all\"\nsphere = { radius = 9 }",
            format!("{BOX}\nspacing = 0.1"),
            "fluid[0].boxes: all of it would begin inside of colliders",
        ),
        (
            "",
            other("boxes = [{ min = [1, 0, 0], max = [2, 1, 1] }]\nspacing = 0.2"),
            "fluid[1].spacing: must be that of the first fluid",
        ),
        (
            "",
            other(
                "boxes = [{ min = [0.45, 0, 0], max = [1, 0.3, 0.2] }]\nspacing = 0.1\n\
                   container = { box = { min = [0.35, 0, 0], max = [1, 1, 0.2] } }",
            ),
            "fluid[0].boxes[0]: reaches out of the container of \"oil\"",
        ),
    ] {
        let error = build(&scene(head, &fluid)).expect_err(wanted);
        assert!(error.contains(wanted), "{fluid}\nwanted: {wanted}\ngot: {error}");
    }
}
