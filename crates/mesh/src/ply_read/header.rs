//! The header of a PLY file.

use crate::attribute::NumberKind;
use crate::mesh::BadMesh;

pub(super) struct Property {
    pub name: String,
    pub kind: NumberKind,
    /// Type of the length, for lists.
    pub list: Option<NumberKind>,
}

pub(super) struct Element {
    pub name: String,
    pub count: usize,
    pub properties: Vec<Property>,
    /// Where it is declared.
    pub line: usize,
}

impl Element {
    /// Bytes that a row takes at least.
    pub fn least_bytes(&self) -> usize {
        self.properties.iter().map(|property| property.list.unwrap_or(property.kind).bytes()).sum()
    }
}

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// The first byte behind it.
    pub end: usize,
    /// Lines that it takes.
    pub end_line: usize,
}

pub(super) fn parse_header(bytes: &[u8]) -> Result<Header, BadMesh> {
    let (mut encoding, mut elements, mut start) = (None, Vec::<Element>::new(), 0);
    for number in 1.. {
        let bad = |why: &str| BadMesh::line(number, why);
        let length = bytes[start..].iter().position(|byte| *byte == b'\n');
        let length = length.ok_or_else(|| bad("the file ends within the header of a PLY file"))?;
        let line = String::from_utf8_lossy(&bytes[start..start + length]);
        start += length + 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        match (number, words.as_slice()) {
            (1, ["ply"]) => {}
            (1, _) => return Err(bad("a PLY file begins with a line `ply`")),
            (_, ["format", "ascii", _]) => encoding = Some(Encoding::Text),
            (_, ["format", "binary_little_endian", _]) => encoding = Some(Encoding::LittleEndian),
            (_, ["format", "binary_big_endian", _]) => encoding = Some(Encoding::BigEndian),
            (_, ["format", ..]) => {
                return Err(bad("the format must be ascii, binary_little_endian or binary_big_endian, and a version"));
            }
            (_, [] | ["comment" | "obj_info", ..]) => {}
            (_, ["element", name, count]) => {
                let count = count.parse().map_err(|_| bad("the number of rows is no number"))?;
                elements.push(Element { name: (*name).to_owned(), count, properties: Vec::new(), line: number });
            }
            (_, ["property", rest @ ..]) => {
                let element = elements.last_mut().ok_or_else(|| bad("a property before any element"))?;
                let property = parse_property(rest).ok_or_else(|| bad("this is no property that can be read"))?;
                element.properties.push(property);
            }
            (_, ["end_header"]) => {
                let encoding = encoding.ok_or_else(|| bad("the header ends without a format"))?;
                return Ok(Header { encoding, elements, end: start, end_line: number });
            }
            _ => return Err(bad("this line does not belong into the header of a PLY file")),
        }
    }
    unreachable!("every file has an end")
}

fn parse_property(words: &[&str]) -> Option<Property> {
    let (list, kind, name) = match words {
        ["list", length, kind, name] => (Some(NumberKind::parse(length)?), kind, name),
        [kind, name] => (None, kind, name),
        _ => return None,
    };
    Some(Property { name: (*name).to_owned(), kind: NumberKind::parse(kind)?, list })
}
