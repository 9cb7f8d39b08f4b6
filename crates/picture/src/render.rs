//! From a drawing to an image.

use rayon::prelude::*;

use crate::camera::Camera;
use crate::colour::to_bytes;
use crate::drawing::Drawing;
use crate::error::PictureError;
use crate::image::Image;
use crate::look::Look;
use crate::overlay;
use crate::raster::{Bins, TILE, Tile};
use crate::setup::{Setup, View};
use crate::shade::Shader;
use crate::shadow::Shadow;

/// Longest side of a picture, pixels.
pub const MAX_PIXELS: usize = 16384;

/// Radius of the softest shadow, as part of the scene's size.
const SOFTNESS: f64 = 0.035;

/// Draws a picture. The drawing must be clean ([`Drawing::clean`]).
pub fn render(
    drawing: &Drawing,
    camera: &Camera,
    look: &Look,
    [width, height]: [usize; 2],
) -> Result<Image, PictureError> {
    if !(1..=MAX_PIXELS).contains(&width) || !(1..=MAX_PIXELS).contains(&height) {
        return Err(PictureError::BadSize { width, height, most: MAX_PIXELS });
    }
    if drawing.is_empty() {
        return Err(PictureError::Empty);
    }
    let view = View::new(camera, width, height)?;
    let shadow = Shadow::new(drawing, look.light, SOFTNESS * look.size);
    let setup = Setup::new(drawing, &view, width, height);
    let bins = Bins::new(&setup, width, height);
    let shader = Shader { drawing, look, view: &view, shadow: &shadow, height: height as f64 };
    let tiles: Vec<Vec<[u8; 3]>> = (0..bins.len())
        .into_par_iter()
        .map(|number| {
            let tile = Tile::fill(number, &bins, &setup, &view);
            let [left, top] = tile.origin.map(f64::from);
            let place = |k: usize| (left + (k % TILE) as f64 + 0.5, top + (k / TILE) as f64 + 0.5);
            let inside = |(x, y): (f64, f64)| x < width as f64 && y < height as f64;
            (tile.ids.iter().enumerate())
                .map(|(k, ids)| match place(k) {
                    place if inside(place) => to_bytes(shader.pixel(place.0, place.1, ids, tile.water.get(k))),
                    _ => [0; 3],
                })
                .collect()
        })
        .collect();
    let mut image = Image::new(width, height, [0; 3]);
    image.pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (column, part) in row.chunks_mut(TILE).enumerate() {
            let tile = &tiles[y / TILE * bins.columns + column];
            let start = y % TILE * TILE;
            part.copy_from_slice(&tile[start..start + part.len()]);
        }
    });
    overlay::draw(&mut image, look);
    Ok(image)
}
