//! Tables of the book that say what the code says: parameters from the JSON Schema, their ranges from what validation answers to a value
//! that no number can be, presets, integrators and pairs from their catalogs. They stand between
//! `<!-- generated: … -->` and `<!-- end of generated -->`. `PLIANT_BLESS=1 cargo test -p pliant-cli --test book tables` writes them anew.

use crate::markdown;

use std::fmt::Write as _;

use markdown::pages;
use pliant::forces::cloth::presets::FABRICS;
use pliant::forces::peridynamics::presets::BRITTLE;
use pliant::forces::rope::ROPES;
use pliant::forces::solid::presets::STUFFS;
use pliant::linalg::catalog::{PRECONDITIONERS, SOLVERS};
use pliant::scene::units::{Dimension, dimension};
use pliant::scene::{Scene, SceneError, from_text};
use pliant::time::catalog::INTEGRATORS;
use pliant::time::control::catalog::{CONTROLLERS, LAWS};
use pliant::time::control::{ControlKind, ControlSpec, Law};
use pliant::time::{Stability, Symplectic};
use serde_json::Value;

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end of generated -->";

#[test]
fn tables_say_what_the_code_says() {
    let schema = serde_json::to_value(schemars::schema_for!(Scene)).expect("the schema is JSON");
    let bless = std::env::var_os("PLIANT_BLESS").is_some_and(|value| value == "1");
    let mut count = 0;
    for page in pages() {
        let mut parts = page.text.split(BEGIN);
        let mut right = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (what, rest) = part.split_once(" -->\n").expect("a mark ends in its line");
            let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("{}: {what} has no end", page.name));
            let table = generate(what, &schema).unwrap_or_else(|| panic!("{}: no table is called {what}", page.name));
            write!(right, "{BEGIN}{what} -->\n{table}{END}{after}").expect("strings can be written");
            count += 1;
        }
        if bless && right != page.text {
            std::fs::write(&page.path, right).expect("the book can be written");
        } else {
            assert!(
                right == page.text,
                "{}: tables have changed; `PLIANT_BLESS=1 cargo test -p pliant-cli --test book tables` writes them anew",
                page.name
            );
        }
    }
    assert!(count > 20, "only {count} tables are generated");
}

/// Every table of a scene has its parameters in the book.
#[test]
fn every_key_of_a_scene_is_in_the_book() {
    let schema = serde_json::to_value(schemars::schema_for!(Scene)).expect("the schema is JSON");
    let all: String = pages().into_iter().map(|page| page.text).collect();
    for (name, table) in schema["$defs"].as_object().expect("the schema has definitions") {
        let is_table = table.get("properties").is_some();
        let marked = format!("{BEGIN}parameters {name} ");
        // a generator numbers what has one name twice, and no reader can tell such names apart
        assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "two tables of a scene have the name of {name}");
        assert!(!is_table || all.contains(&marked), "no page has `parameters {name}`");
    }
}

fn generate(what: &str, schema: &Value) -> Option<String> {
    let words: Vec<&str> = what.split(' ').collect();
    match words[..] {
        ["parameters", name, path] => Some(parameters(&schema["$defs"][name], name, path, schema)),
        ["choices", name] => Some(choices(&schema["$defs"][name])),
        ["variants", name] => Some(variants(&schema["$defs"][name], schema)),
        ["presets", "cloth"] => Some(fabrics()),
        ["presets", "solid"] => Some(stuffs()),
        ["presets", "rope"] => Some(ropes()),
        ["presets", "peridynamic"] => Some(brittle()),
        ["integrators"] => Some(integrators()),
        ["pairs"] => Some(pairs()),
        ["controllers"] => Some(named("controller", CONTROLLERS.iter().map(|entry| (entry.name, entry.summary)))),
        ["laws"] => Some(named("law", LAWS.iter().map(|(name, _, what)| (*name, *what)))),
        ["solvers"] => Some(named("solver", SOLVERS.iter().map(|entry| (entry.name, entry.summary)))),
        ["preconditioners"] => Some(named("preconditioner", PRECONDITIONERS.iter().map(|e| (e.name, e.summary)))),
        _ => None,
    }
}

