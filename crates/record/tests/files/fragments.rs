//! What breaks, in files: the surfaces of its fragments and a table of them.

use crate::common;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::folder;
use glam::DVec3;
use pliant_core::{Body, BodyShape, Fields, State, System};
use pliant_geom::grains::Rubble;
use pliant_geom::grains::{Lattice, Shards};
use pliant_mesh::Mesh;
use pliant_record::formats::find;
use pliant_record::{Opening, RecordError, read_vtu, write_vtu};

/// A bar of three cells of 1 m behind a loose particle, whose last cell weighs as much as the two before, and a single cell above it.
fn system() -> (System, State) {
    let bar = Lattice::block(DVec3::ZERO, DVec3::new(3.0, 1.0, 1.0), 1.0, 10).unwrap();
    let cell = Lattice::block(DVec3::Y * 4.0, DVec3::new(1.0, 5.0, 1.0), 1.0, 10).unwrap();
    let body = |name: &str, lattice: &Lattice, first: usize| Body {
        name: name.into(),
        particles: first..first + lattice.cells.len(),
        shape: BodyShape::Grains { spacing: 1.0 },
        rubble: Some(Arc::new(Rubble { shards: Shards::new(lattice, None), rest: lattice.points() })),
        ..Body::default()
    };
    let bodies = vec![body("bar", &bar, 1), body("cell", &cell, 4)];
    let masses = vec![7.0, 1.0, 1.0, 2.0, 4.0];
    let mut x = vec![DVec3::splat(-9.0)];
    x.extend(bar.points().into_iter().chain(cell.points()));
    // the last cell of the bar has gone away
    x[3] += DVec3::X;
    let v = (0..5).map(|k| DVec3::new(f64::from(k), 0.5, 0.0)).collect();
    (System::new(masses, vec![], vec![], bodies).unwrap(), State { time: 0.25, x, v })
}

fn fields(damage: [f64; 5], fragment: [f64; 5]) -> Fields {
    let mut fields = Fields::default();
    fields.begin(5);
    fields.field(Fields::DAMAGE).copy_from_slice(&damage);
    fields.field(Fields::FRAGMENT).copy_from_slice(&fragment);
    fields
}

fn broken() -> Fields {
    fields([0.0, 0.0, 0.5, 1.0, 0.0], [0.0, 1.0, 1.0, 2.0, 3.0])
}

fn write(format: &str, folder: &Path, system: &System, state: &State, fields: &Fields) -> Result<(), RecordError> {
    let opening = Opening { folder, system, fps: 25.0, grown: None };
    find(format).unwrap().open(&opening).unwrap().unwrap().frame(3, state, fields).map(drop)
}

#[test]
fn a_table_has_a_row_for_every_fragment_the_heaviest_first() {
    let (system, state) = system();
    let folder = folder("fragment-table");
    let table = |fields: &Fields| {
        write("fragments", &folder, &system, &state, fields).unwrap();
        fs::read_to_string(folder.join("fragments/frame_00003.csv")).unwrap()
    };
    let header = "fragment,body,particles,mass,x,y,z,vx,vy,vz\n";
    let rows = "3,1,1,4,0.5,4.5,0.5,4,0.5,0\n1,0,2,2,1,0.5,0.5,1.5,0.5,0\n2,0,1,2,3.5,0.5,0.5,3,0.5,0\n";
    assert_eq!(table(&broken()), format!("{header}{rows}"));
    // Without fragments bodies are whole; of the same mass the first body is first.
    let rows = "0,0,3,4,2.25,0.5,0.5,2.25,0.5,0\n0,1,1,4,0.5,4.5,0.5,4,0.5,0\n";
    assert_eq!(table(&Fields::default()), format!("{header}{rows}"));
    // Numbers that are none do no harm.
    let odd = fields([0.0; 5], [0.0, f64::NAN, -1.0, 1e300, f64::INFINITY]);
    assert_eq!(table(&odd).lines().count(), 4);
}

#[test]
fn surfaces_of_fragments_are_closed_and_know_what_they_belong_to() {
    let (system, state) = system();
    let folder = folder("fragment-surface");
    let mesh = |fields: &Fields| {
        write("surface", &folder, &system, &state, fields).unwrap();
        Mesh::read(&folder.join("surface/frame_00003.ply")).unwrap()
    };
    let (whole, split) = (mesh(&Fields::default()), mesh(&broken()));
    // Two triangles for each of 14 and 6 squares; two squares more in the crack.
    assert_eq!((whole.faces.len(), split.faces.len()), (40, 44));
    let of = |mesh: &Mesh, name: &str| mesh.attributes.iter().find(|found| found.name == name).unwrap().values.clone();
    assert!(of(&whole, "fragment").iter().chain(&of(&whole, "inner")).all(|value| *value == 0.0));
    let (fragment, inner, body) = (of(&split, "fragment"), of(&split, "inner"), of(&split, "body"));
    let (vx, nx) = (of(&split, "vx"), of(&split, "nx"));
    let mut volumes = [0.0; 4];
    let mut in_cracks = 0;
    for corners in &split.faces {
        let [a, b, c] = [0, 1, 2].map(|k| corners[k] as usize);
        assert!([b, c].iter().all(|k| fragment[*k] == fragment[a] && inner[*k] == inner[a] && body[*k] == body[a]));
        in_cracks += usize::from(inner[a] == 1.0);
        let [p, q, r] = [a, b, c].map(|k| split.points[k]);
        volumes[fragment[a] as usize] += p.dot(q.cross(r)) / 6.0;
    }
    assert_eq!(in_cracks, 4);
    let off = |found: f64, expected: f64| (found - expected).abs() > 1e-12;
    assert!(volumes[0] == 0.0 && !off(volumes[1] + volumes[2], 3.0) && !off(volumes[3], 1.0), "{volumes:?}");
    for (k, point) in split.points.iter().enumerate() {
        let expected = match fragment[k] {
            1.0 if point.x < 0.5 => 1.0,
            2.0 => 3.0,
            3.0 => 4.0,
            _ => continue,
        };
        assert_eq!(vx[k], expected, "the velocity of the nearest particle");
        assert!(inner[k] == 0.0 || fragment[k] != 2.0 || nx[k] < -0.5, "a crack faces the other side of it");
        assert_eq!(body[k], f64::from(u8::from(fragment[k] == 3.0)));
    }
}

#[test]
fn frames_give_back_what_is_known_of_fragments() {
    let (system, state) = system();
    let folder = folder("fragment-frames");
    write("vtu", &folder, &system, &state, &broken()).unwrap();
    assert_eq!(read_vtu(&folder.join("frames/frame_00003.vtu")).unwrap().fields, broken());
    let bare = folder.join("bare.vtu");
    write_vtu(&bare, &system, &state).unwrap();
    assert!(read_vtu(&bare).unwrap().fields.all().is_empty());
}

#[test]
fn fields_of_another_system_are_refused() {
    let (system, state) = system();
    let mut few = Fields::default();
    few.begin(3);
    few.field(Fields::FRAGMENT).fill(1.0);
    for format in ["fragments", "surface"] {
        let refused = write(format, &folder(&format!("few-{format}")), &system, &state, &few);
        assert!(matches!(refused, Err(RecordError::Shape { found: 3, expected: 5, .. })), "{format}");
    }
}
