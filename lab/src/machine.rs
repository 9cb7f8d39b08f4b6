//! What a report was made with.

use std::time::{SystemTime, UNIX_EPOCH};

/// A name and a value each: the command, the version, the processor, the day.
pub fn made_with(command: &str) -> Vec<(String, String)> {
    let build = if cfg!(debug_assertions) { "development build" } else { "release build" };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let level = pliant::summary::instruction_level();
    [
        ("Command", command.to_owned()),
        ("Version", format!("pliant {}, {build}", env!("CARGO_PKG_VERSION"))),
        ("Machine", format!("{}, {cores} cores, {level}, {}", processor(), std::env::consts::OS)),
        ("Day", today()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

/// As Linux names it; elsewhere only its kind is known.
fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let [year, month, day] = date(days);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day from the number of days since the start of 1970, by the Gregorian calendar.
fn date(mut days: u64) -> [u64; 3] {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    [year, month, days + 1]
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_have_dates() {
        for (days, expected) in
            [(0, [1970, 1, 1]), (59, [1970, 3, 1]), (11_016, [2000, 2, 29]), (20_453, [2025, 12, 31])]
        {
            assert_eq!(date(days), expected);
        }
    }
}
