//! The pictures that a run was asked for: drawn from its VTU frames after its end, because only then the camera can be placed.

use std::sync::atomic::Ordering;

use pliant_picture::PictureError;
use pliant_record::{Format, Pictures, RecordError, Written, write_hashed};
use pliant_scene::LoadedScene;

use crate::folder::asked;
use crate::integrity;
use crate::lock::FolderLock;
use crate::pictures::{Film, MOVING, STILL};
use crate::refusal::{Refusal, Remedy};
use crate::runner::{Observer, RunFailure, RunOptions};

/// Draws the pictures among the formats of a scene with its finished result in the folder.
pub(crate) fn draw(
    scene: &LoadedScene,
    options: &RunOptions,
    lock: &mut FolderLock,
    observer: &mut dyn Observer,
) -> Result<(), RunFailure> {
    let wanted: Vec<_> = asked(scene).into_iter().filter_map(|format| Some((format, format.pictures()?))).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    lock.take()?;
    let mut drawn = Vec::new();
    let mut film = Film::of_result(&options.folder, |_| {})?;
    // stills show shadows that an animation leaves out: they come first, whatever the order of the formats
    for kind in [Pictures::Stills, Pictures::Animation] {
        for (format, _) in wanted.iter().filter(|(_, pictures)| *pictures == kind) {
            match kind {
                Pictures::Stills => stills(&mut film, format, options, &mut drawn, observer)?,
                Pictures::Animation => animation(&mut film, format, options, &mut drawn, observer)?,
            }
        }
    }
    integrity::add_pictures(&options.folder, drawn).map_err(unwritable)?;
    film.notes.iter().for_each(|note| observer.message(note));
    Ok(())
}

fn stills(
    film: &mut Film,
    format: &Format,
    options: &RunOptions,
    drawn: &mut Vec<Written>,
    observer: &mut dyn Observer,
) -> Result<(), RunFailure> {
    let encoding = |error: PictureError| RunFailure::Failed(error.to_string());
    for name in format.folders {
        let folder = options.folder.join(name);
        std::fs::create_dir_all(&folder).map_err(|error| unwritable(RecordError::io("create", &folder)(error)))?;
        let total = film.times().len();
        for k in 0..total {
            go_on(options)?;
            let bytes = film.picture(k, STILL)?.to_png().map_err(encoding)?;
            drawn.push(write(options, format!("{name}/frame_{k:05}.png"), &bytes)?);
            observer.drawing("drawing png", k + 1, total);
        }
    }
    Ok(())
}

fn animation(
    film: &mut Film,
    format: &Format,
    options: &RunOptions,
    drawn: &mut Vec<Written>,
    observer: &mut dyn Observer,
) -> Result<(), RunFailure> {
    for name in format.files {
        let bytes = film.animation(None, MOVING, |done, total| {
            observer.drawing("drawing", done, total);
            go_on(options)
        })?;
        drawn.push(write(options, (*name).to_owned(), &bytes)?);
    }
    Ok(())
}

/// Whether it was stopped from outside. The result is complete but for its pictures, which resuming draws.
fn go_on(options: &RunOptions) -> Result<(), RunFailure> {
    if !options.stop.load(Ordering::Relaxed) {
        return Ok(());
    }
    let what = format!("interrupted while drawing; the run is finished, its result is in {}", options.folder.display());
    Err(RunFailure::Interrupted(Refusal::new(what, &[Remedy::Resume])))
}

fn write(options: &RunOptions, name: String, bytes: &[u8]) -> Result<Written, RunFailure> {
    let sum = write_hashed(&options.folder.join(&name), false, |out| out.write_all(bytes));
    sum.map(|sum| sum.named(name)).map_err(unwritable)
}

fn unwritable(error: RecordError) -> RunFailure {
    RunFailure::input(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::runner::run;
    use pliant_scene::from_text;

    const PAIR: &str = "version = 1
[time]
until = 0.2
fps = 10
[[springs]]
name = \"pair\"
points = [[0, 0, 0], [0, -1, 0]]
edges = [[0, 1]]
mass = 1
stiffness = 40
pins = [{ particles = [0] }]
[output]
formats = [\"gif\", \"png\"]
";

    /// Counts pictures, and stops after a given number.
    struct Counting {
        drawn: usize,
        most: usize,
        stop: Arc<AtomicBool>,
    }

    impl Observer for Counting {
        fn drawing(&mut self, _: &str, done: usize, total: usize) {
            assert!(done <= total);
            self.drawn += 1;
            self.stop.store(self.drawn == self.most, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_run_draws_the_pictures_it_is_asked_for_and_resuming_draws_those_that_are_missing() {
        let folder = std::env::temp_dir().join(format!("pliant-drawing-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let scene = from_text("pair", "pair", PAIR, &[]).unwrap();
        let mut options = RunOptions::new(&folder);
        let mut observer = Counting { drawn: 0, most: 2, stop: options.stop.clone() };
        let stopped = run(&scene, &options, &mut observer);
        assert!(matches!(stopped, Err(RunFailure::Interrupted(_))), "{stopped:?}");
        assert!(folder.join("png/frame_00001.png").exists() && !folder.join("png/frame_00002.png").exists());
        options.stop.store(false, Ordering::Relaxed);
        options.resume = true;
        (observer.drawn, observer.most) = (0, usize::MAX);
        run(&scene, &options, &mut observer).unwrap();
        // three frames, each as a still and in the animation
        assert_eq!(observer.drawn, 6);
        let begins = |name: &str, with: &[u8]| std::fs::read(folder.join(name)).unwrap().starts_with(with);
        assert!((0..3).all(|k| begins(&format!("png/frame_{k:05}.png"), b"\x89PNG")));
        assert!(begins("animation.gif", b"GIF89a"));
        let listed = crate::folder::listed(&folder);
        assert!(["png/", "animation.gif", "frames.pvd (for ParaView)"].iter().all(|name| listed.contains(name)));
        // a new run removes them
        let scene = scene.with(&["output.formats=[]".into()]).unwrap();
        run(&scene, &RunOptions { force: true, ..RunOptions::new(&folder) }, &mut observer).unwrap();
        assert!(!folder.join("animation.gif").exists() && !folder.join("png").exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
