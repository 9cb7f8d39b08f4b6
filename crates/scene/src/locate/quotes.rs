//! Typographic quotes of word processors and web pages. TOML has only straight ones, and its parser's error names neither.

/// Whether it is a quote without meaning in TOML.
pub(super) fn is_typographic(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}')
}

/// The first such quote in the line of a byte offset, where it is not part of a string, and its own offset.
pub(super) fn in_line(text: &str, offset: usize) -> Option<(char, usize)> {
    let offset = text.floor_char_boundary(offset);
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let straight = |text: &str| text.matches('"').count() + text.matches('\'').count();
    let comment = line.match_indices('#').map(|(at, _)| at).find(|at| straight(&line[..*at]) % 2 == 0);
    let line = &line[..comment.unwrap_or(line.len())];
    // An unterminated string was perhaps meant to end with this one.
    let is_open = straight(line) % 2 == 1;
    let mut quotes = line.char_indices().filter(|(_, c)| is_typographic(*c));
    let (at, quote) = quotes.find(|(at, _)| is_open || straight(&line[..*at]) % 2 == 0)?;
    Some((quote, start + at))
}

/// The message for one.
pub(super) fn refused(quote: char, place: &str) -> String {
    format!("the quote {quote} {place} is a typographic one: write straight quotes, \"...\" or '...'")
}
