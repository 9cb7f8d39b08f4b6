//! A box of cells, each split into tetrahedra.

use glam::DVec3;

use super::{TetraMesh, signed_volume};

/// How cells are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Six around the diagonal from the lowest to the highest corner, the same in every cell [Kuhn]. Biased: a bent bar moves sideways.
    Kuhn,
    /// The same, mirrored in every second cell along each axis: diagonals meet in the corners of 2 × 2 × 2 cells, and no direction is
    /// preferred.
    MirroredKuhn,
    /// A regular tetrahedron (in cubes) and four corners, mirrored from cell to cell: fewest tetrahedra, best angles.
    MirroredFive,
}

/// Corners of a cell as bits: 1 for x, 2 for y, 4 for z. Paths from 0 to 7 along the axes, in the order of permutations.
const SIX: [[u32; 4]; 6] = [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];
/// The corners with an even number of bits in the middle, the others cut off.
const FIVE: [[u32; 4]; 5] = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]];

/// A box from its lowest corner, with the given number of cells along each axis; points go fastest along x, slowest along z, and all tetrahedra are
/// positively oriented. `None` where there are no cells, more points than indices, or a size that is not positive.
pub fn lattice(lowest: DVec3, size: DVec3, cells: [usize; 3], split: Split) -> Option<TetraMesh> {
    let sized = size.cmpgt(DVec3::ZERO).all() && size.is_finite() && lowest.is_finite();
    let counts = cells.map(|n| n.checked_add(1));
    let [Some(nx), Some(ny), Some(nz)] = counts else { return None };
    let total = nx.checked_mul(ny)?.checked_mul(nz)?;
    if !sized || cells.contains(&0) || u32::try_from(total).is_err() {
        return None;
    }
    let step = |k: usize, n: usize| k as f64 / n as f64;
    let mut points = Vec::with_capacity(total);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let part = DVec3::new(step(i, cells[0]), step(j, cells[1]), step(k, cells[2]));
                points.push(lowest + size * part);
            }
        }
    }
    let mut tetrahedra = Vec::new();
    for k in 0..cells[2] {
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                let odd = |n: usize, bit: u32| if n % 2 == 1 { bit } else { 0 };
                let parity = odd(i, 1) | odd(j, 2) | odd(k, 4);
                // which axes of the cell are mirrored; five are the same after two mirrors
                let (corners, mirror) = match split {
                    Split::Kuhn => (&SIX[..], 0),
                    Split::MirroredKuhn => (&SIX[..], parity),
                    Split::MirroredFive => (&FIVE[..], parity.count_ones() % 2),
                };
                let point = |corner: u32| {
                    let bit = |b: u32| (((corner ^ mirror) >> b) & 1) as usize;
                    ((i + bit(0)) + nx * ((j + bit(1)) + ny * (k + bit(2)))) as u32
                };
                tetrahedra.extend(corners.iter().map(|t| upright(t.map(point), &points)));
            }
        }
    }
    Some(TetraMesh { points, tetrahedra })
}

/// The same tetrahedron the right way out.
fn upright(t: [u32; 4], points: &[DVec3]) -> [u32; 4] {
    if signed_volume(t.map(|n| points[n as usize])) < 0.0 { [t[0], t[1], t[3], t[2]] } else { t }
}

#[cfg(test)]
mod tests {
    use super::super::surface::surface;
    use super::*;
    use crate::tetra::check::check;

    const ALL: [(Split, usize); 3] = [(Split::Kuhn, 6), (Split::MirroredKuhn, 6), (Split::MirroredFive, 5)];

    #[test]
    fn lattices_fill_their_box_and_fit_together() {
        let size = DVec3::new(0.3, 0.2, 0.5);
        for (split, per_cell) in ALL {
            let mesh = lattice(DVec3::new(-1.0, 2.0, 0.5), size, [3, 2, 4], split).unwrap();
            assert_eq!((mesh.points.len(), mesh.tetrahedra.len()), (4 * 3 * 5, per_cell * 24));
            assert!((mesh.volume() - size.element_product()).abs() < 1e-15, "{split:?}");
            assert_eq!(check(&mesh), vec![], "{split:?}");
            // a face that did not meet its neighbour would be on the surface
            let faces = surface(&mesh);
            assert_eq!(faces.len(), 2 * 2 * (3 * 2 + 2 * 4 + 3 * 4), "{split:?}");
            let area = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|n| mesh.points[n as usize]);
                0.5 * (b - a).cross(c - a)
            };
            let total: f64 = faces.iter().map(|t| area(t).length()).sum();
            let exact = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
            assert!((total - exact).abs() < 1e-14, "{split:?}: {total}");
        }
    }

    /// A mirrored lattice is its own mirror image; Kuhn's is not.
    #[test]
    fn mirrored_splits_have_no_bias() {
        for (split, _) in ALL {
            let mesh = lattice(DVec3::splat(-1.0), DVec3::splat(2.0), [2, 2, 2], split).unwrap();
            let sorted = |mut t: [u32; 4]| {
                t.sort_unstable();
                t
            };
            let mut all: Vec<[u32; 4]> = mesh.tetrahedra.iter().map(|t| sorted(*t)).collect();
            all.sort_unstable();
            // x → -x takes point i to 2 - i in its row of three
            let mut mirrored: Vec<[u32; 4]> = all.iter().map(|t| sorted(t.map(|n| n - n % 3 + 2 - n % 3))).collect();
            mirrored.sort_unstable();
            assert_eq!(all == mirrored, split != Split::Kuhn, "{split:?}");
        }
    }

    #[test]
    fn impossible_boxes_are_refused() {
        let one = DVec3::ONE;
        for (size, cells) in [
            (one, [0, 1, 1]),
            (DVec3::new(1.0, 0.0, 1.0), [1, 1, 1]),
            (DVec3::NAN, [1, 1, 1]),
            (one, [usize::MAX, 1, 1]),
            (one, [1 << 20, 1 << 20, 1 << 20]),
        ] {
            assert_eq!(lattice(DVec3::ZERO, size, cells, Split::Kuhn), None, "{size} {cells:?}");
        }
    }
}
