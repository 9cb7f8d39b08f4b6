//! Whatever fails, the old file stays, no temporary one is left, and the message says which file and why.

use crate::common;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use common::*;
use pliant_record::{
    Checkpoint, CsvFile, FrameLog, PvdFile, RecordError, write_atomic, write_atomic_with, write_json, write_vtu,
};

#[test]
fn replaces_a_file_as_a_whole() {
    let folder = folder("atomic-replace");
    let path = folder.join("a.txt");
    for (durable, text) in [(false, "first, longer"), (true, "second")] {
        write_atomic_with(&path, durable, |out| out.write_all(text.as_bytes())).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(names(&folder), ["a.txt"]);
}

#[test]
fn a_failure_halfway_leaves_the_old_file() {
    let folder = folder("atomic-halfway");
    let path = folder.join("a.txt");
    fs::write(&path, "old").unwrap();
    // More than any buffer holds, so that bytes have reached the temporary file.
    let error = write_atomic(&path, |out| {
        out.write_all(&[7; 1 << 20])?;
        Err(io::Error::from(ErrorKind::StorageFull))
    })
    .unwrap_err();
    assert_eq!(error.io_kind(), Some(ErrorKind::StorageFull));
    assert_eq!(error.to_string(), format!("cannot write {}: no storage space", path.display()));
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(&folder)), ("old", vec!["a.txt".to_string()]));
}

#[test]
fn a_rename_that_fails_leaves_nothing_behind() {
    let folder = folder("atomic-rename");
    // A file cannot take the place of a folder that is not empty.
    fs::create_dir_all(folder.join("a.txt/kept")).unwrap();
    write_atomic(&folder.join("a.txt"), |out| out.write_all(b"new")).unwrap_err();
    assert_eq!((names(&folder), names(&folder.join("a.txt"))), (vec!["a.txt".to_string()], vec!["kept".to_string()]));
}

#[test]
fn a_parent_that_is_a_file_is_reported_by_every_writer() {
    let folder = folder("atomic-parent");
    fs::write(folder.join("file"), "in the way").unwrap();
    let path = folder.join("file/x");
    let (system, state) = (system(), state(7, 0.0));
    let errors = [
        write_json(&path, &1).unwrap_err(),
        write_vtu(&path, &system, &state).unwrap_err(),
        Checkpoint::default().save(&path).unwrap_err(),
        CsvFile::create(&path, &[]).err().unwrap(),
        PvdFile::create(&path).err().unwrap(),
        FrameLog::create(&path, 7).err().unwrap(),
        CsvFile::resume(&path, 10).err().unwrap(),
        PvdFile::resume(&path, 10).err().unwrap(),
        FrameLog::resume(&path, 16).err().unwrap(),
    ];
    for error in errors {
        assert!(matches!(error, RecordError::Io { .. }), "{error}");
        assert!(error.to_string().contains(&format!(" {}: ", path.display())), "{error}");
    }
    assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "in the way");
}

#[test]
fn paths_without_a_name_are_refused() {
    for path in ["", "/", ".."] {
        let error = write_atomic(Path::new(path), |_| Ok(())).unwrap_err();
        assert_eq!(error.io_kind(), Some(ErrorKind::InvalidInput), "{error}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported_at_once() {
    let full = Path::new("/dev/full");
    for error in [
        CsvFile::create(full, &["time".into()]).err().unwrap(),
        PvdFile::create(full).err().unwrap(),
        FrameLog::create(full, 1).err().unwrap(),
    ] {
        assert_eq!(error.to_string(), "cannot write /dev/full: No space left on device (os error 28)");
    }
    // A rename would have replaced the device.
    let error = write_json(full, &1).unwrap_err();
    assert_eq!(error.to_string(), "cannot write /dev/full: it is not an ordinary file");
}

#[test]
fn json_is_indented_and_replaced_only_when_it_can_be_written() {
    let folder = folder("atomic-json");
    let path = folder.join("stats.json");
    write_json(&path, &[("dt", 0.1), ("error", f64::NAN)]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, "[\n  [\n    \"dt\",\n    0.1\n  ],\n  [\n    \"error\",\n    null\n  ]\n]\n");
    // Keys of a JSON object must be text.
    let unwritable = std::collections::BTreeMap::from([((1, 2), 3)]);
    let error = write_json(&path, &unwritable).unwrap_err();
    assert!(error.to_string().contains("key must be a string"), "{error}");
    assert_eq!((fs::read_to_string(&path).unwrap(), names(&folder)), (text, vec!["stats.json".to_string()]));
}
