//! Models that keep what did not change: contact, friction, loads, air, frames, holes and bonds. A system whose particles are restrained by limits of
//! nothing moves as if they were not, but evaluates what is new alone: its forces and free ways have the bits of its twin's, and of a system made
//! anew, whatever was looked at in between; and one particle that moves does not make everybody's force new.

use glam::DVec3;
use pliant::core::{
    Criterion, DirtySet, ForceModel, Incremental, JacobianKind, Limits, Motion, Path, Restraint, Stateful, System,
    Turn, View,
};
use pliant::forces::catalog::FORCES;
use pliant::forces::contact::{Collider, Contact, ContactBody, ContactSettings, Shape};
use pliant::forces::peridynamics::{
    Breaking, Brittle, GrainBody, GrainContact, GrainContactSettings, Law, Peridynamics,
};
use pliant::forces::{Aerodynamics, Air, Boundaries, Suture, SutureSpec, Wind};
use pliant_testkit::random::Random;

/// Masses, places, and models on them.
type Scene = (Vec<f64>, Vec<DVec3>, Vec<Box<dyn ForceModel>>);

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn system((masses, _, models): Scene, is_restrained: bool) -> System {
    let limits = vec![Limits::NONE; masses.len()];
    let mut system = System::new(masses, vec![], models, vec![]).unwrap();
    let restraint = Restraint::new(Criterion::Convex, limits, f64::INFINITY);
    system.set_restraint(is_restrained.then_some(restraint));
    system
}

/// How a scene is shaken.
struct Shaking {
    /// How far particles are from their places, m, and how fast.
    by: f64,
    speed: f64,
    /// Where some are thrown, m.
    thrown: DVec3,
    /// How much later it is from time to time, s.
    later: f64,
    rounds: usize,
}

/// A system that has begun a step like another one, and has looked last at a state where everybody was elsewhere: it knows nothing of use.
fn made_anew(scene: Scene, begun: &(f64, Vec<DVec3>, Vec<DVec3>, Vec<f64>), by: f64) -> System {
    let mut system = system(scene, false);
    let (time, x, u, memory) = begun;
    system.restore(&View { time: *time, x, v: u }, memory);
    let aside: Vec<DVec3> = x.iter().map(|x| *x + DVec3::ONE * (0.01 * by)).collect();
    system.energies().potential(&View { time: *time, x: &aside, v: u });
    system
}

/// Moves some particles in every round, begins steps now and then, looks at states in between, and compares with a twin without restraint.
fn has_the_bits_of_a_full_evaluation(what: &str, shaking: &Shaking, build: impl Fn() -> Scene) {
    let mut random = Random(17);
    let (places, count) = (build().1, build().0.len());
    let (mut whole, mut parts) = (system(build(), false), system(build(), true));
    let mut x: Vec<DVec3> = places.iter().map(|x| *x + random.vector() * shaking.by).collect();
    let mut u: Vec<DVec3> = random.vectors(count).iter().map(|v| *v * shaking.speed).collect();
    let (mut a, mut b) = (vec![DVec3::ZERO; count], vec![DVec3::ZERO; count]);
    let (mut time, mut stopped) = (0.0, 0);
    let mut begun = (time, x.clone(), u.clone(), Vec::new());
    for round in 0..shaking.rounds {
        let view = View { time, x: &x, v: &u };
        if round % 4 == 0 {
            assert_eq!(whole.begin_step(&view), parts.begin_step(&view), "{what}, round {round}");
            begun = (time, x.clone(), u.clone(), whole.memory());
        }
        whole.forces(&view, &mut a);
        parts.forces(&view, &mut b);
        assert!(a.iter().all(|f| f.is_finite()), "{what}, round {round}");
        assert_eq!(a, b, "{what}, round {round}");
        let mut anew = (round % 3 == 2).then(|| made_anew(build(), &begun, shaking.by));
        if let Some(anew) = &mut anew {
            anew.forces(&view, &mut b);
            assert_eq!(a, b, "{what}, round {round}, anew");
        }
        let (before, from) = (x.clone(), time);
        for _ in 0..1 + round % 3 {
            let who = ((0.5 + 0.5 * random.number()) * count as f64) as usize % count;
            match round % 5 {
                0 | 1 => x[who] = places[who] + random.vector() * shaking.by,
                2 => u[who] = random.vector() * shaking.speed,
                3 => x[who] = places[who] + shaking.thrown + random.vector() * shaking.by,
                _ => {}
            }
        }
        time += if round % 6 == 5 { shaking.later } else { 0.0 };
        let (start, end) = (View { time: from, x: &before, v: &u }, View { time, x: &x, v: &u });
        let ways = [&mut whole, &mut parts].map(|system| system.contact().collision_free_step(&start, &end));
        assert_eq!(ways[0], ways[1], "{what}, round {round}");
        if let Some(anew) = &mut anew {
            assert_eq!(anew.contact().collision_free_step(&start, &end), ways[0], "{what}, round {round}, anew");
        }
        if begun.3.is_empty() {
            let never_looked = system(build(), false).contact().collision_free_step(&start, &end);
            assert_eq!(never_looked, ways[0], "{what}, round {round}, never looked");
        }
        stopped += usize::from(!ways[0].is_full());
        if round % 7 == 3 {
            // what is looked at in between leaves no trace
            let aside: Vec<DVec3> = x.iter().map(|x| *x + random.vector() * (0.1 * shaking.by)).collect();
            parts.energies().potential(&View { time: time + 0.3 * shaking.later, x: &aside, v: &u });
        }
        if round % 7 == 5 {
            x = before;
        }
    }
    println!("{what}: {stopped} ways were not free");
}

