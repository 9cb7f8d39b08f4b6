//! Gas inside a closed surface: `E = -∫ p dV`, `f_a = p ∂V/∂x_a`, with the pressure above that of the surroundings
//!
//! `p` constant, or `p = p₀ (V₀/V)^γ - p_out` of an enclosed amount: γ = 1 isothermal, 1.4 adiabatic for air.
//!
//! `V = ⅙ Σ x₀·(x₁ × x₂)` over triangles wound so that normals point outwards. Over the fan of triangles (a, b, c) around a vertex
//! `∂V/∂x_a = ⅙ Σ (x_b - x_a) × (x_c - x_a)`, because the surface is closed; this form is independent of the origin.
//!
//! Derivatives. `p ∂²V/∂x_a∂x_b = p/6 [x_d - x_c]×` for an edge (a, b) between triangles (a, b, c) and (b, a, d): unsymmetric for one
//! triangle, symmetric for two that share an edge, so on closed surfaces only. It has eigenvalues of both signs wherever there is a
//! pressure, and the positive semi-definite kind leaves it out. The change of pressure with volume adds `dp/dV ∇V ∇Vᵀ`, which couples
//! every particle of the surface with every other. Up to [`DENSE_LIMIT`] particles it is in the matrix, in all kinds (it stiffens, so the sign
//! is right); above, the matrix would be full, and it is a term beside it ([`Jacobian::low_rank`]), except where only some rows are requested: there
//! Newton's method converges linearly. The bound of the stiffness for explicit schemes always counts it.

use glam::{DMat3, DVec3};
use pliant_core::rows::for_each_row;
use pliant_core::{DirtySet, ForceModel, ForceProperties, Incremental, Jacobian, JacobianKind, Rates, View};
use pliant_linalg::pattern::{Pattern, PatternBuilder};
use pliant_parallel::{Partials, for_each_chunk};
use pliant_scalar::math;
use thiserror::Error;

use super::algebra::{cross, outer};
use super::surface::{SurfaceError, check_closed};

/// Particles of a surface up to which the change of pressure with volume is in the matrix.
pub const DENSE_LIMIT: usize = 200;

/// Volumes below this fraction of the first one are inadmissible: the pressure is clamped to that at this fraction.
const MIN_VOLUME: f64 = 1e-6;

/// Errors of a filling.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PressureError {
    /// The surface encloses nothing.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// No gas is like that.
    #[error("pressure, volume and exponent of a gas must be positive and finite, the pressure outside not negative")]
    BadFilling,
}

/// Filling of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Filling {
    /// A pressure above that of the surroundings that does not change with the volume, Pa.
    Constant(f64),
    /// An amount of gas.
    Gas {
        /// Absolute pressure at `volume`, Pa.
        pressure: f64,
        /// m³
        volume: f64,
        /// γ: 1 isothermal, 1.4 adiabatic for air.
        exponent: f64,
        /// Absolute pressure of the surroundings, Pa.
        outside: f64,
    },
}

impl Filling {
    /// Pressure above the surroundings' and its derivative in the volume, Pa and Pa/m³.
    pub fn pressure(&self, v: f64) -> (f64, f64) {
        match *self {
            Filling::Constant(pressure) => (pressure, 0.0),
            Filling::Gas { pressure, volume, exponent, outside } => {
                let v = v.max(MIN_VOLUME * volume);
                let inside = pressure * math::pow(volume / v, exponent);
                (inside - outside, -exponent * inside / v)
            }
        }
    }

    /// `-∫ p dV`, J; infinite where the gas would have no volume. The energy of a gas is relative to its first volume.
    pub fn energy(&self, v: f64) -> f64 {
        match *self {
            Filling::Constant(pressure) => -pressure * v,
            Filling::Gas { volume, .. } if v < MIN_VOLUME * volume => f64::INFINITY,
            Filling::Gas { pressure, volume, exponent, outside } => {
                let work = if exponent == 1.0 {
                    pressure * volume * math::ln(v / volume)
                } else {
                    pressure * volume * (1.0 - math::pow(volume / v, exponent - 1.0)) / (exponent - 1.0)
                };
                outside * (v - volume) - work
            }
        }
    }

    fn is_good(&self) -> bool {
        match *self {
            Filling::Constant(pressure) => pressure.is_finite(),
            Filling::Gas { pressure, volume, exponent, outside } => {
                let positive = |value: f64| value > 0.0 && value.is_finite();
                positive(pressure) && positive(volume) && positive(exponent) && outside >= 0.0 && outside.is_finite()
            }
        }
    }
}

