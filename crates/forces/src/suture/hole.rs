//! A hole: a point of a triangle that is constrained to a thread, free to slide along it.
//!
//! With `d = p - r(u)` from the thread to the point of the triangle, and u the parameter of the nearest point of the thread, the energy is
//! `E = ½ k |d|²`. Sliding changes no energy: the derivative by u is zero there, so the forces are `f_a = -k c_a d` with d = Σ c_a x_a, and the
//! second derivatives follow from eliminating u, `k c_a c_b I - s_a s_bᵀ / φ_uu` with `s_a = k (c'_a d - c_a r')` and `φ_uu = k (|r'|² - d·r'')`.

use glam::{DMat3, DVec3};

use super::thread::{Support, Thread};
use crate::cloth::algebra::outer;
use crate::contact::lagged_friction::{friction_factor, friction_potential};

/// A hole that a needle has made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// Index of the triangle.
    pub triangle: u32,
    /// Barycentric coordinates of the hole.
    pub weights: [f64; 3],
    /// Whether the needle entered the body here.
    pub enters: bool,
    /// Parameter along the thread, in segments from the needle's tip, at the start of the step.
    pub u: f64,
    /// For lagged friction: particles at the start of the step, corners first,
    nodes: [u32; 6],
    /// their weights in the distance d,
    weighs: [f64; 6],
    /// and the direction of the thread.
    way: DVec3,
}

/// Numbers that store a hole.
pub(super) const NUMBERS: usize = 21;

/// The distance d at a state.
pub(super) struct Distance {
    pub nodes: [u32; 6],
    pub weighs: [f64; 6],
    pub d: DVec3,
    pub support: Support,
    /// Whether an end of the thread is nearest, where sliding stops.
    at_end: bool,
}

impl Hole {
    /// A hole in a triangle, with its thread at u.
    pub(super) fn new(triangle: u32, weights: [f64; 3], enters: bool, u: f64) -> Self {
        Self { triangle, weights, enters, u, nodes: [0; 6], weighs: [0.0; 6], way: DVec3::ZERO }
    }

    /// Its numbers, for [`pliant_core::Stateful::memory`],
    pub(super) fn numbers(&self) -> [f64; NUMBERS] {
        let mut out = [0.0; NUMBERS];
        out[..3].copy_from_slice(&[f64::from(self.triangle), f64::from(u8::from(self.enters)), self.u]);
        out[3..6].copy_from_slice(&self.weights);
        out[6..12].copy_from_slice(&self.nodes.map(f64::from));
        out[12..18].copy_from_slice(&self.weighs);
        out[18..].copy_from_slice(&self.way.to_array());
        out
    }

    /// and the inverse.
    pub(super) fn from_numbers(n: &[f64; NUMBERS]) -> Self {
        let hole = Self::new(n[0] as u32, [n[3], n[4], n[5]], n[1] != 0.0, n[2]);
        let nodes = std::array::from_fn(|k| n[6 + k] as u32);
        Self { nodes, weighs: std::array::from_fn(|k| n[12 + k]), way: DVec3::from_slice(&n[18..]), ..hole }
    }

    /// Whether all of its particles belong to one of these triangles and to the thread.
    pub(super) fn is_among(&self, triangles: &[([u32; 3], u32)], thread: &Thread) -> bool {
        let known = triangles.get(self.triangle as usize).is_some_and(|(corners, _)| self.nodes[..3] == corners[..]);
        known && self.nodes[3..].iter().all(|node| thread.points.contains(node))
    }

    pub(super) fn distance(&self, thread: &Thread, corners: [u32; 3], x: &[DVec3]) -> (f64, Distance) {
        let place = self.place(corners, x);
        let u = thread.nearest(place, self.u, x);
        let support = thread.support(u);
        let [a, b, c] = corners;
        let [k, l, m] = support.nodes;
        let [p, q, r] = self.weights;
        let [s, t, v] = support.weights;
        let d = place - support.at(x);
        let at_end = u <= 0.0 || u >= thread.segments();
        (u, Distance { nodes: [a, b, c, k, l, m], weighs: [p, q, r, -s, -t, -v], d, support, at_end })
    }

