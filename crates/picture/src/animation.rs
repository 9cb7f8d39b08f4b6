//! Animated GIFs: one palette for all frames (median cut over all their colours, no dithering), and only what changed from frame to frame.

use std::borrow::Cow;

use crate::error::PictureError;
use crate::image::Image;

/// Colours of the palette; one more number stands for "as before".
const COLOURS: usize = 255;
const AS_BEFORE: u8 = 255;

/// Images that follow each other, all of one size.
#[derive(Clone, Debug, Default)]
pub struct Animation {
    frames: Vec<(Image, f64)>,
}

impl Animation {
    /// Adds an image that is shown at a time, s. Those of another size than the first are refused.
    pub fn push(&mut self, image: Image, time: f64) -> Result<(), PictureError> {
        let first = self.frames.first().map_or((image.width, image.height), |(first, _)| (first.width, first.height));
        if first != (image.width, image.height) || image.width.max(image.height) > usize::from(u16::MAX) {
            let why = format!("a frame of {} x {} pixels among others of {first:?}", image.width, image.height);
            return Err(PictureError::Format { what: "GIF", why });
        }
        self.frames.push((image, time));
        Ok(())
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Drops every second frame, for a smaller file.
    pub fn halve(&mut self) {
        let mut keep = false;
        self.frames.retain(|_| {
            keep = !keep;
            keep
        });
    }

    /// The GIF file. It loops for ever and rests for `pause` seconds on its last frame.
    pub fn to_gif(&self, pause: f64) -> Result<Vec<u8>, PictureError> {
        let wrong = |why: gif::EncodingError| PictureError::Format { what: "GIF", why: why.to_string() };
        let Some((first, _)) = self.frames.first() else { return Err(PictureError::Empty) };
        let palette = Palette::of(self.frames.iter().map(|(image, _)| image));
        let colours: Vec<u8> = palette.colours.iter().copied().chain([[0; 3]]).flatten().collect();
        let mut bytes = Vec::new();
        let mut encoder =
            gif::Encoder::new(&mut bytes, first.width as u16, first.height as u16, &colours).map_err(wrong)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(wrong)?;
        let mut shown: Option<Vec<u8>> = None;
        for (k, (image, time)) in self.frames.iter().enumerate() {
            // Hundredths of a second, counted from the start, so that roundings do not add up.
            let hundredths = |time: f64| (100.0 * time + 0.5).floor();
            let delay = match self.frames.get(k + 1) {
                Some((_, next)) => hundredths(*next) - hundredths(*time),
                None => 100.0 * pause,
            };
            let numbers: Vec<u8> = image.pixels.iter().map(|pixel| palette.number(*pixel)).collect();
            let (left, top, width, buffer) = changes(shown.as_deref(), &numbers, first.width);
            let frame = gif::Frame {
                delay: delay.clamp(2.0, 6000.0) as u16,
                dispose: gif::DisposalMethod::Keep,
                transparent: Some(AS_BEFORE),
                left: left as u16,
                top: top as u16,
                width: width as u16,
                height: (buffer.len() / width) as u16,
                buffer: Cow::Owned(buffer),
                ..gif::Frame::default()
            };
            encoder.write_frame(&frame).map_err(wrong)?;
            shown = Some(numbers);
        }
        drop(encoder);
        Ok(bytes)
    }
}

/// The smallest rectangle with all changes: its left, top and width, and its numbers.
fn changes(before: Option<&[u8]>, now: &[u8], width: usize) -> (usize, usize, usize, Vec<u8>) {
    let Some(before) = before else { return (0, 0, width, now.to_vec()) };
    let changed = |k: &usize| before[*k] != now[*k];
    let all = (0..now.len()).filter(changed);
    let bounds = all.fold(None, |bounds: Option<[usize; 4]>, k| {
        let (x, y) = (k % width, k / width);
        let [left, right, top, bottom] = bounds.unwrap_or([x, x, y, y]);
        Some([left.min(x), right.max(x), top.min(y), bottom.max(y)])
    });
    let [left, right, top, bottom] = bounds.unwrap_or([0; 4]);
    let cells = (top..=bottom).flat_map(|y| (left..=right).map(move |x| y * width + x));
    let buffer = cells.map(|k| if changed(&k) { now[k] } else { AS_BEFORE }).collect();
    (left, top, right - left + 1, buffer)
}

/// Six bits a channel: finer than the palette, coarse enough to count.
const BITS: u32 = 6;
const CELLS: usize = 1 << (3 * BITS);

fn cell(pixel: [u8; 3]) -> usize {
    pixel.iter().fold(0, |cell, channel| (cell << BITS) | usize::from(channel >> (8 - BITS)))
}

/// Colours, and the nearest one for every cell of similar colours that occurs.
struct Palette {
    colours: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

/// Similar colours: their mean, and how many pixels have them.
#[derive(Clone, Copy)]
struct Similar {
    cell: usize,
    colour: [u8; 3],
    count: u64,
}

impl Palette {
    fn of<'a>(images: impl Iterator<Item = &'a Image>) -> Self {
        let mut sums = vec![[0_u64; 4]; CELLS];
        for pixel in images.flat_map(|image| &image.pixels) {
            let sum = &mut sums[cell(*pixel)];
            (0..3).for_each(|k| sum[k] += u64::from(pixel[k]));
            sum[3] += 1;
        }
        let mut similar: Vec<Similar> = (sums.iter().enumerate())
            .filter(|(_, sum)| sum[3] > 0)
            .map(|(cell, sum)| Similar {
                cell,
                colour: [0, 1, 2].map(|k| ((sum[k] + sum[3] / 2) / sum[3]) as u8),
                count: sum[3],
            })
            .collect();
        let mut boxes: Vec<std::ops::Range<usize>> = std::iter::once(0..similar.len()).collect();
        while boxes.len() < COLOURS {
            // The box with the most pixels times the square of its longest side. Rare colours count a little too.
            let worst = (0..boxes.len())
                .map(|k| (k, longest(&similar[boxes[k].clone()])))
                .map(|(k, (channel, length))| {
                    let count: u64 = similar[boxes[k].clone()].iter().map(|s| s.count.isqrt()).sum();
                    (count * u64::from(length) * u64::from(length), k, channel)
                })
                .max_by_key(|(score, k, _)| (*score, std::cmp::Reverse(*k)));
            let Some((1.., k, channel)) = worst else { break };
            let range = boxes[k].clone();
            let part = &mut similar[range.clone()];
            part.sort_by_key(|s| (s.colour[channel], s.cell));
            let half = part.iter().map(|s| s.count.isqrt()).sum::<u64>() / 2;
            let mut sum = 0;
            let middle = part.iter().position(|s| {
                sum += s.count.isqrt();
                sum > half
            });
            let split = range.start + middle.unwrap_or(0).clamp(1, part.len() - 1);
            boxes[k] = range.start..split;
            boxes.push(split..range.end);
        }
        let mean = |part: &[Similar]| {
            let count: u64 = part.iter().map(|s| s.count).sum();
            [0, 1, 2].map(|k| {
                let sum: u64 = part.iter().map(|s| u64::from(s.colour[k]) * s.count).sum();
                ((sum + count / 2) / count.max(1)) as u8
            })
        };
        let colours: Vec<[u8; 3]> = boxes.into_iter().map(|range| mean(&similar[range])).collect();
        let mut nearest = vec![0; CELLS];
        for s in &similar {
            let distance = |colour: &[u8; 3]| -> u32 {
                (0..3).map(|k| [3, 4, 2][k] * u32::from(colour[k].abs_diff(s.colour[k])).pow(2)).sum()
            };
            nearest[s.cell] = (0_u8..).zip(&colours).min_by_key(|(_, colour)| distance(colour)).map_or(0, |(k, _)| k);
        }
        Self { colours: (0..COLOURS).map(|k| colours.get(k).copied().unwrap_or_default()).collect(), nearest }
    }

