//! `pliant render` and `pliant gallery`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use pliant::picture::{Colouring, Image, Styling};
use pliant::pictures::{ANIMATION_SECONDS, Film, MOVING, STILL, styling};
use pliant::record::write_atomic;
use pliant::runner::RunFailure;
use pliant::scene::builtin::SCENES;
use pliant::scene::load::from_text;
use pliant::scene::units::{dimension, parse_quantity};
use pliant::scene::{LoadedScene, SceneError, load};
use pliant::shown::seconds;

use crate::Outcome;
use crate::progress::{Counter, Progress};
use crate::words::{Changes, scene_name};

/// Part of the run after which a scene is drawn: at the end most scenes are at rest, and the picture shows little of the motion.
const TELLING: f64 = 0.4;
/// Scenes that look best in motion.
const BEST: [&str; 4] = ["cloth-on-sphere", "spring-net", "spring-chain", "orbiting-ball"];

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    Speed,
    Height,
    Damage,
    Activity,
    None,
}

#[derive(Args)]
pub struct RenderArgs {
    /// A scene file, the name of a built-in scene, or the folder of a result
    #[arg(value_parser = scene_name())]
    source: String,
    /// The picture: FILE.png, or FILE.gif for an animation
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A still: its moment [default: of a result its end; of a scene what its view.still says, or 40 % of the run]; an animation: its end
    /// [default: 8 s at most]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    time: Option<String>,
    /// Pixels, such as 1280x720
    #[arg(long, value_name = "WxH")]
    size: Option<String>,
    /// What colours mean [default: as the scene says]
    #[arg(long, value_enum)]
    color: Option<Color>,
    /// Change the scene: view.background=dark
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Replace an earlier picture
    #[arg(long)]
    force: bool,
    /// No progress, no messages
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Args)]
pub struct GalleryArgs {
    /// Folder of the pictures
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Pixels of stills, such as 960x600
    #[arg(long, value_name = "WxH")]
    size: Option<String>,
    /// Only these scenes, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    only: Vec<String>,
}

fn failed(failure: RunFailure) -> (String, u8) {
    Changes::default().failed(&failure)
}

fn pixels(text: Option<&str>, default: [usize; 2]) -> Result<[usize; 2], (String, u8)> {
    let Some(text) = text else { return Ok(default) };
    let sides = text.split_once(['x', 'X']).and_then(|(w, h)| Some([w.trim().parse().ok()?, h.trim().parse().ok()?]));
    let allowed = |sides: &[usize; 2]| sides.iter().all(|side| (16..=8192).contains(side));
    sides.filter(allowed).ok_or_else(|| (format!("--size: must be like 1280x720, each 16 to 8192, got {text}"), 2))
}

pub fn render(args: &RenderArgs) -> Outcome {
    let is_gif = match args.output.extension().and_then(|ending| ending.to_str()) {
        Some("png") => false,
        Some("gif") => true,
        _ => return Err((format!("-o {}: the name must end in .png or .gif", args.output.display()), 2)),
    };
    if args.output.exists() && !args.force {
        return Err((format!("{} is there already; --force replaces it", args.output.display()), 2));
    }
    let size = pixels(args.size.as_deref(), if is_gif { MOVING } else { STILL })?;
    let time = match &args.time {
        None => None,
        Some(text) => {
            let time = parse_quantity::<dimension::Time>(text).map_err(|why| (format!("--time: {why}"), 2))?.si();
            if !(time.is_finite() && time >= 0.0) {
                return Err((format!("--time: must be zero or more seconds, got {time}"), 2));
            }
            Some(time)
        }
    };
    let adjust = |wishes: &mut Styling| {
        wishes.colour = match args.color {
            None => wishes.colour,
            Some(Color::None) => Some(Colouring::Plain),
            Some(Color::Speed) => Some(Colouring::Speed),
            Some(Color::Height) => Some(Colouring::Height),
            Some(Color::Damage) => Some(Colouring::Damage),
            Some(Color::Activity) => Some(Colouring::Activity),
        };
    };
    let folder = Path::new(&args.source);
    let mut film = if folder.is_dir() {
        if !args.set.is_empty() {
            return Err(("--set changes a scene; this is the result of one".into(), 2));
        }
        Film::of_result(folder, adjust).map_err(failed)?
    } else {
        let read = |changes: &[String]| load(&args.source, changes);
        film_of_scene(read, Changes::set(&args.set), time, is_gif, args.quiet, adjust)?
    };
    let begun = Instant::now();
    draw(&mut film, &args.output, is_gif, time, size, args.quiet)?;
    if !args.quiet {
        film.notes.iter().for_each(|note| tell!("{note}"));
        tell!("{} written, drawn in {:.3} s", args.output.display(), begun.elapsed().as_secs_f64());
    }
    Ok(())
}

