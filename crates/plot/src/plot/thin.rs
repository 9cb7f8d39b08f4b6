//! Leaves out invisible points, so that a curve of a million points is a small file.
//!
//! Coordinates are pixels. What is drawn stays within a fraction of a pixel of the data until the budget forces more.

/// A point in pixels.
pub(super) type Pixel = (f64, f64);

/// A vertex may be left out if the line passes this close to it, in pixels.
const TOLERANCE: f64 = 0.15;

/// A polyline with gaps (`None`) as pieces of at most about `budget` points together.
pub(super) fn line(points: &[Option<Pixel>], budget: usize) -> Vec<Vec<Pixel>> {
    let runs = points.split(Option::is_none).filter(|run| !run.is_empty());
    let pieces: Vec<Vec<Pixel>> = runs
        .map(|run| {
            let run: Vec<Pixel> = run.iter().copied().flatten().collect();
            let forward = run.windows(2).all(|pair| pair[0].0 <= pair[1].0);
            straightened(&if forward { by_column(&run) } else { run })
        })
        .collect();
    if pieces.iter().map(Vec::len).sum::<usize>() <= budget {
        return pieces;
    }
    // A curve that runs over itself: draw only what reaches a cell where it has not been yet.
    coarsened(1.0, |cell| uncovered(&pieces, cell, budget))
}

/// Markers, at most `budget` of them, one of each group that would cover each other.
pub(super) fn markers(points: &[Option<Pixel>], budget: usize) -> Vec<Pixel> {
    coarsened(0.5, |cell| {
        let mut grid = Grid::new(points.iter().flatten(), cell);
        let mut kept = Vec::new();
        for point in points.iter().flatten().filter(|point| grid.enter(**point)) {
            if kept.len() == budget {
                return None;
            }
            kept.push(*point);
        }
        Some(kept)
    })
}

/// What `attempt` gives for the smallest cell that satisfies it.
fn coarsened<T: Default>(mut cell: f64, attempt: impl Fn(f64) -> Option<T>) -> T {
    while cell < 1e4 {
        if let Some(result) = attempt(cell) {
            return result;
        }
        cell *= 1.5;
    }
    T::default()
}

/// Square cells over an area, each marked once something has been in it.
struct Grid {
    cell: f64,
    origin: Pixel,
    columns: usize,
    entered: Vec<bool>,
}

impl Grid {
    fn new<'a>(points: impl Iterator<Item = &'a Pixel>, cell: f64) -> Self {
        let empty = (f64::INFINITY, f64::INFINITY, 0.0, 0.0);
        let (left, top, right, bottom) =
            points.fold(empty, |(l, t, r, b), (x, y)| (x.min(l), y.min(t), x.max(r), y.max(b)));
        let cells = |length: f64| (length / cell).max(0.0) as usize + 1;
        let (columns, rows) = (cells(right - left), cells(bottom - top));
        Self { cell, origin: (left, top), columns, entered: vec![false; columns * rows] }
    }

    /// Marks the cell of a point. Was it new?
    fn enter(&mut self, point: Pixel) -> bool {
        let index = |at: f64, from: f64| ((at - from) / self.cell) as usize;
        let at = index(point.1, self.origin.1) * self.columns + index(point.0, self.origin.0);
        self.entered.get_mut(at).is_some_and(|entered| !std::mem::replace(entered, true))
    }
}

/// First, lowest, highest and last point of each half pixel column: the same ink as all of them.
fn by_column(run: &[Pixel]) -> Vec<Pixel> {
    let mut kept = Vec::new();
    for column in run.chunk_by(|a, b| (a.0 * 2.0).floor() == (b.0 * 2.0).floor()) {
        let height = |at: &usize| column[*at].1;
        let by_height = |a: &usize, b: &usize| height(a).total_cmp(&height(b));
        let lowest = (0..column.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..column.len()).max_by(by_height).unwrap_or(0);
        let mut chosen = [0, lowest, highest, column.len() - 1];
        chosen.sort_unstable();
        kept.extend(
            chosen.iter().enumerate().filter(|(i, at)| *i == 0 || chosen[i - 1] != **at).map(|(_, at)| column[*at]),
        );
    }
    kept
}

/// Leaves out vertices on straight stretches: from each kept point, go on as long as one line passes all the points
/// since within the tolerance and they do not turn back.
fn straightened(run: &[Pixel]) -> Vec<Pixel> {
    let Some((&first, rest)) = run.split_first() else {
        return Vec::new();
    };
    let mut kept = vec![first];
    let mut anchor = first;
    let mut last = first;
    // The directions, seen from the anchor, of lines that pass all points since: between `right` and `left`.
    let mut cone: Option<(Pixel, Pixel)> = None;
    let mut reach = 0.0;
    for &point in rest {
        let to = (point.0 - anchor.0, point.1 - anchor.1);
        let distance = to.0.hypot(to.1);
        let fits = cone.is_none_or(|(right, left)| cross(right, to) >= 0.0 && cross(to, left) >= 0.0);
        if !fits || distance < reach - TOLERANCE {
            kept.push(last);
            anchor = last;
            cone = None;
            reach = 0.0;
        }
        let to = (point.0 - anchor.0, point.1 - anchor.1);
        let distance = to.0.hypot(to.1);
        if distance > TOLERANCE {
            let side = (-to.1 * TOLERANCE / distance, to.0 * TOLERANCE / distance);
            let (right, left) = ((to.0 - side.0, to.1 - side.1), (to.0 + side.0, to.1 + side.1));
            cone = Some(match cone {
                None => (right, left),
                Some((r, l)) => {
                    (if cross(r, right) > 0.0 { right } else { r }, if cross(left, l) > 0.0 { left } else { l })
                }
            });
        }
        reach = f64::max(reach, distance);
        last = point;
    }
    kept.push(last);
    kept
}

