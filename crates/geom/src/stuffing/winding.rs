//! The generalised winding number of a triangle surface [Jacobson]: how often it goes round a point.
//!
//! For a closed surface it is 1 inside and 0 outside, 2 where two bodies overlap; a hole makes it change smoothly over a region as wide as
//! the hole, so that "above a half" is a sensible inside even then. It is the sum of the solid angles of all triangles over 4π. Triangles
//! that are far away for their size are taken together as a dipole and its first moment [Barill]: `∇G·Σ a n + ∇²G : Σ a n (c - c̃)ᵀ` with
//! `G` the potential `-1/(4π|x|)`, the areas `a`, normals `n`, centres `c` and their mean `c̃`. The cost of a query is then logarithmic in
//! the number of triangles.

use super::tree::{BoxTree, STACK};
use crate::outer;
use crate::topology::TriangleMesh;
use glam::{DMat3, DVec3};
use pliant_scalar::math;
use std::f64::consts::PI;

/// A group is far if its mean is this many radii away. [Barill] takes 2, too; the sum is then off by 0.05 at most on our
/// rabbit, which is little against the half that it is compared with.
const FAR: f64 = 2.0;

/// What a group of triangles looks like from far away.
#[derive(Clone, Copy, Debug)]
struct Group {
    mean: DVec3,
    /// Squared distance from which on it is far.
    far: f64,
    /// `Σ a n`
    dipole: DVec3,
    /// `Σ a n (c - c̃)ᵀ`
    moment: DMat3,
}

/// The groups of all nodes of a tree.
#[derive(Clone, Debug)]
pub(super) struct Winding {
    groups: Vec<Group>,
}

impl Winding {
    pub fn new(mesh: &TriangleMesh, tree: &BoxTree) -> Self {
        let group = |node: &super::tree::Node| {
            let members = tree.members(node);
            let part = |t: u32| {
                let [a, b, c] = mesh.corners(t as usize);
                let normal = 0.5 * (b - a).cross(c - a);
                (normal, normal.length(), (a + b + c) / 3.0)
            };
            let middle = node.bounds.centre();
            let (mut area, mut mean, mut dipole) = (0.0, DVec3::ZERO, DVec3::ZERO);
            for (normal, a, centre) in members.iter().map(|&t| part(t)) {
                area += a;
                mean += a * (centre - middle);
                dipole += normal;
            }
            let mean = if area > 0.0 { middle + mean / area } else { middle };
            let moment = members.iter().map(|&t| part(t)).fold(DMat3::ZERO, |m, (n, _, c)| m + outer(n, c - mean));
            let corners = members.iter().flat_map(|&t| mesh.corners(t as usize));
            let radius = corners.fold(0.0, |r: f64, x| r.max(x.distance(mean)));
            Group { mean, far: (FAR * radius).powi(2), dipole, moment }
        };
        Self { groups: tree.nodes.iter().map(group).collect() }
    }

    /// How often the surface goes round a point.
    pub fn at(&self, mesh: &TriangleMesh, tree: &BoxTree, p: DVec3) -> f64 {
        let mut sum = 0.0;
        let mut stack = [0_u32; STACK];
        let mut height = usize::from(!tree.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let number = stack[height];
            let (node, group) = (&tree.nodes[number as usize], &self.groups[number as usize]);
            let d = group.mean - p;
            let squared = d.length_squared();
            if squared > group.far {
                let cube = squared * squared.sqrt();
                // ∇G = d/|d|³ and ∇²G = I/|d|³ - 3 d dᵀ/|d|⁵, both over 4π.
                let first = group.dipole.dot(d) / cube;
                let trace = group.moment.x_axis.x + group.moment.y_axis.y + group.moment.z_axis.z;
                let second = (trace - 3.0 * d.dot(group.moment * d) / squared) / cube;
                sum += first + second;
            } else if node.is_leaf() {
                sum += tree.members(node).iter().fold(0.0, |s, &t| s + solid_angle(mesh.corners(t as usize), p));
            } else {
                stack[height] = node.right;
                stack[height + 1] = number + 1;
                height += 2;
            }
        }
        sum / (4.0 * PI)
    }
}

/// The solid angle of a triangle seen from a point, positive from inside; zero from a corner or from an edge [Oosterom].
fn solid_angle(corners: [DVec3; 3], p: DVec3) -> f64 {
    let [a, b, c] = corners.map(|x| x - p);
    let [la, lb, lc] = [a, b, c].map(DVec3::length);
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    if numerator == 0.0 { 0.0 } else { 2.0 * math::atan2(numerator, denominator) }
}
