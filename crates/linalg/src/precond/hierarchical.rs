//! The hierarchical basis of a mesh that was refined by halving edges ([Yserentant]): z = S D⁻¹ Sᵀ r.
//!
//! With S from details to values (a new point has its detail and the mean of its two parents), SᵀAS is far better conditioned than A, and
//! nearly diagonal: D has the 3x3 blocks of the details on its diagonal, and the whole coarse matrix, which is
//! solved directly. The diagonal of a level is that of the Galerkin matrix `A_l = Pᵀ A_{l+1} P` of that level. In three dimensions the
//! condition number still grows like the number of cells along an edge of a coarse one.
//!
//! A row without neighbours is that of a pinned particle: it passes nothing to its children and takes nothing from its parents, so that its zeros
//! stay zeros.
//!
//! Points that are in no refinement belong to the coarse level. Where that has too many points for a direct solve, its diagonal
//! blocks are used instead.

use super::small::{definite_inverse, inverse_of};
use crate::block_csr::BlockCsr;
use crate::direct::{DirectCholesky, check_finite};
use crate::pattern::{Pattern, PatternBuilder};
use crate::solver::{LinearSolver, Preconditioner, SolveError};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Rows up to which the coarse matrix is solved directly.
const DIRECT_ROWS: usize = 3000;

/// Diagonal blocks of a hierarchical basis, and its coarse matrix.
#[derive(Default)]
pub struct Hierarchical {
    /// New points with their two parents, from the coarsest level to the finest.
    nested: Vec<Vec<[u32; 3]>>,
    levels: Vec<Level>,
    pattern: Option<Arc<Pattern>>,
    fixed: Vec<bool>,
    /// Of the coarse level: the points, their matrix where it must be assembled, and its solver or its inverted diagonal.
    points: Vec<u32>,
    solver: DirectCholesky,
    matrix: Option<BlockCsr>,
    inverse: Vec<DMat3>,
    coarse_r: Vec<DVec3>,
    coarse_z: Vec<DVec3>,
    work: Vec<DVec3>,
}

/// One refinement: the coarser matrix, and the data to compute it from the finer one.
struct Level {
    /// Weights of the two coarser rows that a finer row interpolates; a kept row has itself twice, with a half each.
    weights: Vec<[f64; 2]>,
    /// Rows of the finer matrix that are new, their points and those of their parents.
    new: Vec<(u32, [u32; 3])>,
    coarse: BlockCsr,
    /// For each block of the finer matrix and each pair of parents the position in the coarser one.
    positions: Vec<[u32; 4]>,
    inverse: Vec<DMat3>,
}

impl Level {
    /// From the finer pattern and its points; also the points of the coarser one.
    fn new(pattern: &Pattern, points: &[u32], nested: &[[u32; 3]]) -> Option<(Self, Vec<u32>)> {
        let most = points.iter().chain(nested.iter().flatten()).max().map_or(0, |p| *p as usize + 1);
        let mut parents_of = vec![None; most];
        nested.iter().for_each(|[point, a, b]| parents_of[*point as usize] = Some([*a, *b]));
        let (mut row_of, mut kept, mut new) = (vec![u32::MAX; most], Vec::new(), Vec::new());
        for (row, point) in points.iter().enumerate() {
            if let Some([a, b]) = parents_of[*point as usize] {
                new.push((row as u32, [*point, a, b]));
            } else {
                row_of[*point as usize] = kept.len() as u32;
                kept.push(*point);
            }
        }
        let parents: Vec<[u32; 2]> =
            points.iter().map(|p| parents_of[*p as usize].unwrap_or([*p; 2]).map(|q| row_of[q as usize])).collect();
        if parents.iter().flatten().any(|row| *row == u32::MAX) {
            return None;
        }
        let mut builder = PatternBuilder::new(kept.len());
        for i in 0..pattern.rows() {
            for j in &pattern.columns[pattern.row(i)] {
                for (a, b) in pairs(parents[i], parents[*j as usize]) {
                    builder.couple(a as usize, b as usize);
                }
            }
        }
        let coarse = builder.build();
        let mut positions = Vec::with_capacity(pattern.blocks());
        for i in 0..pattern.rows() {
            for j in &pattern.columns[pattern.row(i)] {
                let at = |(a, b): (u32, u32)| coarse.find(a as usize, b as usize).expect("it was coupled") as u32;
                positions.push(pairs(parents[i], parents[*j as usize]).map(at));
            }
        }
        let inverse = vec![DMat3::IDENTITY; new.len()];
        let weights = vec![[0.5; 2]; points.len()];
        Some((Self { weights, new, coarse: BlockCsr::zeros(Arc::new(coarse)), positions, inverse }, kept))
    }

    /// `Pᵀ A P`, and the inverses of the new diagonal blocks. `fixed` marks the pinned points.
    fn factor(&mut self, fine: &BlockCsr, fixed: &[bool]) -> Result<(), SolveError> {
        for ((row, [point, a, b]), inverse) in self.new.iter().zip(&mut self.inverse) {
            let is_fixed = |p: &u32| fixed[*p as usize];
            let weight = |parent: &u32| if is_fixed(point) || is_fixed(parent) { 0.0 } else { 0.5 };
            self.weights[*row as usize] = [weight(a), weight(b)];
            *inverse = checked_inverse(fine.diagonal(*row as usize))?;
        }
        self.coarse.values.fill(DMat3::ZERO);
        for (i, [a, b]) in self.weights.iter().enumerate() {
            for p in fine.pattern.row(i) {
                let [c, d] = self.weights[fine.pattern.columns[p] as usize];
                for (position, weight) in self.positions[p].iter().zip([a * c, a * d, b * c, b * d]) {
                    self.coarse.values[*position as usize] += fine.values[p] * weight;
                }
            }
        }
        Ok(())
    }
}

