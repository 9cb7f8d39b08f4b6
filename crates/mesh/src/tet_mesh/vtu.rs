//! VTK's XML files with an unstructured grid of one piece, as other programs write them: arrays in ASCII, or appended raw and little endian.
//! Base64 and compression are rejected with a remedy. The frames of our own runs have a reader with more features in `pliant-record`; this one
//! takes points and cells from any.

use std::io::{self, Write};

use glam::DVec3;

use super::TetMesh;
use super::cells::tets_of_cells;
use crate::mesh::BadMesh;
use crate::xml::attribute;

const CURE: &str = "save it with ASCII arrays, or appended raw ones without compression";

/// The text of a file up to its appended bytes, and those.
struct File<'a> {
    xml: &'a str,
    appended: &'a [u8],
    /// Bytes of the length before an appended array.
    length_bytes: usize,
}

/// Reads tetrahedra from the bytes of a `.vtu` file.
pub(super) fn parse_vtu(bytes: &[u8]) -> Result<TetMesh, BadMesh> {
    let nowhere = |why: &str| BadMesh { place: String::new(), why: why.into() };
    let find = |from: usize, mark: &[u8]| {
        bytes[from..].windows(mark.len()).position(|window| window == mark).map(|at| from + at)
    };
    // Appended bytes begin behind the underscore that follows the tag.
    let appended = find(0, b"<AppendedData");
    let data = appended.and_then(|at| find(at, b">")).and_then(|at| find(at, b"_")).map(|at| &bytes[at + 1..]);
    let text = &bytes[..appended.unwrap_or(bytes.len())];
    let xml = std::str::from_utf8(text).map_err(|error| BadMesh::byte(error.valid_up_to(), "this is no text"))?;
    let tag = |name: &str| xml.find(name).map(|at| &xml[at..at + xml[at..].find('>').unwrap_or(xml.len() - at)]);
    let head = tag("<VTKFile ").ok_or_else(|| nowhere("there is no <VTKFile> in it"))?;
    if attribute(head, "type") != Some("UnstructuredGrid") {
        return Err(nowhere("it is no UnstructuredGrid: no other kind has tetrahedra"));
    }
    if attribute(head, "byte_order").is_some_and(|order| order != "LittleEndian") {
        return Err(nowhere("its bytes are not little endian: save it with ASCII arrays"));
    }
    if attribute(head, "compressor").is_some() {
        return Err(nowhere(&format!("its arrays are compressed: {CURE}")));
    }
    let length_bytes = if attribute(head, "header_type") == Some("UInt64") { 8 } else { 4 };
    let encoding = appended.map(|at| String::from_utf8_lossy(&bytes[at..bytes.len().min(at + 80)]).into_owned());
    if encoding.is_some_and(|tag| attribute(&tag, "encoding").is_some_and(|encoding| encoding != "raw")) {
        return Err(nowhere(&format!("its appended arrays are not raw: {CURE}")));
    }
    let file = File { xml, appended: data.unwrap_or_default(), length_bytes };
    if xml.matches("<Piece ").count() != 1 {
        return Err(nowhere("it has not just one <Piece>"));
    }
    let piece = tag("<Piece ").unwrap_or_default();
    let count = |name: &str| {
        let number = attribute(piece, name).and_then(|number| number.parse::<usize>().ok());
        number.ok_or_else(|| nowhere(&format!("its piece has no number as {name}")))
    };
    let (points, cells) = (count("NumberOfPoints")?, count("NumberOfCells")?);
    let coordinates = file.array("<Points>", None, points.checked_mul(3))?;
    let points: Vec<DVec3> = coordinates.as_chunks::<3>().0.iter().map(|x| DVec3::from_array(*x)).collect();
    if let Some(point) = points.iter().position(|point| !point.is_finite()) {
        return Err(nowhere(&format!("point {point} is not finite")));
    }
    // An invalid index becomes one that every check rejects.
    let index = |value: &f64| if *value >= 0.0 && value.fract() == 0.0 { *value as usize } else { usize::MAX };
    let types = file.array("<Cells>", Some("types"), Some(cells))?;
    let types: Vec<u8> = types.iter().map(|kind| u8::try_from(index(kind)).unwrap_or(u8::MAX)).collect();
    let mut offsets = vec![0];
    offsets.extend(file.array("<Cells>", Some("offsets"), Some(cells))?.iter().map(index));
    let corners = offsets.last().copied();
    let connectivity: Vec<usize> = file.array("<Cells>", Some("connectivity"), corners)?.iter().map(index).collect();
    let tets = tets_of_cells(&types, &offsets, &connectivity, points.len()).map_err(|(_, why)| nowhere(&why))?;
    Ok(TetMesh { points, tets })
}

