//! No output is lost with exit status 0: what cannot be printed or written is an error, and what was written is verified.

use crate::common;

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, command, pliant, stderr, summary, text};
#[cfg(target_os = "linux")]
use pliant::scene::units::dimension::Time;

fn verify(folder: &Path) -> Output {
    pliant(&["verify", text(folder)])
}

/// Replaces one byte of a file by another one; returns what it held.
fn flip(path: &Path, at: usize) -> Vec<u8> {
    let good = std::fs::read(path).expect("it is there");
    let mut bad = good.clone();
    bad[at] ^= 1;
    std::fs::write(path, bad).expect("it can be written");
    good
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_printed_is_an_error() {
    let folder = Folder::new("stdout");
    let out = folder.join("out");
    assert!(pliant(&["run", "ball-on-spring", "-o", text(&out)]).status.success());
    let json = ["run", "ball-on-spring", "-o", text(&out), "--resume", "--json"];
    for arguments in [
        &["schema"][..],
        &["scenes"],
        &["check", "spring-net"],
        &["verify", text(&out)],
        &["reproduce", "--list"],
        &["--help"],
        &["run", "--help"],
        &["--version"],
        &json,
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let output = command().args(arguments).stdout(full).output().expect("it starts");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("cannot write to standard output: No space"),
            "{arguments:?}: {}",
            stderr(&output)
        );
        // a closed pipe, as in `| head`
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        let output = command().args(arguments).stdout(writer).output().expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("standard output"), "{arguments:?}: {}", stderr(&output));
        // what is told on the way may be lost, but it ends no command
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let status = command().args(arguments).stdout(Stdio::null()).stderr(full).status().expect("it starts");
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn damage_of_a_finished_result_is_named() {
    let folder = Folder::new("damage");
    let out = folder.join("out");
    let run = |more: &[&str]| pliant(&[&["run", "ball-on-spring", "--until", "0.5", "-o", text(&out)], more].concat());
    let first = run(&["--format", "vtu,ply,obj,npy,usd,gif"]);
    assert!(first.status.success(), "{}", stderr(&first));
    let whole = verify(&out);
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    assert!(String::from_utf8_lossy(&whole.stdout).contains("files are as they were written"));
    let resume = || run(&["--format", "vtu,ply,obj,npy,usd,gif", "--resume"]);
    assert!(resume().status.success());
    let named = |name: &str, why: &str| {
        let output = verify(&out);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(&format!("\n  {name} {why}")), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(": 1 of ") || name == "manifest.txt", "{name}: {}", stderr(&output));
        // a picture is drawn again, and a summary that is none is that of an unfinished run
        if ["animation.gif", "stats.json"].contains(&name) {
            return;
        }
        let output = resume();
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(name) && stderr(&output).contains("--force"), "{name}: {}", stderr(&output));
    };
    for name in [
        "frames/frame_00003.vtu",
        "ply/frame_00000.ply",
        "obj/frame_00001.obj",
        "probes.csv",
        "frames.pvd",
        "positions.npy",
        "times.npy",
        "animation.usda",
        "animation.gif",
        "scene.toml",
        "checkpoint.bin",
        "stats.json",
    ] {
        let path = out.join(name);
        let good = std::fs::read(&path).expect("it was written");
        for at in [0, good.len() / 2, good.len() - 1] {
            flip(&path, at);
            named(name, "was changed: its bytes are not those that were written");
        }
        std::fs::write(&path, &good[..good.len() - 1]).expect("it can be written");
        named(name, &format!("has {} bytes instead of {}", good.len() - 1, good.len()));
        std::fs::remove_file(&path).expect("it is there");
        named(name, "is missing");
        std::fs::write(&path, &good).expect("it can be written");
        assert_eq!(verify(&out).status.code(), Some(0), "{name}");
    }
    let manifest = out.join("manifest.txt");
    let good = std::fs::read(&manifest).expect("it was written");
    for at in [0, good.len() / 2, good.len() - 40] {
        flip(&manifest, at);
        named("manifest.txt", "cannot be used");
        std::fs::write(&manifest, &good).expect("it can be written");
    }
    std::fs::remove_file(&manifest).expect("it is there");
    named("manifest.txt", "is missing");
    std::fs::write(&manifest, &good).expect("it can be written");
    // all of them, not only the first
    flip(&out.join("probes.csv"), 9);
    std::fs::remove_file(out.join("frames/frame_00002.vtu")).expect("it is there");
    let output = verify(&out);
    for part in [": 2 of ", "\n  frames/frame_00002.vtu is missing", "\n  probes.csv was changed"] {
        assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output));
    }
    let none = verify(&folder.join("none"));
    assert_eq!(none.status.code(), Some(2), "{}", stderr(&none));
    assert!(stderr(&none).contains("holds no result of a run"), "{}", stderr(&none));
}

