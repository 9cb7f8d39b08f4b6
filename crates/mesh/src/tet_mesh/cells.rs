//! The cells of VTK's grids, old files and new ones alike.

use super::distinct;

const TET: u8 = 10;

/// Corners of vertices, lines, triangles and quadrilaterals: a type that is cut short in the file is found by them.
const SIZES: [(u8, usize); 4] = [(1, 1), (3, 2), (5, 3), (9, 4)];

/// Cells that are not tetrahedra with four corners: points, lines and surfaces are skipped, other solids rejected.
fn is_passed_over(kind: u8) -> bool {
    // 1 to 9: vertices, lines, polygons; 21 to 23: curved edges and faces; 0: empty; 28, 30, 34 and 68 to 70: more curved ones.
    matches!(kind, 0..=9 | 21..=23 | 28 | 30 | 34 | 68..=70)
}

/// The tetrahedra among some cells: `offsets[k]..offsets[k + 1]` are the corners of cell `k`. On failure the cell, and why.
pub(super) fn tets_of_cells(
    types: &[u8],
    offsets: &[usize],
    connectivity: &[usize],
    points: usize,
) -> Result<Vec<[u32; 4]>, (usize, String)> {
    let mut tets = Vec::new();
    for (cell, kind) in types.iter().enumerate() {
        let bad = |why: String| (cell, format!("cell {cell}: {why}"));
        let range = offsets.get(cell).zip(offsets.get(cell + 1));
        let corners = range.and_then(|(start, end)| connectivity.get(*start..*end));
        let corners = corners.ok_or_else(|| bad("its corners are not there".into()))?;
        if let Some((_, needed)) = SIZES.iter().find(|(sized, needed)| sized == kind && *needed != corners.len()) {
            return Err(bad(format!("type {kind} needs {needed} corners, got {}", corners.len())));
        }
        if is_passed_over(*kind) {
            continue;
        }
        if *kind != TET {
            return Err(bad(format!("type {kind} is a solid that is no tetrahedron with 4 corners (type {TET})")));
        }
        if let Some(wrong) = corners.iter().find(|corner| **corner >= points || u32::try_from(**corner).is_err()) {
            return Err(bad(format!("there is no point {wrong}: there are {points}, counted from 0")));
        }
        let Ok(corners) = <[usize; 4]>::try_from(corners) else {
            return Err(bad(format!("a tetrahedron needs 4 corners, got {}", corners.len())));
        };
        let tet = distinct(corners.map(|corner| corner as u32));
        tets.push(tet.ok_or_else(|| bad("a tetrahedron has a corner twice".into()))?);
    }
    Ok(tets)
}
