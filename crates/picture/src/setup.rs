//! From world to screen: the pinhole projection, and the setup of each primitive for rasterization.
//!
//! Camera space has x to the right, y up and z forward; `depth = 1/z` is linear on the screen and larger is nearer. Screen points are
//! fixed-point integers with 8 fractional bits.

use glam::DVec3;

use crate::camera::Camera;
use crate::drawing::{Drawing, Rod};
use crate::error::PictureError;

/// Fractional bits of screen coordinates.
pub const SUBPIXEL: f64 = 256.0;

/// Largest fixed-point coordinate: products of two differences stay inside `i64`.
const GUARD: f64 = 536_870_912.0;

/// The projection.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The position of the camera.
    pub eye: DVec3,
    /// Its axes.
    pub right: DVec3,
    /// Its axes.
    pub up: DVec3,
    /// Its axes.
    pub forward: DVec3,
    /// Pixels per unit of x/z.
    pub focal: f64,
    /// Middle of the picture, pixels.
    pub middle: [f64; 2],
    /// Nothing nearer is drawn.
    pub near: f64,
}

impl View {
    pub fn new(camera: &Camera, width: usize, height: usize) -> Result<Self, PictureError> {
        let [right, up, forward] = camera.frame()?;
        let focal = 0.5 * height as f64 / pliant_scalar::math::tan(0.5 * camera.fov);
        let near = 1e-3 * (camera.target - camera.eye).length();
        Ok(Self { eye: camera.eye, right, up, forward, focal, middle: [0.5 * width as f64, 0.5 * height as f64], near })
    }

    /// World to camera space.
    pub fn to_camera(self, p: DVec3) -> DVec3 {
        let d = p - self.eye;
        DVec3::new(d.dot(self.right), d.dot(self.up), d.dot(self.forward))
    }

    /// The direction in camera space, with z = 1, that is seen at a pixel coordinate.
    pub fn ray(&self, x: f64, y: f64) -> DVec3 {
        DVec3::new((x - self.middle[0]) / self.focal, (self.middle[1] - y) / self.focal, 1.0)
    }

    /// The same in the world.
    pub fn world_ray(&self, x: f64, y: f64) -> DVec3 {
        let ray = self.ray(x, y);
        self.right * ray.x + self.up * ray.y + self.forward
    }

    fn to_screen(self, p: DVec3) -> [f64; 2] {
        [self.middle[0] + p.x / p.z * self.focal, self.middle[1] - p.y / p.z * self.focal]
    }
}

/// Pixels from the first to before the last, across and down.
#[derive(Clone, Copy, Debug)]
pub struct Box2 {
    pub x: [i32; 2],
    pub y: [i32; 2],
}

impl Box2 {
    fn around(low: [f64; 2], high: [f64; 2], width: usize, height: usize) -> Option<Self> {
        let side = |low: f64, high: f64, size: usize| {
            let first = low.floor().max(0.0);
            let end = (high.floor() + 1.0).min(size as f64);
            (first < end).then_some([first as i32, end as i32])
        };
        Some(Self { x: side(low[0], high[0], width)?, y: side(low[1], high[1], height)? })
    }
}

/// `a x + b y + c ≥ 0` inside, in fixed-point coordinates; sides that belong to the neighbour have c lowered by one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edge {
    pub a: i64,
    pub b: i64,
    pub c: i64,
}

/// The three edges of a triangle on the screen, or `None` if it has no area. A side shared by two triangles covers each sample once
/// (top-left rule).
pub fn edges(points: [[f64; 2]; 3]) -> Option<[Edge; 3]> {
    let fixed = |value: f64| (value * SUBPIXEL + 0.5).floor().clamp(-GUARD, GUARD) as i64;
    let mut p = points.map(|[x, y]| [fixed(x), fixed(y)]);
    let twice_area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    if twice_area == 0 {
        return None;
    }
    if twice_area < 0 {
        p.swap(1, 2);
    }
    let edge = |from: [i64; 2], to: [i64; 2]| {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let top_left = dy < 0 || (dy == 0 && dx > 0);
        Edge { a: -dy, b: dx, c: dy * from[0] - dx * from[1] - i64::from(!top_left) }
    };
    Some([edge(p[0], p[1]), edge(p[1], p[2]), edge(p[2], p[0])])
}