/// Volume enclosed by triangles, m³: positive where their normals point outwards.
pub fn enclosed_volume(triangles: &[[u32; 3]], x: &[DVec3]) -> f64 {
    let origin = triangles.first().map_or(DVec3::ZERO, |t| x[t[0] as usize]);
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|n| x[n as usize] - origin);
        a.dot(b.cross(c))
    };
    triangles.iter().map(of).sum::<f64>() / 6.0
}

/// The force of the filling of a closed surface.
#[derive(Debug)]
pub struct Pressure {
    filling: Filling,
    triangles: Vec<[u32; 3]>,
    /// Particles of the surface, in increasing order.
    nodes: Vec<u32>,
    /// Fan of each of them: `fans[start[i]..start[i + 1]]` are the other corners, in the order of triangles.
    start: Vec<u32>,
    fans: Vec<[u32; 2]>,
    /// Positions in the matrix of the blocks of each fan's corners.
    positions: Vec<[u32; 2]>,
    /// Positions of all pairs of nodes by rows; empty where the matrix is kept sparse.
    pairs: Vec<u32>,
    dense: bool,
    /// `∂V/∂x`, written before every use.
    gradient: Vec<DVec3>,
    /// Pressure at the last evaluation of forces, Pa; `None` where it has changed.
    known: Option<f64>,
    partials: Partials,
}

impl Pressure {
    /// A filling of triangles that enclose something, wound with normals outwards.
    pub fn new(triangles: Vec<[u32; 3]>, filling: Filling) -> Result<Self, PressureError> {
        check_closed(&triangles)?;
        if !filling.is_good() {
            return Err(PressureError::BadFilling);
        }
        let mut nodes: Vec<u32> = triangles.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut around: Vec<(u32, [u32; 2])> = Vec::with_capacity(3 * triangles.len());
        for t in &triangles {
            around.extend((0..3).map(|k| (t[k], [t[(k + 1) % 3], t[(k + 2) % 3]])));
        }
        // stable: fans stay in the order of triangles
        around.sort_by_key(|(node, _)| *node);
        let mut start = vec![0];
        for node in &nodes {
            start.push(around.partition_point(|(n, _)| n <= node) as u32);
        }
        let dense = nodes.len() <= DENSE_LIMIT && matches!(filling, Filling::Gas { .. });
        Ok(Self {
            filling,
            triangles,
            gradient: vec![DVec3::ZERO; nodes.len()],
            known: None,
            nodes,
            start,
            fans: around.into_iter().map(|(_, pair)| pair).collect(),
            positions: Vec::new(),
            pairs: Vec::new(),
            dense,
            partials: Partials::default(),
        })
    }

    /// Volume inside, m³.
    pub fn volume(&mut self, view: &View) -> f64 {
        let triangles = &self.triangles;
        let origin = self.nodes.first().map_or(DVec3::ZERO, |n| view.x[*n as usize]);
        let six = self.partials.sum(triangles.len(), |range| {
            let of = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|n| view.x[n as usize] - origin);
                a.dot(b.cross(c))
            };
            triangles[range].iter().map(of).sum()
        });
        six / 6.0
    }

    fn write_gradient(&mut self, view: &View) {
        let mut all = std::mem::take(&mut self.gradient);
        for_each_chunk(&mut all, |first, chunk| {
            for (i, gradient) in (first..).zip(chunk) {
                *gradient = self.gradient_of(i, view);
            }
        });
        self.gradient = all;
    }

    fn fan(&self, i: usize) -> &[[u32; 2]] {
        &self.fans[self.start[i] as usize..self.start[i + 1] as usize]
    }

    fn gradient_of(&self, i: usize, view: &View) -> DVec3 {
        let centre = view.x[self.nodes[i] as usize];
        let cross = |pair: &[u32; 2]| (view.x[pair[0] as usize] - centre).cross(view.x[pair[1] as usize] - centre);
        self.fan(i).iter().map(cross).fold(DVec3::ZERO, |sum, part| sum + part) / 6.0
    }

    /// Indices of the particles that belong to the surface.
    fn own<'a>(&'a self, particles: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
        particles.iter().filter_map(|particle| self.nodes.binary_search(particle).ok())
    }

    fn pressure(&mut self, view: &View) -> (f64, f64) {
        let volume = self.volume(view);
        self.filling.pressure(volume)
    }
}