/// What `--error` moves, and a result that is made longer, are listed too.
#[test]
fn manifests_follow_results() {
    let folder = Folder::new("manifests");
    let out = folder.join("out");
    let run =
        |more: &[&str]| pliant(&[&["run", "ball-on-spring", "-o", text(&out), "--format", "vtu,npy"], more].concat());
    for more in
        [&["--until", "0.1", "--error", "1mm"][..], &["--until", "0.2", "--force"], &["--until", "0.4", "--resume"]]
    {
        let output = run(more);
        assert!(output.status.success(), "{more:?}: {}", stderr(&output));
        let output = verify(&out);
        assert_eq!(output.status.code(), Some(0), "{more:?}: {}", stderr(&output));
    }
}

#[test]
fn sweeps_are_verified_run_by_run() {
    let folder = Folder::new("verify-sweep");
    let out = folder.join("out");
    let sweep = ["sweep", "ball-on-spring", "--vary", "springs[0].stiffness=40,41", "--until", "0.1", "--quiet"];
    let output = pliant(&[&sweep[..], &["-o", text(&out)]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let output = verify(&out);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    flip(&out.join("runs/0002/probes.csv"), 3);
    let output = verify(&out);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains(": 1 of ") && stderr(&output).contains("\n  runs/0002/probes.csv was changed"),
        "{}",
        stderr(&output)
    );
}

/// A run that is killed once there is a checkpoint; returns the flags to go on with it.
fn killed(out: &Path) -> Vec<String> {
    let flags =
        ["run", "spring-net", "--until", "2", "--json", "--quiet", "--format", "vtu,npy", "--checkpoint-every", "0.02"];
    let flags: Vec<String> = flags.into_iter().chain(["-o", text(out)]).map(str::to_owned).collect();
    let mut child = command().args(&flags).stdout(Stdio::null()).spawn().expect("it starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    let is_under_way = || out.join("checkpoint.bin").exists() && out.join("frames/frame_00010.vtu").exists();
    while !is_under_way() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
    assert!(!out.join("stats.json").exists(), "it was too fast to be killed");
    flags
}

#[test]
fn damage_of_an_unfinished_run_is_named_and_not_resumed() {
    let folder = Folder::new("damage-unfinished");
    let out = folder.join("out");
    let flags = killed(&out);
    let resume = || command().args(&flags).arg("--resume").output().expect("it starts");
    let whole = verify(&out);
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    assert!(String::from_utf8_lossy(&whole.stdout).contains("unfinished; "));
    for (name, at) in [
        ("frames/frame_00001.vtu", 999),
        ("probes.csv", 30),
        ("frames.pvd", 180),
        ("times.npy", 140),
        ("manifest.txt", 90),
    ] {
        let path = out.join(name);
        let good = flip(&path, at);
        let refused = |why: &str| {
            for (output, status) in [(verify(&out), 1), (resume(), 2)] {
                assert_eq!(output.status.code(), Some(status), "{name} {why}: {}", stderr(&output));
                assert!(stderr(&output).contains(&format!("\n  {name} {why}")), "{name} {why}: {}", stderr(&output));
            }
        };
        refused("was changed: its bytes");
        std::fs::write(&path, &good[..at]).expect("it can be written");
        refused("has ");
        std::fs::remove_file(&path).expect("it is there");
        refused("is missing");
        std::fs::write(&path, good).expect("it can be written");
    }
    let output = resume();
    assert!(output.status.success(), "{}", stderr(&output));
    let calm = folder.join("calm");
    let whole = pliant(&["run", "spring-net", "--until", "2", "--json", "--format", "vtu,npy", "-o", text(&calm)]);
    assert_eq!(summary(&output)["state_hash"], summary(&whole)["state_hash"]);
    for folder in [&out, &calm] {
        assert_eq!(verify(folder).status.code(), Some(0));
    }
}

/// Files that are removed while a run writes them, and a folder that is taken away.
#[test]
fn files_that_go_away_during_a_run_are_an_error() {
    for (name, gone) in
        [("frame", "frames/frame_00001.vtu"), ("probes", "probes.csv"), ("list", "frames.pvd"), ("folder", "")]
    {
        let folder = Folder::new(&format!("gone-{name}"));
        let out = folder.join("out");
        let flags = ["run", "spring-net", "--until", "2", "--quiet", "--checkpoint-every", "1000", "-o", text(&out)];
        let child = command().args(flags).stderr(Stdio::piped()).spawn().expect("it starts");
        let deadline = Instant::now() + Duration::from_secs(60);
        while !out.join("frames/frame_00003.vtu").exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        match gone {
            "" => std::fs::rename(&out, folder.join("elsewhere")).expect("the folder is ours"),
            gone => std::fs::remove_file(out.join(gone)).expect("it was written"),
        }
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(1), "{name}: {}", stderr(&output));
        let part = if gone.is_empty() { "went away" } else { gone };
        assert!(stderr(&output).contains(part), "{name}: {}", stderr(&output));
    }
}

/// A small disk that fills up. What is there afterwards is what headers and messages say.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_tears_nothing() {
    let folder = Folder::new("small-disk");
    let disk = folder.join("disk");
    std::fs::create_dir(&disk).expect("the folder can be written");
    let mount =
        std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=400k", "tmpfs", text(&disk)]).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no disk can be mounted here");
        return;
    }
    let out = disk.join("out");
    let run = |format: &str, out: &Path| {
        pliant(&["run", "spring-net", "--until", "3", "--quiet", "--format", format, "-o", text(out), "--force"])
    };
    let results: Vec<_> = ["npy", "npy,usd", "vtu,npy"]
        .iter()
        .map(|format| {
            let output = run(format, &out);
            let read = |name: &str| std::fs::read(out.join(name)).unwrap_or_default();
            (format, output, read("positions.npy"), read("times.npy"), read("probes.csv"))
        })
        .collect();
    let unmounted = std::process::Command::new("umount").arg(&disk).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    for (format, output, positions, times, probes) in results {
        assert_eq!(output.status.code(), Some(1), "{format}: {}", stderr(&output));
        assert!(stderr(&output).contains("No space left on device"), "{format}: {}", stderr(&output));
        let rows = |file: &[u8]| {
            let header = String::from_utf8_lossy(&file[..128]).into_owned();
            let shape =
                header.split("'shape': (").nth(1).and_then(|rest| rest.split(',').next()?.parse::<usize>().ok());
            shape.unwrap_or_else(|| panic!("{header}"))
        };
        let particles = 400;
        assert_eq!((positions.len() - 128) % (24 * particles), 0, "{format}: whole rows");
        assert_eq!((positions.len() - 128) / (24 * particles), rows(&positions), "{format}");
        assert_eq!((times.len() - 128) / 8, rows(&times), "{format}");
        assert!(probes.is_empty() || probes.ends_with(b"\n"), "{format}: whole rows");
        let last = times[times.len() - 8..].try_into().map(f64::from_le_bytes).expect("a number");
        let frames = rows(&positions).min(rows(&times));
        assert!(frames >= 2, "{format}");
        let told = stderr(&output);
        let until =
            told.split("recorded until t = ").nth(1).and_then(|rest| rest.split(" is kept").next()).expect("a time");
        let until =
            pliant::scene::units::parse_quantity::<Time>(until).unwrap_or_else(|why| panic!("{until}: {why}")).si();
        assert!(until <= last + 1e-3 && until >= last - 2.0 / 60.0 - 1e-3, "{format}: {until} {last}: {told}");
    }
}
