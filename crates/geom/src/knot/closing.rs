//! Closing an open curve. An open curve has no knot type; closed far outside it has one: that of a rope held by its ends.

use glam::DVec3;

/// How far out the ends are joined, in radii of the curve about its middle.
const FAR: f64 = 4.0;
/// Straight pieces of the arc outside.
const PIECES: usize = 8;

/// The points of an open curve with those of a path around the outside from its end to its start: from each end straight away from the
/// middle of its bounding box, then along an arc. Which arc makes no difference: outside there is nothing to be knotted with. What does is
/// the path outwards from each end, which is free where the ends are the outermost parts, as those of a rope that is pulled tight are.
pub fn closed_outside(points: &[DVec3]) -> Vec<DVec3> {
    let mut out = points.to_vec();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return out };
    let low = points.iter().copied().fold(*first, DVec3::min);
    let high = points.iter().copied().fold(*first, DVec3::max);
    let middle = (low + high) * 0.5;
    let radius = points.iter().map(|p| (*p - middle).length()).fold(0.0, f64::max);
    let direction = |p: DVec3| (p - middle).try_normalize().unwrap_or(DVec3::Y);
    let (from, to) = (direction(*last), direction(*first));
    // Half-way between the two directions; any direction where they are opposite or the same.
    let side = from.any_orthonormal_vector();
    let half = (from + to).try_normalize().filter(|_| from.dot(to) > -0.9).unwrap_or(side);
    for (a, b) in [(from, half), (half, to)] {
        for k in 0..PIECES {
            let part = k as f64 / PIECES as f64;
            out.push(middle + a.lerp(b, part).normalize() * (FAR * radius));
        }
    }
    out.push(middle + to * (FAR * radius));
    // two ends in one place: the arc has no length
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_around_is_outside() {
        let cases = [
            vec![DVec3::ZERO, DVec3::X, DVec3::new(2.0, 0.1, 0.0)],
            vec![DVec3::new(-1.0, 0.2, 0.0), DVec3::Y, DVec3::new(1.0, 0.1, 0.3)],
            vec![DVec3::X, DVec3::Y, DVec3::new(1.0, 0.1, 0.0)],
        ];
        for points in cases {
            let closed = closed_outside(&points);
            assert_eq!(&closed[..points.len()], &points[..]);
            let outside = &closed[points.len()..];
            let centre = outside.iter().sum::<DVec3>() / outside.len() as f64;
            let size = points.iter().map(|p| (*p - points[0]).length()).fold(0.0, f64::max);
            assert!(outside.len() > 4 && centre.is_finite());
            for pair in outside.windows(2) {
                // chords of the arc keep clear of the curve
                let nearest =
                    points.iter().map(|p| ((pair[0] + pair[1]) * 0.5 - *p).length()).fold(f64::INFINITY, f64::min);
                assert!(nearest > size && pair[0] != pair[1], "{nearest} {size}");
            }
        }
        assert!(closed_outside(&[]).is_empty());
    }
}
