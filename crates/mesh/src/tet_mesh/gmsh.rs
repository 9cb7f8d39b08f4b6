//! Gmsh's `.msh` in ASCII: version 2.2, one line per element, and 4.1, blocks of elements of one type. Sections other than nodes and elements
//! are skipped.

use glam::DVec3;

use super::text::{Row, Text};
use super::{TetMesh, distinct};
use crate::mesh::BadMesh;

const TET: u32 = 4;

/// Types of solids that are no tetrahedra with four corners. Points, lines and surfaces are all others.
const OTHER_SOLIDS: [(u32, &str); 11] = [
    (5, "hexahedra"),
    (6, "prisms"),
    (7, "pyramids"),
    (11, "curved tetrahedra of 10 nodes (save with mesh order 1)"),
    (12, "hexahedra of 27 nodes"),
    (13, "prisms of 18 nodes"),
    (14, "pyramids of 14 nodes"),
    (17, "hexahedra of 20 nodes"),
    (18, "prisms of 15 nodes"),
    (19, "pyramids of 13 nodes"),
    (29, "curved tetrahedra of 20 nodes (save with mesh order 1)"),
];

/// Nodes with their tags, in the order of the file.
#[derive(Default)]
struct Nodes {
    points: Vec<DVec3>,
    /// Tags and indices, sorted once all are there.
    tags: Vec<(u64, u32)>,
}

/// Reads tetrahedra from the bytes of a `.msh` file.
pub(super) fn parse_msh(bytes: &[u8]) -> Result<TetMesh, BadMesh> {
    let mut text = Text::new(bytes, None);
    let blocks = read_format(&mut text)?;
    let (mut nodes, mut tets) = (None, None);
    while let Some(line) = text.raw_line() {
        let name = String::from_utf8_lossy(line.trim_ascii());
        match name.as_ref() {
            "$Nodes" if nodes.is_none() => {
                let found = if blocks { read_node_blocks(&mut text)? } else { read_nodes(&mut text)? };
                end_section(&mut text, "$EndNodes")?;
                nodes = Some(found.sorted(&text)?);
            }
            "$Elements" if tets.is_none() => {
                let nodes = nodes.as_ref().ok_or_else(|| text.bad("the elements come before the nodes"))?;
                let found =
                    if blocks { read_element_blocks(&mut text, nodes)? } else { read_elements(&mut text, nodes)? };
                end_section(&mut text, "$EndElements")?;
                tets = Some(found);
            }
            "$Nodes" | "$Elements" => return Err(text.bad(format!("{name} is there twice"))),
            "" => {}
            _ => match name.strip_prefix('$') {
                Some(section) => skip_section(&mut text, &format!("$End{section}"))?,
                None => return Err(text.bad("a section such as $Nodes should begin here")),
            },
        }
    }
    let missing = |what: &str| text.bad(format!("the file ends without {what}"));
    let nodes = nodes.ok_or_else(|| missing("$Nodes"))?;
    Ok(TetMesh { points: nodes.points, tets: tets.ok_or_else(|| missing("$Elements"))? })
}

/// Whether nodes and elements come in blocks, as they do in version 4.1.
fn read_format(text: &mut Text) -> Result<bool, BadMesh> {
    const CURE: &str = "save it as version 4.1 ASCII (gmsh old.msh -save -format msh41 -o new.msh)";
    let first = text.raw_line().unwrap_or_default();
    if first.trim_ascii() != b"$MeshFormat" {
        return Err(text.bad("a Gmsh file begins with $MeshFormat"));
    }
    let mut row = text.needed_row("the version")?;
    let version = row.word().unwrap_or_default();
    let is_binary = row.number::<u32>("the kind of file, 0 for ASCII")? != 0;
    if is_binary {
        return Err(row.bad(format!("this is a binary file of Gmsh's version {version}: {CURE}")));
    }
    let blocks = match version {
        "2.2" => false,
        "4.1" => true,
        _ => return Err(row.bad(format!("Gmsh's version {version} is not one of 2.2 and 4.1: {CURE}"))),
    };
    end_section(text, "$EndMeshFormat")?;
    Ok(blocks)
}

fn end_section(text: &mut Text, end: &str) -> Result<(), BadMesh> {
    let mut row = text.needed_row(end)?;
    if row.word() == Some(end) { Ok(()) } else { Err(row.bad(format!("{end} should be here"))) }
}

fn skip_section(text: &mut Text, end: &str) -> Result<(), BadMesh> {
    let begin = text.bad("");
    while let Some(line) = text.raw_line() {
        if line.trim_ascii() == end.as_bytes() {
            return Ok(());
        }
    }
    Err(BadMesh { why: format!("the file ends before {end}"), ..begin })
}

impl Nodes {
    fn push(&mut self, tag: u64, point: DVec3) {
        self.tags.push((tag, self.points.len() as u32));
        self.points.push(point);
    }

