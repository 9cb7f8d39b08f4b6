//! Sheets against the continuum that they stand for: uniform strain, a strip under tension, a plate bent to a cylinder, wind.

use glam::{DVec2, DVec3};
use pliant::core::{ForceModel, JacobianKind, State, System, View};
use pliant::forces::cloth::bending::plate_stiffness;
use pliant::forces::cloth::pressure::{DENSE_LIMIT, Filling, Pressure, enclosed_volume};
use pliant::forces::cloth::surface::hinges;
use pliant::forces::{
    Aerodynamics, Air, BaraffWitkin, ConditionTriangle, Conditions, Hinge, HingeBending, Orthotropic, QuadraticBending,
    QuadraticHinge, RestTriangle, StvkMembrane, StvkTriangle, Wind,
};
use pliant::scene::load::from_text;
use pliant_testkit::derivative::{force, jacobian, jacobian_against_force};
use pliant_testkit::random::Random;

/// A grid of `columns` by `rows` cells, each split along its rising diagonal, with inner points moved by up to `jitter` of a cell.
fn grid(columns: u32, rows: u32, size: DVec2, jitter: f64) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let mut random = Random(31);
    let cell = size / DVec2::new(f64::from(columns), f64::from(rows));
    let mut points = Vec::new();
    for r in 0..=rows {
        for c in 0..=columns {
            let inner = r > 0 && r < rows && c > 0 && c < columns;
            let shift = DVec2::new(random.number(), random.number()) * if inner { jitter } else { 0.0 };
            points.push((DVec2::new(f64::from(c), f64::from(r)) + shift) * cell);
        }
    }
    let at = |c: u32, r: u32| r * (columns + 1) + c;
    let mut triangles = Vec::new();
    for r in 0..rows {
        for c in 0..columns {
            triangles.push([at(c, r), at(c + 1, r), at(c + 1, r + 1)]);
            triangles.push([at(c, r), at(c + 1, r + 1), at(c, r + 1)]);
        }
    }
    (points, triangles)
}

fn rest(nodes: [u32; 3], points: &[DVec2]) -> RestTriangle {
    RestTriangle::in_plane(nodes.map(|n| points[n as usize])).unwrap()
}

fn stvk(points: &[DVec2], triangles: &[[u32; 3]], material: &Orthotropic) -> StvkMembrane {
    StvkMembrane::new(triangles.iter().map(|t| StvkTriangle::new(*t, rest(*t, points), material).unwrap()).collect())
}

fn forces(model: &mut dyn ForceModel, x: &[DVec3]) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; x.len()];
    model.add_force(&View { time: 0.0, x, v: &vec![DVec3::ZERO; x.len()] }, &mut out);
    out
}

fn energy(model: &mut dyn ForceModel, x: &[DVec3]) -> f64 {
    model.energy(&View { time: 0.0, x, v: &vec![DVec3::ZERO; x.len()] }).unwrap()
}

/// Under one and the same deformation gradient everywhere the forces on inner points add up to nothing, whatever the mesh.
#[test]
fn uniform_strain_leaves_inner_points_without_force() {
    let (points, triangles) = grid(6, 5, DVec2::new(1.2, 1.0), 0.3);
    let (u, v) = (DVec3::new(1.1, 0.2, 0.1), DVec3::new(-0.15, 0.9, 0.3));
    let x: Vec<DVec3> = points.iter().map(|p| u * p.x + v * p.y).collect();
    let cotton = Orthotropic { young: [4e7, 2e7], poisson: 0.25, shear: 2e5, thickness: 3e-4, damping_time: 0.0 };
    let conditions = Conditions { stretch: [1e4, 5e3], shear: 60.0, stretch_damping: [0.0; 2], shear_damping: 0.0 };
    let condition = |t: &[u32; 3]| ConditionTriangle::new(*t, rest(*t, &points), &conditions).unwrap();
    // the largest stiffness of each, N/m
    let mut models: [(f64, Box<dyn ForceModel>); 2] = [
        (cotton.plane_stress().unwrap()[0], Box::new(stvk(&points, &triangles, &cotton))),
        (1e4, Box::new(BaraffWitkin::new(triangles.iter().map(condition).collect()))),
    ];
    let extent = x.iter().map(|x| x.length()).fold(0.0, f64::max);
    for (stiffness, model) in &mut models {
        let f = forces(&mut **model, &x);
        let largest = f.iter().map(|f| f.length()).fold(0.0, f64::max);
        let mut inner = 0;
        for (point, force) in points.iter().zip(&f) {
            if point.x > 1e-9 && point.x < 1.2 - 1e-9 && point.y > 1e-9 && point.y < 1.0 - 1e-9 {
                inner += 1;
                // Positions are known to ε |x|, strains over an edge h to ε |x|/h, forces to the stiffness times ε |x|: from three
                // corners of six triangles.
                let rounding = 18.0 * f64::EPSILON * extent * *stiffness;
                let name = model.name();
                assert!(force.length() < rounding, "{name}: {:e}, {rounding:e} of {largest}", force.length());
            }
        }
        assert_eq!(inner, 20);
        assert!(largest > 100.0);
    }
}

