//! Reads PLY files, text and binary: `x y z` of `vertex`, the list `vertex_indices` (or `vertex_index`) of `face`,
//! `vertex1 vertex2` of `edge`. Other numbers of a vertex become attributes; its lists, and all other elements, are skipped.

mod header;
mod values;

use glam::DVec3;

use crate::attribute::Attribute;
use crate::mesh::{BadMesh, MAX_CORNERS, Mesh, NOT_FINITE};
use header::{Element, Encoding, Property, parse_header};
use values::Values;

/// Reads a mesh from the bytes of a PLY file.
pub fn parse_ply(bytes: &[u8]) -> Result<Mesh, BadMesh> {
    let header = parse_header(bytes)?;
    let mut values = Values::new(bytes, header.end, header.end_line, header.encoding);
    let mut mesh = Mesh::default();
    for element in &header.elements {
        if element.properties.is_empty() {
            continue;
        }
        // Every row takes some bytes, so a count that the file cannot hold is found before memory is allocated for it.
        let least = if header.encoding == Encoding::Text { 1 } else { element.least_bytes() };
        if element.count.checked_mul(least).is_none_or(|needed| needed > values.left()) {
            return Err(values.bad(format!(
                "{} rows of element \"{}\" do not fit into the {} bytes that are left",
                element.count,
                element.name,
                values.left()
            )));
        }
        match element.name.as_str() {
            "vertex" => read_vertices(element, &mut values, &mut mesh)?,
            "face" => read_faces(element, &mut values, &mut mesh)?,
            "edge" => read_edges(element, &mut values, &mut mesh)?,
            _ => (0..element.count).try_for_each(|_| read_row(element, &mut values, |_, _| {}))?,
        }
    }
    values.end()?;
    if let Some(index) = mesh.first_bad_index() {
        let count = mesh.points.len();
        return Err(BadMesh {
            place: String::new(),
            why: format!("an element names vertex {index}, but there are {count}"),
        });
    }
    Ok(mesh)
}

/// Reads one row; `take` is given the number of each property and its value or list of values.
fn read_row(element: &Element, values: &mut Values, mut take: impl FnMut(usize, &[f64])) -> Result<(), BadMesh> {
    values.begin_row()?;
    let mut list = Vec::new();
    for (k, property) in element.properties.iter().enumerate() {
        list.clear();
        match property.list {
            None => list.push(values.next(property.kind)?),
            Some(kind) => {
                let length = values.next(kind)?;
                let most = values.left();
                if length < 0.0 || length.fract() != 0.0 || length > most as f64 {
                    return Err(values.bad(format!("a list of {length} values with {most} bytes left")));
                }
                for _ in 0..length as usize {
                    list.push(values.next(property.kind)?);
                }
            }
        }
        take(k, &list);
    }
    values.end_row(&element.name)
}

fn find(element: &Element, names: &[&str], list: bool) -> Result<usize, BadMesh> {
    let fits = |property: &Property| names.contains(&property.name.as_str()) && property.list.is_some() == list;
    element.properties.iter().position(fits).ok_or_else(|| {
        let why = format!("element \"{}\" has no property \"{}\"", element.name, names[0]);
        BadMesh::line(element.line, why)
    })
}

fn read_vertices(element: &Element, values: &mut Values, mesh: &mut Mesh) -> Result<(), BadMesh> {
    let places = [find(element, &["x"], false)?, find(element, &["y"], false)?, find(element, &["z"], false)?];
    let others = element.properties.iter().enumerate().filter(|(k, p)| p.list.is_none() && !places.contains(k));
    let others: Vec<usize> = others.map(|(k, _)| k).collect();
    let new = |k: &usize| Attribute::new(&element.properties[*k].name, element.properties[*k].kind, Vec::new());
    let mut attributes: Vec<Attribute> = others.iter().map(new).collect();
    for _ in 0..element.count {
        let (mut point, mut misfit) = ([0.0; 3], None);
        read_row(element, values, |k, value| {
            if let Some(axis) = places.iter().position(|place| *place == k) {
                point[axis] = value[0];
            } else if let Some(number) = others.iter().position(|other| *other == k) {
                let attribute = &mut attributes[number];
                match attribute.kind.fit(value[0]) {
                    Some(value) => attribute.values.push(value),
                    None => misfit = Some(format!("{} = {} is no {}", attribute.name, value[0], attribute.kind.name())),
                }
            }
        })?;
        let point = DVec3::from_array(point);
        if !point.is_finite() {
            return Err(values.bad(NOT_FINITE.into()));
        }
        if let Some(why) = misfit {
            return Err(values.bad(why));
        }
        mesh.points.push(point);
    }
    mesh.attributes = attributes;
    Ok(())
}

fn read_faces(element: &Element, values: &mut Values, mesh: &mut Mesh) -> Result<(), BadMesh> {
    let place = find(element, &["vertex_indices", "vertex_index"], true)?;
    for _ in 0..element.count {
        let mut face = Some(Vec::new());
        read_row(element, values, |k, list| {
            if k == place {
                face = list.iter().map(|value| index(*value)).collect();
            }
        })?;
        let face = face.ok_or_else(|| values.bad("a corner of a face is no index".into()))?;
        if !(3..=MAX_CORNERS).contains(&face.len()) {
            return Err(values.bad(format!("a face needs 3 to {MAX_CORNERS} corners, got {}", face.len())));
        }
        mesh.faces.push(face);
    }
    Ok(())
}

fn read_edges(element: &Element, values: &mut Values, mesh: &mut Mesh) -> Result<(), BadMesh> {
    let places = [find(element, &["vertex1"], false)?, find(element, &["vertex2"], false)?];
    for _ in 0..element.count {
        let mut edge = [None; 2];
        read_row(element, values, |k, value| {
            if let Some(end) = places.iter().position(|place| *place == k) {
                edge[end] = index(value[0]);
            }
        })?;
        let [Some(a), Some(b)] = edge else { return Err(values.bad("an end of an edge is no index".into())) };
        mesh.edges.push([a, b]);
    }
    Ok(())
}

fn index(value: f64) -> Option<u32> {
    (value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}