    fn sorted(mut self, text: &Text) -> Result<Self, BadMesh> {
        self.tags.sort_unstable();
        match self.tags.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(text.bad(format!("two nodes have the number {}", pair[0].0))),
            None => Ok(self),
        }
    }

    /// The corners of a tetrahedron by the numbers of its nodes.
    fn tet(&self, row: &Row, tags: &[u64]) -> Result<[u32; 4], BadMesh> {
        let Ok(tags) = <[u64; 4]>::try_from(tags) else {
            return Err(row.bad(format!("a tetrahedron needs 4 nodes, got {}", tags.len())));
        };
        let mut tet = [0; 4];
        for (corner, tag) in tet.iter_mut().zip(tags) {
            let place = self.tags.binary_search_by_key(&tag, |(tag, _)| *tag);
            *corner = self.tags[place.map_err(|_| row.bad(format!("there is no node {tag}")))?].1;
        }
        distinct(tet).ok_or_else(|| row.bad("a tetrahedron has a node twice"))
    }
}

fn read_nodes(text: &mut Text) -> Result<Nodes, BadMesh> {
    let count = text.needed_row("the number of nodes")?.number("the number of nodes")?;
    text.check_count(count, "nodes")?;
    let mut nodes = Nodes::default();
    for _ in 0..count {
        let mut row = text.needed_row("a node")?;
        nodes.push(row.number("the number of a node")?, row.point()?);
    }
    Ok(nodes)
}

fn read_node_blocks(text: &mut Text) -> Result<Nodes, BadMesh> {
    let mut head = text.needed_row("the number of blocks")?;
    let blocks: usize = head.number("the number of blocks")?;
    let count: usize = head.number("the number of nodes")?;
    text.check_count(count, "nodes")?;
    let mut nodes = Nodes::default();
    for _ in 0..blocks {
        let mut head = text.needed_row("a block of nodes")?;
        let _entity: [i64; 2] = [head.number("a dimension")?, head.number("the number of an entity")?];
        let _parametric: u32 = head.number("0 or 1")?;
        let in_block: usize = head.number("the number of nodes")?;
        text.check_count(in_block, "nodes")?;
        let mut tags = Vec::new();
        for _ in 0..in_block {
            tags.push(text.needed_row("the number of a node")?.number("the number of a node")?);
        }
        for tag in tags {
            nodes.push(tag, text.needed_row("a node")?.point()?);
        }
    }
    match nodes.points.len() == count {
        true => Ok(nodes),
        false => Err(text.bad(format!("the blocks hold {} nodes instead of {count}", nodes.points.len()))),
    }
}

fn refuse_other_solids(row: &Row, kind: u32) -> Result<(), BadMesh> {
    match OTHER_SOLIDS.iter().find(|(solid, _)| *solid == kind) {
        Some((_, name)) => Err(row.bad(format!("there are {name}: only tetrahedra of 4 nodes can be read"))),
        None => Ok(()),
    }
}

fn read_elements(text: &mut Text, nodes: &Nodes) -> Result<Vec<[u32; 4]>, BadMesh> {
    let count = text.needed_row("the number of elements")?.number("the number of elements")?;
    text.check_count(count, "elements")?;
    let mut tets = Vec::new();
    for _ in 0..count {
        let mut row = text.needed_row("an element")?;
        let _number: u64 = row.number("the number of an element")?;
        let kind = row.number("the type of an element")?;
        refuse_other_solids(&row, kind)?;
        if kind == TET {
            let tags: usize = row.number("the number of tags")?;
            let rest: Vec<u64> = row.all("the number of a node")?;
            let corners = rest.get(tags..).ok_or_else(|| row.bad(format!("the line ends within {tags} tags")))?;
            tets.push(nodes.tet(&row, corners)?);
        }
    }
    Ok(tets)
}

fn read_element_blocks(text: &mut Text, nodes: &Nodes) -> Result<Vec<[u32; 4]>, BadMesh> {
    let blocks: usize = text.needed_row("the number of blocks")?.number("the number of blocks")?;
    let mut tets = Vec::new();
    for _ in 0..blocks {
        let mut head = text.needed_row("a block of elements")?;
        let _entity: [i64; 2] = [head.number("a dimension")?, head.number("the number of an entity")?];
        let kind = head.number("the type of the elements")?;
        let in_block: usize = head.number("the number of elements")?;
        refuse_other_solids(&head, kind)?;
        text.check_count(in_block, "elements")?;
        for _ in 0..in_block {
            let mut row = text.needed_row("an element")?;
            let _number: u64 = row.number("the number of an element")?;
            if kind == TET {
                let tags = row.all("the number of a node")?;
                tets.push(nodes.tet(&row, &tags)?);
            }
        }
    }
    Ok(tets)
}
