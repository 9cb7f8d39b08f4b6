//! The adaptive solver: it selects a method for each symmetric matrix, Cholesky or conjugate gradients with one of three
//! preconditioners.
//!
//! *Expected iterations.* A = M + dt²K: a row of K sums to zero (a rigid translation costs no force), so that a row of
//! A sums to the mass, and without knowing dt or the masses
//!
//! ```text
//! s_i = Σ_{j≠i} |tr A_ij| / |tr Σ_j A_ij|
//! ```
//!
//! is the stiffness dt² k/m about particle i. An error propagates √s particles in a time step, and CG with block Jacobi
//! needs a multiple of that many iterations, or of the body's length in particles if that is less: J = mean of
//! min(10 √s_i, 12 √rows). On stiff sheets of 50 x 50 and 100 x 100 and dt from 1 to 50 ms it is within a factor 1.8 of the measured
//! count.
//!
//! *Crossovers*, from `cargo bench -p pliant-benches --bench linear_solvers` on one thread of a shared machine; factor + solve
//! in ms, the range over a stiff sheet in motion and one near rest:
//!
//! | particles | dt, ms | J | block-jacobi | block-ic | multigrid | cholesky |
//! |---:|---:|---:|---:|---:|---:|---:|
//! | 20 x 20 | 1 | 54 | 0.8 to 1.4 | 0.5 to 0.7 | 0.8 to 1.3 | 0.8 to 1.2 |
//! | 35 x 35 | 1 | 99 | 5 to 7 | 2.7 to 3.9 | 3.2 to 4.3 | 7 |
//! | 35 x 35 | 50 | 420 | 15 to 18 | 9 to 10 | 5 to 8 | 5 to 7 |
//! | 50 x 50 | 2 | 287 | 21 to 24 | 11 to 12 | 7 to 9 | 13 |
//! | 50 x 50 | 50 | 598 | 45 to 58 | 29 to 30 | 14 to 20 | 12 to 13 |
//! | 70 x 70 | 2 | 406 | 58 to 92 | 33 to 45 | 16 to 27 | 35 to 44 |
//! | 70 x 70 | 50 | 839 | 115 to 188 | 85 to 170 | 26 to 47 | 34 to 37 |
//! | 100 x 100 | 2 | 585 | 181 to 208 | 100 to 103 | 50 to 55 | 93 to 95 |
//! | 100 x 100 | 50 | 1199 | 425 to 670 | 369 to 385 | 75 to 181 | 98 to 108 |
//!
//! That sheet is a net of springs. Real cloth, stiff along its threads and soft across, is easier for incomplete Cholesky while an error
//! does not reach the sheet's ends, and too hard for it afterwards (cotton, 100 x 100, to 1e-5: 17 ms against multigrid's 67 at dt = 1 ms, 23
//! against 69 at 2 ms, no convergence at 20 ms). So incomplete Cholesky is used for a sheet until then, with a bounded number of iterations; if it
//! does not converge, the next method is the fallback.
//!
//! So Cholesky is for small systems, and for medium ones that are stiff. The factors of a solid have far more fill than those of a sheet:
//! for solids it is for small systems alone. Those of a rope have hardly any: for ropes it is always the fastest. Where a rope is in contact with
//! itself, the pattern is that of a sheet, but a narrow one, and no preconditioner handles the stiffness of a rope: a pile of 10,000 segments takes
//! four times as long with the choice for a sheet as with Cholesky (`--bench rope -- --pile`). So the form is that of the first pattern of a
//! system, which is laid out without contact, where that is a rope.
//!
//! Of a partly restrained body only the moving rest is solved for. It has the form of the whole, and its rows do not sum to masses: up to a medium
//! size Cholesky is used, unless it is a solid.
//!
//! The choice is a function of the matrix and of that first pattern, so it is the same after a restart.

use crate::block_csr::BlockCsr;
use crate::cg::Cg;
use crate::direct::DirectCholesky;
use crate::pattern::{Pattern, is_known};
use crate::precond::{BlockIc, BlockJacobi, Multigrid};
use crate::solver::{LinearSolver, SolveError, SolveReport};
use glam::DVec3;
use pliant_parallel::Partials;
use std::sync::Arc;

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

/// The methods to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// [`DirectCholesky`]
    Cholesky,
    /// [`Cg`] with [`BlockJacobi`]
    Jacobi,
    /// [`Cg`] with [`BlockIc`]
    Incomplete,
    /// [`Cg`] with [`Multigrid`]
    Multigrid,
}

/// Block rows up to which Cholesky is always the fastest; up to which it is for stiff sheets; and up to which it is never much slower
/// for sheets of the largest stiffness, near rest twice as fast.
const SMALL: usize = 300;
const SHEET: usize = 3000;
const SOLID: usize = 1000;
const MIDDLING: usize = 5000;
const LARGE: usize = 12_000;