/// The dirty set of a model after one particle has moved; `None`: all particles.
fn reached(model: &mut dyn ForceModel, x: &[DVec3], who: usize, by: DVec3) -> Option<Vec<u32>> {
    let (mut x, u) = (x.to_vec(), vec![DVec3::ZERO; x.len()]);
    let mut out = vec![DVec3::ZERO; x.len()];
    if let Some(model) = model.as_stateful_mut() {
        model.begin_step(&View { time: 0.0, x: &x, v: &u });
    }
    model.add_force(&View { time: 0.0, x: &x, v: &u }, &mut out);
    x[who] += by;
    let (mut moved, mut reached) = (DirtySet::default(), DirtySet::default());
    [&mut moved, &mut reached].into_iter().for_each(|all| all.clear(x.len()));
    moved.add(who as u32);
    model.as_incremental().expect("it has the capability").mark_dirty(
        &View { time: 0.0, x: &x, v: &u },
        &moved,
        &mut reached,
    );
    (!reached.is_all()).then(|| reached.list().to_vec())
}

const SIDE: usize = 9;

/// A sheet of squares of 0.1 m at a height.
fn sheet(first: usize, height: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let x = (0..SIDE * SIDE).map(|k| v(0.1 * (k % SIDE) as f64, height, 0.1 * (k / SIDE) as f64)).collect();
    let corner = |i: usize, j: usize| (first + i + SIDE * j) as u32;
    let cells = (0..SIDE - 1).flat_map(|j| (0..SIDE - 1).map(move |i| (i, j)));
    let triangles = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)];
        [[a, b, c], [b, d, c]]
    });
    (x, triangles.collect())
}

