//! Bad cloth ends in a message that names the key and what would be right; nothing panics.

use std::path::PathBuf;

use pliant_scene::load;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-cloth-input-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    /// What building a scene with this mesh and these further lines says.
    fn build(&self, mesh: &str, repair: &str) -> Result<usize, String> {
        std::fs::write(self.0.join("sheet.obj"), mesh).expect("it can be written");
        let cloth = format!(
            "name = \"sheet\"\nmesh = {{ file = \"sheet.obj\", repair = [{repair}] }}\ncontact_distance = \"1 mm\""
        );
        self.scene(&cloth, "")
    }

    fn scene(&self, cloth: &str, rest: &str) -> Result<usize, String> {
        let file = self.0.join("scene.toml");
        let text = format!("version = 1\n[time]\nuntil = 0.1\n[[cloth]]\n{cloth}\n{rest}");
        std::fs::write(&file, text).expect("it can be written");
        let scene = load(file.to_str().expect("a plain path"), &[]).map_err(|error| error.to_string())?;
        scene.build().map(|built| built.simulation.state().len()).map_err(|error| error.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n";

#[test]
fn good_meshes_are_read() {
    let folder = Folder::new("good");
    assert_eq!(folder.build(&format!("{SQUARE}f 1 2 3\nf 1 3 4\n"), ""), Ok(4));
    assert_eq!(folder.build(&format!("{SQUARE}f 1 2 3 4\n"), ""), Ok(4), "a quad is cut in two");
}

/// Two triangles with a seam that is not joined: its points are there twice.
#[test]
fn a_seam_that_is_not_joined_is_told() {
    let folder = Folder::new("seam");
    let seam = format!("{SQUARE}v 0 0 0\nv 1 0 1\nf 1 2 3\nf 5 6 4\n");
    let message = folder.build(&seam, "").expect_err("two points are there twice");
    for words in ["cloth[0]", "particle 0 of \"sheet\"", "particle 4 of", "the same place", "`repair = [\"weld\"]`"] {
        assert!(message.contains(words), "{words}: {message}");
    }
    assert_eq!(folder.build(&seam, "\"weld\""), Ok(4));
}

#[test]
fn bad_meshes_are_refused_with_what_would_help() {
    let folder = Folder::new("bad");
    let cases = [
        ("no faces", SQUARE.to_owned(), "", "no triangles"),
        ("out of range", format!("{SQUARE}f 1 2 9\n"), "", "9"),
        ("not a number", "v 0 0 nan\nv 1 0 0\nv 1 0 1\nf 1 2 3\n".to_owned(), "", "not finite"),
        ("no area", format!("{SQUARE}f 1 2 3\nf 1 3 4\nv 2 0 0\nf 1 2 5\n"), "", "drop-bad"),
        ("twice", format!("{SQUARE}f 1 2 3\nf 2 3 1\nf 1 3 4\n"), "", "drop-bad"),
        ("turned", format!("{SQUARE}f 1 2 3\nf 1 4 3\n"), "", "orient"),
        ("three at an edge", format!("{SQUARE}v 0 1 0\nf 1 2 3\nf 1 3 4\nf 1 3 5\n"), "", "two triangles"),
        ("unused", format!("{SQUARE}v 5 5 5\nf 1 2 3\nf 1 3 4\n"), "", "drop-unused"),
    ];
    for (what, mesh, repair, words) in cases {
        let message = folder.build(&mesh, repair).expect_err(what).to_lowercase();
        println!("{what}: {message}");
        assert!(message.contains(words), "{what}: {message}");
        assert!(message.contains("scene.toml:6: cloth[0].mesh.file"), "{what}: {message}");
    }
}

#[test]
fn what_may_be_mended_is() {
    let folder = Folder::new("mended");
    let twice = format!("{SQUARE}f 1 2 3\nf 2 3 1\nf 1 3 4\n");
    assert_eq!(folder.build(&twice, "\"drop-bad\""), Ok(4));
    assert_eq!(folder.build(&format!("{SQUARE}f 1 2 3\nf 1 4 3\n"), "\"orient\""), Ok(4));
    assert_eq!(folder.build(&format!("{SQUARE}v 5 5 5\nf 1 2 3\nf 1 3 4\n"), "\"drop-unused\""), Ok(4));
}

#[test]
fn numbers_that_make_no_cloth() {
    let folder = Folder::new("numbers");
    let grid = "name = \"sheet\"\ngrid = { columns = 5, rows = 5, width = 1, height = 1 }\n";
    for (line, key) in [
        ("density = 0", "cloth[0].density"),
        ("thickness = \"-1 mm\"", "cloth[0].thickness"),
        ("youngs_modulus = nan", "cloth[0].youngs_modulus"),
        ("friction = -0.1", "cloth[0].friction"),
        ("preset = \"coton\"", "did you mean \"cotton\"?"),
        ("contact_distance = \"20 cm\"", "cloth[0].contact_distance"),
        ("inflate = { pressure = 100 }", "cloth[0].inflate"),
        ("pins = [{ attribute = \"pin\" }]", "cloth[0].pins[0].attribute"),
    ] {
        let message = folder.scene(&format!("{grid}{line}"), "").expect_err(line);
        assert!(message.contains(key), "{line}: {message}");
    }
}

#[test]
fn starts_that_overlap_are_named() {
    let folder = Folder::new("overlap");
    let grid = "name = \"sheet\"\ngrid = { columns = 5, rows = 5, width = 1, height = 1, plane = \"horizontal\" }\n";
    let ball = "[[collider]]\nname = \"ball\"\nsphere = { centre = [0.5, 0.1, 0.5], radius = 0.2 }";
    let floor = "[[collider]]\nname = \"floor\"\nplane = { point = [0, 0.1, 0] }";
    let block = "[[collider]]\nname = \"block\"\nbox = { min = [-1, -1, -1], max = [2, 1, 2] }";
    let other = "[[cloth]]\nname = \"other\"\ngrid = { columns = 5, rows = 5, width = 1, height = 1, origin = [0.1, 0.4, 0.4] }";
    for (rest, words) in [(ball, "ball"), (floor, "floor"), (block, "block"), (other, "cuts")] {
        let message = folder.scene(grid, rest).expect_err(rest);
        assert!(message.contains(words) && message.contains("cloth[0]"), "{message}");
        assert!(message.contains("contact = false"), "{message}");
    }
}
