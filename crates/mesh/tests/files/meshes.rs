//! Mesh files in and out, and files that are broken: a clean error or a valid mesh, never a panic.

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_mesh::obj::parse_obj;
use pliant_mesh::ply::parse_ply;
use pliant_mesh::stl::parse_stl;
use pliant_mesh::{Attribute, BadMesh, Mesh, MeshError, NumberKind};

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mesh").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The bits of vectors, for comparing NaN too.
fn bits(vectors: &[DVec3]) -> Vec<[u64; 3]> {
    vectors.iter().map(|vector| vector.to_array().map(f64::to_bits)).collect()
}

fn mesh() -> Mesh {
    let points = (0..5).map(|i| DVec3::new(0.1 * f64::from(i), -1e-300, f64::from(i).sqrt() * 1e20)).collect();
    Mesh { points, faces: vec![vec![0, 1, 2], vec![3, 2, 1, 0]], edges: vec![[4, 0]], attributes: vec![] }
}

const ASCII_PLY: &str = "ply\nformat ascii 1.0\ncomment hand\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    property list uchar float rest\nelement thing 1\nproperty int a\nelement face 1\nproperty list uchar int vertex_index\nend_header\n\
    0 0 0 2 5 6\n1 0 0 0\n\n0 1 0.5 1 7\n9\n3 0 1 2\n";

#[test]
fn written_meshes_read_back_to_the_same_bits() {
    let folder = folder("meshes");
    for ending in ["obj", "ply"] {
        let path = folder.join(format!("mesh.{ending}"));
        mesh().write(&path).unwrap();
        let back = Mesh::read(&path).unwrap();
        assert_eq!(bits(&back.points), bits(&mesh().points));
        assert_eq!(back, mesh());
    }
}

#[test]
fn attributes_of_every_type_survive_in_ply() {
    let values = |kind: NumberKind| match kind {
        NumberKind::I8 => vec![-128.0, 127.0, 0.0, 1.0, -1.0],
        NumberKind::U8 => vec![0.0, 255.0, 1.0, 2.0, 3.0],
        NumberKind::I16 => vec![-32768.0, 32767.0, 0.0, 1.0, 2.0],
        NumberKind::U16 => vec![0.0, 65535.0, 0.0, 1.0, 2.0],
        NumberKind::I32 => vec![-2147483648.0, 2147483647.0, 0.0, 1.0, 2.0],
        NumberKind::U32 => vec![0.0, 4294967295.0, 0.0, 1.0, 2.0],
        NumberKind::F32 => [0.5_f32, -3.4e38, 1e-45, f32::INFINITY, 0.1].map(f64::from).to_vec(),
        NumberKind::F64 => vec![0.1, 1e300, -5e-324, 0.0, 3.0],
    };
    let names = ["char", "uchar", "short", "ushort", "int", "uint", "float", "double"];
    let kinds = names.map(|name| NumberKind::parse(name).unwrap());
    assert_eq!(kinds.map(NumberKind::name), names);
    let attributes = kinds.iter().map(|kind| Attribute::new(&format!("a_{}", kind.name()), *kind, values(*kind)));
    let mut mesh = Mesh { attributes: attributes.collect(), ..mesh() };
    let path = folder("attributes").join("mesh.ply");
    mesh.write(&path).unwrap();
    assert_eq!(Mesh::read(&path).unwrap(), mesh);
    mesh.attributes[2].values.pop();
    let error = mesh.write(&path).unwrap_err().to_string();
    assert!(error.contains("attribute") && error.contains('4') && error.contains('5'), "{error}");
}

#[test]
fn text_attributes_must_fit_their_type() {
    let text = |red: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty uchar red\nproperty float x\nproperty float y\n\
             property float z\nproperty float t\nend_header\n{red} 1 2 3 0.1\n"
        )
    };
    let mesh = parse_ply(text("255").as_bytes()).unwrap();
    let expected = [
        Attribute::new("red", NumberKind::U8, vec![255.0]),
        Attribute::new("t", NumberKind::F32, vec![f64::from(0.1_f32)]),
    ];
    assert_eq!((mesh.points, mesh.attributes), (vec![DVec3::new(1.0, 2.0, 3.0)], expected.to_vec()));
    for red in ["256", "-1", "0.5", "nan"] {
        let error = parse_ply(text(red).as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("line 10: red = ") && error.ends_with("is no uchar"), "{error}");
    }
}

