//! Bodies that start nearer than their contact distance keep their gap as the distance: no pair begins with a force, so that nothing shoots apart.

use glam::DVec3;
use pliant::geom::distance::edge_edge;
use pliant::scene::Built;
use pliant::scene::load::from_text;
use pliant::time::{Progress, Simulation};
use pliant_testkit::intersections::intersecting_pairs;

fn build(bodies: &str, gravity: f64, until: f64) -> Built {
    let text = format!(
        "version = 1\nworld = {{ gravity = [0, {gravity}, 0] }}\nair = {{ density = 0 }}\n\
         time = {{ until = {until}, fps = 20, control = {{ tolerance = \"0.1 mm\" }} }}\n{bodies}"
    );
    let loaded = from_text("near", "near.toml", &text, &[]).unwrap_or_else(|e| panic!("{e}"));
    loaded.build().unwrap_or_else(|e| panic!("{e}"))
}

fn sheet(name: &str, height: f64) -> String {
    format!(
        "[[cloth]]\nname = \"{name}\"\n\
         grid = {{ columns = 9, rows = 9, width = 0.2, height = 0.2, plane = \"horizontal\", origin = [-0.1, {height:?}, -0.1] }}\n"
    )
}

fn rope(name: &str, points: &str) -> String {
    format!("[[rope]]\nname = \"{name}\"\npoints = {points}\nsegments = 20\nradius = \"5 mm\"\n")
}

/// The largest contact distance of all cases: that of sheets.
const DISTANCE: f64 = 2e-3;

/// What starts with a gap, m, and the names of the two sides. Ropes act on each other 1 mm beyond 9 mm from axis to axis.
fn cases(gap: f64) -> Vec<(String, [&'static str; 2])> {
    let crossed = rope("lower", "[[-0.1, 0, 0], [0.1, 0, 0]]")
        + &rope("upper", &format!("[[0, {0:?}, -0.1], [0, {0:?}, 0.1]]", 9e-3 + 0.5 * gap));
    let beside = |collider: &str| sheet("sheet", gap) + "[[collider]]\nname = \"body\"\n" + collider;
    vec![
        (sheet("lower", 0.0) + &sheet("upper", gap), ["\"lower\"", "\"upper\""]),
        (crossed, ["\"lower\"", "\"upper\""]),
        (beside("plane = {}\n"), ["\"sheet\"", "the collider \"body\""]),
        (beside("sphere = { centre = [0.01, -0.1, 0.02], radius = 0.1 }\n"), ["\"sheet\"", "the collider \"body\""]),
        (
            beside("box = { min = [-0.05, -0.1, -0.06], max = [0.06, 0, 0.05] }\n"),
            ["\"sheet\"", "the collider \"body\""],
        ),
    ]
}

/// Without gravity nothing acts on them. What is left are the rounding errors of lengths of about 0.1 m, 10⁻¹⁷ m, in springs that bring a particle up to
/// 10⁶/s times that as speed: 10⁻¹¹ m/s, an energy of 10⁻²² J per kg. (A barrier gives half of the impact speed and more: 0.1 J per kg.)
#[test]
fn what_starts_close_stays_where_it_is() {
    for gap in [1e-3, 1e-6] {
        for (bodies, names) in cases(gap) {
            let Built { mut simulation, warnings, .. } = build(&bodies, 0.0, 0.2);
            let near: Vec<&String> = warnings.iter().filter(|warning| warning.contains("contact distance")).collect();
            assert!(near.len() == 1 && names.iter().all(|name| near[0].contains(name)), "{warnings:?}");
            assert!(near[0].contains("particle ") && near[0].contains("apart"), "{near:?}");
            let start = simulation.state().x.clone();
            let mass: f64 = simulation.system.masses().iter().sum();
            let mut fastest = 0.0_f64;
            while !simulation.is_done() {
                simulation.step().unwrap_or_else(|e| panic!("{gap} {names:?}: {e}"));
                fastest = fastest.max(simulation.account().energy.kinetic / mass);
            }
            let moved = start.iter().zip(&simulation.state().x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            println!("{gap:e} {names:?}: {fastest:.1e} J/kg, moved by {moved:.1e} m");
            assert!(moved <= DISTANCE && fastest <= 1e-20, "{gap} {names:?}: {fastest:e} J/kg, moved by {moved} m");
        }
    }
}

/// Sheets fall onto a floor with so small a gap between them, and a rope onto another one: none passes through the other, energy is never gained, and the
/// budget is closed.
#[test]
fn what_starts_close_still_meets() {
    for gap in [1e-3, 1e-6] {
        let sheets =
            sheet("lower", 3e-3) + &sheet("upper", 3e-3 + gap) + "[[collider]]\nname = \"floor\"\nplane = {}\n";
        let mut simulation = build(&sheets, -9.81, 0.3).simulation;
        let triangles: Vec<[u32; 3]> =
            simulation.system.bodies().iter().flat_map(|body| body.triangles.iter().copied()).collect();
        let start = simulation.account().energy.total();
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|e| panic!("{gap}: {e}"));
            let x = &simulation.state().x;
            assert!(intersecting_pairs(x, &triangles).is_empty(), "{gap}: t = {}", simulation.state().time);
            let (below, above) = x.split_at(x.len() / 2);
            assert!(below.iter().zip(above).all(|(a, b)| a.y < b.y && a.y > 0.0), "{gap}");
        }
        let (ledger, end) = (simulation.ledger(), simulation.account().energy.total());
        println!("{gap:e}: {} steps, {} rejected, {ledger:?}", simulation.tally().steps, simulation.tally().rejected);
        assert!((ledger.expected_total() - end).abs() <= 1e-12 * start && end <= start, "{gap}: {start} J, {end} J");
        assert!(simulation.tally().steps < 2000, "{gap}: {} steps", simulation.tally().steps);
    }
    let ropes = rope("lower", "[[-0.1, 0, 0], [0.1, 0, 0]]")
        + "pins = [{ end = \"both\" }]\n"
        + &rope("upper", "[[0, 0.0090005, -0.1], [0, 0.0090005, 0.1]]")
        + "velocity = [0, -1, 0]\n";
    let mut simulation = build(&ropes, -9.81, 0.2).simulation;
    let axes: Vec<Vec<[u32; 2]>> = simulation.system.bodies().iter().map(|body| body.edges.clone()).collect();
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
        let x = &simulation.state().x;
        let at = |[a, b]: [u32; 2]| [x[a as usize], x[b as usize]];
        for (one, other) in axes[0].iter().flat_map(|one| axes[1].iter().map(move |other| (*one, *other))) {
            let ([a, b], [c, d]) = (at(one), at(other));
            assert!(edge_edge(&[a, b, c, d]).distance > 9e-3, "t = {}", simulation.state().time);
        }
    }
}

