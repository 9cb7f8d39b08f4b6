//! Linear elasticity in a frame laid along edges, the cheap heuristic called stiffness warping:
//! `R = frame(x) frame(X)ᵀ`, frame = Gram-Schmidt of the edges from corner 0 to corners 1 and 2, and their cross product;
//!
//! `e = sym(RᵀF) - I`, `P = R (2μ e + λ tr(e) I)`.
//!
//! It rotates with the element, but R is not the rotation in F: it depends on the order of corners, and P is the gradient of no energy (the
//! derivative of `ψ(e)` in R does not vanish as it does for the polar R). The forces conserve momentum, but exert a small net torque. It is here for
//! comparison; [`super::corotational`] costs hardly more.
//!
//! Exact derivative: the frame spins by `ω = W₁ dx₁ + W₂ dx₂` (from `δt_i = ω × t_i`, with edges a, b, `b = b₁ t₁ + b₂ t₂`),
//! `W₁ = (t₃ t₂ᵀ - t₂ t₃ᵀ)/|a| - b₁/(|a| b₂) t₁ t₃ᵀ`, `W₂ = t₁ t₃ᵀ/b₂`; with `P = μ (F + R Fᵀ R) + c R`, `q = R G`, `y = R Fᵀ q`,
//! `dP G = ... - (μ [y]× + μ R Fᵀ [q]× + c [q]× - λ q axᵀ) ω`, `ax·ω = [ω]×:F Rᵀ`. It is unsymmetric; the symmetric and the positive kind
//! hold R still, which leaves the matrix of linear elasticity.

use glam::{DMat3, DVec3};

use super::cauchy::{hooke, inner, quadratic_energy, turned_blocks};
use super::material::Lame;
use super::measure::Measure;
use super::polar;
use super::tetrahedron::{RestTetrahedron, TetraBlock};
use crate::cloth::algebra::{cross, outer, symmetric_part};

/// The linear measure in a frame of edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Warped;

/// Sines of angles between edges below this give no frame.
const PARALLEL: f64 = 1e-10;

/// Gram-Schmidt of two edges; `None` where they are parallel or nothing.
fn frame(a: DVec3, b: DVec3) -> Option<DMat3> {
    let t1 = a.try_normalize()?;
    let normal = t1.cross(b.try_normalize()?);
    let visible = normal.length_squared() > PARALLEL * PARALLEL;
    let t3 = if visible { normal.try_normalize()? } else { return None };
    Some(DMat3::from_cols(t1, t3.cross(t1), t3))
}

/// Edges from corner 0 to corners 1 and 2 at rest, both times six volumes: those whose products with the gradients are 1 and 0.
fn rest_edges(rest: &RestTetrahedron) -> [DVec3; 2] {
    let [g, h, k] = rest.gradients;
    let determinant = g.dot(h.cross(k));
    [h.cross(k) / determinant, k.cross(g) / determinant]
}

/// R and the frame and edges it comes from; the polar rotation where edges are parallel.
fn warp(rest: &RestTetrahedron, f: &DMat3) -> (DMat3, Option<(DMat3, DVec3, DVec3)>) {
    let [a0, b0] = rest_edges(rest);
    let (a, b) = (*f * a0, *f * b0);
    match (frame(a, b), frame(a0, b0)) {
        (Some(now), Some(then)) => (now * then.transpose(), Some((now, a, b))),
        _ => (polar::rotation(f), None),
    }
}

fn strain(r: &DMat3, f: &DMat3) -> DMat3 {
    symmetric_part(r.transpose() * *f) - DMat3::IDENTITY
}

impl Measure for Warped {
    const NAME: &'static str = "warped-solid";
    const MEASURE: &'static str = "warped";
    const TURNS_NOTHING: bool = false;
    const CONSERVATIVE: bool = false;
    const SYMMETRIC: bool = false;

    fn energy_density(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> f64 {
        quadratic_energy(lame, &strain(&warp(rest, f).0, f))
    }

    fn stress(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> DMat3 {
        let (r, _) = warp(rest, f);
        r * hooke(lame, &strain(&r, f))
    }

    fn exact_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        let (r, edges) = warp(rest, f);
        let frozen = turned_blocks(lame, rest, &r);
        let Some((now, a, b)) = edges else { return frozen };
        let (t1, t2, t3) = (now.x_axis, now.y_axis, now.z_axis);
        let (length, b1, b2) = (a.length(), b.dot(t1), b.dot(t2));
        let spins = [
            (outer(t3, t2) - outer(t2, t3)) * length.recip() - outer(t1, t3) * (b1 / (length * b2)),
            outer(t1, t3) * b2.recip(),
        ];
        let rft = r * f.transpose();
        let m = rft.transpose() - rft;
        let axial = DVec3::new(m.y_axis.z, m.z_axis.x, m.x_axis.y);
        let c = lame.lambda * (inner(&r, f) - 3.0) - 2.0 * lame.mu;
        let along = rest
            .mapped(&r)
            .map(|q| outer(q, axial * lame.lambda) - cross(rft * q * lame.mu + q * c) - rft * cross(q) * lame.mu);
        let turning = rest.blocks(|a, b| if b < 2 { along[a] * spins[b] } else { DMat3::ZERO });
        frozen.plus(&turning)
    }

    fn symmetric_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        turned_blocks(lame, rest, &warp(rest, f).0)
    }

    fn psd_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        Self::symmetric_blocks(lame, rest, f)
    }
}
