//! Frames in every format of the catalog: resumed files are byte for byte those of an undisturbed run, and what is in them.

use crate::common;

use std::fs;
use std::path::Path;

use common::{bits, folder, names, state, system};
use glam::DVec3;
use pliant_core::{Body, Fields, State, System};
use pliant_geom::stuffing::{Anchor, FineSurface};
use pliant_mesh::Mesh;
use pliant_record::{FORMATS, Format, FrameWriter, Grown, Opening, RecordError, read_mesh};

fn open(format: &Format, folder: &Path, system: &System, grown: Option<&[Grown]>) -> Box<dyn FrameWriter> {
    format.open(&Opening { folder, system, fps: 25.0, grown }).unwrap().unwrap()
}

fn frame(writer: &mut dyn FrameWriter, k: u64) {
    writer.frame(k, &state(7, k as f64 / 25.0), &Fields::default()).unwrap();
}

/// Two fields whose numbers have no short form.
fn fields(count: usize) -> Fields {
    let mut fields = Fields::default();
    fields.begin(count);
    for (name, scale) in [(Fields::DENSITY, 1e3), (Fields::PRESSURE, -7.0)] {
        fields.field(name).iter_mut().enumerate().skip(2).for_each(|(i, value)| *value = scale * (i as f64).ln());
    }
    fields
}

fn find(name: &str) -> &'static Format {
    pliant_record::formats::find(name).unwrap()
}

/// All files below a folder with their contents.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for name in names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            all.extend(contents(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            all.push((name, fs::read(path).unwrap()));
        }
    }
    all
}

#[test]
fn a_resumed_run_leaves_the_same_bytes_and_only_what_is_declared() {
    let system = system();
    for format in FORMATS.iter().filter(|format| format.pictures().is_none()) {
        let (calm, killed) = (folder(&format!("calm-{}", format.name)), folder(&format!("killed-{}", format.name)));
        let mut writer = open(format, &calm, &system, None);
        (0..5).for_each(|k| frame(&mut *writer, k));
        writer.sync(&mut Vec::new()).unwrap();
        writer.finish().unwrap();
        writer.clean().unwrap();

        let mut writer = open(format, &killed, &system, None);
        let mut lengths = Vec::new();
        (0..2).for_each(|k| frame(&mut *writer, k));
        writer.sync(&mut lengths).unwrap();
        (2..4).for_each(|k| frame(&mut *writer, k));
        // killed here, with frames behind the checkpoint on the disk
        writer.sync(&mut Vec::new()).unwrap();
        drop(writer);
        let mut writer = open(format, &killed, &system, Some(&lengths));
        (2..5).for_each(|k| frame(&mut *writer, k));
        writer.sync(&mut Vec::new()).unwrap();
        // killed while the end is written, and once more
        writer.finish().unwrap();
        writer.finish().unwrap();
        writer.clean().unwrap();
        assert!(contents(&calm) == contents(&killed), "{}", format.name);
        let declared: Vec<&str> = format.files.iter().chain(format.folders).copied().collect();
        assert!(names(&calm).iter().all(|name| declared.contains(&name.as_str())), "{}", format.name);
    }
}

#[test]
fn states_and_files_that_do_not_fit_are_refused() {
    let system = system();
    for format in FORMATS.iter().filter(|format| format.pictures().is_none()) {
        let folder = folder(&format!("shape-{}", format.name));
        let mut writer = open(format, &folder, &system, None);
        let refused = writer.frame(0, &state(6, 0.0), &Fields::default());
        assert!(matches!(refused, Err(RecordError::Shape { .. })), "{}: {refused:?}", format.name);
        if ["vtu", "ply"].contains(&format.name) {
            let refused = writer.frame(0, &state(7, 0.0), &fields(6));
            assert!(matches!(refused, Err(RecordError::Shape { .. })), "{}: {refused:?}", format.name);
        }
        let mut lengths = Vec::new();
        writer.sync(&mut lengths).unwrap();
        lengths.iter_mut().for_each(|file| file.len += 1);
        if !lengths.is_empty() {
            let opening = Opening { folder: &folder, system: &system, fps: 25.0, grown: Some(&lengths) };
            let refused = format.open(&opening).unwrap().err();
            assert!(matches!(refused, Some(RecordError::NotResumable { .. })), "{}: {refused:?}", format.name);
        }
    }
}

