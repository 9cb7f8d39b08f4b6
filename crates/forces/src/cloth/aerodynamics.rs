//! Air against the triangles of a sheet, by their velocity relative to the wind, `u = mean over corners of (v - w(x, t))`:
//!
//! `f = -½ ρ A [c_n |u_n| u_n n + c_t |u_t| u_t + c_l u_n (|u| n - u_n u/|u|)]`, a third for each corner,
//!
//! with the present area A and unit normal n, `u_n = u·n`, `u_t = u - u_n n`. The first two terms are drag, pressure and skin friction, and
//! the derivatives in u of convex functions; the third is lift at right angles to u, for small angles of attack α `½ ρ A c_l |u|² α`
//! (`c_l` up to 2π by thin aerofoil theory [Anderson] eq. 4.33; a waving cloth is nearer 1). Which side is "up" does not matter. All terms are
//! quadratic in u with continuous first derivatives, at `u = 0` too. Departure from such models elsewhere: the wind is sampled at
//! corners, not at centres; there are half as many.
//!
//! There is no energy. In the frame of the air the force is dissipative: `f·u = -½ ρ A (c_n |u_n|³ + c_t |u_t|³)` is the viscous power, and the rest
//! of `f·v`, which is `f·w`, is the power of the wind (`external_power`). In air at rest the second is zero.

use glam::DVec3;
use pliant_core::{
    DirtySet, Dissipative, Element, Elements, ForceModel, ForceProperties, Incremental, Jacobian, JacobianKind, Rates,
    View,
};
use pliant_linalg::pattern::{Pattern, PatternBuilder};
use pliant_parallel::{Partials, for_each_chunk};

use super::air_triangle::AirTriangle;
use super::wind::Wind;

/// Density and coefficients, which are pure numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air {
    /// ρ, kg/m³.
    pub density: f64,
    /// `c_n`, of the flow onto the sheet.
    pub normal: f64,
    /// `c_t`, of the flow along the sheet.
    pub tangential: f64,
    /// `c_l`, of lift.
    pub lift: f64,
}

impl Default for Air {
    /// Air at sea level; a flat plate across the flow; skin friction of both sides of a rough sheet; no lift.
    fn default() -> Self {
        Self { density: 1.225, normal: 1.28, tangential: 0.02, lift: 0.0 }
    }
}

/// Air on all triangles of a sheet.
#[derive(Debug)]
pub struct Aerodynamics {
    triangles: Elements<AirTriangle, 3>,
    wind: Wind,
    /// First particle of the sheet, and one past its last.
    range: [usize; 2],
    /// Velocities relative to the air, written before every use.
    relative: Vec<DVec3>,
    /// When forces were evaluated last, s.
    known_time: f64,
    /// Positions of a triangle's blocks in the matrix, by rows; only where gusts need them.
    positions: Vec<[[u32; 3]; 3]>,
    partials: Partials,
}

impl Aerodynamics {
    /// Air on triangles. `None` where density or a coefficient is negative or not finite.
    pub fn new(triangles: &[[u32; 3]], air: Air, wind: Wind) -> Option<Self> {
        let half = 0.5 * air.density;
        let [normal, tangential, lift] = [air.normal, air.tangential, air.lift].map(|c| c * half);
        if [half, normal, tangential, lift].iter().any(|c| !(*c >= 0.0 && c.is_finite())) {
            return None;
        }
        let nodes = || triangles.iter().flatten();
        let first = nodes().min().map_or(0, |n| *n as usize);
        let range = [first, nodes().max().map_or(first, |n| *n as usize + 1)];
        let triangles = triangles.iter().map(|nodes| AirTriangle { nodes: *nodes, normal, tangential, lift });
        Some(Self {
            triangles: Elements::new(triangles.collect()),
            wind,
            range,
            relative: Vec::new(),
            known_time: f64::NAN,
            positions: Vec::new(),
            partials: Partials::default(),
        })
    }

    /// Calls `f` with the triangles and the view in which velocities are relative to the air.
    fn in_air<R>(&mut self, view: &View, f: impl FnOnce(&mut Elements<AirTriangle, 3>, &View) -> R) -> R {
        if self.wind.is_still() {
            return f(&mut self.triangles, view);
        }
        self.relative.resize(view.v.len(), DVec3::ZERO);
        let ([first, end], wind) = (self.range, &self.wind);
        for_each_chunk(&mut self.relative[first..end], |start, chunk| {
            for (i, relative) in (first + start..).zip(chunk) {
                *relative = view.v[i] - wind.at(view.x[i], view.time);
            }
        });
        f(&mut self.triangles, &View { v: &self.relative, ..*view })
    }

