//! The fine surface of a solid: it begins where the file has it, whatever carries it, and is left away where a scene says so.

use std::path::PathBuf;

use glam::DVec3;
use pliant_core::{Body, State};
use pliant_scene::{LoadedScene, load};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-skin-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("it can be written");
    }

    /// Reads a scene with a block and behind it this solid.
    fn load(&self, solid: &str) -> Result<LoadedScene, String> {
        let block = "[[solid]]\nname = \"block\"\nbox = { cells = [1, 1, 1], size = [1, 1, 1], origin = [9, 9, 9] }";
        self.write(
            "scene.toml",
            &format!("version = 1\n[time]\nuntil = 1\n{block}\n[[solid]]\nname = \"body\"\n{solid}\n"),
        );
        load(self.0.join("scene.toml").to_str().expect("a plain path"), &[]).map_err(|error| error.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn body(scene: &LoadedScene) -> (Body, State) {
    let simulation = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
    (simulation.system.bodies()[1].clone(), simulation.state().clone())
}

/// A cube with a vertex that no face uses, and quadrilaterals; `inward` turns its faces.
fn cube(inward: bool) -> String {
    let corners = "v 0 0 0\nv 0 0 1\nv 0 1 0\nv 0 1 1\nv 1 0 0\nv 1 0 1\nv 1 1 0\nv 1 1 1\nv 0.5 0.25 0.125\n";
    let faces = [[1, 2, 4, 3], [5, 7, 8, 6], [1, 5, 6, 2], [3, 4, 8, 7], [1, 3, 7, 5], [2, 6, 8, 4]];
    let face =
        |[a, b, c, d]: [u8; 4]| if inward { format!("f {a} {d} {c} {b}\n") } else { format!("f {a} {b} {c} {d}\n") };
    corners.to_owned() + &faces.map(face).concat()
}

/// Six times the volume within triangles.
fn volume(triangles: &[[u32; 3]], x: &[DVec3]) -> f64 {
    triangles.iter().map(|t| t.map(|k| x[k as usize])).map(|[a, b, c]| a.dot(b.cross(c))).sum()
}

#[test]
fn it_begins_where_the_vertices_of_the_file_are() {
    let folder = Folder::new("file");
    for inward in [false, true] {
        folder.write("cube.obj", &cube(inward));
        for refine in [0, 1, 2] {
            let surface = "surface = { file = \"cube.obj\", spacing = 0.13, scale = 0.4, offset = [1, -2, 3] }";
            let (body, state) = body(&folder.load(&format!("{surface}\nrefine = {refine}")).unwrap());
            let surface = body.fine_surface.expect("the default");
            let places = surface.carry(&state.x);
            assert_eq!((places.len(), surface.triangles.len()), (9, 12));
            let corner = |k: usize| DVec3::new((k / 4) as f64, (k / 2 % 2) as f64, (k % 2) as f64);
            let in_file = (0..8).map(corner).chain([DVec3::new(0.5, 0.25, 0.125)]);
            for (place, point) in places.iter().zip(in_file) {
                let wanted = 0.4 * point + DVec3::new(1.0, -2.0, 3.0);
                assert!(place.distance(wanted) < 1e-12 * wanted.length(), "refine = {refine}: {place} {wanted}");
            }
            assert!(surface.vertices.iter().flat_map(|v| v.corners).all(|c| body.particles.contains(&(c as usize))));
            assert!((volume(&surface.triangles, &places) / 6.0 - 0.4_f64.powi(3)).abs() < 1e-12, "it faces outward");
        }
    }
}

#[test]
fn figures_have_skins_finer_than_their_tetrahedra() {
    let folder = Folder::new("figure");
    for (shape, least) in [("ball", 5000), ("ring", 9000), ("rabbit", 9000), ("liver", 9000)] {
        let figure = format!("figure = {{ shape = \"{shape}\", size = 0.3, spacing = 0.035, centre = [0, 2, 0] }}");
        let (body, state) = body(&folder.load(&figure).unwrap());
        let surface = body.fine_surface.expect("the default");
        assert!(surface.triangles.len() >= least, "{shape}: {}", surface.triangles.len());
        // The tetrahedra reach the surface to within a part of their spacing, and their volume is about that of the figure.
        let outside = volume(&body.triangles, &state.x);
        let fine = volume(&surface.triangles, &surface.carry(&state.x));
        assert!((outside / fine - 1.0).abs() < 0.15, "{shape}: {outside} {fine}");
    }
}

#[test]
fn a_scene_may_do_without_and_what_has_none_cannot_ask_for_one() {
    let folder = Folder::new("none");
    folder.write("cube.obj", &cube(false));
    let surface = "surface = { file = \"cube.obj\", spacing = 0.3 }";
    let (with, without) = (folder.load(surface).unwrap(), folder.load(&format!("{surface}\nskin = false")).unwrap());
    assert!(body(&with).0.fine_surface.is_some() && body(&without).0.fine_surface.is_none());
    assert_eq!(body(&with).1, body(&without).1, "what moves is the same");
    let refused = folder.load("box = { cells = [1, 1, 1], size = [1, 1, 1] }\nskin = true").unwrap_err();
    assert!(refused.contains("solid[1].skin") && refused.contains("figure"), "{refused}");
    assert!(folder.load("box = { cells = [1, 1, 1], size = [1, 1, 1] }\nskin = false").is_ok());
}

#[test]
fn a_copy_of_the_scene_in_another_folder_finds_its_files() {
    let (folder, result) = (Folder::new("here"), Folder::new("there"));
    folder.write("cube.obj", &cube(false));
    let scene = folder.load("surface = { file = \"cube.obj\", spacing = 0.3 }").unwrap();
    result.write("scene.toml", &scene.to_toml());
    let copy = load(result.0.join("scene.toml").to_str().expect("a plain path"), &[]).expect("it is a scene");
    assert_eq!(body(&copy), body(&scene));
    let text = std::fs::read_to_string(folder.0.join("scene.toml")).expect("it was written");
    assert_ne!(scene.to_toml(), text);
    let plain = folder.load("figure = { shape = \"ball\", size = 0.3, spacing = 0.1 } # round").unwrap();
    assert!(plain.to_toml().contains("# round"), "without files it is the text itself");
}
