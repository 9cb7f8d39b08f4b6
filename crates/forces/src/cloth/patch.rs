//! Mesh topology of bending: neighbours across sides, and patches of triangles unfolded into a plane.

use glam::{DVec2, DVec3};

use super::surface::{SurfaceError, edges};

/// One side of a triangle: from corner k to corner k + 1; its apex is corner k + 2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// Number of its hinge; none at a border.
    pub hinge: Option<u32>,
    /// The triangle across and the side by which it is entered.
    pub across: Option<(u32, u8)>,
    /// -1 where the hinge's angle is that of the other triangle's winding, and this one is wound against it.
    pub sign: f64,
    /// m
    pub length: f64,
    /// The apex: how far along the side from corner k, and how high above it, m.
    pub along: f64,
    pub height: f64,
}

/// Triangles with their neighbours.
#[derive(Debug)]
pub(super) struct Mesh {
    pub sides: Vec<[Side; 3]>,
    /// Corners of the hinges, as [`super::hinge::Hinge`] has them.
    pub hinges: Vec<[u32; 4]>,
    /// Length of each hinge's edge, m.
    pub lengths: Vec<f64>,
    /// Triangles that do not curve.
    pub rigid: Vec<bool>,
}

/// Height over side below which a triangle has no area.
const NO_HEIGHT: f64 = 1e-12;

impl Mesh {
    /// Triangles with hinges, each wound as the one through which it was reached first.
    pub fn oriented(&self, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
        let mut winding = vec![0.0; triangles.len()];
        let mut stack = Vec::new();
        for seed in 0..triangles.len() {
            if winding[seed] != 0.0 {
                continue;
            }
            winding[seed] = 1.0;
            stack.push(seed);
            while let Some(t) = stack.pop() {
                for side in &self.sides[t] {
                    let Some((other, back)) = side.across else { continue };
                    let (other, back) = (other as usize, &self.sides[other as usize][back as usize]);
                    if winding[other] == 0.0 {
                        winding[other] = winding[t] * side.sign * back.sign;
                        stack.push(other);
                    }
                }
            }
        }
        let has_hinge = |t: &usize| self.sides[*t].iter().any(|side| side.hinge.is_some());
        let turned = |t: usize| {
            let [a, b, c] = triangles[t];
            if winding[t] < 0.0 { [a, c, b] } else { [a, b, c] }
        };
        (0..triangles.len()).filter(has_hinge).map(turned).collect()
    }

    /// Of triangles at rest; `Ok(None)` where one has no area.
    pub fn new(triangles: &[[u32; 3]], rest: &[DVec3], rigid: Vec<bool>) -> Result<Option<Self>, SurfaceError> {
        let all = edges(triangles)?;
        let side = |t: &[u32; 3], k: usize| {
            let [a, b, apex] = [0, 1, 2].map(|j| rest[t[(k + j) % 3] as usize]);
            let length = (b - a).length();
            let direction = (b - a) / length;
            let along = (apex - a).dot(direction);
            let height = (apex - a - direction * along).length();
            (height > NO_HEIGHT * length && length > 0.0 && height.is_finite()).then_some(Side {
                hinge: None,
                across: None,
                sign: 1.0,
                length,
                along,
                height,
            })
        };
        let found = triangles.iter().map(|t| Some([side(t, 0)?, side(t, 1)?, side(t, 2)?])).collect::<Option<Vec<_>>>();
        let Some(mut sides) = found else { return Ok(None) };
        let mut order: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(3 * triangles.len());
        for (t, nodes) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (nodes[k], nodes[(k + 1) % 3]);
                order.push(([a.min(b), a.max(b)], t as u32, k as u8));
            }
        }
        // in the order of edges()
        order.sort_unstable();
        let (mut hinges, mut lengths, mut next) = (Vec::new(), Vec::new(), 0);
        for edge in &all {
            let (_, t, k) = order[next];
            next += 1;
            let Some(nodes) = edge.hinge() else { continue };
            let (_, other, j) = order[next];
            next += 1;
            let hinge = Some(hinges.len() as u32);
            let first = &mut sides[t as usize][k as usize];
            (first.hinge, first.across) = (hinge, Some((other, j)));
            lengths.push(first.length);
            let second = &mut sides[other as usize][j as usize];
            (second.hinge, second.across) = (hinge, Some((t, k)));
            second.sign = if edge.consistent { 1.0 } else { -1.0 };
            hinges.push(nodes);
        }
        Ok(Some(Self { sides, hinges, lengths, rigid }))
    }

    /// Area of a triangle, m².
    pub fn area(&self, t: usize) -> f64 {
        0.5 * self.sides[t][0].length * self.sides[t][0].height
    }
}

/// A triangle of a patch in the plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub triangle: u32,
    pub corners: [DVec2; 3],
    /// -1 where it is wound against the first triangle of the patch.
    pub sign: f64,
}

impl Placed {
    /// With one side laid along a direction from a point, the apex on the left of it if `turn` is 1 and on the right if it is -1.
    fn along(mesh: &Mesh, triangle: u32, side: usize, from: DVec2, direction: DVec2, turn: f64, sign: f64) -> Self {
        let Side { length, along, height, .. } = mesh.sides[triangle as usize][side];
        let mut corners = [DVec2::ZERO; 3];
        corners[side] = from;
        corners[(side + 1) % 3] = from + direction * length;
        corners[(side + 2) % 3] = from + direction * along + direction.perp() * (height * turn);
        Self { triangle, corners, sign }
    }

    /// A first triangle, one side along x.
    pub fn first(mesh: &Mesh, triangle: u32, side: usize) -> Self {
        Self::along(mesh, triangle, side, DVec2::ZERO, DVec2::X, 1.0, 1.0)
    }

    /// The triangle across a side, unfolded.
    pub fn beyond(&self, mesh: &Mesh, side: usize) -> Option<Self> {
        let (triangle, entered) = mesh.sides[self.triangle as usize][side].across?;
        let [a, b, apex] = [0, 1, 2].map(|j| self.corners[(side + j) % 3]);
        let wound =
            mesh.sides[self.triangle as usize][side].sign * mesh.sides[triangle as usize][entered as usize].sign;
        // a neighbour that is wound alike passes the side the other way
        let (from, to) = if wound > 0.0 { (b, a) } else { (a, b) };
        let direction = (to - from).normalize();
        let turn = -direction.perp_dot(apex - from).signum();
        Some(Self::along(mesh, triangle, entered as usize, from, direction, turn, self.sign * wound))
    }

    /// The angle between the triangle and a surface of curvature H through its corners, at the middle of a side: what to multiply H with, as
    /// `(xx, yy, √2 xy)`; nothing where it is rigid. With r from the middle of the side to the apex, t along the side of length l and the height h,
    /// `(½ r·H r - l²/8 t·H t)/h`.
    pub fn slope(&self, mesh: &Mesh, side: usize) -> DVec3 {
        if mesh.rigid[self.triangle as usize] {
            return DVec3::ZERO;
        }
        let [a, b, apex] = [0, 1, 2].map(|j| self.corners[(side + j) % 3]);
        let half = (b - a) * 0.5;
        let arm = apex - (a + b) * 0.5;
        let height = half.perp_dot(arm).abs() / half.length();
        (square(arm) - square(half)) * (0.5 / height)
    }
}

/// `v vᵀ` as `(xx, yy, √2 xy)`.
pub(super) fn square(v: DVec2) -> DVec3 {
    DVec3::new(v.x * v.x, v.y * v.y, std::f64::consts::SQRT_2 * v.x * v.y)
}