/// Two sheets and a rope, one above the other, over a floor, a ball and a mesh; these stand still or move.
fn sheets(friction: f64, moves: bool) -> (Vec<f64>, Vec<DVec3>, Contact) {
    let (mut x, low) = sheet(0, 0.0);
    let (above, high) = sheet(x.len(), 0.03);
    x.extend(above);
    let first = x.len() as u32;
    x.extend((0..8).map(|k| v(0.1 * f64::from(k), 0.07, 0.42)));
    let segments = (0..7).map(|k| [first + k, first + k + 1]).collect();
    let body = ContactBody { thickness: 0.04, friction, ..ContactBody::default() };
    let contact_bodies = [
        ContactBody { triangles: low, ..body.clone() },
        ContactBody { triangles: high, ..body.clone() },
        ContactBody { segments, radius: 0.015, ..body },
    ];
    let turn =
        Turn { centre: DVec3::ZERO, axis: DVec3::Y, angle: Path::Steady { start: DVec3::ZERO, velocity: DVec3::X } };
    let rising = Motion { offset: Path::Steady { start: DVec3::ZERO, velocity: v(0.0, 0.01, 0.0) }, turn: Some(turn) };
    let motion = if moves { rising } else { Motion::default() };
    let collider =
        |shape: Shape, motion: &Motion| Collider { name: String::new(), shape, motion: motion.clone(), friction: 0.5 };
    let mesh = Shape::mesh(vec![v(0.5, -0.02, 0.5), v(0.8, -0.02, 0.5), v(0.6, -0.02, 0.8)], vec![[0, 2, 1]]);
    let colliders = [
        collider(Shape::Plane { point: v(0.0, -0.022, 0.0), normal: v(0.0, 1.0, 0.0) }, &Motion::default()),
        collider(Shape::sphere(v(0.3, -0.52, 0.3), 0.5), &motion),
        collider(mesh, &motion),
    ];
    let masses = vec![0.01; x.len()];
    let settings = ContactSettings { speed: 1.0, creep: 0.1 };
    let contact = Contact::new(&masses, &x, &contact_bodies, &colliders, settings);
    (masses, x, contact)
}

#[test]
fn contacts_of_what_stands_still_are_kept() {
    let shaking = Shaking { by: 0.004, speed: 0.3, thrown: v(0.0, 0.2, 0.0), later: 0.02, rounds: 240 };
    for (what, friction, moves) in [("smooth", 0.0, false), ("rough", 0.6, false), ("moving", 0.6, true)] {
        has_the_bits_of_a_full_evaluation(what, &shaking, || {
            let (masses, x, contact) = sheets(friction, moves);
            (masses, x, vec![Box::new(contact)])
        });
        let (_, x, mut contact) = sheets(friction, moves);
        assert_eq!(contact.properties().is_steady, !moves);
        // at a corner of the lower sheet: it touches the floor, the other sheet, and no more
        let found = reached(&mut contact, &x, 8, v(0.0, 0.002, 0.0)).expect("not everybody");
        assert!(found.contains(&8) && found.len() < 20, "{what}: {found:?}");
        let nobody = reached(&mut contact, &x, 8, DVec3::ZERO).expect("not everybody");
        assert!(nobody.len() < 20, "{what}: {nobody:?}");
    }
}

/// A ball that comes up under a sheet concerns those near it alone, although nobody has moved.
#[test]
fn a_moving_collider_concerns_those_near_it() {
    let (_, x, mut contact) = sheets(0.6, true);
    let u = vec![DVec3::ZERO; x.len()];
    let mut out = vec![DVec3::ZERO; x.len()];
    contact.begin_step(&View { time: 0.0, x: &x, v: &u });
    contact.add_force(&View { time: 0.0, x: &x, v: &u }, &mut out);
    let (mut moved, mut reached) = (DirtySet::default(), DirtySet::default());
    [&mut moved, &mut reached].into_iter().for_each(|all| all.clear(x.len()));
    contact.mark_dirty(&View { time: 0.1, x: &x, v: &u }, &moved, &mut reached);
    assert!(!reached.is_all() && !reached.list().is_empty() && reached.list().len() < x.len() / 2);
}

/// Rows that are wanted are those of the whole matrix.
#[test]
fn wanted_rows_of_contact_are_those_of_all() {
    let (masses, x, mut contact) = sheets(0.6, false);
    let system = system((masses, x.clone(), vec![]), false);
    let u = Random(3).vectors(x.len());
    let view = View { time: 0.0, x: &x, v: &u };
    contact.begin_step(&view);
    let (mut all, mut some) = (system.matrices().new_jacobian(), system.matrices().new_jacobian());
    contact.add_jacobian(&view, JacobianKind::Exact, &mut all);
    (some.is_partial, some.rows) = (true, vec![3, 40, 41, 100]);
    contact.add_jacobian(&view, JacobianKind::Exact, &mut some);
    let expected: Vec<_> = all.contact_blocks.iter().filter(|block| some.rows.contains(&block.row)).copied().collect();
    assert!(!expected.is_empty() && expected.len() < all.contact_blocks.len() / 4);
    assert_eq!(some.contact_blocks, expected);
}

