//! Files that grow: what is in them reads back to the same bits, and a resumed one is byte for byte an undisturbed one.

use crate::common;

use std::fs;

use common::*;
use glam::DVec3;
use pliant_core::State;
use pliant_record::npy::NpyFile;
use pliant_record::{
    Checksum, CsvFile, Difference, FrameLog, FrameLogReader, PvdFile, RecordError, largest_difference,
};

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

#[test]
fn csv_numbers_come_back_bit_by_bit() {
    let path = folder("csv-bits").join("probes.csv");
    let mut values = vec![0.0, -0.0, 1.0, 0.1, -1.0 / 3.0, 1e-5, 9.999e-6, 1e16, 123456789012345680.0, 5e-324];
    values.extend([f64::MAX, f64::MIN_POSITIVE, f64::EPSILON, f64::INFINITY, f64::NEG_INFINITY]);
    values.extend((0..2000_u64).map(|i| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))).filter(|x| !x.is_nan()));
    let mut csv = CsvFile::create(&path, &strings(&["value"])).unwrap();
    values.iter().for_each(|value| csv.row(&[*value]).unwrap());
    csv.row(&[f64::NAN]).unwrap();
    csv.flush().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.len() as u64, csv.len());
    let mut lines = text.lines().skip(1);
    for (value, line) in values.iter().zip(lines.by_ref()) {
        assert_eq!(line.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{line}");
        assert!(line.len() <= 24, "{line}");
    }
    assert_eq!(lines.collect::<Vec<_>>(), ["nan"]);
    assert!(text.starts_with("value\n0\n-0\n1\n0.1\n-0.3333333333333333\n0.00001\n9.999e-6\n1e16\n"), "{text:.80}");
    assert!(text.contains("\ninf\n-inf\n"));
}

#[test]
fn csv_names_are_quoted_and_columns_counted() {
    let path = folder("csv-names").join("probes.csv");
    let names = strings(&["time", "a,b", "say \"x\"", "two\nlines", ""]);
    let mut csv = CsvFile::create(&path, &names).unwrap();
    csv.row(&[0.5; 5]).unwrap();
    csv.sync().unwrap();
    let header = "time,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"\"\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{header}0.5,0.5,0.5,0.5,0.5\n"));
    let error = CsvFile::resume(&path, csv.len()).unwrap().row(&[1.0; 4]).unwrap_err();
    assert!(error.to_string().ends_with("4 columns, but there must be 5"), "{error}");
}

