//! The primitives that eight samples per pixel see, tile by tile. Tiles are independent, and within one primitives come in the order of
//! their ids (of two at the same depth the first stays), so the result does not depend on threads. Transparent surfaces come last: of
//! those, samples see the nearest surface before anything opaque, and how much of their path is inside.

use std::ops::Range;

use crate::setup::{Box2, RoundSetup, Setup, TriangleSetup, View};

/// Pixels of a tile's side.
pub const TILE: usize = 32;

/// Samples per pixel.
pub const SAMPLES: usize = 8;

/// Where they are, in 1/256 pixels from its middle: no two in a row or column.
pub const PATTERN: [[i32; 2]; SAMPLES] =
    [[16, -48], [-16, 48], [80, 16], [-48, -80], [-80, 80], [-112, -16], [48, 112], [112, -112]];

const PIXEL: i64 = 256;
const HALF: i64 = PIXEL / 2;

/// Samples of a pixel: ids of what they see; 0 is nothing.
pub type Ids = [u32; SAMPLES];

/// What the samples of one tile see.
pub struct Tile {
    /// First pixel.
    pub origin: [i32; 2],
    depth: Vec<[f32; SAMPLES]>,
    /// Rows of `TILE` pixels.
    pub ids: Vec<Ids>,
    /// Transparent surfaces in front; empty where there are none.
    pub water: Vec<Water>,
}

/// What the samples of a pixel see of transparent surfaces.
#[derive(Clone, Copy, Default)]
pub struct Water {
    depth: [f32; SAMPLES],
    /// The nearest surface; 0 is none.
    pub ids: Ids,
    /// How much of the path lies inside, along the camera's axis.
    pub length: [f64; SAMPLES],
}

/// Indices of primitives for every tile: triangles, then rods and balls after `triangles.len()`, then transparent ones.
pub struct Bins {
    /// Tiles across.
    pub columns: usize,
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Bins {
    /// Sorts primitives into the tiles that their boxes touch.
    pub fn new(setup: &Setup, width: usize, height: usize) -> Self {
        let (columns, rows) = (width.div_ceil(TILE), height.div_ceil(TILE));
        let boxes = || setup.triangles.iter().map(|t| t.bounds).chain(setup.rounds.iter().map(|r| r.bounds));
        let boxes = || boxes().chain(setup.water.iter().map(|t| t.bounds));
        let tiles = |bounds: Box2| {
            let side = |[first, end]: [i32; 2]| first as usize / TILE..=(end as usize - 1) / TILE;
            side(bounds.y).flat_map(move |row| side(bounds.x).map(move |column| row * columns + column))
        };
        let mut starts = vec![0_u32; columns * rows + 1];
        boxes().flat_map(tiles).for_each(|tile| starts[tile + 1] += 1);
        for tile in 0..columns * rows {
            starts[tile + 1] += starts[tile];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[columns * rows] as usize];
        for (item, bounds) in (0..).zip(boxes()) {
            for tile in tiles(bounds) {
                items[next[tile] as usize] = item;
                next[tile] += 1;
            }
        }
        Self { columns, starts, items }
    }

    /// How many tiles.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, tile: usize) -> &[u32] {
        &self.items[self.starts[tile] as usize..self.starts[tile + 1] as usize]
    }
}

impl Tile {
    /// Fills one tile.
    pub fn fill(number: usize, bins: &Bins, setup: &Setup, view: &View) -> Self {
        let origin = [number % bins.columns * TILE, number / bins.columns * TILE].map(|first| first as i32);
        let (depth, ids) = (vec![[0.0; SAMPLES]; TILE * TILE], vec![[0; SAMPLES]; TILE * TILE]);
        let mut tile = Self { origin, depth, ids, water: Vec::new() };
        let (triangles, rounds) = (setup.triangles.len(), setup.rounds.len());
        for item in bins.of(number).iter().map(|item| *item as usize) {
            if item < triangles {
                tile.triangle(&setup.triangles[item]);
            } else if item < triangles + rounds {
                tile.round(&setup.rounds[item - triangles], view);
            } else {
                tile.water(&setup.water[item - triangles - rounds]);
            }
        }
        tile
    }

