//! Times, lengths and energies for display: with a readable number of digits and a suitable unit. Machine-readable files and tables have their own.

/// Largest number of significant digits.
const DIGITS: i32 = 4;

/// A time: `0.9435 s`, `16.67 ms`, `1 ns`. Hundredths of a second are kept, however long it is.
pub fn seconds(time: f64) -> String {
    // 0.05 s of a scene is not shown as 50 ms, but a step of a sixtieth of a second is shown in milliseconds
    with_unit(time, "s", 0.02, 2)
}

/// A length: `1.414 m`, `5 mm`, `0.25 µm`.
pub fn metres(length: f64) -> String {
    with_unit(length, "m", 0.1, 0)
}

/// An energy: `0.515 J`, `-0.0925 J`, `2.17e-4 J`. Always in joules, so that energies can be compared.
pub fn joules(energy: f64) -> String {
    match energy.abs() {
        size if size == 0.0 || (1e-3..1e5).contains(&size) => format!("{} J", digits(energy, 0)),
        _ => format!("{energy:.2e} J"),
    }
}

/// `least`: the smallest part of a unit before the next smaller prefix is used; `decimals`: the least number for the unit without a prefix.
fn with_unit(value: f64, unit: &str, least: f64, decimals: usize) -> String {
    let size = value.abs();
    if size == 0.0 || !size.is_finite() || size >= 1e6 {
        return format!("{value} {unit}");
    }
    for (prefix, part) in [("", 1.0), ("m", 1e-3), ("µ", 1e-6), ("n", 1e-9)] {
        // a value that rounds up to the limit counts as having reached it
        if size >= 0.99995 * least * part {
            let decimals = if part == 1.0 { decimals } else { 0 };
            return format!("{} {prefix}{unit}", digits(value / part, decimals));
        }
    }
    format!("{value:.3e} {unit}")
}

/// The number without trailing zeros.
fn digits(value: f64, least: usize) -> String {
    let exponent = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or(0).max(least);
    let text = format!("{value:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let times = [0.0, 2.0, 0.5, 0.9434581626824129, 10.0, 1.0 / 3.0, 0.05, 1.0 / 60.0, 123.456_78, 1200.0];
        let told = ["0 s", "2 s", "0.5 s", "0.9435 s", "10 s", "0.3333 s", "0.05 s", "16.67 ms", "123.46 s", "1200 s"];
        assert_eq!(times.map(seconds), told);
        let times = [1.010_01e-3, 2.5e-8, 1e-9, 1.234_56e-5, 0.019_999_99, 1e-12, f64::INFINITY];
        assert_eq!(times.map(seconds), ["1.01 ms", "0.025 µs", "1 ns", "12.35 µs", "0.02 s", "1.000e-12 s", "inf s"]);
    }

    #[test]
    fn energies() {
        let energies = [0.0, 0.515_025, -0.092_512_3, 2.17e-4, -60_672.38, 1.5, 2.2e52, f64::INFINITY, 9.129_19];
        let told = ["0 J", "0.515 J", "-0.09251 J", "2.17e-4 J", "-60672 J", "1.5 J", "2.20e52 J", "inf J", "9.129 J"];
        assert_eq!(energies.map(joules), told);
    }

    #[test]
    fn lengths() {
        let lengths = [5e-3, 1.0, 2.0_f64.sqrt(), 12.5, 123.456, 0.1, 0.05, 5.023e-4, 9.99999e-5, 2.5e-7, -3e-3, 1e5];
        let told = [
            "5 mm",
            "1 m",
            "1.414 m",
            "12.5 m",
            "123.5 m",
            "0.1 m",
            "50 mm",
            "0.5023 mm",
            "0.1 mm",
            "0.25 µm",
            "-3 mm",
            "100000 m",
        ];
        assert_eq!(lengths.map(metres), told);
    }
}
