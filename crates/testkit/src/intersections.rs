//! An independent checker of contact: counts triangles that intersect and points inside solids, without a tree and
//! without a line of code shared with the detector.

use glam::DVec3;

/// Whether the segment from `p` to `q` passes through the inside of a triangle.
fn cuts(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let volume = |u: DVec3, v: DVec3, w: DVec3, x: DVec3| (v - u).cross(w - u).dot(x - u);
    let (side_p, side_q) = (volume(a, b, c, p), volume(a, b, c, q));
    if side_p * side_q >= 0.0 {
        return false;
    }
    // On opposite sides: the line passes inside if it turns the same way round all three edges.
    let (x, y, z) = (volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a));
    (x > 0.0 && y > 0.0 && z > 0.0) || (x < 0.0 && y < 0.0 && z < 0.0)
}

fn cut_each_other(s: [DVec3; 3], t: [DVec3; 3]) -> bool {
    (0..3).any(|k| cuts(s[k], s[(k + 1) % 3], t) || cuts(t[k], t[(k + 1) % 3], s))
}

/// Pairs of triangles without a common corner that intersect. Tests every pair whose boxes overlap along the first axis.
pub fn intersecting_pairs(x: &[DVec3], triangles: &[[u32; 3]]) -> Vec<[usize; 2]> {
    let corners: Vec<[DVec3; 3]> = triangles.iter().map(|t| t.map(|c| x[c as usize])).collect();
    let bounds: Vec<(DVec3, DVec3)> = corners.iter().map(|[a, b, c]| (a.min(*b).min(*c), a.max(*b).max(*c))).collect();
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|i, j| bounds[*i].0.x.total_cmp(&bounds[*j].0.x));
    let mut found = Vec::new();
    for (k, &i) in order.iter().enumerate() {
        let (low, high) = bounds[i];
        for &j in order[k + 1..].iter().take_while(|j| bounds[**j].0.x <= high.x) {
            let apart = low.cmpgt(bounds[j].1).any() || bounds[j].0.cmpgt(high).any();
            if apart || triangles[i].iter().any(|corner| triangles[j].contains(corner)) {
                continue;
            }
            if cut_each_other(corners[i], corners[j]) {
                found.push([i.min(j), i.max(j)]);
            }
        }
    }
    found.sort_unstable();
    found
}

/// Pairs of triangles of two surfaces that intersect.
pub fn cutting_pairs(x: &[DVec3], triangles: &[[u32; 3]], y: &[DVec3], others: &[[u32; 3]]) -> usize {
    let solid: Vec<[DVec3; 3]> = others.iter().map(|t| t.map(|c| y[c as usize])).collect();
    triangles
        .iter()
        .map(|t| t.map(|c| x[c as usize]))
        .map(|t| solid.iter().filter(|s| cut_each_other(t, **s)).count())
        .sum()
}

/// Whether a point is inside a closed surface: the solid angle of all its triangles is 4π inside and 0 outside.
pub fn is_inside(point: DVec3, y: &[DVec3], triangles: &[[u32; 3]]) -> bool {
    let angle: f64 = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|corner| y[corner as usize] - point);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * a.cross(b).dot(c).atan2(below)
        })
        .sum();
    angle.abs() > std::f64::consts::TAU
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_crossed_sheets_cut_each_other_and_two_parallel_ones_do_not() {
        let v = DVec3::new;
        let sheet = |height: f64| [v(0.0, height, 0.0), v(1.0, height, 0.0), v(0.0, height, 1.0)];
        let upright = [v(0.2, -0.5, 0.2), v(0.3, 0.5, 0.2), v(0.2, 0.5, 0.3)];
        let x: Vec<DVec3> = sheet(0.0).into_iter().chain(sheet(0.1)).chain(upright).collect();
        assert_eq!(intersecting_pairs(&x, &[[0, 1, 2], [3, 4, 5]]), Vec::<[usize; 2]>::new());
        assert_eq!(intersecting_pairs(&x, &[[0, 1, 2], [3, 4, 5], [6, 7, 8]]), [[0, 2], [1, 2]]);
        assert_eq!(intersecting_pairs(&x, &[[0, 1, 2], [0, 7, 8]]).len(), 0, "neighbours may touch");
        assert_eq!(cutting_pairs(&x, &[[0, 1, 2], [3, 4, 5]], &x, &[[6, 7, 8]]), 2);
    }

    #[test]
    fn inside_and_outside_of_a_tetrahedron() {
        let v = DVec3::new;
        let y = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(0.0, 0.0, 1.0)];
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        assert!(is_inside(v(0.1, 0.1, 0.1), &y, &faces));
        assert!(!is_inside(v(0.5, 0.5, 0.5), &y, &faces));
        assert!(!is_inside(v(-0.01, 0.1, 0.1), &y, &faces));
    }
}
