//! Detects lengths that do not fit the scene, although no run would fail: errors in metres that were meant in millimetres exceed its size, and far
//! from the origin double precision leaves no digits for small lengths.

use glam::DVec3;
use pliant_core::State;
use pliant_scalar::shown::metres;

use crate::body::bodies;
use crate::load::LoadedScene;

/// Largest plausible error, as a part of the scene's size.
const LARGEST_PART: f64 = 0.1;
/// Smallest plausible length, in units of the distance between neighbouring numbers.
const FEWEST_NUMBERS: f64 = 1e3;

impl LoadedScene {
    /// A warning if an error, m, is large against the initial size of the scene; `what` names the error.
    pub fn too_coarse(&self, what: &str, error: f64, start: &State) -> Option<String> {
        let extent = if self.is_in_space() { extent(&start.x) } else { 0.0 };
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

    /// A warning if the coordinates of the start are so large that double precision leaves no digits for some of these lengths, m.
    pub fn too_far_out(&self, lengths: &[(&str, f64)], start: &State) -> Option<String> {
        let largest = start.x.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
        let spacing = f64::EPSILON * largest;
        let lost = |(_, length): &&(&str, f64)| *length < FEWEST_NUMBERS * spacing;
        let told: Vec<String> =
            lengths.iter().filter(lost).map(|(what, length)| format!("{what} ({})", metres(*length))).collect();
        (self.is_in_space() && !told.is_empty()).then(|| {
            format!(
                "coordinates of {largest:.0e} m leave no digits for {}: numbers of double precision are {} apart there; move the scene to the \
                 origin",
                told.join(" and "),
                metres(spacing)
            )
        })
    }

    /// Whether all coordinates are positions: that of a pendulum is its angle.
    fn is_in_space(&self) -> bool {
        bodies(&self.scene).all(|(found, _)| found.kind.properties.in_space)
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

    #[test]
    fn coordinates_without_digits_are_told() {
        let warnings = |far: f64, more: &str| {
            let text = format!(
                "version = 1\ntime.until = 1\n[[cloth]]\nname = \"sheet\"\n{more}\n\
                 grid = {{ columns = 3, rows = 3, width = 1, height = 1, origin = [{far:e}, 0, 0] }}\n"
            );
            from_text("far", "far.toml", &text, &[]).unwrap().build().unwrap().warnings
        };
        assert!(warnings(1e6, "").is_empty());
        let far = warnings(1e12, "");
        assert!(far.len() == 1 && far[0].starts_with("coordinates of 1e12 m leave no digits for"), "{far:?}");
        assert!(far[0].contains("the contact distance (2 mm) and time.control.tolerance (1 mm)"), "{far:?}");
        let alone = warnings(1e12, "contact = false");
        assert!(alone.len() == 1 && alone[0].contains("no digits for time.control.tolerance (1 mm)"), "{alone:?}");
    }
}
