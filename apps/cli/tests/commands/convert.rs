//! `pliant convert`: what it reads it writes, and what it cannot read it says.

use crate::common;

use common::{Folder, pliant, stderr, text};

#[test]
fn there_and_back() {
    let folder = Folder::new("convert");
    let start = folder.write("a.obj", "v 0.1 0 1e-30\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n");
    let (middle, end, again) = (folder.join("b.ply"), folder.join("c.obj"), folder.join("d.PLY"));
    for (from, to) in [(&start, &middle), (&middle, &end), (&end, &again)] {
        let output = pliant(&["convert", text(from), text(to)]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains("3 points, 1 faces, 1 edges"), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read(&middle).expect("written"), std::fs::read(&again).expect("written"));
    let refused = pliant(&["convert", text(&start), text(&middle)]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--force"), "{}", stderr(&refused));
    assert!(pliant(&["convert", "--force", text(&start), text(&middle)]).status.success());
}

#[test]
fn frames_of_a_run_and_their_velocities() {
    let folder = Folder::new("convert-vtu");
    let run = folder.join("run");
    let output = pliant(&["run", "spring-chain", "--until", "0.1s", "--format", "vtu,ply", "-o", text(&run)]);
    assert!(output.status.success(), "{}", stderr(&output));
    let (vtu, copy) = (run.join("frames/frame_00001.vtu"), folder.join("copy.ply"));
    let output = pliant(&["convert", text(&vtu), text(&copy)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let body = |path: &std::path::Path| {
        let bytes = std::fs::read(path).expect("written");
        let end = bytes.windows(11).position(|window| window == b"end_header\n").expect("a header");
        bytes[end..].to_vec()
    };
    assert_eq!(body(&copy), body(&run.join("ply/frame_00001.ply")));
    let output = pliant(&["convert", text(&copy), text(&folder.join("copy.obj"))]);
    assert!(stderr(&output).contains("left out: vx, vy, vz, id, body, pinned"), "{}", stderr(&output));
    let bytes = std::fs::read(&vtu).expect("written");
    let short = folder.write("short.vtu", &bytes[..bytes.len() / 2]);
    let output = pliant(&["convert", text(&short), text(&folder.join("short.ply"))]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("short.vtu") && stderr(&output).contains("cut short"), "{}", stderr(&output));
    assert!(!folder.join("short.ply").exists());
}

#[test]
fn what_cannot_be_read_or_written() {
    let folder = Folder::new("convert-bad");
    let out = folder.join("out.ply");
    for (name, contents, to, part) in [
        ("a.xyz", "", "out.ply", ".obj or .ply or .stl or .vtu"),
        ("a.obj", "v 0 0 0\n", "out.fbx", ".obj or .ply"),
        ("b.obj", "v 0 0 zero\n", "out.ply", "line 1: \"zero\""),
        (
            "c.ply",
            "ply\nformat ascii 1.0\nelement vertex 2\nproperty int x\nproperty int y\nproperty int z\nend_header\n1 2 3\n",
            "out.ply",
            "line 8",
        ),
        ("d.stl", "nothing", "out.ply", "byte 7"),
        ("e.obj", "v 0 0 0\nv 0 nan 0\n", "out.ply", "line 2: a coordinate is not finite"),
        ("f.obj", "v 0 0 0 much more\n", "out.ply", "line 1: \"much\" is no number"),
    ] {
        let file = folder.write(name, contents);
        let output = pliant(&["convert", text(&file), text(&folder.join(to))]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{name}: {}", stderr(&output));
        assert!(!out.exists(), "{name}");
    }
    let output = pliant(&["convert", text(&folder.join("none.obj")), text(&out)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("none.obj"), "{}", stderr(&output));
}
