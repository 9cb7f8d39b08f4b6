//! Bad solids end in a message that names the key and what would be right; good ones are built from every kind of mesh.

use std::path::PathBuf;

use pliant_scene::load;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-solid-input-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("it can be written");
    }

    /// How many particles a scene with this solid has, or what is wrong with it.
    fn build(&self, solid: &str) -> Result<usize, String> {
        let file = self.0.join("scene.toml");
        self.write("scene.toml", &format!("version = 1\n[time]\nuntil = 0.1\n[[solid]]\nname = \"body\"\n{solid}\n"));
        let scene = load(file.to_str().expect("a plain path"), &[]).map_err(|error| error.to_string())?;
        scene.build().map(|built| built.simulation.state().len()).map_err(|error| error.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const BLOCK: &str = "box = { cells = [1, 1, 1], size = [1, 1, 1] }";
const CUBE: &str = "v 0 0 0\nv 0 0 1\nv 0 1 0\nv 0 1 1\nv 1 0 0\nv 1 0 1\nv 1 1 0\nv 1 1 1\n\
                    f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n";
const NODES: &str = "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n";

#[test]
fn solids_are_built_from_all_kinds_of_meshes() {
    let folder = Folder::new("good");
    assert_eq!(folder.build(BLOCK), Ok(8));
    assert_eq!(folder.build(&format!("{BLOCK}\nrefine = 1\nframes = \"coarse\"")), Ok(26));
    let studied = "refine = 1\nframes = \"coarse\"\nframe_interval = \"50 ms\"\ncoarse_green = 1.0";
    assert_eq!(folder.build(&format!("{BLOCK}\n{studied}")), Ok(26));
    folder.write("body.node", NODES);
    folder.write("body.ele", "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n");
    assert_eq!(folder.build("mesh = { file = \"body.node\" }"), Ok(5));
    folder.write("cube.obj", CUBE);
    assert!(folder.build("surface = { file = \"cube.obj\", spacing = 0.5 }").is_ok_and(|count| count > 20));
    for shape in ["ball", "ring", "rabbit", "liver"] {
        let built = folder.build(&format!("figure = {{ shape = \"{shape}\", size = \"30 cm\", spacing = \"4 cm\" }}"));
        assert!(built.as_ref().is_ok_and(|count| *count > 50), "{shape}: {built:?}");
    }
    for measure in ["cauchy", "green", "corotational", "warped", "hybrid", "neo-hookean"] {
        assert_eq!(folder.build(&format!("{BLOCK}\nmeasure = \"{measure}\"")), Ok(8));
    }
}

#[test]
fn bad_solids_are_refused_with_what_would_help() {
    let folder = Folder::new("bad");
    folder.write("cube.obj", CUBE);
    folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("flat.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n");
    folder.write("flat.ele", "1 4 0\n1 1 2 3 4\n");
    folder.write("twice.node", NODES);
    folder.write("twice.ele", "3 4 0\n1 1 2 3 4\n2 2 3 4 5\n3 2 1 3 4\n");
    folder.write("cut.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4");
    folder.write("binary.msh", "$MeshFormat\n4.1 1 8\n");
    let with = |line: &str| format!("{BLOCK}\n{line}");
    let load = |rest: &str| with(&format!("loads = [{{ box = {{ min = [0, 0, 0], max = [1, 0, 1] }}, {rest} }}]"));
    let cases = [
        ("no shape", String::new(), "exactly one"),
        ("two shapes", format!("{BLOCK}\nmesh = {{ file = \"x.msh\" }}"), "exactly one"),
        ("no cells", "box = { cells = [0, 1, 1], size = [1, 1, 1] }".into(), "at least one cell"),
        ("too many", "box = { cells = [9000, 9000, 9000], size = [1, 1, 1] }".into(), "particles"),
        ("no size", "box = { cells = [1, 1, 1], size = [1, 0, 1] }".into(), "positive"),
        ("poisson", with("poisson = 0.5"), "0.5"),
        ("modulus", with("youngs_modulus = -1"), "positive"),
        ("density", with("density = 0"), "positive"),
        ("measure", with("measure = \"grren\""), "green"),
        ("preset", with("preset = \"jelly\""), "gelatine"),
        ("frames", with("frames = \"coarse\""), "refine"),
        ("frames of another measure", with("frames = \"step\"\nmeasure = \"green\""), "corotational"),
        ("updates of current frames", with("frame_interval = 0.1"), "frames = \"step\" or \"coarse\""),
        ("no time between updates", with("frames = \"step\"\nframe_interval = 0"), "must be positive"),
        ("updates in the past", with("frames = \"step\"\nframe_interval = \"-1 ms\""), "must be positive"),
        ("spread over nothing", with("frames = \"step\"\nspread_frames = true"), "frame_interval"),
        ("coarse Green's measure of nothing", with("coarse_green = 1.0"), "frames = \"coarse\""),
        ("too much of Green's measure", with("refine = 1\nframes = \"coarse\"\ncoarse_green = 1.5"), "between 0 and 1"),
        ("refine", with("refine = 99"), "at most"),
        ("no load", load("ramp = 1"), "traction"),
        ("ramp twice", load("pressure = 1, ramp = 1, times = [0, 1], parts = [0, 1]"), "either"),
        ("parts", load("pressure = 1, times = [0, 1], parts = [0]"), "as many"),
        ("load nowhere", with("loads = [{ box = { min = [5, 5, 5], max = [6, 6, 6] }, pressure = 1 }]"), "no face"),
        ("pin nowhere", with("pins = [{ box = { min = [5, 5, 5], max = [6, 6, 6] } }]"), "no particle"),
        ("missing", "mesh = { file = \"nowhere.msh\" }".into(), "nowhere.msh"),
        ("unknown", "mesh = { file = \"cube.obj\" }".into(), ".msh"),
        ("flat", "mesh = { file = \"flat.node\" }".into(), "volume"),
        ("twice", "mesh = { file = \"twice.node\" }".into(), "2"),
        ("truncated", "mesh = { file = \"cut.msh\" }".into(), "line"),
        ("binary", "mesh = { file = \"binary.msh\" }".into(), "ASCII"),
        ("open", "surface = { file = \"open.obj\", spacing = 0.1 }".into(), "open"),
        ("too fine", "surface = { file = \"cube.obj\", spacing = 1e-6 }".into(), "would do"),
        ("too coarse", "surface = { file = \"cube.obj\", spacing = 50 }".into(), "spacing"),
        ("contact", with("contact_distance = 0.9"), "at most"),
    ];
    for (name, solid, wanted) in cases {
        match folder.build(&solid) {
            Err(message) => {
                assert!(message.contains(wanted), "{name}: {message}");
                assert!(message.contains("scene.toml"), "{name}: {message}");
            }
            Ok(count) => panic!("{name}: built with {count} particles"),
        }
    }
}
