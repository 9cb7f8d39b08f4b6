//! What scene authors write, and the messages where it is wrong.

use super::*;

fn si<D: Dimension>(text: &str) -> f64 {
    parse_quantity::<D>(text).unwrap_or_else(|message| panic!("{message}")).si()
}

fn message<D: Dimension>(text: &str) -> String {
    parse_quantity::<D>(text).expect_err(text).message
}

#[test]
fn every_example_is_of_its_own_dimension_and_every_symbol_is_one() {
    fn check<D: Dimension>() {
        assert!(parse_quantity::<D>(D::EXAMPLE).is_ok(), "{}", D::TYPE);
        assert_eq!(si::<D>(&format!("1 {}", D::SYMBOL)), 1.0, "{}", D::TYPE);
    }
    use dimension::*;
    check::<Length>();
    check::<Time>();
    check::<Mass>();
    check::<Angle>();
    check::<Velocity>();
    check::<Acceleration>();
    check::<AngularVelocity>();
    check::<Frequency>();
    check::<DragRate>();
    check::<Force>();
    check::<Stiffness>();
    check::<DampingCoefficient>();
    check::<BendingStiffness>();
    check::<Pressure>();
    check::<Viscosity>();
    check::<LinearDensity>();
    check::<AreaDensity>();
    check::<Density>();
}

#[test]
fn all_ways_to_write_a_unit() {
    use dimension::*;
    for (text, value) in [
        ("0.3 mm", 3e-4),
        ("0.3mm", 3e-4),
        ("  -2.5e-1   km ", -250.0),
        ("7 um", 7e-6),
        ("7 \u{b5}m", 7e-6),
        ("7 \u{3bc}m", 7e-6),
        ("7 nm", 7e-9),
        ("1_000 cm", 10.0),
        (".5 dm", 0.05),
        ("5. m", 5.0),
        ("+1E2 m", 100.0),
        ("10 in", 0.254),
        ("2 ft", 0.6096),
        ("3 m^2/m", 3.0),
        ("inf m", f64::INFINITY),
        ("-inf", f64::NEG_INFINITY),
    ] {
        assert_eq!(si::<Length>(text), value, "{text}");
    }
    for text in [
        "4 m/s^2",
        "4 m/s²",
        "4 m/s2",
        "4 m s^-2",
        "4 m s⁻²",
        "4 m s-2",
        "4 m·s**-2",
        "4 m/s/s",
        "4 m/(s s)",
        "4 m/(s^2)",
    ] {
        assert_eq!(si::<Acceleration>(text), 4.0, "{text}");
    }
    assert_eq!(si::<DampingCoefficient>("0.2 N s/m"), 0.2);
    assert_eq!(si::<DampingCoefficient>("0.2 N*s/m"), 0.2);
    assert_eq!(si::<Stiffness>("5 kN/m"), 5000.0);
    assert_eq!(si::<Stiffness>("5 N/mm"), 5000.0);
    assert_eq!(si::<Stiffness>("5 J/m^2"), 5.0);
    assert_eq!(si::<Density>("1 g/cm^3"), 1000.0);
    assert_eq!(si::<Density>("1 g/(cm)^3"), 1000.0);
    assert_eq!(si::<Pressure>("0.1 GPa"), 1e8);
    assert_eq!(si::<Pressure>("3 kg/(m s^2)"), 3.0);
    assert_eq!(si::<Velocity>("36 km/h"), 10.0);
    assert_eq!(si::<Time>("1.5 min"), 90.0);
    assert_eq!(si::<Time>("1/60 s"), 1.0 / 60.0);
    assert_eq!(si::<Time>("1 ms"), 1e-3);
    assert_eq!(si::<DragRate>("2 /s"), 2.0);
    assert_eq!(si::<DragRate>("2/s"), 2.0);
    assert_eq!(si::<DragRate>("2 1/s"), 2.0);
    assert_eq!(si::<Frequency>("1.2 kHz"), 1200.0);
    assert_eq!(si::<Angle>("180°"), std::f64::consts::PI);
    assert_eq!(si::<Angle>("5 mrad"), 5e-3);
    assert_eq!(si::<Mass>("5 g"), 5e-3);
    assert_eq!(si::<Force>("1 W s/m"), 1.0);
}

