//! Laws of fluids. They have no Jacobian and switches that have no derivative, so they are not in the catalog of forces; what holds for those
//! that are is checked here.

use glam::DVec3;
use pliant::core::{Dissipative, ForceModel, Motion, Path, Rates, State, Stateful, System, Turn, View};
use pliant::forces::Gravity;
use pliant::forces::contact::{Collider, Shape};
use pliant::forces::sph::{
    Boundaries, Dimension, Fluid, KernelKind, Sheet, Sph, SphSettings, lattice_cohesion, lattice_mass, lattice_sum,
    rest_excess,
};
use pliant::prelude::{ControlKind, ControlSpec, Frames, Simulation, SolverSpec, integrator};
use pliant_testkit::derivative::force_against_energy;
use pliant_testkit::invariance::{resultants, viscous_power};
use pliant_testkit::random::Random;

const SPACING: f64 = 0.1;

fn lattice(n: [usize; 3]) -> Vec<DVec3> {
    let at = |i: usize, j: usize, k: usize| DVec3::new(i as f64, j as f64, k as f64) * SPACING;
    (0..n[2]).flat_map(|k| (0..n[1]).flat_map(move |j| (0..n[0]).map(move |i| at(i, j, k)))).collect()
}

fn shaken(n: [usize; 3], seed: u64, by: f64) -> Vec<DVec3> {
    let mut random = Random(seed);
    lattice(n).into_iter().map(|x| x + random.vector() * by * SPACING).collect()
}

fn settings(kernel: KernelKind) -> SphSettings {
    SphSettings { kernel, ..SphSettings::new(1.25 * SPACING) }
}

/// Everything switched on; denser than at rest, so that there is pressure.
fn water(particles: std::ops::Range<usize>, settings: &SphSettings) -> Fluid {
    let mass = 1.05 * lattice_mass(&settings.kernel(), SPACING, 1000.0);
    Fluid {
        artificial_viscosity: 0.1,
        bulk_viscosity: 0.3,
        kinematic_viscosity: 0.02,
        cohesion: 300.0,
        clamped: false,
        background_pressure: 50.0,
        ..Fluid::new(particles, mass, 1000.0, 10.0)
    }
}

fn block(kernel: KernelKind) -> (System, Vec<DVec3>) {
    let x = shaken([5, 4, 4], 3, 0.2);
    let settings = settings(kernel);
    let fluid = water(0..x.len(), &settings);
    let masses = vec![fluid.mass; x.len()];
    let model = Sph::new(x.len(), vec![fluid], &Boundaries::default(), settings).unwrap();
    (System::new(masses, Vec::new(), vec![Box::new(model)], Vec::new()).unwrap(), x)
}

const KERNELS: [KernelKind; 2] = [KernelKind::CubicSpline, KernelKind::WendlandC2];

#[test]
fn lattice_sums_are_the_known_ones() {
    let known = [
        (Dimension::Three, [0.999_972_5, 1.000_809_5, 0.997_261_8, 1.001_794_7]),
        (Dimension::Two, [1.000_861_8, 0.999_757_3, 0.999_946_8, 1.003_440_4]),
    ];
    for (dimension, sums) in known {
        for (ratio, known) in [1.0, 1.2, 1.3, 1.5].into_iter().zip(sums) {
            let kernel = KernelKind::CubicSpline;
            let settings = SphSettings { kernel, dimension, ..SphSettings::new(ratio * SPACING) };
            let sum = lattice_sum(&settings.kernel(), SPACING) * SPACING.powi(dimension.number() as i32);
            assert!((sum - known).abs() < 5.1e-8, "{dimension:?} {ratio}: {sum}, known {known}");
        }
    }
}

