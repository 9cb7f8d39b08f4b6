//! Invariances of forces between particles, and the bits of everything that an evaluation returns.

use glam::{DMat3, DVec3};
use pliant_core::{Jacobian, JacobianKind, State, System};

use crate::derivative::{force, jacobian};
use crate::random::Random;

/// Resultants of a force.
#[derive(Clone, Copy, Debug)]
pub struct Resultants {
    /// |Σ f|, N.
    pub push: f64,
    /// |Σ x × f|, N m.
    pub turn: f64,
    /// Σ |f|, N.
    pub forces: f64,
    /// Σ |x| |f|, N m.
    pub moments: f64,
}

/// Resultants of the force at a state.
pub fn resultants(system: &mut System, state: &State) -> Resultants {
    let force = force(system, state);
    let pairs = || state.x.iter().zip(&force);
    Resultants {
        push: force.iter().sum::<DVec3>().length(),
        turn: pairs().map(|(x, f)| x.cross(*f)).sum::<DVec3>().length(),
        forces: force.iter().map(|f| f.length()).sum(),
        moments: pairs().map(|(x, f)| x.length() * f.length()).sum(),
    }
}

/// Power of the velocity-dependent part of the force: as the models report it, and as `Σ (f(x, v) - f(x, 0))·v`.
#[derive(Clone, Copy, Debug)]
pub struct ViscousPower {
    /// W
    pub reported: f64,
    /// W
    pub measured: f64,
    /// Σ (|f(x, v)| + |f(x, 0)|) |v|, W.
    pub scale: f64,
}

/// Measures it.
pub fn viscous_power(system: &mut System, state: &State) -> ViscousPower {
    let moving = force(system, state);
    let still = force(system, &State { v: vec![DVec3::ZERO; state.len()], ..state.clone() });
    let reported = system.energies().powers_at(state).viscous;
    let (mut measured, mut scale) = (0.0, 0.0);
    for ((moving, still), v) in moving.iter().zip(&still).zip(&state.v) {
        measured += (*moving - *still).dot(*v);
        scale += (moving.length() + still.length()) * v.length();
    }
    ViscousPower { reported, measured, scale }
}

/// These derivatives add energy to no displacement or velocity, tried in fifty directions.
///
/// # Panics
/// If one is.
pub fn never_feeds(what: &str, psd: &Jacobian, random: &mut Random) {
    let count = psd.stiffness.rows();
    for _ in 0..50 {
        let (dx, still) = (random.vectors(count), vec![DVec3::ZERO; count]);
        for (a, b) in [(&dx, &still), (&still, &dx)] {
            let mut out = still.clone();
            psd.add_product(a, b, &mut out);
            let power: f64 = out.iter().zip(&dx).map(|(f, d)| f.dot(*d)).sum();
            let scale: f64 = out.iter().zip(&dx).map(|(f, d)| f.length() * d.length()).sum();
            assert!(power <= 1e-12 * scale, "{what}: {power}");
        }
    }
}

/// The bits of everything that an evaluation at a state gives: force, energies, powers, and all three Jacobians.
pub fn evaluation_bits(system: &mut System, state: &State) -> Vec<u64> {
    let force = force(system, state);
    let (account, powers) = (system.energies().account(state, &force), system.energies().powers_at(state));
    let mut numbers = vec![
        account.energy.kinetic,
        account.energy.elastic,
        account.energy.gravity,
        powers.viscous,
        powers.contact,
        powers.loads,
        powers.colliders,
        system.bounds().frequency_bound(&state.view()),
    ];
    numbers.extend(force.iter().flat_map(|f| f.to_array()));
    for kind in [JacobianKind::Exact, JacobianKind::Symmetric, JacobianKind::Psd] {
        let jacobian = jacobian(system, state, kind);
        let blocks = jacobian.stiffness.values.iter().chain(&jacobian.damping.values);
        let contact_blocks = jacobian.contact_blocks.iter().flat_map(|block| [&block.stiffness, &block.damping]);
        numbers.extend(blocks.chain(contact_blocks).flat_map(DMat3::to_cols_array));
    }
    numbers.into_iter().map(f64::to_bits).collect()
}
