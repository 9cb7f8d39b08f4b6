//! Michell's ring: a rod that is straight at rest, bent to a ring and closed after its ends were turned against each other by Θ, stays flat up
//! to `Θ_c = 2π √3 EI/GJ` [Michell] and then writhes. Found here as the sign change of the lowest eigenvalue of the ring's matrix: at the
//! threshold two modes (one a quarter of a wave along the other) turn unstable at once. That all sections turn together about the centreline
//! costs nothing in theory and next to nothing here; this one mode, of either sign, is not counted.

use glam::DVec3;
use pliant_core::{Element, JacobianKind};
use pliant_forces::rope::{Rope, RopeMaterial, RopeSpec, rope};
use pliant_forces::{Angle, GreenSpring, Spring, Torsion};
use pliant_geom::rope::{Curve, Frames};
use std::f64::consts::TAU;

const SEGMENTS: usize = 100;
const RADIUS: f64 = 0.2;

/// A symmetric matrix by rows from their first entry that is not zero to the diagonal.
struct Skyline {
    first: Vec<usize>,
    rows: Vec<Vec<f64>>,
}

impl Skyline {
    /// Of a ring's blocks. Points are taken from both sides in turns, so that a ring has a band like a chain.
    fn place(point: usize) -> usize {
        if 2 * point < SEGMENTS { 2 * point } else { 2 * (SEGMENTS - point) - 1 }
    }

    /// Where a coordinate of a particle stands.
    fn index(particle: usize, axis: usize) -> usize {
        12 * Self::place(particle / 4) + 3 * (particle % 4) + axis
    }

    /// Room for blocks between points that are no farther than two apart.
    fn new() -> Self {
        let first: Vec<usize> = (0..12 * SEGMENTS).map(|row| 12 * (row / 12).saturating_sub(4)).collect();
        let rows = first.iter().enumerate().map(|(row, first)| vec![0.0; row + 1 - first]).collect();
        Self { first, rows }
    }

    fn add(&mut self, r: usize, c: usize, value: f64) {
        if c <= r {
            let first = self.first[r];
            self.rows[r][c - first] += value;
        }
    }

    /// `L D Lᵀ` in place; how many entries of D are negative: as many as eigenvalues (Sylvester).
    fn factor(&mut self) -> usize {
        let n = self.rows.len();
        let mut negative = 0;
        for i in 0..n {
            let (done, rest) = self.rows.split_at_mut(i);
            let (row, start) = (&mut rest[0], self.first[i]);
            for j in start..i {
                let other = &done[j];
                let from = start.max(self.first[j]);
                let sum: f64 = (from..j).map(|k| row[k - start] * other[k - self.first[j]]).sum();
                row[j - start] -= sum;
            }
            let mut pivot = row[i - start];
            for j in start..i {
                let d = done[j][j - self.first[j]];
                let l = row[j - start] / d;
                pivot -= l * row[j - start];
                row[j - start] = l;
            }
            row[i - start] = pivot;
            negative += usize::from(pivot < 0.0);
        }
        negative
    }

    fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for i in 0..n {
            let start = self.first[i];
            b[i] -= (start..i).map(|j| self.rows[i][j - start] * b[j]).sum::<f64>();
        }
        for (b, row) in b.iter_mut().zip(&self.rows) {
            *b /= row[row.len() - 1];
        }
        for i in (0..n).rev() {
            let start = self.first[i];
            for j in start..i {
                b[j] -= self.rows[i][j - start] * b[i];
            }
        }
        b
    }
}

struct Ring {
    x: Vec<DVec3>,
    springs: Vec<Spring>,
    ties: Vec<GreenSpring>,
    angles: Vec<Angle>,
    torsions: Vec<Torsion>,
}