impl ForceModel for Pressure {
    fn name(&self) -> &'static str {
        "pressure"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties { is_steady: true, is_internal: true, ..ForceProperties::default() }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        let volume = self.volume(view);
        Some(self.filling.energy(volume))
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        let (pressure, _) = self.pressure(view);
        self.known = Some(pressure);
        self.write_gradient(view);
        for (node, gradient) in self.nodes.iter().zip(&self.gradient) {
            out[*node as usize] += *gradient * pressure;
        }
    }

    fn couple(&self, pattern: &mut PatternBuilder) {
        for [a, b, c] in &self.triangles {
            for (a, b) in [(a, b), (b, c), (c, a)] {
                pattern.couple(*a as usize, *b as usize);
            }
        }
        if self.dense {
            for (i, a) in self.nodes.iter().enumerate() {
                self.nodes[i..].iter().for_each(|b| pattern.couple(*a as usize, *b as usize));
            }
        }
    }

    fn bind(&mut self, pattern: &Pattern) {
        let find = |row: u32, column: u32| {
            pattern.find(row as usize, column as usize).expect("couple() announced every pair") as u32
        };
        let (start, fans) = (&self.start, &self.fans);
        let rows = self.nodes.iter().enumerate();
        self.positions = rows
            .flat_map(|(i, row)| {
                fans[start[i] as usize..start[i + 1] as usize].iter().map(|pair| pair.map(|b| find(*row, b)))
            })
            .collect();
        self.pairs.clear();
        if self.dense {
            self.pairs.extend(self.nodes.iter().flat_map(|a| self.nodes.iter().map(|b| find(*a, *b))));
        }
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        let (pressure, slope) = self.pressure(view);
        let pattern = out.stiffness.pattern.clone();
        let add_row = |i: usize, values: &mut [DMat3], offset: usize| {
            let centre = view.x[self.nodes[i] as usize];
            for (pair, position) in self.fan(i).iter().zip(&self.positions[self.start[i] as usize..]) {
                let [b, c] = pair.map(|n| cross((view.x[n as usize] - centre) * (pressure / 6.0)));
                values[position[0] as usize - offset] -= c;
                values[position[1] as usize - offset] += b;
            }
        };
        if out.is_partial {
            if kind != JacobianKind::Psd {
                self.own(&out.rows).for_each(|i| add_row(i, &mut out.stiffness.values, 0));
            }
        } else if let (Some(first), Some(last)) = (self.nodes.first(), self.nodes.last())
            && kind != JacobianKind::Psd
        {
            let rows = *first as usize..*last as usize + 1;
            let values = pattern.row_start[rows.start] as usize..pattern.row_start[rows.end] as usize;
            for_each_row(&pattern, rows, &mut out.stiffness.values[values], &mut [], &|row, offset, values, _| {
                if let Ok(i) = self.nodes.binary_search(&(row as u32)) {
                    add_row(i, values, offset);
                }
            });
        }
        if slope != 0.0 && !self.dense && !out.is_partial {
            self.write_gradient(view);
            out.low_rank.add(slope, self.nodes.iter().copied().zip(self.gradient.iter().copied()));
        }
        if !self.pairs.is_empty() {
            self.write_gradient(view);
            for (row, a) in self.pairs.chunks(self.nodes.len()).zip(&self.gradient) {
                for (position, b) in row.iter().zip(&self.gradient) {
                    out.stiffness.values[*position as usize] += outer(*a, *b) * slope;
                }
            }
        }
    }

    fn add_rates(&mut self, view: &View, free: &[bool], out: &mut [Rates]) {
        let (pressure, slope) = self.pressure(view);
        self.write_gradient(view);
        let sum: f64 =
            self.nodes.iter().zip(&self.gradient).filter(|(n, _)| free[**n as usize]).map(|(_, g)| g.length()).sum();
        for (i, node) in self.nodes.iter().enumerate() {
            // |p/6 [x_d - x_c]×| for every edge of the node: its fan's other sides bound it, and every corner of the fan is met twice
            let centre = view.x[*node as usize];
            let fan = &self.fans[self.start[i] as usize..self.start[i + 1] as usize];
            let arms: f64 = fan.iter().map(|pair| link(fan, pair[0], pair[1], view, centre)).sum();
            out[*node as usize].stiffness +=
                pressure.abs() / 6.0 * arms + slope.abs() * self.gradient[i].length() * sum;
        }
    }

    fn as_incremental(&mut self) -> Option<&mut dyn Incremental> {
        Some(self)
    }
}

impl Incremental for Pressure {
    fn mark_dirty(&mut self, _view: &View, moved: &DirtySet, out: &mut DirtySet) {
        if matches!(self.filling, Filling::Constant(_)) {
            for i in self.own(moved.list()) {
                out.add(self.nodes[i]);
                self.fan(i).iter().flatten().for_each(|neighbour| out.add(*neighbour));
            }
        } else if self.own(moved.list()).next().is_some() {
            // any motion changes the volume, and with it the pressure on all particles
            self.known = None;
            self.nodes.iter().for_each(|node| out.add(*node));
        }
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        let pressure = self.known.unwrap_or_else(|| self.pressure(view).0);
        self.known = Some(pressure);
        for i in self.own(reached) {
            out[self.nodes[i] as usize] += self.gradient_of(i, view) * pressure;
        }
    }
}

