//! Checks of fluids.

use glam::DVec3;
use pliant_scalar::shown::metres;
use pliant_time::catalog::Entry;

use crate::schema::fluid::{FluidBody, FluidPressure};
use crate::schema::{BoxTable, Scene, SourceTable};
use crate::validate::{Complaints, MAX_PARTICLES};

/// Smoothing lengths over spacing with accurate sums over neighbours; above, particles pair up.
const SMOOTHING: [f64; 2] = [1.0, 2.0];
/// Boxes may share this much of a spacing: numbers in files are rounded.
const SLACK: f64 = 1e-6;

pub(super) fn check(scene: &Scene, integrator: Option<&Entry>, c: &mut Complaints) {
    for (k, body) in scene.fluid.iter().enumerate() {
        check_fluid(scene, body, &format!("fluid[{k}]"), c);
        check_kinship(scene, k, c);
    }
    check_divergence_free(scene, integrator, c);
    if let Some(entry) = integrator.filter(|entry| !scene.fluid.is_empty() && entry.properties.is_implicit()) {
        c.add(
            "time.integrator",
            format!(
                "{} is implicit and needs derivatives of all forces, which fluids do not have yet; take \"symplectic-euler\" with \
                 control \"stable\" (the defaults of scenes with a fluid) or another explicit scheme",
                entry.properties.name
            ),
        );
    }
}

/// Schemes that support a pressure solve.
fn check_divergence_free(scene: &Scene, integrator: Option<&Entry>, c: &mut Complaints) {
    let asked = scene.fluid.iter().position(|body| body.pressure == FluidPressure::DivergenceFree);
    let entry = integrator.filter(|entry| !entry.properties.is_implicit() && !entry.properties.projects_pressure);
    let (Some(k), Some(entry)) = (asked, entry) else { return };
    c.add_pair(
        &["time.integrator", &format!("fluid[{k}].pressure")],
        format!(
            "{} has no place for the pressures of a divergence-free fluid; take \"symplectic-euler\", or pressure \"weakly-compressible\"",
            entry.properties.name
        ),
    );
}

fn check_fluid(scene: &Scene, body: &FluidBody, path: &str, c: &mut Complaints) {
    let key = |name: &str| format!("{path}.{name}");
    let before = c.found.len();
    if body.boxes.is_empty() && body.source.is_none() {
        c.add(&key("boxes"), "there is no fluid: give at least one box, such as { min = [0, 0, 0], max = [1, 1, 1] }");
    }
    c.positive(&key("spacing"), body.spacing.si());
    c.positive(&key("density"), body.density.si());
    c.option(&key("sound_speed"), body.sound_speed, Complaints::positive);
    if !(SMOOTHING[0]..=SMOOTHING[1]).contains(&body.smoothing) {
        let [low, high] = SMOOTHING;
        c.add(&key("smoothing"), format!("must lie between {low} and {high} spacings, got {}", body.smoothing));
    }
    c.positive(&key("density_error"), body.density_error);
    c.not_negative(&key("artificial_viscosity"), body.artificial_viscosity);
    if let Some(bulk) = body.bulk_viscosity {
        c.not_negative(&key("bulk_viscosity"), bulk);
        if bulk > 0.0 && body.pressure == FluidPressure::DivergenceFree {
            let message = "damps sound, which a divergence-free fluid has none of; leave it out, or take pressure \"weakly-compressible\"";
            c.add_pair(&[&key("bulk_viscosity"), &key("pressure")], message);
        }
    }
    c.not_negative(&key("viscosity"), body.viscosity.si());
    c.not_negative(&key("surface_tension"), body.surface_tension.si());
    if body.two_dimensional && body.surface_tension.si() > 0.0 {
        c.add(&key("surface_tension"), "is a matter of three dimensions; leave it or `two_dimensional` out");
    }
    if body.sound_speed.is_none() && fastest(scene) == 0.0 {
        c.add(
            path,
            "neither gravity nor a velocity tells how fast it will flow: give `sound_speed`, ten times the fastest flow",
        );
    }
    check_stream(body, path, c);
    for (k, place) in body.boxes.iter().enumerate() {
        check_box(place, body.spacing.si(), &format!("{path}.boxes[{k}]"), c);
    }
    if let Some(container) = &body.container {
        check_box(&container.inside, body.spacing.si(), &key("container.box"), c);
    }
    if c.found.len() == before {
        check_places(body, path, c);
    }
}