/// Expected iterations from which a sheet counts as stiff: so many, or so many √rows.
const STIFF: f64 = 500.0;
const STIFF_FOR_ITS_SIZE: f64 = 9.0;

/// Largest number of iterations of a body, over √rows, and the number from which it has the largest stiffness.
const MOST: f64 = 12.0;
const STIFFEST: f64 = 11.9;

/// Without that limit: the number, over √rows, up to which a sheet is tried with incomplete Cholesky (it needs one iteration for 40 of them, and
/// Cholesky takes the time of √rows), and the limit of iterations.
const LOCAL: f64 = 24.0;
const TRIED: usize = 120;

/// Ratio of particles three steps away to those two steps away, up to which a body counts as a rope, whose factors have hardly any fill;
const SPREAD_OF_A_ROPE: f64 = 1.25;
/// and of particles within two steps to those within one, up to which it counts as a sheet; factors of a solid have far more fill.
const GROWTH_OF_A_SHEET: f64 = 3.8;
/// Stride of the sampled particles: no multiple of the particles of a section of a rope, nor of the rows of most nets.
const LOOKED_AT: usize = 13;
/// Share of particles in ropes from which a system counts as mixed: no preconditioner here handles that, and
/// Cholesky does up to so many block rows.
const SOME_ROPE: f64 = 0.15;
const MIXED: usize = 6000;

/// Expected iterations up to which block Jacobi and then incomplete Cholesky are the fastest preconditioners.
const FEW: f64 = 20.0;
const SOME: f64 = 100.0;

/// The method expected to be fastest for this matrix of a body of this [form](form()).
pub fn choose(a: &BlockCsr, form: Form, partials: &mut Partials) -> Choice {
    let rows = a.rows();
    if rows <= SMALL || form == Form::Rope || form == Form::Mixed && rows <= MIXED {
        return Choice::Cholesky;
    }
    let expected = expected_iterations(a, partials);
    let length = (rows as f64).sqrt();
    let mut local = || form == Form::Sheet && mean_root(a, 2.0 * LOCAL * length, partials) <= LOCAL * length;
    match expected {
        few if few <= FEW => Choice::Jacobi,
        _ if form == Form::Sheet && rows <= SHEET || rows <= SOLID => Choice::Cholesky,
        some if some <= SOME || local() => Choice::Incomplete,
        many => strong(a, form, many),
    }
}

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

/// The choice where block Jacobi would need many iterations.
fn strong(a: &BlockCsr, form: Form, expected: f64) -> Choice {
    let rows = a.rows();
    let length = (rows as f64).sqrt();
    let stiff = if rows <= MIDDLING {
        STIFF.min(STIFF_FOR_ITS_SIZE * length)
    } else if rows <= LARGE {
        STIFFEST * length
    } else {
        f64::INFINITY
    };
    // A comparison with NaN is false; every solver reports NaN.
    if expected > stiff && form == Form::Sheet { Choice::Cholesky } else { Choice::Multigrid }
}

/// Estimate of the CG iterations with block Jacobi for a relative residual of 1e-8: J above.
pub fn expected_iterations(a: &BlockCsr, partials: &mut Partials) -> f64 {
    mean_root(a, MOST * (a.rows() as f64).sqrt(), partials)
}

/// Mean of 10 √s over all particles, each at most `most`.
fn mean_root(a: &BlockCsr, most: f64, partials: &mut Partials) -> f64 {
    let rows = a.rows();
    let sum = partials.sum(rows, |range| {
        let mut sum = 0.0;
        for i in range {
            let (mut whole, mut around) = (0.0, 0.0);
            for p in a.pattern.row(i) {
                let block = &a.values[p];
                let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
                whole += trace;
                if p != a.pattern.diagonal[i] as usize {
                    around += trace.abs();
                }
            }
            let stiffness: f64 = if around > 0.0 { around / whole.abs() } else { 0.0 };
            sum += (10.0 * stiffness.sqrt()).min(most);
        }
        sum
    });
    if rows == 0 { 0.0 } else { sum / rows as f64 }
}

/// Chooses at every factorisation; methods that were never chosen take no memory.
pub struct Adaptive {
    pattern: Option<Arc<Pattern>>,
    form: Form,
    /// Rows and form of the first pattern.
    first: Option<(usize, Form)>,
    chosen: Option<Choice>,
    /// Whether another method has replaced it.
    changed: bool,
    cholesky: Option<DirectCholesky>,
    jacobi: Option<Cg>,
    incomplete: Option<Cg>,
    multigrid: Option<Cg>,
    /// Passed to methods that use them.
    positions: Vec<DVec3>,
    partials: Partials,
}

impl Adaptive {
    /// For no pattern yet.
    pub fn new() -> Self {
        Self {
            pattern: None,
            form: Form::Sheet,
            first: None,
            chosen: None,
            changed: false,
            cholesky: None,
            jacobi: None,
            incomplete: None,
            multigrid: None,
            positions: Vec::new(),
            partials: Partials::default(),
        }
    }

