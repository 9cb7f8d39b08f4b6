//! What is seen of a rope: a closed round surface in pictures, on the viewer's page and in files of surfaces, a line in VTU; and twist is seen.

use std::collections::HashMap;

use glam::DVec3;
use pliant::core::{Fields, State};
use pliant::mesh::Mesh;
use pliant::picture::{SceneRenderer, Styling};
use pliant::record::formats::find;
use pliant::record::{Opening, read_mesh};
use pliant::scene::load;

#[test]
fn ropes_are_drawn_as_tubes_and_marked_where_they_are_held() {
    let simulation = load("rope-twist-buckling", &[]).unwrap().build().unwrap().simulation;
    let (system, start) = (&simulation.system, simulation.state());
    let surface = system.bodies()[0].fine_surface.as_ref().expect("a rope has one");
    let mut renderer = SceneRenderer::new(system.bodies(), system.free(), Styling::default());
    renderer.observe(start);
    let drawing = renderer.draw(start);
    assert_eq!((drawing.triangles.len(), drawing.rods.len()), (surface.triangles.len(), 0));
    assert!(drawing.triangles.iter().all(|triangle| triangle.wires == 0), "no lines on a rope");
    // One clamped point at each end, and not its wings.
    assert_eq!(drawing.balls.len(), 2);
    assert!(drawing.balls.iter().all(|ball| ball.radius > 3e-3 && ball.radius < 5e-3), "{:?}", drawing.balls);
    // Everything is about a radius from the axis.
    let axis: Vec<DVec3> = system.bodies()[0].edges.iter().flatten().map(|p| start.x[*p as usize]).collect();
    for vertex in &drawing.vertices {
        let nearest = axis.iter().map(|p| p.distance(vertex.position)).fold(f64::INFINITY, f64::min);
        assert!(nearest < 3.001e-3 && nearest > 2e-3, "{nearest}");
    }
}

#[test]
fn files_hold_a_closed_surface_and_vtu_the_line() {
    let folder = std::env::temp_dir().join(format!("pliant-rope-shown-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let simulation = load("rope-overhand-knot", &[]).unwrap().build().unwrap().simulation;
    let (system, state) = (&simulation.system, simulation.state());
    let surface = system.bodies()[0].fine_surface.as_ref().unwrap();
    for format in ["obj", "ply", "vtu", "usd"] {
        let opening = Opening { folder: &folder, system, fps: 60.0, grown: None };
        let mut writer = find(format).unwrap().open(&opening).unwrap().unwrap();
        writer.frame(0, state, &Fields::default()).unwrap();
        writer.finish().unwrap();
    }
    for file in ["obj/frame_00000.obj", "ply/frame_00000.ply"] {
        let mesh = Mesh::read(&folder.join(file)).unwrap();
        assert_eq!((mesh.points.len(), mesh.faces.len()), (surface.vertices.len(), surface.triangles.len()), "{file}");
        let mut balance: HashMap<[u32; 2], i32> = HashMap::new();
        for face in &mesh.faces {
            for k in 0..face.len() {
                let (a, b) = (face[k], face[(k + 1) % face.len()]);
                *balance.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
            }
        }
        assert!(balance.values().all(|sum| *sum == 0), "{file} is not closed");
    }
    let line = read_mesh(&folder.join("frames/frame_00000.vtu")).unwrap();
    assert_eq!((line.points.len(), line.edges.len(), line.faces.len()), (system.len(), 200, 0));
    let usd = std::fs::read_to_string(folder.join("animation.usda")).unwrap();
    assert!(usd.contains("def Mesh \"rope\""));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Sections that are turned about the axis turn the strands with them, while the axis stays.
#[test]
fn twist_is_seen() {
    let simulation =
        load("rope-twist-buckling", &["rope[0].curve.height=1e-6".into()]).unwrap().build().unwrap().simulation;
    let (system, start) = (&simulation.system, simulation.state());
    let surface = system.bodies()[0].fine_surface.as_ref().unwrap();
    let turned = |x: &DVec3| {
        let (sin, cos) = (4.0 * x.x).sin_cos();
        DVec3::new(x.x, x.y * cos - x.z * sin, x.y * sin + x.z * cos)
    };
    let after = State { x: start.x.iter().map(turned).collect(), ..start.clone() };
    let (before, after) = (surface.carry(&start.x), surface.carry(&after.x));
    // Vertices of rings, not of the round ends, whose x is that of their section but for the tilt of 1e-6.
    let rings = before.iter().zip(&after).filter(|(p, _)| p.x.abs() < 0.29);
    let worst = rings.map(|(p, q)| turned(p).distance(*q)).fold(0.0, f64::max);
    assert!(worst < 1e-7, "{worst}");
    assert!(before.iter().zip(&after).any(|(p, q)| p.distance(*q) > 2e-3), "nothing turned");
}
