//! Fluids under restraint are evaluated again only around what has moved, and nobody can tell: not from a single bit.

use glam::DVec3;
use pliant::core::{
    Criterion, DirtySet, Fields, ForceModel, Incremental, Limits, Motion, Restraint, State, Stateful, System,
};
use pliant::forces::Gravity;
use pliant::forces::contact::{Collider, Shape};
use pliant::forces::sph::{Boundaries, Dimension, Fluid, KernelKind, Sph, SphSettings, lattice_mass};
use pliant::prelude::{Spring, Springs};
use pliant_testkit::random::Random;

const SPACING: f64 = 0.1;

#[derive(Clone, Copy, Debug)]
struct Kind {
    kernel: KernelKind,
    dimension: Dimension,
    is_periodic: bool,
    is_viscous: bool,
    is_cohesive: bool,
}

const WATER: Kind = Kind {
    kernel: KernelKind::CubicSpline,
    dimension: Dimension::Three,
    is_periodic: false,
    is_viscous: true,
    is_cohesive: false,
};

/// A block between walls, shaken a little so that there are forces.
fn block(n: [usize; 3]) -> Vec<DVec3> {
    let mut random = Random(5);
    let at = |i: usize, j: usize, k: usize| DVec3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5) * SPACING;
    let all = (0..n[2]).flat_map(|k| (0..n[1]).flat_map(move |j| (0..n[0]).map(move |i| at(i, j, k))));
    all.map(|x| x + random.vector() * 0.1 * SPACING).collect()
}

fn fluid(kind: Kind, n: [usize; 3], count: usize) -> Sph {
    let size = DVec3::from_array(n.map(|n| n as f64)) * SPACING;
    let mut settings =
        SphSettings { kernel: kind.kernel, dimension: kind.dimension, ..SphSettings::new(1.25 * SPACING) };
    let out = if kind.is_periodic { 10.0 } else { 0.0 };
    if kind.is_periodic {
        settings.periods = [Some(size.x), None, None];
    }
    let (low, high) = (DVec3::new(-out, 0.0, 0.0), size + DVec3::new(out, 0.0, 0.0));
    let mut boundaries = Boundaries::container([low, high], false, SPACING);
    if kind.dimension == Dimension::Two {
        boundaries.colliders.retain(|wall| !matches!(wall.shape, Shape::Plane { normal, .. } if normal.z != 0.0));
    }
    // something with edges and corners in the middle of it
    let points = [DVec3::ZERO, DVec3::X, DVec3::Z].map(|corner| 0.4 * size + 0.2 * size.x * corner).to_vec();
    boundaries.colliders.push(Collider {
        name: "blade".into(),
        shape: Shape::Simplices { points, segments: vec![], triangles: vec![[0, 1, 2]], radius: 0.01 },
        motion: Motion::default(),
        friction: 0.0,
    });
    let mass = 1.05 * lattice_mass(&settings.kernel(), SPACING, 1000.0);
    let mut fluid = Fluid::new(0..n.iter().product(), mass, 1000.0, 30.0);
    if kind.is_viscous {
        (fluid.artificial_viscosity, fluid.kinematic_viscosity) = (0.1, 0.01);
    }
    // alone, too
    if kind.is_viscous || kind.kernel == KernelKind::WendlandC2 {
        fluid.bulk_viscosity = 0.3;
    }
    if kind.is_cohesive {
        (fluid.cohesion, fluid.clamped) = (300.0, false);
    }
    Sph::new(count, vec![fluid], &boundaries, settings).unwrap()
}

/// With a weight on a spring that has nothing to do with the fluid.
fn system(kind: Kind, n: [usize; 3], count: usize) -> System {
    let fluid = fluid(kind, n, count);
    let masses = vec![fluid.fluids()[0].mass; count];
    let gravity = Gravity::new(DVec3::NEG_Y * 9.81, masses.clone(), std::iter::once(0..count).collect());
    let nodes = [count as u32 - 2, count as u32 - 1];
    let spring = Springs::new(vec![Spring { nodes, rest_length: 0.1, stiffness: 3.0, damping: 0.1 }]);
    let models: Vec<Box<dyn ForceModel>> = vec![Box::new(gravity), Box::new(fluid), Box::new(spring)];
    System::new(masses, Vec::new(), models, Vec::new()).unwrap()
}

fn free(count: usize) -> Restraint {
    Restraint::new(Criterion::Convex, vec![Limits::NONE; count], f64::INFINITY)
}

/// Names and bits of all that a state is asked for, in an order that depends on `turn`.
fn asked(system: &mut System, state: &State, turn: usize) -> Vec<(&'static str, Vec<u64>)> {
    let (view, mut all) = (state.view(), Vec::new());
    let mut force = vec![DVec3::ZERO; state.x.len()];
    for k in 0..3 {
        match (k + turn) % 3 {
            0 => {
                system.forces(&view, &mut force);
                let bits = force.iter().flat_map(|f| f.to_array()).map(f64::to_bits).collect();
                all.push(("forces", bits));
            }
            1 => {
                let account = system.energies().account(state, &[]);
                let numbers = [account.energy.elastic, account.energy.gravity, account.powers.viscous];
                all.push(("energies and powers", numbers.map(f64::to_bits).to_vec()));
            }
            _ => {
                let mut fields = Fields::default();
                fields.begin(state.x.len());
                system.write_fields(&view, &mut fields);
                let values = [Fields::DENSITY, Fields::PRESSURE].map(|name| fields.find(name).unwrap().to_vec());
                all.push(("fields", values.concat().into_iter().map(f64::to_bits).collect()));
            }
        }
    }
    all
}