    /// The method of the last matrix.
    pub fn chosen(&self) -> Option<Choice> {
        self.chosen
    }

    fn factor_with(&mut self, choice: Choice, a: &BlockCsr) -> Result<(), SolveError> {
        self.chosen = None;
        let positions = std::mem::take(&mut self.positions);
        let solver = self.solver(choice);
        solver.set_positions(&positions);
        let factored = solver.factor(a);
        self.positions = positions;
        factored?;
        self.chosen = Some(choice);
        Ok(())
    }

    fn solver(&mut self, choice: Choice) -> &mut dyn LinearSolver {
        match choice {
            Choice::Cholesky => self.cholesky.get_or_insert_with(DirectCholesky::new),
            Choice::Jacobi => self.jacobi.get_or_insert_with(|| Cg::new(Box::new(BlockJacobi::new()))),
            Choice::Incomplete => self.incomplete.get_or_insert_with(|| {
                let mut cg = Cg::new(Box::new(BlockIc::new()));
                cg.max_iterations = Some(TRIED);
                cg
            }),
            Choice::Multigrid => self.multigrid.get_or_insert_with(|| Cg::new(Box::new(Multigrid::new()))),
        }
    }
}

impl Default for Adaptive {
    fn default() -> Self {
        Self::new()
    }
}

impl LinearSolver for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn needs_symmetric(&self) -> bool {
        true
    }

    /// Prepares the method that is always used for few rows; otherwise the first `factor` that chooses a method allocates its memory.
    fn analyze(&mut self, pattern: &Arc<Pattern>) -> Result<(), SolveError> {
        if !is_known(&mut self.pattern, pattern) {
            self.pattern = Some(pattern.clone());
            let rows = pattern.rows();
            self.form = match self.first.filter(|first| rows <= first.0) {
                Some((_, kept @ (Form::Rope | Form::Mixed))) => kept,
                Some((all, kept)) if rows < all => kept,
                Some(_) => form(pattern),
                None => {
                    let found = form(pattern);
                    self.first = Some((rows, found));
                    found
                }
            };
            self.chosen = None;
        }
        if pattern.rows() <= SMALL { self.solver(Choice::Cholesky).analyze(pattern) } else { Ok(()) }
    }

    fn set_positions(&mut self, positions: &[DVec3]) {
        self.positions.clear();
        self.positions.extend_from_slice(positions);
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        self.analyze(&a.pattern)?;
        let is_part = self.first.is_some_and(|(all, _)| a.rows() < all);
        let choice = match self.form {
            Form::Rope | Form::Sheet | Form::Mixed if is_part && a.rows() <= MIDDLING => Choice::Cholesky,
            form => choose(a, form, &mut self.partials),
        };
        self.changed = false;
        self.factor_with(choice, a)
    }

    fn is_settled(&self) -> bool {
        !self.changed
    }

    fn solve(&mut self, a: &BlockCsr, b: &[DVec3], x: &mut [DVec3], tolerance: f64) -> Result<SolveReport, SolveError> {
        if !is_known(&mut self.pattern, &a.pattern) || self.chosen.is_none() {
            self.factor(a)?;
        }
        let choice = self.chosen.expect("factor() chose");
        let solved = self.solver(choice).solve(a, b, x, tolerance);
        match solved {
            Err(SolveError::NotConverged { iterations, .. }) if choice == Choice::Incomplete => {
                let expected = expected_iterations(a, &mut self.partials);
                let next = strong(a, self.form, expected);
                self.changed = true;
                self.factor_with(next, a)?;
                x.fill(DVec3::ZERO);
                let report = self.solver(next).solve(a, b, x, tolerance)?;
                Ok(SolveReport { iterations: iterations + report.iterations, ..report })
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PatternBuilder;

    #[test]
    fn a_rope_that_lies_on_itself_is_a_rope() {
        let chain = |across: usize| {
            let mut builder = PatternBuilder::new(1000);
            (1..1000).for_each(|k| builder.couple(k - 1, k));
            (across..1000).for_each(|k| builder.couple(k - across, k));
            BlockCsr::zeros(Arc::new(builder.build()))
        };
        let [alone, coiled] = [chain(1), chain(30)].map(|mut a| {
            a.pattern.diagonal.iter().for_each(|k| a.values[*k as usize] = glam::DMat3::IDENTITY);
            a
        });
        let mut solver = Adaptive::new();
        for a in [&alone, &coiled, &alone] {
            solver.factor(a).unwrap();
            assert_eq!(solver.chosen(), Some(Choice::Cholesky));
        }
        // a net of the same pattern is not one
        let mut solver = Adaptive::new();
        solver.factor(&coiled).unwrap();
        assert_eq!(solver.chosen(), Some(Choice::Jacobi));
    }

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