fn film_of_scene(
    read: impl Fn(&[String]) -> Result<LoadedScene, SceneError>,
    mut changes: Changes,
    time: Option<f64>,
    is_gif: bool,
    quiet: bool,
    adjust: impl Fn(&mut Styling),
) -> Result<Film, (String, u8)> {
    let scene = read(&changes.assignments).map_err(|error| changes.bad(&error))?;
    let still = scene.scene.view.still.map(|time| time.si());
    let until = scene.scene.time.until.si();
    let end = match (time, is_gif) {
        (Some(time), _) => time.max(1e-6),
        (None, true) => until.min(ANIMATION_SECONDS),
        (None, false) => still.unwrap_or(TELLING * until).clamp(1e-6, until),
    };
    changes.flag("--time", &seconds(end), format!("time.until={end:?}"));
    let scene = read(&changes.assignments).map_err(|error| changes.bad(&error))?;
    let mut wishes = styling(&scene.scene.view);
    adjust(&mut wishes);
    let mut progress = Progress::new(&scene, quiet, false);
    let film = Film::of_scene(&scene, wishes, is_gif, &mut progress);
    progress.clear();
    film.map_err(|failure| changes.failed(&failure))
}

fn draw(film: &mut Film, path: &Path, is_gif: bool, time: Option<f64>, size: [usize; 2], quiet: bool) -> Outcome {
    let bytes = if is_gif {
        let mut counter = Counter::new("drawing", quiet);
        let bytes = film.animation(time, size, |done, total| {
            counter.at(done, total);
            Ok(())
        });
        counter.clear();
        bytes.map_err(failed)?
    } else {
        let last = film.times().len() == 1;
        png(&film.still(time.filter(|_| !last), size).map_err(failed)?)?
    };
    write(path, &bytes)
}

fn png(image: &Image) -> Result<Vec<u8>, (String, u8)> {
    image.to_png().map_err(|error| (error.to_string(), 1))
}

fn write(path: &Path, bytes: &[u8]) -> Outcome {
    write_atomic(path, |out| out.write_all(bytes)).map_err(|error| (error.to_string(), 2))
}

/// A still of a built-in scene, as a small PNG.
pub fn still_of(name: &str, text: &str, size: [usize; 2]) -> Result<Vec<u8>, (String, u8)> {
    let mut film =
        film_of_scene(|changes| from_text(name, name, text, changes), Changes::default(), None, false, true, |_| {})?;
    let image = film.still(None, size).map_err(failed)?;
    image.to_small_png().map_err(|error| (error.to_string(), 1))
}

/// A still of every built-in scene, and animations of the best.
pub fn gallery(args: &GalleryArgs) -> Outcome {
    let size = pixels(args.size.as_deref(), [960, 600])?;
    let folder = &args.output;
    std::fs::create_dir_all(folder).map_err(|error| (format!("cannot create {}: {error}", folder.display()), 2))?;
    let is_scene = |name: &&String| SCENES.iter().any(|(scene, _)| scene == *name);
    if let Some(unknown) = args.only.iter().find(|name| !is_scene(name)) {
        return Err((format!("there is no built-in scene \"{unknown}\"; `pliant scenes` lists them"), 2));
    }
    let is_wanted = |name: &str| args.only.is_empty() || args.only.iter().any(|wanted| wanted == name);
    for (name, text) in SCENES.iter().filter(|(name, _)| is_wanted(name)) {
        let begun = Instant::now();
        let moving: &[bool] = if BEST.contains(name) { &[false, true] } else { &[false] };
        for is_gif in moving {
            let path = folder.join(format!("{name}.{}", if *is_gif { "gif" } else { "png" }));
            if *is_gif {
                let mut film = film_of_scene(
                    |changes| from_text(name, name, text, changes),
                    Changes::default(),
                    None,
                    true,
                    false,
                    |_| {},
                )?;
                draw(&mut film, &path, true, None, [480, 300], false)?;
            } else {
                write(&path, &still_of(name, text, size)?)?;
            }
        }
        tell!("{name}: {:.1} s", begun.elapsed().as_secs_f64());
    }
    Ok(())
}