/// In the middle of a block everything is as in a full lattice.
#[test]
fn calibrated_masses_give_the_rest_density() {
    for kernel in KERNELS {
        for dimension in [Dimension::Two, Dimension::Three] {
            let settings = SphSettings { dimension, ..settings(kernel) };
            let n = if dimension == Dimension::Two { [9, 9, 1] } else { [9, 9, 9] };
            let x = lattice(n);
            let fluid = Fluid::new(0..x.len(), lattice_mass(&settings.kernel(), SPACING, 1000.0), 1000.0, 10.0);
            let mut model = Sph::new(x.len(), vec![fluid], &Boundaries::default(), settings).unwrap();
            let state = State::at_rest(x);
            let mut densities = vec![0.0; state.len()];
            model.write_densities(&state.view(), &mut densities);
            let middle = densities[state.len() / 2];
            assert!((middle - 1000.0).abs() < 1e-9, "{kernel:?} {dimension:?}: {middle}");
        }
    }
}

/// Particles that are pressed together and shaken come to rest in packings with the mean sum `Σ V W` that water at rest is assumed to have.
#[test]
fn packings_under_pressure_have_the_assumed_density() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for (kernel, ratio, bound) in [
            (KernelKind::WendlandC2, 1.0, 1e-3),
            (KernelKind::WendlandC2, 1.25, 1e-3),
            (KernelKind::WendlandC2, 1.5, 1e-3),
            // its packings are looser: particles pair up
            (KernelKind::CubicSpline, 1.0, 2e-3),
            (KernelKind::CubicSpline, 1.25, 2e-3),
        ] {
            let n = if dimension == Dimension::Two { [24, 24, 1] } else { [10; 3] };
            let settings = SphSettings { kernel, dimension, skin: 0.2, ..SphSettings::new(ratio * SPACING) };
            let settings = SphSettings { periods: n.map(|n| (n > 1).then_some(n as f64 * SPACING)), ..settings };
            let mut x = shaken(n, 17, 0.2);
            if dimension == Dimension::Two {
                x.iter_mut().for_each(|x| x.z = 0.0);
            }
            let count = x.len();
            let volume = SPACING.powi(dimension.number() as i32);
            let excess = rest_excess(&settings.kernel(), SPACING);
            // pressed by 5 % of ρ₀ c², c = 1 m/s
            let fluid =
                Fluid { background_pressure: 50.0, excess, ..Fluid::new(0..count, 1000.0 * volume, 1000.0, 1.0) };
            let mut model = Sph::new(count, vec![fluid], &Boundaries::default(), settings).unwrap();
            let (mut state, mut force) = (State::at_rest(x), vec![DVec3::ZERO; count]);
            let step = 0.35 * SPACING;
            for _ in 0..1500 {
                model.begin_step(&state.view());
                force.fill(DVec3::ZERO);
                model.add_force(&state.view(), &mut force);
                for ((x, v), f) in state.x.iter_mut().zip(&mut state.v).zip(&force) {
                    *v = 0.98 * *v + *f * (step / (1000.0 * volume));
                    *x += *v * step;
                }
            }
            let mut densities = vec![0.0; count];
            model.write_densities(&state.view(), &mut densities);
            let mean = densities.iter().sum::<f64>() / (1000.0 * count as f64);
            println!("{kernel:?} {dimension:?}, smoothing {ratio}: {mean:.5}");
            assert!((mean - 1.0).abs() < bound, "{kernel:?} {dimension:?} {ratio}: {mean}");
        }
    }
}

#[test]
fn force_is_minus_the_derivative_of_energy() {
    for kernel in KERNELS {
        let (mut system, x) = block(kernel);
        let mut random = Random(5);
        for _ in 0..4 {
            let state = random.pose(&x, 0.1 * SPACING, 1.0);
            let direction: Vec<DVec3> = random.vectors(x.len()).into_iter().map(|d| d * SPACING).collect();
            let comparison = force_against_energy(&mut system, &state, &direction, 1e-3);
            // widths of 1e-3 and 0.5e-3 spacings: the error is of second order where the kernels are smooth, and they are C² (C¹ where
            // the spline's third derivative jumps): at least (1e-3)² times a number of order 100
            assert!(comparison.errors[1] < 1e-4 * comparison.size, "{kernel:?}: {comparison:?}");
            assert!(comparison.size > 0.1, "{comparison:?}");
        }
    }
}

