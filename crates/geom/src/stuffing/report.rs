//! Defects of a surface that make it unclear what it encloses.

use super::signed_distance::SignedDistance;
use crate::aabb::Aabb;
use crate::mesh_check::repeats;
use crate::topology::{Surface, TriangleMesh, share_vertex};
use glam::DVec3;
use std::fmt;

/// Pairs of triangles that are tested for crossings, for each triangle: no shape of ours needs as many.
const PAIRS_EACH: usize = 64;

/// The defects of a surface, and where the first of each kind is. Vertices at the same place count as one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceReport {
    /// Edges with one triangle: the rims of holes.
    pub open_edges: usize,
    /// The middle of the first, m.
    pub first_open: Option<DVec3>,
    /// Edges with more than two triangles.
    pub crowded_edges: usize,
    /// The middle of the first, m.
    pub first_crowded: Option<DVec3>,
    /// Edges with two triangles that face opposite ways.
    pub turned_edges: usize,
    /// The middle of the first, m.
    pub first_turned: Option<DVec3>,
    /// Pairs of triangles without a common vertex that cross each other.
    pub crossings: usize,
    /// A corner of the first, m.
    pub first_crossing: Option<DVec3>,
    /// Whether the search for crossings stopped early, because too many triangles lie on each other: there may be more.
    pub gave_up: bool,
    /// Most of what is inside has triangles around it that face inward; they are taken the other way round.
    pub faces_inward: bool,
    /// Area of all triangles, m².
    pub area: f64,
    /// Volume inside, m³: of little meaning with large holes, overlaps, or parts that face opposite ways.
    pub volume: f64,
}

impl SurfaceReport {
    /// Whether every edge has exactly two triangles that face the same way. Such a surface may still cross itself.
    pub fn is_watertight(&self) -> bool {
        self.open_edges == 0 && self.crowded_edges == 0 && self.turned_edges == 0
    }

    /// Examines a surface and its tree.
    pub(crate) fn of(mesh: &TriangleMesh, distance: &SignedDistance) -> Self {
        // A copy in which triangles that touch know it, as those of an STL file do not; same triangles, same numbers.
        let mut welded = mesh.clone();
        welded.weld();
        let middle = |edge: [u32; 2]| edge.map(|v| welded.points[v as usize]).iter().sum::<DVec3>() / 2.0;
        let mut report = Self { area: mesh.total_area(), volume: mesh.volume(), ..Self::default() };
        let whole: Vec<[u32; 3]> = welded.triangles.iter().copied().filter(|c| !repeats(c)).collect();
        if let Ok(surface) = Surface::new(welded.points.len(), &whole) {
            report.open_edges = surface.boundary.len();
            report.first_open = surface.boundary.first().map(|&e| middle(surface.edges[e as usize]));
            report.crowded_edges = surface.crowded.len();
            report.first_crowded = surface.crowded.first().map(|&e| middle(surface.edges[e as usize]));
            for hinge in &surface.hinges {
                let [a, b] = hinge.edge;
                let second = surface.triangles[hinge.triangles[1] as usize];
                if (0..3).any(|k| second[k] == a && second[(k + 1) % 3] == b) {
                    report.turned_edges += 1;
                    report.first_turned.get_or_insert(middle(hinge.edge));
                }
            }
        }
        report.find_crossings(&welded, distance);
        report
    }

    fn find_crossings(&mut self, mesh: &TriangleMesh, distance: &SignedDistance) {
        let mut left = PAIRS_EACH.saturating_mul(mesh.triangles.len()).saturating_add(10_000);
        for (t, corners) in mesh.triangles.iter().enumerate() {
            let mine = mesh.corners(t);
            distance.tree.meeting(&Aabb::around(mine), |u| {
                left = left.saturating_sub(1);
                let others = &mesh.triangles[u as usize];
                if (u as usize) > t && !share_vertex(corners, others) && cross(mine, mesh.corners(u as usize)) {
                    self.crossings += 1;
                    self.first_crossing.get_or_insert(mine[0]);
                }
                left > 0
            });
            if left == 0 {
                self.gave_up = true;
                return;
            }
        }
    }
}

/// Whether an edge of one triangle goes through the inside of the other. Triangles in one plane do not cross.
fn cross(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let volume = |p: DVec3, q: DVec3, r: DVec3, s: DVec3| (q - p).dot((r - p).cross(s - p));
    let pierces = |p: DVec3, q: DVec3, [u, v, w]: [DVec3; 3]| {
        let (above, below) = (volume(p, u, v, w), volume(q, u, v, w));
        if above * below >= 0.0 {
            return false;
        }
        let sides = [volume(p, q, u, v), volume(p, q, v, w), volume(p, q, w, u)];
        sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
    };
    (0..3).any(|k| pierces(a[k], a[(k + 1) % 3], b) || pierces(b[k], b[(k + 1) % 3], a))
}

impl fmt::Display for SurfaceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.open_edges, "open edges", self.first_open),
            (self.crowded_edges, "edges with more than two triangles", self.first_crowded),
            (self.turned_edges, "edges whose triangles face opposite ways", self.first_turned),
            (self.crossings, "pairs of triangles that cross", self.first_crossing),
        ];
        let mut all = Vec::new();
        for (count, what, first) in kinds {
            if let (true, Some(at)) = (count > 0, first) {
                all.push(format!("{count} {what}, the first at ({:.4}, {:.4}, {:.4})", at.x, at.y, at.z));
            }
        }
        if self.faces_inward {
            all.push("its triangles face inward".into());
        }
        if self.gave_up {
            all.push("many triangles lie on each other".into());
        }
        if all.is_empty() { write!(f, "the surface is closed") } else { write!(f, "{}", all.join("; ")) }
    }
}
