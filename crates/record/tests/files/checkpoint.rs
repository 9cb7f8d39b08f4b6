//! A checkpoint comes back bit by bit, and nothing else comes back as a checkpoint.

use crate::common;

use std::fs;
use std::path::Path;

use common::*;
use glam::DVec3;
use pliant_core::{Memory, Point};
use pliant_record::{Checkpoint, Grown, RecordError};
use xxhash_rust::xxh3::xxh3_64;

const SCENE: u64 = 0x0123_4567_89ab_cdef;
const HEADER: usize = 28;

fn grown(name: &str, len: u64) -> Grown {
    Grown { name: name.into(), len, fixed: 7..len - 9, hash: !len }
}

fn sample() -> Checkpoint {
    let odd = DVec3::new(f64::from_bits(0x7ff8_0000_dead_beef), -0.0, f64::from_bits(0xfff0_0000_0000_0001));
    let mut point = Point::new(state(2, 0.125));
    point.state.x[1] = odd;
    point.force = vec![DVec3::new(f64::INFINITY, f64::MIN_POSITIVE / 4.0, 1e300), odd];
    point.force_known = true;
    point.memory = Memory { vectors: vec![vec![DVec3::X, odd], vec![]], scalars: vec![0.1, f64::NEG_INFINITY] };
    Checkpoint {
        fingerprint: SCENE,
        point,
        numbers: vec![1.0 / 3.0, f64::from_bits(0x7ff8_0000_0000_1234)],
        counts: vec![0, u64::MAX, 42],
        files: vec![grown("probes.csv", 1234), grown("Bilder/größe,\n.vtu", u64::MAX)],
        edits: vec![(0.25, "world.drag=\"2 1/s\"".into()), (f64::NAN, String::new())],
        note: "avx2 – ¿sí?".into(),
    }
}

/// All that is stored, as bits.
fn image(checkpoint: &Checkpoint) -> String {
    let Checkpoint { fingerprint, point, numbers, counts, files, edits, note } = checkpoint;
    let words = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let vectors: Vec<_> = point.memory.vectors.iter().map(|vectors| bits(vectors)).collect();
    let state = (point.state.time.to_bits(), bits(&point.state.x), bits(&point.state.v));
    let edits: Vec<_> = edits.iter().map(|(time, edit)| (time.to_bits(), edit)).collect();
    let rest = (words(&point.memory.scalars), words(numbers), counts, files, edits, note);
    format!("{:?}", (fingerprint, state, bits(&point.force), point.force_known, vectors, rest))
}

fn saved(path: &Path, checkpoint: &Checkpoint) -> Vec<u8> {
    checkpoint.save(path).unwrap();
    fs::read(path).unwrap()
}

/// Puts a right header before a payload.
fn sealed(payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"PLIANTCP\x09\0\0\0".to_vec();
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(xxh3_64(payload).to_le_bytes());
    bytes.extend(payload);
    bytes
}

#[test]
fn every_bit_comes_back() {
    let folder = folder("checkpoint-round-trip");
    let path = folder.join("last.checkpoint");
    for checkpoint in [sample(), Checkpoint { fingerprint: SCENE, ..Checkpoint::default() }] {
        let bytes = saved(&path, &checkpoint);
        let back = Checkpoint::load(&path, SCENE).unwrap();
        assert_eq!(image(&back), image(&checkpoint));
        assert_eq!(saved(&path, &back), bytes);
        assert_eq!(sealed(&bytes[HEADER..]), bytes);
    }
    assert_eq!(names(&folder), ["last.checkpoint"]);
}

#[test]
fn every_prefix_is_refused() {
    let path = folder("checkpoint-prefixes").join("last.checkpoint");
    let bytes = saved(&path, &sample());
    for len in 0..bytes.len() {
        fs::write(&path, &bytes[..len]).unwrap();
        match Checkpoint::load(&path, SCENE) {
            Err(RecordError::Truncated { found, needed, .. }) => {
                assert_eq!((found, needed), (len as u64, if len < HEADER { HEADER } else { bytes.len() } as u64));
            }
            other => panic!("{len} bytes: {other:?}"),
        }
    }
}