fn row(table: &mut String, cells: &[String]) {
    writeln!(table, "| {} |", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
        .expect("strings can be written");
}

fn head(cells: &[&str]) -> String {
    let mut table = String::new();
    row(&mut table, &cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
    writeln!(table, "|{}", "---|".repeat(cells.len())).expect("strings can be written");
    table
}

/// A number as one would write it.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

// parameters

fn symbol(name: &str) -> Option<&'static str> {
    macro_rules! symbols {
        ($($kind:ident)*) => { [$((dimension::$kind::TYPE, dimension::$kind::SYMBOL)),*] };
    }
    let symbols = symbols![
        Length Time Mass Angle Velocity Acceleration AngularVelocity Frequency DragRate Force Stiffness DampingCoefficient BendingStiffness
        Energy Momentum RodStiffness Pressure Viscosity KinematicViscosity LinearDensity AreaDensity Density
    ];
    symbols.into_iter().find(|(kind, _)| *kind == name).map(|(_, symbol)| symbol)
}

/// Powers as people write them.
fn pretty(symbol: &str) -> String {
    symbol.replace("^2", "²").replace("^3", "³")
}

struct Kind {
    /// Unit, or what else it is.
    unit: String,
    /// Values that show the range.
    probes: &'static [&'static str],
    /// Names of choices.
    choices: Vec<String>,
}

fn kind(property: &Value, schema: &Value) -> Kind {
    let plain = |unit: &str, probes| Kind { unit: unit.to_owned(), probes, choices: Vec::new() };
    if let Some(some) = property.get("anyOf").and_then(|any| any.get(0)) {
        return kind(some, schema);
    }
    if let Some(name) = property.get("$ref").and_then(|name| name.as_str()?.strip_prefix("#/$defs/")) {
        if let Some(symbol) = symbol(name) {
            return plain(&pretty(symbol), &["nan"]);
        }
        if let Some(symbol) = name.strip_suffix("Vector").and_then(symbol) {
            return plain(&format!("{}, three", pretty(symbol)), &[]);
        }
        let target = &schema["$defs"][name];
        let names = names_of(target);
        return if names.is_empty() { plain("table", &[]) } else { Kind { choices: names, ..plain("choice", &[]) } };
    }
    let kind_name = match &property["type"] {
        Value::String(name) => name.as_str(),
        Value::Array(names) => names[0].as_str().unwrap_or_default(),
        _ => "",
    };
    match kind_name {
        "string" => plain("text", &[]),
        "boolean" => plain("yes or no", &[]),
        "integer" => plain("whole number", &["0", "4000000000"]),
        "number" => plain("–", &["nan"]),
        "array" => {
            let of = kind(&property["items"], schema).unit;
            let size = property.get("minItems").map_or("list".to_owned(), |n| format!("{n} numbers"));
            plain(&if of == "–" { size } else { format!("{size}: {of}") }, &[])
        }
        other => panic!("no table knows what {other:?} is: {property}"),
    }
}

fn names_of(choice: &Value) -> Vec<String> {
    let options = choice.get("oneOf").and_then(Value::as_array);
    let constant = |option: &Value| option["const"].as_str().map(str::to_owned);
    options.into_iter().flatten().filter_map(constant).collect()
}

fn default(property: &Value, required: bool) -> String {
    match property.get("default") {
        _ if required => "required".to_owned(),
        None | Some(Value::Null) => String::new(),
        Some(Value::Bool(yes)) => format!("`{yes}`"),
        Some(Value::Number(value)) => number(value.as_f64().unwrap_or(f64::NAN)),
        Some(Value::String(text)) if text.is_empty() => String::new(),
        Some(Value::String(text)) => format!("`\"{text}\"`"),
        Some(Value::Array(values)) if values.is_empty() => "none".to_owned(),
        Some(Value::Array(values)) => {
            let values: Vec<String> = values.iter().map(|v| v.as_f64().map_or_else(|| v.to_string(), number)).collect();
            format!("[{}]", values.join(", "))
        }
        Some(Value::Object(_)) => "see its table".to_owned(),
    }
}

/// The range of a key, from what is said to values outside of it.
fn range(path: &str, probes: &[&str]) -> String {
    let scene = probe_scene(path);
    let mut found: Vec<String> = Vec::new();
    for probe in probes {
        let Err(SceneError::Wrong(complaints)) = from_text("probe", "probe", scene, &[format!("{path}={probe}")])
        else {
            continue;
        };
        for complaint in complaints.iter().filter(|complaint| complaint.path == path) {
            let message = short(&complaint.message);
            if !message.is_empty() && !found.contains(&message) {
                found.push(message);
            }
        }
    }
    found.join("; ")
}

