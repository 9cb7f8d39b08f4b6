//! Contact against what is known: friction on a slope, a ball waved through a cloth, a cloth that is trapped.

use glam::DVec3;
use pliant::scene::load::from_text;
use pliant::time::Simulation;

fn build(text: &str) -> Simulation {
    from_text("test", "test.toml", text, &[])
        .unwrap_or_else(|e| panic!("{e}"))
        .build()
        .unwrap_or_else(|e| panic!("{e}"))
        .simulation
}

/// A patch on a slope of `angle` degrees, friction angle about 16.7 degrees (μ = 0.3).
fn patch(angle: f64, until: f64) -> Simulation {
    let (sin, cos) = angle.to_radians().sin_cos();
    // Lying on the slope: gravity is tilted instead, which keeps the patch a horizontal grid.
    build(&format!(
        r#"
        version = 1
        [world]
        gravity = [{}, {}, 0]
        [air]
        density = 0
        [time]
        until = {until}
        fps = 10
        [time.control]
        tolerance = "0.1 mm"
        [[cloth]]
        name = "patch"
        grid = {{ columns = 5, rows = 5, width = "10 cm", height = "10 cm", plane = "horizontal", origin = [0, 0.0019, 0] }}
        friction = 0.3
        [[collider]]
        name = "slope"
        plane = {{ point = [0, 0, 0] }}
        friction = 0.3
        "#,
        9.81 * sin,
        -9.81 * cos
    ))
}

fn mean(values: &[DVec3]) -> DVec3 {
    values.iter().sum::<DVec3>() / values.len() as f64
}

#[test]
fn above_the_friction_angle_a_patch_slides_as_it_should() {
    for angle in [25.0_f64, 40.0] {
        let mut simulation = patch(angle, 1.0);
        while simulation.state().time < 0.3 {
            simulation.advance_frame(|_, _| {}).unwrap();
        }
        let (t0, v0) = (simulation.state().time, mean(&simulation.state().v).x);
        while !simulation.is_done() {
            simulation.advance_frame(|_, _| {}).unwrap();
        }
        let acceleration = (mean(&simulation.state().v).x - v0) / (simulation.state().time - t0);
        let (sin, cos) = angle.to_radians().sin_cos();
        let expected = 9.81 * (sin - 0.3 * cos);
        println!("{angle} deg: {acceleration:.4} m/s², expected {expected:.4}");
        assert!((acceleration / expected - 1.0).abs() < 0.02, "{angle}: {acceleration}, expected {expected}");
    }
}

#[test]
fn below_the_friction_angle_it_stays() {
    for angle in [5.0_f64, 12.0] {
        let mut simulation = patch(angle, 5.5);
        // It comes to rest on the slope first.
        while simulation.state().time < 0.5 {
            simulation.advance_frame(|_, _| {}).unwrap();
        }
        let start = simulation.state().x.clone();
        while !simulation.is_done() {
            simulation.advance_frame(|_, _| {}).unwrap();
        }
        let drift = simulation.state().x.iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        println!("{angle} deg: drifts by {:.3} mm in 5 s", drift * 1e3);
        assert!(drift < 1e-3, "{angle}: {drift}");
    }
}
