//! Numbers for tables.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A number of significant digits, never in scientific notation.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i64;
    let decimals = usize::try_from(digits as i64 - 1 - exponent).unwrap_or(0);
    format!("{value:.decimals$}")
}

/// A number of significant digits, in scientific notation (`6e-6`) where the value is very large or small.
pub fn scientific(value: f64, digits: usize) -> String {
    let plain = value == 0.0 || (1e-3..1e5).contains(&value.abs());
    if plain { significant(value, digits) } else { format!("{value:.*e}", digits.saturating_sub(1)) }
}

/// A length of time with four digits and the unit that suits it: `1.341 ms`.
pub fn time(seconds: f64) -> String {
    let (factor, unit) = match seconds.abs() {
        t if t >= 1.0 || t == 0.0 => (1.0, "s"),
        t if t >= 1e-3 => (1e3, "ms"),
        t if t >= 1e-6 => (1e6, "µs"),
        _ => (1e9, "ns"),
    };
    format!("{} {unit}", significant(factor * seconds, 4))
}

/// An address that is the thing itself, for pages and pictures that need no other file.
pub fn data(kind: &str, bytes: &[u8]) -> String {
    format!("data:{kind};base64,{}", STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_units() {
        assert_eq!(significant(0.012_345, 3), "0.0123");
        assert_eq!(significant(-4.0, 3), "-4.00");
        assert_eq!(significant(98_765.4, 3), "98765");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(scientific(0.0, 2), "0");
        assert_eq!(scientific(1.24525, 4), "1.245");
        assert_eq!(scientific(9.7696e19, 2), "9.8e19");
        assert_eq!(time(1.3409e-3), "1.341 ms");
        assert_eq!(time(5.8557e-5), "58.56 µs");
        assert_eq!(time(2.0), "2.000 s");
        assert_eq!(time(0.0), "0 s");
        assert_eq!(time(7.5e-8), "75.00 ns");
    }
}