/// `must be positive and finite, got NaN` in a few signs.
fn short(message: &str) -> String {
    let said = message.split([';', ':']).next().unwrap_or(message);
    let said = said.split(", got").next().unwrap_or(said).trim();
    let said =
        said.trim_start_matches("must be ").trim_start_matches("must lie ").trim_start_matches("of a sheet it lies ");
    match said {
        "positive and finite" => "> 0".to_owned(),
        "zero or positive, and finite" => "≥ 0".to_owned(),
        "above 0 and at most 1" => "above 0, at most 1".to_owned(),
        _ if said.contains("invalid") => String::new(),
        other => other.trim_end_matches('.').to_owned(),
    }
}

/// A scene in which a key has its place.
fn probe_scene(path: &str) -> &'static str {
    let scene = PROBES.iter().find(|(start, _)| path.starts_with(start));
    scene.unwrap_or_else(|| panic!("no scene to probe {path} in")).1
}

/// Beginnings of paths, and scenes that have their tables; the first counts.
const PROBES: &[(&str, &str)] = &[
    (
        "springs[0].grid",
        "version = 1\n[time]\nuntil = 1\n[[springs]]\nname = 's'\nmass = 1\nstiffness = 1\ngrid = { columns = 3, rows = 3, width = 1, height = 1 }",
    ),
    (
        "springs[0].chain",
        "version = 1\n[time]\nuntil = 1\n[[springs]]\nname = 's'\nmass = 1\nstiffness = 1\nchain = { count = 3, from = [0, 0, 0], to = [1, 0, 0] }",
    ),
    ("springs[0].mass", "version = 1\n[time]\nuntil = 1\n[[springs]]\nname = 's'\nstiffness = 1\npoints = [[0, 0, 0]]"),
    (
        "springs[0].total_mass",
        "version = 1\n[time]\nuntil = 1\n[[springs]]\nname = 's'\nstiffness = 1\npoints = [[0, 0, 0]]",
    ),
    (
        "springs",
        "version = 1\n[time]\nuntil = 1\n[[springs]]\nname = 's'\nmass = 1\nstiffness = 1\npoints = [[0, 0, 0]]\npins = [{ particles = [0], oscillate = { amplitude = [1, 0, 0], frequency = 1 } }]",
    ),
    ("pendulum", "version = 1\n[time]\nuntil = 1\n[[pendulum]]\nname = 'p'\nangle = 1\nlength = 1"),
    ("cloth[0].sphere", "version = 1\n[time]\nuntil = 1\n[[cloth]]\nname = 'c'\nsphere = { radius = 1 }"),
    (
        "cloth[0].inflate",
        "version = 1\n[time]\nuntil = 1\n[[cloth]]\nname = 'c'\nsphere = { radius = 1 }\ninflate = { pressure = 1 }",
    ),
    ("cloth[0].mesh", "version = 1\n[time]\nuntil = 1\n[[cloth]]\nname = 'c'\nmesh = { file = 'a.obj' }"),
    (
        "cloth",
        "version = 1\n[time]\nuntil = 1\n[[cloth]]\nname = 'c'\ngrid = { columns = 3, rows = 3, width = 1, height = 1 }",
    ),
    (
        "solid[0].figure",
        "version = 1\n[time]\nuntil = 1\n[[solid]]\nname = 's'\nfigure = { shape = 'ball', size = 1, spacing = 0.5 }",
    ),
    (
        "solid[0].surface",
        "version = 1\n[time]\nuntil = 1\n[[solid]]\nname = 's'\nsurface = { file = 'a.obj', spacing = 1 }",
    ),
    ("solid[0].mesh", "version = 1\n[time]\nuntil = 1\n[[solid]]\nname = 's'\nmesh = { file = 'a.msh' }"),
    (
        "solid",
        "version = 1\n[time]\nuntil = 1\n[[solid]]\nname = 's'\nframes = 'step'\nbox = { cells = [1, 1, 1], size = [1, 1, 1] }\nloads = [{ pressure = 1, box = { min = [0, 0, 0], max = [1, 1, 1] } }]",
    ),
    (
        "rope[0].mass",
        "version = 1\n[time]\nuntil = 1\n[[rope]]\nname = 'r'\nradius = 0.01\npoints = [[0, 0, 0], [1, 0, 0]]",
    ),
    (
        "rope",
        "version = 1\n[time]\nuntil = 1\n[[rope]]\nname = 'r'\nradius = 0.01\npoints = [[0, 0, 0], [1, 0, 0]]\nrotate = { axis = [0, 1, 0], angle = 0 }",
    ),
    (
        "suture",
        "version = 1\n[time]\nuntil = 1\n[[rope]]\nname = 'r'\nradius = 0.01\npoints = [[0, 0, 0], [1, 0, 0]]\n[[cloth]]\nname = 'c'\ngrid = { columns = 3, rows = 3, width = 1, height = 1 }\n[[suture]]\nthread = 'r'\nthrough = ['c']\nneedle = 1",
    ),
    (
        "fluid",
        "version = 1\n[time]\nuntil = 1\n[[fluid]]\nname = 'f'\nspacing = 0.1\nboxes = [{ min = [0, 0, 0], max = [1, 1, 1] }]\nsource = { centre = [0, 3, 0], direction = [1, 0, 0], size = [1, 1], speed = 1, layers = 3 }",
    ),
    (
        "peridynamic[0].figure",
        "version = 1\n[time]\nuntil = 1\n[[peridynamic]]\nname = 'p'\nspacing = 0.1\nfigure = { shape = 'ball', size = 1 }",
    ),
    (
        "peridynamic[0].surface",
        "version = 1\n[time]\nuntil = 1\n[[peridynamic]]\nname = 'p'\nspacing = 0.1\nsurface = { file = 'a.obj' }",
    ),
    (
        "peridynamic[0].poisson",
        "version = 1\n[time]\nuntil = 1\n[[peridynamic]]\nname = 'p'\nspacing = 0.1\nlaw = 'state-based'\nbox = { min = [0, 0, 0], max = [1, 1, 1] }",
    ),
    (
        "peridynamic[0].thickness",
        "version = 1\n[time]\nuntil = 1\n[[peridynamic]]\nname = 'p'\nspacing = 0.1\nspace = 'plane-stress'\nbox = { min = [0, 0, 0], max = [1, 1, 0.1] }",
    ),
    (
        "",
        "version = 1\n[time]\nuntil = 1\nprojection = {}\n[[peridynamic]]\nname = 'p'\nspacing = 0.1\nbox = { min = [0, 0, 0], max = [1, 1, 1] }\n[[collider]]\nname = 'c'\nsphere = { radius = 1 }\noscillate = { amplitude = [1, 0, 0], frequency = 1 }\nturn = { axis = [0, 1, 0], rate = 1 }\n[[collider]]\nname = 'd'\ncapsule = { from = [0, 0, 0], to = [1, 0, 0], radius = 1 }\n[[collider]]\nname = 'e'\nfigure = { height = 1 }\n[restraint]\nbody = [{ name = 'p' }]\n[[probe]]\nname = 'x'\nquantity = 'energy'",
    ),
];