    /// The part of a box inside this tile.
    fn clip(&self, bounds: Box2) -> (Range<i32>, Range<i32>) {
        let side = |k: usize, [first, end]: [i32; 2]| first.max(self.origin[k])..end.min(self.origin[k] + TILE as i32);
        (side(0, bounds.x), side(1, bounds.y))
    }

    fn triangle(&mut self, triangle: &TriangleSetup) {
        let (columns, rows) = self.clip(triangle.bounds);
        let origin = self.origin;
        for_each_sample(triangle, columns, rows, |x, y, s, depth| {
            let slot = slot(origin, x, y);
            if depth as f32 > self.depth[slot][s] {
                (self.depth[slot][s], self.ids[slot][s]) = (depth as f32, triangle.id);
            }
        });
    }

    /// A path through a closed surface leaves it as often as it enters.
    fn water(&mut self, triangle: &TriangleSetup) {
        let (columns, rows) = self.clip(triangle.bounds);
        let origin = self.origin;
        self.water.resize(TILE * TILE, Water::default());
        for_each_sample(triangle, columns, rows, |x, y, s, depth| {
            let slot = slot(origin, x, y);
            let (water, opaque) = (&mut self.water[slot], self.depth[slot][s]);
            let end = 1.0 / depth.max(f64::from(opaque)).max(f64::from(f32::MIN_POSITIVE));
            water.length[s] += if triangle.front { -end } else { end };
            if depth as f32 > opaque.max(water.depth[s]) {
                (water.depth[s], water.ids[s]) = (depth as f32, triangle.id);
            }
        });
    }

    fn round(&mut self, round: &RoundSetup, view: &View) {
        let (columns, rows) = self.clip(round.bounds);
        let offsets = PATTERN.map(|[dx, dy]| [f64::from(dx) / PIXEL as f64, f64::from(dy) / PIXEL as f64]);
        for y in rows {
            for x in columns.clone() {
                let (middle_x, middle_y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
                if let Some((point, normal, reach)) = round.line {
                    let distance = (middle_x - point[0]) * normal[0] + (middle_y - point[1]) * normal[1];
                    if distance.abs() > reach {
                        continue;
                    }
                }
                let slot = slot(self.origin, x, y);
                for (s, offset) in offsets.iter().enumerate() {
                    let ray = view.ray(middle_x + offset[0], middle_y + offset[1]);
                    if let Some(depth) = round.hit(ray, false) {
                        let depth = depth as f32;
                        if depth > self.depth[slot][s] {
                            (self.depth[slot][s], self.ids[slot][s]) = (depth, round.id);
                        }
                    }
                }
            }
        }
    }
}

fn slot(origin: [i32; 2], x: i32, y: i32) -> usize {
    (y - origin[1]) as usize * TILE + (x - origin[0]) as usize
}

/// Calls `f` with pixel, sample and 1/z for every sample that a triangle covers.
#[inline(always)]
fn for_each_sample(
    triangle: &TriangleSetup,
    columns: Range<i32>,
    rows: Range<i32>,
    mut f: impl FnMut(i32, i32, usize, f64),
) {
    let offsets = triangle.edges.map(|edge| PATTERN.map(|[dx, dy]| edge.a * i64::from(dx) + edge.b * i64::from(dy)));
    // No sample of a pixel is inside an edge with a value at the middle below this.
    let least = offsets.map(|offset| -offset.into_iter().max().unwrap_or(0));
    let most = offsets.map(|offset| -offset.into_iter().min().unwrap_or(0));
    let plane = triangle.plane;
    let steps = PATTERN.map(|[dx, dy]| (plane[0] * f64::from(dx) + plane[1] * f64::from(dy)) / PIXEL as f64);
    for y in rows {
        let middle_y = i64::from(y) * PIXEL + HALF;
        for x in columns.clone() {
            let middle_x = i64::from(x) * PIXEL + HALF;
            let at = triangle.edges.map(|edge| edge.a * middle_x + edge.b * middle_y + edge.c);
            if (0..3).any(|k| at[k] < least[k]) {
                continue;
            }
            let full = (0..3).all(|k| at[k] >= most[k]);
            let depth = plane[0] * (f64::from(x) + 0.5) + plane[1] * (f64::from(y) + 0.5) + plane[2];
            for s in (0..SAMPLES).filter(|s| full || (0..3).all(|k| at[k] + offsets[k][*s] >= 0)) {
                f(x, y, s, depth + steps[s]);
            }
        }
    }
}
