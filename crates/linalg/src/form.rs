//! The form of a body, from the graph of its matrix: it tells which solvers are worth trying.

use crate::pattern::Pattern;

/// The form of a body, from its connectivity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Extended in one direction.
    Rope,
    /// In two.
    Sheet,
    /// In three.
    Solid,
    /// Ropes together with other forms.
    Mixed,
}

/// Ratio of particles three steps away to those two steps away, up to which a body counts as a rope, whose factors have hardly any fill;
const SPREAD_OF_A_ROPE: f64 = 1.25;
/// and of particles within two steps to those within one, up to which it counts as a sheet; factors of a solid have far more fill.
const GROWTH_OF_A_SHEET: f64 = 3.8;
/// Stride of the sampled particles: no multiple of the particles of a section of a rope, nor of the rows of most nets.
const LOOKED_AT: usize = 13;
/// Share of particles in ropes from which a system counts as mixed.
const SOME_ROPE: f64 = 0.15;

/// The form of a body, from the growth of the number of particles with the number of steps in the graph. In a rope as many are three
/// steps away as two (1 of a chain, 1.1 of our cell of sections with hinges), in a sheet half as many more (1.45 of triangles, 1.36 of
/// a small sheet with hinges), in a solid about twice as many. Within two steps are about three times as many as within one in a sheet (3 for a
/// square of 3 x 3 neighbours, up to 3.4 for other meshes), and 4.8 times in a cube of 3 x 3 x 3. The number of neighbours is no criterion: a sheet
/// with bending has as many as some lattices of tetrahedra; nor do two steps identify ropes: 2 for a chain, but 2.7 for our cell.
pub fn form(pattern: &Pattern) -> Form {
    let (part, parts) = parts(pattern);
    let mut seen = vec![u32::MAX; pattern.rows()];
    let mut away = vec![[0_usize; 3]; parts];
    let (mut here, mut next) = (Vec::new(), Vec::new());
    for i in (0..pattern.rows()).step_by(LOOKED_AT) {
        seen[i] = i as u32;
        here.clear();
        here.push(i as u32);
        for count in &mut away[part[i] as usize] {
            next.clear();
            for p in here.iter().flat_map(|particle| pattern.row(*particle as usize)) {
                let column = pattern.columns[p];
                let there = &mut seen[column as usize];
                if *there != i as u32 {
                    *there = i as u32;
                    next.push(column);
                }
            }
            *count += next.len();
            std::mem::swap(&mut here, &mut next);
        }
    }
    let is_rope = |[_, two, three]: [usize; 3]| two > 0 && three as f64 <= SPREAD_OF_A_ROPE * two as f64;
    let [one, two, three] = away.iter().fold([0; 3], |sum, of| std::array::from_fn(|k| sum[k] + of[k]));
    let roped = part.iter().filter(|part| is_rope(away[**part as usize])).count();
    if is_rope([one, two, three]) {
        Form::Rope
    } else if parts > 1 && roped as f64 >= SOME_ROPE * pattern.rows() as f64 {
        Form::Mixed
    } else if (one + two) as f64 <= GROWTH_OF_A_SHEET * one as f64 {
        Form::Sheet
    } else {
        Form::Solid
    }
}

