//! A narrow strip of cloth with its ends held, and the textbook's strip beside it.

use pliant::scene::LoadedScene;
use pliant::scene::load::from_text;

use super::catenary::Strip;
use super::statics::settle;

const GRAVITY: f64 = 9.81;
/// Mass of a square metre, kg.
const DENSITY: f64 = 0.15;
const THICKNESS: f64 = 0.318e-3;

/// A scene from its text.
pub(super) fn scene(text: &str) -> LoadedScene {
    from_text("sheet", "sheet.toml", text, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// A strip of 1 m with its ends `span` apart, from the engine and from the textbook.
pub struct Compared {
    /// The strip.
    pub strip: Strip,
    /// Found by the engine, m.
    pub sag: f64,
}

/// m
pub(super) const STRIP_WIDTH: f64 = 0.02;

/// Hangs a strip of `columns` points; Young's modulus in Pa.
///
/// # Errors
/// If it does not come to rest.
pub fn hang_strip(young: f64, span: f64, columns: usize) -> Result<Compared, String> {
    let drawn = 1.0 - span;
    let pins = if drawn > 0.0 {
        format!(
            "[{{ side = \"left\" }}, {{ side = \"right\", keyframes = {{ times = [0, 0.5], offsets = [[0, 0, 0], [{}, 0, 0]] }} }}]",
            -drawn
        )
    } else {
        "[{ side = \"left\" }, { side = \"right\" }]".to_owned()
    };
    let scene = scene(&format!(
        "version = 1\n[time]\nuntil = 1\n[[cloth]]\nname = \"strip\"\ncontact = false\n\
         grid = {{ columns = {columns}, rows = 3, width = 1, height = {STRIP_WIDTH}, plane = \"horizontal\" }}\n\
         density = {DENSITY}\nthickness = {THICKNESS}\nyoungs_modulus = {young}\npoisson = 0\nbending_stiffness = 0\npins = {pins}\n"
    ));
    let rest = settle(&scene, if drawn > 0.0 { 0.5 } else { 0.0 })?;
    let sag = rest.state.x.iter().map(|x| -x.y).fold(0.0, f64::max);
    let strip = Strip {
        span,
        length: 1.0,
        weight: DENSITY * GRAVITY * STRIP_WIDTH,
        stiffness: young * THICKNESS * STRIP_WIDTH,
    };
    Ok(Compared { strip, sag })
}
