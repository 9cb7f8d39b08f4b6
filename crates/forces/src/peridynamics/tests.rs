//! Tests of lattice sums, surface correction, breaking and memory.

use glam::{DMat3, DVec3};
use pliant_core::{ForceModel, Stateful, View};

use super::crack::Crack;
use super::examples::{SOFT, block};
use super::lattice::{Calibration, sums};
use super::model::{Breaking, Peridynamics};
use super::settings::{Brittle, BrittleError, GrainBody, Law, Space};
use crate::vector::NARROW;

const SPACING: f64 = 0.1;

fn model(cells: [usize; 3], body: impl Fn(GrainBody) -> GrainBody) -> (Vec<DVec3>, Peridynamics) {
    let rest = block(cells, SPACING);
    let body = body(GrainBody::new(0..rest.len(), SPACING, SOFT));
    let model = Peridynamics::new(vec![body], &rest, Breaking::default()).expect("a body");
    (rest, model)
}

fn view(x: &[DVec3]) -> View<'_> {
    View { time: 0.0, x, v: x }
}

fn shaken(rest: &[DVec3], size: f64) -> Vec<DVec3> {
    let shake = |k: usize| DVec3::new(1.0, 2.0, 3.0).map(|n| (n * 12.9898 * (k + 1) as f64).sin());
    rest.iter().enumerate().map(|(k, x)| *x + shake(k) * size).collect()
}

#[test]
fn lattices_are_those_of_the_literature() {
    for (horizon, bonds) in [(2.015, 32), (3.015, 122), (4.015, 256)] {
        assert_eq!(sums(horizon, 1.0, Space::Three).bonds, bonds);
    }
    assert_eq!(sums(3.015, 1.0, Space::PlaneStress { thickness: 1.0 }).bonds, 28);
    // with many particles in the horizon sums become integrals, but for particles just beyond it, of which a part is within: 1/40 here
    let fine = sums(20.0, 1.0, Space::Three);
    assert!((fine.length / (std::f64::consts::PI * 20.0_f64.powi(4)) - 1.0).abs() < 0.03);
    let body = GrainBody { horizon: 20.0 * SPACING, ..GrainBody::new(0..1, SPACING, SOFT) };
    let wanted = (5.0 * SOFT.release / (9.0 * SOFT.bulk() * body.horizon)).sqrt();
    assert!((Calibration::of(&body).critical_stretch / wanted - 1.0).abs() < 0.03);
    let plane = GrainBody { space: Space::PlaneStress { thickness: 1.0 }, ..body.clone() };
    let wanted = (4.0 * std::f64::consts::PI * SOFT.release / (9.0 * SOFT.young * body.horizon)).sqrt();
    assert!((Calibration::of(&plane).critical_stretch / wanted - 1.0).abs() < 0.03);
    let plane = GrainBody { space: Space::PlaneStrain { thickness: 1.0 }, ..body.clone() };
    let wanted = (5.0 * std::f64::consts::PI * SOFT.release / (12.0 * SOFT.young * body.horizon)).sqrt();
    assert!((Calibration::of(&plane).critical_stretch / wanted - 1.0).abs() < 0.03);
}

#[test]
fn a_particle_inside_has_the_energy_of_the_material() {
    // energy of a whole body in isotropic strain, without the surface deficit: from a particle in the middle
    for horizon in [2.015, 3.015, 4.015] {
        let (rest, mut model) =
            model([9, 9, 9], |b| GrainBody { horizon: horizon * SPACING, surface_correction: false, ..b });
        let strain = 1e-4;
        let x: Vec<DVec3> = rest.iter().map(|x| *x * (1.0 + strain)).collect();
        model.energy(&view(&x));
        let middle = 4 * 81 + 4 * 9 + 4;
        let density = model.pulled[middle / super::pass::BLOCK].out[middle % super::pass::BLOCK].0[3] / SPACING.powi(3);
        let wanted = 4.5 * SOFT.bulk() * strain * strain;
        assert!((density / wanted - 1.0).abs() < 1e-9, "{horizon}: {density} of {wanted}");
    }
}

#[test]
fn a_straight_cut_takes_what_the_material_asks_for() {
    for horizon in [2.015, 3.015, 4.015] {
        let (rest, model) =
            model([10, 12, 12], |b| GrainBody { horizon: horizon * SPACING, surface_correction: false, ..b });
        // bonds across the middle of a wide block, in a part of it far from all edges
        let part = 4.0 * SPACING;
        // its outline touches no bond
        let corner = DVec3::new(4.5, 3.27, 3.27) * SPACING;
        let crack = Crack { corner, sides: [DVec3::Y * part, DVec3::Z * part] };
        let release = model.energy_to_cut(&crack, &rest) / (part * part);
        assert!((release / SOFT.release - 1.0).abs() < 0.05, "{horizon}: {release} of {}", SOFT.release);
    }
}

