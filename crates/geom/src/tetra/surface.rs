//! The surface of a solid.

use super::{TetraMesh, signed_volume};

/// Faces of an upright tetrahedron, corners counterclockwise as seen from outside; face k is opposite to corner k.
pub const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Faces that only one tetrahedron has, in the order of tetrahedra, with normals outwards (those of inverted tetrahedra are turned over).
/// Tetrahedra with corners out of range are left out.
pub fn surface(mesh: &TetraMesh) -> Vec<[u32; 3]> {
    let mut faces = Vec::with_capacity(4 * mesh.tetrahedra.len());
    for t in &mesh.tetrahedra {
        if t.iter().any(|n| *n as usize >= mesh.points.len()) {
            continue;
        }
        let inverted = signed_volume(t.map(|n| mesh.points[n as usize])) < 0.0;
        for face in FACES {
            let [a, b, c] = face.map(|k| t[k]);
            let face = if inverted { [a, c, b] } else { [a, b, c] };
            let mut key = face;
            key.sort_unstable();
            faces.push((key, faces.len(), face));
        }
    }
    faces.sort_unstable();
    let mut outside: Vec<(usize, [u32; 3])> = faces
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|group| group.len() == 1)
        .map(|group| (group[0].1, group[0].2))
        .collect();
    outside.sort_unstable();
    outside.into_iter().map(|(_, face)| face).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn normals_point_outwards_from_both_orientations() {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE];
        for tetrahedra in [vec![[0, 1, 2, 3], [1, 2, 3, 4]], vec![[0, 2, 1, 3], [1, 3, 2, 4]]] {
            let mesh = TetraMesh { points: points.clone(), tetrahedra };
            let faces = surface(&mesh);
            assert_eq!(faces.len(), 6);
            let inside = DVec3::splat(0.4);
            for face in faces {
                let [a, b, c] = face.map(|n| points[n as usize]);
                assert!((b - a).cross(c - a).dot(a - inside) > 0.0, "{face:?}");
            }
        }
        let broken = TetraMesh { points, tetrahedra: vec![[0, 1, 2, 99]] };
        assert_eq!(surface(&broken), Vec::<[u32; 3]>::new());
    }
}
