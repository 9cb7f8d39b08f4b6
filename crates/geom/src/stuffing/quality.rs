//! How well tetrahedra are shaped.

use glam::DVec3;
use pliant_scalar::math;
use std::fmt;

/// Bins of the histogram of dihedral angles, ten degrees each.
pub const ANGLE_BINS: usize = 18;

/// Counts, volumes and dihedral angles. All zero without tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// How many tetrahedra.
    pub count: usize,
    /// Those with a volume that is not above zero.
    pub inverted: usize,
    /// Pieces that have no point in common.
    pub pieces: usize,
    /// Of all together, m³.
    pub volume: f64,
    /// The smallest, m³.
    pub least_volume: f64,
    /// The largest, m³.
    pub most_volume: f64,
    /// The smallest dihedral angle of any, degrees.
    pub least_angle: f64,
    /// The largest, degrees.
    pub most_angle: f64,
    /// How many dihedral angles (six per tetrahedron) lie in 0 to 10 degrees, 10 to 20, …
    pub angles: [usize; ANGLE_BINS],
}

impl Quality {
    /// Measures tetrahedra. Those with corners out of range, or not finite, count as inverted.
    pub fn of(points: &[DVec3], tets: &[[u32; 4]]) -> Self {
        let mut quality = Self { count: tets.len(), pieces: count_pieces(points.len(), tets), ..Self::default() };
        let (mut volumes, mut range) = ((f64::INFINITY, f64::NEG_INFINITY), (f64::INFINITY, f64::NEG_INFINITY));
        for tet in tets {
            let corners = tet.map(|c| points.get(c as usize).copied().unwrap_or(DVec3::NAN));
            let volume = volume_of(corners);
            if !(volume > 0.0 && volume.is_finite()) {
                quality.inverted += 1;
                if !volume.is_finite() {
                    continue;
                }
            }
            quality.volume += volume;
            volumes = (volumes.0.min(volume), volumes.1.max(volume));
            for angle in dihedral_angles(corners) {
                range = (range.0.min(angle), range.1.max(angle));
                quality.angles[((angle / 10.0) as usize).min(ANGLE_BINS - 1)] += 1;
            }
        }
        if volumes.0 <= volumes.1 {
            (quality.least_volume, quality.most_volume) = volumes;
            (quality.least_angle, quality.most_angle) = range;
        }
        quality
    }
}

/// How many groups of tetrahedra have no point in common with the others.
fn count_pieces(points: usize, tets: &[[u32; 4]]) -> usize {
    // Every point leads towards the lowest of its group; paths are halved on the way.
    let mut towards: Vec<u32> = (0..points as u32).collect();
    fn lowest(towards: &mut [u32], mut at: u32) -> u32 {
        while towards[at as usize] != at {
            towards[at as usize] = towards[towards[at as usize] as usize];
            at = towards[at as usize];
        }
        at
    }
    let mut used = vec![false; points];
    for tet in tets.iter().filter(|tet| tet.iter().all(|c| (*c as usize) < points)) {
        tet.iter().for_each(|&c| used[c as usize] = true);
        for &corner in &tet[1..] {
            let (a, b) = (lowest(&mut towards, tet[0]), lowest(&mut towards, corner));
            towards[a.max(b) as usize] = a.min(b);
        }
    }
    (0..points).filter(|&p| used[p] && towards[p] as usize == p).count()
}

/// The volume of a tetrahedron, above zero if its corners are positively oriented.
pub(super) fn volume_of([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).dot((c - a).cross(d - a)) / 6.0
}

/// The angles between the faces at the six edges, degrees.
pub fn dihedral_angles(x: [DVec3; 4]) -> [f64; 6] {
    [(0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 2, 0), (2, 3, 0, 1)].map(|(i, j, k, l)| {
        let edge = x[j] - x[i];
        // Normals of the two faces, turned into the plane across the edge; the arctangent is exact near 0 and 180.
        let (n, m) = (edge.cross(x[k] - x[i]), edge.cross(x[l] - x[i]));
        math::atan2(n.cross(m).length(), n.dot(m)).to_degrees()
    })
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} tetrahedra in {} piece{}, {:.4e} m³ ({:.2e} to {:.2e} each), dihedral angles {:.1} to {:.1} degrees",
            self.count,
            self.pieces,
            if self.pieces == 1 { "" } else { "s" },
            self.volume,
            self.least_volume,
            self.most_volume,
            self.least_angle,
            self.most_angle
        )?;
        if self.inverted > 0 { write!(f, ", {} inverted", self.inverted) } else { Ok(()) }
    }
}
