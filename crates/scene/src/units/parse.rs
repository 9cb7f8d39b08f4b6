//! The text of a quantity: a number, then a product of units.
//!
//! ```text
//! quantity = number [ "/" number ] [ product ]          1/60 s is a sixtieth of a second
//! product  = factor { ( "*" | "·" | "/" | blank ) factor }
//! factor   = ( unit | "1" | "(" product ")" ) [ power ]
//! power    = [ "^" ] integer | superscripts             m^2, m2, m², s^-1, s⁻¹
//! ```
//!
//! Operators are left-associative, so `m/s/s` is m/s². `kg/m s` is rejected as ambiguous: it may mean kg/(m s).
//! Decimal prefixes move the decimal point in the number's text before it is rounded, so that `"0.3 mm"` and `3e-4`
//! are the same bits.

use super::table::{ONE, Unit, look_up, meant};
use super::{Exponents, Wanted};

/// A parsed text: a value in SI units, the number as it was written, and the unit's exponents unless there was none.
#[derive(Debug)]
pub(super) struct Parsed<'a> {
    pub value: f64,
    pub number: &'a str,
    pub exponents: Option<Exponents>,
}

/// Largest power in a quantity: more is a typing error.
const MAX_POWER: i32 = 9;
/// Parentheses may be nested this deep.
const MAX_DEPTH: usize = 8;

/// Reads a text. `wanted` is the expected dimension, for suggestions; another one is not an error here.
pub(super) fn quantity<'a>(text: &'a str, wanted: Option<&Wanted>) -> Result<Parsed<'a>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the text is empty: write a number, with or without a unit, such as \"0.5 mm\"".to_owned());
    }
    let mut scanner = Scanner { text, at: 0, number: "", wanted };
    let (first, end) = number(text)?;
    scanner.at = end;
    // 1/60: only where a digit follows at once, so that "1/s" stays a unit.
    let mut divisor = None;
    if scanner.rest().starts_with('/') && scanner.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) {
        let (number, length) = number(&scanner.rest()[1..])?;
        divisor = Some(number);
        scanner.at += 1 + length;
    }
    let written = &text[..scanner.at];
    scanner.number = written;
    scanner.skip_blanks();
    if scanner.rest().starts_with(',') {
        return Err(format!("\"{text}\" has a comma: write a decimal point, as in \"{}\"", text.replacen(',', ".", 1)));
    }
    let unit = if scanner.rest().is_empty() { None } else { Some(scanner.product(0)?) };
    if !scanner.rest().is_empty() {
        return Err(format!("\"{text}\" is not understood from \"{}\" on", scanner.rest()));
    }
    let Unit { scale, ten, exponents } = unit.unwrap_or(ONE);
    let mut value = first.shifted(ten)? * scale;
    if let Some(divisor) = divisor {
        value /= divisor.shifted(0)?;
    }
    if value.is_infinite() && first.infinite.is_none() {
        return Err(format!("\"{text}\" is too large for a number, or divides by zero"));
    }
    Ok(Parsed { value, number: written, exponents: unit.map(|_| exponents) })
}

/// A decimal number kept as text, so that a prefix can move its point exactly.
struct Decimal {
    mantissa: String,
    exponent: i32,
    /// `inf` or `nan`, written out.
    infinite: Option<f64>,
}

impl Decimal {
    /// The number times 10^ten, rounded once.
    fn shifted(&self, ten: i32) -> Result<f64, String> {
        if let Some(value) = self.infinite {
            return Ok(value);
        }
        let text = format!("{}e{}", self.mantissa, self.exponent.saturating_add(ten));
        text.parse().map_err(|_| format!("\"{}\" is not a number", self.mantissa))
    }
}

/// The number at the start of the text, and its length in bytes.
fn number(text: &str) -> Result<(Decimal, usize), String> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let mut to = from;
        while to < bytes.len() && (bytes[to].is_ascii_digit() || (to > from && bytes[to] == b'_')) {
            to += 1;
        }
        to
    };
    let sign = usize::from(text.starts_with(['+', '-']));
    for (word, value) in [("inf", f64::INFINITY), ("nan", f64::NAN)] {
        if text[sign..].starts_with(word) && !text[sign + 3..].starts_with(char::is_alphabetic) {
            let value = if text.starts_with('-') { -value } else { value };
            let decimal = Decimal { mantissa: text[..sign + 3].to_owned(), exponent: 0, infinite: Some(value) };
            return Ok((decimal, sign + 3));
        }
    }
    let whole = digits(sign);
    let mut end = whole;
    let mut figures = whole - sign;
    if bytes.get(whole) == Some(&b'.') {
        end = digits(whole + 1);
        figures += end - whole - 1;
    }
    if figures == 0 {
        return Err(format!("\"{text}\" does not start with a number: write for example \"0.5 mm\""));
    }
    let mantissa = text[..end].replace('_', "");
    // An exponent only where digits follow the e.
    let mut exponent = 0;
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let stop = digits(signed);
        if stop > signed {
            let figures = text[end + 1..stop].replace('_', "");
            exponent = figures.parse().map_err(|_| format!("the exponent of \"{text}\" is out of range"))?;
            end = stop;
        }
    }
    Ok((Decimal { mantissa, exponent, infinite: None }, end))
}