/// A ball, a block that turns, a floor, and a sheet of particles among the water, the last nine.
fn obstacles(sheet: u32) -> Boundaries {
    let block = pliant::geom::shapes::cuboid(DVec3::new(0.2, 0.3, 0.2), [1; 3]).unwrap();
    let collider = |shape: Shape, motion: Motion| Collider { name: String::new(), shape, motion, friction: 0.0 };
    let angle = Path::Steady { start: DVec3::X * 0.3, velocity: DVec3::X * 2.0 };
    let turn = Some(Turn { centre: DVec3::ZERO, axis: DVec3::new(0.6, 0.0, 0.8), angle });
    let offset = Path::Steady { start: DVec3::new(0.1, 0.2, 0.2), velocity: DVec3::new(0.5, 0.0, -0.3) };
    let cells = [0, 1, 3, 4].map(|k| sheet + k);
    let triangles = cells.into_iter().flat_map(|a| [[a, a + 1, a + 4], [a, a + 4, a + 3]]).collect();
    Boundaries {
        colliders: vec![
            collider(Shape::sphere(DVec3::new(0.55, 0.35, 0.3), 0.13), Motion::default()),
            collider(Shape::mesh(block.points, block.triangles), Motion { offset, turn }),
            collider(Shape::Plane { point: DVec3::NEG_Y * 0.05, normal: DVec3::Y }, Motion::default()),
            collider(Shape::Plane { point: DVec3::NEG_X * 0.04, normal: DVec3::X }, Motion::default()),
        ],
        sheets: vec![Sheet { triangles, thickness: 0.01 }],
        spacing: SPACING,
    }
}

/// Water around the obstacles, those of its particles left out that would be inside of them, and the sheet.
fn flooded(kernel: KernelKind) -> (Sph, State, f64) {
    flooded_with(kernel, 0.3)
}

/// With a bulk viscosity.
fn flooded_with(kernel: KernelKind, bulk_viscosity: f64) -> (Sph, State, f64) {
    let ball = |x: &DVec3| x.distance(DVec3::new(0.55, 0.35, 0.3)) > 0.15;
    let block = |x: &DVec3| x.distance(DVec3::new(0.1, 0.2, 0.2)) > 0.14;
    let mut x: Vec<DVec3> = shaken([8, 8, 7], 8, 0.15).into_iter().filter(|x| ball(x) && block(x)).collect();
    let count = x.len();
    let at = |k: usize| DVec3::new(0.4 + 0.1 * (k % 3) as f64, 0.55, 0.2 + 0.1 * (k / 3) as f64);
    x.extend((0..9).map(at));
    let settings = settings(kernel);
    let water = |particles| Fluid { bulk_viscosity, ..water(particles, &settings) };
    let light = Fluid { clamped: true, background_pressure: 0.0, ..water(0..count / 2) };
    let heavy = Fluid { rest_density: 3000.0, mass: 3.0 * light.mass, ..water(count / 2..count) };
    let mass = light.mass;
    let model = Sph::new(x.len(), vec![light, heavy], &obstacles(count as u32), settings).unwrap();
    (model, State::at_rest(x), mass)
}

/// With boundaries of all kinds, a cut pressure and two fluids too. The sheet moves along.
#[test]
fn force_is_minus_the_derivative_of_energy_beside_boundaries() {
    for kernel in KERNELS {
        // no bulk viscosity: it brakes what moving boundaries press on, at rest too
        let (model, state, mass) = flooded_with(kernel, 0.0);
        let mut system = System::new(vec![mass; state.len()], Vec::new(), vec![Box::new(model)], Vec::new()).unwrap();
        let mut random = Random(6);
        let direction: Vec<DVec3> = random.vectors(state.len()).into_iter().map(|d| d * SPACING).collect();
        // narrower than elsewhere: b bends at half a spacing, and which triangle is nearest changes
        let comparison = force_against_energy(&mut system, &state, &direction, 1e-5);
        assert!(comparison.errors[1] < 1e-4 * comparison.size, "{kernel:?}: {comparison:?}");
    }
}

