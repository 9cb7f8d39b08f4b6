//! Checks of springs.

use super::schema::{SpringLaw, SpringsBody};
use crate::validate::{Complaints, MAX_PARTICLES, check_pin};

pub(super) fn check(body: &SpringsBody, path: &str, c: &mut Complaints) {
    let key = |name: &str| format!("{path}.{name}");
    let shapes = [body.points.is_some(), body.grid.is_some(), body.chain.is_some()].iter().filter(|s| **s).count();
    if shapes != 1 {
        c.add(path, format!("give exactly one of `points`, `grid` and `chain`; here are {shapes}"));
    }
    match (body.mass, body.total_mass) {
        (Some(mass), None) => c.positive(&key("mass"), mass.si()),
        (None, Some(mass)) => c.positive(&key("total_mass"), mass.si()),
        (None, None) => c.add(path, "give `mass` (of each particle) or `total_mass`"),
        (Some(_), Some(_)) => c.add(&key("total_mass"), "give either `mass` or `total_mass`, not both"),
    }
    c.not_negative(&key("stiffness"), body.stiffness.si());
    c.option(&key("shear_stiffness"), body.shear_stiffness, Complaints::not_negative);
    c.option(&key("bend_stiffness"), body.bend_stiffness, Complaints::not_negative);
    c.not_negative(&key("damping"), body.damping.si());
    c.option(&key("rest_length"), body.rest_length, Complaints::not_negative);
    if body.law == SpringLaw::Cubic {
        match &body.anchor {
            None => c.add(path, "cubic springs need an `anchor`, such as anchor = [0, 0, 0]"),
            Some(anchor) => c.finite(&key("anchor"), anchor),
        }
        if body.edges.is_some() || body.rest_length.is_some() {
            c.add(path, "cubic springs tie each particle to the anchor: `edges` and `rest_length` mean nothing here");
        }
    } else if body.anchor.is_some() {
        c.add(&key("anchor"), "only law = \"cubic\" has an anchor");
    }
    let mut count = None;
    if let Some(points) = &body.points {
        count = Some(points.len());
        if points.is_empty() {
            c.add(&key("points"), "there must be at least one point");
        }
        for (k, point) in points.iter().enumerate() {
            c.finite(&format!("{path}.points[{k}]"), point);
        }
        for (k, edge) in body.edges.iter().flatten().enumerate() {
            let place = format!("{path}.edges[{k}]");
            if let Some(out) = edge.iter().find(|i| **i >= points.len()) {
                c.add(&place, format!("there is no point {out}; points are numbered 0 to {}", points.len().max(1) - 1));
            } else if edge[0] == edge[1] {
                c.add(&place, "a spring needs two different points");
            }
        }
    } else if body.edges.is_some() {
        c.add(&key("edges"), "`edges` go with `points`; a grid or chain has its own");
    }
    if let Some(grid) = &body.grid {
        count = grid.columns.checked_mul(grid.rows);
        if grid.columns < 2 || grid.rows < 2 {
            c.add(&key("grid"), format!("needs at least 2 columns and 2 rows, got {} x {}", grid.columns, grid.rows));
        }
        c.positive(&format!("{path}.grid.width"), grid.width.si());
        c.positive(&format!("{path}.grid.height"), grid.height.si());
        c.finite(&format!("{path}.grid.origin"), &grid.origin);
    }
    if let Some(chain) = &body.chain {
        count = Some(chain.count);
        if chain.count < 2 {
            c.add(&format!("{path}.chain.count"), format!("a chain needs at least 2 particles, got {}", chain.count));
        }
        c.finite(&format!("{path}.chain.from"), &chain.from);
        c.finite(&format!("{path}.chain.to"), &chain.to);
    }
    if shapes == 1 && count.is_none_or(|count| count > MAX_PARTICLES) {
        let paths = ["grid.columns", "grid.rows", "chain.count"].map(key);
        let paths = [path, &paths[0], &paths[1], &paths[2]];
        c.add_pair(&paths, format!("at most {MAX_PARTICLES} particles are allowed"));
    }
    for (k, pin) in body.pins.iter().enumerate() {
        check_pin(pin, body.grid.is_some(), Some(count.unwrap_or(0)), &format!("{path}.pins[{k}]"), c);
    }
}
