//! Bond lists (families). Every particle has its own list, so a bond is in two of them: each particle sums its own forces in a fixed order on any
//! number of threads, without write conflicts. Bonds are stored in groups of four, as they are processed; lists are sorted by partner.

use glam::DVec3;
use pliant_geom::CellGrid;
use pliant_parallel::for_each_task;

use super::lattice::{Calibration, part_within};
use super::settings::{BrittleError, GrainBody, Law};

/// Bonds per vector group.
pub(super) const LANES: usize = 4;

/// Bond lists of all particles, indexed from the first particle of the first body.
#[derive(Clone, Debug, Default)]
pub(super) struct Families {
    /// First group of each particle, and one past the last group.
    pub start: Vec<u32>,
    /// Partners; groups are padded with the particle itself.
    pub other: Vec<[u32; LANES]>,
    /// `C β V_i V_j/ξ`, N/m; negated once broken, zero for padding.
    pub stiffness: Vec<[f64; LANES]>,
    /// ξ, m.
    pub rest: Vec<[f64; LANES]>,
    /// `β V_j`, m³; only where a body is state-based.
    pub share: Vec<[f64; LANES]>,
}

/// A bond, in the list of one of its ends.
#[derive(Clone, Copy, Debug)]
struct Link {
    other: u32,
    rest: f64,
    part: f64,
    stiffness: f64,
}

impl Families {
    /// Finds the bonds of all bodies; `rest` are the rest positions of their particles.
    pub fn new(bodies: &[GrainBody], rest: &[DVec3]) -> Result<Self, BrittleError> {
        let mut links: Vec<Vec<Link>> = vec![Vec::new(); rest.len()];
        let begin = bodies.first().map_or(0, |body| body.particles.start);
        let has_states = bodies.iter().any(|body| body.law == Law::StateBased);
        for body in bodies {
            let range = body.particles.start - begin..body.particles.end - begin;
            bond(body, range.clone(), rest, &mut links);
            let own = &links[range.clone()];
            let lonely = own.iter().filter(|list| list.is_empty()).count();
            if let Some(particle) = own.iter().position(Vec::is_empty) {
                return Err(BrittleError::Lonely { particle, count: lonely });
            }
            stiffen(body, range, rest, &mut links);
        }
        let mut families = Self { start: vec![0], ..Self::default() };
        let volumes: Vec<f64> =
            bodies.iter().flat_map(|b| b.particles.clone().map(|_| b.space.volume(b.spacing))).collect();
        for (i, list) in links.iter().enumerate() {
            for group in list.chunks(LANES) {
                let of = |lane: usize| group.get(lane);
                families.other.push(std::array::from_fn(|lane| of(lane).map_or(i as u32, |link| link.other)));
                families.stiffness.push(std::array::from_fn(|lane| of(lane).map_or(0.0, |link| link.stiffness)));
                families.rest.push(std::array::from_fn(|lane| of(lane).map_or(1.0, |link| link.rest)));
                if has_states {
                    let share = |link: &Link| link.part * volumes[link.other as usize];
                    families.share.push(std::array::from_fn(|lane| of(lane).map_or(0.0, share)));
                }
            }
            families.start.push(families.other.len() as u32);
        }
        Ok(families)
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Groups of a particle.
    pub fn groups(&self, i: usize) -> std::ops::Range<usize> {
        self.start[i] as usize..self.start[i + 1] as usize
    }

    /// Group, lane and partner of every bond of a particle, broken or not.
    pub fn bonds(&self, i: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let all = self.groups(i).flat_map(|group| (0..LANES).map(move |lane| (group, lane)));
        let full = all.filter(|(group, lane)| self.stiffness[*group][*lane] != 0.0);
        full.map(|(group, lane)| (group, lane, self.other[group][lane] as usize))
    }

    /// Group and lane of the bond to a partner.
    pub fn find(&self, i: usize, other: usize) -> Option<(usize, usize)> {
        // partners ascend, except in the last group, which is padded with the particle itself
        let groups = self.groups(i);
        let at = groups.start + self.other[groups.clone()].partition_point(|group| (group[0] as usize) <= other);
        let group = at.checked_sub(1).filter(|group| *group >= groups.start)?;
        let lane = self.other[group].iter().position(|o| *o as usize == other)?;
        (self.stiffness[group][lane] != 0.0).then_some((group, lane))
    }
}

/// Lists the particles within the horizon of each particle.
fn bond(body: &GrainBody, range: std::ops::Range<usize>, rest: &[DVec3], links: &mut [Vec<Link>]) {
    let members: Vec<u32> = range.clone().map(|i| i as u32).collect();
    let mut grid = CellGrid::new(body.horizon, [None; 3]);
    grid.sort(rest, &members);
    for_each_task(&mut links[range.clone()], |k, list| {
        let i = range.start + k;
        let Some(cell) = grid.cell(rest[i]) else { return };
        grid.for_each_run(cell, |run| {
            for &j in &grid.order()[run] {
                let length = rest[i].distance(rest[j as usize]);
                let part = part_within(length, body.horizon, body.spacing);
                if j as usize != i && part > 0.0 && length > 0.0 {
                    list.push(Link { other: j, rest: length, part, stiffness: 0.0 });
                }
            }
        });
        list.sort_unstable_by_key(|link| link.other);
    });
}

/// Largest factor of the surface correction: a corner has an eighth of its partners.
const MAX_CORRECTION: f64 = 8.0;

/// Sets the stiffness of a body's bonds. Near a surface, where partners are missing, the remaining bonds are stiffened: along each axis by the
/// energy deficit of a strain along it, the mean of both ends, and in between as on an ellipsoid [MadenciOterkus] 4.2.
fn stiffen(body: &GrainBody, range: std::ops::Range<usize>, rest: &[DVec3], links: &mut [Vec<Link>]) {
    let calibration = Calibration::of(body);
    let volume = body.space.volume(body.spacing);
    let base = calibration.stiffness * volume * volume;
    let lacking: Vec<DVec3> = range
        .clone()
        .map(|i| {
            if !body.surface_correction {
                return DVec3::ONE;
            }
            let along = links[i].iter().fold(DVec3::ZERO, |sum, link| {
                let n = (rest[link.other as usize] - rest[i]) / link.rest;
                sum + n * n * n * n * (link.rest * link.part)
            });
            let factor = |along: f64| {
                let factor = calibration.sums.along / along;
                if factor.is_finite() { factor.min(MAX_CORRECTION) } else { 1.0 }
            };
            DVec3::from_array(along.to_array().map(factor))
        })
        .collect();
    for i in range.clone() {
        for link in &mut links[i] {
            let j = link.other as usize;
            let n = (rest[j] - rest[i]) / link.rest;
            // the same bits from both ends
            let mean = (lacking[i - range.start] + lacking[j - range.start]) * 0.5;
            let correction = (n / mean).length().recip();
            link.stiffness = base * link.part / link.rest * correction;
        }
    }
}
