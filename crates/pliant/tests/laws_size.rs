//! What `pliant check` does, and the first search for contacts, take memory in proportion to the number of particles: twice as much for twice as many, however
//! fine the mesh is beside radii and distances.

use pliant::inspect::explain;
use pliant::scene::LoadedScene;
use pliant::scene::load::from_text;
use pliant_testkit::allocation::{Counting, bytes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const HEAD: &str = "version = 1\n[time]\nuntil = 1\n";

fn scene(body: &str) -> LoadedScene {
    from_text("size", "size.toml", &format!("{HEAD}{body}"), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// A rope of 1 m and a radius of 5 cm: of thousands of segments, hundreds are within a radius of each other.
fn rope(segments: usize) -> LoadedScene {
    let curve = r#"{ kind = "line", from = [0, 0, 0], to = [1, 0, 0] }"#;
    scene(&format!("[[rope]]\nname = \"rope\"\ncurve = {curve}\nradius = \"5 cm\"\nsegments = {segments}\n"))
}

fn cloth(columns: usize, rows: usize) -> LoadedScene {
    let grid = format!("{{ columns = {columns}, rows = {rows}, width = 1, height = 1 }}");
    scene(&format!("[[cloth]]\nname = \"sheet\"\ngrid = {grid}\npreset = \"cotton\"\n"))
}

/// Bytes that are asked for on one thread meanwhile.
fn asked(work: impl FnOnce() + Send) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    pool.install(|| {
        let before = bytes();
        work();
        (bytes() - before) as f64
    })
}

fn checked(scene: &LoadedScene) -> f64 {
    asked(|| drop(explain(scene).unwrap_or_else(|error| panic!("{error}"))))
}

/// Vectors that grow by doubling ask for up to twice as much from one size to the next.
#[test]
fn a_check_takes_memory_in_proportion() {
    for (what, few, many) in [
        ("a rope", checked(&rope(1000)), checked(&rope(16_000))),
        ("a sheet", checked(&cloth(16, 16)), checked(&cloth(64, 64))),
    ] {
        let growth = many / few;
        assert!(growth < 2.0 * 16.0, "{what} of 16 times the size takes {growth:.1} times the memory");
    }
}

#[test]
fn the_first_search_for_contacts_takes_memory_in_proportion() {
    let built = |segments| asked(|| drop(rope(segments).build().unwrap_or_else(|error| panic!("{error}"))));
    let growth = built(16_000) / built(1000);
    assert!(growth < 2.0 * 16.0, "a rope of 16 times the segments takes {growth:.1} times the memory");
}
