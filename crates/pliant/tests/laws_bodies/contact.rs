//! Laws of contact: actions equal reactions, friction
//! takes energy, an evaluation has no memory, and nothing passes through anything however far it is sent.

use glam::DVec3;
use pliant::core::{Motion, Path, State, System, Turn, View};
use pliant::forces::contact::{Collider, Contact, ContactBody, ContactSettings, Shape};
use pliant_testkit::derivative::force;
use pliant_testkit::invariance::evaluation_bits;
use pliant_testkit::random::Random;

use super::derivatives::Check;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// Two triangles a little apart, turned against each other: vertices over faces, and edges across edges.
fn two_triangles() -> Vec<DVec3> {
    vec![v(0.0, 0.0, 0.0), v(1.0, 0.1, 0.0), v(0.1, 0.0, 1.0), v(0.2, 0.25, 0.3), v(-0.5, 0.3, 0.2), v(0.4, 0.35, -0.6)]
}

/// The sides of the same triangles, but for one each, as two ropes: segments across segments, and ends beside segments.
const ROPE_RADIUS: f64 = 0.05;

fn contact(ropes: bool, friction: f64, colliders: &[Collider]) -> (System, Vec<DVec3>) {
    let x = two_triangles();
    let masses = vec![1.0, 0.5, 2.0, 0.7, 1.1, 0.9];
    let contact_body = |[a, b, c]: [u32; 3]| match ropes {
        false => ContactBody { triangles: vec![[a, b, c]], thickness: 0.6, friction, ..ContactBody::default() },
        true => {
            let segments = vec![[a, b], [b, c]];
            ContactBody { segments, radius: ROPE_RADIUS, thickness: 0.6, friction, ..ContactBody::default() }
        }
    };
    let settings = ContactSettings { speed: 3.0, creep: 0.4 };
    let model = Contact::new(&masses, &x, &[contact_body([0, 1, 2]), contact_body([3, 4, 5])], colliders, settings);
    (System::new(masses, Vec::new(), vec![Box::new(model)], Vec::new()).unwrap(), x)
}

fn colliders() -> Vec<Collider> {
    let turn = Turn {
        centre: v(0.1, 0.0, 0.0),
        axis: v(0.0, 0.6, 0.8),
        angle: Path::Steady { start: DVec3::ZERO, velocity: v(0.7, 0.0, 0.0) },
    };
    let moving = Motion { offset: Path::Steady { start: DVec3::ZERO, velocity: v(0.1, 0.2, 0.0) }, turn: Some(turn) };
    let collider = |shape: Shape, motion: Motion| Collider { name: String::new(), shape, motion, friction: 0.5 };
    let mesh = Shape::mesh(vec![v(-1.0, -0.4, -1.0), v(2.0, -0.3, -0.8), v(0.0, -0.35, 2.0)], vec![[0, 1, 2]]);
    vec![
        collider(Shape::Plane { point: v(0.0, -0.55, 0.0), normal: v(0.0, 0.8, 0.6) }, Motion::default()),
        collider(Shape::sphere(v(0.3, 0.8, 0.1), 0.3), moving.clone()),
        collider(Shape::capsule([v(-1.0, 0.6, 0.3), v(-0.2, 0.9, 0.5)], 0.2), Motion::default()),
        collider(mesh, moving),
    ]
}

/// Every kind of pair at a handful of states, with and without friction.
pub fn for_each_state(check: Check) {
    for (what, ropes, friction, colliders) in [
        ("self, smooth", false, 0.0, Vec::new()),
        ("self, rough", false, 0.6, Vec::new()),
        ("colliders, smooth", false, 0.0, colliders()),
        ("colliders, rough", false, 0.6, colliders()),
        ("self as ropes, smooth", true, 0.0, Vec::new()),
        ("self as ropes, rough", true, 0.6, Vec::new()),
        ("colliders and ropes, smooth", true, 0.0, colliders()),
        ("colliders and ropes, rough", true, 0.6, colliders()),
    ] {
        let (mut system, x) = contact(ropes, friction, &colliders);
        let mut random = Random(41);
        for _ in 0..8 {
            let x = x.iter().zip(random.vectors(x.len())).map(|(x, d)| *x + d * 0.05).collect();
            let state = State { time: 0.05, x, v: random.vectors(6) };
            system.begin_step(&state.view());
            check(what, &mut system, &state);
        }
    }
}