/// Nothing is gained, whatever the scheme: none refuses steps, and none is said to have exploded.
#[test]
fn every_scheme_starts_close() {
    for integrator in ["bdf2", "bdf3", "generalized-alpha", "backward-euler"] {
        let sheets = format!("{}{}", sheet("lower", 0.0), sheet("upper", 1e-6));
        let text = format!(
            "version = 1\nworld = {{ gravity = [0, 0, 0] }}\nair = {{ density = 0 }}\n\
             time = {{ until = 0.2, fps = 60, integrator = \"{integrator}\" }}\n{sheets}"
        );
        let loaded = from_text("near", "near.toml", &text, &[]).unwrap_or_else(|e| panic!("{e}"));
        let mut simulation = loaded.build().unwrap_or_else(|e| panic!("{e}")).simulation;
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|e| panic!("{integrator}: {e}"));
        }
        let (ledger, energy, tally) = (simulation.ledger(), simulation.account().energy, simulation.tally());
        println!("{integrator}: {} + {} steps, {energy:?}, {ledger:?}", tally.steps, tally.rejected);
        assert!(ledger.excess(&energy).is_none() && ledger.peak_kinetic < 1e-20, "{integrator}: {ledger:?}");
        assert_eq!(tally.rejected, 0, "{integrator}");
    }
}

fn bits(x: &[DVec3]) -> Vec<u64> {
    x.iter().flat_map(|x| x.to_array()).map(f64::to_bits).collect()
}

#[test]
fn distances_of_the_start_are_found_again_after_a_restart() {
    let sheets = sheet("lower", 3e-3) + &sheet("upper", 4e-3) + "[[collider]]\nname = \"floor\"\nplane = {}\n";
    let run = |simulation: &mut Simulation, until: f64| {
        while simulation.state().time < until {
            simulation.step().unwrap_or_else(|e| panic!("{e}"));
        }
    };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut whole = build(&sheets, -9.81, 0.2).simulation;
            run(&mut whole, 0.2);
            whole.state().x.clone()
        })
    };
    let whole = on(1);
    assert_eq!(bits(&whole), bits(&on(2)), "threads");
    let mut part = build(&sheets, -9.81, 0.2).simulation;
    run(&mut part, 0.1);
    let (numbers, counts) = part.progress().to_parts();
    let mut resumed = build(&sheets, -9.81, 0.2).simulation;
    let read = Progress::from_parts(&numbers, &counts).unwrap_or_else(|| panic!("its own numbers"));
    resumed.restore(part.point().clone(), read);
    run(&mut resumed, 0.2);
    assert_eq!(bits(&whole), bits(&resumed.state().x), "restart");
}
