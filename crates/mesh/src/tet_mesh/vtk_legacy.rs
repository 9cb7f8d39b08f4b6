//! VTK's old text files (`# vtk DataFile`) with an unstructured grid, up to version 4 (corners behind their number) and from 5 on (offsets
//! and connectivity). Point and cell data are skipped.

use glam::DVec3;

use super::TetMesh;
use super::cells::tets_of_cells;
use super::text::Text;
use crate::mesh::{BadMesh, NOT_FINITE};

/// Cells, and where they are.
#[derive(Default)]
struct Cells {
    offsets: Vec<usize>,
    connectivity: Vec<usize>,
    line_of_first: usize,
    /// The line of each, where each has one of its own.
    lines: Vec<usize>,
}

/// Reads tetrahedra from the bytes of a `.vtk` file.
pub(super) fn parse_vtk(bytes: &[u8]) -> Result<TetMesh, BadMesh> {
    let mut text = Text::new(bytes, None);
    let first = text.raw_line().unwrap_or_default();
    if !first.starts_with(b"# vtk DataFile Version") {
        return Err(text.bad("an old VTK file begins with `# vtk DataFile Version`"));
    }
    text.raw_line(); // a title, in any encoding
    let mut kind = text.needed_row("ASCII or BINARY")?;
    match kind.word() {
        Some("ASCII") => {}
        Some("BINARY") => return Err(kind.bad("this is a binary file: save it as ASCII")),
        _ => return Err(kind.bad("ASCII should be here")),
    }
    let mut set = text.needed_row("DATASET UNSTRUCTURED_GRID")?;
    if (set.word(), set.word()) != (Some("DATASET"), Some("UNSTRUCTURED_GRID")) {
        return Err(set.bad("DATASET UNSTRUCTURED_GRID should be here: no other kind has tetrahedra"));
    }
    let (mut points, mut cells, mut types) = (None, None, None);
    while let Some(mut row) = text.row()? {
        match row.word() {
            Some("POINTS") => points = Some(read_points(&mut text, row.number("the number of points")?)?),
            Some("CELLS") => {
                let (count, size) = (row.number("the number of cells")?, row.number("the number of corners")?);
                cells = Some(read_cells(&mut text, count, size)?);
            }
            Some("CELL_TYPES") => {
                let count = row.number("the number of cells")?;
                text.check_count(count, "types of cells")?;
                types = Some(numbers(&mut text, count, "the type of a cell")?);
            }
            Some("POINT_DATA" | "CELL_DATA") => break,
            // Fields and metadata: their rows begin with no word that is known here.
            _ => {}
        }
    }
    let missing = |what: &str| text.bad(format!("the file has no {what}"));
    let points = points.ok_or_else(|| missing("POINTS"))?;
    let cells: Cells = cells.ok_or_else(|| missing("CELLS"))?;
    let types: Vec<u8> = types.ok_or_else(|| missing("CELL_TYPES"))?;
    if types.len() + 1 != cells.offsets.len() {
        return Err(text.bad(format!("{} types for {} cells", types.len(), cells.offsets.len().saturating_sub(1))));
    }
    let tets = tets_of_cells(&types, &cells.offsets, &cells.connectivity, points.len());
    let line = |cell: usize| cells.lines.get(cell).copied().unwrap_or(cells.line_of_first);
    let tets = tets.map_err(|(cell, why)| BadMesh::line(line(cell), why))?;
    Ok(TetMesh { points, tets })
}

fn numbers<T: std::str::FromStr>(text: &mut Text, count: usize, what: &str) -> Result<Vec<T>, BadMesh> {
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(text.number(what)?);
    }
    Ok(all)
}

fn read_points(text: &mut Text, count: usize) -> Result<Vec<DVec3>, BadMesh> {
    text.check_count(count, "points")?;
    let mut points = Vec::new();
    for _ in 0..count {
        let mut point = DVec3::ZERO;
        for axis in 0..3 {
            point[axis] = text.number("a coordinate")?;
        }
        if !point.is_finite() {
            return Err(text.bad(NOT_FINITE));
        }
        points.push(point);
    }
    Ok(points)
}

fn read_cells(text: &mut Text, count: usize, size: usize) -> Result<Cells, BadMesh> {
    text.check_count(size, "corners")?;
    let mut cells = Cells { line_of_first: text.line() + 1, ..Cells::default() };
    let mut ahead = text.clone();
    if ahead.needed_row("a cell")?.word() == Some("OFFSETS") {
        // From version 5 on: as many offsets as are stated, one more than cells.
        text.needed_row("OFFSETS")?;
        text.check_count(count, "offsets")?;
        cells.offsets = numbers(text, count, "an offset")?;
        let mut row = text.needed_row("CONNECTIVITY")?;
        if row.word() != Some("CONNECTIVITY") {
            return Err(row.bad("CONNECTIVITY should be here"));
        }
        cells.line_of_first = text.line() + 1;
        cells.connectivity = numbers(text, size, "the number of a point")?;
        return Ok(cells);
    }
    text.check_count(count, "cells")?;
    cells.offsets.push(0);
    for _ in 0..count {
        let corners: usize = text.number("the number of corners")?;
        cells.lines.push(text.line());
        cells.connectivity.extend(numbers::<usize>(text, corners, "the number of a point")?);
        cells.offsets.push(cells.connectivity.len());
    }
    match cells.connectivity.len().checked_add(count) == Some(size) {
        true => Ok(cells),
        false => {
            Err(text.bad(format!("the cells have {} numbers instead of {size}", cells.connectivity.len() + count)))
        }
    }
}
