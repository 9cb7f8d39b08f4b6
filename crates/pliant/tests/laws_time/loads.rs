//! Orders of accuracy under what changes with time: a pull on a solid that grows from nothing, gusts on a sheet, pins that swing, and a collider
//! that swings against what it presses. On springs alone a scheme that misses ∂F/∂t keeps its order.

use pliant::core::State;
use pliant::scene::load::from_text;
use pliant::time::Properties;
use pliant::time::catalog::INTEGRATORS;
use pliant_testkit::order::{distance, slopes};

/// A solid that is held at one face and pulled at the other, by a load that is zero at the start.
const PULLED: &str = r#"
[[solid]]
name = "bar"
box = { cells = [2, 1, 1], size = [0.2, 0.1, 0.1] }
youngs_modulus = 1e4
poisson = 0.3
density = 1000
measure = "green"
damping = 0
contact = false
loads = [{ box = { min = [0.1999, -1, -1], max = [0.2001, 1, 1] }, traction = [0, -4000, 2000], times = [0, "1 s"], parts = [0, 1] }]
pins = [{ box = { min = [-1, -1, -1], max = [0.0001, 1, 1] } }]
"#;

/// A sheet in gusts.
const BLOWN: &str = r#"
air = { wind = [2, 0, 1], gusts = 0.8, gust_size = 0.5 }
[[cloth]]
name = "sheet"
grid = { columns = 4, rows = 4, width = 0.3, height = 0.3 }
density = 0.3
thickness = "1 mm"
youngs_modulus = 2e4
poisson = 0.3
damping = 0
bending_stiffness = 1e-4
bending_damping = 0
contact = false
pins = [{ corners = ["top-left", "top-right"] }]
"#;

/// A solid that hangs from a face which swings. (A sine, because polynomials are integrated exactly by some schemes.)
const SHAKEN_SOLID: &str = r#"
[[solid]]
name = "bar"
box = { cells = [2, 1, 1], size = [0.2, 0.1, 0.1] }
youngs_modulus = 1e4
poisson = 0.3
density = 1000
measure = "green"
damping = 0
contact = false
pins = [{ box = { min = [-1, -1, -1], max = [0.0001, 1, 1] }, oscillate = { amplitude = [0.01, 0.02, -0.01], frequency = 2 } }]
"#;

/// A damped sheet whose corners swing.
const SHAKEN_SHEET: &str = r#"
air.density = 0
[[cloth]]
name = "sheet"
grid = { columns = 4, rows = 4, width = 0.3, height = 0.3 }
density = 0.3
thickness = "1 mm"
youngs_modulus = 2e4
poisson = 0.3
damping = 1e-3
bending_stiffness = 1e-4
bending_damping = 1e-6
contact = false
pins = [{ corners = ["top-left", "top-right"], oscillate = { amplitude = [0.01, -0.01, 0.03], frequency = 2 } }]
"#;

/// A solid that is held at its top while a floor swings under it. All of its lower vertices are in contact from the start to the end, and the
/// floor is a plane, so that nothing comes and goes.
const PRESSED_SOLID: &str = r#"
contact.speed = 0.3
[[solid]]
name = "block"
box = { cells = [1, 2, 1], size = [0.1, 0.2, 0.1] }
youngs_modulus = 1e4
poisson = 0.3
density = 1000
measure = "green"
damping = 0
friction = 0
contact_distance = "4 cm"
pins = [{ box = { min = [-1, 0.1999, -1], max = [1, 1, 1] } }]
[[collider]]
name = "floor"
plane = { point = [0, -0.02, 0] }
friction = 0
oscillate = { amplitude = [0, 0.005, 0], frequency = 2 }
"#;

