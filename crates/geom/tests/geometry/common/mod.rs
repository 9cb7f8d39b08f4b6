//! What tests of tetrahedra share.
#![allow(dead_code)] // every test file uses its own part

use glam::DVec3;
use pliant_geom::TriangleMesh;
use std::collections::BTreeMap;

/// The faces with one tetrahedron, facing outward, on the points that they use. Panics if a face has more than two.
pub fn boundary(points: &[DVec3], tets: &[[u32; 4]]) -> TriangleMesh {
    let mut faces: BTreeMap<[u32; 3], Vec<[u32; 3]>> = BTreeMap::new();
    for &[a, b, c, d] in tets {
        for face in [[b, c, d], [a, d, c], [a, b, d], [a, c, b]] {
            let mut key = face;
            key.sort_unstable();
            faces.entry(key).or_default().push(face);
        }
    }
    assert!(faces.values().all(|at| at.len() <= 2), "a face has more than two tetrahedra");
    let triangles = faces.values().filter(|at| at.len() == 1).map(|at| at[0]).collect();
    let mut mesh = TriangleMesh { points: points.to_vec(), triangles };
    mesh.drop_unused_vertices();
    mesh
}

/// How many edges have not two faces, and at how many vertices the faces make more than one fan.
pub fn not_manifold(mesh: &TriangleMesh) -> (usize, usize) {
    let surface = mesh.surface().unwrap();
    let bad_edges = surface.boundary.len() + surface.crowded.len();
    let mut around: Vec<Vec<[u32; 2]>> = vec![Vec::new(); mesh.points.len()];
    for &[a, b, c] in &mesh.triangles {
        around[a as usize].push([b, c]);
        around[b as usize].push([c, a]);
        around[c as usize].push([a, b]);
    }
    let more_than_one_fan = |edges: &Vec<[u32; 2]>| {
        let Some(&[first, mut at]) = edges.first() else { return false };
        let mut length = 1;
        while at != first && length <= edges.len() {
            match edges.iter().find(|edge| edge[0] == at) {
                Some(edge) => at = edge[1],
                None => return true,
            }
            length += 1;
        }
        length != edges.len()
    };
    (bad_edges, around.iter().filter(|edges| more_than_one_fan(edges)).count())
}

/// Numbers between 0 and 1 that are the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
