//! Collision response by impulses, for explicit steps: the approach velocity of two features within reach of each other is removed, and their
//! sliding velocity is reduced by friction within Coulomb's law.
//!
//! With `u = Σ w v - (plane)` the velocity of the gap, n its normal and `c = Σ w²/m` the change of u per unit impulse, the normal impulse is
//! `j = -u·n/c` where `u·n < 0`, and the tangential one at most μ j. The impulses of a pair sum to zero, so momentum is conserved between bodies;
//! energy only decreases: the restitution is zero, bodies rebound by their own elasticity only.

use glam::DVec3;

use super::contact_pair::{ContactPair, NO_NODE};

/// Applies the impulse of a pair to the velocities `v` of particles; `weights` are 1/m, `collider_nodes` the velocities of all nodes, used for
/// corners of colliders.
pub(super) fn apply_contact_impulse(pair: &ContactPair, weights: &[f64], v: &mut [DVec3], collider_nodes: &[DVec3]) {
    let particle = |node: u32| ((node as usize) < v.len()).then_some(node as usize);
    let mut velocity = -pair.carried;
    let mut inverse_mass = 0.0;
    for (node, weight) in pair.nodes.into_iter().zip(pair.weights).filter(|(node, _)| *node != NO_NODE) {
        velocity += weight * particle(node).map_or_else(|| collider_nodes[node as usize], |p| v[p]);
        inverse_mass += particle(node).map_or(0.0, |p| weights[p] * weight * weight);
    }
    let approach = velocity.dot(pair.normal);
    if !(approach < 0.0 && inverse_mass > 0.0) {
        return;
    }
    let normal_impulse = -approach / inverse_mass;
    let sliding = velocity - pair.normal * approach;
    let speed = sliding.length();
    let mut impulse = pair.normal * normal_impulse;
    if speed > 0.0 {
        impulse -= sliding * ((pair.friction() * normal_impulse).min(speed / inverse_mass) / speed);
    }
    for (node, weight) in pair.nodes.into_iter().zip(pair.weights) {
        if (node as usize) < v.len() {
            v[node as usize] += impulse * (weight * weights[node as usize]);
        }
    }
}
