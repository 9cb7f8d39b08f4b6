//! Postprocessing of triangles: a canonical order, smoothing, normals.

use glam::DVec3;

/// A step of smoothing moves a vertex by this fraction towards the mean of its neighbours,
const SHRINK: f64 = 0.5;
/// and the next one back by this fraction, which is a little larger: dents vanish, the volume stays.
const GROW: f64 = -0.53;

/// Sorts vertices by position and triangles by their corners. Vertices at the same place are merged, and triangles with fewer than
/// three distinct corners are removed.
pub fn sorted(points: &[DVec3], triangles: &[[usize; 3]]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let order = |a: &DVec3, b: &DVec3| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z));
    let mut numbers: Vec<usize> = (0..points.len()).collect();
    numbers.sort_unstable_by(|a, b| order(&points[*a], &points[*b]));
    let (mut places, mut renamed) = (Vec::<DVec3>::new(), vec![0_u32; points.len()]);
    for number in numbers {
        if places.last() != Some(&points[number]) {
            places.push(points[number]);
        }
        renamed[number] = places.len() as u32 - 1;
    }
    let turned = |corners: &[usize; 3]| {
        let [a, b, c] = corners.map(|corner| renamed[corner]);
        if a <= b && a <= c {
            [a, b, c]
        } else if b <= c {
            [b, c, a]
        } else {
            [c, a, b]
        }
    };
    let mut triangles: Vec<[u32; 3]> =
        triangles.iter().map(turned).filter(|[a, b, c]| a != b && b != c && c != a).collect();
    triangles.sort_unstable();
    (places, triangles)
}

/// Moves every vertex of a closed surface towards the mean of its neighbours and back, a given number of times.
pub fn smooth(points: &mut [DVec3], triangles: &[[u32; 3]], times: u32) {
    let mut sums = vec![(DVec3::ZERO, 0.0); points.len()];
    for part in [SHRINK, GROW].into_iter().cycle().take(2 * times as usize) {
        sums.fill((DVec3::ZERO, 0.0));
        for [a, b, c] in triangles.iter().map(|corners| corners.map(|corner| corner as usize)) {
            // every side of a closed surface is visited once in each direction
            for (from, to) in [(a, b), (b, c), (c, a)] {
                sums[from].0 += points[to];
                sums[from].1 += 1.0;
            }
        }
        for (point, (sum, count)) in points.iter_mut().zip(&sums).filter(|(_, (_, count))| *count > 0.0) {
            *point += (*sum / *count - *point) * part;
        }
    }
}

/// Normals at the vertices: those of the triangles there, weighted by area.
pub fn normals(points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; points.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| points[corner as usize]);
        let twice_area = (b - a).cross(c - a);
        corners.iter().for_each(|corner| normals[*corner as usize] += twice_area);
    }
    normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    normals
}
