//! Frequent mistakes in first scenes.

use super::*;
use crate::language::Language;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Bodies {
    version: u32,
    #[serde(default)]
    cloth: Vec<Cloth>,
    #[serde(default)]
    formats: Vec<String>,
    time: Option<Time>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Cloth {
    name: String,
    columns: usize,
    #[serde(default)]
    pins: Vec<Pin>,
    contact: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Pin {
    side: String,
}

fn of_bodies(document: &Document) -> String {
    document.deserialize::<Bodies>().map_or_else(|error| error.to_string(), |bodies| format!("{bodies:?}"))
}

fn bodies(text: &str) -> String {
    of_bodies(&document(text))
}

const TWO: &str =
    "version = 1\n[[cloth]]\nname = \"towel\"\ncolumns = 4\n[[cloth]]\nname = \"table cloth\"\ncolumns = 5\n";

fn set(assignment: &str) -> Result<Document, String> {
    let mut document = document(TWO);
    document.set(assignment).map(|()| document).map_err(|error| error.to_string())
}

#[test]
fn unknown_keys_win_over_missing_ones() {
    assert_eq!(
        said("version = 1\n[tme]\nuntil = 2\n[time.control]\nkind = \"fixed\"\ndt = 1e-3\n"),
        "scene.toml:2: tme: unknown key \"tme\"; did you mean \"time\"?"
    );
    assert_eq!(
        said("[time]\nunitl = 2\n[time.control]\nkind = \"fixed\"\n"),
        "scene.toml:2: time.unitl: unknown key \"unitl\"; did you mean \"until\"?",
        "the step is missing, and the version"
    );
}

#[test]
fn elements_that_are_left_out_keep_their_numbers() {
    assert_eq!(
        bodies("version = 1\n[[cloth]]\nname = \"a\"\n[[cloth]]\ncolumns = 1\n[[cloth]]\nname = \"c\"\ncolmns = 3\n"),
        "scene.toml:8: cloth[2].colmns: unknown key \"colmns\"; did you mean \"columns\"?"
    );
    assert_eq!(
        bodies("version = 1\n[[cloth]]\nname = \"a\"\n[[cloth]]\nname = \"c\"\n"),
        "scene.toml:2: cloth[0]: the key \"columns\" is missing",
        "nothing is unknown: the first that is missing"
    );
}

#[test]
fn one_table_where_several_may_be() {
    let cloth = |text: &str| bodies(&format!("version = 1\n{text}"));
    assert_eq!(
        cloth("[cloth]\nname = \"a\"\ncolumns = 2\n"),
        "scene.toml:2: cloth: needs an array of tables: write [[cloth]] instead of [cloth]"
    );
    assert_eq!(
        cloth("[ cloth ] # a towel\nname = \"a\"\n"),
        "scene.toml:2: cloth: needs an array of tables: write [[cloth]] instead of [cloth]",
        "whatever else is wrong in it"
    );
    assert_eq!(
        cloth("[[cloth]]\nname = \"a\"\ncolumns = 2\n[cloth.pins]\nside = \"top\"\n"),
        "scene.toml:5: cloth[0].pins: needs an array of tables: write [[cloth.pins]] instead of [cloth.pins]"
    );
    assert_eq!(
        cloth("[[cloth]]\nname = \"a\"\ncolumns = 2\npins = { side = \"top\" }\n"),
        "scene.toml:5: cloth[0].pins: needs an array of tables: write pins = [{ ... }]"
    );
    assert_eq!(
        cloth("[cloth.pins]\nside = \"top\"\n"),
        "scene.toml:2: cloth: needs an array of tables: begin it with [[cloth]]"
    );
    assert_eq!(cloth("cloth.name = \"a\"\n"), "scene.toml:2: cloth: needs an array of tables: begin it with [[cloth]]");
    assert_eq!(
        cloth("[formats]\na = 1\n"),
        "scene.toml:2: formats: needs an array, but this is a table",
        "an array of something else"
    );
    assert_eq!(
        of_bodies(&set("cloth[0].pins={ side = \"top\" }").unwrap()),
        "cloth[0].pins={ side = \"top\" }: cloth[0].pins: needs an array of tables: write pins=[{ ... }]"
    );
    let mut empty = document("version = 1\n");
    empty.set("cloth.towel.columns=2").unwrap();
    assert_eq!(
        of_bodies(&empty),
        "cloth.towel.columns=2: cloth: the scene has no [[cloth]] in which something could be changed"
    );
}

#[test]
fn typographic_quotes_are_named() {
    let error = |text: &str| Document::parse("scene.toml", text).map(|_| ()).unwrap_err().to_string();
    let straight = "is a typographic one: write straight quotes, \"...\" or '...'";
    for (line, quote, column) in [
        ("name = “towel”", '“', 8),
        ("name = ‘towel’", '‘', 8),
        ("name = \"towel”", '”', 14),
        ("“name” = 3", '“', 1),
        ("pins = [\"a\", „b“]", '„', 14),
    ] {
        assert_eq!(
            error(&format!("version = 1\n{line}\n")),
            format!("scene.toml:2: the quote {quote} at column {column} {straight}"),
            "{line}"
        );
    }
    assert!(error("title = \"a “net”\" x").contains("not valid TOML"), "quotes inside of a string are no mistake");
    assert!(error("title = 3 x # a “net”").contains("not valid TOML"), "nor are they in a comment");
    assert!(Document::parse("scene.toml", "title = \"a “net”\"").is_ok());
    assert_eq!(
        set("cloth[0].name=“towel”").unwrap_err(),
        format!("cloth[0].name=“towel”: cloth[0].name: the quote “ before the value {straight}")
    );
}

#[test]
fn elements_are_found_by_their_names() {
    for (assignment, at) in [
        ("cloth.towel.columns=9", 0),
        ("cloth.\"table cloth\".columns=9", 1),
        ("cloth.1.columns=9", 1),
        ("cloth[1].columns=9", 1),
    ] {
        let document = set(assignment).unwrap();
        assert_eq!(document.value()["cloth"][at]["columns"].as_integer(), Some(9), "{assignment}");
    }
    let refused = |assignment: &str, message: &str| {
        assert_eq!(set(assignment).map(|_| ()).unwrap_err(), format!("{assignment}: {message}"));
    };
    refused("cloth.towl.columns=9", "cloth.towl.columns: nothing in cloth is called \"towl\"; did you mean \"towel\"?");
    refused(
        "cloth.curtain.columns=9",
        "cloth.curtain.columns: nothing in cloth is called \"curtain\"; there are: towel, table cloth",
    );
    refused(
        "cloth.columns=9",
        "cloth.columns: cloth is an array: write an index or a name, as in cloth[0].columns or cloth.towel.columns",
    );
    refused("cloht[0].columns=9", "cloht[0].columns: there is no cloht to take element 0 of; did you mean \"cloth\"?");
    assert_eq!(
        of_bodies(&set("cloth.towel.colums=9").unwrap()),
        "cloth.towel.colums=9: cloth[0].colums: unknown key \"colums\"; did you mean \"columns\"?"
    );
}

#[test]
fn whole_numbers_with_a_point() {
    assert_eq!(
        bodies("version = 1\n[[cloth]]\nname = \"a\"\ncolumns = 15.0\n"),
        "scene.toml:4: cloth[0].columns: needs a whole number, 0 or more: write 15 instead of 15.0"
    );
}

/// What Python's objects are called there.
#[test]
fn the_words_of_python() {
    let told = |text: &str| of_bodies(&document(text).told_in(Language::Python, Language::Python));
    for (line, message) in [
        ("columns = 15.0", "4: cloth[0].columns: needs an int, 0 or more: write 15 instead of 15.0"),
        ("columns = 1.5", "4: cloth[0].columns: needs an int, 0 or more, but this is the float 1.5"),
        ("columns = [1]", "4: cloth[0].columns: needs an int, 0 or more, but this is a list"),
        ("columns = true", "4: cloth[0].columns: needs an int, 0 or more, but this is True"),
        ("columns = 1\ncontact = 1", "5: cloth[0].contact: needs True or False, but this is the int 1"),
        ("columns = 1\npins = 4", "5: cloth[0].pins: needs a list, but this is the int 4"),
        (
            "columns = 1\npins.side = \"top\"",
            "5: cloth[0].pins: needs a list of dicts, but this is a dict: write [{...}]",
        ),
    ] {
        let text = format!("version = 1\n[[cloth]]\nname = \"a\"\n{line}\n");
        assert_eq!(told(&text), format!("scene.toml:{message}"), "{line}");
    }
    assert_eq!(told(""), "scene.toml:1: the key \"version\" is missing: add \"version\": 1");
    let mut file = document(TWO).told_in(Language::Toml, Language::Python);
    assert_eq!(
        file.set("cloth.columns.x=1").map_err(|error| error.message).unwrap_err(),
        "nothing in cloth is called \"columns\"; there are: towel, table cloth"
    );
    assert_eq!(
        file.set("time[0]=1").and_then(|()| file.set("cloth=2")).map_err(|error| error.message).unwrap_err(),
        "there is no time to take element 0 of"
    );
    file.set("cloth[0].pins={ side = \"top\" }").unwrap();
    assert!(
        of_bodies(&file).ends_with("needs a list of dicts, but this is a dict: write [{...}]"),
        "a change is Python's"
    );
    let mut empty = document("version = 1\n").told_in(Language::Toml, Language::Python);
    empty.set("cloth.towel.columns=2").unwrap();
    assert!(of_bodies(&empty).ends_with("cloth: the scene has no \"cloth\" in which something could be changed"));
    let file = document("version = 1\n[cloth]\n").told_in(Language::Toml, Language::Python);
    assert!(of_bodies(&file).ends_with("write [[cloth]] instead of [cloth]"), "a file is TOML, whoever reads it");
}
