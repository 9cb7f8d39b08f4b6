//! Curves from files: the polyline of an OBJ file, or text with a line of three numbers for each point.

use glam::DVec3;

use crate::mesh::{BadMesh, Mesh};

/// Points from text: three numbers per line, blanks, commas or semicolons between them, names of columns in the first line, comments behind `#`.
pub fn parse_points(text: &str) -> Result<Vec<DVec3>, BadMesh> {
    let mut points = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        let words: Vec<&str> = line.split([',', ';', ' ', '\t']).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            continue;
        }
        let numbers: Result<Vec<f64>, _> = words.iter().map(|word| word.parse::<f64>()).collect();
        match numbers {
            Ok(numbers) if numbers.len() == 3 && numbers.iter().all(|number| number.is_finite()) => {
                points.push(DVec3::new(numbers[0], numbers[1], numbers[2]))
            }
            // names of columns
            Err(_) if points.is_empty() && number == 1 => {}
            _ => return Err(BadMesh::line(number, format!("expected three finite numbers, got \"{line}\""))),
        }
    }
    Ok(points)
}

impl Mesh {
    /// The points of its one polyline in order, and whether it is closed.
    pub fn polyline(&self) -> Result<(Vec<DVec3>, bool), BadMesh> {
        let bad = |why: String| BadMesh { place: String::new(), why };
        let (Some([first, _]), Some([_, last])) = (self.edges.first(), self.edges.last()) else {
            return Err(bad("there is no polyline (a line such as `l 1 2 3`) in it".into()));
        };
        if let Some(k) = self.edges.windows(2).position(|pair| pair[0][1] != pair[1][0]) {
            return Err(bad(format!("its lines are not one polyline: after segment {k} it goes on elsewhere")));
        }
        let at = |index: u32| self.points[index as usize];
        let closed = first == last;
        let mut points: Vec<DVec3> =
            std::iter::once(at(*first)).chain(self.edges.iter().map(|[_, b]| at(*b))).collect();
        if closed {
            points.pop();
        }
        Ok((points, closed))
    }
}
