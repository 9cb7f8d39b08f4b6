//! What the fuzz targets call: one function of bytes for everything that reads what others wrote. The targets of cargo-fuzz and the tests of
//! `apps/cli/tests/fuzz` both loop over [`TARGETS`]. An entry returns for every input; a panic, a hang or memory without bound is a fault.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant::checkpoint::restore;
use pliant::inspect::explain;
use pliant::mesh::{Mesh, TetMesh};
use pliant::record::{Checkpoint, Grown, read_mesh};
use pliant::scene::load::from_text;
use pliant::scene::{LoadedScene, load};

use super::size::is_small;
use super::viewer::commands;

/// A target.
pub struct Target {
    /// Its name, that of its file in `fuzz_targets` and of its folder in `corpus`.
    pub name: &'static str,
    /// What it runs; returns whether the input was read, and went on to where it is used.
    pub run: fn(&[u8]) -> bool,
    /// Whether its inputs are lines of text.
    pub is_text: bool,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "scene", run: scene, is_text: true },
    Target { name: "set", run: set, is_text: true },
    Target { name: "viewer", run: commands, is_text: true },
    Target { name: "obj", run: |bytes| surface("obj", bytes), is_text: true },
    Target { name: "ply", run: |bytes| surface("ply", bytes), is_text: false },
    Target { name: "stl", run: |bytes| surface("stl", bytes), is_text: false },
    Target { name: "vtk", run: |bytes| tetrahedra("vtk", bytes), is_text: true },
    Target { name: "vtu", run: vtu, is_text: false },
    Target { name: "gmsh", run: |bytes| tetrahedra("msh", bytes), is_text: true },
    Target { name: "tetgen", run: tetgen, is_text: true },
    Target { name: "checkpoint", run: checkpoint, is_text: false },
];

/// Longest input, bytes: long ones only take longer.
pub const MAX_INPUT: usize = 64 * 1024;

/// Runs the target of a name; returns whether the input was read.
///
/// # Panics
/// If there is none, or where the target finds a fault.
pub fn run(name: &str, bytes: &[u8]) -> bool {
    let target =
        TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| panic!("there is no target {name}"));
    bytes.len() <= MAX_INPUT && (target.run)(bytes)
}

/// Steps that are tried.
const STEPS: usize = 2;

fn scene(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    from_text("fuzz", "fuzz.toml", text, &[]).is_ok_and(|scene| try_out(&scene))
}

/// What `pliant check` does, and the first steps, where the scene is small; returns whether it was built.
fn try_out(scene: &LoadedScene) -> bool {
    let text = scene.to_toml();
    let again = from_text("again", "again.toml", &text, &[]);
    let again = again.unwrap_or_else(|error| panic!("a scene is not read back: {error}\n{text}"));
    // names of files become absolute
    assert!(text.contains("file") || scene.fingerprint() == again.fingerprint(), "another scene is read back\n{text}");
    if !is_small(scene) {
        return false;
    }
    let _ = explain(scene);
    let Ok(mut built) = scene.build() else { return false };
    for _ in 0..STEPS {
        if built.simulation.step().is_err() {
            break;
        }
    }
    true
}

/// Scenes that changes are tried on.
const BASES: [&str; 5] = ["spring-chain", "pendulum", "hanging-cloth", "rope-hanging", "nonlinear-spring"];

/// A line for the scene, and lines of changes as `--set` takes them.
fn set(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let (first, changes) = text.split_once('\n').unwrap_or(("", text));
    let base = BASES.iter().find(|base| **base == first).unwrap_or(&BASES[0]);
    let changes: Vec<String> = changes.lines().take(8).map(str::to_owned).collect();
    load(base, &changes).is_ok_and(|scene| try_out(&scene))
}

/// A file of this process and thread, in memory where the system has such a folder.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(ending: &str, bytes: &[u8]) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let scratch = Self(folder.join(format!("pliant-fuzz-{}-{number}.{ending}", std::process::id())));
        scratch.fill(&scratch.0, bytes);
        scratch
    }

    fn fill(&self, path: &Path, bytes: &[u8]) {
        std::fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    fn with(&self, ending: &str) -> PathBuf {
        self.0.with_extension(ending)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let stem = self.0.with_extension("");
        for ending in ["obj", "ply", "stl", "vtk", "vtu", "msh", "node", "ele", "bin"] {
            let _ = std::fs::remove_file(stem.with_extension(ending));
        }
    }
}