/// All models of the catalog, at times that change and with steps that begin.
#[test]
fn models_of_the_catalog_keep_what_did_not_change() {
    let shaking = Shaking { by: 1e-3, speed: 1.0, thrown: v(0.0, 0.01, 0.0), later: 0.4, rounds: 60 };
    let mut incremental = 0;
    for entry in FORCES {
        for k in 0..(entry.examples)().len() {
            let example = || (entry.examples)().swap_remove(k);
            has_the_bits_of_a_full_evaluation(entry.name, &shaking, || {
                let example = example();
                (example.masses, example.x, vec![example.model])
            });
            let mut example = example();
            let found = reached(&mut *example.model, &example.x, 0, v(1e-4, 0.0, 0.0));
            let is_new = ["aerodynamics", "pressure", "traction", "face-pressure", "framed-solid", "coarse-green"];
            if is_new.contains(&entry.name) || entry.name == "peridynamics" {
                incremental += 1;
                assert!(found.is_some() && !(entry.name == "traction" && found != Some(vec![])), "{}", entry.name);
            }
        }
    }
    assert!(incremental >= 12, "{incremental}");
}

#[test]
fn air_on_triangles_that_stand_still_is_kept() {
    let (x, triangles) = sheet(0, 0.0);
    let build = |wind: Wind| Aerodynamics::new(&triangles, Air { lift: 0.8, ..Air::default() }, wind).unwrap();
    let mean = v(1.0, 2.0, 0.5);
    let shaking = Shaking { by: 0.01, speed: 1.0, thrown: v(0.0, 0.1, 0.0), later: 0.1, rounds: 100 };
    for wind in [Wind::default(), Wind::uniform(mean), Wind::gusty(mean, 0.5, 1.0)] {
        let scene = || (vec![1.0; x.len()], x.clone(), vec![Box::new(build(wind.clone())) as Box<dyn ForceModel>]);
        has_the_bits_of_a_full_evaluation("air", &shaking, scene);
        let found = reached(&mut build(wind.clone()), &x, 0, DVec3::Y * 0.01).expect("not everybody");
        assert!(found.len() == 3 && build(wind.clone()).properties().is_steady == wind.gusts.is_empty());
    }
}

#[test]
fn holes_that_nobody_moves_are_kept() {
    let point = |k: usize| v(0.1 * (0.8 * k as f64).sin(), 0.05 * (1.3 * k as f64).cos(), k as f64);
    let triangle = |z: f64| [v(-1.0, -0.8, z + 0.1), v(1.1, -0.9, z - 0.1), v(0.1, 1.3, z)];
    let x: Vec<DVec3> = (0..8).map(point).chain([0.3, 3.55, 6.8].into_iter().flat_map(triangle)).collect();
    let triangles: Vec<([u32; 3], u32)> = (0..3).map(|k| ([8 + 3 * k, 9 + 3 * k, 10 + 3 * k], k)).collect();
    let suture = |grip: f64| {
        let (points, triangles) = ((0..8).collect(), triangles.clone());
        Suture::new(SutureSpec { points, needle: 7, triangles, stiffness: 50.0, grip, creep: 0.4, knot: false })
            .unwrap()
    };
    let shaking = Shaking { by: 0.05, speed: 1.0, thrown: v(0.3, 0.0, 0.6), later: 0.1, rounds: 200 };
    for grip in [0.0, 3.0] {
        let scene = || (vec![1.0; x.len()], x.clone(), vec![Box::new(suture(grip)) as Box<dyn ForceModel>]);
        has_the_bits_of_a_full_evaluation("suture", &shaking, scene);
        let found = reached(&mut suture(grip), &x, 8, DVec3::Y * 0.01).expect("not everybody");
        assert!(found.len() == 6 && found.contains(&8), "{found:?}");
    }
}