/// Moves some who are close together, and some who are not.
fn disturb(state: &mut State, random: &mut Random, round: usize) {
    let mut any = |count: usize| ((random.number() + 1.0) * 0.5 * count as f64) as usize;
    let count = state.x.len();
    let (middle, some) = (state.x[any(count)], [any(count), any(count), count - 1]);
    let near = |x: DVec3| x.distance(middle) < 1.3 * SPACING;
    // sometimes farther than lists of neighbours allow, and sometimes farther than anything
    let by = [1e-3, 0.03, 0.0, 0.3, 1e-9, 0.02, 0.01][round % 7] * SPACING;
    for i in 0..count {
        if near(state.x[i]) || some.contains(&i) {
            if round % 5 != 1 {
                state.x[i] += random.vector() * by;
            }
            if round % 5 != 2 {
                state.v[i] = random.vector();
            }
        }
    }
}

fn compare(kind: Kind, n: [usize; 3], rounds: usize) {
    let mut x = block(n);
    x.extend([DVec3::new(5.0, 0.0, 0.0), DVec3::new(5.2, 0.0, 0.0)]);
    let count = x.len();
    let mut random = Random(17);
    let v = random.vectors(count);
    let mut state = State { v, ..State::at_rest(x) };
    let mut restrained = system(kind, n, count);
    restrained.set_restraint(Some(free(count)));
    restrained.begin_step(&state.view());
    let mut last = state.clone();
    for round in 0..rounds {
        // most rounds go on, some go back to where the one before began
        if round % 11 == 10 {
            state.clone_from(&last);
        } else {
            last.clone_from(&state);
            disturb(&mut state, &mut random, round);
        }
        if round % 3 == 2 {
            restrained.begin_step(&state.view());
        }
        let mut whole = system(kind, n, count);
        whole.restore(&state.view(), &restrained.memory());
        let (partly, whole) = (asked(&mut restrained, &state, round), asked(&mut whole, &state, round));
        for ((name, partly), (_, whole)) in partly.into_iter().zip(whole) {
            let differ = partly.iter().zip(&whole).filter(|(a, b)| a != b).count();
            assert_eq!(differ, 0, "{differ} of {} {name}, round {round} of {kind:?}", partly.len());
        }
    }
}

#[test]
fn what_is_evaluated_in_part_has_the_bits_of_the_whole() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            compare(WATER, [10, 10, 10], 100);
            compare(Kind { is_cohesive: true, ..WATER }, [10, 10, 10], 40);
            compare(Kind { is_viscous: false, kernel: KernelKind::WendlandC2, ..WATER }, [10, 10, 10], 40);
            compare(Kind { is_periodic: true, ..WATER }, [12, 9, 9], 40);
            compare(Kind { dimension: Dimension::Two, is_cohesive: true, ..WATER }, [32, 32, 1], 40);
        });
    }
}

/// Marks whoever is nearer to a place than a distance, and moves them a little.
fn stir(state: &mut State, middle: DVec3, radius: f64, by: f64, moved: &mut DirtySet) {
    moved.clear(state.x.len());
    for i in 0..state.x.len() {
        if state.x[i].distance(middle) < radius {
            state.x[i].y += by;
            state.v[i].x += by;
            moved.add(i as u32);
        }
    }
}

/// No particle is asked for without need: those within three supports of what has moved at most, and none where nothing has. (What moves changes ṡ
/// within one support, the bulk viscosity that smooths it within two, and whom that pushes within three.)
#[test]
fn only_what_is_near_is_reached() {
    let n = [20, 20, 20];
    let mut state = State::at_rest(block(n));
    let count = state.x.len();
    let (mut model, mut force) = (fluid(WATER, n, count), vec![DVec3::ZERO; count]);
    assert!(model.properties().is_steady);
    let (mut moved, mut reached) = (DirtySet::default(), DirtySet::default());
    model.begin_step(&state.view());
    moved.clear(count);
    reached.clear(count);
    model.mark_dirty(&state.view(), &moved, &mut reached);
    assert!(reached.is_all(), "nothing was evaluated yet");
    model.add_force(&state.view(), &mut force);
    let middle = DVec3::splat(0.4 * SPACING);
    for by in [1e-4, 0.0] {
        let radius = if by > 0.0 { 2.0 * SPACING } else { 0.0 };
        stir(&mut state, middle, radius, by * SPACING, &mut moved);
        reached.clear(count);
        model.mark_dirty(&state.view(), &moved, &mut reached);
        assert!(!reached.is_all());
        let within = radius + 3.0 * 2.0 * 1.25 * SPACING + 2.0 * by * SPACING;
        assert!(reached.list().iter().all(|i| state.x[*i as usize].distance(middle) < within));
        assert!(moved.list().iter().all(|i| reached.contains(*i)));
        assert_eq!(reached.list().is_empty(), by == 0.0);
        reached.sort();
        model.update_force(&state.view(), reached.list(), &mut force);
    }
}