/// A damped sheet between two walls that swing together. It starts at 0.76 of its contact distance from both: a nearer one would keep its gap as the
/// distance.
const PRESSED_SHEET: &str = r#"
air.density = 0
contact.speed = 1.5
[[cloth]]
name = "sheet"
grid = { columns = 4, rows = 4, width = 0.9, height = 0.9, origin = [0, 0, 0.05] }
density = 0.3
thickness = "1 mm"
youngs_modulus = 2e4
poisson = 0.3
damping = 1e-2
bending_stiffness = 1e-4
bending_damping = 1e-5
friction = 0
contact_distance = "6.6 cm"
pins = [{ corners = ["top-left", "top-right", "bottom-left", "bottom-right"] }]
[[collider]]
name = "wall"
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
friction = 0
oscillate = { amplitude = [0, 0, 0.01], frequency = 4 }
[[collider]]
name = "opposite"
plane = { point = [0, 0, 0.1], normal = [0, 0, -1] }
friction = 0
oscillate = { amplitude = [0, 0, 0.01], frequency = 4 }
"#;

fn end(scheme: &str, bodies: &str, until: f64, steps: u32) -> State {
    let dt = until / f64::from(steps);
    let text = format!(
        "version = 1\nworld.gravity = [0, 0, 0]\n\
         time = {{ until = {until}, fps = {}, integrator = \"{scheme}\", control = {{ kind = \"fixed\", dt = {dt} }} }}\n\
         solver.tolerance = 1e-12\n{bodies}",
        1.0 / until
    );
    let scene = from_text("loads", "loads.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
    (0..steps).for_each(|_| _ = simulation.step().unwrap_or_else(|error| panic!("{scheme}: {error}")));
    simulation.state().clone()
}

/// Fewest steps for an order: in the asymptotic regime and far above rounding.
fn fewest(order: u32) -> u32 {
    match order {
        0 | 1 => 1000,
        2 => 400,
        3 => 200,
        _ => 200,
    }
}

fn check(bodies: &str, until: f64, declared: fn(&Properties) -> u32) {
    let exact = end("rk4", bodies, until, 6400);
    let uncertainty = distance(&exact, &end("rk4", bodies, until, 3200)) / 15.0;
    let mut failures = Vec::new();
    for entry in INTEGRATORS.iter().filter(|entry| entry.properties.study.is_none()) {
        let (name, order) = (entry.properties.name, declared(entry.properties));
        let steps = [1, 2, 4].map(|k| k * fewest(order));
        let errors = steps.map(|steps| distance(&exact, &end(name, bodies, until, steps)));
        let slopes = slopes(&errors, &steps);
        println!("{name:30} order {order}: {:6.3} {:6.3}  error {:.2e}", slopes[0], slopes[1], errors[2]);
        let is_visible = errors.iter().all(|error| *error > 10.0 * uncertainty);
        if !(is_visible && slopes.iter().all(|slope| (slope - f64::from(order)).abs() < 0.2)) {
            failures.push(format!("{name}: declared {order}, slopes {slopes:?}, errors {errors:?}, {uncertainty:e}"));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn order_under_a_load_that_grows() {
    check(PULLED, 0.25, |properties| properties.order);
}

#[test]
fn order_in_gusts() {
    check(BLOWN, 0.2, |properties| properties.order_damped);
}

#[test]
fn order_of_a_solid_with_moving_pins() {
    check(SHAKEN_SOLID, 0.2, |properties| properties.order);
}

#[test]
fn order_of_a_sheet_with_moving_pins() {
    check(SHAKEN_SHEET, 0.2, |properties| properties.order_damped);
}

#[test]
fn order_of_a_solid_on_a_moving_collider() {
    check(PRESSED_SOLID, 0.25, |properties| properties.order);
}

#[test]
fn order_of_a_sheet_on_a_moving_collider() {
    check(PRESSED_SHEET, 0.12, |properties| properties.order_damped);
}

/// A load that is zero at the start moves what it acts on in the first step.
#[test]
fn the_first_step_feels_a_load_that_starts_at_zero() {
    for entry in INTEGRATORS.iter().filter(|entry| entry.properties.is_implicit()) {
        let name = entry.properties.name;
        let start = from_text("loads", "loads.toml", &format!("version = 1\ntime.until = 1\n{PULLED}"), &[])
            .unwrap()
            .build()
            .unwrap();
        let moved = distance(start.simulation.state(), &end(name, PULLED, 0.01, 1));
        println!("{name:30} {moved:.2e} m");
        assert!(moved > 1e-8, "{name}: {moved} m");
    }
}