const STUFF: Brittle = Brittle { density: 1000.0, young: 1e5, poisson: 0.25, release: 300.0, toughening: 0.0 };

/// Two blocks that press on each other, on a floor, and a ball beside them that turns.
fn blocks(law: Law, moves: bool) -> (Vec<f64>, Vec<DVec3>, Peridynamics, GrainContact) {
    let block = |low: f64| (0..72).map(move |k| v((k % 6) as f64, low + (k / 6 % 3) as f64, (k / 18) as f64));
    let rest: Vec<DVec3> = block(0.0).chain(block(2.85)).collect();
    let body = |range| GrainBody { law, ..GrainBody::new(range, 1.0, STUFF) };
    let bodies = vec![body(0..72), body(72..144)];
    let spin =
        Turn { centre: DVec3::ZERO, axis: DVec3::Y, angle: Path::Steady { start: DVec3::ZERO, velocity: DVec3::X } };
    let motion = Motion {
        offset: Path::Steady { start: DVec3::ZERO, velocity: v(-0.1, 0.0, 0.0) },
        turn: moves.then_some(spin),
    };
    let collider = |shape: Shape, motion: Motion| Collider { name: String::new(), shape, motion, friction: 0.5 };
    let colliders = vec![
        collider(Shape::Plane { point: v(0.0, -0.45, 0.0), normal: DVec3::Y }, Motion::default()),
        collider(Shape::sphere(v(7.4, 2.0, 1.5), 2.0), if moves { motion } else { Motion::default() }),
    ];
    let walls = Boundaries { colliders, spacing: 1.0, ..Boundaries::default() };
    let touch = GrainContactSettings { creep: 0.1, friction: vec![0.5; 2], boundary_friction: vec![0.4; 2] };
    let contact = GrainContact::new(&bodies, &rest, &walls, &touch).unwrap();
    let masses = vec![bodies[0].mass(); rest.len()];
    (masses, rest.clone(), Peridynamics::new(bodies, &rest, Breaking::default()).unwrap(), contact)
}

#[test]
fn bonds_and_grains_that_stand_still_are_kept() {
    let shaking = Shaking { by: 0.04, speed: 0.3, thrown: v(0.2, 0.5, 0.0), later: 0.05, rounds: 160 };
    for (what, law, moves) in
        [("bonds", Law::BondBased, false), ("states", Law::StateBased, false), ("bonds, moving", Law::BondBased, true)]
    {
        has_the_bits_of_a_full_evaluation(what, &shaking, || {
            let (masses, x, bonds, contact) = blocks(law, moves);
            (masses, x, vec![Box::new(bonds), Box::new(contact)])
        });
        let (_, x, mut bonds, mut contact) = blocks(law, moves);
        assert!(bonds.properties().is_steady && contact.properties().is_steady != moves);
        let found = reached(&mut bonds, &x, 0, DVec3::Y * 0.01).expect("not everybody");
        assert!(found.contains(&0) && found.len() < 73, "{what}: {found:?}");
        let found = reached(&mut contact, &x, 3, DVec3::Y * 0.01).expect("not everybody");
        assert!(!found.is_empty() && found.len() < 20, "{what}: {found:?}");
    }
}

/// Bonds that break concern those around them alone.
#[test]
fn what_breaks_concerns_those_near_it() {
    let (_, mut x, mut bonds, _) = blocks(Law::BondBased, false);
    let u = vec![DVec3::ZERO; x.len()];
    let mut out = vec![DVec3::ZERO; x.len()];
    x[0] -= v(0.2, 0.2, 0.2);
    let view = View { time: 0.0, x: &x, v: &u };
    bonds.add_force(&view, &mut out);
    assert!(bonds.as_stateful_mut().expect("it has the capability").begin_step(&view) && !bonds.properties().is_steady);
    let (mut moved, mut reached) = (DirtySet::default(), DirtySet::default());
    [&mut moved, &mut reached].into_iter().for_each(|all| all.clear(x.len()));
    bonds.as_incremental().expect("it has the capability").mark_dirty(&view, &moved, &mut reached);
    assert!(!reached.is_all() && reached.contains(0) && reached.list().len() < 73);
}
