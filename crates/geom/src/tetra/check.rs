//! Defects of a mesh of tetrahedra, named, with the indices of the tetrahedra.

use std::collections::BTreeMap;
use std::fmt;

use super::{TetraMesh, signed_volume};

/// A tetrahedron has nearly no volume if six times it is below this part of its longest edge cubed.
pub const FLAT: f64 = 1e-9;

/// One kind of defect and where it is. Indices count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TetraDefect {
    /// No tetrahedra.
    Empty,
    /// Vertices with coordinates that are infinite or NaN.
    NotFinite(Vec<u32>),
    /// Tetrahedra with corners out of range.
    OutOfRange(Vec<u32>),
    /// Tetrahedra with a repeated corner.
    RepeatedCorner(Vec<u32>),
    /// Tetrahedra with (nearly) no volume, see [`FLAT`].
    NoVolume(Vec<u32>),
    /// Inverted tetrahedra: exchange two corners.
    Inverted(Vec<u32>),
    /// Tetrahedra with the same corners as an earlier one, each after the earlier one.
    Duplicate(Vec<[u32; 2]>),
    /// Vertices without a tetrahedron.
    Unused(Vec<u32>),
}

/// All defects of a mesh: empty if there are none. Tetrahedra with bad corners are left out of the later checks.
pub fn check(mesh: &TetraMesh) -> Vec<TetraDefect> {
    let vertices = mesh.points.len();
    let (mut out_of_range, mut repeated, mut flat, mut inverted) = (vec![], vec![], vec![], vec![]);
    let mut used = vec![false; vertices];
    let mut first_with = BTreeMap::new();
    let mut duplicates = Vec::new();
    for (t, corners) in (0_u32..).zip(&mesh.tetrahedra) {
        corners.iter().filter(|n| (**n as usize) < vertices).for_each(|n| used[*n as usize] = true);
        let mut sorted = *corners;
        sorted.sort_unstable();
        if sorted[3] as usize >= vertices {
            out_of_range.push(t);
            continue;
        }
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            repeated.push(t);
            continue;
        }
        let first = *first_with.entry(sorted).or_insert(t);
        if first != t {
            duplicates.push([first, t]);
        }
        let x = corners.map(|n| mesh.points[n as usize]);
        let pairs = (0..4).flat_map(|a| (0..a).map(move |b| (a, b)));
        let longest = pairs.map(|(a, b)| (x[a] - x[b]).length()).fold(0.0, f64::max);
        let six = 6.0 * signed_volume(x);
        if six.abs() <= FLAT * longest.powi(3) {
            flat.push(t);
        } else if six < 0.0 {
            inverted.push(t);
        }
    }
    let numbers = |pass: &dyn Fn(usize) -> bool| (0..vertices).filter(|v| pass(*v)).map(|v| v as u32).collect();
    let mut found = vec![
        TetraDefect::NotFinite(numbers(&|v| !mesh.points[v].is_finite())),
        TetraDefect::OutOfRange(out_of_range),
        TetraDefect::RepeatedCorner(repeated),
        TetraDefect::NoVolume(flat),
        TetraDefect::Inverted(inverted),
        TetraDefect::Duplicate(duplicates),
        TetraDefect::Unused(numbers(&|v| !used[v])),
    ];
    found.retain(|defect| defect.count() > 0);
    if mesh.tetrahedra.is_empty() {
        found.insert(0, TetraDefect::Empty);
    }
    found
}

impl TetraDefect {
    /// In how many places it is.
    pub fn count(&self) -> usize {
        match self {
            Self::Empty => 1,
            Self::NotFinite(at) | Self::OutOfRange(at) | Self::RepeatedCorner(at) => at.len(),
            Self::NoVolume(at) | Self::Inverted(at) | Self::Unused(at) => at.len(),
            Self::Duplicate(at) => at.len(),
        }
    }
}

impl fmt::Display for TetraDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::mesh_check::some;
        let numbers = |all: &[u32]| some(all, u32::to_string);
        match self {
            Self::Empty => write!(f, "the mesh has no tetrahedra"),
            Self::NotFinite(at) => write!(f, "coordinates are not finite: vertices {}", numbers(at)),
            Self::OutOfRange(at) => write!(f, "corners are not there: tetrahedra {}", numbers(at)),
            Self::RepeatedCorner(at) => write!(f, "a corner is there more than once: tetrahedra {}", numbers(at)),
            Self::NoVolume(at) => write!(f, "nearly no volume: tetrahedra {}", numbers(at)),
            Self::Inverted(at) => write!(f, "inside out: tetrahedra {}", numbers(at)),
            Self::Unused(at) => write!(f, "no tetrahedron uses them: vertices {}", numbers(at)),
            Self::Duplicate(at) => {
                write!(f, "the same corners twice: tetrahedra {}", some(at, |[a, b]| format!("{a} and {b}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn every_defect_is_found_where_it_is() {
        let flat = DVec3::new(0.3, 0.3, 0.0);
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, flat, DVec3::NAN, DVec3::ONE];
        let tetrahedra =
            vec![[0, 1, 2, 3], [0, 2, 1, 3], [0, 1, 2, 4], [0, 0, 1, 2], [0, 1, 2, 77], [3, 1, 2, 0], [6, 1, 2, 3]];
        let found = check(&TetraMesh { points, tetrahedra });
        let expected = vec![
            TetraDefect::NotFinite(vec![5]),
            TetraDefect::OutOfRange(vec![4]),
            TetraDefect::RepeatedCorner(vec![3]),
            TetraDefect::NoVolume(vec![2]),
            TetraDefect::Inverted(vec![1, 5, 6]),
            TetraDefect::Duplicate(vec![[0, 1], [0, 5]]),
            TetraDefect::Unused(vec![5]),
        ];
        assert_eq!(found, expected);
        assert_eq!(found[5].to_string(), "the same corners twice: tetrahedra 0 and 1, 0 and 5");
        assert_eq!(check(&TetraMesh::default()), vec![TetraDefect::Empty]);
    }
}
