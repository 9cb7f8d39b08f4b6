//! Tags of VTK's XML files. They stand on lines of their own; their attributes have no escaped quotes.

/// The value of an attribute of a tag.
pub fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.split_once(&format!(" {name}=\""))?.1;
    Some(rest.split_once('"')?.0)
}