/// Reads units from a text.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The number before the units.
    number: &'a str,
    wanted: Option<&'a Wanted>,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Steps over the first of `signs` that comes next.
    fn take(&mut self, signs: &[&str]) -> bool {
        let found = signs.iter().find(|sign| self.rest().starts_with(**sign));
        self.at += found.map_or(0, |sign| sign.len());
        found.is_some()
    }

    fn product(&mut self, depth: usize) -> Result<Unit, String> {
        self.skip_blanks();
        // "5 /s": a quotient with nothing above the line.
        let mut result = if self.rest().starts_with('/') { ONE } else { self.factor(depth)? };
        let mut divided = false;
        loop {
            self.skip_blanks();
            if self.rest().is_empty() || self.rest().starts_with(')') {
                return Ok(result);
            }
            let sign = if self.take(&["/"]) {
                divided = true;
                -1
            } else if self.take(&["*", "·", "⋅", "×"]) {
                1
            } else if divided {
                return Err(format!(
                    "\"{}\" can be read in two ways: put what is divided by in parentheses, as in \"kg/(m s)\"",
                    self.text
                ));
            } else {
                1
            };
            self.skip_blanks();
            let factor = self.factor(depth)?;
            result = self.combined(result, factor, sign)?;
        }
    }

    fn factor(&mut self, depth: usize) -> Result<Unit, String> {
        let base = if self.take(&["("]) {
            if depth >= MAX_DEPTH {
                return Err(format!("\"{}\" has too many parentheses", self.text));
            }
            let inner = self.product(depth + 1)?;
            if !self.take(&[")"]) {
                return Err(format!("a parenthesis is not closed in \"{}\"", self.text));
            }
            inner
        } else if self.rest().starts_with('1')
            && !self.rest()[1..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
        {
            self.at += 1;
            return Ok(ONE);
        } else {
            let length = self.rest().find(|c: char| !c.is_alphabetic() && c != '°').unwrap_or(self.rest().len());
            let name = &self.rest()[..length];
            if name.is_empty() {
                return Err(match self.rest() {
                    "" => format!("\"{}\" ends where a unit should follow", self.text),
                    rest => {
                        format!("\"{}\" is not understood from \"{rest}\" on: a unit should stand there", self.text)
                    }
                });
            }
            let unit = look_up(name).ok_or_else(|| self.unknown(name))?;
            self.at += length;
            unit
        };
        let power = self.power()?;
        self.combined(ONE, base, power)
    }

    /// The message for an unknown unit at this position. Only units that give the wanted dimension are suggested.
    fn unknown(&self, name: &str) -> String {
        let (before, after) = (&self.text[..self.at], &self.text[self.at + name.len()..]);
        let fits = |unit: &str| {
            self.wanted.is_none_or(|wanted| {
                let exponents =
                    quantity(&format!("{before}{unit}{after}"), None).ok().and_then(|found| found.exponents);
                exponents == Some(wanted.exponents)
            })
        };
        let what = format!("unknown unit \"{name}\" in \"{}\"", self.text);
        match (meant(name, fits), self.wanted) {
            (Some(unit), _) => format!("{what}; did you mean \"{unit}\"?"),
            (None, Some(wanted)) => format!("{what}; {}", wanted.needed(self.number)),
            (None, None) => format!(
                "{what}; known are m, g, s, N, Pa, J, W, Hz and rad with a prefix (n, u, m, c, d, k, M, G), and deg, min, h, in, ft"
            ),
        }
    }

    /// The power that follows a unit, 1 if there is none.
    fn power(&mut self) -> Result<i32, String> {
        const SUPERSCRIPTS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
        let caret = self.take(&["^", "**"]);
        let mut figures = String::new();
        for c in self.rest().chars() {
            if c.is_ascii_digit() || (figures.is_empty() && matches!(c, '-' | '+')) {
                figures.push(c);
            } else if let Some(digit) = SUPERSCRIPTS.chars().position(|superscript| superscript == c) {
                figures.push(char::from(b'0' + digit as u8));
            } else if c == '⁻' && figures.is_empty() {
                figures.push('-');
            } else {
                break;
            }
            self.at += c.len_utf8();
        }
        if figures.is_empty() && !caret {
            return Ok(1);
        }
        match figures.parse() {
            Ok(power) if (-MAX_POWER..=MAX_POWER).contains(&power) => Ok(power),
            _ => Err(format!(
                "\"{}\" has a power that is no whole number from -{MAX_POWER} to {MAX_POWER}: write for example \"m^2\"",
                self.text
            )),
        }
    }

    /// a · b^power, within bounds.
    fn combined(&self, a: Unit, b: Unit, power: i32) -> Result<Unit, String> {
        let (x, y) = (a.exponents, b.exponents);
        let exponents = Exponents {
            m: x.m + power * y.m,
            kg: x.kg + power * y.kg,
            s: x.s + power * y.s,
            rad: x.rad + power * y.rad,
        };
        let ten = a.ten + power * b.ten;
        let scale = a.scale * b.scale.powi(power);
        let powers = [exponents.m, exponents.kg, exponents.s, exponents.rad];
        if powers.iter().any(|power| power.abs() > 10 * MAX_POWER) || ten.abs() > 400 || !scale.is_normal() {
            return Err(format!("\"{}\" has powers beyond reason", self.text));
        }
        Ok(Unit { scale, ten, exponents })
    }
}
