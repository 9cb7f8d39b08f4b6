//! Pixels, and PNG files of them.

use crate::error::PictureError;

/// Rows of red, green, blue, 8 bits each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// From the top left, row by row.
    pub pixels: Vec<[u8; 3]>,
}

/// Where two images differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// Pixels that differ.
    pub count: usize,
    /// Column and row of the first of them.
    pub first: [usize; 2],
    /// Largest difference of a channel.
    pub most: u8,
}

impl Image {
    /// An image of one colour.
    pub fn new(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Self { width, height, pixels: vec![colour; width * height] }
    }

    /// A PNG file, made quickly.
    pub fn to_png(&self) -> Result<Vec<u8>, PictureError> {
        self.compressed(png::Compression::Fast)
    }

    /// A smaller PNG file of the same pixels, for web pages.
    pub fn to_small_png(&self) -> Result<Vec<u8>, PictureError> {
        self.compressed(png::Compression::High)
    }

    fn compressed(&self, compression: png::Compression) -> Result<Vec<u8>, PictureError> {
        let wrong = |why: png::EncodingError| PictureError::Format { what: "PNG", why: why.to_string() };
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(compression);
        let mut writer = encoder.write_header().map_err(wrong)?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(wrong)?;
        writer.finish().map_err(wrong)?;
        Ok(bytes)
    }

    /// Reads a PNG file of 8-bit red, green, blue.
    pub fn from_png(bytes: &[u8]) -> Result<Self, PictureError> {
        let wrong = |why: String| PictureError::Format { what: "PNG", why };
        let mut reader =
            png::Decoder::new(std::io::Cursor::new(bytes)).read_info().map_err(|why| wrong(why.to_string()))?;
        let size = reader.output_buffer_size().ok_or_else(|| wrong("too large".into()))?;
        let mut data = vec![0; size];
        let info = reader.next_frame(&mut data).map_err(|why| wrong(why.to_string()))?;
        if (info.color_type, info.bit_depth) != (png::ColorType::Rgb, png::BitDepth::Eight) {
            return Err(wrong(format!("{:?} of {:?} bits, not 8-bit RGB", info.color_type, info.bit_depth)));
        }
        let pixels = data[..info.buffer_size()].chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
        Ok(Self { width: info.width as usize, height: info.height as usize, pixels })
    }

    /// How this image differs from another; `None` if it does not. Different sizes differ in every pixel.
    pub fn difference(&self, other: &Self) -> Option<Unlike> {
        if (self.width, self.height) != (other.width, other.height) {
            return Some(Unlike { count: self.pixels.len().max(other.pixels.len()), first: [0, 0], most: 255 });
        }
        let pairs = || self.pixels.iter().zip(&other.pixels);
        let first = pairs().position(|(a, b)| a != b)?;
        let count = pairs().filter(|(a, b)| a != b).count();
        let most = pairs().flat_map(|(a, b)| (0..3).map(move |k| a[k].abs_diff(b[k]))).max().unwrap_or(0);
        Some(Unlike { count, first: [first % self.width, first / self.width], most })
    }

    /// Lays a colour over a pixel; outside the image nothing happens.
    pub(crate) fn blend(&mut self, x: i64, y: i64, colour: [u8; 3], cover: f64) {
        if x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 {
            return;
        }
        let pixel = &mut self.pixels[y as usize * self.width + x as usize];
        for (old, new) in pixel.iter_mut().zip(colour) {
            let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * cover.clamp(0.0, 1.0);
            *old = (mixed + 0.5) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_reads_back() {
        let mut image = Image::new(7, 5, [1, 2, 3]);
        image.pixels[11] = [200, 100, 0];
        assert_eq!(Image::from_png(&image.to_png().unwrap()).unwrap(), image);
        assert_eq!(Image::from_png(&image.to_small_png().unwrap()).unwrap(), image);
        assert!(Image::from_png(b"no picture").is_err());
        let whole = image.to_png().unwrap();
        assert!(Image::from_png(&whole[..whole.len() / 2]).is_err());
    }

    #[test]
    fn differences_are_found() {
        let image = Image::new(7, 5, [10, 20, 30]);
        assert_eq!(image.difference(&image), None);
        let mut other = image.clone();
        other.pixels[15][1] = 26;
        assert_eq!(image.difference(&other), Some(Unlike { count: 1, first: [1, 2], most: 6 }));
        assert!(image.difference(&Image::new(5, 7, [10, 20, 30])).is_some());
    }
}