/// A strip whose sides are free to contract: the force is E t w ε, up to the strain's own size (St. Venant-Kirchhoff: ½ (λ³ - λ)).
#[test]
fn a_strip_pulls_back_with_its_youngs_modulus() {
    let (points, triangles) = grid(8, 3, DVec2::new(0.2, 0.05), 0.3);
    let (young, poisson, thickness) = (4e7, 0.3, 3e-4);
    let cotton = Orthotropic { young: [young, 2e7], poisson, shear: 2e5, thickness, damping_time: 0.0 };
    for strain in [1e-3, 1e-5] {
        let stretch: f64 = 1.0 + strain;
        let green = 0.5 * (stretch * stretch - 1.0);
        // no stress across: E_vv = -ν E_uu with the ratio of the weft's answer to the warp's pull
        let across = (1.0 - 2.0 * poisson * green).sqrt();
        let x: Vec<DVec3> = points.iter().map(|p| DVec3::new(p.x * stretch, p.y * across, 0.0)).collect();
        let f = forces(&mut stvk(&points, &triangles, &cotton), &x);
        let pull: f64 = points.iter().zip(&f).filter(|(p, _)| p.x > 0.2 - 1e-9).map(|(_, f)| -f.x).sum();
        let linear = young * thickness * 0.05 * strain;
        println!("strain {strain}: {pull:.6} N, E t w ε = {linear:.6} N");
        // λ (λ² - 1)/2 = ε + 3/2 ε² + …
        assert!((pull / linear - 1.0 - 1.5 * strain).abs() < strain * strain + 1e-9, "{pull} {linear}");
        let sideways: f64 = points.iter().zip(&f).filter(|(p, _)| p.y > 0.05 - 1e-9).map(|(_, f)| f.y).sum();
        assert!(sideways.abs() < 1e-9 * young * thickness * 0.2, "the sides pull with {sideways} N");
    }
}

/// Energy of bending a flat mesh to a cylinder of radius R along `direction`, over B area / 2R²; hinges and their quadratic form.
fn cylinder_ratio(points: &[DVec2], triangles: &[[u32; 3]], direction: DVec2, radius: f64) -> [f64; 2] {
    let flat: Vec<DVec3> = points.iter().map(|p| p.extend(0.0)).collect();
    let across = direction.perp();
    let roll = |p: &DVec2| {
        let (s, t) = (p.dot(direction) / radius, p.dot(across));
        DVec3::new(t, radius * s.sin(), radius * (1.0 - s.cos()))
    };
    let x: Vec<DVec3> = points.iter().map(roll).collect();
    let bending = plate_stiffness(1e6, 0.3, 1e-3);
    let all = hinges(triangles).unwrap();
    let at = |nodes: &[u32; 4]| nodes.map(|n| flat[n as usize]);
    let mut hinge = HingeBending::new(all.iter().map(|h| Hinge::new(*h, at(h), bending, 0.0).unwrap()).collect());
    let mut quadratic =
        QuadraticBending::new(all.iter().map(|h| QuadraticHinge::new(*h, at(h), bending).unwrap()).collect());
    // the area that hinges stand for: a third of their triangles, so that borders, where there is no hinge, do not count
    let area: f64 = all
        .iter()
        .map(|h| {
            let [a, b, c, d] = h.map(|n| points[n as usize]);
            ((b - a).perp_dot(c - a).abs() + (b - a).perp_dot(d - a).abs()) / 6.0
        })
        .sum();
    let exact = bending * area / (2.0 * radius * radius);
    [energy(&mut hinge, &x) / exact, energy(&mut quadratic, &x) / exact]
}

