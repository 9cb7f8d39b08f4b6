//! The values of USD's text format.

use std::fmt::Write as _;

use glam::DVec3;

use pliant_scalar::number::push_single;

/// `[(x, y, z), …]`, rounded to single precision.
pub(super) fn push_vectors(text: &mut String, vectors: &[DVec3]) {
    text.push('[');
    for (k, vector) in vectors.iter().enumerate() {
        *text += if k > 0 { ", (" } else { "(" };
        for (axis, number) in vector.to_array().into_iter().enumerate() {
            if axis > 0 {
                *text += ", ";
            }
            push_single(text, number as f32);
        }
        text.push(')');
    }
    text.push(']');
}

/// `[1, 2, …]`.
pub(super) fn push_integers(text: &mut String, values: impl Iterator<Item = u64>) {
    text.push('[');
    for (k, value) in values.enumerate() {
        let comma = if k > 0 { ", " } else { "" };
        write!(text, "{comma}{value}").expect("a String takes any text");
    }
    text.push(']');
}

/// A quoted string on one line.
pub(super) fn push_string(text: &mut String, string: &str) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => *text += "\\n",
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text.push('"');
}