    /// Adds `∂f/∂v ∂w/∂x`, the effect of the gradient of gusts on the exact derivative.
    fn add_gusts(&mut self, view: &View, out: &mut Jacobian) {
        let positions = std::mem::take(&mut self.positions);
        let gradient = |node: u32| self.wind.gradient(view.x[node as usize], view.time);
        let is_wanted = |node: &u32| !out.is_partial || out.rows.binary_search(node).is_ok();
        for (triangle, positions) in self.triangles.elements().iter().zip(&positions) {
            if !triangle.nodes.iter().any(is_wanted) {
                continue;
            }
            let at = |values: &[DVec3]| triangle.nodes.map(|n| values[n as usize]);
            let Some(flow) = AirTriangle::flow(at(view.x), at(&self.relative)) else { continue };
            let (drag, lift) = triangle.by_velocity(&flow);
            let by_velocity = (drag + lift) * (flow.area / 9.0);
            let blocks = triangle.nodes.map(|node| by_velocity * gradient(node));
            for row in positions {
                (0..3).for_each(|b| out.stiffness.values[row[b] as usize] += blocks[b]);
            }
        }
        self.positions = positions;
    }
}

impl ForceModel for Aerodynamics {
    fn name(&self) -> &'static str {
        AirTriangle::NAME
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            is_steady: self.wind.gusts.is_empty(),
            merges_damping: true,
            depends_on_velocity: self.triangles.properties().depends_on_velocity,
            has_symmetric_jacobian: self.triangles.properties().has_symmetric_jacobian,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, _view: &View) -> Option<f64> {
        None
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        self.known_time = view.time;
        self.in_air(view, |triangles, view| triangles.add_force(view, out));
    }

    fn couple(&self, pattern: &mut PatternBuilder) {
        self.triangles.couple(pattern);
    }

    fn bind(&mut self, pattern: &Pattern) {
        self.triangles.bind(pattern);
        if self.wind.gusts.is_empty() {
            return;
        }
        let find = |row: u32, column: u32| {
            pattern.find(row as usize, column as usize).expect("couple() announced every pair of a triangle") as u32
        };
        let of = |triangle: &AirTriangle| triangle.nodes.map(|row| triangle.nodes.map(|column| find(row, column)));
        self.positions = self.triangles.elements().iter().map(of).collect();
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        self.in_air(view, |triangles, view| triangles.add_jacobian(view, kind, out));
        if kind == JacobianKind::Exact && !self.wind.gusts.is_empty() {
            self.add_gusts(view, out);
        }
    }

    fn add_rates(&mut self, view: &View, free: &[bool], out: &mut [Rates]) {
        self.in_air(view, |triangles, view| triangles.add_rates(view, free, out));
    }

    pliant_core::capabilities!(dissipative, incremental);
}

impl Dissipative for Aerodynamics {
    fn viscous_power(&mut self, view: &View) -> f64 {
        self.in_air(view, |triangles, view| triangles.viscous_power(view))
    }

    fn external_power(&mut self, view: &View) -> f64 {
        if self.wind.is_still() {
            return 0.0;
        }
        self.in_air(view, |_, _| ());
        let (triangles, relative) = (self.triangles.elements(), &self.relative);
        self.partials.sum(triangles.len(), |range| {
            let power = |triangle: &AirTriangle| {
                let at = |values: &[DVec3]| triangle.nodes.map(|n| values[n as usize]);
                let (v, u) = (at(view.v), at(relative));
                // w = v - u
                triangle.force(at(view.x), u).dot((v[0] - u[0]) + (v[1] - u[1]) + (v[2] - u[2]))
            };
            triangles[range].iter().map(power).sum()
        })
    }
}

impl Incremental for Aerodynamics {
    fn mark_dirty(&mut self, view: &View, moved: &DirtySet, out: &mut DirtySet) {
        if !self.properties().is_steady && self.known_time != view.time {
            return out.add_all();
        }
        self.triangles.mark_dirty(view, moved, out);
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        if self.wind.is_still() {
            return self.triangles.update_force(view, reached, out);
        }
        self.relative.resize(view.v.len(), DVec3::ZERO);
        // all corners of triangles that have changed are among them
        for i in reached.iter().map(|i| *i as usize).filter(|i| (self.range[0]..self.range[1]).contains(i)) {
            self.relative[i] = view.v[i] - self.wind.at(view.x[i], view.time);
        }
        self.triangles.update_force(&View { v: &self.relative, ..*view }, reached, out);
    }
}
