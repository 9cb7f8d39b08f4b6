//! Plain arrays and AVX2 give the same bits: in all results of a fluid, on clouds of particles at random positions, two of them coincident, one far
//! from all others, and some at walls.

use glam::DVec3;
use pliant_core::{ForceModel, PressureProjection, Rates, State, Stateful};
use pliant_testkit::random::Random;

use super::{Boundaries, Fluid, Incompressible, KernelKind, Sph, SphSettings, lattice_mass};
use crate::vector::NARROW;

/// Not a multiple of a block or of a vector width.
const COUNT: usize = 797;
const SPACING: f64 = 0.1;
/// The cloud's edge, m: as dense as water, in the mean.
const EDGE: f64 = 0.95;

/// Variants of the fluid.
#[derive(Clone, Copy, Debug)]
struct Kind {
    kernel: KernelKind,
    is_periodic: bool,
    is_viscous: bool,
    is_cohesive: bool,
    is_incompressible: bool,
}

fn kinds() -> impl Iterator<Item = Kind> {
    let kernels = [KernelKind::CubicSpline, KernelKind::WendlandC2];
    kernels.into_iter().flat_map(|kernel| {
        (0..16).map(move |bits| Kind {
            kernel,
            is_periodic: bits & 1 > 0,
            is_viscous: bits & 2 > 0,
            is_cohesive: bits & 4 > 0,
            is_incompressible: bits & 8 > 0,
        })
    })
}

fn cloud() -> State {
    let mut random = Random(7);
    let mut x: Vec<DVec3> = (0..COUNT).map(|_| (random.vector() + 1.0) * (0.5 * EDGE)).collect();
    x[11] = x[10];
    x[12] = DVec3::new(0.4, 1.7, 0.4);
    let v = (0..COUNT).map(|_| random.vector()).collect();
    State { v, ..State::at_rest(x) }
}

fn model(kind: Kind) -> Sph {
    let mut settings = SphSettings { kernel: kind.kernel, ..SphSettings::new(1.25 * SPACING) };
    if kind.is_periodic {
        settings.periods = [Some(EDGE), None, Some(EDGE)];
    }
    if kind.is_incompressible {
        // a residual that such a cloud reaches within some iterations
        settings.incompressible = Some(Incompressible { density_error: 0.1, most_iterations: 400 });
    }
    let mass = lattice_mass(&settings.kernel(), SPACING, 1000.0);
    let mut fluid = Fluid::new(0..COUNT, mass, 1000.0, 30.0);
    if kind.is_viscous {
        (fluid.artificial_viscosity, fluid.kinematic_viscosity, fluid.bulk_viscosity) = (0.1, 0.01, 0.3);
    }
    if kind.is_cohesive {
        fluid.cohesion = 40.0;
    }
    // the walls of x and z are outside the periods
    let out = if kind.is_periodic { 10.0 } else { 0.0 };
    let inside = [DVec3::new(-out, 0.0, -out), DVec3::new(EDGE + out, EDGE, EDGE + out)];
    Sph::new(COUNT, vec![fluid], &Boundaries::container(inside, false, SPACING), settings).unwrap()
}

/// Names and bits of all results of the loops over neighbours.
fn bits(kind: Kind, narrow: bool) -> Vec<(&'static str, Vec<u64>)> {
    NARROW.set(narrow);
    let (mut model, state) = (model(kind), cloud());
    let view = state.view();
    model.begin_step(&view);
    let lists = model.persistent.blocks.iter().flat_map(|block| (0..super::lanes::BLOCK).flat_map(|at| block.of(at)));
    let lists = lists.flatten().map(|&neighbour| u64::from(neighbour)).collect();
    let mut densities = vec![0.0; COUNT];
    model.write_densities(&view, &mut densities);
    let mut forces = vec![DVec3::ZERO; COUNT];
    model.add_force(&view, &mut forces);
    let mut rates = vec![Rates::default(); COUNT];
    model.add_rates(&view, &[true; COUNT], &mut rates);
    let mut v: Vec<DVec3> = state.v.iter().map(|v| *v - DVec3::Y * 0.05).collect();
    let projection_energy = model.project_velocities(&view, 1e-3, &vec![1.0 / model.fluids()[0].mass; COUNT], &mut v);
    // both solves made at least one iteration
    assert!(
        !kind.is_incompressible || projection_energy.as_ref().is_ok_and(|iterations| *iterations > 1),
        "{projection_energy:?}"
    );
    NARROW.set(false);
    let flat = |all: &[DVec3]| all.iter().flat_map(|v| v.to_array()).map(f64::to_bits).collect();
    let of_rates = rates.iter().flat_map(|rates| [rates.stiffness, rates.damping]).map(f64::to_bits).collect();
    vec![
        ("lists", lists),
        ("densities", densities.into_iter().map(f64::to_bits).collect()),
        ("forces", flat(&forces)),
        ("rates", of_rates),
        ("velocities", flat(&v)),
    ]
}

#[test]
fn arrays_and_registers_give_the_same_bits() {
    #[cfg(target_arch = "x86_64")]
    let is_wide = pulp::x86::V3::try_new().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    let is_wide = false;
    if !is_wide {
        println!("this machine has no AVX2: nothing to compare");
        return;
    }
    // on one thread, so that its choice of vector width applies to all of the work
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for kind in kinds() {
            for ((name, plain), (_, wide)) in bits(kind, true).into_iter().zip(bits(kind, false)) {
                assert_eq!(plain.len(), wide.len(), "{name} of {kind:?}");
                let differ = plain.iter().zip(&wide).filter(|(a, b)| a != b).count();
                assert_eq!(differ, 0, "{differ} of {} {name} of {kind:?}", plain.len());
                // without sound there may be no force at all
                let means_something = !kind.is_incompressible || !["forces", "rates"].contains(&name);
                assert!(!means_something || wide.iter().any(|bits| *bits != wide[0]), "{name} of {kind:?}");
            }
        }
    });
}
