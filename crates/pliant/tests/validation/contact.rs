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

/// A block on a slope whose tangent is 1.02 μ starts to slide, as far as Coulomb says and no more than twice as far: the first step, whose contact
/// pressures were those before it lay there, has no friction. A derivative of friction that is too stiff where it is about to slip leaves it there.
#[test]
fn just_above_the_friction_angle_a_block_starts_to_slide() {
    let (friction, gravity) = (0.3_f64, 9.81_f64);
    let angle = (1.02 * friction).atan();
    // the plane is at the gap at which the block rests
    let mut simulation = build(&format!(
        r#"
        version = 1
        world.gravity = [{}, {}, 0]
        time = {{ until = 0.5, fps = 10, control = {{ tolerance = "1 mm" }} }}
        [[solid]]
        name = "block"
        box = {{ cells = [4, 2, 4], size = [0.2, 0.1, 0.2] }}
        youngs_modulus = 1e6
        poisson = 0.3
        density = 1000
        friction = {friction}
        [[collider]]
        name = "slope"
        plane = {{ point = [0, -1.704e-3, 0] }}
        friction = {friction}
        "#,
        gravity * angle.sin(),
        -gravity * angle.cos()
    ));
    let start = mean(&simulation.state().x).x;
    while !simulation.is_done() {
        simulation.step().unwrap();
    }
    let (slid, time) = (mean(&simulation.state().x).x - start, simulation.state().time);
    let expected = 0.5 * gravity * (angle.sin() - friction * angle.cos()) * time * time;
    println!("slid by {:.2} mm, Coulomb: {:.2} mm", 1e3 * slid, 1e3 * expected);
    assert!(slid > expected && slid < 2.0 * expected, "{slid} m, expected {expected} m");
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

/// A cloth that hangs from its top edge, and a ball on a path.
fn waved(ball: &str, until: f64) -> Simulation {
    build(&format!(
        r#"
        version = 1
        [time]
        until = {until}
        fps = 100
        [time.control]
        tolerance = "1 mm"
        [[cloth]]
        name = "sheet"
        grid = {{ columns = 13, rows = 13, width = "40 cm", height = "40 cm", origin = [-0.2, 0.4, 0] }}
        pins = [{{ side = "top" }}]
        [[collider]]
        name = "ball"
        {ball}
        "#
    ))
}

/// Through the lower part of the cloth and out again at 20 m/s; the sheet can swing out of the way.
#[test]
fn a_ball_at_20_metres_a_second_does_not_pass_through() {
    let ball = r#"sphere = { centre = [0, 0.08, 0.6], radius = "6 cm" }
        velocity = [0, 0, -20]"#;
    let mut simulation = waved(ball, 0.06);
    let mut nearest = f64::INFINITY;
    let centre = |time: f64| DVec3::new(0.0, 0.08, 0.6 - 20.0 * time);
    while !simulation.is_done() {
        let before = simulation.state().clone();
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
        let state = simulation.state();
        assert!(state.x.iter().chain(&state.v).all(|value| value.is_finite()));
        // The path of each vertex as seen from the ball: where it slides off the sheet swings in behind it, but no vertex goes through.
        let (c0, c1) = (centre(before.time), centre(state.time));
        for (from, to) in before.x.iter().zip(&state.x).map(|(a, b)| (*a - c0, *b - c1)) {
            let path = to - from;
            let along = (-from.dot(path) / path.length_squared()).clamp(0.0, 1.0);
            let gap = (from + path * along).length() - 0.06;
            assert!(gap > 0.0, "t = {}: {gap} m", state.time);
            nearest = nearest.min(to.length() - 0.06);
        }
    }
    assert!(nearest < 2e-3, "it never touched: {nearest}");
    let speed = simulation.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(speed < 200.0, "{speed} m/s");
}

/// Two plates come together with the cloth between them: no step can be taken, and the run says so and keeps what it has.
#[test]
fn a_trapped_cloth_ends_in_a_named_failure() {
    let mut simulation = build(
        r#"
        version = 1
        [time]
        until = 1
        fps = 100
        [time.control]
        tolerance = "1 mm"
        [[cloth]]
        name = "sheet"
        grid = { columns = 5, rows = 5, width = "10 cm", height = "10 cm", plane = "horizontal", origin = [-0.05, 0.01, -0.05] }
        [[collider]]
        name = "floor"
        plane = { point = [0, 0, 0] }
        [[collider]]
        name = "press"
        plane = { point = [0, 0.05, 0], normal = [0, -1, 0] }
        velocity = [0, -0.5, 0]
        "#,
    );
    let error = loop {
        assert!(!simulation.is_done(), "the plates passed through each other and the cloth");
        if let Err(error) = simulation.advance_frame(|_, _| {}) {
            break error;
        }
    };
    let text = error.to_string();
    assert!(text.contains("infeasible-contact"), "{text}");
    assert!(error.time > 0.05 && error.time <= 0.1, "{text}");
    let state = simulation.state();
    assert!(state.x.iter().all(|x| x.y > 0.0 && x.y < 0.05 - 0.5 * state.time), "the last good state is kept");
}
