//! Pictures of what broke, side by side, inside of one SVG file: reports hold nothing but text.

use std::fmt::Write as _;

use pliant::picture::{Colouring, SceneRenderer, Show, Styling};
use pliant::prelude::DVec3;

use super::run::{Cast, Run, Shot};
use pliant_plot::plot::escape;
use pliant_plot::report::Figure;
use pliant_plot::text::data;

/// Pixels of one picture.
const SIZE: [usize; 2] = [420, 320];
/// Position and target of the camera, m: the upper face, and past it the ball.
const EYE: DVec3 = DVec3::new(0.05, 0.1, 0.095);
const TARGET: DVec3 = DVec3::new(0.0, -0.003, 0.0);
const GAP: usize = 10;
const HEAD: usize = 44;
const CAPTION: usize = 22;

/// A requested picture: of which of a run's shots, by damage or plain.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Number of the shot.
    pub shot: usize,
    /// Coloured by damage.
    pub damage: bool,
    /// Its caption.
    pub words: &'static str,
}

/// A picture as a PNG file.
fn picture(cast: &Cast, shot: &Shot, damage: bool) -> Result<Vec<u8>, String> {
    let styling = Styling {
        colour: Some(if damage { Colouring::Damage } else { Colouring::Plain }),
        show: Show { ground: Some(false), ..Show::default() },
        eye: Some(EYE),
        target: Some(TARGET),
        flat: true,
        ..Styling::default()
    };
    let free = vec![true; shot.state.len()];
    let mut renderer = SceneRenderer::new(&cast.bodies, &free, styling).with_solids(cast.solids.clone());
    renderer.observe(&shot.state);
    let image = renderer.picture_with(&shot.state, &shot.fields, SIZE).map_err(|error| error.to_string())?;
    image.to_small_png().map_err(|error| error.to_string())
}

/// One row of pictures for each run; what cannot be drawn says why.
pub fn side_by_side(file: &str, caption: &str, title: &str, runs: &[&Run], wanted: &[Wanted]) -> Figure {
    let (across, down) = (SIZE[0] + GAP, SIZE[1] + CAPTION + GAP);
    let (width, height) = (GAP + wanted.len() * across, HEAD + runs.len() * down);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif\" font-size=\"13\" fill=\"#111827\">\n\
         <title>{title}</title>\n<rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"#FFFFFF\" stroke=\"#E3E7EC\"/>\n\
         <text x=\"20\" y=\"30\" font-size=\"15.5\" font-weight=\"600\">{title}</text>\n",
        width - 1,
        height - 1,
        title = escape(title),
    );
    for (row, run) in runs.iter().enumerate() {
        for (column, want) in wanted.iter().enumerate() {
            let (x, y) = (GAP + column * across, HEAD + row * down);
            let drawn = match (&run.cast, run.shots.get(want.shot)) {
                (Some(cast), Some(shot)) => picture(cast, shot, want.damage).map(|png| (png, shot.state.time)),
                _ => Err("the run did not come so far".into()),
            };
            let words = match drawn {
                Ok((png, time)) => {
                    let _ = writeln!(
                        svg,
                        "<image x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" href=\"{}\"/>",
                        SIZE[0],
                        SIZE[1],
                        data("image/png", &png)
                    );
                    format!("{}: {} at {:.0} µs", run.method.name(), want.words, 1e6 * time)
                }
                Err(why) => format!("{}: {why}", run.method.name()),
            };
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">{}</text>", x + 4, y + SIZE[1] + 15, escape(&words));
        }
    }
    Figure { file: file.into(), caption: caption.into(), svg: svg + "</svg>\n", csv: None }
}
