//! Warm steps of a fluid on one thread allocate nothing, though lists of neighbours are made anew again and again.
#![allow(unsafe_code)] // a global allocator cannot be written without

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use glam::DVec3;
use pliant::core::State;
use pliant::forces::Gravity;
use pliant::forces::sph::{Boundaries, Fluid, Sph, SphSettings, lattice_mass};
use pliant::prelude::{ControlKind, ControlSpec, Frames, Simulation, SolverSpec, integrator};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count_now() -> u64 {
    COUNT.with(Cell::get)
}

// SAFETY: every call is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.realloc(at, layout, size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

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
        let fluid = Fluid { artificial_viscosity: 0.1, ..Fluid::new(0..count, mass, 1000.0, 40.0) };
        let inside = [DVec3::splat(-0.5 * spacing), DVec3::new(3.0, 2.0, 1.0)];
        let model = Sph::new(count, vec![fluid], &Boundaries::container(inside, false, spacing), settings).unwrap();
        let masses = vec![mass; x.len()];
        let gravity = Gravity::new(DVec3::NEG_Y * 9.81, masses.clone(), std::iter::once(0..count).collect());
        let models: Vec<Box<dyn pliant::core::ForceModel>> = vec![Box::new(gravity), Box::new(model)];
        let system = pliant::core::System::new(masses, Vec::new(), models, Vec::new()).unwrap();
        let mut state = State::at_rest(x);
        state.v.fill(DVec3::new(3.0, 0.0, 0.0));
        let control = ControlSpec { kind: ControlKind::Fixed, dt: Some(1e-3), ..ControlSpec::default() };
        let (entry, frames) = (integrator("symplectic-euler").unwrap(), Frames { fps: 1.0, until: 100.0 });
        let before = count_now();
        let mut simulation = Simulation::new(system, state, entry, &SolverSpec::default(), &control, frames).unwrap();
        // twelve lists: each lasts for 0.15 h at 3 mm a step
        for _ in 0..80 {
            simulation.step().unwrap();
        }
        assert!(count_now() > before, "the counter counts");
        let before = count_now();
        for _ in 0..80 {
            simulation.step().unwrap();
        }
        assert_eq!(count_now() - before, 0);
    });
}
