//! The cell of [Ropes] section 4, for study: sections of three particles R, P and Q (at the centreline and at a radius along two normals) and
//! per segment the tetrahedra (R', P, Q, R), (R', Q', Q, P) and (R', P, P', Q'), which fill the prism between two sections. All distinct edges
//! are springs, tetrahedra keep their volume, and the wings Q resist twist about the centreline.
//!
//! Its section is a right-angled triangle with the centreline in a corner, and its diagonals run one way: with edge springs alone and L = 2ρ one
//! bending direction is 3.2 times as stiff as the other, and stretch and bending go with twist (the tests of `rope_stiffness` measure it).
//! No choice of its constants decouples them, so that EI and GJ cannot be given: its springs have a force per strain, as rods have.

use glam::DVec3;
use pliant_geom::rope::{Centreline, Frames};

use super::RopeError;
use super::cell::{Binder, Rope, shares};
use crate::constraint::torsion::Torsion;
use crate::constraint::volume::{CollapseGuard, Volume};

/// Constants of the paper's cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperCell {
    /// Distance of P and Q from the centreline, m.
    pub radius: f64,
    /// Force per strain of each edge, N; its stiffness is this over its length.
    pub edge: f64,
    /// K of the volumes over their volume, Pa; 0: none.
    pub bulk: f64,
    /// Torsional stiffness about the centreline, N m²; 0: none.
    pub torsion: f64,
    /// kg/m.
    pub mass_per_length: f64,
    /// Relaxation time of springs, volumes and torsions, s.
    pub damping_time: f64,
}

/// Corners of the three tetrahedra of a segment: section (0 here, 1 next) and particle (R, P, Q).
const TETRAHEDRA: [[(usize, u32); 4]; 3] = {
    const R: u32 = 0;
    const P: u32 = 1;
    const Q: u32 = 2;
    [[(1, R), (0, P), (0, Q), (0, R)], [(1, R), (1, Q), (0, Q), (0, P)], [(1, R), (0, P), (1, P), (1, Q)]]
};

/// The paper's rope along a centreline, without stress as it is laid out. Point k of the centreline is particle `first + 3k`; P and Q follow.
pub fn paper_rope(line: &Centreline, frames: &Frames, cell: &PaperCell, first: u32) -> Result<Rope, RopeError> {
    line.check_radius(cell.radius)?;
    for (what, value) in [("stiffness of edges", cell.edge), ("mass per length", cell.mass_per_length)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(RopeError::NotPositive { what, value });
        }
    }
    let rest = [
        ("stiffness of volumes", cell.bulk),
        ("torsional stiffness", cell.torsion),
        ("damping time", cell.damping_time),
    ];
    if let Some(&(what, value)) = rest.iter().find(|(_, value)| !(*value >= 0.0 && value.is_finite())) {
        return Err(RopeError::Negative { what, value });
    }
    let mut rope = Rope { is_closed: line.is_closed(), ..Rope::default() };
    for (k, (point, share)) in line.points().iter().zip(shares(line)).enumerate() {
        rope.x.extend([*point, *point + frames.p(k) * cell.radius, *point + frames.q[k] * cell.radius]);
        rope.masses.extend([share * cell.mass_per_length / 3.0; 3]);
        rope.centreline.push(first + 3 * k as u32);
        rope.wings.push(first + 3 * k as u32 + 2);
    }
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for segment in 0..line.segments() {
        let (i, j) = line.ends(segment);
        let base = [3 * i as u32, 3 * j as u32];
        for corners in TETRAHEDRA {
            let nodes = corners.map(|(section, particle)| base[section] + particle);
            let x: [DVec3; 4] = nodes.map(|n| rope.x[n as usize]);
            for a in 0..4 {
                edges.extend((0..a).map(|b| [nodes[a].min(nodes[b]), nodes[a].max(nodes[b])]));
            }
            if cell.bulk > 0.0 {
                let stiffness = cell.bulk * crate::constraint::volume::volume(x).abs();
                let volume = Volume::new(nodes.map(|n| first + n), x, stiffness, CollapseGuard::default())?;
                rope.volumes.push(volume.damped(cell.damping_time)?);
            }
        }
        if cell.torsion > 0.0 {
            let nodes = [base[0], base[1], base[0] + 2, base[1] + 2];
            let twist = Torsion::twist(nodes.map(|n| rope.x[n as usize])).unwrap_or(0.0);
            let length = line.edge(segment).length();
            let torsion = Torsion::new(nodes.map(|n| first + n), length, twist, cell.torsion)?;
            rope.torsions.push(torsion.damped(cell.damping_time)?);
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let mut binder = Binder { x: &rope.x, first, springs: Vec::new() };
    for [a, b] in edges {
        let length = (rope.x[b as usize] - rope.x[a as usize]).length();
        binder.spring(a, b, cell.edge / length, cell.damping_time, None);
    }
    rope.springs = binder.springs;
    Ok(rope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::volume::volume;
    use pliant_geom::rope::Curve;

    fn cell() -> PaperCell {
        PaperCell { radius: 0.1, edge: 1.0, bulk: 2.0, torsion: 0.5, mass_per_length: 3.0, damping_time: 0.0 }
    }

    /// Radius 0.1, segments of 0.5: three volumes of 8.3333e-4 fill the prism of 2.5e-3.
    #[test]
    fn three_tetrahedra_fill_a_prism() {
        let line = Curve::Line { from: DVec3::ZERO, to: DVec3::new(0.0, 1.5, 0.0) }.centreline(3).unwrap();
        let rope = paper_rope(&line, &Frames::new(&line, 0.0), &cell(), 0).unwrap();
        assert_eq!((rope.volumes.len(), rope.x.len(), rope.torsions.len()), (9, 12, 3));
        let volumes = rope.volumes.iter().map(|cell| cell.rest_volume());
        assert!(volumes.clone().all(|v| (v - 2.5e-3 / 3.0).abs() < 1e-16), "all positive");
        assert!((volumes.sum::<f64>() - 7.5e-3).abs() < 1e-15);
        // 4 sections of 3 edges; per segment 3 along and 3 across faces
        assert_eq!(rope.springs.len(), 12 + 3 * 6);
        let x: [DVec3; 4] = [3, 1, 2, 0].map(|n: usize| rope.x[n]);
        assert!(volume(x) > 0.0);
        assert!((rope.masses.iter().sum::<f64>() - 4.5).abs() < 1e-14);
    }

    #[test]
    fn closed_and_impossible_ones() {
        let line = Curve::Ring { radius: 0.5 }.centreline(40).unwrap();
        let frames = Frames::new(&line, 0.0);
        let rope = paper_rope(&line, &frames, &cell(), 100).unwrap();
        assert_eq!((rope.volumes.len(), rope.springs.len()), (120, 40 * 9));
        assert!(rope.springs.iter().all(|spring| spring.nodes.iter().all(|n| (100..220).contains(n))));
        for bad in [
            PaperCell { edge: 0.0, ..cell() },
            PaperCell { bulk: -1.0, ..cell() },
            PaperCell { radius: 0.6, ..cell() },
            PaperCell { mass_per_length: f64::NAN, ..cell() },
        ] {
            assert!(paper_rope(&line, &frames, &bad, 0).is_err(), "{bad:?}");
        }
    }
}