#[test]
fn bodies_that_name_no_particle_are_refused() {
    let body = Body { name: "torn".into(), particles: 0..1, triangles: vec![[0, 1, 9]], ..Body::default() };
    let system = System::new(vec![1.0; 2], vec![], vec![], vec![body]).unwrap();
    for name in ["ply", "obj", "usd"] {
        let folder = folder(&format!("torn-{name}"));
        let opening = Opening { folder: &folder, system: &system, fps: 25.0, grown: None };
        let error = find(name).open(&opening).unwrap().err().unwrap().to_string();
        assert!(error.contains("torn") && error.contains('9'), "{error}");
    }
}

#[test]
fn ply_and_obj_frames_read_back_to_the_same_bits() {
    let (system, state) = (system(), state(7, 0.125));
    for name in ["ply", "obj"] {
        let folder = folder(&format!("back-{name}"));
        open(find(name), &folder, &system, None).frame(3, &state, &Fields::default()).unwrap();
        let mesh = Mesh::read(&folder.join(format!("{name}/frame_00003.{name}"))).unwrap();
        assert_eq!(bits(&mesh.points), bits(&state.x), "{name}");
        assert_eq!(mesh.edges, [[0, 1], [1, 2], [2, 0], [5, 4]], "{name}");
    }
}

/// Converting the VTU of a frame gives what the same run writes as PLY.
#[test]
fn a_vtu_frame_is_the_same_mesh_as_the_ply_frame() {
    let mut bodies = system().bodies().to_vec();
    bodies[0].triangles.push([0, 1, 2]);
    let pin = pliant_core::Pin { particle: 5, path: pliant_core::Path::Fixed(glam::DVec3::ONE) };
    let system = System::new(vec![1.0; 7], vec![pin], vec![], bodies).unwrap();
    let folder = folder("vtu-mesh");
    let vtu = folder.join("frames/frame_00003.vtu");
    for known in [fields(7), Fields::default()] {
        for name in ["vtu", "ply"] {
            open(find(name), &folder, &system, None).frame(3, &state(7, 0.125), &known).unwrap();
        }
        let mesh = read_mesh(&vtu).unwrap();
        assert_eq!(mesh, Mesh::read(&folder.join("ply/frame_00003.ply")).unwrap());
        let named = |name: &str| mesh.attributes.iter().find(|attribute| attribute.name == name);
        for field in known.all() {
            assert_eq!(named(field.name).unwrap().values, field.values);
        }
        assert_eq!(named("density").is_some(), !known.all().is_empty());
    }
    let mesh = read_mesh(&vtu).unwrap();
    assert_eq!((&mesh.faces, &mesh.edges), (&vec![vec![0, 1, 2]], &vec![[5, 4]]));
    let bytes = fs::read(&vtu).unwrap();
    fs::write(&vtu, &bytes[..bytes.len() - 200]).unwrap();
    let error = read_mesh(&vtu).unwrap_err().to_string();
    assert!(error.contains("frame_00003.vtu") && error.contains("cut short"), "{error}");
}

#[test]
fn an_npy_header_is_what_numpy_asks_for() {
    let folder = folder("npy-header");
    let mut writer = open(find("npy"), &folder, &system(), None);
    (0..3).for_each(|k| frame(&mut *writer, k));
    writer.sync(&mut Vec::new()).unwrap();
    for (name, shape, numbers) in [("positions.npy", "(3, 7, 3)", 3 * 21), ("times.npy", "(3,)", 3)] {
        let bytes = fs::read(folder.join(name)).unwrap();
        assert_eq!(bytes.len(), 128 + 8 * numbers);
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let header = std::str::from_utf8(&bytes[10..128]).unwrap();
        assert_eq!(header.trim_end_matches(' '), header, "ends in a line break");
        assert!(
            header.starts_with(&format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}")),
            "{header}"
        );
    }
}

