//! A warm refit and query on one thread allocates nothing.
#![allow(unsafe_code)] // a global allocator cannot be written without

use glam::DVec3;
use pliant_geom::shapes::Sheet;
use pliant_geom::{Aabb, Bvh, Pairs, share_vertex};
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

#[test]
fn warm_queries_allocate_nothing() {
    let sheet = Sheet::new(60, 60, 1.0, 1.0).mesh().unwrap();
    let (x, triangles) = (&sheet.points, &sheet.triangles);
    let centres: Vec<DVec3> = triangles.iter().map(|t| Aabb::swept(t, x, x).centre()).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (count, found) = pool.install(|| {
        let (mut tree, points) = (Bvh::new(&centres), Bvh::new(x));
        let (mut own, mut with) = (Pairs::new(), Pairs::new());
        let mut count = 0;
        for _ in 0..3 {
            let before = COUNT.with(Cell::get);
            tree.refit(1e-3, |i| Aabb::swept(&triangles[i], x, x));
            let apart = |i: u32, j: u32| !share_vertex(&triangles[i as usize], &triangles[j as usize]);
            tree.self_pairs(apart, &mut own);
            tree.pairs_with(&points, |_, _| true, &mut with);
            count = COUNT.with(Cell::get) - before;
        }
        (count, own.as_slice().len())
    });
    assert!(found > 1000);
    assert_eq!(count, 0);
}
