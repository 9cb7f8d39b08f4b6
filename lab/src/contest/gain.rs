//! Gains at equal error.

use pliant_plot::text::significant;

/// What equal steps of the same scheme cost over what force error costs, at one error of one scene.
pub struct Gain {
    /// The scene.
    pub scene: &'static str,
    /// The integrator.
    pub scheme: &'static str,
    /// The error, m.
    pub level: f64,
    /// The cheapest controller but force-error that gets there, and its cost over that of force-error.
    pub over_best: Option<(&'static str, f64)>,
    /// The same of equal steps.
    pub over_fixed: Option<f64>,
}

impl Gain {
    /// An item of a list, as HTML.
    pub(super) fn words(&self) -> String {
        if let Some((name, 0.0)) = self.over_best {
            let level = significant(1e3 * self.level, 1);
            return format!(
                "<li>{}, {}, {level} mm: {name} gets there; no run of force-error (combined) has an error like that</li>",
                self.scene, self.scheme
            );
        }
        let factor =
            |ratio: f64| if ratio >= 1.0 { format!("{ratio:.1} times as many") } else { format!("{ratio:.2} of its") };
        let fixed = self.over_fixed.map_or("equal steps do not get there in these runs".into(), |r| {
            format!("equal steps take {} solves", factor(r))
        });
        let best = self.over_best.map_or("no other controller gets there".into(), |(name, r)| {
            if name == "fixed" {
                "no other controller is cheaper than that".into()
            } else {
                format!("the best rival, {name}, {}", factor(r))
            }
        });
        format!("<li>{}, {}, {} mm: {fixed}; {best}</li>", self.scene, self.scheme, significant(1e3 * self.level, 1))
    }
}
