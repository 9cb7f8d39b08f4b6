//! Closed surfaces to be filled: round ones, with edges, thin, with spikes, in two pieces.

use glam::{DQuat, DVec3};
use pliant_geom::TriangleMesh;
use pliant_geom::shapes::{bunny, capsule, cuboid, icosphere, liver, torus};

/// A mesh that is turned, then moved.
pub fn moved(mut mesh: TriangleMesh, by: DVec3, turn: DQuat) -> TriangleMesh {
    mesh.points.iter_mut().for_each(|x| *x = turn * *x + by);
    mesh
}

/// Two meshes as one.
pub fn together(mut a: TriangleMesh, b: &TriangleMesh) -> TriangleMesh {
    let first = a.points.len() as u32;
    a.points.extend(&b.points);
    a.triangles.extend(b.triangles.iter().map(|t| t.map(|c| c + first)));
    a
}

/// A plane outline, counterclockwise, from z = 0 to `height`; `faces` cut it into triangles.
pub fn extruded(outline: &[[f64; 2]], faces: &[[u32; 3]], height: f64) -> TriangleMesh {
    let n = outline.len() as u32;
    let at = |z: f64| outline.iter().map(move |&[x, y]| DVec3::new(x, y, z));
    let mut mesh = TriangleMesh { points: at(0.0).chain(at(height)).collect(), triangles: Vec::new() };
    for &[a, b, c] in faces {
        mesh.triangles.extend([[a, c, b], [a + n, b + n, c + n]]);
    }
    for a in 0..n {
        let b = (a + 1) % n;
        mesh.triangles.extend([[a, b, b + n], [a, b + n, a + n]]);
    }
    mesh
}

/// Spikes: a sphere with a radius that varies between 0.2 and 1.2.
pub fn star() -> TriangleMesh {
    let mut star = icosphere(1.0, 5).expect("five divisions are not too many");
    for x in &mut star.points {
        let waves = (4.0 * x.x).cos() * (4.0 * x.y).cos() * (4.0 * x.z).cos();
        *x *= 0.7 + 0.5 * waves;
    }
    star
}

/// Two rings of radius 0.4, each through the other.
pub fn linked_rings() -> TriangleMesh {
    let one = torus(0.4, 0.12, 64, 24).expect("a ring");
    let other = moved(one.clone(), DVec3::new(0.4, 0.0, 0.0), DQuat::from_rotation_x(1.5));
    together(one, &other)
}

/// The letter L, 1 high.
pub fn letter_l() -> TriangleMesh {
    let outline = [[0.0, 0.0], [0.6, 0.0], [0.6, 0.2], [0.2, 0.2], [0.2, 1.0], [0.0, 1.0]];
    extruded(&outline, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], 0.2)
}

/// A square plate of side 1 and thickness 0.05.
pub fn thin_plate() -> TriangleMesh {
    cuboid(DVec3::new(1.0, 0.05, 1.0), [4, 1, 4]).expect("a plate")
}

/// Ten closed surfaces about 1 m large, each with a spacing, m, that resolves it with as few tetrahedra as will do.
pub fn ten() -> [(&'static str, TriangleMesh, f64); 10] {
    let tilt = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let cube = cuboid(DVec3::ONE, [1, 1, 1]).expect("a cube");
    let plate = cuboid(DVec3::new(1.0, 0.1, 0.4), [5, 1, 2]).expect("a plate");
    [
        ("sphere", icosphere(0.5, 4).expect("a sphere"), 0.3),
        ("torus", torus(0.4, 0.15, 64, 32).expect("a ring"), 0.2),
        ("capsule", capsule(0.2, 0.6, 32).expect("a capsule"), 0.2),
        ("linked rings", linked_rings(), 0.15),
        ("rabbit", bunny(1.0, 0.03).expect("a rabbit"), 0.15),
        ("liver", liver(1.0, 0.03).expect("a liver"), 0.15),
        ("star", star(), 0.4),
        ("turned cube", moved(cube, DVec3::ZERO, tilt), 0.33),
        ("thin plate", moved(plate, DVec3::ZERO, DQuat::from_rotation_z(0.3)), 0.08),
        ("letter L", moved(letter_l(), DVec3::ZERO, tilt), 0.12),
    ]
}
