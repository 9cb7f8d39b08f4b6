//! "Did you mean …?": the known word nearest to one that was mistyped.
//!
//! The distance is that of optimal string alignment (insert, delete, replace, swap neighbours), on lower-case words in which `-`, `_` and
//! blanks are the same letter.

use strsim::osa_distance;

/// The word of `known` that `word` was most likely meant to be, or `None` if nothing is close.
///
/// One typing error is allowed in short words and one per three letters in longer ones, but never so many that no letter
/// remains. Failing that, a word of at least three letters finds the only known word that begins with it (`youngs` →
/// `youngs_modulus`) or that it begins with (`poisson_ratio` → `poisson`). The earliest of equals wins.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = normalise(word);
    let mut best: Option<(usize, &'a str)> = None;
    let mut prefixed = Vec::new();
    for candidate in known {
        let letters = normalise(candidate);
        let distance = osa_distance(&word, &letters);
        let (count, known) = (word.chars().count(), letters.chars().count());
        let longest = count.max(known);
        let close = distance <= (longest / 3).max(1) && distance < longest;
        if close && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
        if count.min(known) >= 3 && (letters.starts_with(&word) || word.starts_with(&letters)) {
            prefixed.push(candidate);
        }
    }
    match (best, prefixed.as_slice()) {
        (Some((_, candidate)), _) => Some(candidate),
        (None, [only]) => Some(only),
        _ => None,
    }
}

fn normalise(word: &str) -> String {
    let fold = |c: char| if matches!(c, '-' | ' ') { '_' } else { c };
    word.chars().flat_map(char::to_lowercase).map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(a: &str, b: &str) -> usize {
        osa_distance(&normalise(a), &normalise(b))
    }

    #[test]
    fn distances() {
        assert_eq!(between("", ""), 0);
        assert_eq!(between("", "abc"), 3);
        assert_eq!(between("abc", ""), 3);
        assert_eq!(between("kitten", "sitting"), 3);
        assert_eq!(between("stifness", "stiffness"), 1);
        assert_eq!(between("tiem", "time"), 1, "a swap counts once");
        assert_eq!(between("ca", "abc"), 3, "restricted form: 3, not 2");
        assert_eq!(between("Young-Modulus", "young_modulus"), 0);
    }

    #[test]
    fn finds_what_was_meant() {
        let keys = ["stiffness", "damping", "rest_length", "poisson", "youngs_modulus"];
        assert_eq!(nearest("stifness", keys), Some("stiffness"));
        assert_eq!(nearest("Stiffness", keys), Some("stiffness"));
        assert_eq!(nearest("rest-length", keys), Some("rest_length"));
        assert_eq!(nearest("restlenght", keys), Some("rest_length"));
        assert_eq!(nearest("poisson_ratio", keys), Some("poisson"));
        assert_eq!(nearest("youngs", keys), Some("youngs_modulus"));
    }

    #[test]
    fn says_nothing_rather_than_nonsense() {
        assert_eq!(nearest("colour", ["stiffness", "damping"]), None);
        assert_eq!(nearest("x", ["m", "s"]), None);
        assert_eq!(nearest("", ["m"]), None);
        assert_eq!(nearest("time", []), None);
        assert_eq!(nearest("dt_", ["dt_max", "dt_min"]), None, "two words begin so");
    }

    #[test]
    fn the_earliest_of_equals_wins() {
        assert_eq!(nearest("kat", ["cat", "bat"]), Some("cat"));
        assert_eq!(nearest("bat", ["cat", "bat"]), Some("bat"));
    }
}
