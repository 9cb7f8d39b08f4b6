//! Every message here is what an author of a scene reads.

use serde::Deserialize;

mod newcomers;

use super::*;
use crate::units::{Length, Stiffness, Vec3Of, dimension};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Scene {
    version: u32,
    time: Time,
    #[serde(default)]
    springs: Vec<Spring>,
    shape: Option<Shape>,
    title: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Time {
    until: f64,
    integrator: Option<Integrator>,
    control: Option<Control>,
    gravity: Option<Vec3Of<dimension::Acceleration>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Integrator {
    BackwardEuler,
    Verlet,
}

/// Internally tagged, so serde reads it into a buffer and forgets where things were.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code)]
enum Control {
    Fixed { dt: f64 },
    ForceError { tolerance: Length, alpha: Option<f64> },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code)]
enum Shape {
    Sphere { radius: f64 },
    Plane { normal: [f64; 3] },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Spring {
    stiffness: Stiffness,
    rest: Option<Length>,
    fixed: Option<bool>,
}

const GOOD: &str = r#"version = 1
# a comment
[time]
until = 2.0
integrator = "verlet"

[time.control]
kind = "force-error"
tolerance = "0.1 mm"

[[springs]]
stiffness = "100 N/m"
rest = 1

[[springs]]
stiffness = 50
"#;

fn document(text: &str) -> Document {
    Document::parse("scene.toml", text).unwrap()
}

fn said(text: &str) -> String {
    document(text).deserialize::<Scene>().unwrap_err().to_string()
}

fn said_with(settings: &[&str]) -> String {
    let mut document = document(GOOD);
    for setting in settings {
        if let Err(error) = document.set(setting) {
            return error.to_string();
        }
    }
    document.deserialize::<Scene>().map_or_else(|error| error.to_string(), |scene| format!("{scene:?}"))
}

#[test]
fn a_good_file_is_read() {
    let scene: Scene = document(GOOD).deserialize().unwrap();
    assert_eq!(scene.time.until, 2.0);
    assert_eq!(scene.springs[0].stiffness.si(), 100.0);
    assert!(matches!(scene.time.control, Some(Control::ForceError { tolerance, .. }) if tolerance.si() == 1e-4));
}

#[test]
fn syntax_errors_have_line_and_column() {
    let error = |text: &str| Document::parse("scene.toml", text).unwrap_err().to_string();
    assert_eq!(
        error("version = 1\nname = \"é\" x\n"),
        "scene.toml:2: not valid TOML at column 12: unexpected key or value, expected newline, `#`"
    );
    assert_eq!(error("a = 1\r\na = 2"), "scene.toml:2: not valid TOML at column 1: duplicate key");
    assert!(error("[time\n").starts_with("scene.toml:1: not valid TOML at column 6: unclosed table"));
    assert!(error("\u{feff}a = ").starts_with("scene.toml:1: not valid TOML at column 5: "));
    let range = "does not fit: integers go from -9223372036854775808 to 9223372036854775807";
    for number in ["9999999999999999999", "99999999999999999999", "-99999999999999999999", &"9".repeat(50)] {
        assert_eq!(error(&format!("a = 1\nb = {number}")), format!("scene.toml:2: the integer at column 5 {range}"));
    }
}

#[test]
fn unknown_keys_are_found_where_they_stand() {
    assert_eq!(
        said(&GOOD.replace("stiffness = 50", "stifness = 50")),
        "scene.toml:16: springs[1].stifness: unknown key \"stifness\"; did you mean \"stiffness\"?"
    );
    assert_eq!(
        said("version = 1\ntime = { until = 1, colour = 2 }"),
        "scene.toml:2: time.colour: unknown key \"colour\"; known keys: until, integrator, control, gravity"
    );
    assert_eq!(said("version = 1\ntiem.until = 1"), "scene.toml:2: tiem: unknown key \"tiem\"; did you mean \"time\"?");
    let buffered = GOOD.replace("tolerance =", "tolerence =");
    assert_eq!(
        said(&buffered),
        "scene.toml:9: time.control.tolerence: unknown key \"tolerence\"; did you mean \"tolerance\"?"
    );
    assert_eq!(
        said("version = 1\ntime.until = 1\n[shape]\nsphere.radus = 1"),
        "scene.toml:4: shape.sphere.radus: unknown key \"radus\"; did you mean \"radius\"?"
    );
    assert_eq!(
        said("version = 1\ntime.until = 1\n[shape.spere]\nradius = 1"),
        "scene.toml:3: shape.spere: unknown key \"spere\"; did you mean \"sphere\"?"
    );
}

#[test]
fn unknown_values() {
    assert_eq!(
        said(&GOOD.replace("\"verlet\"", "\"verlt\"")),
        "scene.toml:5: time.integrator: unknown value \"verlt\"; did you mean \"verlet\"?"
    );
    assert_eq!(
        said(&GOOD.replace("\"verlet\"", "\"magic\"")),
        "scene.toml:5: time.integrator: unknown value \"magic\"; known values: backward-euler, verlet"
    );
    assert_eq!(
        said(&GOOD.replace("\"force-error\"", "\"force_error\"")),
        "scene.toml:8: time.control.kind: unknown value \"force_error\"; did you mean \"force-error\"?"
    );
}

#[test]
fn wrong_types() {
    for (from, to, message) in [
        ("2.0", "\"long\"", "4: time.until: needs a number, but this is the string \"long\""),
        ("2.0", "2020-01-01", "4: time.until: needs a number, but this is the date 2020-01-01"),
        ("\"verlet\"", "5", "5: time.integrator: needs a string or a table, but this is the integer 5"),
        (
            "version = 1",
            "version = -1",
            "1: version: needs a whole number from 0 to 4294967295, but this is the integer -1",
        ),
        (
            "version = 1",
            "version = 1.5",
            "1: version: needs a whole number from 0 to 4294967295, but this is the number 1.5",
        ),
        (
            "version = 1",
            "version = 5000000000",
            "1: version: needs a whole number from 0 to 4294967295, but this is the integer 5000000000",
        ),
        ("rest = 1", "fixed = 1", "13: springs[0].fixed: needs true or false, but this is the integer 1"),
        (
            "rest = 1",
            "rest = [1]",
            "13: springs[0].rest: needs a length in metres, or a string with a unit such as \"0.5 mm\", but this is an array",
        ),
        (
            "rest = 1",
            "rest = \"1 s\"",
            "13: springs[0].rest: \"1 s\" is a time, but a length is needed here: write it in m, mm, cm, um, km, in or ft",
        ),
        (
            "\"0.1 mm\"",
            "\"0.1 kg\"",
            "9: time.control.tolerance: \"0.1 kg\" is a mass, but a length is needed here: write it in m, mm, cm, um, km, in or ft",
        ),
        (
            "kind = \"force-error\"\ntolerance = \"0.1 mm\"",
            "kind = \"fixed\"\ndt = true",
            "9: time.control.dt: needs a number, but this is true",
        ),
    ] {
        assert_eq!(said(&GOOD.replacen(from, to, 1)), format!("scene.toml:{message}"));
    }
    let other = |line: &str| said(&format!("version = 1\ntime.until = 1\n{line}"));
    assert_eq!(other("time.gravity = [0, 1]"), "scene.toml:3: time.gravity: needs 3 elements, but this has 2");
    assert_eq!(other("time.gravity = [0, 1, 2,\n 3]"), "scene.toml:3: time.gravity: has 4 elements, which is too many");
    assert_eq!(
        other("time.gravity = [0, 1,\n  \"2 m\"]"),
        "scene.toml:4: time.gravity[2]: \"2 m\" is a length, but an acceleration is needed here: \
         write for example \"2 m/s^2\""
    );
    assert_eq!(other("springs = 4"), "scene.toml:3: springs: needs an array, but this is the integer 4");
    assert_eq!(other("shape = \"sphere\""), "scene.toml:3: shape: needs a table, but this is the string \"sphere\"");
    assert_eq!(
        other("shape = { sphere = { radius = 1 }, plane = { normal = [0, 1, 0] } }"),
        "scene.toml:3: shape: needs exactly one key, but this has plane, sphere"
    );
}

#[test]
fn missing_keys_are_reported_at_their_table() {
    let version = "scene.toml:1: the key \"version\" is missing: write version = 1 as the first line of the file";
    assert_eq!(said(""), version);
    assert_eq!(said("[time]\nuntil = 1"), version);
    assert_eq!(said("version = 1\n\n[time]\n"), "scene.toml:3: time: the key \"until\" is missing");
    assert_eq!(
        said("version = 1\ntime.until = 1\n[[springs]]\nstiffness = 1\n[[springs]]\nrest = 1"),
        "scene.toml:5: springs[1]: the key \"stiffness\" is missing"
    );
    assert_eq!(
        said("version = 1\ntime.until = 1\nsprings = [\n  { stiffness = 1 },\n  { rest = 1 },\n]"),
        "scene.toml:5: springs[1]: the key \"stiffness\" is missing"
    );
    assert_eq!(
        said("version = 1\n[time.control]\nkind = \"fixed\"\n[time]\nuntil = 1"),
        "scene.toml:2: time.control: the key \"dt\" is missing"
    );
}

#[test]
fn later_checks_find_the_line() {
    let document = document(GOOD);
    let at = |path: &str| document.at(path, "is wrong").to_string();
    assert_eq!(at("springs[0].rest"), "scene.toml:13: springs[0].rest: is wrong");
    assert_eq!(at("springs.0.rest"), "scene.toml:13: springs[0].rest: is wrong");
    assert_eq!(at("springs[1]"), "scene.toml:15: springs[1]: is wrong");
    assert_eq!(at("springs[1].rest"), "scene.toml:15: springs[1].rest: is wrong", "falls back to the header");
    assert_eq!(at("time.control.law"), "scene.toml:7: time.control.law: is wrong");
    assert_eq!(at("world.gravity"), "scene.toml: world.gravity: is wrong");
    assert_eq!(at(""), "scene.toml: is wrong");
    assert_eq!(at("a..b"), "scene.toml: a..b: is wrong");
}

#[test]
fn settings_change_values() {
    let mut document = document(GOOD);
    for setting in [
        "time.until=3",
        "springs[0].stiffness=5 kN/m",
        "springs.1.rest = \"2 mm\"",
        "title=hello = world",
        "time.control={ kind = \"fixed\", dt = 1e-3 }",
        "shape.plane.normal=[0, 1, 0]",
    ] {
        document.set(setting).unwrap();
    }
    let scene: Scene = document.deserialize().unwrap();
    assert_eq!(scene.time.until, 3.0);
    assert_eq!(scene.springs[0].stiffness.si(), 5000.0);
    assert_eq!(scene.springs[1].rest.unwrap().si(), 2e-3);
    assert_eq!(scene.title.as_deref(), Some("hello = world"));
    assert!(matches!(scene.time.control, Some(Control::Fixed { dt: 1e-3 })));
    assert!(matches!(scene.shape, Some(Shape::Plane { normal: [0.0, 1.0, 0.0] })));
}

#[test]
fn wrong_settings_are_refused() {
    for (setting, message) in [
        ("time.until", "expected path=value, such as time.until=2, got \"time.until\""),
        ("=2", "the path is empty: write for example time.until"),
        ("time.=2", "time.: ends with a dot"),
        ("springs[0=2", "springs[0: a bracket is not closed"),
        ("springs[x].rest=2", "springs[x].rest: [x] is no index: write for example [0]"),
        ("springs[2].rest=2", "springs[2].rest: springs has 2 elements, so there is no [2] (the first is [0])"),
        ("springs.7.rest=2", "springs.7.rest: springs has 2 elements, so there is no [7] (the first is [0])"),
        ("springs.rest=2", "springs.rest: springs is an array: write an index, as in springs[0].rest"),
        ("time[0]=2", "time[0]: time is a table, not an array: [0] has no meaning there"),
        ("[0]=2", "[0]: the scene is a table, not an array: [0] has no meaning there"),
        ("time.until.x=2", "time.until.x: time.until is the number 2: there is nothing inside of it"),
        ("cloth[0].x=2", "cloth[0].x: there is no cloth to take element 0 of"),
    ] {
        assert_eq!(said_with(&[setting]), format!("{setting}: {message}"));
    }
    let mut document = document(GOOD);
    assert!(document.set("new.table[0]=1").is_err());
    assert!(document.value().get("new").is_none(), "a refused setting changes nothing");
    assert!(document.set(&format!("{}=1", "a.".repeat(10_000) + "a")).is_err());
}

#[test]
fn the_command_line_is_blamed_for_what_it_set() {
    assert_eq!(
        said_with(&["time.integrator=verlt"]),
        "time.integrator=verlt: time.integrator: unknown value \"verlt\"; did you mean \"verlet\"?"
    );
    assert_eq!(
        said_with(&["time.contrl.tolerance=1"]),
        "time.contrl.tolerance=1: time.contrl: unknown key \"contrl\"; did you mean \"control\"?"
    );
    assert_eq!(
        said_with(&["time.control={ kind = \"fixed\" }"]),
        "time.control={ kind = \"fixed\" }: time.control: the key \"dt\" is missing"
    );
    let mut document = document(GOOD);
    document.set("springs[1].rest=-1").unwrap();
    let wrong = document.at("springs[1].rest", "is negative");
    assert_eq!(wrong.to_string(), "springs[1].rest=-1: springs[1].rest: is negative");
    assert_eq!(
        wrong.told(&|change| format!("--set {change}")),
        "--set springs[1].rest=-1: springs[1].rest: is negative"
    );
    assert_eq!(document.at("springs[0].rest", "is long").to_string(), "scene.toml:13: springs[0].rest: is long");
    assert_eq!(document.at("springs[1]", "is odd").to_string(), "scene.toml:15: springs[1]: is odd");
    let pair = document.at_one_of(&["springs[0].rest", "springs[1].rest"], "do not fit");
    assert_eq!(pair.to_string(), "springs[1].rest=-1: springs[1].rest: do not fit");
    let pair = document.at_one_of(&["springs[0].rest", "springs[0].stiffness"], "do not fit");
    assert_eq!(pair.to_string(), "scene.toml:13: springs[0].rest: do not fit");
    document.set("springs[1].rest = -2").unwrap();
    assert_eq!(
        document.at("springs[1].rest", "no").to_string(),
        "springs[1].rest = -2: springs[1].rest: no",
        "the last"
    );
}

#[test]
fn quoted_keys() {
    let mut document = document("[presets.\"my cloth\"]\ndensity = 1\n\"a.b\" = 2\n");
    assert_eq!(
        document.at("presets.\"my cloth\".\"a.b\"", "no").to_string(),
        "scene.toml:3: presets.\"my cloth\".\"a.b\": no"
    );
    document.set("presets.'my cloth'.\"x=y\"=3").unwrap();
    assert_eq!(document.value()["presets"]["my cloth"]["x=y"].as_integer(), Some(3));
}

#[test]
fn written_back() {
    let mut document = document(GOOD);
    assert_eq!(document.to_toml(), GOOD, "untouched: the very text, with its comments");
    document.set("time.until=3").unwrap();
    document.set("springs[0].stiffness=5 kN/m").unwrap();
    let text = document.to_toml();
    assert!(
        text.starts_with("# scene.toml, changed by\n#   --set time.until=3\n#   --set springs[0].stiffness=5 kN/m\n")
    );
    let again = Document::parse("again.toml", &text).unwrap();
    assert_eq!(again.value(), document.value());
}
