//! `pliant render` and `run --format png,gif`: what works, and what is refused.

use crate::common;

use common::*;

const SMALL: &str = "version = 1\n[time]\nuntil = 0.2\nfps = 20\n[[springs]]\nname = \"net\"\n\
    grid = { columns = 4, rows = 4, width = 1, height = 1 }\nmass = 1\nstiffness = 100\npins = [{ corners = [\"top-left\"] }]\n";

fn is_png(path: &std::path::Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG\r\n"))
}

#[test]
fn a_run_leaves_pictures_and_an_animation() {
    let folder = Folder::new("run-pictures");
    let (scene, out) = (folder.write("net.toml", SMALL), folder.join("out"));
    let output = pliant(&["run", text(&scene), "-o", text(&out), "--format", "png,gif"]);
    let files = "frames.pvd (for ParaView), png/, animation.gif, stats.json, scene.toml, checkpoint.bin\n";
    assert!(stderr(&output).ends_with(files), "{}", stderr(&output));
    assert!(output.status.success(), "{}", stderr(&output));
    assert!((0..5).all(|k| is_png(&out.join(format!("png/frame_{k:05}.png")))));
    assert!(std::fs::read(out.join("animation.gif")).unwrap().starts_with(b"GIF89a"));

    // A result that has lost a frame, its scene and its end is still drawn, and what is missing is said.
    let still = folder.join("still.png");
    std::fs::remove_file(out.join("frames/frame_00002.vtu")).unwrap();
    std::fs::remove_file(out.join("scene.toml")).unwrap();
    std::fs::remove_file(out.join("stats.json")).unwrap();
    let output = pliant(&["render", text(&out), "-o", text(&still), "--size", "160x100"]);
    assert!(output.status.success() && is_png(&still), "{}", stderr(&output));
    for part in ["1 of 5 frames are missing", "frame_00002.vtu", "scene.toml", "has not come to its end"] {
        assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output));
    }
    std::fs::write(out.join("frames/frame_00003.vtu"), "rubbish").unwrap();
    let output = pliant(&["render", text(&out), "-o", text(&still), "--size", "160x100", "--force"]);
    assert!(output.status.success() && stderr(&output).contains("frame_00003.vtu"), "{}", stderr(&output));
    for k in 0..5 {
        let _ = std::fs::remove_file(out.join(format!("frames/frame_{k:05}.vtu")));
    }
    let output = pliant(&["render", text(&out), "-o", text(&still), "--force"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no frame to draw"), "{}", stderr(&output));
}

/// A still of a result is what was computed last, whatever moment its scene finds most telling; that of a scene is that moment.
#[test]
fn a_result_is_drawn_as_it_ended() {
    let folder = Folder::new("render-end");
    let scene = folder.write("net.toml", format!("{SMALL}[view]\nstill = 0.05\n"));
    let out = folder.join("out");
    assert!(pliant(&["run", text(&scene), "-o", text(&out)]).status.success());
    let drawn = |source: &std::path::Path, name: &str, more: &[&str]| {
        let file = folder.join(name);
        let output =
            command().args(["render", text(source), "-o", text(&file), "--size", "160x100"]).args(more).output();
        assert!(output.expect("it starts").status.success());
        std::fs::read(file).expect("it was drawn")
    };
    let end = drawn(&out, "end.png", &[]);
    assert!(end == drawn(&out, "last.png", &["--time", "0.2"]), "the last frame");
    assert!(end != drawn(&out, "early.png", &["--time", "0.05"]));
    let still = drawn(&scene, "still.png", &[]);
    assert!(still == drawn(&scene, "same.png", &["--time", "0.05"]));
    assert!(still != drawn(&scene, "other.png", &["--time", "0.2"]));
    let help = pliant(&["render", "--help"]);
    let help = String::from_utf8_lossy(&help.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("of a result its end; of a scene what its view.still says, or 40 % of the run"), "{help}");
}

#[test]
fn a_scene_is_drawn_without_a_folder() {
    let folder = Folder::new("render-scene");
    let (scene, png, gif) = (folder.write("net.toml", SMALL), folder.join("net.png"), folder.join("net.gif"));
    for (file, colour) in [(&png, "height"), (&gif, "none")] {
        let output = pliant(&[
            "render",
            text(&scene),
            "-o",
            text(file),
            "--size",
            "120x90",
            "--color",
            colour,
            "--time",
            "100 ms",
        ]);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    assert!(is_png(&png) && gif.exists());
    let output = pliant(&["render", text(&scene), "-o", text(&png)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--force"), "{}", stderr(&output));
}

#[test]
fn bad_wishes_are_refused() {
    let folder = Folder::new("render-bad");
    let (scene, png) = (folder.write("net.toml", SMALL), folder.join("net.png"));
    let (scene, png) = (text(&scene), text(&png));
    let cases: &[(&[&str], &str)] = &[
        (&["--size", "12"], "1280x720"),
        (&["--size", "0x0"], "16 to 8192"),
        (&["--time", "-1"], "--time"),
        (&["--time", "1 kg"], "--time"),
        (&["--set", "view.fov=\"200 deg\""], "view.fov"),
        (&["--set", "view.colour=\"speed\""], "color"),
        (&["--set", "view.show=[]"], "view.show"),
        (&["--set", "view.camera=[0,0,0]", "--set", "view.target=[0,0,0]"], "view.camera"),
    ];
    for (arguments, part) in cases {
        let mut all = vec!["render", scene, "-o", png];
        all.extend(*arguments);
        let output = pliant(&all);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
    }
    let output = pliant(&["render", scene, "-o", "picture.bmp"]);
    assert!(stderr(&output).contains(".png or .gif"));
}

/// Who wants to look at a result is told which command shows it.
#[test]
fn a_result_is_not_viewed_but_rendered() {
    let folder = Folder::new("view-result");
    let out = folder.join("out");
    let run = pliant(&["run", "pendulum", "--until", "0.02", "--quiet", "--format", "none", "-o", text(&out)]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let viewed = pliant(&["view", "--no-open", text(&out)]);
    assert_eq!(viewed.status.code(), Some(2));
    let said = stderr(&viewed);
    assert!(said.contains("is a result: `pliant render ") && said.contains("scene.toml` computes it again"), "{said}");
}
