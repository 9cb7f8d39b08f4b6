//! No text makes the reader panic: every built-in scene, damaged in thousands of ways, is read (and built, while it stays small) or refused
//! with a message.

use pliant_scene::builtin::SCENES;
use pliant_scene::load::from_text;
use pliant_scene::schema::{PeridynamicBody, SolidBody};

/// xorshift64*, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % n.max(1)
    }
}

const PIECES: &[&str] = &[
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "1e308",
    "1e-320",
    "9223372036854775807",
    "-9223372036854775808",
    "\"\"",
    "\"1 mm\"",
    "\"1 kg\"",
    "[]",
    "{}",
    "[[0, 0, 0]]",
    "true",
    "\"\\u0000\"",
    "=",
    "[",
    "]",
    "\n",
    "\"",
    "\u{e9}",
    "0x10",
    "1979-05-27",
    "mass",
    "pins",
    "[[springs]]",
];

fn damage(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(characters.len());
        let end = (at + random.below(12)).min(characters.len());
        let piece: Vec<char> = match random.below(4) {
            0 => Vec::new(),
            1 => characters[at..end].iter().rev().copied().collect(),
            _ => PIECES[random.below(PIECES.len())].chars().collect(),
        };
        characters.splice(at..end, piece);
    }
    characters.into_iter().collect()
}

/// Replaces the whole value of a random key.
fn replace_value(text: &str, random: &mut Random) -> String {
    let keys: Vec<usize> = text.lines().enumerate().filter(|(_, line)| line.contains('=')).map(|(k, _)| k).collect();
    let chosen = keys[random.below(keys.len())];
    let piece = PIECES[random.below(PIECES.len())];
    let change = |(k, line): (usize, &str)| match line.split_once('=') {
        Some((key, _)) if k == chosen => format!("{key}= {piece}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().enumerate().map(change).collect()
}

/// The same cloth with a handful of particles: thousands of large ones would take minutes.
fn small(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let keys = ["columns = ", "rows = ", "subdivisions = "];
    while let Some((at, key)) = keys.iter().filter_map(|key| Some((rest.find(key)? + key.len(), key))).min() {
        out.push_str(&rest[..at]);
        out.push_str(if key.starts_with('s') { "1" } else { "4" });
        rest = rest[at..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out + rest
}

/// The same fluids or brittle bodies with particles so many times as far apart: thousands of large ones would take minutes.
fn coarse(text: &str, times: f64) -> String {
    let change = |line: &str| {
        let number = line.strip_prefix("spacing = \"").and_then(|rest| rest.strip_suffix(" mm\""));
        let spacing: Option<f64> = number.and_then(|number| number.parse().ok());
        spacing.map_or_else(|| line.to_owned(), |spacing| format!("spacing = \"{} mm\"", times * spacing)) + "\n"
    };
    text.lines().map(change).collect()
}

/// Takes a few steps, or is told why there is none.
fn steps(simulation: &mut pliant_time::Simulation, text: &str) {
    for _ in 0..3 {
        if simulation.is_done() {
            break;
        }
        if let Err(error) = simulation.step() {
            assert!(error.to_string().contains("t = "), "{error}");
            break;
        }
        assert!(simulation.state().first_non_finite().is_none(), "{text}");
    }
}

/// About how many particles a solid has, times ten: they cost more.
fn cells(body: &SolidBody) -> usize {
    let block = body.block.as_ref().map_or(0, |block| block.cells.iter().fold(1, |all, n| all * n.min(&1000)));
    let figure = body.figure.as_ref().map_or(0, |f| (f.size.si() / f.spacing.si()).powi(3).min(1e9) as usize);
    10 * (block + figure) * 8_usize.pow(body.refine.min(7) as u32)
}

/// About how many particles a brittle body has.
fn grains(body: &PeridynamicBody) -> usize {
    let spacing = body.spacing.si();
    let along = |length: f64| (length / spacing).clamp(1.0, 1e6);
    let block = body.block.as_ref().map_or(0.0, |b| {
        let size = b.max.to_dvec3() - b.min.to_dvec3();
        along(size.x) * along(size.y) * along(size.z)
    });
    (block + body.figure.as_ref().map_or(0.0, |f| 0.1 * along(f.size.si()).powi(3))) as usize
}

#[test]
fn damaged_scenes_are_read_or_refused() {
    let mut random = Random(42);
    let (mut read, mut refused) = (0, 0);
    for (name, text) in SCENES {
        let (text, count) = match () {
            () if text.contains("[[cloth]]") => (small(text), 200),
            () if text.contains("[[solid]]") => ((*text).to_owned(), 100),
            () if text.contains("[[fluid]]") => (coarse(text, 3.0), 1500),
            () if text.contains("[[peridynamic]]") => (coarse(text, 6.0), 300),
            () => ((*text).to_owned(), 1500),
        };
        for k in 0..count {
            let damaged = if k % 2 == 0 { damage(&text, &mut random) } else { replace_value(&text, &mut random) };
            match from_text(name, name, &damaged, &[]) {
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().len() > 10, "{damaged}\nis refused with {error}");
                }
                Ok(scene) => {
                    read += 1;
                    let nets = scene.scene.springs.iter().filter_map(|body| body.grid.as_ref());
                    let sheets = scene.scene.cloth.iter();
                    let size = nets.map(|g| g.columns * g.rows).sum::<usize>()
                        + sheets
                            .clone()
                            .filter_map(|body| body.grid.as_ref())
                            .map(|g| g.columns * g.rows)
                            .sum::<usize>()
                        + sheets
                            .filter_map(|body| body.sphere.as_ref())
                            .map(|s| 4_usize.pow(s.subdivisions as u32))
                            .sum::<usize>();
                    let grains = scene.scene.peridynamic.iter().map(grains).fold(0, usize::saturating_add);
                    if size + scene.scene.solid.iter().map(cells).fold(grains, usize::saturating_add) < 2000
                        && let Ok(mut built) = scene.build()
                    {
                        steps(&mut built.simulation, &damaged);
                    }
                }
            }
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused: the damage does not test both ways");
}