#[test]
fn both_ends_pull_alike_and_wide_registers_give_the_same_bits() {
    for law in [Law::BondBased, Law::StateBased] {
        let poisson = if law == Law::StateBased { 0.4 } else { 0.25 };
        let (rest, mut model) = model([7, 6, 5], |b| GrainBody { law, material: Brittle { poisson, ..SOFT }, ..b });
        let x = shaken(&rest, 0.03 * SPACING);
        model.begin_step(&view(&x));
        assert!(model.broken() > 0);
        let mut force = vec![DVec3::ZERO; x.len()];
        model.add_force(&view(&x), &mut force);
        let sum: DVec3 = force.iter().sum();
        let turning: DVec3 = force.iter().zip(&x).map(|(f, x)| x.cross(*f)).sum();
        let size: f64 = force.iter().map(|f| f.length()).sum();
        assert!(sum.length() < 1e-12 * size && turning.length() < 1e-12 * size, "{sum} {turning} {size}");
        NARROW.set(true);
        model.changed();
        let mut narrow = vec![DVec3::ZERO; x.len()];
        model.add_force(&view(&x), &mut narrow);
        NARROW.set(false);
        assert_eq!(force, narrow);
    }
}

#[test]
fn state_based_bodies_have_both_moduli() {
    for poisson in [0.1, 0.25, 0.4] {
        let material = Brittle { poisson, ..SOFT };
        let (rest, mut model) = model([11, 11, 11], |b| GrainBody {
            law: Law::StateBased,
            material,
            horizon: 4.015 * SPACING,
            surface_correction: false,
            ..b
        });
        let strain = 1e-4;
        let middle = 5 * 121 + 5 * 11 + 5;
        let mut density = |deformation: DMat3| {
            let x: Vec<DVec3> = rest.iter().map(|x| deformation * *x).collect();
            model.energy(&view(&x));
            let block = &model.pulled[middle / super::pass::BLOCK];
            let bonds = block.out[middle % super::pass::BLOCK].0[3] / SPACING.powi(3);
            let p = model.places[middle].0[3];
            // p = (3/m)(K - 5/3 μ) θ
            let beside = material.bulk() - 5.0 / 3.0 * material.shear();
            let moment = sums(4.015 * SPACING, SPACING, Space::Three).length * SPACING.powi(3);
            let theta = if beside.abs() > 1e-6 { p * moment / (3.0 * beside) } else { 0.0 };
            bonds + 0.5 * beside * theta * theta
        };
        let grown = density(DMat3::IDENTITY * (1.0 + strain));
        let wanted = 4.5 * material.bulk() * strain * strain;
        assert!((grown / wanted - 1.0).abs() < 1e-3, "{poisson}: {grown} of {wanted}");
        let half = 0.5 * strain;
        let sheared = density(DMat3::from_cols(DVec3::new(1.0, half, 0.0), DVec3::new(half, 1.0, 0.0), DVec3::Z));
        let wanted = 0.5 * material.shear() * strain * strain;
        // the lattice is not isotropic: a few per cent
        assert!((sheared / wanted - 1.0).abs() < 0.05, "{poisson}: shear {sheared} of {wanted}");
    }
}

#[test]
fn forces_of_state_based_bodies_are_those_of_their_energy() {
    let material = Brittle { poisson: 0.4, release: f64::INFINITY, ..SOFT };
    let (rest, mut model) = model([4, 4, 3], |b| GrainBody { law: Law::StateBased, material, ..b });
    let x = shaken(&rest, 0.05 * SPACING);
    let mut force = vec![DVec3::ZERO; x.len()];
    model.add_force(&view(&x), &mut force);
    let h = 1e-6 * SPACING;
    let largest = force.iter().map(|f| f.length()).fold(0.0, f64::max);
    for k in (0..x.len()).step_by(5) {
        for axis in 0..3 {
            let mut energy = |step: f64| {
                let mut moved = x.clone();
                moved[k][axis] += step;
                model.energy(&view(&moved)).expect("it has one")
            };
            let slope = (energy(h) - energy(-h)) / (2.0 * h);
            assert!((slope + force[k][axis]).abs() < 1e-6 * largest, "{k}: {slope} {}", force[k][axis]);
        }
    }
}

#[test]
fn the_surface_is_as_stiff_as_the_inside() {
    // energy of a free block under a strain along x, of that of the material
    let of = |surface_correction: bool| {
        let (rest, mut model) = model([12, 8, 8], |b| GrainBody { surface_correction, ..b });
        let strain = 1e-4;
        let x: Vec<DVec3> = rest.iter().map(|x| *x + DVec3::X * (x.x * strain)).collect();
        let energy = model.energy(&view(&x)).expect("it has one");
        let (bulk, shear) = (SOFT.bulk(), SOFT.shear());
        let wanted = 0.5 * (bulk + 4.0 / 3.0 * shear) * strain * strain * SPACING.powi(3) * rest.len() as f64;
        energy / wanted
    };
    let (plain, corrected) = (of(false), of(true));
    assert!(plain < 0.85 && (corrected - 1.0).abs() < 0.05, "{plain} {corrected}");
}

