//! Defects of a mesh, named, with the indices of the triangles.

use crate::topology::TriangleMesh;
use std::collections::BTreeMap;
use std::fmt;

/// A triangle is nearly without area if its height is below this part of its longest side. Normals are then wrong by 10⁻¹⁰ and worse.
pub const NARROW: f64 = 1e-6;

/// One kind of defect and where it is. Indices count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// No triangles.
    Empty,
    /// Vertices with coordinates that are infinite or NaN.
    NotFinite(Vec<u32>),
    /// Triangles with corners out of range.
    OutOfRange(Vec<u32>),
    /// Triangles with a repeated corner.
    RepeatedCorner(Vec<u32>),
    /// Triangles with (nearly) no area, see [`NARROW`].
    NoArea(Vec<u32>),
    /// Triangles with the same corners as an earlier one, each after the earlier one.
    Duplicate(Vec<[u32; 2]>),
    /// Edges with more than two triangles, and those.
    NonManifold(Vec<([u32; 2], Vec<u32>)>),
    /// Neighbours that face opposite ways: they run through their edge in the same direction.
    Inconsistent(Vec<[u32; 2]>),
    /// Vertices without a triangle.
    Unused(Vec<u32>),
}

/// A triangle with its number.
type Numbered = (u32, [u32; 3]);

/// All defects of a mesh: empty if there are none. Triangles with bad corners are left out of the later checks.
pub fn check(mesh: &TriangleMesh) -> Vec<Defect> {
    let vertices = mesh.points.len();
    let numbered = || mesh.triangles.iter().enumerate().map(|(t, corners)| (t as u32, *corners));
    let in_range = |c: &[u32; 3]| c.iter().all(|&c| (c as usize) < vertices);
    let usable = || numbered().filter(|(_, c)| in_range(c) && !repeats(c));
    let of = |pass: &dyn Fn(&Numbered) -> bool| -> Vec<u32> { numbered().filter(pass).map(|(t, _)| t).collect() };

    let mut used = vec![false; vertices];
    numbered().flat_map(|(_, c)| c).filter(|&c| (c as usize) < vertices).for_each(|c| used[c as usize] = true);
    let vertex_numbers = |pass: &dyn Fn(usize) -> bool| (0..vertices).filter(|&v| pass(v)).map(|v| v as u32).collect();
    let narrow = |&(t, c): &Numbered| in_range(&c) && !repeats(&c) && is_narrow(mesh, t as usize);

    let mut first_with = BTreeMap::new();
    let mut duplicates = Vec::new();
    let mut sides: BTreeMap<[u32; 2], Vec<(u32, bool)>> = BTreeMap::new();
    for (t, corners) in usable() {
        let mut sorted = corners;
        sorted.sort_unstable();
        let first = *first_with.entry(sorted).or_insert(t);
        if first != t {
            duplicates.push([first, t]);
        }
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            sides.entry([a.min(b), a.max(b)]).or_default().push((t, a < b));
        }
    }
    let crowded = sides.iter().filter(|(_, at)| at.len() > 2);
    let crowded = crowded.map(|(edge, at)| (*edge, at.iter().map(|(t, _)| *t).collect())).collect();
    let turned = sides.values().filter(|at| at.len() == 2 && at[0].1 == at[1].1).map(|at| [at[0].0, at[1].0]).collect();

    let mut found = vec![
        Defect::NotFinite(vertex_numbers(&|v| !mesh.points[v].is_finite())),
        Defect::OutOfRange(of(&|(_, c)| !in_range(c))),
        Defect::RepeatedCorner(of(&|(_, c)| repeats(c))),
        Defect::NoArea(of(&narrow)),
        Defect::Duplicate(duplicates),
        Defect::NonManifold(crowded),
        Defect::Inconsistent(turned),
        Defect::Unused(vertex_numbers(&|v| !used[v])),
    ];
    found.retain(|defect| defect.count() > 0);
    if mesh.triangles.is_empty() {
        found.insert(0, Defect::Empty);
    }
    found
}

pub(crate) fn repeats(c: &[u32; 3]) -> bool {
    c[0] == c[1] || c[1] == c[2] || c[2] == c[0]
}

/// Whether a triangle has nearly no area; `false` if a coordinate is NaN, which is another defect.
pub(crate) fn is_narrow(mesh: &TriangleMesh, triangle: usize) -> bool {
    let [a, b, c] = mesh.corners(triangle);
    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
    2.0 * mesh.area(triangle) <= NARROW * longest * longest
}

impl Defect {
    /// Its name, as in messages and tests.
    pub fn name(&self) -> &'static str {
        match self {
            Defect::Empty => "empty",
            Defect::NotFinite(_) => "not-finite",
            Defect::OutOfRange(_) => "out-of-range",
            Defect::RepeatedCorner(_) => "repeated-corner",
            Defect::NoArea(_) => "no-area",
            Defect::Duplicate(_) => "duplicate",
            Defect::NonManifold(_) => "non-manifold",
            Defect::Inconsistent(_) => "inconsistent",
            Defect::Unused(_) => "unused",
        }
    }

    /// In how many places it is.
    pub fn count(&self) -> usize {
        match self {
            Defect::Empty => 1,
            Defect::NotFinite(at) | Defect::OutOfRange(at) | Defect::RepeatedCorner(at) => at.len(),
            Defect::NoArea(at) | Defect::Unused(at) => at.len(),
            Defect::Duplicate(at) | Defect::Inconsistent(at) => at.len(),
            Defect::NonManifold(at) => at.len(),
        }
    }
}

/// The first few, then how many more.
pub(crate) fn some<T>(all: &[T], show: impl Fn(&T) -> String) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = all.iter().take(SHOWN).map(show).collect();
    let more = if all.len() > SHOWN { format!(" and {} more", all.len() - SHOWN) } else { String::new() };
    shown.join(", ") + &more
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = |all: &[u32]| some(all, u32::to_string);
        let couples = |all: &[[u32; 2]]| some(all, |[a, b]| format!("{a} and {b}"));
        match self {
            Defect::Empty => write!(f, "the mesh has no triangles"),
            Defect::NotFinite(at) => write!(f, "coordinates are not finite: vertices {}", numbers(at)),
            Defect::OutOfRange(at) => write!(f, "corners are not there: triangles {}", numbers(at)),
            Defect::RepeatedCorner(at) => write!(f, "a corner is there more than once: triangles {}", numbers(at)),
            Defect::NoArea(at) => write!(f, "nearly no area: triangles {}", numbers(at)),
            Defect::Duplicate(at) => write!(f, "the same corners twice: triangles {}", couples(at)),
            Defect::Inconsistent(at) => write!(f, "neighbours face opposite ways: triangles {}", couples(at)),
            Defect::Unused(at) => write!(f, "no triangle uses them: vertices {}", numbers(at)),
            Defect::NonManifold(at) => {
                let one = |(edge, at): &([u32; 2], Vec<u32>)| format!("{} {} ({})", edge[0], edge[1], numbers(at));
                write!(f, "more than two triangles at an edge: edges (triangles) {}", some(at, one))
            }
        }
    }
}
