//! The response to a collision as an impulse, for explicit steps: two features within reach of each other that approach stop doing so, and what
//! slides on them is held back by friction as far as Coulomb's law lets it.
//!
//! With `u = Σ w v - (plane)` the velocity of the gap, n its normal and `c = Σ w²/m` what a unit impulse does to it, the impulse across is
//! `j = -u·n/c` where `u·n < 0`, and that along the surface at most μ j. A pair's impulses add up to nothing, so momentum is kept between bodies;
//! energy is only taken: nothing bounces but by its own elasticity.

use glam::DVec3;

use super::contact_pair::{ContactPair, NO_NODE};

/// Changes the velocities `v` of particles, of which `weights` are 1/m; `collider_nodes` are the velocities of all nodes, for corners of colliders.
pub(super) fn stop_approaching(touch: &ContactPair, weights: &[f64], v: &mut [DVec3], collider_nodes: &[DVec3]) {
    let particle = |node: u32| ((node as usize) < v.len()).then_some(node as usize);
    let mut velocity = -touch.carried;
    let mut yielding = 0.0;
    for (node, weight) in touch.nodes.into_iter().zip(touch.weights).filter(|(node, _)| *node != NO_NODE) {
        velocity += weight * particle(node).map_or_else(|| collider_nodes[node as usize], |p| v[p]);
        yielding += particle(node).map_or(0.0, |p| weights[p] * weight * weight);
    }
    let approach = velocity.dot(touch.normal);
    if !(approach < 0.0 && yielding > 0.0) {
        return;
    }
    let press = -approach / yielding;
    let sliding = velocity - touch.normal * approach;
    let speed = sliding.length();
    let mut impulse = touch.normal * press;
    if speed > 0.0 {
        impulse -= sliding * ((touch.friction() * press).min(speed / yielding) / speed);
    }
    for (node, weight) in touch.nodes.into_iter().zip(touch.weights) {
        if (node as usize) < v.len() {
            v[node as usize] += impulse * (weight * weights[node as usize]);
        }
    }
}
