//! Bad brittle bodies end in a message that names the key and what would be right; good ones become particles.

use std::path::PathBuf;

use pliant_scene::load::from_text;

const BOX: &str = "box = { min = [0, 0, 0], max = [0.4, 0.3, 0.2] }\nspacing = 0.1";
const SHEET: &str = "box = { min = [0, 0, 0], max = [0.4, 0.3, 0] }\nspacing = 0.1";

fn scene(head: &str, body: &str) -> String {
    format!("version = 1\n{head}\n[time]\nuntil = 1e-6\n[[peridynamic]]\nname = \"block\"\n{body}\n")
}

/// How many particles a scene has and how many of them are pinned; or what is wrong with it.
fn build(text: &str) -> Result<[usize; 2], String> {
    let loaded = from_text("scene", "scene.toml", text, &[]).map_err(|error| error.to_string())?;
    let built = loaded.build().map_err(|error| error.to_string())?;
    let system = &built.simulation.system;
    Ok([system.len(), system.free().iter().filter(|free| !**free).count()])
}

#[test]
fn shapes_become_particles() {
    assert_eq!(build(&scene("", BOX)), Ok([24, 0]));
    assert_eq!(build(&scene("", &format!("{SHEET}\nspace = \"plane-stress\""))), Ok([12, 0]));
    assert_eq!(
        build(&scene("", &format!("{SHEET}\nspace = \"plane-strain\"\nthickness = 0.01\njitter = 0.2"))),
        Ok([12, 0])
    );
    let pinned = format!("{BOX}\npins = [{{ box = {{ min = [0, 0, 0], max = [0.1, 1, 1] }} }}]");
    assert_eq!(build(&scene("", &pinned)), Ok([24, 6]));
    let ball = "figure = { shape = \"ball\", size = 1 }\nspacing = 0.1";
    let count = build(&scene("", ball)).unwrap()[0];
    assert!((480..570).contains(&count), "{count} of 524");
    for shape in ["ring", "rabbit", "goblet"] {
        let spacing = if shape == "goblet" { 0.02 } else { 0.05 };
        let figure = format!("figure = {{ shape = \"{shape}\", size = 1 }}\nspacing = {spacing}");
        assert!(build(&scene("", &figure)).unwrap()[0] > 100, "{shape}");
    }
    let states = format!("{BOX}\nlaw = \"state-based\"\npoisson = 0.4");
    let explicit = scene("", &states)
        .replace("until = 1e-6", "until = 1e-6\nintegrator = \"velocity-verlet\"\ncontrol = { kind = \"stable\" }");
    assert_eq!(build(&explicit), Ok([24, 0]));
}