    /// Position of the hole, m.
    pub fn place(&self, corners: [u32; 3], x: &[DVec3]) -> DVec3 {
        corners.iter().zip(self.weights).fold(DVec3::ZERO, |sum, (corner, w)| sum + x[*corner as usize] * w)
    }

    /// Sets the data of lagged friction at the start of a step.
    pub(super) fn begin(&mut self, thread: &Thread, corners: [u32; 3], x: &[DVec3]) {
        let (u, distance) = self.distance(thread, corners, x);
        self.u = u;
        self.nodes = distance.nodes;
        self.weighs = distance.weighs;
        self.way = distance.support.slope(x).normalize_or_zero();
    }

    /// Sliding velocity of the hole along the thread, m/s.
    fn sliding(&self, v: &[DVec3]) -> f64 {
        self.nodes.iter().zip(self.weighs).fold(0.0, |sum, (node, w)| sum + w * v[*node as usize].dot(self.way))
    }

    /// Particles on which friction acts.
    pub(super) fn nodes(&self) -> &[u32; 6] {
        &self.nodes
    }

    /// Calls `f` with each of them and the friction force on it, N; `grip` is the friction limit, N.
    pub(super) fn for_each_friction(&self, grip: f64, creep: f64, v: &[DVec3], f: &mut impl FnMut(u32, DVec3)) {
        let speed = self.sliding(v);
        let force = self.way * -(grip * friction_factor(speed.abs(), creep).0 * speed);
        for (node, w) in self.nodes.iter().zip(self.weighs) {
            f(*node, force * w);
        }
    }

    /// Power of friction, W,
    pub(super) fn power(&self, grip: f64, creep: f64, v: &[DVec3]) -> f64 {
        let speed = self.sliding(v);
        -grip * friction_factor(speed.abs(), creep).0 * speed * speed
    }

    /// its potential, W,
    pub(super) fn potential(&self, grip: f64, creep: f64, v: &[DVec3]) -> f64 {
        grip * friction_potential(self.sliding(v).abs(), creep)
    }

    /// and its derivatives: particles and a function that gives the block of two of them.
    pub(super) fn damping(&self, grip: f64, creep: f64, v: &[DVec3]) -> ([u32; 6], impl Fn(usize, usize) -> DMat3) {
        let speed = self.sliding(v).abs();
        let (g, rate) = friction_factor(speed, creep);
        let block = outer(self.way, self.way) * -(grip * (g + rate * speed * speed).max(0.0));
        let weighs = self.weighs;
        (self.nodes, move |a, b| block * (weighs[a] * weighs[b]))
    }
}

impl Distance {
    /// `∂f_a/∂x_b` for a stiffness k: exact, or without the terms that may be indefinite.
    pub fn blocks(&self, k: f64, exact: bool, x: &[DVec3]) -> impl Fn(usize, usize) -> DMat3 {
        let slope = self.support.slope(x);
        let weighs = self.weighs;
        let mut changes = [0.0; 6];
        for (change, first) in changes[3..].iter_mut().zip(self.support.first) {
            *change = -first;
        }
        let d = if exact { self.d } else { DVec3::ZERO };
        let curved = slope.length_squared() - if exact { self.d.dot(self.support.bend(x)) } else { 0.0 };
        let slides = if self.at_end || curved == 0.0 { 0.0 } else { k / curved };
        move |a, b| {
            let [s, t] = [a, b].map(|i| d * changes[i] - slope * weighs[i]);
            outer(s, t) * slides - DMat3::from_diagonal(DVec3::splat(k * weighs[a] * weighs[b]))
        }
    }
}
