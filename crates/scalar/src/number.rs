//! Numbers as text that read back to the same bits: the fewest digits that do so, in plain notation from 1e-5 up to 1e16 and with an
//! exponent outside (plain digits would take 300 characters for the smallest numbers).

use std::fmt::Write as _;

/// Appends a number of double precision.
pub fn push_number(line: &mut String, value: f64) {
    let size = value.abs();
    let printed = if value.is_nan() {
        write!(line, "nan")
    } else if size == 0.0 || (1e-5..1e16).contains(&size) || size.is_infinite() {
        write!(line, "{value}")
    } else {
        write!(line, "{value:e}")
    };
    printed.expect("a String takes any text");
}

/// Appends a number of single precision.
pub fn push_single(line: &mut String, value: f32) {
    let size = value.abs();
    let printed = if value.is_nan() {
        write!(line, "nan")
    } else if size == 0.0 || (1e-5..1e7).contains(&size) || size.is_infinite() {
        write!(line, "{value}")
    } else {
        write!(line, "{value:e}")
    };
    printed.expect("a String takes any text");
}