/// Equilateral triangles of a side in a patch of about `size`.
fn equilateral(size: f64, side: f64) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let columns = (size / side).round() as u32;
    let rows = (size / (side * 0.75_f64.sqrt())).round() as u32;
    let (mut points, triangles) = grid(columns, rows, DVec2::new(f64::from(columns), f64::from(rows)), 0.0);
    for p in &mut points {
        // sheared so that the rising diagonals of the cells become sides
        *p = DVec2::new(p.x - 0.5 * p.y, p.y * 0.75_f64.sqrt()) * side;
    }
    (points, triangles)
}

/// Borders have fewer hinges than their share: the ratio converges with the first power of the side.
fn limit(mut ratio: impl FnMut(f64) -> [f64; 2]) -> [f64; 2] {
    let (coarse, fine) = (ratio(0.02), ratio(0.01));
    println!("{coarse:?} {fine:?}");
    [0, 1].map(|k| 2.0 * fine[k] - coarse[k])
}

#[test]
fn a_cylinder_of_equilateral_triangles_has_the_energy_of_a_plate() {
    for degrees in [0.0_f64, 17.0, 30.0, 45.0, 90.0] {
        let direction = DVec2::from_angle(degrees.to_radians());
        let found = limit(|side| {
            let (points, triangles) = equilateral(1.0, side);
            cylinder_ratio(&points, &triangles, direction, 1.0)
        });
        println!("{degrees}°: {found:?}");
        // what is left is of the second order: (side/R)² and borders' corners, both below 1e-3 at sides of 0.01 and 0.02
        assert!(found.iter().all(|ratio| (ratio - 1.0).abs() < 4e-3), "{degrees}°: {found:?}");
    }
}

/// The factors that the head of `bending.rs` states: hinges see the curvature across edges only.
#[test]
fn a_cylinder_of_split_squares_depends_on_the_direction() {
    for (direction, factor) in [(DVec2::X, 1.0), (DVec2::Y, 1.0), (DVec2::new(1.0, -1.0), 1.0), (DVec2::ONE, 3.0)] {
        let found = limit(|side| {
            let cells = (1.0 / side).round() as u32;
            let (points, triangles) = grid(cells, cells, DVec2::ONE, 0.0);
            cylinder_ratio(&points, &triangles, direction.normalize(), 1.0)
        });
        println!("{direction}: {found:?}");
        assert!(found.iter().all(|ratio| (ratio / factor - 1.0).abs() < 4e-3), "{direction}: {found:?}");
    }
}

fn in_wind(wind: Wind, lift: f64) -> (Aerodynamics, Vec<DVec3>) {
    let (points, triangles) = grid(2, 2, DVec2::new(2.0, 2.0), 0.2);
    let x = points.iter().enumerate().map(|(k, p)| p.extend(0.2 * (k as f64).sin())).collect();
    let air = Air { density: 1.2, normal: 1.3, tangential: 0.4, lift };
    (Aerodynamics::new(&triangles, air, wind).unwrap(), x)
}

/// Gusts make the force depend on place and time; derivatives and powers must know.
#[test]
fn wind_has_exact_derivatives_and_honest_powers() {
    let mean = DVec3::new(3.0, 0.4, -1.0);
    let mut brought = 0;
    for (wind, lift) in [(Wind::uniform(mean), 0.0), (Wind::uniform(mean), 1.1), (Wind::gusty(mean, 1.5, 6.0), 1.1)] {
        let (mut model, x) = in_wind(wind.clone(), lift);
        let (other, _) = in_wind(wind, lift);
        let mut system = System::new(vec![1.0; x.len()], Vec::new(), vec![Box::new(other)], Vec::new()).unwrap();
        let mut random = Random(41);
        for k in 0..6 {
            let state = State { time: 0.7 * f64::from(k), ..random.pose(&x, 0.2, 1.5) };
            let direction = random.vectors(x.len());
            for velocities in [false, true] {
                let found = jacobian_against_force(&mut system, &state, &direction, 1e-3, velocities);
                let slope = found.slope();
                let right = if slope.is_nan() {
                    found.errors[1] <= 100.0 * found.rounding[1]
                } else {
                    (slope - 2.0).abs() < 0.1
                };
                assert!(right, "{found:?}: slope {slope}");
            }
            let f = force(&mut system, &state);
            let power: f64 = f.iter().zip(&state.v).map(|(f, v)| f.dot(*v)).sum();
            let scale: f64 = f.iter().zip(&state.v).map(|(f, v)| f.length() * (v.length() + 6.0)).sum();
            let (lost, gained) = (
                model.as_dissipative().expect("it has the capability").viscous_power(&state.view()),
                model.as_dissipative().expect("it has the capability").external_power(&state.view()),
            );
            assert!(lost < 0.0, "{lost}");
            assert!((lost + gained - power).abs() < 64.0 * f64::EPSILON * scale, "{lost} + {gained}, {power}");
            let powers = system.energies().powers_at(&state);
            assert_eq!((powers.viscous, powers.loads), (lost, gained), "damping and wind have entries of their own");
            brought += usize::from(power > 0.0);
            let psd = jacobian(&mut system, &state, JacobianKind::Psd);
            assert!(psd.stiffness.values.iter().all(|block| *block == glam::DMat3::ZERO));
        }
    }
    assert!(brought > 0, "no wind ever pushed");
}

