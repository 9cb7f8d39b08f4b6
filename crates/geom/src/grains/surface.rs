//! The surfaces of fragments, wherever their particles are.

use super::NONE;
use super::rotation::best_rotation;
use super::shards::{Face, Shards};
use crate::outer;
use glam::{DMat3, DVec3};

/// Triangles around fragments. Every fragment has vertices of its own, and those of crack faces and of the outside are not the same even
/// where they are at the same place, so that means of normals leave the edge between them sharp; so are the edges of blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShardSurface {
    /// Positions, m.
    pub points: Vec<DVec3>,
    /// Corners of each triangle, counterclockwise seen from outside of the fragment.
    pub triangles: Vec<[u32; 3]>,
    /// The name of the fragment that each triangle belongs to, as it was given.
    pub fragment: Vec<u32>,
    /// Whether each triangle is part of a crack, not of the outside that the whole body had.
    pub is_inner: Vec<bool>,
    /// The particle that each point follows: of those of its fragment at this corner the nearest at rest.
    pub owner: Vec<u32>,
}

impl ShardSurface {
    /// A unit normal at every point, out of the fragment: the mean of its triangles' by area. Smooth on the outside of round bodies, flat
    /// on blocks; crack faces are rough, and better shown with the normals of their triangles. Zero where triangles have no area.
    pub fn normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.points.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|c| self.points[c as usize]);
            let twice_area = (b - a).cross(c - a);
            triangle.iter().for_each(|&corner| normals[corner as usize] += twice_area);
        }
        normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
        normals
    }
}

/// What keeps the vertices of one corner apart: the fragment, and which kind of face.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    /// Numbered in the order of their names.
    fragment: u32,
    /// 0 in cracks, 1 outside of smooth bodies; of others from 1 to 6, by axis and direction.
    side: u8,
}

/// A division into fragments, and the surface as far as it is made.
pub(super) struct Split<'a> {
    shards: &'a Shards,
    rest: &'a [DVec3],
    x: &'a [DVec3],
    names: &'a [u32],
    /// The fragment of each particle, numbered in the order of their names.
    fragment: Vec<u32>,
    /// Of each fragment.
    rotation: Vec<DMat3>,
    made: ShardSurface,
    /// The last vertex made at each corner of the lattice, and for each vertex its kind and the one before.
    last_at: Vec<u32>,
    kinds: Vec<(Kind, u32)>,
}

impl<'a> Split<'a> {
    /// All slices must have one entry per particle.
    pub fn new(shards: &'a Shards, rest: &'a [DVec3], x: &'a [DVec3], names: &'a [u32]) -> Self {
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        order.sort_unstable_by_key(|&p| (names[p as usize], p));
        let mut fragment = vec![0; names.len()];
        let mut rotation = Vec::new();
        for members in order.chunk_by(|&p, &q| names[p as usize] == names[q as usize]) {
            members.iter().for_each(|&p| fragment[p as usize] = rotation.len() as u32);
            rotation.push(rotation_of(members, rest, x));
        }
        let last_at = vec![NONE; shards.corners.len()];
        let made = ShardSurface::default();
        Self { shards, rest, x, names, fragment, rotation, made, last_at, kinds: Vec::new() }
    }

    /// Both sides of all faces where fragments end.
    pub fn surface(mut self) -> ShardSurface {
        let ends =
            |face: &&Face| self.fragment.get(face.cells[0] as usize) != self.fragment.get(face.cells[1] as usize);
        let squares = 2 * self.shards.faces.iter().filter(ends).count();
        self.made.triangles.reserve(2 * squares);
        self.made.fragment.reserve(2 * squares);
        self.made.is_inner.reserve(2 * squares);
        // A closed surface of squares has about as many corners.
        self.made.points.reserve(squares);
        self.made.owner.reserve(squares);
        self.kinds.reserve(squares);
        for face in &self.shards.faces {
            let of = face.cells.map(|cell| self.fragment.get(cell as usize).copied());
            if of[0] == of[1] {
                continue;
            }
            let is_inner = of[0].is_some() && of[1].is_some();
            for (direction, (fragment, cell)) in of.into_iter().zip(face.cells).enumerate() {
                if let Some(fragment) = fragment {
                    self.add(face, Kind { fragment, side: self.side(face, direction, is_inner) }, cell, direction == 1);
                }
            }
        }
        self.made
    }

    fn side(&self, face: &Face, direction: usize, is_inner: bool) -> u8 {
        match (is_inner, self.shards.is_smooth) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 1 + 2 * face.axis + direction as u8,
        }
    }

    /// The side of a face that belongs to a cell, with its corners the other way round for the cell above. Both are cut along the same
    /// diagonal.
    fn add(&mut self, face: &Face, kind: Kind, cell: u32, is_above: bool) {
        let [a, mut b, c, mut d] = face.corners.map(|corner| self.vertex(corner, kind));
        if is_above {
            std::mem::swap(&mut b, &mut d);
        }
        self.made.triangles.extend([[a, b, c], [a, c, d]]);
        self.made.fragment.extend([self.names[cell as usize]; 2]);
        self.made.is_inner.extend([kind.side == 0; 2]);
    }

    /// The vertex of a kind at a corner of the lattice; a new one if there is none yet.
    fn vertex(&mut self, corner: u32, kind: Kind) -> u32 {
        // There are few kinds at a corner, mostly one.
        let mut vertex = self.last_at[corner as usize];
        while vertex != NONE {
            let (known, before) = self.kinds[vertex as usize];
            if known == kind {
                return vertex;
            }
            vertex = before;
        }
        let (place, owner) = self.place(corner, kind.fragment);
        let vertex = self.made.points.len() as u32;
        self.made.points.push(place);
        self.made.owner.push(owner);
        self.kinds.push((kind, self.last_at[corner as usize]));
        self.last_at[corner as usize] = vertex;
        vertex
    }

    /// Where the cells of a fragment have one of their corners, and which of them is nearest to it at rest.
    fn place(&self, corner: u32, fragment: u32) -> (DVec3, u32) {
        let corner = &self.shards.corners[corner as usize];
        let rotation = self.rotation[fragment as usize];
        let (mut sum, mut count, mut owner) = (DVec3::ZERO, 0.0, (f64::INFINITY, NONE));
        for &cell in &corner.cells {
            let p = cell as usize;
            if self.fragment.get(p) != Some(&fragment) {
                continue;
            }
            let arm = corner.rest - self.rest[p];
            sum += self.x[p] + rotation * arm;
            count += 1.0;
            // Rest positions that are NaN have owners, too.
            if owner.1 == NONE || arm.length_squared() < owner.0 {
                owner = (arm.length_squared(), cell);
            }
        }
        (sum / count, owner.1)
    }
}

/// The rotation that best takes some particles from rest to their positions.
fn rotation_of(members: &[u32], rest: &[DVec3], x: &[DVec3]) -> DMat3 {
    if members.len() < 2 {
        return DMat3::IDENTITY;
    }
    let mean = |of: &[DVec3]| {
        let first = of[members[0] as usize];
        // Differences from one of them: far from the origin no digits are lost.
        first + members.iter().fold(DVec3::ZERO, |sum, &p| sum + (of[p as usize] - first)) / members.len() as f64
    };
    let (rest_mean, x_mean) = (mean(rest), mean(x));
    let add = |sum: DMat3, &p: &u32| sum + outer(x[p as usize] - x_mean, rest[p as usize] - rest_mean);
    best_rotation(members.iter().fold(DMat3::ZERO, add))
}