fn parameters(table: &Value, name: &str, path: &str, schema: &Value) -> String {
    let mut text = head(&["key", "unit", "default", "range", "meaning"]);
    let required: Vec<&str> = table["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = table["properties"].as_object().unwrap_or_else(|| panic!("{name} has no keys"));
    // those that must be given first, else by name
    let mut keys: Vec<&String> = properties.keys().collect();
    keys.sort_by_key(|key| (!required.contains(&key.as_str()), key.as_str()));
    for key in keys {
        let property = &properties[key];
        let Kind { unit, probes, choices } = kind(property, schema);
        let mut meaning = property["description"].as_str().unwrap_or_default().replace('\n', " ");
        if meaning == unit || meaning == format!("{unit}.") {
            meaning.clear();
        }
        if !choices.is_empty() {
            let names: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
            meaning = format!("{meaning} One of {}.", names.join(", "));
        }
        let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let cells = [
            format!("`{key}`"),
            unit,
            default(property, required.contains(&key.as_str())),
            range(&place, probes),
            meaning,
        ];
        row(&mut text, &cells);
    }
    text
}

fn choices(choice: &Value) -> String {
    let mut text = head(&["value", "meaning"]);
    for option in choice["oneOf"].as_array().into_iter().flatten() {
        let meaning = option["description"].as_str().unwrap_or_default().replace('\n', " ");
        row(&mut text, &[format!("`{}`", option["const"].as_str().unwrap_or_default()), meaning]);
    }
    text
}

fn variants(choice: &Value, schema: &Value) -> String {
    let mut text = head(&["kind", "keys", "meaning"]);
    for option in choice["oneOf"].as_array().into_iter().flatten() {
        let properties = option["properties"].as_object().expect("a variant has keys");
        let keys: Vec<String> = properties
            .iter()
            .filter(|(key, _)| *key != "kind")
            .map(|(key, property)| {
                let unit = kind(property, schema).unit;
                let meaning = property["description"].as_str().unwrap_or_default().trim_end_matches('.');
                if meaning == unit.replace(", three", "") {
                    format!("`{key}` ({unit})")
                } else {
                    format!("`{key}` ({unit}): {meaning}")
                }
            })
            .collect();
        let meaning = option["description"].as_str().unwrap_or_default().to_owned();
        row(
            &mut text,
            &[format!("`{}`", properties["kind"]["const"].as_str().unwrap_or_default()), keys.join("; "), meaning],
        );
    }
    text
}

// presets

fn fabrics() -> String {
    let mut text = head(&[
        "preset",
        "kg/m²",
        "thickness, mm",
        "Young, warp / weft, MPa",
        "shear, MPa",
        "Poisson",
        "bending, warp / weft, N m",
        "source",
    ]);
    for f in FABRICS {
        let [warp, weft] = f.young.map(|e| number(round(e * 1e-6)));
        let [bend, bend_weft] = f.bending.map(number);
        let thickness = number(round(f.thickness * 1e3));
        let cells = [
            format!("`{}`", f.name),
            number(f.area_density),
            thickness,
            format!("{warp} / {weft}"),
            number(round(f.shear * 1e-6)),
            number(f.poisson),
            format!("{bend} / {bend_weft}"),
            f.source.to_owned(),
        ];
        row(&mut text, &cells);
    }
    text
}

/// Without the digits that a change of unit adds.
fn round(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

fn stuffs() -> String {
    let mut text = head(&["preset", "kg/m³", "Young, Pa", "Poisson", "source"]);
    for s in STUFFS {
        row(
            &mut text,
            &[format!("`{}`", s.name), number(s.density), number(s.young), number(s.poisson), s.source.to_owned()],
        );
    }
    text
}

fn ropes() -> String {
    let mut text = head(&["preset", "kg/m³", "Young, Pa", "Poisson", "part of a rod's EI and GJ", "strands", "source"]);
    for r in ROPES {
        let cells = [
            format!("`{}`", r.name),
            number(r.density),
            number(r.young),
            number(r.poisson),
            number(r.flexible),
            r.strands.to_string(),
            r.source.to_owned(),
        ];
        row(&mut text, &cells);
    }
    text
}

fn brittle() -> String {
    let mut text =
        head(&["preset", "kg/m³", "Young, Pa", "Poisson (state-based)", "energy of a crack, J/m²", "source"]);
    for b in BRITTLE {
        let cells = [
            format!("`{}`", b.name),
            number(b.density),
            number(b.young),
            number(b.poisson),
            number(b.release),
            b.source.to_owned(),
        ];
        row(&mut text, &cells);
    }
    text
}

// catalogs

fn named<'a>(what: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = head(&[what, "what it does"]);
    for (name, meaning) in entries {
        row(&mut text, &[format!("`{name}`"), meaning.to_owned()]);
    }
    text
}

fn integrators() -> String {
    let mut text = head(&["integrator", "what it is", "order (damped)", "area preserving", "stable ω·dt", "restraint"]);
    for entry in INTEGRATORS {
        let p = entry.properties;
        let symplectic = match p.symplectic {
            Symplectic::Yes => "yes",
            Symplectic::OnlyLinear => "linear forces",
            Symplectic::No => "no",
        };
        let stable = match p.stability {
            Stability::Never(_) => "0".to_owned(),
            Stability::UpTo(limit) => format!("{limit:.4}"),
            Stability::Above(limit) => format!("above {limit:.3}"),
            Stability::Always => "∞".to_owned(),
        };
        let order = format!("{} ({})", p.order, p.order_damped);
        let restrains = if p.restrains { "yes" } else { "no" };
        let cells = [&format!("`{}`", p.name), p.summary, &order, symplectic, &stable, restrains];
        row(&mut text, &cells.map(str::to_owned));
    }
    text
}

fn pairs() -> String {
    let laws = LAWS.iter().map(|(name, law, _)| (format!("`force-error`, `{name}`"), ControlKind::FORCE_ERROR, *law));
    let others = CONTROLLERS.iter().filter(|entry| **entry != ControlKind::FORCE_ERROR);
    let columns: Vec<(String, ControlKind, Law)> =
        others.map(|entry| (format!("`{}`", entry.name), *entry, Law::Combined)).chain(laws).collect();
    let names: Vec<&str> =
        std::iter::once("integrator").chain(columns.iter().map(|(name, ..)| name.as_str())).collect();
    let mut text = head(&names);
    for entry in INTEGRATORS {
        let works =
            |kind, law| ControlSpec { kind, law, ..ControlSpec::default() }.works_with(entry.properties).is_ok();
        let marks = columns.iter().map(|(_, kind, law)| if works(*kind, *law) { "yes" } else { "–" }.to_owned());
        row(&mut text, &std::iter::once(format!("`{}`", entry.properties.name)).chain(marks).collect::<Vec<_>>());
    }
    text
}
