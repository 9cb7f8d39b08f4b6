//! What hangs under drag comes to rest, whatever the scheme, and stays there: no energy is booked to and fro.
//!
//! `bdf3` is left out, and can not pass: it makes an undamped mode grow by 0.043 ω a second where ω dt is 0.92 (|ζ| = 1.041, the largest root of
//! `(11/6 - i ω dt) ζ³ - 3 ζ² + 3/2 ζ - 1/3`), and drag of 2 1/s takes 1 a second: modes above 23 rad/s that steps resolve no better grow until the error
//! estimate shortens the steps, for ever. The rope then moves with 1.1e-2 of its peak energy at 20 s.

use pliant::core::Ledger;
use pliant::scene::load::from_text;
use pliant::time::Stability;
use pliant::time::catalog::INTEGRATORS;

const ROPE: &str = r#"
[[rope]]
name = "rope"
curve = { kind = "wave", length = "1 m", height = "30 cm", waves = 0.5 }
rotate = { axis = [1, 0, 0], angle = "120 deg" }
segments = 16
radius = "5 mm"
preset = "nylon-rope"
pins = [{ end = "both" }]
"#;

const CLOTH: &str = r#"
[[cloth]]
name = "sheet"
grid = { columns = 7, rows = 7, width = 0.5, height = 0.5, plane = "horizontal" }
preset = "cotton"
pins = [{ corners = ["top-left", "top-right"] }]
"#;

fn entries(ledger: &Ledger) -> [f64; 4] {
    [ledger.viscous, ledger.pins, ledger.integrator, ledger.contact]
}

fn comes_to_rest(body: &str) {
    let mut failures = Vec::new();
    let is_stable = |of: Stability| matches!(of, Stability::Always);
    let wanted = INTEGRATORS.iter().filter(|entry| entry.properties.is_implicit());
    for entry in wanted.filter(|entry| is_stable(entry.properties.stability)) {
        let name = entry.properties.name;
        let text = format!(
            "version = 1\nworld.drag = \"2 1/s\"\ntime = {{ until = 24, fps = 1, integrator = \"{name}\" }}\n{body}"
        );
        let scene = from_text("rest", "rest.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
        let mut simulation = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
        let (mut peak, mut at_20, mut books) = (0.0_f64, f64::NAN, None);
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|error| panic!("{name}: {error}"));
            let kinetic = simulation.account().energy.kinetic;
            peak = peak.max(kinetic);
            if simulation.state().time >= 20.0 && books.is_none() {
                (at_20, books) = (kinetic, Some(entries(simulation.ledger())));
            }
        }
        let (time, before) = (4.0, books.expect("20 s were reached"));
        let moved =
            entries(simulation.ledger()).iter().zip(before).map(|(a, b)| (a - b).abs() / time).fold(0.0, f64::max);
        let tally = simulation.tally();
        println!(
            "{name:26} peak {peak:.2e} J, at 20 s {:.1e} of it, booked then {:.1e} of it a second; {} steps, {} solves",
            at_20 / peak,
            moved / peak,
            tally.steps,
            tally.work.solves
        );
        if !(at_20 <= 1e-6 * peak && moved <= 1e-3 * peak) {
            failures.push(format!("{name}: at 20 s {:e}, booked {:e} a second", at_20 / peak, moved / peak));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn a_rope_comes_to_rest() {
    comes_to_rest(ROPE);
}

#[test]
fn a_sheet_comes_to_rest() {
    comes_to_rest(CLOTH);
}
