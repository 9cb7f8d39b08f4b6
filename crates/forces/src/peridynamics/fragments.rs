//! Fragments: connected components of the intact bonds.

use glam::DVec3;

/// The fragment of every particle. Fragments are numbered in the order of their first particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fragments {
    /// Fragment index of each particle.
    pub of: Vec<u32>,
    /// Number of fragments.
    pub count: usize,
}

/// A fragment at a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fragment {
    /// Number of particles.
    pub particles: usize,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub centre: DVec3,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
}

impl Fragments {
    /// The connected components of `count` particles; `bonds` is called once and passes all pairs.
    pub fn new(count: usize, bonds: impl FnOnce(&mut dyn FnMut(u32, u32))) -> Self {
        let mut parent: Vec<u32> = (0..count as u32).collect();
        fn root(parent: &mut [u32], mut i: u32) -> u32 {
            while parent[i as usize] != i {
                // path halving
                parent[i as usize] = parent[parent[i as usize] as usize];
                i = parent[i as usize];
            }
            i
        }
        bonds(&mut |a, b| {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            // the smaller index becomes the root, so that the result does not depend on the order of bonds
            parent[a.max(b) as usize] = a.min(b);
        });
        let mut number = vec![u32::MAX; count];
        let mut found = 0;
        let mut of = Vec::with_capacity(count);
        for i in 0..count as u32 {
            let root = root(&mut parent, i) as usize;
            if number[root] == u32::MAX {
                number[root] = found;
                found += 1;
            }
            of.push(number[root]);
        }
        Self { of, count: found as usize }
    }

    /// The fragments at a state, of particles with these masses.
    pub fn all(&self, masses: &[f64], x: &[DVec3], v: &[DVec3]) -> Vec<Fragment> {
        let mut all = vec![Fragment::default(); self.count];
        for (((fragment, mass), x), v) in self.of.iter().zip(masses).zip(x).zip(v) {
            let one = &mut all[*fragment as usize];
            one.particles += 1;
            one.mass += mass;
            one.centre += *x * *mass;
            one.velocity += *v * *mass;
        }
        for one in &mut all {
            one.centre /= one.mass;
            one.velocity /= one.mass;
        }
        all
    }
}
