//! Five sheets of 128 x 128 points fall over a ball, as a preview: `cargo bench -p pliant-benches --bench drape -- [--until SECONDS] [--threads N]`.
//!
//! Prints the time of every frame, and counts the intersections of each with the checker of the tests, which shares no code with the detector
//! (outside of the measured time). Under `cargo test` the scene is only read.

use std::path::Path;
use std::time::Instant;

use pliant::scene::load;
use pliant_testkit::intersections::intersecting_pairs;

/// Of the ball, around the origin, m.
const RADIUS: f64 = 0.3;

fn main() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/five-sheets.toml");
    let mut changes: Vec<String> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    let (mut is_bench, mut threads) = (false, 2);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
        match argument.as_str() {
            "--bench" => is_bench = true,
            "--until" => changes.push(format!("time.until={}", value())),
            "--threads" => threads = value().parse().unwrap_or_else(|e| panic!("--threads: {e}")),
            other => panic!("{other}: --until SECONDS or --threads N"),
        }
    }
    let scene = load(&path.to_string_lossy(), &changes).unwrap_or_else(|e| panic!("{e}"));
    if !is_bench {
        return;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    pool.install(|| {
        let mut simulation = scene.build().unwrap_or_else(|e| panic!("{e}")).simulation;
        let bodies = simulation.system.bodies().iter();
        let triangles: Vec<[u32; 3]> = bodies.flat_map(|body| body.triangles.iter().copied()).collect();
        let (mut seconds, mut worst, mut frames, mut intersections) = (0.0, 0.0_f64, 0, 0);
        while !simulation.is_done() {
            let begun = Instant::now();
            simulation.advance_frame(|_, _| {}).unwrap_or_else(|e| panic!("{e}"));
            let took = begun.elapsed().as_secs_f64();
            let x = &simulation.state().x;
            let inside = x.iter().filter(|x| x.length() < RADIUS).count();
            let cuts = intersecting_pairs(x, &triangles).len() + inside;
            let moving = simulation.account().energy.kinetic;
            println!("t {:.3} s: {took:6.2} s, {cuts} intersections, kinetic energy {moving:.2e} J", simulation.state().time);
            (seconds, worst, frames, intersections) =
                (seconds + took, worst.max(took), frames + 1, intersections + cuts);
        }
        let work = simulation.tally().work;
        println!(
            "{frames} frames of {} particles: {:.2} s a frame, the longest {worst:.2} s, {:.2} solves a frame, {intersections} intersections, {threads} threads",
            simulation.state().len(),
            seconds / f64::from(frames),
            work.solves as f64 / f64::from(frames),
        );
    });
}