    fn number(&self, pixel: [u8; 3]) -> u8 {
        self.nearest[cell(pixel)]
    }
}

/// The channel in which colours lie farthest apart, and how far.
fn longest(similar: &[Similar]) -> (usize, u8) {
    let side = |k: usize| {
        let values = similar.iter().map(|s| s.colour[k]);
        values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
    };
    (0..3).map(|k| (k, side(k))).max_by_key(|(k, length)| (*length, std::cmp::Reverse(*k))).unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Vec<(Image, u16)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes).unwrap();
        let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
        let mut image = Image::new(width, height, [0; 3]);
        let mut all = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            let (left, top, across) = (usize::from(frame.left), usize::from(frame.top), usize::from(frame.width));
            for (k, rgba) in frame.buffer.chunks(4).enumerate().filter(|(_, rgba)| rgba[3] > 0) {
                image.pixels[(top + k / across) * width + left + k % across] = [rgba[0], rgba[1], rgba[2]];
            }
            all.push((image.clone(), frame.delay));
        }
        all
    }

    #[test]
    fn few_colours_read_back_exactly_and_times_do_not_drift() {
        let mut animation = Animation::default();
        let mut images = Vec::new();
        for k in 0..7 {
            let mut image = Image::new(9, 6, [240, 244, 248]);
            image.pixels[k * 5] = [200, 40, 8 * k as u8];
            animation.push(image.clone(), k as f64 / 30.0).unwrap();
            images.push(image);
        }
        let read = decode(&animation.to_gif(0.5).unwrap());
        assert_eq!(read.iter().map(|(image, _)| image.clone()).collect::<Vec<_>>(), images);
        assert_eq!(read.iter().map(|(_, delay)| u32::from(*delay)).sum::<u32>(), 20 + 50);
        animation.halve();
        assert_eq!(animation.len(), 4);
        assert!(animation.push(Image::new(3, 3, [0; 3]), 1.0).is_err());
        assert!(Animation::default().to_gif(0.0).is_err());
    }

    #[test]
    fn many_colours_stay_close() {
        let mut image = Image::new(64, 64, [0; 3]);
        for (k, pixel) in image.pixels.iter_mut().enumerate() {
            *pixel = [(k % 64 * 4) as u8, (k / 64 * 4) as u8, 128];
        }
        let mut animation = Animation::default();
        animation.push(image.clone(), 0.0).unwrap();
        let read = decode(&animation.to_gif(1.0).unwrap());
        assert!(
            image.difference(&read[0].0).is_none_or(|unlike| unlike.most <= 20),
            "{:?}",
            image.difference(&read[0].0)
        );
    }
}