/// The gas in a balloon couples all of its particles. That term is in the derivative however many there are, in every kind.
#[test]
fn the_gas_of_a_large_balloon_is_in_the_derivative() {
    let sphere = pliant::geom::shapes::icosphere(0.2, 3).unwrap();
    let volume = enclosed_volume(&sphere.triangles, &sphere.points);
    let gas = Filling::Gas { pressure: 1.003e5, volume, exponent: 1.0, outside: 1e5 };
    let model = Pressure::new(sphere.triangles.clone(), gas).unwrap();
    let count = sphere.points.len();
    assert!(count > DENSE_LIMIT);
    let mut system = System::new(vec![1.0; count], Vec::new(), vec![Box::new(model)], Vec::new()).unwrap();
    let state = State { x: sphere.points.clone(), v: vec![DVec3::ZERO; count], time: 0.0 };
    // breathing, in which the pressure changes most
    let direction: Vec<DVec3> = sphere.points.iter().map(|x| x.normalize()).collect();
    let width = 1e-6;
    let at =
        |s: f64| State { x: sphere.points.iter().zip(&direction).map(|(x, d)| *x + *d * s).collect(), ..state.clone() };
    let (up, down) = (force(&mut system, &at(width)), force(&mut system, &at(-width)));
    for (kind, tolerance) in [(JacobianKind::Exact, 1e-6), (JacobianKind::Symmetric, 1e-6), (JacobianKind::Psd, 0.01)] {
        let derivative = jacobian(&mut system, &state, kind);
        let mut product = vec![DVec3::ZERO; count];
        derivative.add_product(&direction, &vec![DVec3::ZERO; count], &mut product);
        for ((up, down), product) in up.iter().zip(&down).zip(&product) {
            let quotient = (*up - *down) / (2.0 * width);
            // the projected kind lacks p ∂²V, which is 2 p/3R of the 3 p_abs/R of the gas here
            assert!((quotient - *product).length() < tolerance * quotient.length(), "{kind:?}: {quotient} {product}");
        }
    }
}

/// A balloon of many particles that breathes: Newton's method converges as with few, because the stiffness of the gas is in its systems.
#[test]
fn a_breathing_balloon_takes_few_solves() {
    let solves = |subdivisions: usize| {
        let text = format!(
            r#"
version = 1
[time]
until = 0.02
fps = 500
control = {{ kind = "fixed", dt = 0.002 }}
integrator = "backward-euler"
[[cloth]]
name = "balloon"
sphere = {{ radius = 0.2, subdivisions = {subdivisions} }}
preset = "silk"
inflate = {{ pressure = 300 }}
"#
        );
        let scene = from_text("balloon", "balloon.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
        let mut simulation = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
        while !simulation.is_done() {
            simulation.step().unwrap();
        }
        let tally = simulation.tally();
        tally.work.solves as f64 / tally.steps as f64
    };
    let (few, many) = (solves(2), solves(3));
    // without it 642 particles took 14.8
    assert!(few <= 5.0 && many <= few + 0.5, "162 particles: {few} solves a step, 642: {many}");
}

/// A square across the wind feels `½ ρ c_n A U²`; two plates of the same area in another mesh feel the same.
#[test]
fn a_plate_across_the_wind() {
    for cells in [1, 7] {
        let (points, triangles) = grid(cells, cells, DVec2::splat(0.5), 0.0);
        let x: Vec<DVec3> = points.iter().map(|p| p.extend(0.0)).collect();
        let mut model = Aerodynamics::new(&triangles, Air::default(), Wind::uniform(DVec3::Z * 10.0)).unwrap();
        let total: DVec3 = forces(&mut model, &x).iter().sum();
        assert!((total.z - 0.5 * 1.225 * 1.28 * 0.25 * 100.0).abs() < 1e-12 && total.x == 0.0, "{total}");
    }
}