#[test]
fn every_flipped_byte_is_noticed() {
    let path = folder("checkpoint-flips").join("last.checkpoint");
    let bytes = saved(&path, &sample());
    for at in 0..bytes.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut flipped = bytes.clone();
            flipped[at] ^= mask;
            fs::write(&path, &flipped).unwrap();
            let error = Checkpoint::load(&path, SCENE).expect_err("a flipped byte");
            let expected = match at {
                0..8 => matches!(error, RecordError::NotACheckpoint { .. }),
                8..12 => matches!(error, RecordError::WrongVersion { known: 9, .. }),
                12..20 => matches!(error, RecordError::Truncated { .. } | RecordError::Damaged { .. }),
                _ => matches!(error, RecordError::Damaged { .. }),
            };
            assert!(expected, "byte {at}: {error}");
        }
    }
}

/// As above, but with a checksum that fits: what a forger or a bug could write. Any answer will do, if there is one.
#[test]
fn forged_payloads_neither_panic_nor_take_memory() {
    let path = folder("checkpoint-forged").join("last.checkpoint");
    let payload = saved(&path, &sample()).split_off(HEADER);
    let load = |payload: &[u8]| {
        fs::write(&path, sealed(payload)).unwrap();
        Checkpoint::load(&path, SCENE)
    };
    for len in 0..payload.len() {
        assert!(matches!(load(&payload[..len]), Err(RecordError::Damaged { .. })), "{len} bytes");
    }
    for at in 0..payload.len() {
        let mut forged = payload.clone();
        forged[at] ^= 0xff;
        let _ = load(&forged);
        // Wherever a length stands, it becomes the largest one.
        let end = forged.len().min(at + 8);
        forged[at..end].fill(0xff);
        let _ = load(&forged);
    }
    let error = load(&[&payload[..], &[0]].concat()).unwrap_err();
    assert!(error.to_string().contains("longer than its parts"), "{error}");
}

#[test]
fn trailing_bytes_other_scenes_and_other_files_are_refused() {
    let folder = folder("checkpoint-refused");
    let path = folder.join("last.checkpoint");
    let bytes = saved(&path, &sample());

    let error = Checkpoint::load(&path, 0xff).unwrap_err();
    assert!(matches!(error, RecordError::Foreign { found: SCENE, expected: 0xff, .. }));
    assert!(error.to_string().contains("0123456789abcdef, that of this scene is 00000000000000ff"), "{error}");

    fs::write(&path, [&bytes[..], b"xyz"].concat()).unwrap();
    let error = Checkpoint::load(&path, SCENE).unwrap_err();
    assert!(error.to_string().contains("3 bytes follow its end"), "{error}");

    fs::write(&path, "time,tip.x\n").unwrap();
    assert!(matches!(Checkpoint::load(&path, SCENE), Err(RecordError::NotACheckpoint { .. })));

    let error = Checkpoint::load(&folder, SCENE).unwrap_err();
    assert!(matches!(error, RecordError::Io { doing: "read", .. }), "{error}");
    let error = Checkpoint::load(&folder.join("none"), SCENE).unwrap_err();
    assert!(error.to_string().starts_with("cannot read ") && error.to_string().contains("none: "), "{error}");
}

#[test]
fn an_uneven_point_is_not_saved() {
    let folder = folder("checkpoint-uneven");
    let mut checkpoint = sample();
    checkpoint.point.force.pop();
    let error = checkpoint.save(&folder.join("last.checkpoint")).unwrap_err();
    assert!(error.to_string().ends_with("1 forces, but there must be 2"), "{error}");
    assert!(names(&folder).is_empty());
}