/// What boundaries do: the sheet gets the opposite of what it gives, friction takes energy, and moving ones bring in what they push.
#[test]
fn boundaries_push_back_and_do_the_work_that_they_say() {
    for kernel in KERNELS {
        let (mut model, state, _) = flooded(kernel);
        let mut random = Random(9);
        let v = random.vectors(state.len());
        let state = State { v, time: 0.2, ..state };
        let mut force = vec![DVec3::ZERO; state.len()];
        model.add_force(&state.view(), &mut force);
        let sheet = force.len() - 9;
        assert!(force[sheet..].iter().any(|f| f.length() > 1.0), "nothing touches the sheet");
        // energy along the motion: dE/dt = -f·v + viscous + external
        let step = 1e-7;
        let mut energy_at = |time: f64| {
            let x = state.x.iter().zip(&state.v).map(|(x, v)| *x + *v * (time - state.time)).collect();
            model.energy(&State { x, time, v: state.v.clone() }.view()).unwrap()
        };
        let rate = (energy_at(state.time + step) - energy_at(state.time - step)) / (2.0 * step);
        let work: f64 = force.iter().zip(&state.v).map(|(f, v)| f.dot(*v)).sum();
        let (viscous, external) = (model.viscous_power(&state.view()), model.collider_power(&state.view()));
        assert!(viscous < 0.0 && external.abs() > 1e-3 * work.abs(), "{viscous} W {external} W");
        let gap = rate + work - viscous - external;
        assert!(gap.abs() < 1e-5 * work.abs(), "{kernel:?}: {gap} W of {work} W");
    }
}

/// A drop that flies at a wall, faster than the fluid was made for, bounces or stops; it neither gets in nor comes back faster.
#[test]
fn single_particles_bounce_off_walls() {
    for kernel in KERNELS {
        for speed in [0.5, 4.0, 8.0] {
            for direction in [DVec3::NEG_Y, DVec3::new(-0.7, -0.7, 0.1), DVec3::new(0.0, -0.3, -0.9)] {
                let settings = settings(kernel);
                let mass = lattice_mass(&settings.kernel(), SPACING, 1000.0);
                let fluid =
                    Fluid { artificial_viscosity: 0.1, bulk_viscosity: 0.5, ..Fluid::new(0..1, mass, 1000.0, 40.0) };
                let walls = Boundaries::container([DVec3::ZERO, DVec3::ONE], true, SPACING);
                let model = Sph::new(1, vec![fluid], &walls, settings).unwrap();
                let system = System::new(vec![mass], Vec::new(), vec![Box::new(model)], Vec::new()).unwrap();
                let state = State { v: vec![direction * speed], ..State::at_rest(vec![DVec3::splat(0.4)]) };
                let control = ControlSpec { kind: ControlKind::STABLE, ..ControlSpec::default() };
                let (entry, frames) = (integrator("symplectic-euler").unwrap(), Frames { fps: 1.0, until: 4.0 });
                let mut drop = Simulation::new(system, state, entry, &SolverSpec::default(), &control, frames).unwrap();
                while !drop.is_done() {
                    drop.step().unwrap();
                    let (x, v) = (drop.state().x[0], drop.state().v[0].length());
                    let depth = (-x).max(x - DVec3::ONE).max_element();
                    assert!(depth < 0.1 * SPACING, "{kernel:?} {speed} m/s: {depth} m deep");
                    assert!(v < 1.02 * speed, "{kernel:?} {speed} m/s: {v} m/s");
                }
            }
        }
    }
}

#[test]
fn neither_momentum_nor_angular_momentum_changes_and_viscosity_takes_energy() {
    for kernel in KERNELS {
        let (mut system, x) = block(kernel);
        let mut random = Random(7);
        for _ in 0..4 {
            let state = random.pose(&x, 0.1 * SPACING, 1.0);
            let r = resultants(&mut system, &state);
            // a sum over 80 particles of sums over 60 neighbours
            assert!(r.push <= 5000.0 * f64::EPSILON * r.forces, "{r:?}");
            assert!(r.turn <= 5000.0 * f64::EPSILON * r.moments, "{r:?}");
            let power = viscous_power(&mut system, &state);
            assert!(power.reported < 0.0, "{power:?}");
            assert!((power.reported - power.measured).abs() <= 1e-11 * power.scale, "{power:?}");
        }
    }
}

