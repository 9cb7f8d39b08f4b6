//! Frames read back as they were written, and nothing that is not one gets through.

use crate::common;

use std::fs;
use std::path::Path;

use common::*;
use glam::DVec3;
use pliant_core::{Body, Path as PinPath, Pin, System};
use pliant_record::{PvdFile, read_mesh, read_pvd, read_vtu, write_vtu};

fn net() -> System {
    let net = Body {
        name: "net".into(),
        particles: 0..4,
        edges: vec![[0, 1], [1, 3], [3, 2], [2, 0]],
        triangles: vec![[0, 2, 3], [0, 3, 1]],
        ..Body::default()
    };
    let pair = Body { name: "pair".into(), particles: 5..7, edges: vec![[5, 6]], ..Body::default() };
    let pin = Pin { particle: 6, path: PinPath::Fixed(DVec3::ONE) };
    System::new(vec![1.0; 8], vec![pin], vec![], vec![net, pair]).unwrap()
}

#[test]
fn meshes_and_frames_are_read_by_their_names() {
    let folder = folder("mesh-or-frame");
    let error = read_mesh(&folder.join("a.blend")).unwrap_err().to_string();
    assert!(error.contains(".obj or .ply or .stl or .vtu"), "{error}");
    for missing in ["missing.vtu", "missing.ply"] {
        let error = read_mesh(&folder.join(missing)).unwrap_err();
        assert!(error.io_kind().is_some() && error.to_string().contains(missing), "{error}");
    }
}

#[test]
fn a_frame_reads_back() {
    let path = folder("vtu-read").join("frame.vtu");
    let (system, mut state) = (net(), state(8, 1.0 / 3.0));
    state.x[3].y = f64::NAN;
    write_vtu(&path, &system, &state).unwrap();
    let frame = read_vtu(&path).unwrap();
    assert_eq!(frame.state.time.to_bits(), state.time.to_bits());
    assert_eq!((bits(&frame.state.x), bits(&frame.state.v)), (bits(&state.x), bits(&state.v)));
    assert_eq!(frame.free, system.free());
    assert_eq!(frame.bodies.len(), 2);
    for (read, written) in frame.bodies.iter().zip(system.bodies()) {
        assert_eq!(
            (&read.particles, &read.edges, &read.triangles),
            (&written.particles, &written.edges, &written.triangles)
        );
    }
}

/// Every file that is cut short or has a byte changed is read or refused with its name; nothing panics and nothing huge is allocated.
#[test]
fn damaged_frames_are_refused() {
    let folder = folder("vtu-damaged");
    let (path, good) = (folder.join("damaged.vtu"), folder.join("good.vtu"));
    write_vtu(&good, &net(), &state(8, 0.5)).unwrap();
    let bytes = fs::read(&good).unwrap();
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        read_vtu(&path)
    };
    let end = bytes.len() - "\n  </AppendedData>\n</VTKFile>\n".len();
    for length in (0..end).step_by(31) {
        let error = read(&bytes[..length]).unwrap_err();
        assert!(error.to_string().contains("damaged.vtu"), "{error}");
    }
    let mut refused = 0;
    for k in (0..bytes.len()).step_by(5) {
        for value in [0xff, 0x00, b'9'] {
            let mut changed = bytes.clone();
            changed[k] = value;
            refused += usize::from(read(&changed).is_err());
        }
    }
    assert!(refused > 100, "only {refused}");
    assert!(read_vtu(Path::new("/no/such/file")).is_err());
}

#[test]
fn a_list_reads_back_even_when_cut_short() {
    let folder = folder("pvd-read");
    let path = folder.join("frames.pvd");
    let mut pvd = PvdFile::create(&path).unwrap();
    for k in 0..3 {
        pvd.push(f64::from(k) / 3.0, &format!("frames/a & b {k}.vtu")).unwrap();
    }
    let listed = read_pvd(&path).unwrap();
    assert_eq!(listed.iter().map(|entry| entry.time).collect::<Vec<_>>(), [0.0, 1.0 / 3.0, 2.0 / 3.0]);
    assert_eq!(listed[1].path, folder.join("frames/a & b 1.vtu"));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() - 60]).unwrap();
    assert_eq!(read_pvd(&path).unwrap().len(), 2);
    for other in ["../secret.vtu", "/etc/passwd"] {
        fs::write(&path, text.replace("frames/a &amp; b 0.vtu", other)).unwrap();
        assert!(read_pvd(&path).is_err());
    }
    fs::write(&path, "something else").unwrap();
    assert!(read_pvd(&path).is_err());
}
