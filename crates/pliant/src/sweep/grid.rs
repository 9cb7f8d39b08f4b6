//! The grid of a sweep: keys with their values, and every combination of them, with repeats.

use pliant_scene::locate::split_assignment;
use serde::{Deserialize, Serialize};
use toml::Value;

use super::SweepError;

/// Largest number of runs: more are a mistake, such as one list too many or one that is too long.
pub const MAX_RUNS: usize = 100_000;

/// A key and the values it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vary {
    /// The key, as `--set` takes it.
    pub path: String,
    /// Its values, in the order of the runs; texts of TOML, so that `1e-3` and `0.001` are the same one.
    pub values: Vec<String>,
}

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// Its number, from 1.
    pub number: usize,
    /// Which of the repeats of its combination it is, from 1.
    pub repeat: usize,
    /// The value of each varied key, as texts without quotes.
    pub values: Vec<String>,
    /// The same as changes of the scene.
    pub assignments: Vec<String>,
}

impl Vary {
    /// Reads `path=value,value,...`; a comma inside of brackets or quotes belongs to a value.
    pub fn parse(text: &str) -> Result<Self, SweepError> {
        let Some((path, list)) = split_assignment(text) else {
            let message = format!("expected path=value,value, such as time.fps=30,60, got \"{text}\"");
            return Err(SweepError::Vary(message));
        };
        let path = path.trim().to_owned();
        let values = split_values(list).map_err(|why| SweepError::Vary(format!("{path}: {why}")))?;
        Self::new(path, values.iter().map(|value| value_of(value)))
    }

    /// A key and its values.
    pub fn new(path: String, values: impl IntoIterator<Item = Value>) -> Result<Self, SweepError> {
        let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
        if values.is_empty() {
            return Err(SweepError::Vary(format!("{path}: the list of values is empty")));
        }
        if let Some((k, twice)) = values.iter().enumerate().find(|(k, value)| values[..*k].contains(value)) {
            let first = values.iter().position(|value| value == twice).unwrap_or(k) + 1;
            return Err(SweepError::Vary(format!(
                "{path}: values {first} and {} are both {}; \"repeat\" runs each combination several times",
                k + 1,
                shown(twice)
            )));
        }
        Ok(Self { path, values })
    }
}

