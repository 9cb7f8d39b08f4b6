//! Mutations that know lines, words and numbers of texts, and words of binary files. The same seed gives the same inputs.

/// Numbers and words that readers are wrong about.
const WORDS: [&str; 44] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "4",
    "7",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "-9223372036854775808",
    "99999999999999999999",
    "0.1",
    "0.5",
    "1e-3",
    "1e-9",
    "1e-300",
    "5e-324",
    "1e9",
    "1e150",
    "1e300",
    "1e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "0x10",
    "1_000",
    "true",
    "\"\"",
    "\"1 mm\"",
    "\"1 m/s\"",
    "\"-1 N/m\"",
    "[]",
    "{}",
    "[0, 0, 0]",
    "é",
    "\u{0}",
];
/// The same for binary files.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    3,
    0x7f,
    0x80,
    0xff,
    0x100,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x1_0000_0000,
    0x7ff0_0000_0000_0000,
    0x7ff8_0000_0000_0001,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `count`; 0 for 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        let most = if self.below(4) == 0 { len - start } else { (len - start).min(16) };
        start..start + self.below(most + 1)
    }
}

/// An input: one of the first inputs after some mutations.
pub fn input(random: &mut Random, seeds: &[Vec<u8>], is_text: bool) -> Vec<u8> {
    let mut bytes = random.of(seeds).clone();
    let most = if random.below(4) == 0 { 12 } else { 3 };
    let count = 1 + random.below(most);
    for _ in 0..count {
        match (is_text, random.below(10)) {
            (true, 0..=7) | (false, 0..=2) => text(random, &mut bytes, seeds),
            _ => binary(random, &mut bytes, seeds),
        }
    }
    bytes
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte)
}

/// The words of a text, as ranges of its bytes.
fn words(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, byte) in bytes.iter().chain(b" ").enumerate() {
        match (start, is_of_word(*byte)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn text(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    match random.below(8) {
        0..=3 => word(random, bytes, seeds),
        4 | 5 => lines(random, bytes, seeds),
        6 => bytes.truncate(random.below(bytes.len() + 1)),
        _ => {
            let at = random.below(bytes.len() + 1);
            let put = *random.of(b"[]{}=,.\"'#\n\r\t -+eE0/<>:;\\");
            bytes.insert(at, put);
        }
    }
}

/// Replaces a word by a special one or by one of another input, or removes it.
fn word(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let all = words(bytes);
    if all.is_empty() {
        return bytes.extend(random.of(&WORDS).bytes());
    }
    let place = random.of(&all).clone();
    let numbers = |bytes: &[u8], place: &std::ops::Range<usize>| bytes[place.start].is_ascii_digit();
    let put: Vec<u8> = match random.below(8) {
        0..=4 => random.of(&WORDS).bytes().collect(),
        5 | 6 => {
            let other = random.of(seeds);
            let theirs: Vec<_> =
                words(other).into_iter().filter(|word| numbers(other, word) == numbers(bytes, &place)).collect();
            if theirs.is_empty() { Vec::new() } else { other[random.of(&theirs).clone()].to_vec() }
        }
        _ => Vec::new(),
    };
    bytes.splice(place, put);
}

/// Removes, doubles or swaps lines, or takes one of another input.
fn lines(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let mut all: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (one, other) = (random.below(all.len()), random.below(all.len()));
    match random.below(5) {
        0 => drop(all.remove(one)),
        1 => all.insert(other, all[one].clone()),
        2 => all.swap(one, other),
        3 => {
            let theirs: Vec<&[u8]> = random.of(seeds).split(|byte| *byte == b'\n').collect();
            let line = random.of(&theirs).to_vec();
            all.insert(one, line);
        }
        _ => drop(all.drain(one.min(other)..one.max(other))),
    }
    *bytes = all.join(&b'\n');
}

fn binary(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let len = bytes.len();
    match random.below(9) {
        0 | 1 if len > 0 => bytes[random.below(len)] ^= 1 << random.below(8),
        2..=4 => {
            let size = *random.of(&[1, 2, 4, 8]);
            let at = random.below(len + 1) / size * size;
            let number = random.of(&NUMBERS).to_le_bytes();
            let reversed = random.below(4) == 0;
            for (k, byte) in bytes.iter_mut().skip(at).take(size).enumerate() {
                *byte = number[if reversed { size - 1 - k } else { k }];
            }
        }
        5 => bytes.truncate(random.below(len + 1)),
        6 => drop(bytes.drain(random.range(len))),
        7 => {
            let copy = bytes[random.range(len)].to_vec();
            let at = random.below(len + 1);
            bytes.splice(at..at, copy);
        }
        _ => {
            let theirs = random.of(seeds);
            let part = theirs[random.range(theirs.len())].to_vec();
            let at = random.below(len + 1);
            bytes.splice(at..at, part);
        }
    }
}