#[test]
fn text_ply_of_others() {
    let mesh = parse_ply(ASCII_PLY.as_bytes()).unwrap();
    assert_eq!(mesh.points, [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1.0, 0.5)]);
    assert_eq!(mesh.faces, [[0, 1, 2]]);
    assert_eq!(parse_ply(ASCII_PLY.replace('\n', "\r\n").as_bytes()).unwrap(), mesh);
}

#[test]
fn obj_of_others() {
    let text = "# x\nmtllib a\no caf\u{e9}\nv 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1/1 2//1 -1 # end\nl 1 2 3\n";
    let mesh = parse_obj(text.as_bytes()).unwrap();
    assert_eq!((mesh.points.len(), mesh.faces, mesh.edges), (3, vec![vec![0, 1, 2]], vec![[0, 1], [1, 2]]));
}

#[test]
fn stl_corners_are_welded() {
    let facet = |z: &str| {
        format!("facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 {z}\nendloop\nendfacet\n")
    };
    let text = format!("solid x\n{}{}endsolid\n", facet("0"), facet("2.5"));
    let mesh = parse_stl(text.as_bytes()).unwrap();
    assert_eq!((mesh.points.len(), mesh.faces), (4, vec![vec![0, 1, 2], vec![0, 1, 3]]));
    let mut binary = vec![0; 80];
    binary.extend(1_u32.to_le_bytes());
    binary.extend(
        [0.0_f32; 3].iter().chain(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]).flat_map(|n| n.to_le_bytes()),
    );
    binary.extend([0; 2]);
    assert_eq!(parse_stl(&binary).unwrap().faces, [[0, 1, 2]]);
    for end in 0..binary.len() {
        assert!(parse_stl(&binary[..end]).is_err(), "{end}");
    }
    for end in 0..text.len() {
        let _ = parse_stl(&text.as_bytes()[..end]);
    }
}

/// Every prefix, and every byte replaced by each of a few others.
#[test]
fn broken_files_never_panic() {
    let folder = folder("broken");
    for ending in ["obj", "ply"] {
        mesh().write(&folder.join(format!("mesh.{ending}"))).unwrap();
    }
    let binary = fs::read(folder.join("mesh.ply")).unwrap();
    let text = fs::read(folder.join("mesh.obj")).unwrap();
    for end in 0..binary.len() {
        let error = parse_ply(&binary[..end]).expect_err("every byte of a binary file is needed");
        assert!(error.to_string().starts_with("line ") || error.to_string().starts_with("byte "), "{error}");
    }
    for (parse, bytes) in [
        (parse_ply as fn(&[u8]) -> _, &binary[..]),
        (parse_ply, ASCII_PLY.as_bytes()),
        (parse_obj, &text),
        (parse_stl, &binary),
    ] {
        for end in 0..bytes.len() {
            if let Ok(mesh) = parse(&bytes[..end]) {
                assert!(mesh.faces.iter().flatten().all(|i| (*i as usize) < mesh.points.len()));
            }
            for byte in [0, b'\n', b' ', b'-', b'9', b'e', 255] {
                let mut changed = bytes.to_vec();
                changed[end] = byte;
                let _ = parse(&changed);
            }
        }
    }
}

#[test]
fn lies_about_lengths_take_no_memory() {
    let head = "ply\nformat binary_little_endian 1.0\n";
    let vertex = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
    for (text, part) in [
        (format!("{head}{}end_header\n", vertex.replace(" 1\n", " 18446744073709551615\n")), "do not fit"),
        (format!("{head}element a 99999999999999\nend_header\n"), ""),
        (format!("{head}element a 1\nproperty list uint double b\nend_header\n\u{7f}\u{7f}\u{7f}\u{7f}"), "list of"),
        (
            format!(
                "{head}{vertex}element face 1\nproperty list uchar int vertex_indices\nend_header\n{}\u{3}",
                "a".repeat(12)
            ),
            "list of 3",
        ),
        (format!("{head}element vertex 1\nproperty float x\nend_header\nabcd"), "no property \"y\""),
        ("ply\nformat binary_middle_endian 1.0\nend_header\n".into(), "binary_big_endian"),
        ("solid\n".into(), "begins with"),
    ] {
        match parse_ply(text.as_bytes()) {
            Ok(mesh) => assert!(part.is_empty() && mesh.points.is_empty(), "{text}"),
            Err(error) => assert!(!part.is_empty() && error.to_string().contains(part), "{text}: {error}"),
        }
    }
}