/// A value as `--set` reads it: TOML, or a plain string if it is none.
fn value_of(text: &str) -> Value {
    text.parse().unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// A value as tables and plots show it: a string without its quotes.
pub fn shown(value: &str) -> String {
    match value_of(value) {
        Value::String(text) => text,
        _ => value.to_owned(),
    }
}

/// Splits at the commas outside of brackets and quotes.
fn split_values(list: &str) -> Result<Vec<&str>, String> {
    if list.trim().is_empty() {
        return Err("the list of values is empty".into());
    }
    let (mut open, mut quote, mut escaped, mut begin) = (Vec::new(), None, false, 0);
    let mut values = Vec::new();
    for (at, c) in list.char_indices() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', Some('"')) => escaped = true,
            (c, Some(end)) if c == end => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            ('[' | '{' | '(', None) => open.push(c),
            (']' | '}' | ')', None) => {
                let partner = match c {
                    ']' => '[',
                    '}' => '{',
                    _ => '(',
                };
                if open.pop() != Some(partner) {
                    return Err(format!("a \"{c}\" closes nothing"));
                }
            }
            (',', None) if open.is_empty() => {
                values.push(list[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".into());
    }
    if let Some(bracket) = open.last() {
        return Err(format!("a \"{bracket}\" is not closed"));
    }
    values.push(list[begin..].trim());
    match values.iter().position(|value| value.is_empty()) {
        Some(k) => Err(format!("value {} of the list is empty", k + 1)),
        None => Ok(values),
    }
}

/// The number of runs, if it is not too large.
pub fn count(vary: &[Vary], repeat: usize) -> Result<usize, SweepError> {
    if repeat == 0 {
        return Err(SweepError::Grid("repeat: must be at least 1".into()));
    }
    let product = vary.iter().try_fold(repeat, |runs, one| runs.checked_mul(one.values.len()));
    match product {
        Some(runs) if runs <= MAX_RUNS => Ok(runs),
        product => {
            let lengths: Vec<String> =
                vary.iter().map(|one| one.values.len()).chain([repeat]).map(|n| n.to_string()).collect();
            let runs = product.map_or_else(|| "more than can be counted".into(), |runs| runs.to_string());
            let message = format!("{} = {runs} runs, but at most {MAX_RUNS} are allowed", lengths.join(" x "));
            Err(SweepError::Grid(message))
        }
    }
}

/// Run `k`, from 0: the last key changes fastest, and repeats follow each other.
pub fn run(vary: &[Vary], repeat: usize, k: usize) -> Run {
    let mut rest = k / repeat;
    let mut chosen = vec![0; vary.len()];
    for (at, one) in vary.iter().enumerate().rev() {
        chosen[at] = rest % one.values.len();
        rest /= one.values.len();
    }
    let pairs = || vary.iter().zip(&chosen).map(|(one, at)| (&one.path, &one.values[*at]));
    Run {
        number: k + 1,
        repeat: k % repeat + 1,
        values: pairs().map(|(_, value)| shown(value)).collect(),
        assignments: pairs().map(|(path, value)| format!("{path}={value}")).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_of_values_do_not_split() {
        let split = |text| split_values(text).map_err(|why| why.to_string());
        assert_eq!(split("1mm, 0.1mm"), Ok(vec!["1mm", "0.1mm"]));
        assert_eq!(split("[0,1,0],[0, -1, 0]"), Ok(vec!["[0,1,0]", "[0, -1, 0]"]));
        assert_eq!(
            split(r#""a,b",'c,"d',{ x = [1,2], y = "]" }"#),
            Ok(vec![r#""a,b""#, r#"'c,"d'"#, r#"{ x = [1,2], y = "]" }"#])
        );
        assert_eq!(split(r#""a\",b""#), Ok(vec![r#""a\",b""#]));
        for (wrong, why) in [
            ("", "empty"),
            (" ", "empty"),
            ("1,,2", "value 2"),
            ("1,", "value 2"),
            ("[1,2", "not closed"),
            ("1]", "closes"),
            ("\"a", "quote"),
        ] {
            assert!(split(wrong).is_err_and(|said| said.contains(why)), "{wrong:?}");
        }
    }

    #[test]
    fn values_are_the_same_however_they_are_written() {
        let vary = Vary::parse("a=1e-3,\"2 mm\",2mm").unwrap();
        assert_eq!(vary.values, ["0.001", "\"2 mm\"", "\"2mm\""]);
        assert!(
            Vary::parse("a=1e-3,0.001")
                .is_err_and(|why| why.to_string().contains("values 1 and 2") && why.to_string().contains("\"repeat\""))
        );
        assert!(Vary::parse("a").is_err() && Vary::parse("a=").is_err());
    }

    #[test]
    fn the_last_key_changes_fastest() {
        let vary = [Vary::parse("a=1,2").unwrap(), Vary::parse("b=x,[0,1]").unwrap()];
        assert_eq!(count(&vary, 2), Ok(8));
        let values: Vec<String> = (0..8)
            .map(|k| run(&vary, 2, k))
            .map(|r| format!("{}:{}:{}", r.number, r.repeat, r.values.join(";")))
            .collect();
        assert_eq!(
            values,
            [
                "1:1:1;x",
                "2:2:1;x",
                "3:1:1;[0, 1]",
                "4:2:1;[0, 1]",
                "5:1:2;x",
                "6:2:2;x",
                "7:1:2;[0, 1]",
                "8:2:2;[0, 1]"
            ]
        );
        assert_eq!(run(&vary, 2, 2).assignments, ["a=1", "b=[0, 1]"]);
    }

    #[test]
    fn absurd_grids_are_refused() {
        let long = Vary { path: "a".into(), values: (0..400).map(|k| k.to_string()).collect() };
        assert!(
            count(&[long.clone(), long.clone()], 1)
                .is_err_and(|why| why.to_string().contains("400 x 400 x 1 = 160000"))
        );
        assert!(count(&vec![long; 9], usize::MAX).is_err_and(|why| why.to_string().contains("counted")));
        assert!(count(&[], 0).is_err());
        assert_eq!(count(&[], 3), Ok(3));
    }
}