/// Largest meshes that become bodies.
const MAX_POINTS: usize = 60;

/// Reads a mesh, writes it, reads that, and makes a sheet and a collider of it.
fn surface(ending: &str, bytes: &[u8]) -> bool {
    let file = Scratch::new(ending, bytes);
    let Ok(mesh) = Mesh::read(&file.0) else { return false };
    // OBJ needs points
    for other in ["ply", "obj"].into_iter().filter(|other| *other != ending && !mesh.points.is_empty()) {
        let path = file.with(other);
        if mesh.write(&path).is_ok() {
            let back = Mesh::read(&path).unwrap_or_else(|error| panic!("what was written is not read back: {error}"));
            assert_eq!(back.faces, mesh.faces, "{other}");
            let same = |a: &f64, b: &f64| a == b || a.is_nan() && b.is_nan();
            let numbers = |mesh: &Mesh| mesh.points.iter().flat_map(|point| point.to_array()).collect::<Vec<_>>();
            let (before, after) = (numbers(&mesh), numbers(&back));
            assert!(before.len() == after.len() && before.iter().zip(&after).all(|(a, b)| same(a, b)), "{other}");
        }
    }
    if mesh.points.len() <= MAX_POINTS && mesh.triangles().len() <= 2 * MAX_POINTS {
        bodies(&file.0, &["cloth", "collider"]);
    }
    true
}

/// Reads tetrahedra, writes them, reads that, and makes a solid of them.
fn tetrahedra(ending: &str, bytes: &[u8]) -> bool {
    let file = Scratch::new(ending, bytes);
    read_tetrahedra(&file, ending)
}

fn read_tetrahedra(file: &Scratch, ending: &str) -> bool {
    let path = file.with(ending);
    let Ok(mesh) = TetMesh::read(&path) else { return false };
    if ending != "vtu" {
        let other = file.with("vtu");
        if mesh.write(&other).is_ok() {
            let back =
                TetMesh::read(&other).unwrap_or_else(|error| panic!("what was written is not read back: {error}"));
            assert_eq!(back, mesh);
        }
    }
    if mesh.points.len() <= MAX_POINTS && mesh.tets.len() <= MAX_POINTS {
        bodies(&path, &["solid"]);
    }
    true
}

/// Tetrahedra, or a frame of ours.
fn vtu(bytes: &[u8]) -> bool {
    let file = Scratch::new("vtu", bytes);
    let has_tetrahedra = read_tetrahedra(&file, "vtu");
    let Ok(mesh) = read_mesh(&file.0) else { return has_tetrahedra };
    let _ = mesh.triangles();
    let _ = mesh.write(&file.with("ply"));
    true
}

/// Nodes and elements, separated by a line of three dashes.
fn tetgen(bytes: &[u8]) -> bool {
    const BETWEEN: &[u8] = b"\n---\n";
    let cut = bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN);
    let (nodes, elements) = cut.map_or((bytes, bytes), |cut| (&bytes[..cut], &bytes[cut + BETWEEN.len()..]));
    let file = Scratch::new("node", nodes);
    file.fill(&file.with("ele"), elements);
    let by_nodes = read_tetrahedra(&file, "node");
    assert_eq!(by_nodes, read_tetrahedra(&file, "ele"), "either name stands for both files");
    by_nodes
}

/// Bodies of these kinds from a mesh file, and the first steps.
fn bodies(file: &Path, kinds: &[&str]) {
    for kind in kinds {
        let text =
            format!("version = 1\n[time]\nuntil = 0.1\n[[{kind}]]\nname = \"it\"\nmesh = {{ file = {file:?} }}\n");
        let more = "[[springs]]\nname = \"chain\"\nmass = 1\nstiffness = 10\nchain = { count = 2, from = [0, 9, 0], to = [1, 9, 0] }\n";
        let text = if *kind == "collider" { text + more } else { text };
        if let Ok(scene) = from_text("fuzz", "fuzz.toml", &text, &[]) {
            let _ = try_out(&scene);
        }
    }
}