#[test]
fn actions_equal_reactions_and_friction_takes_energy() {
    for_each_state(&mut |what, system, state| {
        let forces = force(system, state);
        if what.starts_with("self") {
            let (sum, total) = forces.iter().fold((DVec3::ZERO, 0.0), |(s, t), f| (s + *f, t + f.length()));
            assert!(sum.length() <= 1e-13 * total, "{what}: pushed by {sum}");
            let moment: DVec3 = forces.iter().zip(&state.x).map(|(f, x)| x.cross(*f)).sum();
            // Friction acts on both surfaces, not half-way between them: its lever is the distance, at most the thickness.
            let lever = if what.ends_with("rough") { 0.6 + 2.0 * ROPE_RADIUS } else { 1e-12 };
            assert!(moment.length() <= lever * total, "{what}: turned by {moment}");
        }
        let power = system.energies().powers_at(state).contact;
        if what.starts_with("self") && what.ends_with("rough") {
            assert!(power < 0.0, "{what}: {power}");
        }
        if what.starts_with("self") && what.ends_with("smooth") {
            assert_eq!(power, 0.0);
        }
    });
}

/// The energy of a moving collider's contact changes by the work of the forces and by what the collider brings in.
#[test]
fn moving_colliders_bring_in_what_the_books_say() {
    for_each_state(&mut |what, system, state| {
        if !what.starts_with("colliders") {
            return;
        }
        let forces = force(system, state);
        let powers = system.energies().powers_at(state);
        assert!(powers.contact <= 0.0, "{what}: friction gives {}", powers.contact);
        let power = powers.contact + powers.colliders;
        let work: f64 = forces.iter().zip(&state.v).map(|(f, v)| f.dot(*v)).sum();
        let mut at = |dt: f64| {
            let x: Vec<DVec3> = state.x.iter().zip(&state.v).map(|(x, v)| *x + *v * dt).collect();
            system.energies().potential(&View { time: state.time + dt, x: &x, v: &state.v })
        };
        let h = 1e-5;
        let rate = (at(h) - at(-h)) / (2.0 * h);
        // dE/dt + (work done on the particles) = what friction took and colliders gave
        let error = rate + work - power;
        assert!(error.abs() < 1e-5 * (1.0 + work.abs() + rate.abs()), "{what}: {rate} + {work} - {power}");
    });
}

#[test]
fn evaluations_have_no_memory() {
    for_each_state(&mut |what, system, state| {
        let before = evaluation_bits(system, state);
        let elsewhere = State { x: state.x.iter().map(|x| *x * 1.3).collect(), ..state.clone() };
        evaluation_bits(system, &elsewhere);
        let far = State { x: state.x.iter().map(|x| *x + v(9.0, 9.0, 9.0)).collect(), ..state.clone() };
        evaluation_bits(system, &far);
        assert_eq!(before, evaluation_bits(system, state), "{what}");
    });
}

/// Whatever way is declared free can be gone without the energy ever becoming infinite.
#[test]
fn the_collision_free_step_is_free() {
    let (mut clear, mut blocked) = (0, 0);
    for_each_state(&mut |what, system, state| {
        let mut random = Random(10);
        for k in 0..40 {
            let reach = 10.0_f64.powi(k % 4 - 2);
            let to: Vec<DVec3> = state.x.iter().zip(random.vectors(state.len())).map(|(x, d)| *x + d * reach).collect();
            let end = View { time: state.time, x: &to, v: &state.v };
            let way = system.contact().collision_free_step(&state.view(), &end);
            if way.is_full() {
                clear += 1
            } else {
                blocked += 1
            }
            for j in 0..=200 {
                let s = way.fraction * f64::from(j) / 200.0;
                let x: Vec<DVec3> = state.x.iter().zip(&to).map(|(a, b)| a.lerp(*b, s)).collect();
                let energy = system.energies().potential(&View { time: state.time, x: &x, v: &state.v });
                assert!(energy.is_finite(), "{what}: infinite at {s} of {}", way.fraction);
            }
        }
    });
    assert!(clear > 100 && blocked > 100, "{clear} clear, {blocked} blocked");
}

#[test]
fn names_and_kinds() {
    let (system, _) = contact(false, 0.3, &[]);
    let model = &system.models()[0];
    assert!(model.properties().is_contact && model.name() == "contact" && model.properties().has_symmetric_jacobian);
    assert!(system.has_contact() && system.depends_on_velocity());
}