impl File<'_> {
    /// The values of an array within an element, the first or the one of that name, with the required length.
    fn array(&self, element: &str, name: Option<&str>, count: Option<usize>) -> Result<Vec<f64>, BadMesh> {
        let what = name.unwrap_or("Points");
        let bad = |at: usize, why: String| {
            let line = 1 + self.xml.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
            BadMesh::line(line, format!("array \"{what}\": {why}"))
        };
        let start = self.xml.find(element).ok_or_else(|| bad(0, format!("there is no {element}")))?;
        let end = start + self.xml[start..].find(&element.replace('<', "</")).unwrap_or(self.xml.len() - start);
        let mut from = start;
        let (tag, behind) = loop {
            let Some(at) = self.xml[from..end].find("<DataArray ").map(|at| from + at) else {
                return Err(bad(start, "it is not there".into()));
            };
            let close = self.xml[at..end].find('>').map(|close| at + close);
            let close = close.ok_or_else(|| bad(at, "its tag does not end".into()))?;
            let tag = &self.xml[at..close];
            if name.is_none_or(|name| attribute(tag, "Name") == Some(name)) {
                break (tag, close + 1);
            }
            from = close;
        };
        let count = count.ok_or_else(|| bad(behind, "it is too large".into()))?;
        let values = match attribute(tag, "format") {
            Some("ascii") => {
                let rest = &self.xml[behind..end];
                let text = &rest[..rest.find('<').ok_or_else(|| bad(behind, "the file ends within it".into()))?];
                let mut values = Vec::new();
                for word in text.split_ascii_whitespace() {
                    let at = word.as_ptr() as usize - self.xml.as_ptr() as usize;
                    values.push(word.parse().map_err(|_| bad(at, format!("\"{word}\" is no number")))?);
                }
                values
            }
            Some("appended") => self.appended(tag, count).map_err(|why| bad(behind, why))?,
            _ => return Err(bad(behind, format!("it is neither ASCII nor appended: {CURE}"))),
        };
        match values.len() == count {
            true => Ok(values),
            false => Err(bad(behind, format!("it has {} values instead of {count}", values.len()))),
        }
    }

    fn appended(&self, tag: &str, count: usize) -> Result<Vec<f64>, String> {
        let short = || "the file ends within it, or is damaged".to_owned();
        let kind = attribute(tag, "type").unwrap_or_default();
        let offset =
            attribute(tag, "offset").and_then(|offset| offset.parse::<usize>().ok()).ok_or("it has no offset")?;
        let rest = self.appended.get(offset..).ok_or_else(short)?;
        let (length, rest) = rest.split_at_checked(self.length_bytes).ok_or_else(short)?;
        let length = length.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        let data = usize::try_from(length).ok().and_then(|length| rest.get(..length)).ok_or_else(short)?;
        fn all<const N: usize>(data: &[u8], to: impl Fn([u8; N]) -> f64) -> (Vec<f64>, usize) {
            (data.as_chunks::<N>().0.iter().map(|bytes| to(*bytes)).collect(), N)
        }
        let (values, bytes) = match kind {
            "Float64" => all(data, f64::from_le_bytes),
            "Float32" => all(data, |bytes| f64::from(f32::from_le_bytes(bytes))),
            "Int64" => all(data, |bytes| i64::from_le_bytes(bytes) as f64),
            "UInt64" => all(data, |bytes| u64::from_le_bytes(bytes) as f64),
            "Int32" => all(data, |bytes| f64::from(i32::from_le_bytes(bytes))),
            "UInt32" => all(data, |bytes| f64::from(u32::from_le_bytes(bytes))),
            "UInt8" => all(data, |[byte]| f64::from(byte)),
            "Int8" => all(data, |[byte]| f64::from(byte as i8)),
            _ => return Err(format!("its type is {kind}, which cannot be read")),
        };
        match count.checked_mul(bytes) == Some(data.len()) {
            true => Ok(values),
            false => Err(format!("it has {} bytes instead of {count} times {bytes}", data.len())),
        }
    }
}
/// Writes tetrahedra as a `.vtu` file that ParaView, meshio and [`parse_vtu`] read: ASCII, every digit of the coordinates.
pub(super) fn write_vtu(mesh: &TetMesh, out: &mut dyn Write) -> io::Result<()> {
    let (points, cells) = (mesh.points.len(), mesh.tets.len());
    writeln!(out, r#"<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">"#)?;
    writeln!(out, r#"<UnstructuredGrid><Piece NumberOfPoints="{points}" NumberOfCells="{cells}">"#)?;
    writeln!(out, r#"<Points><DataArray type="Float64" Name="Points" NumberOfComponents="3" format="ascii">"#)?;
    mesh.points.iter().try_for_each(|p| writeln!(out, "{:?} {:?} {:?}", p.x, p.y, p.z))?;
    writeln!(out, "</DataArray></Points>\n<Cells>")?;
    writeln!(out, r#"<DataArray type="Int64" Name="connectivity" format="ascii">"#)?;
    mesh.tets.iter().try_for_each(|[a, b, c, d]| writeln!(out, "{a} {b} {c} {d}"))?;
    writeln!(out, r#"</DataArray><DataArray type="Int64" Name="offsets" format="ascii">"#)?;
    (1..=cells).try_for_each(|k| writeln!(out, "{}", 4 * k))?;
    writeln!(out, r#"</DataArray><DataArray type="UInt8" Name="types" format="ascii">"#)?;
    (0..cells).try_for_each(|_| writeln!(out, "10"))?;
    writeln!(out, "</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_to_the_last_bit() {
        let points = vec![DVec3::new(0.1, 1.0 / 3.0, -2e-300), DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(1e5 / 7.0)];
        let mesh = TetMesh { points, tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]] };
        let mut bytes = Vec::new();
        write_vtu(&mesh, &mut bytes).unwrap();
        let read = parse_vtu(&bytes).unwrap_or_else(|bad| panic!("{}: {}", bad.place, bad.why));
        assert_eq!(read, mesh);
    }
}