/// The same values in both orders of bytes.
#[test]
fn big_endian_ply_is_read() {
    let head = |order: &str| {
        format!(
            "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty float z\n\
             property short s\nelement face 1\nproperty list uchar uint vertex_indices\nelement edge 1\nproperty int vertex1\n\
             property int vertex2\nend_header\n"
        )
    };
    let (mut little, mut big) = (head("little").into_bytes(), head("big").into_bytes());
    let mut put = |bytes: &[u8]| {
        little.extend(bytes);
        big.extend(bytes.iter().rev());
    };
    for k in 0..3_i16 {
        put(&(0.1 * f32::from(k)).to_le_bytes());
        put(&(-1.0 / (3.0 + f64::from(k))).to_le_bytes());
        put(&f32::from(k * k).to_le_bytes());
        put(&(k - 300).to_le_bytes());
    }
    put(&[3]);
    [0_u32, 1, 2, 2, 0].iter().for_each(|index| put(&index.to_le_bytes()));
    let mesh = parse_ply(&big).unwrap();
    assert_eq!(mesh, parse_ply(&little).unwrap());
    assert_eq!(
        (mesh.faces, mesh.edges, &mesh.attributes[0].values[..]),
        (vec![vec![0, 1, 2]], vec![[2, 0]], &[-300.0, -299.0, -298.0][..])
    );
    assert_eq!(mesh.points[1].y, -0.25);
    for end in 0..big.len() {
        assert!(parse_ply(&big[..end]).is_err(), "{end}");
    }
}

#[test]
fn what_is_nowhere_or_too_much_is_refused() {
    let refused = |parse: fn(&[u8]) -> Result<Mesh, BadMesh>, text: &[u8], part: &str| {
        let error = parse(text).expect_err(part).to_string();
        assert!(error.contains(part), "{part}: {error}");
    };
    for bad in ["nan", "inf", "-inf", "1e999"] {
        refused(parse_obj, format!("v 0 0 0\nv 1 {bad} 0\n").as_bytes(), "line 2: a coordinate is not finite");
        refused(
            parse_ply,
            ASCII_PLY.replace("1 0 0 0", &format!("1 {bad} 0 0")).as_bytes(),
            "line 15: a coordinate is not finite",
        );
        let facet = format!("solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 {bad}\n");
        refused(parse_stl, facet.as_bytes(), "line 5: a coordinate is not finite");
    }
    let mut binary = vec![0; 80];
    binary.extend(1_u32.to_le_bytes());
    binary.extend(
        [0.0, 0.0, 0.0, 0.0, 1.0, f32::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0].iter().flat_map(|n: &f32| n.to_le_bytes()),
    );
    binary.extend([0; 2]);
    refused(parse_stl, &binary, "byte 84: a coordinate is not finite");
    refused(parse_obj, b"v 0 0 0 zero\n", "line 1: \"zero\" is no number");
    refused(parse_obj, b"v 0 0 0 1 1\n", "got 5");
    refused(parse_obj, b"v 0 0\n", "got 2");
    refused(parse_obj, b"v 0 0 0 1 1 1 1 1\n", "got 8");
    for corner in ["1/x", "1/1/1/1", "1//y", "/1"] {
        refused(parse_obj, format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 {corner}\n").as_bytes(), "line 4: \"");
    }
    refused(parse_ply, format!("{ASCII_PLY}\n3 0 1 2\n").as_bytes(), "line 21: 8 bytes follow the last row");
    refused(
        parse_stl,
        b"solid x\nouter loop\nvertex 0 0 0 0\n",
        "line 3: a vertex needs three numbers, and nothing behind them",
    );
    assert_eq!(parse_ply(format!("{ASCII_PLY}\n \r\n").as_bytes()).unwrap(), parse_ply(ASCII_PLY.as_bytes()).unwrap());
}

#[test]
fn names_say_what_can_be_done() {
    let folder = folder("endings");
    let error = Mesh::read(&folder.join("a.blend")).unwrap_err();
    assert!(
        matches!(&error, MeshError::UnknownEnding { .. }) && error.to_string().ends_with(".obj or .ply or .stl"),
        "{error}"
    );
    let error = mesh().write(&folder.join("a.stl")).unwrap_err();
    assert!(error.to_string().contains(".obj or .ply"), "{error}");
    let error = Mesh::read(&folder.join("missing.ply")).unwrap_err();
    assert!(error.to_string().contains("missing.ply"), "{error}");
    fs::write(folder.join("bad.obj"), "v 0 0 0\nf 1 2 3\n").unwrap();
    let error = Mesh::read(&folder.join("bad.obj")).unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
}
