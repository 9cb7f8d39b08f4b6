//! Golden pictures: small committed results, drawn and compared pixel by pixel. After a change that is meant to be seen:
//! `PLIANT_BLESS=1 cargo test -p pliant-picture`, then look at what changed.

use std::path::{Path, PathBuf};

use pliant_core::State;
use pliant_picture::{Image, SceneRenderer, Styling};
use pliant_record::{read_pvd, read_vtu};

const SIZE: [usize; 2] = [240, 150];
const NAMES: [&str; 5] = ["net", "chain", "nonlinear-spring", "pendulum", "cloth-and-solids"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/pictures")
}

/// A renderer that has seen the whole result, and its last state.
fn result(name: &str) -> (SceneRenderer, State) {
    let folder = folder().join(name);
    let frames: Vec<_> = read_pvd(&folder.join("frames.pvd"))
        .expect("the list is committed")
        .iter()
        .map(|listed| read_vtu(&listed.path).expect("the frames are committed"))
        .collect();
    assert_eq!(frames.len(), 3);
    let scene = pliant_scene::load(folder.join("scene.toml").to_str().expect("a plain path"), &[]).expect("a scene");
    let built = scene.build().expect("it was run");
    let (solids, missing) = pliant_scene::solids(&scene);
    assert!(missing.is_empty(), "{missing:?}");
    let bodies = built.simulation.system.bodies();
    let mut renderer = SceneRenderer::new(bodies, &frames[0].free, Styling::default()).with_solids(solids);
    frames.iter().for_each(|frame| renderer.observe(&frame.state));
    let last = frames.into_iter().next_back().expect("there are three").state;
    (renderer, last)
}

fn picture(name: &str) -> Image {
    let (mut renderer, state) = result(name);
    renderer.picture(&state, SIZE).expect("there is something to draw")
}

#[test]
fn pictures_are_those_that_were_blessed() {
    for name in NAMES {
        let (image, path) = (picture(name), folder().join(format!("{name}.png")));
        if std::env::var_os("PLIANT_BLESS").is_some_and(|value| value == "1") {
            std::fs::write(&path, image.to_small_png().expect("it can be encoded")).expect("the folder can be written");
            continue;
        }
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let golden = Image::from_png(&bytes).expect("a PNG");
        assert_eq!(image.difference(&golden), None, "{name} is no longer drawn as it was");

        // The comparison sees what an eye would see.
        let mut block = image.clone();
        for k in 0..64 {
            block.pixels[(60 + k / 8) * SIZE[0] + 100 + k % 8] = [255, 0, 0];
        }
        assert!(block.difference(&golden).is_some_and(|unlike| unlike.count > 32));
    }
}

#[test]
fn threads_do_not_matter() {
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        pool.install(|| picture("net"))
    };
    let one = draw(1);
    assert!([2, 3].into_iter().all(|threads| draw(threads) == one));
}

/// The same pixels from a picture that shows something: a surface, its shadow and letters.
#[test]
fn something_is_seen() {
    for name in NAMES {
        let image = picture(name);
        let dark = image.pixels.iter().filter(|p| p.iter().map(|c| u32::from(*c)).sum::<u32>() < 450).count();
        assert!(dark > 150, "{name} shows {dark} dark pixels");
    }
}
