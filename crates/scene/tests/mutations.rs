//! No text makes the reader panic: every built-in scene, damaged in thousands of ways, is read (and built, while it stays small) or refused
//! with a message.

use pliant_scene::builtin::SCENES;
use pliant_scene::load::from_text;

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

/// Takes a few steps, or is told why there is none.
fn steps(simulation: &mut pliant_time::Simulation) {
    for _ in 0..3 {
        if simulation.is_done() {
            break;
        }
        if let Err(error) = simulation.step() {
            assert!(error.to_string().contains("t = "), "{error}");
            break;
        }
        assert!(simulation.state().first_non_finite().is_none());
    }
}

#[test]
fn damaged_scenes_are_read_or_refused() {
    let mut random = Random(42);
    let (mut read, mut refused) = (0, 0);
    for (name, text) in SCENES {
        for k in 0..1500 {
            let damaged = if k % 2 == 0 { damage(text, &mut random) } else { replace_value(text, &mut random) };
            match from_text(name, name, &damaged, &[]) {
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().len() > 10, "{damaged}\nis refused with {error}");
                }
                Ok(scene) => {
                    read += 1;
                    let size: usize = scene
                        .scene
                        .springs
                        .iter()
                        .map(|body| body.grid.as_ref().map_or(0, |g| g.columns * g.rows))
                        .sum();
                    if size < 2000
                        && let Ok(mut built) = scene.build()
                    {
                        steps(&mut built.simulation);
                    }
                }
            }
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused: the damage does not test both ways");
}
