//! Numbers as text.

/// Three significant digits, never in scientific notation.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i32;
    let decimals = usize::try_from(2 - exponent).unwrap_or(0);
    format!("{value:.decimals$}")
}

/// Metres in millimetres, seconds in milliseconds.
pub fn milli(value: f64) -> String {
    number(1e3 * value)
}

/// A part as a whole percentage.
pub fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// The smallest and the largest of some values, `a to b`, in a format of their own; one alone where both read alike.
pub fn span(values: impl IntoIterator<Item = f64>, format: impl Fn(f64) -> String) -> String {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        low = low.min(value);
        high = high.max(value);
    }
    let (low, high) = (format(low), format(high));
    if low == high { low } else { format!("{} to {high}", low.strip_suffix(" %").unwrap_or(&low)) }
}

/// `a, b and c`; `none` where there is nothing.
pub fn list(items: &[String]) -> String {
    match items {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// What to say of a claim that was found true in some of all cases.
pub fn holds((wins, all): (usize, usize)) -> &'static str {
    match wins {
        0 => "does not hold",
        wins if wins == all => "holds",
        _ => "holds in part",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        let pairs = [(0.0390, "0.0390"), (0.000_538_1, "0.000538"), (1234.4, "1234"), (2.0, "2.00"), (-0.5, "-0.500")];
        for (value, text) in pairs {
            assert_eq!(number(value), text);
        }
        assert_eq!(number(0.0), "0");
    }

    #[test]
    fn spans_and_lists_read_well() {
        assert_eq!(span([0.114, 0.25, 0.2], percent), "11 to 25 %");
        assert_eq!(span([0.25, 0.2501], percent), "25 %");
        assert_eq!(span([2.0, 1.0], number), "1.00 to 2.00");
        let item = |text: &str| text.to_owned();
        assert_eq!(list(&[item("a"), item("b"), item("c")]), "a, b and c");
        assert_eq!(list(&[]), "none");
    }
}