#[test]
fn defaults_suit_a_brittle_body_and_are_only_defaults() {
    let load = |changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
        from_text("scene", "scene.toml", &scene("", BOX), &changes).unwrap().scene
    };
    let usual = load(&[]);
    assert_eq!((usual.time.integrator.as_str(), usual.solver.kind.as_str()), ("newmark", "cg"));
    // a tenth of what the shortest bond can be stretched: s0 = √(5 G/(9 K δ)) about, with δ = 0.3 m
    let stretch = (5.0 * 7.5 / (9.0 * 70e9 / 1.5 * 0.3_f64)).sqrt();
    assert!((usual.time.control.tolerance.si() / (0.1 * stretch * 0.1) - 1.0).abs() < 0.1);
    let other = load(&["time.integrator=bdf2", "time.control.tolerance=1e-3", "solver.kind=adaptive"]);
    assert_eq!((other.time.integrator.as_str(), other.solver.kind.as_str()), ("bdf2", "adaptive"));
    assert_eq!(other.time.control.tolerance.si(), 1e-3);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let with = |line: &str| scene("", &format!("{BOX}\n{line}"));
    let mesh = |name: &str| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\n").unwrap();
        format!("surface = {{ file = {:?} }}\nspacing = 0.1", path.to_str().unwrap())
    };
    for (text, key, words) in [
        (scene("", "spacing = 0.1"), "peridynamic[0]", "exactly one of `box`, `surface` and `figure`"),
        (scene("", &format!("{BOX}\nfigure = {{ shape = \"ball\", size = 1 }}")), "peridynamic[0]", "here are 2"),
        (with("horizon = 0.9"), "peridynamic[0].horizon", "above 1"),
        (with("horizon = nan"), "peridynamic[0].horizon", "above 1"),
        (with("preset = \"glas\""), "peridynamic[0].preset", "did you mean \"glass\"?"),
        (with("density = -1"), "peridynamic[0].density", "positive"),
        (with("youngs_modulus = 0"), "peridynamic[0].youngs_modulus", "positive"),
        (with("energy_release_rate = 0"), "peridynamic[0].energy_release_rate", "unbreakable = true"),
        (with("energy_release_rate = inf"), "peridynamic[0].energy_release_rate", "unbreakable = true"),
        (with("poisson = 0.3"), "peridynamic[0].poisson", "whatever their stiffness is"),
        (with("poisson = nan"), "peridynamic[0].poisson", "got NaN"),
        (with("law = \"state-based\"\npoisson = nan"), "peridynamic[0].poisson", "got NaN"),
        (with("law = \"state-based\"\npoisson = 0.5"), "peridynamic[0].poisson", "below 0.5"),
        (with("toughening = -0.1"), "peridynamic[0].toughening", "zero or positive"),
        (with("jitter = 0.7"), "peridynamic[0].jitter", "0.4"),
        (with("friction = -1"), "peridynamic[0].friction", "zero or positive"),
        (with("velocity = [0, nan, 0]"), "peridynamic[0].velocity", "finite"),
        (with("thickness = 0.1"), "peridynamic[0].thickness", "plane-stress"),
        (
            with("law = \"state-based\"").replace("until", "integrator = \"bdf2\"\nuntil"),
            "time.integrator",
            "velocity-verlet",
        ),
        (with("space = \"plane-stress\"\nlaw = \"state-based\""), "peridynamic[0].law", "two-dimensional"),
        (
            with("cracks = [{ corner = [0, 0, 0], sides = [[1, 0, 0], [2, 0, 0]] }]"),
            "peridynamic[0].cracks[0].sides",
            "different",
        ),
        (with("pins = [{ box = { min = [5, 5, 5], max = [6, 6, 6] } }]"), "peridynamic[0].pins[0]", "no particle"),
        (scene("[fracture]\novershoot = 0", BOX), "fracture.overshoot", "positive"),
        (scene("[fracture]\nstep_after = -1", BOX), "fracture.step_after", "positive"),
        (scene("", &BOX.replace("0.1", "0")), "peridynamic[0].spacing", "positive"),
        (scene("", &BOX.replace("0.1", "1e-4")), "peridynamic[0]", "make `spacing` larger"),
        (scene("", &BOX.replace("0.1", "0.25")), "peridynamic[0].box", "0.25"),
        (scene("", &BOX.replace("[0.4, 0.3, 0.2]", "[-0.4, 0.3, 0.2]")), "peridynamic[0].box", "above its lowest"),
        (
            scene("", "box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\nspacing = 0.1"),
            "peridynamic[0]",
            "no neighbour",
        ),
        (scene("", "figure = { shape = \"ball\", size = 0.01 }\nspacing = 0.1"), "peridynamic[0].figure", "0.1"),
        (scene("", &mesh("open.obj")), "peridynamic[0].surface", ""),
        (scene("", "surface = { file = \"none.obj\" }\nspacing = 0.1"), "peridynamic[0].surface.file", "none.obj"),
        (
            scene("[[collider]]\nname = \"ball\"\nsphere = { radius = 0.15 }", BOX),
            "peridynamic[0]",
            "begins inside of a collider",
        ),
        (scene("", &format!("{BOX}\n[[peridynamic]]\nname = \"other\"\n{BOX}")), "peridynamic[0]", "another body"),
        (
            scene("", BOX).replace("[time]", "[output]\nformats = [\"fragments\", \"fragment\"]\n[time]"),
            "output.formats[1]",
            "fragments",
        ),
    ] {
        let error = build(&text).expect_err(&text);
        assert!(
            error.contains(key) && error.contains(words),
            "{text}\nis refused with {error}\nnot with {key}: {words}"
        );
    }
    let cloth = "version = 1\n[time]\nuntil = 1\n[output]\nformats = [\"fragments\"]\n[[springs]]\nname = \"a\"\npoints = [[0, 0, 0]]\nmass = 1\nstiffness = 1";
    assert!(build(cloth).unwrap_err().contains("nothing else breaks"));
}
