//! A warm factor and solve on one thread allocates nothing.
#![allow(unsafe_code)] // a global allocator cannot be written without

mod common;

use common::*;
use glam::DVec3;
use pliant_linalg::{BlockCsr, PRECONDITIONERS, SOLVERS};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of one refactorisation and solve, after two to warm up.
fn when_warm(name: &str, preconditioner: &str, a: &mut BlockCsr) -> usize {
    on_threads(1, || {
        let b = Random(12).vectors(a.rows());
        let mut x = vec![DVec3::ZERO; a.rows()];
        let mut solver = pliant_linalg::solver(name, preconditioner).unwrap();
        solver.analyze(&a.pattern).unwrap();
        let mut count = 0;
        for _ in 0..3 {
            for i in 0..a.rows() {
                *block(a, i, i) *= 1.01;
            }
            let before = COUNT.with(Cell::get);
            solver.factor(a).unwrap();
            solver.solve(a, &b, &mut x, 1e-12).unwrap();
            count = COUNT.with(Cell::get) - before;
        }
        count
    })
}

#[test]
fn warm_solves_allocate_nothing() {
    // One block, a dense system, simplicial and supernodal factors.
    for (width, height) in [(1, 1), (3, 3), (60, 1), (12, 12), (50, 50)] {
        for solver in SOLVERS {
            if solver.name == "lu" && width * height > 32 {
                continue;
            }
            let choices = if solver.preconditioned { PRECONDITIONERS } else { &PRECONDITIONERS[..1] };
            for preconditioner in choices {
                let mut a = sheet(width, height, 2.0);
                let count = when_warm(solver.name, preconditioner.name, &mut a);
                assert_eq!(count, 0, "{} with {}, {width} x {height}", solver.name, preconditioner.name);
            }
        }
    }
}
