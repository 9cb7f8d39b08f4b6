//! TetGen's `.node` and `.ele`: a row of counts, then one row per point or tetrahedron, each behind its number. Numbers begin with 0 or 1.

use glam::DVec3;

use super::distinct;
use super::text::Text;
use crate::mesh::BadMesh;

/// The points of a `.node` file, and the number of the first: 0 or 1.
pub(super) fn parse_node(bytes: &[u8]) -> Result<(Vec<DVec3>, u64), BadMesh> {
    let mut text = Text::new(bytes, Some(b'#'));
    let mut head = text.needed_row("the number of points")?;
    let count: usize = head.number("the number of points")?;
    let dimension: u32 = head.number("the dimension, 3")?;
    if dimension != 3 {
        return Err(head.bad(format!("the points have {dimension} dimensions instead of 3")));
    }
    text.check_count(count, "points")?;
    let (mut points, mut first) = (Vec::new(), 0);
    for k in 0..count as u64 {
        let mut row = text.needed_row("a point")?;
        let number: u64 = row.number("the number of a point")?;
        if k == 0 {
            first = number;
        }
        if first > 1 || number != first + k {
            return Err(row.bad(format!("point {} should be here, not {number}", first.min(1) + k)));
        }
        points.push(row.point()?);
    }
    no_more(&mut text, "points")?;
    Ok((points, first))
}

/// The tetrahedra of an `.ele` file for a number of points, the first of which has this number.
pub(super) fn parse_ele(bytes: &[u8], points: usize, first: u64) -> Result<Vec<[u32; 4]>, BadMesh> {
    let mut text = Text::new(bytes, Some(b'#'));
    let mut head = text.needed_row("the number of tetrahedra")?;
    let count: usize = head.number("the number of tetrahedra")?;
    let corners: u32 = head.number("the number of corners, 4")?;
    if corners != 4 {
        return Err(head.bad(format!("tetrahedra have {corners} nodes instead of 4: run TetGen without -o2")));
    }
    text.check_count(count, "tetrahedra")?;
    let mut tets = Vec::new();
    for _ in 0..count {
        let mut row = text.needed_row("a tetrahedron")?;
        let _number: u64 = row.number("the number of a tetrahedron")?;
        let mut tet = [0; 4];
        for corner in &mut tet {
            let number: u64 = row.number("the number of a point")?;
            let index = number.checked_sub(first).filter(|index| *index < points as u64);
            let index = index.and_then(|index| u32::try_from(index).ok());
            *corner = index.ok_or_else(|| {
                row.bad(format!("there is no point {number}: there are {points}, counted from {first}"))
            })?;
        }
        tets.push(distinct(tet).ok_or_else(|| row.bad("a tetrahedron has a corner twice"))?);
    }
    no_more(&mut text, "tetrahedra")?;
    Ok(tets)
}

fn no_more(text: &mut Text, what: &str) -> Result<(), BadMesh> {
    match text.row()? {
        Some(row) => Err(row.bad(format!("there are more {what} than the first line says"))),
        None => Ok(()),
    }
}
