//! A real sheet under restraint, its threads in tension: no implicit step gains energy, whatever its length and however narrow the transition is.

use pliant::scene::from_text;

/// Held at two sides and 5 % longer than it would be, without gravity or air, pushed in its middle.
fn sheet(criterion: &str, dt: f64, ratio: f64) -> String {
    let speed = 0.05;
    format!(
        r#"
version = 1
[world]
gravity = [0, 0, 0]
[time]
until = {until}
fps = {fps}
integrator = "backward-euler"
[time.control]
kind = "fixed"
dt = {dt}
[solver]
kind = "direct"
[[cloth]]
name = "sheet"
grid = {{ columns = 7, rows = 5, width = "0.6 m", height = "0.4 m" }}
preset = "wool"
velocity = [0, 0, 0.3]
pins = [{{ side = "left" }}, {{ side = "right", keyframes = {{ times = ["0 s", "1e-9 s"], offsets = [[0, 0, 0], [0.03, 0, 0]] }} }}]
[restraint]
criterion = "{criterion}"
speed = {speed}
ratio = {ratio}
share = 0
least_speed = 0
fading = "1e9 s"
"#,
        until = 12.0 * dt,
        fps = 1.0 / dt
    )
}

#[test]
fn no_step_of_a_sheet_gains_energy() {
    let mut steps = 0;
    let mut seen = [false; 3];
    for criterion in ["ramp", "convex"] {
        for dt in [1e-3, 1e-2, 0.1] {
            for ratio in [1.05, 4.0, 20.0] {
                let scene = from_text("sheet", "sheet.toml", &sheet(criterion, dt, ratio), &[]).unwrap();
                let mut simulation = scene.build().unwrap().simulation;
                // what pulls at the sheet is at its place after the first step
                simulation.step().unwrap();
                let mut last = simulation.account().energy.total();
                while !simulation.is_done() {
                    let report = simulation.step().unwrap();
                    let now = simulation.account().energy.total();
                    assert!(
                        now <= last * (1.0 + 1e-9) + 1e-12,
                        "{criterion}, dt {dt}, ratio {ratio}, t {}: {last} {now}",
                        report.time
                    );
                    last = now;
                    steps += 1;
                    let all = report.activities;
                    seen = [seen[0] || all.active > 0, seen[1] || all.transition > 0, seen[2] || all.restrained > 0];
                }
            }
        }
    }
    println!("{steps} steps");
    assert_eq!(seen, [true; 3]);
}