/// `|x_d - x_c|` for the edge to `b`, where `c` follows it in its fan and `d` comes before.
fn link(fan: &[[u32; 2]], b: u32, c: u32, view: &View, centre: DVec3) -> f64 {
    let before = fan.iter().find(|pair| pair[1] == b).map_or(centre, |pair| view.x[pair[0] as usize]);
    (before - view.x[c as usize]).length()
}

#[cfg(test)]
mod tests {
    use glam::DMat3;

    use super::*;

    fn tetrahedron() -> (Vec<[u32; 3]>, Vec<DVec3>) {
        let x = vec![DVec3::ZERO, DVec3::X * 2.0, DVec3::Y * 3.0, DVec3::new(0.5, 0.25, 4.0)];
        (vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], x)
    }

    #[test]
    fn a_tetrahedron_has_its_volume_and_the_right_gradient() {
        let (triangles, x) = tetrahedron();
        assert_eq!(enclosed_volume(&triangles, &x), 4.0);
        let mut model = Pressure::new(triangles, Filling::Constant(6.0)).unwrap();
        let v = [DVec3::ZERO; 4];
        let view = View { time: 0.0, x: &x, v: &v };
        assert_eq!(model.volume(&view), 4.0);
        assert_eq!(model.energy(&view), Some(-24.0));
        let mut force = [DVec3::ZERO; 4];
        model.add_force(&view, &mut force);
        // a third of base times height: the gradient at a corner is a third of the opposite face's area vector, inwards of it outwards
        assert_eq!(force[3], DVec3::Z * 6.0);
        let opposite = (x[2] - x[1]).cross(x[3] - x[1]);
        assert!((force[0] + opposite).length() < 1e-14);
        assert!(force.iter().sum::<DVec3>().length() < 1e-14);
    }

    #[test]
    fn gases_expand_along_their_laws() {
        for exponent in [1.0, 1.4] {
            let gas = Filling::Gas { pressure: 2e5, volume: 0.5, exponent, outside: 1e5 };
            assert_eq!(gas.pressure(0.5).0, 1e5);
            assert_eq!(gas.energy(0.5), 0.0);
            let (v, s) = (0.7, 1e-4);
            let (pressure, slope) = gas.pressure(v);
            let quotient = (gas.energy(v - s) - gas.energy(v + s)) / (2.0 * s);
            // s²/6 p'' with p'' = γ (γ + 1) p/V², and rounding of an energy of 1e5 J over 2 s
            let tolerance = s * s / 6.0 * 4.0 * 2e5 / 0.49 + 1e5 * 1e-15 / s;
            assert!((quotient - pressure).abs() < tolerance, "{quotient} {pressure}");
            let quotient = (gas.pressure(v + s).0 - gas.pressure(v - s).0) / (2.0 * s);
            assert!((quotient - slope).abs() < s * s / 6.0 * 20.0 * 2e5 / 0.343 + 1e5 * 1e-15 / s);
            assert_eq!(gas.energy(-1.0), f64::INFINITY);
            assert!(gas.pressure(-1.0).0.is_finite());
        }
    }

    #[test]
    fn open_surfaces_and_impossible_gases_are_refused() {
        let (mut triangles, _) = tetrahedron();
        let gas = Filling::Gas { pressure: -1.0, volume: 1.0, exponent: 1.0, outside: 0.0 };
        assert_eq!(Pressure::new(triangles.clone(), gas).err(), Some(PressureError::BadFilling));
        triangles.pop();
        assert!(matches!(Pressure::new(triangles, Filling::Constant(1.0)), Err(PressureError::Surface(_))));
    }

    #[test]
    fn the_derivative_of_constant_pressure_is_symmetric_over_the_whole() {
        let (triangles, x) = tetrahedron();
        let edge = |a: usize, b: usize| -> DMat3 {
            // p/6 [x_d - x_c]× summed over the two triangles of the edge
            let of = |t: &[u32; 3]| {
                let place = t.iter().position(|n| *n as usize == a)?;
                let (next, last) = (t[(place + 1) % 3] as usize, t[(place + 2) % 3] as usize);
                match b {
                    b if b == next => Some(-cross(x[last] - x[a])),
                    b if b == last => Some(cross(x[next] - x[a])),
                    _ => None,
                }
            };
            triangles.iter().filter_map(of).fold(DMat3::ZERO, |sum, part| sum + part)
        };
        for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            assert_eq!(edge(a, b), edge(b, a).transpose());
        }
    }
}
