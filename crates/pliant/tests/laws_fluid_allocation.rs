//! Warm steps of a fluid on one thread allocate nothing, though lists of neighbours are made anew again and again.

use glam::DVec3;
use pliant::core::State;
use pliant::forces::Gravity;
use pliant::forces::sph::{Boundaries, Fluid, Sph, SphSettings, lattice_mass};
use pliant::prelude::{ControlKind, ControlSpec, Frames, Simulation, SolverSpec, integrator};
use pliant_testkit::allocation::{Counting, count as allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_dam_that_breaks() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let (spacing, n) = (0.1, 10);
        let at = |i: usize, j: usize, k: usize| DVec3::new(i as f64, j as f64, k as f64) * spacing;
        let x: Vec<DVec3> = (0..n).flat_map(|k| (0..n).flat_map(move |j| (0..n).map(move |i| at(i, j, k)))).collect();
        let count = x.len();
        let settings = SphSettings::new(1.2 * spacing);
        let mass = lattice_mass(&settings.kernel(), spacing, 1000.0);
        let fluid =
            Fluid { artificial_viscosity: 0.1, bulk_viscosity: 0.5, ..Fluid::new(0..count, mass, 1000.0, 40.0) };
        let inside = [DVec3::splat(-0.5 * spacing), DVec3::new(3.0, 2.0, 1.0)];
        let model = Sph::new(count, vec![fluid], &Boundaries::container(inside, false, spacing), settings).unwrap();
        let masses = vec![mass; x.len()];
        let gravity = Gravity::new(DVec3::NEG_Y * 9.81, masses.clone(), std::iter::once(0..count).collect());
        let models: Vec<Box<dyn pliant::core::ForceModel>> = vec![Box::new(gravity), Box::new(model)];
        let system = pliant::core::System::new(masses, Vec::new(), models, Vec::new()).unwrap();
        let mut state = State::at_rest(x);
        state.v.fill(DVec3::new(3.0, 0.0, 0.0));
        let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(1e-3), ..ControlSpec::default() };
        let (entry, frames) = (integrator("symplectic-euler").unwrap(), Frames { fps: 1.0, until: 100.0 });
        let before = allocations();
        let mut simulation = Simulation::new(system, state, entry, &SolverSpec::default(), &control, frames).unwrap();
        // twelve lists: each lasts for 0.15 h at 3 mm a step
        for _ in 0..80 {
            simulation.step().unwrap();
        }
        assert!(allocations() > before, "the counter counts");
        let before = allocations();
        for _ in 0..80 {
            simulation.step().unwrap();
        }
        assert_eq!(allocations() - before, 0);
    });
}