fn pairs(a: [u32; 2], b: [u32; 2]) -> [(u32, u32); 4] {
    [(a[0], b[0]), (a[0], b[1]), (a[1], b[0]), (a[1], b[1])]
}

/// Without a row in the error: rows of a coarse level mean nothing to the caller.
fn checked_inverse(block: &DMat3) -> Result<DMat3, SolveError> {
    let inverse = inverse_of(block);
    match (inverse.is_finite(), block.is_finite()) {
        (true, _) => Ok(inverse),
        (false, true) => Err(SolveError::Singular { row: None }),
        (false, false) => Err(SolveError::NonFinite),
    }
}

impl Hierarchical {
    /// For no pattern and no refinement yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn is_direct(&self) -> bool {
        self.points.len() <= DIRECT_ROWS
    }
}

impl Preconditioner for Hierarchical {
    fn name(&self) -> &'static str {
        "hierarchical"
    }

    fn set_hierarchy(&mut self, levels: &[Vec<[u32; 3]>]) {
        self.nested = levels.to_vec();
        self.pattern = None;
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) {
        self.pattern = Some(pattern.clone());
        self.levels.clear();
        self.points = (0..pattern.rows() as u32).collect();
        for nested in self.nested.iter().rev() {
            let finer = self.levels.last().map_or(&**pattern, |level: &Level| &level.coarse.pattern);
            let Some((level, kept)) = Level::new(finer, &self.points, nested) else { break };
            self.points = kept;
            self.levels.push(level);
        }
        let rows = self.points.len();
        self.inverse.resize(if self.is_direct() { 0 } else { rows }, DMat3::IDENTITY);
        self.coarse_r.resize(rows, DVec3::ZERO);
        self.coarse_z.resize(rows, DVec3::ZERO);
        self.work.resize(pattern.rows(), DVec3::ZERO);
        self.fixed.resize(pattern.rows(), false);
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        if !self.pattern.as_ref().is_some_and(|known| Arc::ptr_eq(known, &a.pattern) || **known == *a.pattern) {
            self.analyze(&a.pattern);
        }
        check_finite(a)?;
        for (i, fixed) in self.fixed.iter_mut().enumerate() {
            // errors are reported for the row of the matrix, not for that of a level
            definite_inverse(a.diagonal(i), i)?;
            *fixed = a.pattern.row(i).all(|p| p == a.pattern.diagonal[i] as usize || a.values[p] == DMat3::ZERO);
        }
        for k in 0..self.levels.len() {
            let (finer, level) = self.levels.split_at_mut(k);
            level[0].factor(finer.last().map_or(a, |level| &level.coarse), &self.fixed)?;
        }
        let coarse = self.levels.last().map_or(a, |level| &level.coarse);
        if self.points.len() <= DIRECT_ROWS {
            self.solver.factor(coarse).map_err(|error| match error {
                SolveError::Indefinite { .. } => SolveError::Indefinite { row: None },
                other => other,
            })?;
            match &mut self.matrix {
                Some(matrix) if Arc::ptr_eq(&matrix.pattern, &coarse.pattern) => {
                    matrix.values.copy_from_slice(&coarse.values);
                }
                matrix => *matrix = Some(coarse.clone()),
            }
            return Ok(());
        }
        for (row, inverse) in self.inverse.iter_mut().enumerate() {
            *inverse = checked_inverse(coarse.diagonal(row))?;
        }
        Ok(())
    }

    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        // Sᵀ, from the finest level down
        self.work.copy_from_slice(r);
        for level in &self.levels {
            for ((row, [point, a, b]), inverse) in level.new.iter().zip(&level.inverse) {
                let (value, [u, v]) = (self.work[*point as usize], level.weights[*row as usize]);
                self.work[*a as usize] += value * u;
                self.work[*b as usize] += value * v;
                z[*point as usize] = *inverse * value;
            }
        }
        for (r, point) in self.coarse_r.iter_mut().zip(&self.points) {
            *r = self.work[*point as usize];
        }
        match &self.matrix {
            Some(matrix) if self.points.len() <= DIRECT_ROWS => {
                // Any residual is accepted; an overflow appears in the Krylov solver's sums.
                if self.solver.solve(matrix, &self.coarse_r, &mut self.coarse_z, 1.0).is_err() {
                    self.coarse_z.fill(DVec3::NAN);
                }
            }
            _ => {
                for ((z, r), inverse) in self.coarse_z.iter_mut().zip(&self.coarse_r).zip(&self.inverse) {
                    *z = *inverse * *r;
                }
            }
        }
        for (value, point) in self.coarse_z.iter().zip(&self.points) {
            z[*point as usize] = *value;
        }
        // S, from the coarsest level up
        for level in self.levels.iter().rev() {
            for (row, [point, a, b]) in &level.new {
                let [u, v] = level.weights[*row as usize];
                let inherited = z[*a as usize] * u + z[*b as usize] * v;
                z[*point as usize] += inherited;
            }
        }
    }
}
