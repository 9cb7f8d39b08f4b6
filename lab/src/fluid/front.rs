//! The front of a fluid. Spray that flies ahead is no front: what counts is the largest connected set of particles, and
//! of that the part on the floor.

use pliant::prelude::DVec3;
use pliant_geom::CellGrid;

/// Particles nearer than this many spacings are connected.
pub const LINK: f64 = 1.5;

/// The foremost place along x, m, of the connected fluid below a height; `None` where there is none.
pub fn front(x: &[DVec3], spacing: f64, below: f64) -> Option<f64> {
    let body = largest_cluster(x, LINK * spacing);
    let low = body.into_iter().map(|k| x[k]).filter(|x| x.y < below);
    // a particle stands for the water half a spacing around it
    low.map(|x| x.x + 0.5 * spacing).reduce(f64::max)
}

/// The largest set of points that are connected by links of at most `link`; the first of equal ones.
pub fn largest_cluster(x: &[DVec3], link: f64) -> Vec<usize> {
    let mut grid = CellGrid::new(link, [None; 3]);
    let members: Vec<u32> = (0..x.len() as u32).collect();
    grid.sort(x, &members);
    let (mut seen, mut best) = (vec![false; x.len()], Vec::new());
    for first in 0..x.len() {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut cluster = vec![first];
        let mut at = 0;
        while let Some(&k) = cluster.get(at) {
            at += 1;
            let Some(cell) = grid.cell(x[k]) else { continue };
            grid.for_each_run(cell, |run| {
                for other in grid.order()[run].iter().map(|&j| j as usize) {
                    if !seen[other] && x[other].distance_squared(x[k]) <= link * link {
                        seen[other] = true;
                        cluster.push(other);
                    }
                }
            });
        }
        if cluster.len() > best.len() {
            best = cluster;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spray_is_no_front() {
        let row = |n: usize, from: f64, y: f64| (0..n).map(move |k| DVec3::new(from + 0.1 * k as f64, y, 0.0));
        // eight on the floor, a stack above its third that leans farther, five drops ahead
        let mut x: Vec<DVec3> = row(8, 0.0, 0.05).collect();
        x.extend((1..4).map(|k| DVec3::new(0.2, 0.05 + 0.1 * f64::from(k), 0.0)));
        x.extend(row(7, 0.3, 0.35));
        x.extend(row(5, 1.2, 0.05));
        assert_eq!(largest_cluster(&x, 0.15).len(), 18);
        assert!((front(&x, 0.1, 0.2).unwrap() - 0.75).abs() < 1e-12);
        assert!((front(&x, 0.1, 1.0).unwrap() - 0.95).abs() < 1e-12);
        assert_eq!(front(&x, 0.1, 0.0), None);
        assert_eq!(front(&[], 0.1, 1.0), None);
        // a point that is not finite is connected with nothing
        x.push(DVec3::NAN);
        assert_eq!(largest_cluster(&x, 0.15).len(), 18);
    }
}
