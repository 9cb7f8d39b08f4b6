//! Whatever is wrong ends in a message that names file, line and key, in exit status 2 (nothing done) or 1 (the run died, what was good is
//! kept), and never in a panic.

use crate::common;

use std::path::Path;

use common::{Folder, command, pliant, stderr, summary, text};

const GOOD: &str = r#"version = 1
[world]
gravity = [0, -9.81, 0]
[time]
until = "0.2 s"
fps = 50
integrator = "newmark"
[time.control]
kind = "force-error"
tolerance = "1 mm"
[[springs]]
name = "pair"
points = [[0, 0, 0], [0, -1, 0]]
edges = [[0, 1]]
mass = 1.0
stiffness = 40.0
pins = [{ particles = [0] }]
[[probe]]
name = "ball"
particle = 1
quantity = "position"
"#;

/// Runs the good scene with one text replaced and checks the complaint.
fn complains(folder: &Folder, from: &str, to: &str, expected: &[&str]) {
    assert!(GOOD.contains(from), "{from:?} is not in the good scene");
    let file = folder.write("scene.toml", GOOD.replacen(from, to, 1));
    let out = folder.join("out");
    let output = pliant(&["run", text(&file), "--output", text(&out)]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{to:?}: {message}");
    for part in expected {
        assert!(message.contains(part), "{to:?}: {part:?} is not in {message:?}");
    }
    assert!(!message.contains("panicked"), "{message}");
    assert!(!out.exists(), "{to:?}: a bad scene must not touch the output folder");
}

#[test]
fn the_good_scene_is_good() {
    let folder = Folder::new("good");
    let file = folder.write("scene.toml", GOOD);
    let output = pliant(&["run", text(&file), "--output", text(&folder.join("out"))]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn scenes_that_are_wrong() {
    let folder = Folder::new("wrong");
    let check = |from, to, expected: &[&str]| complains(&folder, from, to, expected);
    check("stiffness", "stifness", &["scene.toml:16", "stifness", "did you mean", "stiffness"]);
    check("\"newmark\"", "\"newmarc\"", &["scene.toml:7", "time.integrator", "newmark"]);
    check("\"force-error\"", "\"force-eror\"", &["scene.toml:9", "time.control.kind", "force-error"]);
    check("\"force-error\"", "\"stable\"", &["scene.toml:9", "newmark", "limit"]);
    check("\"position\"", "\"positon\"", &["scene.toml:21", "position"]);
    check("mass = 1.0", "mass = -1.0", &["scene.toml:15", "springs[0].mass", "positive", "-1"]);
    check("mass = 1.0", "mass = nan", &["scene.toml:15", "springs[0].mass", "NaN"]);
    check("mass = 1.0", "mass = inf", &["scene.toml:15", "springs[0].mass", "inf"]);
    check("mass = 1.0", "mass = \"1 m\"", &["scene.toml:15", "length", "mass"]);
    check("mass = 1.0", "mass = [1]", &["scene.toml:15", "springs[0].mass"]);
    check("mass = 1.0\n", "", &["springs[0]", "mass"]);
    check("stiffness = 40.0", "stiffness = -1", &["scene.toml:16", "stiffness"]);
    check("[0, -1, 0]]", "[0, nan, 0]]", &["scene.toml:13", "points[1]", "finite"]);
    check("[0, -1, 0]]", "[0, 0, 0]]", &["scene.toml:14", "same place"]);
    check("[[0, 1]]", "[[0, 7]]", &["scene.toml:14", "edges[0]", "7"]);
    check("[[0, 1]]", "[[1, 1]]", &["scene.toml:14", "two different"]);
    check("points = [[0, 0, 0], [0, -1, 0]]", "points = []", &["scene.toml:13", "at least one"]);
    check("particles = [0]", "particles = [9]", &["scene.toml:17", "9"]);
    check("particle = 1", "particle = 5", &["scene.toml:20", "particles 0 to 1"]);
    check("until = \"0.2 s\"", "until = 0", &["scene.toml:5", "time.until", "positive", "0"]);
    check("until = \"0.2 s\"", "until = \"0.2 parsec\"", &["scene.toml:5", "time.until", "parsec"]);
    check("fps = 50", "fps = -5", &["scene.toml:6", "time.fps"]);
    check("fps = 50", "fps = \"many\"", &["scene.toml:6", "time.fps"]);
    check("tolerance = \"1 mm\"", "tolerance = 0", &["scene.toml:10", "tolerance", "positive"]);
    check("version = 1", "version = 9", &["scene.toml:1", "version 1", "9"]);
    check("[world]", "[world", &["scene.toml:2", "TOML"]);
    check("particle = 1", "particle = 99999999999999999999", &["scene.toml:20", "9223372036854775807"]);
    check("[[springs]]", "[[sprigns]]", &["sprigns", "springs"]);
    check("[time]\n", "[tme]\n", &["scene.toml:4: tme: unknown key \"tme\"; did you mean \"time\"?"]);
    check(
        "[[springs]]",
        "[springs]",
        &["scene.toml:11: springs: needs an array of tables: write [[springs]] instead of [springs]"],
    );
    check(
        "[[probe]]",
        "[probe]",
        &["scene.toml:18: probe: needs an array of tables: write [[probe]] instead of [probe]"],
    );
    check(
        "version = 1\n",
        "",
        &["scene.toml:1: the key \"version\" is missing: write version = 1 as the first line of the file"],
    );
    check(
        "name = \"pair\"",
        "name = “pair”",
        &["scene.toml:12: the quote “ at column 8 is a typographic one: write straight quotes"],
    );
    check(
        "\"1 mm\"",
        "\"1 mn\"",
        &["scene.toml:10: time.control.tolerance: unknown unit \"mn\"", "did you mean \"mm\"?"],
    );
    check(
        "\"0.2 s\"",
        "\"0.2 m\"",
        &[
            "scene.toml:5: time.until: \"0.2 m\" is a length, but a time is needed here: write it in s, ms, us, min or h",
        ],
    );
}

/// For every key that holds several tables, one alone is told how to be written.
#[test]
fn single_tables_where_several_may_be() {
    let folder = Folder::new("single");
    for key in ["springs", "pendulum", "cloth", "solid", "rope", "suture", "fluid", "peridynamic", "collider", "probe"]
    {
        let file = folder.write("scene.toml", format!("version = 1\n[time]\nuntil = 1\n[{key}]\nname = \"a\"\n"));
        let output = pliant(&["check", text(&file)]);
        let part = format!("scene.toml:4: {key}: needs an array of tables: write [[{key}]] instead of [{key}]");
        assert!(stderr(&output).contains(&part), "{key}: {}", stderr(&output));
    }
}

/// Bodies have names, and changes may call them by these.
#[test]
fn changes_name_what_they_change() {
    let folder = Folder::new("names");
    let grid = "columns = 3, rows = 3, width = 1, height = 1";
    let cloth =
        |name: &str, x: f64| format!("[[cloth]]\nname = \"{name}\"\ngrid = {{ {grid}, origin = [{x}, 0, 0] }}\n");
    let scene = format!("version = 1\n[time]\nuntil = 1\n{}{}", cloth("towel", 0.0), cloth("flag", 2.0));
    let file = folder.write("two.toml", scene);
    let told = |change: &str| {
        let output = pliant(&["check", text(&file), "--set", change]);
        (output.status.code(), stderr(&output))
    };
    assert_eq!(told("cloth.towel.preset=silk").0, Some(0));
    for (change, said) in [
        ("cloth.towl.preset=silk", "cloth.towl.preset: nothing in cloth is called \"towl\"; did you mean \"towel\"?"),
        ("cloth.sail.preset=silk", "cloth.sail.preset: nothing in cloth is called \"sail\"; there are: towel, flag"),
        ("cloth.towel.presett=silk", "cloth[0].presett: unknown key \"presett\"; did you mean \"preset\"?"),
        ("cloth.towel.preset=slik", "cloth[0].preset: no cloth preset is called \"slik\"; did you mean \"silk\"?"),
        (
            "cloth.preset=silk",
            "cloth.preset: cloth is an array: write an index or a name, as in cloth[0].preset or cloth.towel.preset",
        ),
        ("solid.towel.preset=silk", "solid: the scene has no [[solid]] in which something could be changed"),
    ] {
        assert_eq!(told(change), (Some(2), format!("pliant: --set {change}: {said}\n")));
    }
}

/// An error as large as the scene was meant in millimetres.
#[test]
fn errors_that_are_too_large_are_warned_of() {
    let folder = Folder::new("coarse");
    let file = folder.write("scene.toml", GOOD);
    let part = "is more than a tenth of the whole scene, which is 1 m large";
    let told = |arguments: &[&str]| {
        let output = command().args(arguments).output().expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output)
    };
    assert!(!told(&["check", text(&file)]).contains("warning"));
    let coarse = ["--set", "time.control.tolerance=1"];
    let check = told(&[&["check", text(&file)][..], &coarse].concat());
    assert!(check.contains(&format!("  warning: time.control.tolerance, 1 m, {part}")), "{check}");
    let out = folder.join("out");
    let run = ["run", text(&file), "--quiet", "--output", text(&out), "--force"];
    let said = told(&[&run[..], &coarse].concat());
    assert!(said.contains(&format!("warning: time.control.tolerance, 1 m, {part}")), "{said}");
    let said = told(&[&run[..], &["--error", "5"]].concat());
    assert!(said.contains(&format!("warning: the error that is asked for, 5 m, {part}")), "{said}");
    assert!(said.contains("write \"5 mm\" for millimetres"), "{said}");
    assert!(!told(&[&run[..], &["--error", "5 mm"]].concat()).contains("warning"));
}

#[test]
fn a_scene_without_anything() {
    let folder = Folder::new("empty");
    for (contents, part) in [("", "version"), ("version = 1\n[time]\nuntil = 1\n", "empty"), ("\u{feff}", "version")] {
        let file = folder.write("empty.toml", contents);
        let output = pliant(&["run", text(&file), "--output", text(&folder.join("out"))]);
        assert_eq!(output.status.code(), Some(2), "{contents:?}");
        assert!(stderr(&output).contains(part), "{contents:?}: {}", stderr(&output));
    }
}

#[test]
fn files_that_are_no_scenes() {
    let folder = Folder::new("files");
    let missing = pliant(&["run", "spring-nett"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("did you mean `spring-net`"), "{}", stderr(&missing));
    let file = folder.write("latin.toml", b"title = \"caf\xe9\"");
    let output = pliant(&["run", text(&file)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("UTF-8"), "{}", stderr(&output));
    let output = pliant(&["run", text(&folder.0)]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn flags_that_are_wrong() {
    for (flags, part) in [
        (&["--error", "1 kg"][..], "length"),
        (&["--error", "-1mm"], "error"),
        (&["--threads", "0"], "threads"),
        (&["--until", "-3"], "until"),
        (&["--until", "soon"], "until"),
        (&["--fps", "0"], "fps"),
        (&["--until", "1km"], "pliant: --until 1km: time.until: "),
        (&["--fps", "0"], "pliant: --fps 0: time.fps: "),
        (&["--format", "gfi"], "pliant: --format gfi: output.formats[0]: "),
        (&["--set", "time.until=1km"], "pliant: --set time.until=1km: time.until: "),
        (&["--format", "vtk"], "vtu"),
        (&["--format", "vtu,plt"], "ply"),
        (&["--format", "usda"], "usd"),
        (&["--format", "npy,npy"], "twice"),
        (&["--format", "alembic"], "vtu, ply, obj, usd, npy"),
        (&["--set", "time.control.tolerence=1"], "tolerance"),
        (&["--set", "nonsense"], "path=value"),
        (&["--set", "springs[3].mass=1"], "springs"),
        (&["--set", "springs[0].points=7"], "pliant: --set springs[0].points=7: springs[0].points: "),
        (&["--checkpoint-every", "nan"], "checkpoint-every"),
        (&["--checkpoint-every", "1e20"], "checkpoint-every"),
        (&["--set", "time.control.kind=fixed", "--set", "time.control.dt=1e-300"], "steps"),
    ] {
        let output = command().args(["run", "ball-on-spring"]).args(flags).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{flags:?}: {}", stderr(&output));
    }
}

/// A change that does not go with what the file says is the fault of the change; what the file alone says is the file's.
#[test]
fn changes_are_blamed_for_what_they_break() {
    let folder = Folder::new("blame");
    let file = folder.write("scene.toml", GOOD);
    for (changes, place) in [
        (&["time.integrator=rk4", "time.control.law=paper"][..], "--set time.control.law=paper: "),
        (&["time.integrator=symplectic-midpoint-literal"], "--set time.integrator=symplectic-midpoint-literal: "),
        (&["time.control.kind=stable"], "--set time.control.kind=stable: "),
        (&["time.control.dt_max=1e-30"], "--set time.control.dt_max=1e-30: "),
    ] {
        let set = changes.iter().flat_map(|change| ["--set", change]);
        let output = command().args(["check", text(&file)]).args(set).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{changes:?}: {}", stderr(&output));
        assert!(stderr(&output).starts_with(&format!("pliant: {place}")), "{changes:?}: {}", stderr(&output));
    }
    let output = pliant(&["check", "spring-net", "--set", "springs.0.grid.columns=9000000000000000000"]);
    assert!(
        stderr(&output).contains("columns=9000000000000000000: springs[0].grid.columns: at most"),
        "{}",
        stderr(&output)
    );
    let pendulum = "version = 1\n[time]\nuntil = 1\n[[pendulum]]\nname = \"p\"\nlength = 1\nmass = 1\nangle = 1\nangular_velocity = nan\n";
    let output = pliant(&["check", text(&folder.write("pendulum.toml", pendulum))]);
    assert!(
        stderr(&output).contains("pendulum.toml:9: pendulum[0].angular_velocity: must be finite"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn output_folders_that_cannot_be_used() {
    let folder = Folder::new("folders");
    let file = folder.write("a-file", "x");
    let output = pliant(&["run", "ball-on-spring", "--output", text(&file.join("inside"))]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("a-file"), "{}", stderr(&output));

    let out = folder.join("out");
    let run = |more: &[&str]| {
        command()
            .args(["run", "ball-on-spring", "--json", "--output", text(&out)])
            .args(more)
            .output()
            .expect("it starts")
    };
    let first = run(&[]);
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    let before = std::fs::read(out.join("probes.csv")).expect("it was written");
    let second = run(&[]);
    assert_eq!(second.status.code(), Some(2));
    assert!(stderr(&second).contains("--force"), "{}", stderr(&second));
    assert_eq!(std::fs::read(out.join("probes.csv")).expect("it is still there"), before);
    let again = run(&["--resume"]);
    assert_eq!(summary(&again)["state_hash"], summary(&first)["state_hash"]);
    let other = run(&["--resume", "--set", "springs[0].stiffness=41"]);
    assert_eq!(other.status.code(), Some(2), "another scene must not pass for this one: {}", stderr(&other));
    let forced = run(&["--force"]);
    assert_eq!(summary(&forced)["state_hash"], summary(&first)["state_hash"]);
}

/// A finished run goes on to a later end, with the bits and the files of one that went there at once.
#[test]
fn a_finished_run_is_made_longer() {
    let folder = Folder::new("longer");
    let [out, whole] = ["out", "whole"].map(|name| folder.join(name));
    let run = |out: &Path, more: &[&str]| {
        let format = if more.contains(&"--format") { &[][..] } else { &["--format", "vtu,npy"] };
        let flags = ["run", "ball-on-spring", "--json", "--output", text(out)];
        command().args(flags).args(format).args(more).output().expect("it starts")
    };
    let short = run(&out, &["--until", "0.5"]);
    assert_eq!(short.status.code(), Some(0), "{}", stderr(&short));
    let longer = run(&out, &["--until", "1 s", "--resume"]);
    assert!(stderr(&longer).contains("going on at t = 0.5 s"), "{}", stderr(&longer));
    let once = summary(&run(&whole, &["--until", "1"]));
    for key in ["state_hash", "steps", "rejected", "frames", "fingerprint"] {
        assert_eq!(summary(&longer)[key], once[key], "{key}");
    }
    for name in ["probes.csv", "positions.npy", "frames.pvd"] {
        assert!(std::fs::read(out.join(name)).ok() == std::fs::read(whole.join(name)).ok(), "{name}");
    }
    let refused = |more: &[&str], part: &str| {
        let output = run(&out, &[&["--resume"], more].concat());
        assert_eq!(output.status.code(), Some(2), "{part}: {}", stderr(&output));
        assert!(stderr(&output).contains(part) && stderr(&output).contains("--force"), "{part}: {}", stderr(&output));
        assert!(out.join("stats.json").exists(), "{part}: what is finished stays so");
    };
    refused(&["--until", "0.5"], "not shorter");
    refused(&["--until", "2", "--set", "springs[0].stiffness=41"], "other settings");
    assert!(run(&out, &["--until", "1.001", "--resume"]).status.success());
    refused(&["--until", "2"], "between two frames");
    let usd = ["--format", "vtu,usd", "--until"];
    assert!(run(&out, &[&usd[..], &["0.1", "--force"]].concat()).status.success());
    refused(&[&usd[..], &["0.2"]].concat(), "animation.frames");
}

/// A checkpoint of another scene, a truncated one, a damaged one and something else altogether.
#[test]
fn checkpoints_that_cannot_be_used() {
    let folder = Folder::new("checkpoints");
    let out = folder.join("out");
    let run = |more: &[&str]| {
        command().args(["run", "ball-on-spring", "--output", text(&out)]).args(more).output().expect("it starts")
    };
    assert!(run(&[]).status.success());
    std::fs::remove_file(out.join("stats.json")).expect("it was written");
    let path = out.join("checkpoint.bin");
    let good = std::fs::read(&path).expect("it was written");
    let refused = |contents: &[u8], more: &[&str], part: &str| {
        std::fs::write(&path, contents).expect("the folder can be written");
        let output = run(&[&["--resume"], more].concat());
        assert_eq!(output.status.code(), Some(2), "{part}: {}", stderr(&output));
        assert!(stderr(&output).contains("checkpoint.bin"), "{part}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output));
        assert_eq!(std::fs::read(&path).expect("it is still there"), contents, "the file must not be touched");
    };
    refused(&good[..good.len() / 2], &[], "cut short");
    refused(b"", &[], "");
    refused(b"# just some text that is longer than a header", &[], "not a");
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 4;
    refused(&damaged, &[], "damaged");
    refused(&good, &["--set", "springs[0].stiffness=41"], "another scene");
    std::fs::write(&path, &good).expect("the folder can be written");
    assert!(run(&["--resume"]).status.success(), "the good one still works");
}

/// A disk that fills up: probes.csv is a link to a device that takes nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_resumable() {
    let folder = Folder::new("full");
    let out = folder.join("out");
    let flags =
        ["run", "spring-net", "--until", "0.3", "--quiet", "--json", "--checkpoint-every", "0", "--output", text(&out)];
    let mut child = command().args(flags).stdout(std::process::Stdio::piped()).spawn().expect("it starts");
    while !out.join("checkpoint.bin").exists() {
        assert!(child.try_wait().expect("a child can be asked").is_none() || out.join("stats.json").exists());
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
    let _ = std::fs::remove_file(out.join("stats.json"));
    let csv = out.join("probes.csv");
    let kept = folder.join("kept.csv");
    std::fs::rename(&csv, &kept).expect("it was written");
    std::os::unix::fs::symlink("/dev/full", &csv).expect("links can be made");
    let output = command().args(flags).arg("--resume").output().expect("it starts");
    assert!(matches!(output.status.code(), Some(1 | 2)), "{}", stderr(&output));
    assert!(stderr(&output).contains("probes.csv"), "{}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    std::fs::remove_file(&csv).expect("the link is ours");
    std::fs::rename(&kept, &csv).expect("the file is ours");
    let output = command().args(flags).arg("--resume").output().expect("it starts");
    assert!(output.status.success(), "{}", stderr(&output));
    let calm =
        pliant(&["run", "spring-net", "--until", "0.3", "--quiet", "--json", "--output", text(&folder.join("calm"))]);
    assert_eq!(summary(&output)["state_hash"], summary(&calm)["state_hash"]);
}

/// A run that cannot go on says where and why, and keeps what it has.
#[test]
fn a_run_that_explodes() {
    let folder = Folder::new("explodes");
    let out = folder.join("out");
    let explode = [
        "time.integrator=explicit-euler",
        "time.control.kind=fixed",
        "time.control.dt=0.016",
        "time.until=300",
        "world.drag=0",
    ];
    let set = explode.iter().flat_map(|s| ["--set", s]);
    let output = command()
        .args(["run", "spring-net", "--format", "vtu,usd", "--output", text(&out)])
        .args(set)
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let message = stderr(&output);
    for part in ["t = ", "particle", "finite", text(&out)] {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
    for kept in ["frames.pvd", "animation.usda", "checkpoint.bin"] {
        assert!(Path::new(&out).join(kept).exists(), "{kept}");
    }
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("stats.json")).expect("it was written")).expect("it is JSON");
    assert_eq!(stats["finished"], false);
    assert_eq!((&stats["died"]["time"], &stats["died"]["steps"]), (&stats["time"], &stats["steps"]));
    let why = stats["died"]["why"].as_str().expect("a text");
    assert!(why.contains("particle") && message.contains(why), "{why}");
    let again = pliant(&["run", "spring-net", "--output", text(&out)]);
    assert!(stderr(&again).contains("holds an unfinished run; --resume"), "{}", stderr(&again));
}

#[test]
fn check_and_schema_and_scenes() {
    let folder = Folder::new("untitled");
    let untitled = pliant(&["check", text(&folder.write("my.toml", GOOD))]);
    assert!(untitled.stdout.starts_with(b"my\n"), "{}", String::from_utf8_lossy(&untitled.stdout));
    let schema = pliant(&["schema"]);
    let value: serde_json::Value = serde_json::from_slice(&schema.stdout).expect("the schema is JSON");
    assert!(value["properties"]["springs"].is_object());
    let scenes = String::from_utf8_lossy(&pliant(&["scenes"]).stdout).into_owned();
    for (name, _) in pliant::scene::builtin::SCENES {
        assert!(scenes.contains(name));
        let check = pliant(&["check", name]);
        assert_eq!(check.status.code(), Some(0), "{name}: {}", stderr(&check));
    }
    let warned = pliant(&["check", "orbiting-ball", "--set", "time.control.kind=force-error"]);
    assert!(String::from_utf8_lossy(&warned.stdout).contains("bounded only with a fixed step"));
    let warned = pliant(&["check", "orbiting-ball", "--set", "time.integrator=bdf3"]);
    assert!(String::from_utf8_lossy(&warned.stdout).contains("1.936"));
}

/// A folder with somebody else's files in it is not ours to clear.
#[test]
fn foreign_files_are_not_touched() {
    let folder = Folder::new("foreign");
    let file = folder.write("scene.toml", GOOD);
    std::fs::create_dir(folder.join("frames")).expect("the folder can be written");
    let photo = folder.join("frames/holiday.txt");
    std::fs::write(&photo, "sun").expect("the folder can be written");
    for flags in [&[][..], &["--force"], &["--resume"], &["--error=1mm"]] {
        let output =
            command().args(["run", text(&file), "--output", text(&folder.0)]).args(flags).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {}", stderr(&output));
        assert_eq!(std::fs::read_to_string(&file).expect("it is still there"), GOOD);
        assert!(photo.exists());
    }
}

/// Tight bounds under --error, and a folder that is named like a scene.
#[test]
fn odd_but_right() {
    let folder = Folder::new("odd");
    std::fs::create_dir(folder.join("ball-on-spring")).expect("the folder can be written");
    let bounds =
        ["--set", "time.control.dt_min=1e-3", "--set", "time.control.dt_max=1e-3", "--until", "0.05", "--error", "1mm"];
    let run = |flags: &[&str]| {
        command().current_dir(&folder.0).args(["run", "ball-on-spring"]).args(flags).output().expect("it starts")
    };
    let output = run(&bounds);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!stderr(&output).contains("no checkpoint"), "nobody asked for one: {}", stderr(&output));
    let longer = run(&[&bounds[..4], &["--until", "0.1", "--resume"]].concat());
    assert_eq!(longer.status.code(), Some(2), "a verified error is that of the whole run: {}", stderr(&longer));
    let why = "ball-on-spring holds a result whose error was verified to be below 1 mm until t = 0.05 s, by comparing whole runs: it cannot go \
               on to another end; the run to t = 0.1 s must be verified from its start; --force replaces it";
    assert!(stderr(&longer).contains(why), "{}", stderr(&longer));
    let again = run(&[&bounds[..4], &["--until", "0.1", "--error", "1mm", "--resume"]].concat());
    assert_eq!((again.status.code(), stderr(&again).contains(why)), (Some(2), true), "{}", stderr(&again));
    let plain = ["--output", "plain", "--until", "0.05"];
    assert_eq!(run(&plain).status.code(), Some(0));
    let verified = run(&["--output", "plain", "--until", "0.1", "--error", "1 mm", "--resume"]);
    assert!(
        stderr(&verified).contains("plain holds a finished result that was not verified to 1 mm"),
        "{}",
        stderr(&verified)
    );
}
