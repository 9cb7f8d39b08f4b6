//! An axis: the range it shows, where a value falls on it, and ticks that can be read.

/// Values beyond this are treated as missing, so that no range overflows.
const LARGEST: f64 = 1e300;
/// Blank space at each end, as a share of the range.
const PADDING: f64 = 0.04;

/// A linear or logarithmic axis. `from` and `to` are values, or their decimal logarithms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub log: bool,
    pub from: f64,
    pub to: f64,
}

/// A labelled place on an axis, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub at: f64,
    pub label: String,
}

/// All that is drawn along an axis.
#[derive(Clone, Debug, Default)]
pub(super) struct Ticks {
    pub major: Vec<Tick>,
    pub minor: Vec<f64>,
    /// What the labels leave out: `×10⁻⁶`, `+ 1.25`.
    pub note: String,
}

impl Axis {
    /// An axis that shows all of `values` that can be shown, with some space around.
    pub fn fit(values: impl Iterator<Item = f64>, log: bool) -> Self {
        let empty = Self { log, from: 0.0, to: 1.0 };
        let (low, high) = values
            .filter_map(|value| empty.measure(value))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return empty;
        }
        let size = low.abs().max(high.abs());
        // Constant but for rounding errors: noise is not worth a picture.
        if high - low <= 1e-12 * size || high == low {
            let half = if log || size == 0.0 { 0.5 } else { 0.5 * size };
            return Self { log, from: low - half, to: high + half };
        }
        let pad = PADDING * (high - low);
        Self { log, from: low - pad, to: high + pad }
    }

    /// The value as this axis measures it, or `None` if it cannot be shown.
    pub fn measure(&self, value: f64) -> Option<f64> {
        let shown = value.is_finite() && value.abs() < LARGEST && (!self.log || value > 0.0);
        shown.then(|| if self.log { value.log10() } else { value })
    }

    /// Where the value falls, 0 at the start and 1 at the end.
    pub fn place(&self, value: f64) -> Option<f64> {
        self.measure(value).map(|measure| self.share(measure))
    }

    fn share(&self, measure: f64) -> f64 {
        (measure - self.from) / (self.to - self.from)
    }

    /// Widens the range about its middle.
    pub fn widened(&self, factor: f64) -> Self {
        let (middle, half) = (0.5 * (self.from + self.to), 0.5 * (self.to - self.from) * factor);
        Self { log: self.log, from: middle - half, to: middle + half }
    }

    /// About `room` labelled ticks.
    pub fn ticks(&self, room: usize) -> Ticks {
        let room = room.max(2);
        if !self.log {
            return self.linear_ticks(self.from, self.to, room);
        }
        let (first, last) = (self.from.ceil() as i64, self.to.floor() as i64);
        match last - first {
            1.. => self.decade_ticks(first, last, room),
            _ if self.to - self.from > 0.5 => self.digit_ticks(first - 1, last + 1),
            _ => self.linear_ticks(10f64.powf(self.from), 10f64.powf(self.to), room),
        }
    }

    /// Ticks at round multiples of 1, 2 or 5 times a power of ten between two values.
    fn linear_ticks(&self, from: f64, to: f64, room: usize) -> Ticks {
        let range = to - from;
        let step = round_step(range / room as f64);
        let (first, last) = ((from / step).ceil() as i64, (to / step).floor() as i64);
        // More than 100 only where the range is too small for this arithmetic.
        if last.saturating_sub(first) > 100 {
            return Ticks::default();
        }
        let size = from.abs().max(to.abs());
        // Far from zero: label the distance from the roundest number in or just below the range.
        let (base, base_unit) = if size > 1e4 * range { roundest(from - range, to) } else { (0.0, 1.0) };
        let largest = (from - base).abs().max((to - base).abs());
        let exponent = largest.log10().floor() as i32;
        let power = if (-3..5).contains(&exponent) { 0 } else { exponent.div_euclid(3) * 3 };
        let unit = 10f64.powi(power);
        let decimals = decimals_of(step / unit);
        let label = |value: f64| {
            let shown = (value - base) / unit;
            let shown = if shown.abs() < 1e-6 * step / unit { 0.0 } else { shown };
            minus(&format!("{shown:.decimals$}"))
        };
        let values = (first..=last).map(|k| k as f64 * step);
        let major = values.filter_map(|v| Some(Tick { at: self.place(v)?, label: label(v) })).collect();
        let mut note = if power == 0 { String::new() } else { format!("×{}", power_of_ten(power.into())) };
        if base != 0.0 {
            let sign = if base < 0.0 { "−" } else { "+" };
            let mut round = format!("{:.*}", decimals_of(base_unit), base.abs());
            if round.contains('.') {
                round.truncate(round.trim_end_matches('0').trim_end_matches('.').len());
            }
            note = format!("{note} {sign} {round}").trim_start().to_owned();
        }
        Ticks { major, minor: Vec::new(), note }
    }

    /// A label at every decade, or every few; thin lines at 2 to 9 times a decade while there is space.
    fn decade_ticks(&self, first: i64, last: i64, room: usize) -> Ticks {
        let stride = (last - first + 1).unsigned_abs().div_ceil(room as u64).max(1) as i64;
        let plain = first >= -2 && last <= 3;
        let label = |decade: i64| if plain { short(1, decade) } else { power_of_ten(decade) };
        let decades = (first..=last).filter(|decade| decade.rem_euclid(stride) == 0);
        let major = decades.map(|decade| Tick { at: self.share(decade as f64), label: label(decade) }).collect();
        let minor = match (stride, last - first) {
            (1, ..=8) => {
                (first - 1..=last).flat_map(|d| (2..=9).map(move |digit| d as f64 + f64::from(digit).log10())).collect()
            }
            (1, _) => Vec::new(),
            _ => (first..=last).map(|decade| decade as f64).collect(),
        };
        Ticks { major, minor: self.inside(minor), note: String::new() }
    }

    /// Labels at 1, 2 and 5 times a decade, for a range of about one decade.
    fn digit_ticks(&self, first: i64, last: i64) -> Ticks {
        let all = || (first..=last).flat_map(|decade| (1..=9).map(move |digit| (digit, decade)));
        let place = |(digit, decade): (i64, i64)| decade as f64 + (digit as f64).log10();
        let shown = |tick: &(i64, i64)| (self.from..=self.to).contains(&place(*tick));
        let major = all()
            .filter(|(digit, _)| matches!(digit, 1 | 2 | 5))
            .filter(shown)
            .map(|(digit, decade)| Tick { at: self.share(place((digit, decade))), label: short(digit, decade) })
            .collect();
        Ticks { major, minor: self.inside(all().map(place).collect()), note: String::new() }
    }

    fn inside(&self, measures: Vec<f64>) -> Vec<f64> {
        measures.into_iter().map(|measure| self.share(measure)).filter(|at| (0.0..=1.0).contains(at)).collect()
    }
}

