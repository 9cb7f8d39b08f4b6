//! Sweeps: the grid and its order, what is refused before anything runs, runs that fail, kills, Ctrl-C.

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, command, pliant, stderr, summary, text};

const SCENE: &str = r#"version = 1
[time]
until = "0.1 s"
integrator = "newmark"
[time.control]
tolerance = "1 mm"
[output]
formats = []
[[springs]]
name = "pair"
points = [[0, 0, 0], [0, -1, 0]]
edges = [[0, 1]]
mass = 1.0
stiffness = 40.0
pins = [{ particles = [0] }]
"#;

/// The rows of a CSV file by their columns. Knows quotes.
fn table(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    for c in text.chars() {
        let row = rows.last_mut().expect("there is a row");
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => rows.push(vec![String::new()]),
            c => row.last_mut().expect("there is a cell").push(c),
        }
    }
    assert_eq!(rows.pop(), Some(vec![String::new()]), "the last line ends");
    let header = rows.remove(0);
    rows.iter().for_each(|row| assert_eq!(row.len(), header.len(), "{row:?}"));
    rows.into_iter().map(|row| header.iter().cloned().zip(row).collect()).collect()
}

fn column(rows: &[BTreeMap<String, String>], name: &str) -> Vec<String> {
    rows.iter().map(|row| row[name].clone()).collect()
}

fn sweep(scene: &Path, out: &Path, more: &[&str]) -> Output {
    let fixed = ["sweep", text(scene), "-o", text(out), "-j", "2", "--json", "--quiet"];
    pliant(&[&fixed[..], more].concat())
}

