//! A run that is killed at random moments and resumed ends in the same bits as one that is left alone; Ctrl-C writes a checkpoint.
#![cfg(unix)]

use crate::common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, command, stderr, summary, text};

const FLAGS: &[&str] =
    &["run", "spring-net", "--quiet", "--json", "--threads", "1", "--format", "vtu,ply,npy,usd", "--checkpoint-every"];

/// A run with so many seconds between checkpoints.
fn start(out: &Path, every: &str, more: &[&str]) -> Command {
    let mut command = command();
    command
        .args(FLAGS)
        .arg(every)
        .args(["--output", text(out)])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A net that measures nothing.
fn net(until: f64) -> String {
    format!(
        "version = 1\n[time]\nuntil = {until}\n[[springs]]\nname = \"net\"\n\
         grid = {{ columns = 4, rows = 4, width = 1, height = 1 }}\nmass = 1\nstiffness = 100\n\
         pins = [{{ corners = [\"top-left\"] }}]\n"
    )
}

/// A run without a checkpoint before its end.
fn without_checkpoints(scene: &Path, out: &Path, more: &[&str]) -> Command {
    let mut run = command();
    run.args(["run", text(scene), "--quiet", "--checkpoint-every", "1000", "--output", text(out)]).args(more);
    run
}

/// Waits until a file is there, for at most 20 s.
fn wait_for(file: &Path) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !file.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn same_file(a: &Path, b: &Path, name: &str) {
    let read = |folder: &Path| std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(read(a) == read(b), "{name} differs after the kills");
}

#[test]
fn ten_kills_change_no_bit() {
    let folder = Folder::new("kill");
    let (calm, killed) = (folder.join("calm"), folder.join("killed"));
    let begun = Instant::now();
    let output = start(&calm, "0.02", &[]).output().expect("the program can be started");
    let whole = begun.elapsed();
    assert!(output.status.success(), "{}", stderr(&output));
    let expected = summary(&output);

    // A fixed sequence of "random" waits: at most a tenth of an undisturbed run, so that the run outlives ten kills even though each
    // resumed part starts at most 20 ms of work behind where the last one ended.
    let mut seed = 12345_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let (mut kills, mut after_checkpoint) = (0, 0);
    for k in 0..200 {
        if kills >= 10 && after_checkpoint >= 5 {
            break;
        }
        let mut child = start(&killed, "0.02", &["--resume"]).spawn().expect("the program can be started");
        // every other kill waits for a checkpoint to be there first
        let deadline = Instant::now() + Duration::from_secs(20);
        while k % 2 == 1 && !killed.join("checkpoint.bin").exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(whole.mul_f64(0.1 * random()));
        if child.try_wait().expect("a child can be asked").is_some() {
            // It came to its end before ten kills: start over, this machine is faster now than in the calm run.
            std::fs::remove_dir_all(&killed).expect("the folder is ours");
            (kills, after_checkpoint) = (0, 0);
            continue;
        }
        child.kill().expect("a child can be killed");
        child.wait().expect("a child can be waited for");
        kills += 1;
        after_checkpoint += usize::from(killed.join("checkpoint.bin").exists());
    }
    assert!(kills >= 10 && after_checkpoint >= 5, "{kills} kills, {after_checkpoint} of them after a checkpoint");

    let output = start(&killed, "0.02", &["--resume"]).output().expect("the program can be started");
    assert!(output.status.success(), "{}", stderr(&output));
    let resumed = summary(&output);
    for key in ["state_hash", "steps", "rejected", "solves", "linear_iterations", "frames", "energy", "ledger"] {
        assert_eq!(resumed[key], expected[key], "{key}");
    }
    same_file(&calm, &killed, "probes.csv");
    same_file(&calm, &killed, "frames.pvd");
    for name in ["frames/frame_00180.vtu", "ply/frame_00180.ply", "positions.npy", "times.npy", "animation.usda"] {
        same_file(&calm, &killed, name);
    }
    assert!(!killed.join("animation.frames").exists(), "only needed on the way");
    for folder in [&calm, &killed] {
        let verified = common::pliant(&["verify", text(folder)]);
        assert!(verified.status.success(), "{}", stderr(&verified));
    }
}

#[test]
fn interrupt_writes_a_checkpoint_and_exits_130() {
    let folder = Folder::new("interrupt");
    let (calm, out) = (folder.join("calm"), folder.join("out"));
    let child = start(&out, "1000", &[]).spawn().expect("the program can be started");
    wait_for(&out.join("frames/frame_00010.vtu"));
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill(1) is there");
    assert!(interrupted.success());
    let output = child.wait_with_output().expect("a child can be waited for");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("--resume"), "{}", stderr(&output));
    assert!(out.join("checkpoint.bin").exists());

    let resumed = start(&out, "10", &["--resume"]).output().expect("the program can be started");
    let whole = start(&calm, "0.02", &[]).output().expect("the program can be started");
    assert_eq!(summary(&resumed)["state_hash"], summary(&whole)["state_hash"]);
    same_file(&calm, &out, "probes.csv");
}