/// One pair by hand: [Restrained] eqs. 5 and 6.
#[test]
fn a_pair_that_approaches_is_braked_as_printed() {
    let settings = settings(KernelKind::CubicSpline);
    let (h, alpha, sound, mass) = (settings.smoothing_length, 0.3, 12.0, 0.8);
    let fluid = Fluid { artificial_viscosity: alpha, ..Fluid::new(0..2, mass, 1000.0, sound) };
    let mut model = Sph::new(2, vec![fluid], &Boundaries::default(), settings).unwrap();
    let x = [DVec3::ZERO, DVec3::X * SPACING];
    let kernel = settings.kernel();
    let density = mass * (kernel.value(0.0) + kernel.value(SPACING));
    for (approach, brakes) in [(0.7, true), (-0.7, false)] {
        let v = [DVec3::X * approach, DVec3::ZERO];
        let mut force = [DVec3::ZERO; 2];
        model.add_force(&View { time: 0.0, x: &x, v: &v }, &mut force);
        let nu = 2.0 * alpha * h * sound / (2.0 * density);
        let pi = nu * approach * SPACING / (SPACING * SPACING + 0.01 * h * h);
        // grad_i W points from j to i where W' is negative
        let expected = if brakes { mass * mass * pi * kernel.slope_over_r(SPACING) * SPACING } else { 0.0 };
        assert!((force[0].x - expected).abs() < 1e-12 * mass, "{force:?} {expected}");
        assert_eq!(force[0], -force[1]);
    }
}

#[test]
fn particles_in_one_place_and_out_of_the_world_do_no_harm() {
    for kernel in KERNELS {
        let mut x = shaken([5, 5, 5], 9, 0.1);
        x[7] = x[8];
        x[9] = x[8];
        x[20] = DVec3::new(1e12, -3e8, 0.2);
        x[21] = DVec3::splat(1e300);
        x[22] = DVec3::new(-1e7, 0.0, 0.0);
        let settings = settings(kernel);
        let fluid = water(0..x.len(), &settings);
        let mut model = Sph::new(x.len(), vec![fluid], &Boundaries::default(), settings).unwrap();
        let mut state = State::at_rest(x);
        let mut out = vec![DVec3::ZERO; state.len()];
        assert!(model.begin_step(&state.view()));
        model.add_force(&state.view(), &mut out);
        assert!(out.iter().all(|f| f.is_finite()), "{kernel:?}");
        assert!(out[20] == DVec3::ZERO && out[21] == DVec3::ZERO && out[22] == DVec3::ZERO);
        assert!(model.energy(&state.view()).unwrap().is_finite());
        // whoever is nowhere pushes nobody, and nothing panics
        state.x[30] = DVec3::NAN;
        state.x[31] = DVec3::new(f64::INFINITY, 0.0, 0.0);
        model.begin_step(&state.view());
        out.fill(DVec3::ZERO);
        model.add_force(&state.view(), &mut out);
        assert!((0..out.len()).all(|i| i == 30 || i == 31 || out[i].is_finite()), "{kernel:?}");
    }
}

