//! Elastic constants of an isotropic solid.

/// Lamé's constants, Pa.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// μ, the shear modulus.
    pub mu: f64,
    /// λ.
    pub lambda: f64,
}

impl Lame {
    /// `μ = E / 2(1 + ν)`, `λ = E ν / (1 + ν)(1 - 2ν)`. `None` where the energy would not be positive: E must be, and ν between -1 and 0.5,
    /// both excluded.
    pub fn new(young: f64, poisson: f64) -> Option<Self> {
        let possible = young > 0.0 && young.is_finite() && poisson > -1.0 && poisson < 0.5;
        let (mu, free) = (young / (2.0 * (1.0 + poisson)), 1.0 - 2.0 * poisson);
        let lame = Self { mu, lambda: 2.0 * mu * poisson / free };
        (possible && lame.mu.is_finite() && lame.lambda.is_finite()).then_some(lame)
    }

    /// Young's modulus, Pa, and Poisson's ratio.
    pub fn young_poisson(&self) -> (f64, f64) {
        let Self { mu, lambda } = *self;
        (mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu), lambda / (2.0 * (lambda + mu)))
    }

    /// Whether shear and change of volume both cost energy: `μ > 0`, `3λ + 2μ > 0`.
    pub fn is_positive(&self) -> bool {
        self.mu > 0.0 && self.mu.is_finite() && self.lambda.is_finite() && 3.0 * self.lambda + 2.0 * self.mu > 0.0
    }
}

/// Viscous constants, Pa s: the same as [`Lame`] for rates of strain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viscosity {
    /// Of the rate of shear.
    pub shear: f64,
    /// Of the rate of change of volume.
    pub bulk: f64,
}

impl Viscosity {
    /// That of a relaxation time τ, s: τ times the elastic constants.
    pub fn of_time(time: f64, lame: Lame) -> Self {
        Self { shear: time * lame.mu, bulk: time * lame.lambda }
    }

    /// Whether there is none.
    pub fn is_zero(&self) -> bool {
        self.shear == 0.0 && self.bulk == 0.0
    }

    /// Whether it dissipates energy in every motion.
    pub fn is_possible(&self) -> bool {
        self.shear >= 0.0
            && self.shear.is_finite()
            && self.bulk.is_finite()
            && 3.0 * self.bulk + 2.0 * self.shear >= 0.0
    }
}

/// Material of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidMaterial {
    /// Elasticity.
    pub lame: Lame,
    /// Damping.
    pub viscosity: Viscosity,
}

impl SolidMaterial {
    /// From Young's modulus, Pa, and Poisson's ratio, without damping; `None` where [`Lame::new`] is none.
    pub fn new(young: f64, poisson: f64) -> Option<Self> {
        Some(Self { lame: Lame::new(young, poisson)?, viscosity: Viscosity::default() })
    }

    /// With damping of relaxation time τ, s.
    pub fn damped(self, time: f64) -> Self {
        Self { viscosity: Viscosity::of_time(time, self.lame), ..self }
    }

    /// The relaxation time, s, where damping has one: where it is the same for shear and for changes of volume.
    pub fn damping_time(&self) -> Option<f64> {
        let time = self.viscosity.shear / self.lame.mu;
        let Viscosity { shear, bulk } = Viscosity::of_time(time, self.lame);
        let off = (self.viscosity.bulk - bulk).abs();
        (off <= 4.0 * f64::EPSILON * (bulk.abs() + shear.abs())).then_some(time)
    }

    /// Whether its energy is positive and its damping dissipative.
    pub fn is_possible(&self) -> bool {
        self.lame.is_positive() && self.viscosity.is_possible()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_there_and_back() {
        let lame = Lame::new(2.9e3, 0.45).unwrap();
        assert!((lame.mu - 1e3).abs() < 1e-9 && (lame.lambda - 9e3).abs() < 1e-8, "{lame:?}");
        let (young, poisson) = lame.young_poisson();
        assert!((young - 2.9e3).abs() < 1e-9 && (poisson - 0.45).abs() < 1e-14);
    }

    #[test]
    fn impossible_constants_are_refused() {
        for (young, poisson) in
            [(0.0, 0.3), (-1.0, 0.3), (f64::NAN, 0.3), (f64::INFINITY, 0.3), (1.0, 0.5), (1.0, -1.0), (1.0, f64::NAN)]
        {
            assert_eq!(Lame::new(young, poisson), None, "{young} {poisson}");
        }
        assert!(Lame::new(1.0, -0.3).is_some_and(|lame| lame.is_positive()));
        let backwards = Viscosity { shear: -1.0, bulk: 0.0 };
        assert!(!backwards.is_possible() && Viscosity::default().is_possible());
    }
}
