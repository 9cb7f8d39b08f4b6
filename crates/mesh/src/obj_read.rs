//! Reads the geometry of OBJ files: `v`, `f` (also `1/2/3` and negative indices), `l`; all else is skipped. Points keep their order,
//! which readers that sort points by object do not promise.

use glam::DVec3;

use crate::mesh::{BadMesh, MAX_CORNERS, Mesh, NOT_FINITE};

/// Reads a mesh from the bytes of an OBJ file.
pub fn parse_obj(bytes: &[u8]) -> Result<Mesh, BadMesh> {
    let mut mesh = Mesh::default();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let bad = |why: String| BadMesh::line(number, why);
        // Names of objects may be in any encoding; what we read is ASCII.
        let line = String::from_utf8_lossy(line);
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => mesh.points.push(vertex(words).map_err(bad)?),
            Some("f") => {
                let face = indices(words, mesh.points.len()).map_err(bad)?;
                if !(3..=MAX_CORNERS).contains(&face.len()) {
                    return Err(bad(format!("a face needs 3 to {MAX_CORNERS} corners, got {}", face.len())));
                }
                mesh.faces.push(face);
            }
            Some("l") => {
                let line = indices(words, mesh.points.len()).map_err(bad)?;
                if line.len() < 2 {
                    return Err(bad(format!("a line needs at least 2 points, got {}", line.len())));
                }
                mesh.edges.extend(line.windows(2).map(|pair| [pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    if mesh.points.is_empty() {
        return Err(BadMesh {
            place: String::new(),
            why: "there is no vertex (a line such as `v 0 0 0`) in it".into(),
        });
    }
    Ok(mesh)
}

/// Three numbers; a weight, a colour, or both may follow.
fn vertex<'a>(words: impl Iterator<Item = &'a str>) -> Result<DVec3, String> {
    let number = |word: &str| word.parse::<f64>().map_err(|_| format!("\"{word}\" is no number"));
    let numbers = words.map(number).collect::<Result<Vec<_>, _>>()?;
    let point = match numbers[..] {
        [x, y, z] | [x, y, z, _] | [x, y, z, _, _, _] | [x, y, z, _, _, _, _] => DVec3::new(x, y, z),
        _ => {
            return Err(format!(
                "a vertex needs three numbers (4, 6 or 7 with weight and colour), got {}",
                numbers.len()
            ));
        }
    };
    if point.is_finite() { Ok(point) } else { Err(NOT_FINITE.into()) }
}

/// Indices count from 1, negative ones back from the last vertex so far; the point is what stands before the first slash.
fn indices<'a>(words: impl Iterator<Item = &'a str>, count: usize) -> Result<Vec<u32>, String> {
    let index = |word: &str| {
        let mut parts = word.split('/').map(|part| (part, part.parse::<i64>()));
        let Some((_, Ok(number))) = parts.next() else { return Err(format!("\"{word}\" is no index")) };
        // texture and normal
        if word.matches('/').count() > 2 || parts.any(|(part, index)| !part.is_empty() && index.is_err()) {
            return Err(format!("\"{word}\" is no index"));
        }
        let index = if number < 0 { number.checked_add(count as i64) } else { number.checked_sub(1) };
        let known = index.and_then(|i| u32::try_from(i).ok()).filter(|i| (*i as usize) < count);
        known.ok_or_else(|| format!("index {number}, but there are {count} vertices before this line"))
    };
    words.map(index).collect()
}