/// A source and outlets.
fn check_stream(body: &FluidBody, path: &str, c: &mut Complaints) {
    for (k, place) in body.outlets.iter().enumerate() {
        check_box(place, 0.0, &format!("{path}.outlets[{k}]"), c);
    }
    let Some(source) = &body.source else {
        if !body.outlets.is_empty() {
            c.add(&format!("{path}.outlets"), "what reaches an outlet goes back to the `source`: give one");
        }
        return;
    };
    let key = |name: &str| format!("{path}.source.{name}");
    c.finite(&key("centre"), &source.centre);
    c.positive(&key("speed"), source.speed.si());
    let length = DVec3::from_array(source.direction).length();
    if !(length.is_finite() && length > 0.0) {
        c.add(&key("direction"), "must point somewhere, such as [1, 0, 0]");
    }
    for (k, size) in source.size.iter().enumerate() {
        let spacing = body.spacing.si();
        if !(size.si() >= spacing * (1.0 - SLACK) && size.si().is_finite()) {
            let message =
                format!("{}: not even one particle of spacing {} fits in it", metres(size.si()), metres(spacing));
            c.add(&key(&format!("size[{k}]")), message);
        }
    }
    if source.layers == 0 {
        c.add(&key("layers"), "must be at least 1, or nothing ever flows");
    }
}

/// Corners of a box, m.
fn corners(place: &BoxTable) -> [DVec3; 2] {
    [place.min.to_dvec3(), place.max.to_dvec3()]
}

fn check_box(place: &BoxTable, spacing: f64, path: &str, c: &mut Complaints) {
    c.finite(&format!("{path}.min"), &place.min);
    c.finite(&format!("{path}.max"), &place.max);
    let [min, max] = corners(place);
    let size = max - min;
    if !min.is_finite() || !max.is_finite() || spacing.is_nan() || spacing < 0.0 {
        return;
    }
    if size.min_element() <= 0.0 {
        c.add(&format!("{path}.max"), format!("must be above min along every axis; the box is {size} m"));
    } else if size.min_element() < spacing * (1.0 - SLACK) {
        let message = format!("the box is {size} m: not even one particle of spacing {} fits in it", metres(spacing));
        c.add(path, message);
    }
}

/// Checks of several valid boxes against each other.
fn check_places(body: &FluidBody, path: &str, c: &mut Complaints) {
    let spacing = body.spacing.si();
    let fits = |place: &BoxTable| {
        let [min, max] = corners(place);
        ((max - min) / spacing + SLACK).floor()
    };
    let mut count: f64 = body.boxes.iter().map(|place| fits(place).element_product()).sum();
    if let Some(source) = &body.source {
        count += source.size.iter().map(|size| size.si() / spacing).product::<f64>() * source.layers as f64;
    }
    if count > MAX_PARTICLES as f64 {
        let message = format!(
            "{count:.1e} particles are more than the {MAX_PARTICLES} that a body may have; make `spacing` larger"
        );
        c.add(path, message);
    }
    for (k, place) in body.boxes.iter().enumerate() {
        let place_of = |k: usize| format!("{path}.boxes[{k}]");
        if let Some(j) = body.boxes[..k].iter().position(|earlier| overlap(earlier, place, spacing)) {
            let message =
                format!("overlaps boxes[{j}]: particles of both would be in one place; let them share a face at most");
            c.add(&place_of(k), message);
        }
    }
}

/// Checks that a box lies within the container of a fluid.
fn check_held(holder: &FluidBody, place: &BoxTable, path: &str, c: &mut Complaints) {
    let Some(container) = &holder.container else { return };
    let ([min, max], [low, high]) = (corners(place), corners(&container.inside));
    let slack = DVec3::splat(SLACK * holder.spacing.si());
    let is_out = min.cmplt(low - slack).any() || max.cmpgt(high + slack).any();
    if is_out && low.cmplt(high).all() {
        let message = format!("reaches out of the container of \"{}\", from {low} m to {high} m", holder.name);
        c.add(path, message);
    }
}

