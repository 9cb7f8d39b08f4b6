//! The curve of a heavy elastic strip between two points at one height.
//!
//! At the distance s (of the unstretched strip) from the middle the tension is T = √(H² + w² s²), with w the weight of a rest length and H
//! the horizontal pull; the strip there is stretched by λ(T) and points along (H, w s)/T. Its ends are where the integrals of λ H/T and
//! λ w s/T say. For λ = 1 + T/EA they are those of the elastic catenary,
//! `x = H s/EA + H/w asinh(w s/H)` and `y = w s²/2EA + (H/w)(√(1 + (w s/H)²) - 1)`.

/// The constitutive law of a strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// T = EA (λ - 1): the textbook's.
    Linear,
    /// T = EA λ (λ² - 1)/2: St. Venant and Kirchhoff's, which is stiffer by 3/2 of the strain.
    Stvk,
}

impl Law {
    /// Stretch λ at a tension in units of EA.
    fn stretch(self, tension: f64) -> f64 {
        match self {
            Self::Linear => 1.0 + tension,
            Self::Stvk => {
                let mut stretch = 1.0 + tension;
                for _ in 0..8 {
                    stretch -= (0.5 * stretch * (stretch * stretch - 1.0) - tension) / (1.5 * stretch * stretch - 0.5);
                }
                stretch
            }
        }
    }
}

/// A strip with its ends held at one height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip {
    /// Distance of the ends, m.
    pub span: f64,
    /// Length without load, m.
    pub length: f64,
    /// Weight of a length, N/m.
    pub weight: f64,
    /// Tension at twice the length, by the linear law, N.
    pub stiffness: f64,
}

/// How a strip hangs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hanging {
    /// Of the middle below the ends, m.
    pub sag: f64,
    /// Horizontal pull, N.
    pub pull: f64,
    /// Strain at the ends, where it is largest.
    pub strain: f64,
}

/// Intervals of the quadrature (Simpson's, error of the order of the fourth power).
const INTERVALS: usize = 2000;

impl Strip {
    /// Where an end is as seen from the middle, if the horizontal pull is H.
    fn end(&self, law: Law, pull: f64) -> (f64, f64) {
        let step = 0.5 * self.length / INTERVALS as f64;
        let (mut x, mut y) = (0.0, 0.0);
        for k in 0..=INTERVALS {
            let part = match k {
                0 | INTERVALS => 1.0,
                k if k % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let down = self.weight * k as f64 * step;
            let tension = pull.hypot(down);
            let stretch = part * step / 3.0 * law.stretch(tension / self.stiffness) / tension;
            x += stretch * pull;
            y += stretch * down;
        }
        (x, y)
    }

    /// How it hangs: the pull that puts its ends at their distance, by bisection.
    pub fn hang(&self, law: Law) -> Hanging {
        let (mut low, mut high) = (1e-9 * self.weight * self.length, self.stiffness);
        for _ in 0..200 {
            let middle = (low * high).sqrt();
            if self.end(law, middle).0 < 0.5 * self.span { low = middle } else { high = middle }
        }
        let pull = (low * high).sqrt();
        let tension = pull.hypot(0.5 * self.weight * self.length);
        Hanging { sag: self.end(law, pull).1, pull, strain: law.stretch(tension / self.stiffness) - 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quadrature_is_the_textbooks_formula() {
        let strip = Strip { span: 0.95, length: 1.0, weight: 0.3, stiffness: 80.0 };
        let Hanging { sag, pull, .. } = strip.hang(Law::Linear);
        let (w, half, ea) = (strip.weight, 0.5 * strip.length, strip.stiffness);
        let x = pull * half / ea + pull / w * (w * half / pull).asinh();
        let y = w * half * half / (2.0 * ea) + pull / w * ((1.0 + (w * half / pull).powi(2)).sqrt() - 1.0);
        assert!((x - 0.475).abs() < 1e-9 && (y / sag - 1.0).abs() < 1e-9, "{x} {y} {sag}");
    }

    #[test]
    fn a_stiff_strip_does_not_care_for_the_law() {
        let strip = Strip { span: 0.95, length: 1.0, weight: 0.3, stiffness: 1e6 };
        let (linear, stvk) = (strip.hang(Law::Linear).sag, strip.hang(Law::Stvk).sag);
        assert!((linear / stvk - 1.0).abs() < 1e-8);
        let soft = Strip { span: 1.0, stiffness: 300.0, ..strip };
        let (linear, stvk) = (soft.hang(Law::Linear), soft.hang(Law::Stvk));
        // a shallow strip: the sag goes with EA to the power of -1/3, and EA grows by 3/2 ε
        assert!((stvk.sag / linear.sag - 1.0 + 0.5 * linear.strain).abs() < 0.1 * linear.strain, "{linear:?} {stvk:?}");
    }
}
