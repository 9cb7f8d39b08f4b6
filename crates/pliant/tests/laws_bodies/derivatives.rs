//! Contact and sutures: forces are derivatives of energies and Jacobians of forces, and positive semi-definite ones feed no energy.

use pliant::core::{JacobianKind, State, System};
use pliant_testkit::derivative::{follows_from_energy, jacobian, jacobians_follow_from_force};
use pliant_testkit::invariance::never_feeds;
use pliant_testkit::random::Random;

use super::{contact, suture};

const WIDTH: f64 = 1e-4;

/// A law of a named system at a state.
pub type Check<'a> = &'a mut dyn FnMut(&str, &mut System, &State);

/// All states of each kind.
const KINDS: [fn(Check); 2] = [contact::for_each_state, suture::for_each_state];

#[test]
fn force_is_minus_the_derivative_of_energy() {
    for for_each_state in KINDS {
        let mut largest: f64 = 0.0;
        for_each_state(&mut |what, system, state| {
            // A moving collider drags by friction what stands still; friction has no energy.
            if what.starts_with("colliders") && what.ends_with("rough") {
                return;
            }
            largest = largest.max(follows_from_energy(what, system, state, WIDTH));
        });
        assert!(largest > 1.0, "{largest} N");
    }
}

#[test]
fn jacobians_are_derivatives_of_the_force() {
    for for_each_state in KINDS {
        for_each_state(&mut |what, system, state| jacobians_follow_from_force(what, system, state, WIDTH));
    }
}

#[test]
fn psd_jacobians_never_feed_energy() {
    for for_each_state in KINDS {
        for_each_state(&mut |what, system, state| {
            never_feeds(what, &jacobian(system, state, JacobianKind::Psd), &mut Random(9));
        });
    }
}