#[test]
fn a_resumed_csv_is_an_undisturbed_one() {
    let path = folder("csv-resume").join("probes.csv");
    let rows: Vec<_> = (0..500).map(|i| [f64::from(i) / 60.0, f64::from(i).sin()]).collect();
    let write = |csv: &mut CsvFile, rows: &[[f64; 2]]| rows.iter().for_each(|row| csv.row(row).unwrap());
    let mut csv = CsvFile::create(&path, &strings(&["time", "tip"])).unwrap();
    let mut lengths = vec![csv.len()];
    for row in &rows {
        csv.row(row).unwrap();
        lengths.push(csv.len());
    }
    drop(csv);
    let whole = fs::read(&path).unwrap();
    for at in [0, 1, 250, 500] {
        // What a killed run may leave: rows that the checkpoint does not know, the last one torn.
        fs::write(&path, [&whole[..], b"8.5,0.1"].concat()).unwrap();
        let mut csv = CsvFile::resume(&path, lengths[at]).unwrap();
        write(&mut csv, &rows[at..]);
        assert_eq!(csv.len(), whole.len() as u64);
        drop(csv);
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    for len in [0, 3, lengths[7] - 1, whole.len() as u64 + 1] {
        let error = CsvFile::resume(&path, len).err().unwrap();
        assert!(matches!(error, RecordError::NotResumable { .. }), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn a_pvd_is_whole_after_every_frame_and_after_a_resume() {
    let path = folder("pvd").join("frames.pvd");
    let push = |pvd: &mut PvdFile, i: u32| pvd.push(f64::from(i) / 60.0, &format!("frames/frame_{i:04}.vtu")).unwrap();
    let mut pvd = PvdFile::create(&path).unwrap();
    let mut stages = vec![fs::read_to_string(&path).unwrap()];
    for i in 0..5 {
        push(&mut pvd, i);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(pvd.len(), text.len() as u64);
        let entries = text.lines().filter(|line| line.starts_with("    <DataSet ")).count();
        assert_eq!((entries, text.lines().count()), (i as usize + 1, i as usize + 6));
        assert!(text.ends_with("/>\n  </Collection>\n</VTKFile>\n"));
        stages.push(text);
    }
    assert!(stages[5].contains(r#"timestep="0.016666666666666666" group="" part="0" file="frames/frame_0001.vtu"/>"#));
    for at in 0..=5 {
        for torn in ["", "    <DataSet timest"] {
            fs::write(&path, stages[5].clone() + torn).unwrap();
            let mut pvd = PvdFile::resume(&path, stages[at].len() as u64).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), stages[at]);
            (at as u32..5).for_each(|i| push(&mut pvd, i));
            pvd.sync().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), stages[5]);
        }
    }
    for len in [0, 60, stages[2].len() as u64 - 1, stages[5].len() as u64 + 1000, u64::MAX] {
        let error = PvdFile::resume(&path, len).err().unwrap();
        assert!(matches!(error, RecordError::NotResumable { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), stages[5]);
    }
    let mut pvd = PvdFile::create(&path).unwrap();
    pvd.push(0.0, "a\"<&>.vtu").unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains("file=\"a&quot;&lt;&amp;&gt;.vtu\""));
}

#[test]
fn frames_come_back_bit_by_bit_and_resume() {
    let path = folder("frames").join("frames.log");
    let mut states: Vec<State> = (0..4).map(|i| state(5, f64::from(i) / 60.0)).collect();
    states[2].x[3].y = f64::from_bits(0x7ff8_0000_0000_0bad);
    let mut log = FrameLog::create(&path, 5).unwrap();
    let mut lengths = vec![log.len()];
    for state in &states {
        log.push(state).unwrap();
        lengths.push(log.len());
    }
    let error = log.push(&state(4, 1.0)).unwrap_err();
    assert!(error.to_string().ends_with("4 particles, but there must be 5"), "{error}");
    log.sync().unwrap();
    let whole = fs::read(&path).unwrap();
    assert_eq!(whole.len(), 16 + 4 * (8 + 5 * 24));

    let mut reader = FrameLogReader::open(&path).unwrap();
    assert_eq!((reader.particles(), reader.frames()), (5, 4));
    let mut x = Vec::new();
    for _ in 0..2 {
        for state in &states {
            assert_eq!(reader.next_frame(&mut x).unwrap(), Some(state.time));
            assert_eq!(bits(&x), bits(&state.x));
        }
        assert_eq!(reader.next_frame(&mut x).unwrap(), None);
        reader.rewind().unwrap();
    }

    for at in 0..=4 {
        fs::write(&path, [&whole[..], &[1; 50]].concat()).unwrap();
        let mut log = FrameLog::resume(&path, lengths[at]).unwrap();
        states[at..].iter().for_each(|state| log.push(state).unwrap());
        log.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    for len in [0, 8, 17, lengths[2] + 8, lengths[4] + 1] {
        let error = FrameLog::resume(&path, len).err().unwrap();
        assert!(matches!(error, RecordError::NotResumable { .. }), "{error}");
    }
    // Cut anywhere but between two frames, the log is refused.
    for len in 0..whole.len() {
        fs::write(&path, &whole[..len]).unwrap();
        assert_eq!(FrameLogReader::open(&path).is_ok(), lengths.contains(&(len as u64)), "{len} bytes");
    }
    // A log that claims particles it has no room for.
    for claim in [1 << 40, u64::MAX / 24, u64::MAX] {
        let mut forged = whole.clone();
        forged[8..16].copy_from_slice(&u64::to_le_bytes(claim));
        fs::write(&path, &forged).unwrap();
        let error = FrameLogReader::open(&path).err().unwrap();
        assert!(matches!(error, RecordError::BadFrameLog { .. }), "{error}");
        FrameLog::resume(&path, lengths[4]).err().unwrap();
    }
}

#[test]
fn the_largest_difference_is_found() {
    let folder = folder("difference");
    let log = |name: &str, states: &[State]| {
        let path = folder.join(name);
        let mut log = FrameLog::create(&path, states.first().map_or(3, State::len)).unwrap();
        states.iter().for_each(|state| log.push(state).unwrap());
        path
    };
    let states: Vec<State> = (0..3).map(|i| state(3, f64::from(i) / 4.0)).collect();
    let a = log("a", &states);
    let none = Difference { metres: 0.0, particle: 0, frame: 0, time: 0.0 };
    assert_eq!(largest_difference(&a, &a).unwrap(), Some(none));
    assert_eq!(largest_difference(&log("e", &[]), &log("f", &[])).unwrap(), None);

    let changed = |change: &dyn Fn(&mut [State])| {
        let mut other = states.clone();
        change(&mut other);
        largest_difference(&a, &log("b", &other))
    };
    let found = changed(&|s| {
        s[1].x[2] += DVec3::new(0.0, 3.0, -4.0);
        s[2].x[1] += DVec3::new(3.0, 3.0, 0.0);
    });
    let found = found.unwrap().unwrap();
    assert!((found.metres - 5.0).abs() < 1e-14);
    assert_eq!((found.particle, found.frame, found.time), (2, 1, 0.25));

    // Infinite, also when it is on both sides, and never hidden by a later one.
    let found = changed(&|s| s[0].x[1].z = f64::NAN).unwrap();
    assert_eq!(found, Some(Difference { metres: f64::INFINITY, particle: 1, frame: 0, time: 0.0 }));
    let mut broken = states.clone();
    broken[2].x[0].x = f64::INFINITY;
    let broken = log("c", &broken);
    assert_eq!(largest_difference(&broken, &broken).unwrap().unwrap().metres, f64::INFINITY);
    // Only equal positions are at distance zero.
    let (mut near, mut origin) = (State::at_rest(vec![DVec3::ZERO]), State::at_rest(vec![DVec3::ZERO]));
    near.x[0] = DVec3::new(3e-200, 4e-200, 0.0);
    origin.x[0].z = -0.0;
    let found = largest_difference(&log("n", &[near]), &log("o", &[origin])).unwrap().unwrap().metres;
    assert!((found / 5e-200 - 1.0).abs() < 1e-15);

    for (error, says) in [
        (changed(&|s| s[1].time = 0.3), "frame 1 is at 0.25 s in the first and at 0.3 s in the second"),
        (changed(&|s| s[1].time = f64::NAN), "frame 1 is at 0.25 s in the first and at NaN s"),
        (largest_difference(&a, &log("d", &states[..2])), "3 frames in the first, 2 in the second"),
        (largest_difference(&a, &log("g", &[state(4, 0.0)])), "3 particles in the first, 4 in the second"),
    ] {
        let error = error.unwrap_err();
        assert!(matches!(error, RecordError::Incomparable { .. }) && error.to_string().contains(says), "{error}");
    }
}

/// Length and hash are known without reading the file, also those of a resumed one.
#[test]
fn checksums_are_those_of_the_files() {
    let folder = folder("checksums");
    let path = |name: &str| folder.join(name);
    let mut csv = CsvFile::create(&path("a.csv"), &strings(&["time"])).unwrap();
    let mut pvd = PvdFile::create(&path("a.pvd")).unwrap();
    let mut log = FrameLog::create(&path("a.log"), 5).unwrap();
    let mut npy = NpyFile::create(&path("a.npy"), &[5, 3]).unwrap();
    for k in 0..4 {
        if k == 2 {
            let grown = [csv.grown("a.csv"), pvd.grown("a.pvd"), log.grown("a.log"), npy.grown("a.npy")];
            csv.row(&[0.5]).unwrap();
            pvd.push(0.5, "later").unwrap();
            log.push(&state(5, 0.5)).unwrap();
            npy.push(&state(5, 0.5).x).unwrap();
            let lens = (csv.len(), pvd.len(), log.len(), npy.len());
            [csv.sync(), pvd.sync(), log.sync(), npy.sync()].into_iter().for_each(Result::unwrap);
            for file in &grown {
                assert_eq!(file.damage(&folder), None, "it has only grown");
                let good = fs::read(path(&file.name)).unwrap();
                let at = file.fixed.end as usize - 1;
                let mut bad = good.clone();
                bad[at] ^= 1;
                fs::write(path(&file.name), &bad).unwrap();
                assert!(file.damage(&folder).unwrap().what.starts_with("was changed"), "{}", file.name);
                fs::write(path(&file.name), &good[..at]).unwrap();
                assert!(file.damage(&folder).unwrap().what.contains("bytes, but had"), "{}", file.name);
                fs::write(path(&file.name), &good).unwrap();
            }
            drop((csv, pvd, log, npy));
            let len = |k: usize| grown[k].len;
            assert!(len(0) < lens.0 && len(1) < lens.1 && len(2) < lens.2 && len(3) < lens.3);
            csv = CsvFile::resume(&path("a.csv"), len(0)).unwrap();
            pvd = PvdFile::resume(&path("a.pvd"), len(1)).unwrap();
            log = FrameLog::resume(&path("a.log"), len(2)).unwrap();
            npy = NpyFile::resume(&path("a.npy"), len(3), &[5, 3]).unwrap();
        }
        csv.row(&[f64::from(k)]).unwrap();
        pvd.push(f64::from(k), "frame").unwrap();
        log.push(&state(5, f64::from(k))).unwrap();
        npy.push(&state(5, f64::from(k)).x).unwrap();
        let rows = format!("'shape': ({}, 5, 3)", k + 1);
        assert!(
            String::from_utf8_lossy(&fs::read(path("a.npy")).unwrap()[..128]).contains(&rows),
            "the header follows"
        );
    }
    let sums = [csv.checksum().unwrap(), pvd.checksum(), log.checksum().unwrap(), npy.checksum().unwrap()];
    for (sum, name) in sums.into_iter().zip(["a.csv", "a.pvd", "a.log", "a.npy"]) {
        assert_eq!(sum, Checksum::of(&fs::read(path(name)).unwrap()), "{name}");
        assert_eq!(sum, Checksum::of_file(&path(name)).unwrap(), "{name}");
    }
    fs::remove_file(path("a.csv")).unwrap();
    let error = csv.sync().unwrap_err();
    assert!(matches!(&error, RecordError::Lost { .. }) && error.to_string().contains("a.csv is missing"), "{error}");
}