/// A triangle on the screen.
#[derive(Clone, Copy, Debug)]
pub struct TriangleSetup {
    pub edges: [Edge; 3],
    /// 1/z = plane · (x, y, 1) in pixels.
    pub plane: [f64; 3],
    pub bounds: Box2,
    pub id: u32,
    /// Whether it is seen from outside.
    pub front: bool,
}

/// A rod or a ball (a rod without length) in camera space.
#[derive(Clone, Copy, Debug)]
pub struct RoundSetup {
    pub from: DVec3,
    pub axis: DVec3,
    pub radius: f64,
    /// Squares that the intersection needs.
    pub axis2: f64,
    pub axis_from: f64,
    pub from2: f64,
    /// Its middle line on the screen: a point, a unit direction's normal, and how far from it pixels may be covered.
    pub line: Option<([f64; 2], [f64; 2], f64)>,
    pub bounds: Box2,
    pub id: u32,
}

/// All primitives to fill, in the order of ids.
pub struct Setup {
    pub triangles: Vec<TriangleSetup>,
    pub rounds: Vec<RoundSetup>,
    /// Transparent triangles; their ids are among those of all triangles.
    pub water: Vec<TriangleSetup>,
}

impl Setup {
    /// Projects a drawing. Ids count from 1: triangles, rods, balls.
    pub fn new(drawing: &Drawing, view: &View, width: usize, height: usize) -> Self {
        let (mut triangles, mut rounds) = (Vec::with_capacity(drawing.triangles.len()), Vec::new());
        let mut water = Vec::new();
        let vertices: Vec<DVec3> = drawing.vertices.iter().map(|vertex| view.to_camera(vertex.position)).collect();
        for (id, triangle) in (1..).zip(&drawing.triangles) {
            let corners = triangle.corners.map(|corner| vertices[corner as usize]);
            let is_clear = drawing.materials[triangle.material as usize].sight > 0.0;
            let list = if is_clear { &mut water } else { &mut triangles };
            add_triangle(corners, id, view, width, height, list);
        }
        let balls = drawing.balls.iter().map(|ball| Rod {
            ends: [ball.centre; 2],
            values: [0.0; 2],
            radius: ball.radius,
            material: 0,
        });
        let first = drawing.triangles.len() as u32 + 1;
        for (id, rod) in (first..).zip(drawing.rods.iter().copied().chain(balls)) {
            rounds.extend(round(rod.ends.map(|end| view.to_camera(end)), rod.radius, id, view, width, height));
        }
        Self { triangles, rounds, water }
    }
}

fn add_triangle(p: [DVec3; 3], id: u32, view: &View, width: usize, height: usize, out: &mut Vec<TriangleSetup>) {
    // n · p = d in the plane, so 1/z = n · ray / d
    let normal = (p[1] - p[0]).cross(p[2] - p[0]);
    let d = normal.dot(p[0]);
    if d == 0.0 {
        return;
    }
    let n = normal / d;
    let (a, b) = (n.x / view.focal, -n.y / view.focal);
    let plane = [a, b, n.z - a * view.middle[0] - b * view.middle[1]];
    let mut push = |corners: [DVec3; 3]| {
        let points = corners.map(|corner| view.to_screen(corner));
        let ends = |k: usize| {
            let low = points[0][k].min(points[1][k]).min(points[2][k]);
            (low, points[0][k].max(points[1][k]).max(points[2][k]))
        };
        let ((left, right), (top, bottom)) = (ends(0), ends(1));
        if let (Some(edges), Some(bounds)) =
            (edges(points), Box2::around([left - 0.5, top - 0.5], [right + 0.5, bottom + 0.5], width, height))
        {
            // camera space is left-handed: cross products point the other way
            out.push(TriangleSetup { edges, plane, bounds, id, front: d > 0.0 });
        }
    };
    let inside = p.map(|corner| corner.z >= view.near);
    match inside.iter().filter(|inside| **inside).count() {
        0 => {}
        3 => push(p),
        count => {
            // Cut at the near plane: turn it so that the odd corner comes first.
            let odd = inside.iter().position(|inside| *inside == (count == 1)).unwrap_or(0);
            let (tip, left, right) = (p[odd], p[(odd + 1) % 3], p[(odd + 2) % 3]);
            let cut = |other: DVec3| tip + (other - tip) * ((view.near - tip.z) / (other.z - tip.z));
            let (on_left, on_right) = (cut(left), cut(right));
            if count == 1 {
                push([tip, on_left, on_right]);
            } else {
                push([on_left, left, right]);
                push([on_left, right, on_right]);
            }
        }
    }
}

