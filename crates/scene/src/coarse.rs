//! Detects errors in metres that were meant in millimetres: they exceed the size of the scene, and no run would fail.

use glam::DVec3;
use pliant_core::State;
use pliant_scalar::shown::metres;

use crate::body::bodies;
use crate::load::LoadedScene;

/// Largest plausible error, as a part of the scene's size.
const LARGEST_PART: f64 = 0.1;

impl LoadedScene {
    /// A warning if an error, m, is large against the initial size of the scene; `what` names the error.
    pub fn too_coarse(&self, what: &str, error: f64, start: &State) -> Option<String> {
        // the coordinate of a pendulum is its angle
        let in_space = bodies(&self.scene).all(|(found, _)| found.kind.properties.in_space);
        let extent = if in_space { extent(&start.x) } else { 0.0 };
        // one particle alone has no size
        if extent == 0.0 || error <= LARGEST_PART * extent {
            return None;
        }
        Some(format!(
            "{what}, {}, is more than a tenth of the whole scene, which is {} large: hardly anything in it will be right; \
             plain numbers are metres, write \"{error} mm\" for millimetres",
            metres(error),
            metres(extent)
        ))
    }
}

/// The diagonal of the box around some points.
fn extent(points: &[DVec3]) -> f64 {
    let (low, high) = points
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| (low.min(*point), high.max(*point)));
    if points.is_empty() { 0.0 } else { (high - low).length() }
}

#[cfg(test)]
mod tests {
    use crate::load::from_text;

    fn warnings(tolerance: &str) -> Vec<String> {
        let text = format!(
            "version = 1\n[time]\nuntil = 1\n[time.control]\ntolerance = {tolerance}\n[[springs]]\nname = \"pair\"\n\
             points = [[0, 0, 0], [0, -1, 0]]\nedges = [[0, 1]]\nmass = 1\nstiffness = 40\n"
        );
        from_text("pair", "pair.toml", &text, &[]).unwrap().build().unwrap().warnings
    }

    #[test]
    fn a_tolerance_of_the_size_of_the_scene_is_told() {
        assert!(warnings("\"1 mm\"").is_empty());
        assert!(warnings("0.1").is_empty(), "a tenth is allowed");
        assert_eq!(
            warnings("1"),
            [
                "time.control.tolerance, 1 m, is more than a tenth of the whole scene, which is 1 m large: hardly anything in it will be right; \
              plain numbers are metres, write \"1 mm\" for millimetres"
            ]
        );
    }
}
