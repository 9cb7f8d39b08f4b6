//! Bad ropes end in a message that names the key and what would be right; good ones are built from points, files and curves.

use std::path::PathBuf;

use pliant_scene::load;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-rope-input-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("it can be written");
    }

    /// How many particles a scene with this rope has, or what is wrong with it.
    fn build(&self, rope: &str) -> Result<usize, String> {
        let file = self.0.join("scene.toml");
        self.write("scene.toml", &format!("version = 1\n[time]\nuntil = 0.1\n[[rope]]\nname = \"line\"\n{rope}\n"));
        let scene = load(file.to_str().expect("a plain path"), &[]).map_err(|error| error.to_string())?;
        scene.build().map(|built| built.simulation.state().len()).map_err(|error| error.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const LINE: &str = "points = [[0, 0, 0], [1, 0, 0]]\nsegments = 20\nradius = \"5 mm\"";
/// Another rope, across the middle of the first.
const ACROSS: &str =
    "\n[[rope]]\nname = \"across\"\npoints = [[0.5, 0.001, -1], [0.5, 0.001, 1]]\nsegments = 20\nradius = \"5 mm\"";

#[test]
fn ropes_are_built_from_points_files_and_curves() {
    let folder = Folder::new("good");
    assert_eq!(folder.build(LINE), Ok(84));
    assert_eq!(folder.build("points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]\nradius = 0.01"), Ok(12));
    let through = "points = [[0, 0, 0], [1, 0.2, 0], [2, 0, 0]]\nthrough = \"spline\"\nradius = 0.01";
    assert!(folder.build(through).is_ok_and(|count| count > 4 * 50));
    folder.write("curve.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nl 1 2 3 4\n");
    assert_eq!(folder.build("file = \"curve.obj\"\nradius = 0.01"), Ok(16));
    folder.write("ring.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nl 1 2 3 4 1\n");
    assert_eq!(folder.build("file = \"ring.obj\"\nradius = 0.01\nsegments = 40"), Ok(160));
    folder.write("curve.csv", "x,y,z\n0,0,0\n1,0,0\n2,1,0\n");
    assert_eq!(folder.build("file = \"curve.csv\"\nradius = 0.01\nscale = 0.5"), Ok(12));
    folder.write("curve.xyz", "# a curve\n0 0 0\n1 0 0\n\n2 1 0\n");
    assert_eq!(folder.build("file = \"curve.xyz\"\nradius = 0.01"), Ok(12));
    for curve in [
        "{ kind = \"line\", from = [0, 0, 0], to = [0, 0, 2] }",
        "{ kind = \"helix\", radius = 0.5, pitch = 0.2, turns = 3 }",
        "{ kind = \"ring\", radius = 1 }",
        "{ kind = \"trefoil\", size = 1 }",
        "{ kind = \"figure-eight\", size = 1 }",
        "{ kind = \"cinquefoil\", size = 1 }",
        "{ kind = \"overhand\", size = 1, ends = 2 }",
        "{ kind = \"wave\", length = 2, height = 0.2, waves = 2 }",
    ] {
        let rope = format!("curve = {curve}\nradius = \"5 mm\"\nrotate = {{ axis = [1, 0, 0], angle = \"90 deg\" }}");
        assert!(folder.build(&rope).is_ok_and(|count| count > 100), "{curve}: {:?}", folder.build(&rope));
    }
    for preset in ["nylon-rope", "steel-cable", "suture", "rubber-cord", "spaghetti"] {
        assert_eq!(folder.build(&format!("{LINE}\npreset = \"{preset}\"")), Ok(84));
    }
    assert_eq!(folder.build(&format!("{LINE}\ncell = \"paper\"")), Ok(63));
    assert_eq!(folder.build(&format!("{LINE}\nyoungs_modulus = \"1 MPa\"\nrest = \"curve\"\ntwist = 2")), Ok(84));
    let own = "stretch_stiffness = \"1 kN\"\nbend_stiffness = \"2 mN m^2\"\ntwist_stiffness = 1e-3\nmass_per_length = \"50 g/m\"";
    assert_eq!(folder.build(&format!("{LINE}\n{own}")), Ok(84));
    // a clamped end holds a section, a plain one a point
    let pins = "pins = [{ end = \"first\", clamp = true, turn = { axis = [1, 0, 0], rate = 1 } }, { end = \"last\" }]";
    assert_eq!(folder.build(&format!("{LINE}\n{pins}")), Ok(84));
    // ropes that cut each other are moved apart where that is asked for
    assert_eq!(folder.build(&format!("{LINE}\nseparate = true{ACROSS}\nseparate = true")), Ok(168));
    assert_eq!(folder.build(&format!("{LINE}\ncontact = false{ACROSS}")), Ok(168));
}

#[test]
fn bad_ropes_are_refused_with_what_would_help() {
    let folder = Folder::new("bad");
    folder.write("empty.obj", "v 0 0 0\nv 1 0 0\n");
    folder.write("two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nl 1 2\nl 3 4\n");
    folder.write("bad.csv", "0,0,0\n1,zero,0\n");
    folder.write("short.xyz", "0 0 0\n1 0\n");
    folder.write("one.xyz", "0 0 0\n");
    let with = |line: &str| format!("{LINE}\n{line}");
    let cases = [
        ("no shape", "radius = 0.01".into(), "exactly one"),
        ("two shapes", with("curve = { kind = \"ring\", radius = 1 }"), "exactly one"),
        ("one point", "points = [[0, 0, 0]]\nradius = 0.01".into(), "at least 2 points, got 1"),
        (
            "coincident",
            "points = [[0, 0, 0], [1, 0, 0], [1, 0, 0]]\nradius = 0.01".into(),
            "points 1 and 2 of the rope coincide",
        ),
        ("not a number", "points = [[0, 0, 0], [1, nan, 0]]\nradius = 0.01".into(), "rope[0].points[1]"),
        ("folded", "points = [[0, 0, 0], [1, 0, 0], [0.5, 0, 0]]\nradius = 0.01".into(), "turns back"),
        (
            "too thick",
            "curve = { kind = \"ring\", radius = \"5 mm\" }\nradius = \"6 mm\"\nsegments = 40".into(),
            "bend radius",
        ),
        ("no radius", "points = [[0, 0, 0], [1, 0, 0]]\nradius = 0".into(), "positive"),
        ("no segments", with("closed = false").replace("segments = 20", "segments = 0"), "at least 1"),
        ("preset", with("preset = \"nylonrope\""), "nylon-rope"),
        ("stretch", with("stretch_stiffness = 0"), "rope[0].stretch_stiffness: must be positive"),
        ("bend", with("bend_stiffness = -1"), "rope[0].bend_stiffness: must be positive"),
        ("twist", with("twist_stiffness = 0"), "rope[0].twist_stiffness: must be positive"),
        ("unit", with("bend_stiffness = \"1 N m\""), "bending stiffness"),
        ("modulus", with("youngs_modulus = -1"), "positive"),
        ("mass twice", with("density = 1\nmass_per_length = 1"), "either"),
        ("mass", with("mass_per_length = 0"), "positive"),
        ("poisson", with("poisson = 0.6"), "0.5"),
        ("turns", with("twist = inf"), "finite"),
        ("strands", with("strands = 0"), "at least 1"),
        ("damping", with("damping = -1"), "zero or positive"),
        ("soft", with("contact_distance = \"6 mm\""), "below the radius"),
        ("rest", with("rest = \"curve\"\nbend_stiffness = 1\nstretch_stiffness = 1"), "straight at rest"),
        ("paper", with("cell = \"paper\"\nbend_stiffness = 1"), "isotropic"),
        (
            "curve",
            "curve = { kind = \"helix\", radius = 1, pitch = 0, turns = 2 }\nradius = 0.01".into(),
            "rope[0].curve.pitch",
        ),
        ("kind", "curve = { kind = \"trefoi\", size = 1 }\nradius = 0.01".into(), "trefoil"),
        ("axis", with("rotate = { axis = [0, 0, 0], angle = 1 }"), "direction"),
        ("pin nothing", with("pins = [{ clamp = true }]"), "pins nothing"),
        ("pin nowhere", with("pins = [{ points = [21] }]"), "there is no point 21; they are numbered 0 to 20"),
        ("pin no box", with("pins = [{ box = { min = [5, 5, 5], max = [6, 6, 6] } }]"), "no point of the rope"),
        ("pin twice", with("pins = [{ end = \"first\" }, { points = [0] }]"), "pinned twice"),
        (
            "no ends",
            "curve = { kind = \"ring\", radius = 1 }\nradius = 0.01\npins = [{ end = \"last\" }]".into(),
            "no ends",
        ),
        ("missing", "file = \"nowhere.xyz\"\nradius = 0.01".into(), "nowhere.xyz"),
        ("missing obj", "file = \"nowhere.obj\"\nradius = 0.01".into(), "nowhere.obj"),
        ("no polyline", "file = \"empty.obj\"\nradius = 0.01".into(), "no polyline"),
        ("two polylines", "file = \"two.obj\"\nradius = 0.01".into(), "not one polyline"),
        ("no number", "file = \"bad.csv\"\nradius = 0.01".into(), "line 2"),
        ("two numbers", "file = \"short.xyz\"\nradius = 0.01".into(), "line 2"),
        ("one place", "file = \"one.xyz\"\nradius = 0.01".into(), "at least 2 points"),
        (
            "crossing",
            format!("{LINE}{ACROSS}"),
            "segment 9 of \"line\" cuts segment 9 of \"across\"; set `separate = true`",
        ),
        (
            "in the floor",
            format!("{LINE}\n[[collider]]\nname = \"floor\"\nplane = {{ point = [0, -0.003, 0] }}"),
            "inside the collider \"floor\"",
        ),
        (
            "in a ball",
            format!("{LINE}\n[[collider]]\nname = \"ball\"\nsphere = {{ centre = [0.5, 0.1, 0], radius = 0.099 }}"),
            "cuts the collider \"ball\"",
        ),
    ];
    for (name, rope, wanted) in cases {
        match folder.build(&rope) {
            Err(message) => {
                assert!(message.contains(wanted), "{name}: {message}");
                assert!(message.contains("scene.toml"), "{name}: {message}");
            }
            Ok(count) => panic!("{name}: built with {count} particles"),
        }
    }
}

#[test]
fn bad_sutures_are_refused_with_what_would_help() {
    let folder = Folder::new("suture");
    let tissue = "\n[[solid]]\nname = \"tissue\"\nbox = { origin = [0.4, -1, -1], size = [0.2, 0.9, 2], cells = [1, 1, 1] }\npreset = \"gelatine\"";
    let with = |suture: &str| folder.build(&format!("{LINE}{tissue}\n[[suture]]\n{suture}"));
    assert_eq!(with("thread = \"line\"\nthrough = [\"tissue\"]\nneedle = 3"), Ok(92));
    for (what, suture, hint) in [
        (
            "thread",
            "thread = \"lin\"\nthrough = [\"tissue\"]\nneedle = 3",
            "suture[0].thread: no rope is called \"lin\"; did you mean \"line\"?",
        ),
        ("nothing", "thread = \"line\"\nthrough = []\nneedle = 3", "suture[0].through: name the solids and cloths"),
        (
            "itself",
            "thread = \"line\"\nthrough = [\"line\"]\nneedle = 3",
            "suture[0].through[0]: no solid or cloth is called \"line\"",
        ),
        ("twice", "thread = \"line\"\nthrough = [\"tissue\", \"tissue\"]\nneedle = 3", "named twice"),
        ("blunt", "thread = \"line\"\nthrough = [\"tissue\"]\nneedle = 0", "at least one segment"),
        ("all needle", "thread = \"line\"\nthrough = [\"tissue\"]\nneedle = 21", "the rope has 20 segments"),
        (
            "loose",
            "thread = \"line\"\nthrough = [\"tissue\"]\nneedle = 3\nstiffness = 0",
            "suture[0].stiffness: must be positive",
        ),
        (
            "grip",
            "thread = \"line\"\nthrough = [\"tissue\"]\nneedle = 3\ngrip = -1",
            "suture[0].grip: must be zero or positive",
        ),
    ] {
        let error = with(suture).expect_err(what);
        assert!(error.contains(hint), "{what}: {error}");
    }
    let two = "thread = \"line\"\nthrough = [\"tissue\"]\nneedle = 3\n[[suture]]\nthread = \"line\"\nthrough = [\"tissue\"]\nneedle = 3";
    assert!(with(two).expect_err("two").contains("the thread of an earlier suture"));
    let ring = "curve = { kind = \"ring\", radius = \"1 m\" }\nradius = \"5 mm\"";
    let error =
        folder.build(&format!("{ring}{tissue}\n[[suture]]\nthread = \"line\"\nthrough = [\"tissue\"]\nneedle = 3"));
    assert!(error.expect_err("ring").contains("closed rope has no end"));
}
