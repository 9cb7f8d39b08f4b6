//! The units by name: SI with prefixes, and a few others in common use.

use std::f64::consts::PI;

use super::Exponents;
use crate::suggest::nearest;

/// A unit as `scale · 10^ten` SI units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub scale: f64,
    pub ten: i32,
    pub exponents: Exponents,
}

/// No unit at all.
pub(super) const ONE: Unit = unit(1.0, 0, 0, 0, 0, 0);

const fn unit(scale: f64, ten: i32, m: i32, kg: i32, s: i32, rad: i32) -> Unit {
    Unit { scale, ten, exponents: Exponents { m, kg, s, rad } }
}

/// Units that take a prefix.
const PREFIXED: &[(&str, Unit)] = &[
    ("m", unit(1.0, 0, 1, 0, 0, 0)),
    ("g", unit(1.0, -3, 0, 1, 0, 0)),
    ("s", unit(1.0, 0, 0, 0, 1, 0)),
    ("N", unit(1.0, 0, 1, 1, -2, 0)),
    ("Pa", unit(1.0, 0, -1, 1, -2, 0)),
    ("J", unit(1.0, 0, 2, 1, -2, 0)),
    ("W", unit(1.0, 0, 2, 1, -3, 0)),
    ("Hz", unit(1.0, 0, 0, 0, -1, 0)),
    ("rad", unit(1.0, 0, 0, 0, 0, 1)),
];

/// Units that do not.
const PLAIN: &[(&str, Unit)] = &[
    ("deg", unit(PI / 180.0, 0, 0, 0, 0, 1)),
    ("°", unit(PI / 180.0, 0, 0, 0, 0, 1)),
    ("min", unit(60.0, 0, 0, 0, 1, 0)),
    ("h", unit(3600.0, 0, 0, 0, 1, 0)),
    ("in", unit(254.0, -4, 1, 0, 0, 0)),
    ("ft", unit(3048.0, -4, 1, 0, 0, 0)),
];

/// The most common units, the SI unit first. Suggestions prefer them, and a list of valid units holds no more.
const COMMON: &[&str] = &[
    "m", "mm", "cm", "um", "km", "in", "ft", "s", "ms", "us", "min", "h", "kg", "g", "mg", "rad", "deg", "mrad", "N",
    "mN", "kN", "Pa", "kPa", "MPa", "GPa", "J", "mJ", "kJ", "W", "Hz", "kHz",
];

/// Prefixes and their powers of ten, the common ones first: suggestions prefer them. µ has two code points.
const PREFIXES: &[(&str, i32)] = &[
    ("k", 3),
    ("m", -3),
    ("c", -2),
    ("M", 6),
    ("G", 9),
    ("u", -6),
    ("\u{b5}", -6),
    ("\u{3bc}", -6),
    ("n", -9),
    ("d", -1),
];

/// Units spelt out, and what to write instead.
const SPELT: &[(&[&str], &str)] = &[
    (&["meter", "meters", "metre", "metres"], "m"),
    (&["sec", "secs", "second", "seconds"], "s"),
    (&["gram", "grams"], "g"),
    (&["kilogram", "kilograms", "kilo", "kgs"], "kg"),
    (&["minute", "minutes"], "min"),
    (&["hour", "hours", "hr", "hrs"], "h"),
    (&["degree", "degrees"], "deg"),
    (&["radian", "radians"], "rad"),
    (&["inch", "inches"], "in"),
    (&["foot", "feet"], "ft"),
    (&["newton", "newtons"], "N"),
    (&["pascal", "pascals"], "Pa"),
    (&["hertz", "fps"], "Hz"),
];

/// The unit of that name, with or without a prefix.
pub(super) fn look_up(name: &str) -> Option<Unit> {
    let find =
        |units: &[(&str, Unit)], name: &str| units.iter().find(|(known, _)| *known == name).map(|(_, unit)| *unit);
    find(PLAIN, name).or_else(|| find(PREFIXED, name)).or_else(|| {
        PREFIXES.iter().find_map(|(prefix, ten)| {
            let unit = find(PREFIXED, name.strip_prefix(prefix)?)?;
            Some(Unit { ten: unit.ten + ten, ..unit })
        })
    })
}

/// The existing unit nearest to a wrong one, of those that `fits` accepts.
pub(super) fn meant(name: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let lower = name.to_lowercase();
    let spelt = SPELT.iter().find(|(words, _)| words.contains(&lower.as_str()));
    if let Some((_, unit)) = spelt {
        return fits(unit).then(|| (*unit).to_owned());
    }
    // A letter is more often mistyped than added: "mn" is rather "mm" than "m".
    let is_as_long = |unit: &&&str| unit.chars().count() == name.chars().count();
    let common = COMMON.iter().filter(is_as_long).chain(COMMON.iter().filter(|unit| !is_as_long(unit)));
    let plain = PREFIXED.iter().chain(PLAIN).map(|(name, _)| (*name).to_owned());
    let prefixed =
        PREFIXES.iter().flat_map(|(prefix, _)| PREFIXED.iter().map(move |(name, _)| format!("{prefix}{name}")));
    let all: Vec<String> = common.map(|unit| (*unit).to_owned()).chain(plain).chain(prefixed).collect();
    let near = all.iter().map(String::as_str).filter(|unit| nearest(name, [*unit]).is_some());
    nearest(name, near.filter(|unit| fits(unit))).map(str::to_owned)
}

/// The common units for the SI unit `symbol`; none if that is a product of several.
pub(super) fn common(symbol: &str) -> Vec<&'static str> {
    let exponents = |unit: &str| look_up(unit).map(|unit| unit.exponents);
    let is_alike = |unit: &&str| exponents(unit) == exponents(symbol);
    if COMMON.contains(&symbol) { COMMON.iter().copied().filter(is_alike).collect() } else { Vec::new() }
}

/// The unit in base units, as it would be written: `kg m/s^2`.
pub(super) fn spell(exponents: Exponents) -> String {
    let bases = [("m", exponents.m), ("kg", exponents.kg), ("s", exponents.s), ("rad", exponents.rad)];
    let side = |sign: i32| {
        let powers = bases.iter().filter(|(_, power)| power * sign > 0);
        let words: Vec<String> = powers
            .map(|(name, power)| if power.abs() == 1 { (*name).to_owned() } else { format!("{name}^{}", power.abs()) })
            .collect();
        words
    };
    let (above, below) = (side(1), side(-1));
    let above = if above.is_empty() { "1".to_owned() } else { above.join(" ") };
    match below.as_slice() {
        [] => above,
        [one] => format!("{above}/{one}"),
        many => format!("{above}/({})", many.join(" ")),
    }
}