#[test]
fn what_broke_is_remembered_and_forgotten() {
    let (rest, mut model) = model([6, 5, 4], |b| b);
    let x = shaken(&rest, 0.04 * SPACING);
    let before = model.energy(&view(&x)).expect("it has one");
    assert!(model.begin_step(&view(&x)) && model.max_next_step().is_finite());
    let after = model.energy(&view(&x)).expect("it has one");
    assert!((before - after - model.released_energy()).abs() < 1e-12 * before);
    assert!(!model.begin_step(&view(&x)) && model.max_next_step() == f64::INFINITY);
    let mut force = vec![DVec3::ZERO; x.len()];
    model.add_force(&view(&x), &mut force);
    let memory = model.memory();

    let (_, mut other) = self::model([6, 5, 4], |b| b);
    let mut longer = memory.clone();
    longer.push(7.0);
    assert_eq!(other.restore(&longer), memory.len());
    assert_eq!(other.restore(&memory[..memory.len() - 1]), 0);
    let mut again = vec![DVec3::ZERO; x.len()];
    other.add_force(&view(&x), &mut again);
    assert_eq!(force, again);
    assert_eq!(
        (other.broken(), other.released_energy(), other.damage()),
        (model.broken(), model.released_energy(), model.damage())
    );

    model.reset();
    assert_eq!((model.broken(), model.energy(&view(&x))), (0, Some(before)));
}

#[test]
fn cracks_cut_and_pieces_are_counted() {
    let middle = DVec3::new(2.5, -1.0, -1.0) * SPACING;
    let crack = Crack { corner: middle, sides: [DVec3::Y * 2.0, DVec3::Z * 2.0] };
    let (rest, mut model) = model([6, 4, 4], |b| GrainBody { cracks: vec![crack], ..b });
    assert_eq!(model.fragments().count, 2);
    let damage = model.damage();
    assert!(damage[0] > 0.0 && damage.iter().all(|d| (0.0..1.0).contains(d)));
    let masses = vec![1.0; rest.len()];
    let all = model.fragments().all(&masses, &rest, &rest);
    assert!(all.iter().all(|one| one.particles == 48 && one.mass == 48.0));
    // halves that are pressed together repel, though no bond joins them
    let x: Vec<DVec3> = rest.iter().map(|x| *x - DVec3::X * if x.x > middle.x { 0.2 * SPACING } else { 0.0 }).collect();
    let mut force = vec![DVec3::ZERO; x.len()];
    model.add_force(&view(&x), &mut force);
    let right: f64 = force.iter().zip(&rest).filter(|(_, x)| x.x > middle.x).map(|(f, _)| f.x).sum();
    assert!(right > 0.0);
}

#[test]
fn bodies_that_make_no_sense_are_refused() {
    let rest = block([3, 3, 3], SPACING);
    let good = GrainBody::new(0..27, SPACING, SOFT);
    let refused =
        |body: GrainBody| Peridynamics::new(vec![body], &rest, Breaking::default()).err().expect("must be refused");
    let with = |material: Brittle| refused(GrainBody { material, ..good.clone() });
    assert!(matches!(with(Brittle { poisson: 0.3, ..SOFT }), BrittleError::Poisson { .. }));
    assert!(matches!(with(Brittle { release: 0.0, ..SOFT }), BrittleError::OutOfRange { .. }));
    assert!(matches!(with(Brittle { young: f64::NAN, ..SOFT }), BrittleError::OutOfRange { .. }));
    assert!(matches!(with(Brittle { toughening: -1.0, ..SOFT }), BrittleError::OutOfRange { .. }));
    let short = GrainBody { horizon: 0.5 * SPACING, ..good.clone() };
    assert!(matches!(refused(short), BrittleError::ShortHorizon { .. }));
    let far = GrainBody { spacing: 0.01, horizon: 0.03, ..good.clone() };
    assert!(matches!(refused(far), BrittleError::Lonely { count: 27, .. }));
    let beyond = GrainBody { particles: 0..28, ..good.clone() };
    assert!(matches!(refused(beyond), BrittleError::NotInOrder { .. }));
    let plane = Space::PlaneStrain { thickness: 0.1 };
    assert!(matches!(refused(GrainBody { space: plane, ..good.clone() }), BrittleError::NotFlat { .. }));
    let flat = GrainBody { space: plane, law: Law::StateBased, ..good };
    assert!(matches!(refused(flat), BrittleError::FlatStates));
}