/// A scene without probes leaves no empty table; until its first checkpoint there must be something all the same that tells whose folder it is.
#[test]
fn killed_before_its_first_checkpoint_without_probes() {
    let folder = Folder::new("no-probes");
    let (scene, out) = (folder.write("net.toml", net(1000.0)), folder.join("out"));
    let run = |more: &[&str]| without_checkpoints(&scene, &out, more);
    let mut child = run(&[]).spawn().expect("the program can be started");
    wait_for(&out.join("frames/frame_00001.vtu"));
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
    assert!(!out.join("checkpoint.bin").exists());
    let refused = run(&[]).output().expect("the program can be started");
    assert!(stderr(&refused).contains("holds an unfinished run; --resume goes on with it"), "{}", stderr(&refused));
    for until in ["0.1", "0.2"] {
        let output = run(&["--resume", "--until", until]).output().expect("the program can be started");
        assert!(output.status.success(), "{until}: {}", stderr(&output));
        assert!(!out.join("probes.csv").exists(), "{until}: nothing was measured");
    }
    let output = run(&["--force", "--until", "0.1", "--set", "output.every_step=true"]).output();
    assert!(output.expect("the program can be started").status.success());
    assert!(common::rows(&out.join("probes.csv")).len() > 1, "times of steps are something");
}

/// Before any checkpoint, the header of an array counts the rows that are there; at most the newest is not counted yet.
#[test]
fn arrays_of_a_killed_run_say_what_they_hold() {
    let folder = Folder::new("kill-npy");
    let out = folder.join("out");
    let flags = [
        "run",
        "spring-net",
        "--until",
        "1000",
        "--quiet",
        "--format",
        "npy",
        "--checkpoint-every",
        "1000",
        "-o",
        text(&out),
    ];
    let mut child = command().args(flags).spawn().expect("the program can be started");
    let rows = |row: usize, name: &str| {
        let file = std::fs::read(out.join(name)).unwrap_or_default();
        let header = String::from_utf8_lossy(file.get(..128).unwrap_or_default()).into_owned();
        let shape = header.split("'shape': (").nth(1).and_then(|rest| rest.split(',').next()?.parse().ok());
        (shape.unwrap_or(0_usize), file.len().saturating_sub(128) / row)
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    while rows(24 * 400, "positions.npy").1 < 12 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
    assert!(!out.join("checkpoint.bin").exists());
    for (row, name) in [(24 * 400, "positions.npy"), (8, "times.npy")] {
        let (told, there) = rows(row, name);
        assert!(there >= 11 && (told == there || told + 1 == there), "{name}: {told} of {there} rows");
    }
}

/// A finished run that is made longer is killed before its next checkpoint: it goes on, to any end.
#[test]
fn killed_while_it_is_made_longer() {
    let folder = Folder::new("longer");
    let (scene, out) = (folder.write("net.toml", net(0.1)), folder.join("out"));
    let run = |more: &[&str]| without_checkpoints(&scene, &out, more);
    assert!(run(&[]).status().expect("the program can be started").success());
    let mut child = run(&["--resume", "--until", "100000"]).spawn().expect("the program can be started");
    wait_for(&out.join("frames/frame_00020.vtu"));
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
    let output = run(&["--resume", "--until", "0.2"]).output().expect("the program can be started");
    assert!(output.status.success(), "{}", stderr(&output));
}
