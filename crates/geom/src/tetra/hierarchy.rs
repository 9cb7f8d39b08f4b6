//! Values at the points of a refined mesh as coarse values plus details: a detail is what a point has beyond the mean of its parents.
//!
//! With levels l = 1..L and a new point m with parents a, b: nodal values become hierarchical ones from the finest level down,
//! `u_m -= (u_a + u_b)/2`; back (S) from the coarsest up, `u_m += (u_a + u_b)/2`; forces go the adjoint way (Sᵀ), from the finest down,
//! `f_a += f_m/2`, `f_b += f_m/2`. All in O(N); the matrix SᵀKS is never formed.

use glam::DVec3;

/// Which points of each level have which parents; the points of a level follow those of the level before.
#[derive(Clone, Copy, Debug)]
pub struct Hierarchy<'a> {
    /// Points of the coarsest level.
    pub coarse: usize,
    /// Parents of the new points, level by level.
    pub levels: &'a [Vec<[u32; 2]>],
}

impl Hierarchy<'_> {
    /// Points of the finest level.
    pub fn len(&self) -> usize {
        self.coarse + self.levels.iter().map(Vec::len).sum::<usize>()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `f(point, parents)` from the finest level down.
    fn downwards(&self, mut f: impl FnMut(usize, [usize; 2])) {
        let mut end = self.len();
        for level in self.levels.iter().rev() {
            end -= level.len();
            for (k, parents) in level.iter().enumerate() {
                f(end + k, parents.map(|p| p as usize));
            }
        }
    }

    /// Values at points to details.
    ///
    /// # Panics
    /// Like the two others, if there are fewer values than [`Hierarchy::len`].
    pub fn to_details(&self, u: &mut [DVec3]) {
        self.downwards(|m, [a, b]| u[m] -= (u[a] + u[b]) * 0.5);
    }

    /// Details to values at points.
    pub fn to_values(&self, u: &mut [DVec3]) {
        for (m, [a, b]) in (self.coarse..).zip(self.levels.iter().flatten()) {
            u[m] += (u[*a as usize] + u[*b as usize]) * 0.5;
        }
    }

    /// Forces on points to forces on details: the adjoint of [`Hierarchy::to_values`].
    pub fn to_detail_forces(&self, f: &mut [DVec3]) {
        self.downwards(|m, [a, b]| {
            let half = f[m] * 0.5;
            f[a] += half;
            f[b] += half;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tetra::octasection::Refined;
    use pliant_testkit::random::Random;

    fn refined() -> Refined {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE];
        let coarse = Refined::new(points, vec![[0, 1, 2, 3], [1, 2, 3, 4]]);
        (0..3).fold(coarse, |level, _| level.octasected().unwrap())
    }

    #[test]
    fn there_and_back_and_the_adjoint() {
        let mesh = refined();
        let hierarchy = Hierarchy { coarse: 5, levels: &mesh.levels };
        assert_eq!(hierarchy.len(), mesh.points.len());
        let mut random = Random(7);
        let (u, f) = (random.vectors(hierarchy.len()), random.vectors(hierarchy.len()));
        let mut there = u.clone();
        hierarchy.to_details(&mut there);
        hierarchy.to_values(&mut there);
        let off = u.iter().zip(&there).map(|(u, v)| (*u - *v).abs().max_element()).fold(0.0, f64::max);
        assert!(off <= 4.5e-16, "round trip {off:e}");
        // (S u)·f = u·(Sᵀ f)
        let (mut su, mut stf) = (u.clone(), f.clone());
        hierarchy.to_values(&mut su);
        hierarchy.to_detail_forces(&mut stf);
        let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let scale: f64 = su.iter().zip(&f).map(|(a, b)| a.length() * b.length()).sum();
        assert!((dot(&su, &f) - dot(&u, &stf)).abs() <= 1e-15 * scale);
    }

    #[test]
    fn linear_fields_have_no_details() {
        let mesh = refined();
        let mut u: Vec<DVec3> =
            mesh.points.iter().map(|x| DVec3::new(x.dot(DVec3::new(2.0, -3.0, 0.5)) + 1.0, x.y, -x.z)).collect();
        Hierarchy { coarse: 5, levels: &mesh.levels }.to_details(&mut u);
        // midpoints of eighths are exact
        assert!(u[5..].iter().all(|d| *d == DVec3::ZERO));
    }
}