#[test]
fn usd_names_are_unique_and_strings_are_quoted() {
    let body = |name: &str, i: usize| Body { name: name.into(), particles: i..i + 1, ..Body::default() };
    let bodies = vec![body("a b", 0), body("a-b", 1), body("7\"\\", 2), body("", 3)];
    let system = System::new(vec![1.0; 7], vec![], vec![], bodies).unwrap();
    let folder = folder("usd-names");
    let mut writer = open(find("usd"), &folder, &system, None);
    frame(&mut *writer, 0);
    writer.finish().unwrap();
    let text = fs::read_to_string(folder.join("animation.usda")).unwrap();
    for part in ["\"a_b\"", "\"a_b_2\"", "\"_7__\"", "\"_\"", "\"loose\"", "string name = \"7\\\"\\\\\""] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert_eq!(text.matches("timeSamples").count(), 5 * 3);
}

/// A tetrahedron that carries a fine surface of three vertices, and a line that begins at one of its corners; one corner is pinned.
fn with_fine_surface() -> (System, FineSurface) {
    let anchor = |weights: [f64; 4]| Anchor { corners: [0, 1, 2, 3], weights };
    let vertices = vec![anchor([0.1, 0.2, 0.3, 0.4]), anchor([1.5, -0.5, 0.25, -0.25]), anchor([0.0, 0.0, 1.0, 0.0])];
    let surface = FineSurface { vertices, triangles: vec![[0, 1, 2], [2, 1, 0]] };
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let solid = Body {
        name: "solid".into(),
        particles: 0..4,
        triangles,
        fine_surface: Some(surface.clone()),
        ..Body::default()
    };
    let line = Body { name: "line".into(), particles: 4..7, edges: vec![[2, 4], [4, 5], [5, 6]], ..Body::default() };
    let pin = pliant_core::Pin { particle: 2, path: pliant_core::Path::Fixed(DVec3::ONE) };
    (System::new(vec![1.0; 7], vec![pin], vec![], vec![solid, line]).unwrap(), surface)
}

