//! Names and files that are no scenes and no meshes: a proper answer at once.
#![cfg(unix)]

use crate::common;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, command, stderr, text};

const ROPE: &str = "version = 1\n[time]\nuntil = 1\n[[rope]]\nname = \"r\"\nradius = \"5 mm\"\npreset = \"nylon-rope\"\nfile = \"FILE\"\n";
const CLOTH: &str =
    "version = 1\n[time]\nuntil = 1\n[[cloth]]\nname = \"c\"\npreset = \"silk\"\nmesh = { file = \"FILE\" }\n";

/// Waits for the end, for some time.
fn ended(command: &mut Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let deadline = Instant::now() + Duration::from_secs(30);
    while child.try_wait().expect("a child can be asked").is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            panic!("it waits for ever");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it ended")
}

fn refused(command: &mut Command, part: &str) {
    let output = ended(command);
    assert_eq!(output.status.code(), Some(2), "{part}: {}", stderr(&output));
    assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output));
}

#[test]
fn pipes_are_not_read() {
    let folder = Folder::new("pipes");
    for name in ["pipe.toml", "pipe.obj", "pipe.ply", "pipe.csv", "pipe.msh", "pipe.vtu"] {
        let made = Command::new("mkfifo").arg(folder.join(name)).status().expect("mkfifo(1) is there");
        assert!(made.success());
    }
    for verb in ["run", "check"] {
        refused(
            command().args([verb, text(&folder.join("pipe.toml"))]),
            "pipe.toml: is not an ordinary file but a pipe",
        );
    }
    let out = folder.join("out.obj");
    for name in ["pipe.obj", "pipe.ply", "pipe.vtu"] {
        refused(command().args(["convert", text(&folder.join(name)), text(&out)]), "it is not an ordinary file");
    }
    for (scene, file) in [(ROPE, "pipe.csv"), (ROPE, "pipe.obj"), (CLOTH, "pipe.ply")] {
        let scene = folder.write("scene.toml", scene.replace("FILE", file));
        for verb in ["check", "run"] {
            refused(command().current_dir(&folder.0).args([verb, text(&scene)]), file);
        }
    }
}

#[test]
fn names_and_texts_that_are_none() {
    let folder = Folder::new("names-that-are-none");
    let scene = pliant::scene::builtin::find("ball-on-spring").expect("it is there");
    for name in ["..toml", "...toml"] {
        folder.write(name, scene);
        refused(command().current_dir(&folder.0).args(["run", name]), "a scene needs a name before its ending");
        assert!(!folder.join("out").exists() && !folder.join("stats.json").exists(), "{name}");
    }
    let odd = folder.0.join(OsStr::from_bytes(b"s\xffne.toml"));
    std::fs::write(&odd, scene).expect("the folder can be written");
    for verb in ["run", "check", "sweep", "view"] {
        refused(command().arg(verb).arg(&odd), "the name is not UTF-8 text: rename the file");
    }
    folder.write("latin.toml", b"version = 1\ntitle = \"caf\xe9\"\n");
    refused(command().current_dir(&folder.0).args(["check", "latin.toml"]), "latin.toml: not UTF-8 text (byte 24)");
    folder.write("latin.csv", b"x,y,z\n0,0,0\n# caf\xe9\n1,0,0\n");
    let rope = folder.write("rope.toml", ROPE.replace("FILE", "latin.csv"));
    refused(command().args(["check", text(&rope)]), "latin.csv: not UTF-8 text (byte 17)");
    folder.write("nan.csv", "0,0,0\n1,nan,0\n");
    let rope = folder.write("rope.toml", ROPE.replace("FILE", "nan.csv"));
    refused(command().args(["check", text(&rope)]), "nan.csv: line 2: expected three finite numbers");
}