fn dam(control: ControlKind, books: bool) -> Simulation {
    let settings = settings(KernelKind::CubicSpline);
    let x = lattice([12, 16, 12]);
    let count = x.len();
    let mass = lattice_mass(&settings.kernel(), SPACING, 1000.0);
    let fluid = Fluid { artificial_viscosity: 0.1, bulk_viscosity: 0.5, ..Fluid::new(0..count, mass, 1000.0, 40.0) };
    let inside = [DVec3::splat(-0.5 * SPACING), DVec3::splat(4.0)];
    let model = Sph::new(count, vec![fluid], &Boundaries::container(inside, false, SPACING), settings).unwrap();
    let masses = vec![mass; count];
    let gravity = Gravity::new(DVec3::NEG_Y * 9.81, masses.clone(), std::iter::once(0..count).collect());
    let system = System::new(masses, Vec::new(), vec![Box::new(gravity), Box::new(model)], Vec::new()).unwrap();
    let control = ControlSpec { kind: control, dt: Some(1e-3), ..ControlSpec::default() };
    let entry = integrator("symplectic-euler").unwrap();
    let mut state = State::at_rest(x);
    // fast enough for several lists
    state.v.fill(DVec3::new(2.0, 0.0, 1.0));
    let frames = Frames { fps: 1.0, until: 10.0 };
    let mut simulation = Simulation::new(system, state, entry, &SolverSpec::default(), &control, frames).unwrap();
    simulation.track_energy(books);
    simulation
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let run = |threads: usize| {
        on_threads(threads, || {
            let mut simulation = dam(ControlKind::FIXED, true);
            for _ in 0..25 {
                simulation.step().unwrap();
            }
            (simulation.state().hash(), simulation.ledger().integrator.to_bits())
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

#[test]
fn a_restart_goes_on_with_the_same_bits() {
    let mut simulation = dam(ControlKind::FIXED, false);
    for _ in 0..13 {
        simulation.step().unwrap();
    }
    let (point, progress) = (simulation.point().clone(), simulation.progress());
    let mut other = dam(ControlKind::FIXED, false);
    other.restore(point, progress);
    for _ in 0..20 {
        simulation.step().unwrap();
        other.step().unwrap();
        assert_eq!(simulation.state().hash(), other.state().hash());
    }
}

/// Evaluations anywhere else leave the force at a view as it is.
#[test]
fn views_that_are_thrown_away_leave_no_trace() {
    let (x, settings) = (shaken([8, 8, 8], 10, 0.1), settings(KernelKind::WendlandC2));
    let fluid = water(0..x.len(), &settings);
    let mut model = Sph::new(x.len(), vec![fluid], &Boundaries::default(), settings).unwrap();
    let mut random = Random(11);
    let start = State { v: random.vectors(x.len()), ..State::at_rest(x) };
    model.begin_step(&start.view());
    let evaluate = |model: &mut Sph, state: &State| {
        let mut out = vec![DVec3::ZERO; state.len()];
        model.add_force(&state.view(), &mut out);
        (out, model.energy(&state.view()), model.viscous_power(&state.view()))
    };
    let mut near = start.clone();
    near.x.iter_mut().for_each(|x| *x += random.vector() * 0.02 * SPACING);
    let mut far = start.clone();
    far.x.iter_mut().for_each(|x| *x += random.vector() * 2.0 * SPACING);
    let first = evaluate(&mut model, &near);
    let there = evaluate(&mut model, &far);
    assert_eq!(first, evaluate(&mut model, &near));
    let memory = model.memory();
    assert_eq!(there, evaluate(&mut model, &far));
    assert_eq!(memory, model.memory());
    // a step that begins there keeps the lists it was evaluated with
    assert!(!model.begin_step(&far.view()));
    assert_eq!(there, evaluate(&mut model, &far));
    assert_ne!(memory, model.memory());
}

/// Row sums bound the derivative of the force along any direction: |K d| ≤ ‖K‖∞ |d|∞ row by row.
#[test]
fn rates_bound_the_derivatives() {
    for kernel in KERNELS {
        let (mut system, x) = block(kernel);
        let settings = settings(kernel);
        let mut model =
            Sph::new(x.len(), vec![water(0..x.len(), &settings)], &Boundaries::default(), settings).unwrap();
        let state = State::at_rest(x);
        let mut rates = vec![Rates::default(); state.len()];
        model.add_rates(&state.view(), &vec![true; state.len()], &mut rates);
        let mut random = Random(12);
        let (step, mut reached) = (1e-6 * SPACING, [0.0_f64; 2]);
        for _ in 0..20 {
            let direction: Vec<DVec3> = random.vectors(state.len()).into_iter().map(|d| d.normalize()).collect();
            for moves in [true, false] {
                let mut at = |sign: f64| {
                    let mut state = state.clone();
                    let values = if moves { &mut state.x } else { &mut state.v };
                    values.iter_mut().zip(&direction).for_each(|(x, d)| *x += *d * sign * step);
                    pliant_testkit::derivative::force(&mut system, &state)
                };
                let (ahead, behind) = (at(1.0), at(-1.0));
                for (i, (a, b)) in ahead.iter().zip(&behind).enumerate() {
                    let change = (*a - *b).length() / (2.0 * step);
                    let bound = if moves { rates[i].stiffness } else { rates[i].damping };
                    assert!(change <= bound * (1.0 + 1e-6), "{kernel:?} {i}: {change} above {bound}");
                    let part = &mut reached[usize::from(moves)];
                    *part = part.max(change / bound);
                }
            }
        }
        // random directions use up a part of it
        assert!(reached[0] > 0.02 && reached[1] > 0.02, "{reached:?}");
    }
}

#[test]
fn stable_steps_keep_to_courant_and_stay_stable() {
    let mut simulation = dam(ControlKind::STABLE, false);
    let courant = 0.4 * 1.25 * SPACING / (40.0 * 1.06);
    for _ in 0..100 {
        let report = simulation.step().unwrap();
        assert!(report.dt <= courant * (1.0 + 1e-12), "{} above {courant}", report.dt);
    }
    let fastest = simulation.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
    // √5 m/s and 0.1 s of falling, and what the floor gives back
    assert!(fastest < 6.0, "{fastest}");
}

/// Two halves of a block that are taken apart have `2 γ A` more energy than the whole. The kernel of Wendland, as in scenes.
#[test]
fn cohesion_gives_the_surface_tension_that_was_asked_for() {
    let (n, tension) = (16, 0.5);
    let all = |wraps: bool| {
        let length = Some(n as f64 * SPACING);
        let settings = SphSettings { skin: 0.1, ..settings(KernelKind::WendlandC2) };
        let settings = SphSettings { periods: [length.filter(|_| wraps), length, length], ..settings };
        let kernel = settings.kernel();
        let x = lattice([n; 3]);
        // pressures would answer to the new surface: none of them here
        let water = Fluid {
            cohesion: lattice_cohesion(&kernel, SPACING, 1000.0, tension),
            ..Fluid::new(0..x.len(), lattice_mass(&kernel, SPACING, 1000.0), 1000.0, 1e-6)
        };
        let mut model = Sph::new(x.len(), vec![water], &Boundaries::default(), settings).unwrap();
        model.energy(&State::at_rest(x).view()).unwrap()
    };
    let measured = (all(false) - all(true)) / (2.0 * (n as f64 * SPACING).powi(2));
    assert!((measured / tension - 1.0).abs() < 1e-5, "{measured} N/m of {tension} N/m");
}

/// Lists that are kept while everybody stays near give the force that new ones give, up to the order of sums, beside walls too.
#[test]
fn kept_lists_give_the_force_of_new_ones() {
    for kernel in KERNELS {
        let (mut kept, start, _) = flooded(kernel);
        let mut random = Random(13);
        let mut state = State { v: random.vectors(start.len()), ..start };
        kept.begin_step(&state.view());
        let memory = kept.memory();
        for _ in 0..5 {
            // half the skin is 0.31 spacings: five walks of 0.05 stay within it
            state.x.iter_mut().for_each(|x| *x += random.vector() * 0.05 * SPACING / 3_f64.sqrt());
            assert!(!kept.begin_step(&state.view()));
            assert_eq!(memory, kept.memory(), "lists were made anew");
            let (mut fresh, ..) = flooded(kernel);
            let mut forces = [vec![DVec3::ZERO; state.len()], vec![DVec3::ZERO; state.len()]];
            kept.add_force(&state.view(), &mut forces[0]);
            fresh.begin_step(&state.view());
            fresh.add_force(&state.view(), &mut forces[1]);
            let scale = forces[0].iter().map(|f| f.length()).fold(0.0, f64::max);
            let apart = forces[0].iter().zip(&forces[1]).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(apart < 1e-12 * scale, "{kernel:?}: {apart} N of {scale} N");
        }
    }
}