/// The least of 1, 2, 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let exponent = least.log10().floor() as i32;
    let steps = [(1.0, exponent), (2.0, exponent), (5.0, exponent), (1.0, exponent + 1)];
    // Dividing by a positive power keeps 0.1 and its like exact.
    let value = |(digit, exponent): (f64, i32)| match exponent {
        0.. => digit * 10f64.powi(exponent),
        _ => digit / 10f64.powi(-exponent),
    };
    steps.map(value).into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(least)
}

/// The multiple of the largest power of ten between two values, and that power.
fn roundest(from: f64, to: f64) -> (f64, f64) {
    let first = from.abs().max(to.abs()).log10().ceil() as i32;
    let candidates = (0..17).map(|k| 10f64.powi(first - k)).map(|unit| ((from / unit).ceil() * unit, unit));
    candidates.into_iter().find(|(base, _)| (from..=to).contains(base)).unwrap_or((0.0, 1.0))
}

/// Decimals needed to tell multiples of `step` apart.
fn decimals_of(step: f64) -> usize {
    (-(step.log10() + 1e-9).floor()).clamp(0.0, 17.0) as usize
}

/// digit · 10^decade, in full where that is short.
fn short(digit: i64, decade: i64) -> String {
    match decade {
        0..=4 => format!("{}", digit * 10i64.pow(decade as u32)),
        -3..=-1 => format!("{:.*}", decade.unsigned_abs() as usize, digit as f64 * 10f64.powi(decade as i32)),
        _ if digit == 1 => power_of_ten(decade),
        _ => format!("{digit}×{}", power_of_ten(decade)),
    }
}

fn power_of_ten(exponent: i64) -> String {
    const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = exponent.to_string();
    let raised = raised.chars().map(|c| c.to_digit(10).map_or('⁻', |digit| SUPERSCRIPTS[digit as usize]));
    std::iter::once("10".to_owned()).chain(raised.map(String::from)).collect()
}

/// A true minus sign: as wide as the plus.
fn minus(number: &str) -> String {
    number.replacen('-', "−", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64], log: bool) -> (Vec<String>, String) {
        let ticks = Axis::fit(values.iter().copied(), log).ticks(5);
        assert!(ticks.major.iter().all(|tick| (-1e-9..=1.0 + 1e-9).contains(&tick.at)), "{ticks:?}");
        (ticks.major.into_iter().map(|tick| tick.label).collect(), ticks.note)
    }

    #[test]
    fn linear_labels() {
        assert_eq!(labels(&[0.0, 1.0], false).0, ["0.0", "0.5", "1.0"]);
        assert_eq!(labels(&[-1.0, 1.0], false).0, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(&[0.0, 1200.0], false).0, ["0", "500", "1000"]);
        assert_eq!(
            labels(&[0.0, 4e-6], false),
            (["0", "1", "2", "3", "4"].map(String::from).to_vec(), "×10⁻⁶".to_owned())
        );
        assert_eq!(labels(&[0.0, 4e7], false).1, "×10⁶");
    }

    #[test]
    fn far_from_zero_the_rest_is_labelled() {
        let (labels, note) = labels(&[9.81, 9.81 + 4e-6], false);
        assert_eq!(note, "×10⁻⁶ + 9.81");
        assert_eq!(labels, ["0", "1", "2", "3", "4"]);
    }

    #[test]
    fn log_labels() {
        assert_eq!(labels(&[1e-6, 1e-2], true).0, ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]);
        assert_eq!(labels(&[0.1, 100.0], true).0, ["0.1", "1", "10", "100"]);
        assert_eq!(labels(&[2.0, 9.0], true).0, ["2", "5"]);
        assert_eq!(
            labels(&[1.0, 1.1], true).0,
            ["1.00", "1.05", "1.10"],
            "{:?}",
            Axis::fit([1.0, 1.1].into_iter(), true)
        );
        let many = labels(&[1e-30, 1e30], true).0;
        assert!(many.len() <= 6 && many.len() >= 3, "{many:?}");
    }

    #[test]
    fn odd_ranges_have_ticks_or_none_but_no_panic() {
        let odd =
            [0.0, -0.0, 1.0, -1.0, 1e-300, 1e299, -1e299, 1e301, f64::MAX, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE];
        for a in odd {
            for b in odd {
                for log in [false, true] {
                    let axis = Axis::fit([a, b].into_iter(), log);
                    assert!(axis.from < axis.to, "{a} {b} {axis:?}");
                    assert!(axis.ticks(6).major.len() < 40, "{a} {b} {axis:?}");
                }
            }
        }
    }
}