#[test]
fn surface_formats_hold_the_fine_surface_and_vtu_the_particles() {
    let ((system, surface), state) = (with_fine_surface(), state(7, 0.125));
    let folder = folder("skin");
    for name in ["vtu", "ply", "obj"] {
        open(find(name), &folder, &system, None).frame(0, &state, &Fields::default()).unwrap();
    }
    let shown = [2, 4, 5, 6];
    let places: Vec<DVec3> = shown.iter().map(|i| state.x[*i]).chain(surface.carry(&state.x)).collect();
    for name in ["ply", "obj"] {
        let mesh = Mesh::read(&folder.join(format!("{name}/frame_00000.{name}"))).unwrap();
        assert_eq!(bits(&mesh.points), bits(&places), "{name}");
        assert_eq!(mesh.faces, [[4, 5, 6], [6, 5, 4]], "{name}");
        assert_eq!(mesh.edges, [[0, 1], [1, 2], [2, 3]], "{name}");
        if name == "ply" {
            let of = |name: &str| &mesh.attributes.iter().find(|attribute| attribute.name == name).unwrap().values;
            assert_eq!(of("id"), &[2.0, 4.0, 5.0, 6.0, -1.0, -1.0, -1.0]);
            assert_eq!(of("body"), &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
            assert_eq!(
                of("pinned"),
                &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
                "a vertex is pinned where all that carries it is"
            );
            let fast = surface.carry(&state.v);
            assert_eq!(of("vy")[4..], [fast[0].y, fast[1].y, fast[2].y]);
        }
    }
    let coarse = read_mesh(&folder.join("frames/frame_00000.vtu")).unwrap();
    assert_eq!((coarse.points.len(), coarse.faces.len()), (7, 4));

    let mut writer = open(find("usd"), &folder, &system, None);
    writer.frame(0, &state, &Fields::default()).unwrap();
    writer.finish().unwrap();
    let text = fs::read_to_string(folder.join("animation.usda")).unwrap();
    let solid = &text[text.find("def Mesh \"solid\"").unwrap()..text.find("def BasisCurves").unwrap()];
    assert!(solid.contains("faceVertexIndices = [0, 1, 2, 2, 1, 0]"), "{solid}");
    assert!(solid.contains("primvars:pinned = [0, 0, 1]") && !solid.contains("primvars:id"), "{solid}");
    let points = solid.lines().skip_while(|line| !line.contains("points.timeSamples")).nth(1).unwrap();
    assert_eq!(points.matches('(').count(), 3, "{points}");
}

#[test]
fn skins_that_do_not_fit_are_refused() {
    let (system, surface) = with_fine_surface();
    let with = |surface: FineSurface| {
        let mut bodies = system.bodies().to_vec();
        bodies[0].fine_surface = Some(surface);
        System::new(vec![1.0; 7], vec![], vec![], bodies).unwrap()
    };
    let mut torn = surface.clone();
    torn.triangles[0][1] = 77;
    let mut loose = surface;
    loose.vertices[0].corners[3] = 88;
    for (system, wrong) in [(with(torn), "vertex 77"), (with(loose), "particle 88")] {
        for name in ["ply", "obj", "usd"] {
            let folder = folder(&format!("bad-skin-{name}"));
            let opening = Opening { folder: &folder, system: &system, fps: 25.0, grown: None };
            let error = find(name).open(&opening).unwrap().err().unwrap().to_string();
            assert!(error.contains("solid") && error.contains(wrong), "{name}: {error}");
        }
    }
}

/// A block of 125 grains beside a line, which has no surface of its own.
#[test]
fn surfaces_of_fluids_are_closed_meshes_with_what_the_fluid_has_there() {
    let at = |k: usize| DVec3::new((k % 5) as f64, (k / 5 % 5) as f64, (k / 25) as f64) * 0.1;
    let mut x: Vec<DVec3> = (0..125).map(at).collect();
    x.extend([DVec3::splat(9.0), DVec3::splat(10.0)]);
    let line = Body { name: "line".into(), particles: 125..127, edges: vec![[125, 126]], ..Body::default() };
    let shape = pliant_core::BodyShape::Grains { spacing: 0.1 };
    let water = Body { name: "water".into(), particles: 0..125, shape, ..Body::default() };
    let system = System::new(vec![1.0; 127], vec![], vec![], vec![line, water]).unwrap();
    let state = State { time: 0.5, x, v: vec![DVec3::new(1.0, -2.0, 3.0); 127] };
    let folder = folder("surface");
    open(find("surface"), &folder, &system, None).frame(4, &state, &Fields::default()).unwrap();
    let mesh = Mesh::read(&folder.join("surface/frame_00004.ply")).unwrap();
    assert!(mesh.faces.len() > 500 && mesh.edges.is_empty());
    assert!(mesh.points.iter().all(|p| p.min_element() > -0.15 && p.max_element() < 0.55));
    let of = |name: &str| &mesh.attributes.iter().find(|attribute| attribute.name == name).unwrap().values;
    assert!(of("body").iter().all(|body| *body == 1.0));
    assert!(of("vy").iter().all(|vy| (vy + 2.0).abs() < 1e-12));
    for (k, point) in mesh.points.iter().enumerate() {
        let normal = DVec3::new(of("nx")[k], of("ny")[k], of("nz")[k]);
        assert!((normal.length() - 1.0).abs() < 1e-12 && normal.dot(*point - 0.2) > 0.0);
    }
}