fn overlap(a: &BoxTable, b: &BoxTable, spacing: f64) -> bool {
    let ([a_min, a_max], [b_min, b_max]) = (corners(a), corners(b));
    let common = a_max.min(b_max) - a_min.max(b_min);
    common.min_element() > SLACK * spacing
}

/// Values that must be the same for all fluids, and overlaps.
fn check_kinship(scene: &Scene, k: usize, c: &mut Complaints) {
    let (first, body) = (&scene.fluid[0], &scene.fluid[k]);
    let path = format!("fluid[{k}]");
    let same = "must be that of the first fluid, because they act on each other with one kernel";
    for (key, value, wanted) in [
        ("spacing", body.spacing.si(), first.spacing.si()),
        ("smoothing", body.smoothing, first.smoothing),
        ("density_error", body.density_error, first.density_error),
    ] {
        if value != wanted {
            c.add(&format!("{path}.{key}"), format!("{same}: {wanted}, got {value}"));
        }
    }
    if body.kernel != first.kernel {
        c.add(&format!("{path}.kernel"), same);
    }
    if body.two_dimensional != first.two_dimensional {
        c.add(&format!("{path}.two_dimensional"), same);
    }
    if body.pressure != first.pressure {
        c.add(&format!("{path}.pressure"), "must be that of the first fluid: one solve keeps all of them together");
    }
    for (m, place) in body.boxes.iter().enumerate() {
        for holder in &scene.fluid {
            check_held(holder, place, &format!("{path}.boxes[{m}]"), c);
        }
        for (j, other) in scene.fluid[..k].iter().enumerate() {
            if let Some(n) = other.boxes.iter().position(|earlier| overlap(earlier, place, body.spacing.si())) {
                let message = format!("overlaps fluid[{j}].boxes[{n}]: particles of both would be in one place");
                c.add(&format!("{path}.boxes[{m}]"), message);
            }
        }
    }
}

/// The fastest flow that the scene's fluids can come to by falling, m/s: `√(2 g H + v²)`, H from the highest place of fluids and sources to the lowest
/// one of fluids, containers, outlets (where they begin) and of planes that face up.
pub(super) fn fastest(scene: &Scene) -> f64 {
    let gravity = scene.world.gravity.to_dvec3();
    let down = gravity.normalize_or_zero();
    let containers = scene.fluid.iter().filter_map(|body| body.container.as_ref()).map(|container| &container.inside);
    let filled = || scene.fluid.iter().flat_map(|body| &body.boxes);
    let depths = |place: &BoxTable| {
        let [min, max] = corners(place);
        let (a, b) = (min * down, max * down);
        [a.min(b).element_sum(), a.max(b).element_sum()]
    };
    let highest = filled().map(|place| depths(place)[0]).fold(f64::INFINITY, f64::min);
    let lowest = filled().chain(containers).map(|place| depths(place)[1]).fold(f64::NEG_INFINITY, f64::max);
    let sources = || scene.fluid.iter().filter_map(|body| body.source.as_ref());
    let depth = |source: &SourceTable, sign: f64| {
        source.centre.to_dvec3().dot(down) + sign * 0.5 * source.size.iter().map(|size| size.si()).sum::<f64>()
    };
    let highest = sources().map(|source| depth(source, -1.0)).fold(highest, f64::min);
    let outlets = scene.fluid.iter().flat_map(|body| &body.outlets).map(|place| depths(place)[0]);
    let floors = scene.collider.iter().filter_map(|collider| collider.plane.as_ref());
    let floors = floors.filter(|plane| DVec3::from_array(plane.normal).dot(down) < 0.0);
    let floors = floors.map(|plane| plane.point.to_dvec3().dot(down));
    let lowest = sources().map(|source| depth(source, 1.0)).chain(outlets).chain(floors).fold(lowest, f64::max);
    let speeds = scene.fluid.iter().map(|body| body.velocity.to_dvec3().length());
    let start = speeds.chain(sources().map(|source| source.speed.si())).fold(0.0, f64::max);
    let fall = (lowest - highest).max(0.0);
    let square = 2.0 * gravity.length() * fall + start * start;
    if square.is_finite() { square.sqrt() } else { 0.0 }
}