#[test]
fn what_is_wrong_is_said() {
    use dimension::*;
    assert_eq!(message::<Length>("5 mmm"), "unknown unit \"mmm\" in \"5 mmm\"; did you mean \"mm\"?");
    assert_eq!(message::<Pressure>("5 kpa"), "unknown unit \"kpa\" in \"5 kpa\"; did you mean \"kPa\"?");
    for (text, part) in [
        ("", "is empty"),
        ("  ", "is empty"),
        ("mm", "does not start with a number"),
        (".", "does not start with a number"),
        ("5 metres", "did you mean \"m\"?"),
        ("5 secs", "\"5 secs\"; a length is needed here: write it in m, mm, cm, um, km, in or ft"),
        ("5 lb", "\"5 lb\"; a length is needed here: write it in m, mm, cm, um, km, in or ft"),
        ("5 furlongs", "\"5 furlongs\"; a length is needed here: write it in m, mm, cm, um, km, in or ft"),
        ("1,5 mm", "as in \"1.5 mm\""),
        ("5 m !", "from \"!\" on"),
        ("5 m)", "from \")\" on"),
        ("5 (m", "not closed"),
        ("5 m/", "ends where a unit should follow"),
        ("5 m^", "a power that is no whole number"),
        ("5 m^99", "a power that is no whole number"),
        ("5 m^-", "a power that is no whole number"),
        ("5 ((m^9)^9)^9", "beyond reason"),
        ("5 kg/m s", "as in \"kg/(m s)\""),
        ("1e400 m", "too large"),
        ("1e308 km", "too large"),
        ("1e99999999999 m", "out of range"),
        ("1/0 m", "divides by zero"),
        ("5 6", "from \"6\" on"),
    ] {
        let said = message::<Length>(text);
        assert!(said.contains(part), "{text}: {said}");
    }
    assert!(message::<Length>(&format!("5 {}", "(".repeat(100_000))).contains("too many parentheses"));
    assert!(message::<Time>("5 secs").ends_with("did you mean \"s\"?"));
}

/// A suggestion must be valid, however near another word is.
#[test]
fn only_units_of_the_wanted_dimension_are_suggested() {
    use dimension::*;
    let meant = |said: String| said.rsplit('"').nth(1).unwrap_or_default().to_owned();
    assert_eq!(message::<Length>("1 mn"), "unknown unit \"mn\" in \"1 mn\"; did you mean \"mm\"?");
    assert_eq!(meant(message::<Force>("1 mn")), "mN");
    assert_eq!(meant(message::<Time>("1 mn")), "ms");
    assert_eq!(meant(message::<Time>("1 sc")), "s");
    assert_eq!(meant(message::<Length>("1 MM")), "mm");
    assert_eq!(meant(message::<Stiffness>("1 kn/m")), "kN");
    assert_eq!(meant(message::<Acceleration>("1 mm/sx^2")), "s");
    assert_eq!(
        message::<Stiffness>("1 lbf/m"),
        "unknown unit \"lbf\" in \"1 lbf/m\"; a stiffness is needed here: write for example \"1 N/m\""
    );
    assert_eq!(
        message::<Time>("0.6 m"),
        "\"0.6 m\" is a length, but a time is needed here: write it in s, ms, us, min or h"
    );
    assert!(any_quantity("1 mn").is_none());
}

/// Texts drawn from what matters to the reader (and what does not), from a fixed seed: none may panic.
#[test]
fn no_text_can_cause_a_panic() {
    let pieces = [
        "5",
        "1",
        "0",
        ".",
        "-",
        "+",
        "e",
        "E9",
        "inf",
        "nan",
        "_",
        ",",
        " ",
        "\t",
        "\u{a0}",
        "/",
        "*",
        "**",
        "^",
        "·",
        "×",
        "(",
        ")",
        "m",
        "mm",
        "kg",
        "s",
        "Pa",
        "µ",
        "μ",
        "deg",
        "°",
        "²",
        "⁻",
        "⁹",
        "é",
        "漢",
        "🦀",
        "\0",
        "\"",
        "-9",
        "99999999999",
        "in",
        "h",
    ];
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % bound as u64) as usize
    };
    for _ in 0..20_000 {
        let start = ["", "5 ", "1e"][next(3)];
        let length = next(9);
        let text: String = std::iter::once(start).chain((0..length).map(|_| pieces[next(pieces.len())])).collect();
        if let Err(said) = parse_quantity::<dimension::Length>(&text) {
            assert!(!said.message.is_empty());
        }
    }
}