/// Where the silhouette of a ball begins and ends on an axis, in units of x/z.
fn silhouette(x: f64, z: f64, radius: f64) -> (f64, f64) {
    let root = (x * x + z * z - radius * radius).max(0.0).sqrt() * radius;
    let below = z * z - radius * radius;
    ((x * z - root) / below, (x * z + root) / below)
}

fn round(ends: [DVec3; 2], radius: f64, id: u32, view: &View, width: usize, height: usize) -> Option<RoundSetup> {
    let [from, to] = ends;
    if from.z.min(to.z) - radius < view.near {
        // Partly behind the eye: not drawn.
        return None;
    }
    let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
    let mut widest = 0.0_f64;
    for end in ends {
        let (left, right) = silhouette(end.x, end.z, radius);
        let (down, up) = silhouette(end.y, end.z, radius);
        let sides = [(left, right), (-up, -down)];
        for (k, (a, b)) in sides.into_iter().enumerate() {
            low[k] = low[k].min(view.middle[k] + a * view.focal);
            high[k] = high[k].max(view.middle[k] + b * view.focal);
            widest = widest.max((b - a) * view.focal);
        }
    }
    let bounds = Box2::around(low, high, width, height)?;
    let (a, b) = (view.to_screen(from), view.to_screen(to));
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = (dx * dx + dy * dy).sqrt();
    // The silhouette of a ball seen obliquely is an ellipse: half its longest side, and a pixel, is enough.
    let line = (length > widest).then(|| (a, [-dy / length, dx / length], 0.75 * widest + 1.0));
    Some(RoundSetup { line, bounds, id, ..RoundSetup::bare(from, to, radius) })
}

impl RoundSetup {
    /// Only what [`RoundSetup::hit`] needs, from ends relative to the eye.
    pub fn bare(from: DVec3, to: DVec3, radius: f64) -> Self {
        let axis = to - from;
        let (axis2, axis_from, from2) = (axis.dot(axis), -axis.dot(from), from.dot(from));
        let bounds = Box2 { x: [0, 0], y: [0, 0] };
        Self { from, axis, radius, axis2, axis_from, from2, line: None, bounds, id: 0 }
    }

    /// 1/t of the first point t · ray that it covers (t = z where ray.z = 1), or `None`. With `forced` a near miss counts as a hit.
    ///
    /// Rod about the axis from A to B: with o = -A, u = B - A the distance from the axis is r where
    /// (u² d² - (u·d)²) t² + 2 (u² d·o - u·o u·d) t + u² o² - (u·o)² - r² u² = 0.
    pub fn hit(&self, ray: DVec3, forced: bool) -> Option<f64> {
        let (d2, along, ray_from) = (ray.dot(ray), self.axis.dot(ray), -ray.dot(self.from));
        let mut nearest = self.from;
        if self.axis2 > 0.0 {
            let a = self.axis2 * d2 - along * along;
            let b = self.axis2 * ray_from - self.axis_from * along;
            let c = self.axis2 * (self.from2 - self.radius * self.radius) - self.axis_from * self.axis_from;
            let root2 = b * b - a * c;
            if root2 < 0.0 && !forced {
                return None;
            }
            let place = if a > 1e-12 * self.axis2 * d2 {
                let t = (-b - root2.max(0.0).sqrt()) / a;
                let place = self.axis_from + t * along;
                if place > 0.0 && place < self.axis2 {
                    return (t > 0.0).then(|| 1.0 / t);
                }
                place
            } else {
                -along
            };
            if place >= self.axis2 {
                nearest = self.from + self.axis;
            }
        }
        let (b, c) = (ray.dot(nearest), nearest.dot(nearest) - self.radius * self.radius);
        let root2 = b * b - d2 * c;
        if root2 < 0.0 && !forced {
            return None;
        }
        // 1/t = d² / (b - √…), written without the difference of close numbers
        (c > 0.0 && b > 0.0).then(|| (b + root2.max(0.0).sqrt()) / c)
    }
}