/// The connected component of each row, and the number of components.
fn parts(pattern: &Pattern) -> (Vec<u32>, usize) {
    let (mut part, mut count, mut open) = (vec![u32::MAX; pattern.rows()], 0, Vec::new());
    for start in 0..pattern.rows() {
        if part[start] != u32::MAX {
            continue;
        }
        part[start] = count;
        open.push(start);
        while let Some(row) = open.pop() {
            for p in pattern.row(row) {
                let column = pattern.columns[p] as usize;
                if part[column] == u32::MAX {
                    part[column] = count;
                    open.push(column);
                }
            }
        }
        count += 1;
    }
    (part, count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PatternBuilder;

    /// A lattice whose particles are coupled where `near(difference)` is true.
    fn lattice(n: [i32; 3], near: impl Fn([i32; 3], [i32; 3]) -> bool) -> Pattern {
        let at = |p: [i32; 3]| ((p[0] * n[1] + p[1]) * n[2] + p[2]) as usize;
        let all = || (0..n[0]).flat_map(|x| (0..n[1]).flat_map(move |y| (0..n[2]).map(move |z| [x, y, z])));
        let mut builder = PatternBuilder::new((n[0] * n[1] * n[2]) as usize);
        for a in all() {
            for d in (-2..=2).flat_map(|x| (-2..=2).flat_map(move |y| (-2..=2).map(move |z| [x, y, z]))) {
                let b = [a[0] + d[0], a[1] + d[1], a[2] + d[2]];
                if (0..3).all(|k| (0..n[k]).contains(&b[k])) && at(a) < at(b) && near(a, d) {
                    builder.couple(at(a), at(b));
                }
            }
        }
        builder.build()
    }

    #[test]
    fn ropes_sheets_and_solids_are_told_apart() {
        let hexagons = |_: [i32; 3], d: [i32; 3]| [[0, 1, 0], [1, 0, 0], [1, 1, 0]].contains(&d);
        assert_eq!(form(&lattice([40, 40, 1], hexagons)), Form::Sheet);
        // sections of four particles, each with its own and both neighbouring ones
        let section = |_: [i32; 3], d: [i32; 3]| d[0].abs() <= 1;
        assert_eq!(form(&lattice([500, 2, 2], section)), Form::Rope);
        assert_eq!(form(&lattice([500, 1, 1], section)), Form::Rope);
        // the cell of our ropes: a centre (0) and three wings, coupled as its springs, hinges and torsions do
        for sections in [101, 1001] {
            let cell = |a: [i32; 3], d: [i32; 3]| {
                let (one, other) = (a[1] + 2 * a[2], a[1] + d[1] + 2 * (a[2] + d[2]));
                match d[0].abs() {
                    0 => true,
                    1 => one == other || one == 0 || other == 0,
                    _ => one == 0 && other == 0,
                }
            };
            assert_eq!(form(&lattice([sections, 2, 2], cell)), Form::Rope, "{sections}");
        }
        // with bending: six more neighbours
        let hinges = [[0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 2, 0], [2, 1, 0], [1, -1, 0]];
        for n in [18, 40] {
            assert_eq!(form(&lattice([n, n, 1], |_, d| hinges.contains(&d))), Form::Sheet);
        }
        // Kuhn's six tetrahedra per cube, and five, mirrored from cube to cube: particles with 6 neighbours and with 18
        let kuhn = |_: [i32; 3], d: [i32; 3]| d.iter().all(|k| *k == 0 || *k == 1);
        assert_eq!(form(&lattice([25, 7, 7], kuhn)), Form::Solid);
        let length = |d: [i32; 3]| d.iter().map(|k| k * k).sum::<i32>();
        let five = |a: [i32; 3], d: [i32; 3]| length(d) == 1 || length(d) == 2 && a.iter().sum::<i32>() % 2 == 0;
        assert_eq!(form(&lattice([25, 7, 7], five)), Form::Solid);
        assert_eq!(form(&lattice([45, 13, 14], five)), Form::Solid);
        // a thread beside a solid
        let beside = |parts: &[Pattern]| {
            let mut builder = PatternBuilder::new(parts.iter().map(Pattern::rows).sum());
            let mut first = 0;
            for part in parts {
                for row in 0..part.rows() {
                    part.row(row).for_each(|p| builder.couple(first + row, first + part.columns[p] as usize));
                }
                first += part.rows();
            }
            builder.build()
        };
        let (thread, tissue) = (lattice([130, 2, 2], section), lattice([13, 7, 7], five));
        assert_eq!(form(&beside(&[thread.clone(), tissue.clone()])), Form::Mixed);
        assert_eq!(form(&beside(&[tissue.clone(), tissue])), Form::Solid);
        assert_eq!(form(&beside(&[thread.clone(), thread])), Form::Rope);
    }
}