#[test]
fn a_wrong_dimension_is_named() {
    assert_eq!(
        message::<dimension::Length>("5 kg"),
        r#""5 kg" is a mass, but a length is needed here: write it in m, mm, cm, um, km, in or ft"#
    );
    assert_eq!(
        message::<dimension::Acceleration>("9.81 m/s"),
        r#""9.81 m/s" is a velocity, but an acceleration is needed here: write for example "9.81 m/s^2""#
    );
    assert_eq!(
        message::<dimension::Mass>("2 kg^2 m"),
        r#""2 kg^2 m" has the unit m kg^2, but a mass is needed here: write it in kg, g or mg"#
    );
    assert!(message::<dimension::Length>("3 m/m").contains("has no dimension"));
}

#[test]
fn an_angular_velocity_is_no_frequency() {
    assert!(message::<dimension::Frequency>("60 rad/s").contains("is an angular velocity"));
    assert_eq!(si::<dimension::AngularVelocity>("180 deg/s"), std::f64::consts::PI);
}

#[test]
fn plain_numbers_are_si_whatever_the_dimension() {
    assert_eq!(si::<dimension::Pressure>("2e3"), 2000.0);
    assert_eq!("0.25".parse::<Length>(), Ok(Length::new(0.25)));
    assert_eq!("30 deg".parse::<Angle>().unwrap().si(), 30f64.to_radians());
    assert_eq!(si::<dimension::Time>("inf"), f64::INFINITY);
}

#[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Table {
    length: Length,
    gravity: Option<Vec3Of<dimension::Acceleration>>,
}

#[test]
fn read_from_toml() {
    let read = |text: &str| toml::from_str::<Table>(text);
    assert_eq!(read("length = 2").unwrap().length.si(), 2.0);
    assert_eq!(read("length = -2.5").unwrap().length.si(), -2.5);
    assert_eq!(read("length = \"0.3 mm\"").unwrap().length.si(), 0.3e-3);
    assert_eq!(read("length = inf").unwrap().length.si(), f64::INFINITY);
    assert!(read("length = nan").unwrap().length.si().is_nan());
    let table = read("length = 0\ngravity = [0, \"-981 cm/s²\", 0.5]").unwrap();
    assert_eq!(table.gravity.unwrap().to_dvec3(), DVec3::new(0.0, -9.81, 0.5));
    let error = read("length = true").unwrap_err();
    assert!(error.message().contains("a length in metres, or a string with a unit such as \"0.5 mm\""), "{error}");
    assert!(read("length = \"5 kg\"").unwrap_err().message().contains("is a mass"));
    assert!(read("length = 0\ngravity = [0, 1]").is_err());
}

#[test]
fn written_as_numbers() {
    let table = Table { length: "0.3 mm".parse().unwrap(), gravity: Some([0.0, -9.81, 0.0].into()) };
    let text = toml::to_string(&table).unwrap();
    assert_eq!(text, "length = 0.0003\ngravity = [0.0, -9.81, 0.0]\n");
    assert_eq!(toml::from_str::<Table>(&text).unwrap().length, table.length);
}

#[test]
fn shown_with_their_unit() {
    let length = Length::from(0.5);
    assert_eq!(format!("{length} {length:?}"), "0.5 m 0.5 m");
    assert_eq!(Stiffness::new(3.0).to_string(), "3 N/m");
}

#[test]
fn the_schema_says_the_unit() {
    let schema = schemars::schema_for!(Table).to_value();
    let length = &schema["$defs"]["Length"];
    assert_eq!(length["description"], "metres, or a string with a unit such as \"0.5 mm\"");
    assert_eq!(length["oneOf"][0]["type"], "number");
    assert_eq!(length["oneOf"][1]["type"], "string");
    let gravity = &schema["$defs"]["AccelerationVector"];
    assert_eq!(gravity["items"]["$ref"], "#/$defs/Acceleration");
    assert_eq!(gravity["maxItems"], 3);
}