/// A whole file where it begins like one; else changes to the checkpoint of a small run, written with a right checksum, from which the run goes on.
fn checkpoint(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"PLIANT") {
        let file = Scratch::new("bin", bytes);
        return Checkpoint::read(&file.0).is_ok_and(|found| go_on(&base(bytes), &found));
    }
    let scene = base(bytes);
    let Ok(mut built) = scene.build() else { panic!("a built-in scene is not built") };
    let _ = built.simulation.step();
    let mut forged = pliant::checkpoint::of(&built.simulation, scene.fingerprint(), 1.0);
    for change in bytes.chunks_exact(12) {
        alter(&mut forged, change);
    }
    let file = Scratch::new("bin", b"");
    if forged.save(&file.0).is_err() {
        return false;
    }
    let back = Checkpoint::read(&file.0).unwrap_or_else(|error| panic!("what was written is not read back: {error}"));
    go_on(&scene, &back)
}

/// Cloth on a ball: contact and friction have a memory.
const CLOTH: &str = "version = 1\n[time]\nuntil = 1\n[[cloth]]\nname = \"sheet\"\n\
    grid = { columns = 4, rows = 4, width = 1, height = 1, plane = \"horizontal\", origin = [-0.5, 0.2015, -0.5] }\n\
    preset = \"cotton\"\nfriction = 0.3\n[[collider]]\nname = \"ball\"\nsphere = { centre = [0, 0, 0], radius = 0.2 }\n";

/// One of two scenes, by the first byte.
fn base(bytes: &[u8]) -> LoadedScene {
    let is_cloth = bytes.first().is_some_and(|byte| byte % 2 == 1);
    let scene = if is_cloth { from_text("cloth", "cloth.toml", CLOTH, &[]) } else { load("spring-chain", &[]) };
    scene.unwrap_or_else(|error| panic!("{error}"))
}

/// One change of twelve bytes: which list, which entry (of 65536), what to do, and eight bytes of a value.
fn alter(checkpoint: &mut Checkpoint, change: &[u8]) {
    let value: [u8; 8] = std::array::from_fn(|k| change[4 + k]);
    let (number, count) = (f64::from_le_bytes(value), u64::from_le_bytes(value));
    let at = |len: usize| usize::from(u16::from_le_bytes([change[1], change[2]])) % len.max(1);
    let Checkpoint { point, numbers, counts, files, edits, note, .. } = checkpoint;
    let state = &mut point.state;
    match change[0] % 12 {
        0 => put(numbers, at, change[3], number),
        1 => put(counts, at, change[3], count),
        2 => state.time = number,
        3 => state.x.get_mut(at(state.v.len())).into_iter().for_each(|x| x.y = number),
        4 => state.v.get_mut(at(state.x.len())).into_iter().for_each(|v| v.x = number),
        5 => point.force.get_mut(at(state.x.len())).into_iter().for_each(|f| f.z = number),
        6 => put(&mut point.memory.scalars, at, change[3], number),
        7 => point.force_known = change[3].is_multiple_of(2),
        8 => files.push(Grown { name: note.clone(), len: count, fixed: 0..count, hash: count }),
        9 => edits.push((number, note.clone())),
        10 => *note = String::from_utf8_lossy(&value).into_owned(),
        _ => point.memory.vectors.iter_mut().flatten().take(1 + at(64)).for_each(|x| x.x = number),
    }
}

/// Replaces, inserts, removes or cuts off.
fn put<T: Copy>(list: &mut Vec<T>, at: impl Fn(usize) -> usize, how: u8, value: T) {
    let place = at(list.len());
    match how % 8 {
        0 => list.insert(place.min(list.len()), value),
        1 => drop((!list.is_empty()).then(|| list.remove(place))),
        2 => list.truncate(place),
        _ => list.get_mut(place).into_iter().for_each(|old| *old = value),
    }
}

/// Goes on from a checkpoint for some steps, if it fits the scene.
fn go_on(scene: &LoadedScene, checkpoint: &Checkpoint) -> bool {
    let Ok(mut built) = scene.build() else { return false };
    if restore(&mut built.simulation, checkpoint).is_none() {
        return false;
    }
    for _ in 0..STEPS {
        if built.simulation.is_done() || built.simulation.step().is_err() {
            break;
        }
    }
    true
}
