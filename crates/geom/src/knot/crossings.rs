//! The crossings of a closed polyline in a projection, in the order in which the curve passes below them.

use glam::{DMat3, DVec3};

use super::BadKnot;

/// Fraction of a segment's length within which a crossing is too near to its end, sine of the angle below which two segments are parallel,
/// and gap over the size of the curve below which the upper strand cannot be determined.
const MARGIN: f64 = 1e-9;

/// Where the curve passes below itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Place along the curve, in segments, of the lower strand.
    pub under: f64,
    /// And of the upper.
    pub over: f64,
    /// Whether it is right-handed.
    pub positive: bool,
}

/// All crossings of the curve seen along the third row of a rotation, sorted by where the curve passes below. The error names two segments
/// that are too near to each other, in this view, to tell.
pub fn crossings(points: &[DVec3], view: DMat3) -> Result<Vec<Crossing>, BadKnot> {
    let n = points.len();
    let seen: Vec<DVec3> = points.iter().map(|p| view * *p).collect();
    let size = seen.iter().map(|p| (*p - seen[0]).length()).fold(0.0, f64::max);
    let ends = |k: usize| (seen[k], seen[(k + 1) % n]);
    let mut found = Vec::new();
    // sweep along x, so that only segments that overlap there are compared
    let low = |k: usize| ends(k).0.x.min(ends(k).1.x);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| low(*a).total_cmp(&low(*b)));
    let mut active: Vec<usize> = Vec::new();
    for k in order {
        let start = low(k);
        active.retain(|j| {
            let (a, b) = ends(*j);
            a.x.max(b.x) >= start - MARGIN * size
        });
        for j in &active {
            let (i, j) = (k.min(*j), k.max(*j));
            if let Some(crossing) = meeting(ends(i), ends(j), (j == i + 1, i == 0 && j == n - 1), size)
                .map_err(|_| BadKnot::TouchesItself { first: i, second: j })?
            {
                let (s, t, i_over, positive) = crossing;
                let (at_i, at_j) = (i as f64 + s, j as f64 + t);
                let (over, under) = if i_over { (at_i, at_j) } else { (at_j, at_i) };
                found.push(Crossing { under, over, positive });
            }
        }
        active.push(k);
    }
    found.sort_by(|a, b| a.under.total_cmp(&b.under));
    Ok(found)
}

/// The upper strand cannot be determined.
struct Doubtful;

/// Where two segments cross in the plane, if they do: parameters, whether the first is above, and the sign. Neighbours share a point, which
/// is no crossing: `follows` says whether the second starts where the first ends, and whether it ends where the first starts.
fn meeting(
    (a, b): (DVec3, DVec3),
    (c, d): (DVec3, DVec3),
    follows: (bool, bool),
    size: f64,
) -> Result<Option<(f64, f64, bool, bool)>, Doubtful> {
    let (u, v, w) = ((b - a).truncate(), (d - c).truncate(), (c - a).truncate());
    let cross = u.perp_dot(v);
    let lengths = u.length() * v.length();
    let apart = |p: (f64, f64), q: (f64, f64)| p.0.max(p.1) + MARGIN * size < q.0.min(q.1);
    let (ay, cy) = ((a.y, b.y), (c.y, d.y));
    let neighbours = follows.0 || follows.1;
    if !neighbours && (apart(ay, cy) || apart(cy, ay)) {
        return Ok(None);
    }
    if lengths == 0.0 || cross.abs() <= MARGIN * lengths {
        if neighbours {
            // in line: fine, unless it goes back over itself
            return if u.dot(v) > 0.0 { Ok(None) } else { Err(Doubtful) };
        }
        // parallel: apart, or one upon the other
        let gap = u.perp_dot(w).abs();
        return if gap > 2.0 * MARGIN * size * u.length() && lengths > 0.0 { Ok(None) } else { Err(Doubtful) };
    }
    if neighbours {
        return Ok(None);
    }
    // a + s u = c + t v
    let (s, t) = (w.perp_dot(v) / cross, w.perp_dot(u) / cross);
    let clearly_outside = |s: f64| !(-MARGIN..=1.0 + MARGIN).contains(&s);
    if clearly_outside(s) || clearly_outside(t) {
        return Ok(None);
    }
    let clearly_inside = |s: f64| s > MARGIN && s < 1.0 - MARGIN;
    let gap = (a.z + s * (b.z - a.z)) - (c.z + t * (d.z - c.z));
    if !(clearly_inside(s) && clearly_inside(t)) || gap.abs() <= MARGIN * size {
        return Err(Doubtful);
    }
    // right-handed: over × under, seen from above, is positive
    let first_over = gap > 0.0;
    Ok(Some((s, t, first_over, (cross > 0.0) == first_over)))
}
