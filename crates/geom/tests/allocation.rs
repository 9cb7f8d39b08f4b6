//! A warm refit and query on one thread allocates nothing.

use glam::DVec3;
use pliant_geom::shapes::Sheet;
use pliant_geom::{Aabb, Bvh, Pairs, share_vertex};
use pliant_testkit::allocation::{Counting, count as allocations};

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
            let before = allocations();
            tree.refit(1e-3, |i| Aabb::swept(&triangles[i], x, x));
            let apart = |i: u32, j: u32| !share_vertex(&triangles[i as usize], &triangles[j as usize]);
            tree.self_pairs(apart, &mut own);
            tree.pairs_with(&points, |_, _| true, &mut with);
            count = allocations() - before;
        }
        (count, own.as_slice().len())
    });
    assert!(found > 1000);
    assert_eq!(count, 0);
}
