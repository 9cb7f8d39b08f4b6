//! The scenes that come with the program.

/// Name and text of every built-in scene, by name.
pub const SCENES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// The text of a built-in scene.
pub fn find(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