#[test]
fn the_grid_its_order_and_its_table() {
    let folder = Folder::new("sweep-grid");
    let (scene, out) = (folder.write("pair.toml", SCENE), folder.join("out"));
    let vary = [
        "--vary",
        "time.control.tolerance=1mm,1e-4",
        "--vary",
        "springs.0.points=[[0,0,0],[0,-1,0]],[[0,0,0],[1,0,0]]",
    ];
    let output = sweep(&scene, &out, &[&vary[..], &["--repeat", "2", "--until", "50 ms"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let end = summary(&output);
    assert_eq!((end["runs"].as_u64(), end["done"].as_u64(), end["failed"].as_u64()), (Some(8), Some(8), Some(0)));
    assert_eq!(end["unequal_repeats"].as_array().map(Vec::len), Some(0));

    let rows = table(&out.join("sweep.csv"));
    let [down, side] = ["[[0, 0, 0], [0, -1, 0]]", "[[0, 0, 0], [1, 0, 0]]"];
    assert_eq!(column(&rows, "run"), ["1", "2", "3", "4", "5", "6", "7", "8"]);
    assert_eq!(column(&rows, "repeat"), ["1", "2", "1", "2", "1", "2", "1", "2"]);
    assert_eq!(
        column(&rows, "time.control.tolerance"),
        ["1mm", "1mm", "1mm", "1mm", "0.0001", "0.0001", "0.0001", "0.0001"]
    );
    assert_eq!(column(&rows, "springs[0].points"), [down, down, side, side, down, down, side, side]);
    assert!(column(&rows, "time").iter().all(|time| time == "0.05"), "--until");
    for pair in column(&rows, "state_hash").chunks(2) {
        assert!(pair[0] == pair[1] && pair[0].len() == 16, "repeats end in the same bits");
    }
    assert_ne!(rows[0]["state_hash"], rows[2]["state_hash"]);
    assert!(std::fs::read_to_string(out.join("sweep.svg")).is_ok_and(|svg| svg.starts_with("<svg")));

    // what a run of the sweep gives is what `run` gives
    let alone = pliant(&[
        "run",
        text(&scene),
        "-o",
        text(&folder.join("alone")),
        "--json",
        "--quiet",
        "--set",
        "time.control.tolerance=1e-4",
        "--set",
        "springs[0].points=[[0,0,0],[1,0,0]]",
        "--until",
        "50 ms",
    ]);
    assert_eq!(summary(&alone)["state_hash"], rows[6]["state_hash"].as_str());

    // the same again runs nothing; another one is refused, unless forced
    let again = sweep(&scene, &out, &[&vary[..], &["--repeat", "2", "--until", "50 ms", "--resume"]].concat());
    assert_eq!((again.status.code(), summary(&again)["skipped"].as_u64()), (Some(0), Some(8)), "{}", stderr(&again));
    for (other, part) in [
        (&["--vary", "time.fps=30,60", "--until", "50 ms"][..], "it varies time.control.tolerance=1mm,0.0001"),
        (&[&vary[..], &["--repeat", "3", "--until", "50 ms"]].concat(), "repeats each run 2 times, not 3"),
        (&[&vary[..], &["--repeat", "2", "--until", "40 ms"]].concat(), "other settings"),
    ] {
        let refused = sweep(&scene, &out, other);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(part) && stderr(&refused).contains("--force"), "{}", stderr(&refused));
        assert_eq!(table(&out.join("sweep.csv")).len(), 8, "nothing is touched");
    }
    let forced = sweep(&scene, &out, &["--vary", "time.fps=30,60", "--force"]);
    assert_eq!(forced.status.code(), Some(0), "{}", stderr(&forced));
    assert_eq!(table(&out.join("sweep.csv")).len(), 2);
    assert!(out.join("runs/0002").exists() && !out.join("runs/0003").exists());
}

/// What is printed: aligned, not endless, and with a plot that fits the values.
#[test]
fn results_are_listed_at_the_end() {
    let folder = Folder::new("sweep-listed");
    let (scene, out) = (folder.write("pair.toml", SCENE), folder.join("out"));
    let run = |values: &[String], more: &[&str]| {
        let vary = format!("time.control.tolerance={}", values.join(","));
        let flags = ["sweep", text(&scene), "--until", "10 ms", "--format", "none", "-o", text(&out), "--vary", &vary];
        let output = command().args(flags).args(more).output().expect("it starts");
        assert!(out.join("sweep.svg").exists());
        stderr(&output)
    };
    let said = run(&["1mm".into(), "0.1mm".into()], &["--vary", "time.fps=50,100"]);
    let lines: Vec<&str> = said.lines().skip_while(|line| !line.starts_with("  run")).take(5).collect();
    assert!(lines[0].starts_with("  run  tolerance  fps  status  steps  rejected  "), "{said}");
    assert!(lines[1].starts_with("    1  1mm        50   done    ") && lines[4].starts_with("    4  0.1mm "), "{said}");
    let many: Vec<String> = (1..=24).map(|k| format!("{k}um")).collect();
    let said = run(&many, &["--force"]);
    assert!(said.contains("  20  20um ") && !said.contains("  21  21um"), "{said}");
    assert!(said.contains(&format!("and 4 more in {}\n", text(&out.join("sweep.csv")))), "{said}");
}

#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let folder = Folder::new("sweep-wrong");
    let (scene, out) = (folder.write("pair.toml", SCENE), folder.join("out"));
    let many = format!("time.fps={}", (1..=400).map(|k| k.to_string()).collect::<Vec<_>>().join(","));
    for (flags, parts) in [
        (&["--vary", "time.control.tolerence=1mm,2mm"][..], &["--vary", "tolerence", "did you mean \"tolerance\""][..]),
        (&["--vary", "time.control.tolerance=1mm,2kg"], &["--vary", "time.control.tolerance", "2kg", "length"]),
        (&["--vary", "time.control.tolerance=1mm,[1"], &["--vary", "time.control.tolerance", "not closed"]),
        (&["--vary", "time.control.tolerance=1mm,-1mm"], &["--vary", "time.control.tolerance", "positive"]),
        (&["--vary", "time.integrator=newmark,newmarc"], &["--vary", "time.integrator", "newmark"]),
        (&["--vary", "time.integrator=newmark", "--vary", "time.control.kind=force-error,stable"], &["newmark"]),
        (&["--vary", "springs[3].mass=1,2"], &["springs[3].mass", "1 element"]),
        (&["--vary", "time.fps=30,60", "--until", "1km"], &["pliant: --until 1km: time.until"]),
        (&["--vary", "time.fps=30,60", "--set", "time.until=1km"], &["pliant: --set time.until=1km: time.until"]),
        (&["--vary", "time.control.law=combined,paper", "--set", "time.integrator=rk4"], &["--vary time.control.law="]),
        (&[], &["--vary", "--repeat"]),
        (&["--repeat", "0"], &["--repeat: must be"]),
        (&["--vary", "time.fps"], &["--vary", "path=value"]),
        (&["--vary", "time.fps="], &["--vary", "time.fps", "empty"]),
        (&["--vary", "time.fps=1,,2"], &["--vary", "time.fps", "empty"]),
        (&["--vary", "time.fps=30,30.0,30"], &["--vary", "time.fps", "\"repeat\""]),
        (&["--vary", "springs.0.mass=1,2", "--vary", "springs[0].mass=3"], &["springs[0].mass", "twice"]),
        (
            &["--vary", "springs.0.mass=1,2", "--set", "springs[0].mass=3"],
            &["--vary", "springs[0].mass", "set for all runs"],
        ),
        (&["--vary", &many, "--repeat", "300"], &["400 x 300 = 120000", "100000"]),
        (&["--repeat", "0"], &["--repeat"]),
        (&["-j", "0"], &["--jobs"]),
        (&["--threads", "0"], &["--threads"]),
        (&["--set", "tme.until=1"], &["--set", "tme", "did you mean"]),
        (&["--until", "3 kg"], &["time.until", "3 kg"]),
        (&["--resume"], &["--resume", "no sweep"]),
    ] {
        let fixed = ["sweep", text(&scene), "-o", text(&out)];
        let output = pliant(&[&fixed[..], flags].concat());
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {said}");
        parts.iter().for_each(|part| assert!(said.contains(part), "{flags:?}: {part:?} is not in {said:?}"));
        assert!(!said.contains("panicked") && !out.exists(), "{flags:?}: {said}");
    }
    std::fs::create_dir_all(out.join("runs")).expect("the folder is ours");
    let refused = sweep(&scene, &out, &["--vary", "time.fps=30,60"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("`runs`"), "{}", stderr(&refused));
}

#[test]
fn a_run_that_fails_is_listed_and_the_others_are_done() {
    let folder = Folder::new("sweep-fails");
    let (scene, out) = (folder.write("pair.toml", SCENE), folder.join("out"));
    // a spring this stiff overflows; found only when the run steps
    let flags = ["--vary", "springs[0].stiffness=40,1e300,50", "--set", "springs[0].points=[[0,0,0],[0,-1e10,0]]"];
    let flags = [&flags[..], &["--set", "springs[0].rest_length=1"]].concat();
    let output = sweep(&scene, &out, &flags);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("run 2 failed: ") && said.contains("1 of 3 runs failed"), "{said}");
    let rows = table(&out.join("sweep.csv"));
    assert_eq!(column(&rows, "status"), ["done", "failed", "done"]);
    assert!(!rows[1]["reason"].is_empty() && rows[0]["reason"].is_empty());

    // the command that is given repeats the run
    let end = summary(&output);
    let again = end["failures"][0]["command"].as_str().expect("there is a command");
    assert!(said.contains(again), "{said}");
    let again = again.replacen("pliant", env!("CARGO_BIN_EXE_pliant"), 1);
    let shell = std::process::Command::new("sh").args(["-c", &again]).output().expect("there is a shell");
    assert_eq!(shell.status.code(), Some(1), "{}", stderr(&shell));
    let reason = rows[1]["reason"].lines().next().expect("it says why");
    assert!(stderr(&shell).contains(reason), "{} has no {reason}", stderr(&shell));

    let later = sweep(&scene, &out, &flags);
    assert_eq!((later.status.code(), summary(&later)["skipped"].as_u64()), (Some(1), Some(2)), "{}", stderr(&later));
}

/// Starts a sweep of 12 runs and waits until some are done.
#[cfg(unix)]
fn start(scene: &Path, out: &Path) -> std::process::Child {
    let child = command()
        .args(["sweep", text(scene), "-o", text(out), "-j", "2", "--json", "--until", "150 s", "--set", "time.fps=1"])
        .args(["--vary", "springs[0].mass=1,2,3,4,5,6", "--vary", "time.control.tolerance=0.1um,0.02um"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let deadline = Instant::now() + Duration::from_secs(60);
    while finished(out).len() < 3 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

/// Results that are there, with the moments at which they were written.
#[cfg(unix)]
fn finished(out: &Path) -> BTreeMap<String, std::time::SystemTime> {
    let entries = std::fs::read_dir(out.join("results")).into_iter().flatten().flatten();
    let entry = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok().filter(|name| !name.starts_with('.'))?;
        Some((name, entry.metadata().ok()?.modified().ok()?))
    };
    entries.filter_map(entry).collect()
}

#[cfg(unix)]
#[test]
fn kills_and_interrupts_lose_nothing() {
    let folder = Folder::new("sweep-kill");
    let scene = folder.write("pair.toml", SCENE);
    let calm = start(&scene, &folder.join("calm")).wait_with_output().expect("a child can be waited for");
    assert_eq!(calm.status.code(), Some(0), "{}", stderr(&calm));
    let hashes = |name: &str| column(&table(&folder.join(name).join("sweep.csv")), "state_hash");

    let killed = folder.join("killed");
    let mut child = start(&scene, &killed);
    let second = start(&scene, &killed).wait_with_output().expect("a child can be waited for");
    assert_eq!(second.status.code(), Some(2));
    assert!(stderr(&second).contains("another run is at work"), "{}", stderr(&second));
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
    let before = finished(&killed);
    assert!((3..12).contains(&before.len()), "{} runs were done before the kill", before.len());
    let output = start(&scene, &killed).wait_with_output().expect("a child can be waited for");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(summary(&output)["skipped"].as_u64(), Some(before.len() as u64));
    let after = finished(&killed);
    assert_eq!(after.len(), 12);
    assert!(before.iter().all(|(name, moment)| after[name] == *moment), "finished runs are not run again");
    assert_eq!(hashes("killed"), hashes("calm"));

    let stopped = folder.join("stopped");
    let child = start(&scene, &stopped);
    let kill =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill(1) is there");
    assert!(kill.success());
    let output = child.wait_with_output().expect("a child can be waited for");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("the same command goes on"), "{}", stderr(&output));
    assert_eq!(summary(&output)["failed"].as_u64(), Some(0), "an interrupted run has not failed");
    let unfinished = |k: usize| {
        let run = stopped.join(format!("runs/{k:04}"));
        run.join("scene.toml").exists() && !run.join("stats.json").exists()
    };
    for k in (1..=12).filter(|k| unfinished(*k)) {
        assert!(stopped.join(format!("runs/{k:04}/checkpoint.bin")).exists(), "run {k} wrote no checkpoint");
    }
    let output = start(&scene, &stopped).wait_with_output().expect("a child can be waited for");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(hashes("stopped"), hashes("calm"));
}