impl Ring {
    /// Turned by Θ: laid out without twist, with torsions that would be at rest turned back by their share, so that Θ need not be whole turns.
    fn new(material: RopeMaterial, theta: f64) -> Self {
        let line = Curve::Ring { radius: RADIUS }.centreline(SEGMENTS).unwrap();
        // one wing outward: there the section lies in balance, if it does not turn along the ring
        let mut frames = Frames::new(&line, 0.0);
        frames.q = line.points().iter().map(|p| p.normalize()).collect();
        let Rope { x, springs, ties, angles, torsions, .. } =
            rope(&line, &frames, &RopeSpec::new(material, 5e-3), 0).unwrap();
        let turned = |torsion: &Torsion| {
            Torsion::new(torsion.nodes(), line.edge(0).length(), -theta / SEGMENTS as f64, material.twist / 3.0)
                .unwrap()
        };
        Self { x, springs, ties, angles, torsions: torsions.iter().map(turned).collect() }
    }

    fn assemble(&self) -> (Skyline, Vec<f64>) {
        fn add<E: Element<N>, const N: usize>(elements: &[E], x: &[DVec3], matrix: &mut Skyline, load: &mut [f64]) {
            for element in elements {
                let nodes = element.nodes().map(|n| n as usize);
                let (at, still) = (nodes.map(|n| x[n]), [DVec3::ZERO; N]);
                let force = element.force(at, still);
                let (blocks, _) = element.jacobian(at, still, JacobianKind::Exact);
                for a in 0..N {
                    for r in 0..3 {
                        let row = Skyline::index(nodes[a], r);
                        load[row] += E::force_on(&force, a)[r];
                        for (b, node) in nodes.into_iter().enumerate() {
                            for c in 0..3 {
                                matrix.add(row, Skyline::index(node, c), -E::block(&blocks, a, b).col(c)[r]);
                            }
                        }
                    }
                }
            }
        }
        let (mut matrix, mut load) = (Skyline::new(), vec![0.0; 3 * self.x.len()]);
        add(&self.springs, &self.x, &mut matrix, &mut load);
        add(&self.ties, &self.x, &mut matrix, &mut load);
        add(&self.angles, &self.x, &mut matrix, &mut load);
        add(&self.torsions, &self.x, &mut matrix, &mut load);
        (matrix, load)
    }

    /// How many eigenvalues of the ring in balance are below -`margin` N/m. The ring is symmetric, so that Newton's method finds the flat
    /// state on both sides of the threshold; a shift keeps it from moving the whole, which costs nothing.
    fn unstable(mut self, margin: f64) -> usize {
        for _ in 0..30 {
            let (mut matrix, load) = self.assemble();
            matrix.rows.iter_mut().for_each(|row| *row.last_mut().unwrap() += 5.0);
            matrix.factor();
            let step = matrix.solve(load);
            for (particle, x) in self.x.iter_mut().enumerate() {
                *x += DVec3::from_array([0, 1, 2].map(|axis| step[Skyline::index(particle, axis)]));
            }
            if step.iter().fold(0.0_f64, |m, s| m.max(s.abs())) < 1e-14 {
                break;
            }
        }
        let flat = self.x.iter().step_by(4).map(|x| x.y.abs()).fold(0.0, f64::max);
        assert!(flat < 1e-3 * RADIUS, "the ring left its plane by {flat} m");
        let (mut matrix, load) = self.assemble();
        let left = load.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
        assert!(left < 1e-6, "not in balance: {left} N");
        matrix.rows.iter_mut().for_each(|row| *row.last_mut().unwrap() += margin);
        matrix.factor()
    }
}

#[test]
fn a_twisted_ring_buckles_where_theory_says() {
    for poisson in [0.3, 0.0] {
        let material = RopeMaterial::solid(1e7, poisson, 1000.0, 5e-3);
        let critical = TAU * 3_f64.sqrt() * material.bend / material.twist;
        let margin = 1e-4;
        let unstable = |part: f64| Ring::new(material, part * critical).unstable(margin);
        let buckled = |part: f64| unstable(part) >= 2;
        assert!(!buckled(0.0));
        let (mut low, mut high) = (0.9, 1.1);
        assert!(!buckled(low) && buckled(high), "EI/GJ = {}", material.bend / material.twist);
        while high - low > 1e-3 {
            let middle = 0.5 * (low + high);
            *if buckled(middle) { &mut high } else { &mut low } = middle;
        }
        println!("EI/GJ = {:.3}: buckles at {low:.4} to {high:.4} of 2π√3 EI/GJ", material.bend / material.twist);
        assert!(low > 0.97 && high < 1.03, "{low} {high}");
    }
}