fn cross(a: Pixel, b: Pixel) -> f64 {
    a.0 * b.1 - a.1 * b.0
}

/// The segments that enter a cell which no earlier segment has entered, joined where they follow each other; `None` if
/// they have more than `budget` points.
fn uncovered(pieces: &[Vec<Pixel>], cell: f64, budget: usize) -> Option<Vec<Vec<Pixel>>> {
    let mut grid = Grid::new(pieces.iter().flatten(), cell);
    let mut result: Vec<Vec<Pixel>> = Vec::new();
    let mut count = 0;
    for piece in pieces {
        let mut joined = false;
        for pair in piece.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let steps = ((to.0 - from.0).hypot(to.1 - from.1) / cell).ceil().max(1.0);
            let mut fresh = false;
            for i in 0..=steps as usize {
                let share = i as f64 / steps;
                fresh |= grid.enter((from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1)));
            }
            match result.last_mut() {
                Some(current) if fresh && joined => current.push(to),
                _ if fresh => result.push(vec![from, to]),
                _ => {}
            }
            count += if !fresh { 0 } else { 2 - usize::from(joined) };
            if count > budget {
                return None;
            }
            joined = fresh;
        }
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance_to(line: &[Vec<Pixel>], point: Pixel) -> f64 {
        let segments = line.iter().flat_map(|piece| piece.windows(2));
        let distance = segments.map(|pair| {
            let (a, b) = (pair[0], pair[1]);
            let (along, to) = ((b.0 - a.0, b.1 - a.1), (point.0 - a.0, point.1 - a.1));
            let square = along.0 * along.0 + along.1 * along.1;
            let share = if square == 0.0 { 0.0 } else { ((along.0 * to.0 + along.1 * to.1) / square).clamp(0.0, 1.0) };
            (to.0 - share * along.0).hypot(to.1 - share * along.1)
        });
        distance.fold(f64::INFINITY, f64::min)
    }

    fn circle(laps: f64, points: usize) -> Vec<Option<Pixel>> {
        let angle = |i: usize| i as f64 / points as f64 * laps * std::f64::consts::TAU;
        (0..=points).map(|i| Some((300.0 + 150.0 * angle(i).cos(), 200.0 + 150.0 * angle(i).sin()))).collect()
    }

    #[test]
    fn straight_lines_need_two_points() {
        let points: Vec<_> = (0..1000).map(|i| Some((f64::from(i), 2.0 * f64::from(i)))).collect();
        assert_eq!(line(&points, 1000), [[(0.0, 0.0), (999.0, 1998.0)]]);
    }

    #[test]
    fn a_circle_stays_round() {
        let points = circle(1.0, 5000);
        let thin = line(&points, 2000);
        assert!(thin[0].len() < 200, "{}", thin[0].len());
        let worst = points.iter().flatten().map(|point| distance_to(&thin, *point)).fold(0.0, f64::max);
        assert!(worst < 2.5 * TOLERANCE, "{worst}");
    }

    #[test]
    fn going_back_is_not_forgotten() {
        let points = [0.0, 5.0, 100.0, 50.0, 10.0].map(|x| Some((x, 0.0)));
        let thin = line(&points, 100);
        assert!(distance_to(&thin, (100.0, 0.0)) < 0.01, "{thin:?}");
    }

    #[test]
    fn many_laps_cost_little_more_than_one() {
        let thin = line(&circle(300.3, 200_000), 4000);
        let count: usize = thin.iter().map(Vec::len).sum();
        assert!(count <= 4000, "{count}");
        let worst = circle(1.0, 360).iter().flatten().map(|point| distance_to(&thin, *point)).fold(0.0, f64::max);
        assert!(worst < 1.5, "{worst}");
    }

    #[test]
    fn a_dense_signal_keeps_its_extremes() {
        let wave = |i: usize| (i as f64 * 6e-4, 100.0 + 80.0 * (i as f64 * 0.7).sin());
        let mut points: Vec<_> = (0..1_000_000).map(|i| Some(wave(i))).collect();
        points[456_789] = Some((wave(456_789).0, 5.0));
        let thin = line(&points, 6000);
        assert!(thin.iter().map(Vec::len).sum::<usize>() <= 6000);
        assert!(distance_to(&thin, (wave(456_789).0, 5.0)) < 0.2);
    }

    #[test]
    fn gaps_stay_gaps() {
        let points = [Some((0.0, 0.0)), Some((1.0, 0.0)), None, None, Some((5.0, 0.0)), Some((6.0, 1.0))];
        assert_eq!(line(&points, 100), [[(0.0, 0.0), (1.0, 0.0)], [(5.0, 0.0), (6.0, 1.0)]]);
        assert!(line(&[], 100).is_empty());
        assert!(line(&[None], 100).is_empty());
    }

    #[test]
    fn markers_within_the_budget() {
        assert_eq!(markers(&circle(0.9, 9), 100).len(), 10);
        assert!(markers(&circle(7.7, 100_000), 900).len() <= 900);
    }
}
