//! Checks of cloth.

use pliant_forces::cloth::presets::FABRICS;

use crate::schema::Scene;
use crate::schema::cloth::{ClothBending, ClothBody, ClothModel};
use crate::validate::collider::check_mesh;
use crate::validate::{Complaints, MAX_PARTICLES, check_pin};

/// Largest number of subdivisions: more triangles would not fit into memory.
const MAX_SUBDIVISIONS: usize = 8;

pub(super) fn check(scene: &Scene, c: &mut Complaints) {
    for (k, body) in scene.cloth.iter().enumerate() {
        check_cloth(body, &format!("cloth[{k}]"), c);
    }
}

fn check_cloth(body: &ClothBody, path: &str, c: &mut Complaints) {
    let key = |name: &str| format!("{path}.{name}");
    let shapes = [body.grid.is_some(), body.sphere.is_some(), body.mesh.is_some()].iter().filter(|s| **s).count();
    if shapes != 1 {
        c.add(path, format!("give exactly one of `grid`, `sphere` and `mesh`; here are {shapes}"));
    }
    let mut count = None;
    if let Some(grid) = &body.grid {
        count = grid.columns.checked_mul(grid.rows).or(Some(usize::MAX));
        if grid.columns < 2 || grid.rows < 2 {
            c.add(&key("grid"), format!("needs at least 2 columns and 2 rows, got {} x {}", grid.columns, grid.rows));
        }
        c.positive(&key("grid.width"), grid.width.si());
        c.positive(&key("grid.height"), grid.height.si());
        c.finite(&key("grid.origin"), &grid.origin);
    }
    if let Some(sphere) = &body.sphere {
        c.positive(&key("sphere.radius"), sphere.radius.si());
        c.finite(&key("sphere.centre"), &sphere.centre);
        if sphere.subdivisions > MAX_SUBDIVISIONS {
            c.add(&key("sphere.subdivisions"), format!("at most {MAX_SUBDIVISIONS}, got {}", sphere.subdivisions));
        } else {
            count = Some(10 * 4_usize.pow(sphere.subdivisions as u32) + 2);
        }
    }
    if let Some(mesh) = &body.mesh {
        check_mesh(mesh, &key("mesh"), c);
    }
    if count.is_some_and(|count| count > MAX_PARTICLES) {
        c.add(path, format!("more than {MAX_PARTICLES} particles"));
    }
    let presets = FABRICS.iter().map(|fabric| fabric.name);
    if !presets.clone().any(|name| name == body.preset) {
        c.unknown(&key("preset"), "cloth preset", &body.preset, presets);
    }
    c.option(&key("thickness"), body.thickness, Complaints::positive);
    c.option(&key("youngs_modulus_weft"), body.youngs_modulus_weft, Complaints::positive);
    c.option(&key("shear_modulus"), body.shear_modulus, Complaints::positive);
    c.option(&key("bending_stiffness"), body.bending_stiffness, Complaints::not_negative);
    c.not_negative(&key("bending_damping"), body.bending_damping.si());
    if body.bending == ClothBending::Quadratic && body.model != ClothModel::Springs {
        if body.bending_damping.si() > 0.0 {
            let message =
                "`bending = \"quadratic\"` has no damping: set `bending_damping = 0`, or take \"plate\" or \"hinges\"";
            c.add(&key("bending"), message);
        }
        if body.sphere.is_some() {
            c.add(&key("bending"), "\"quadratic\" is for sheets that are flat at rest; take \"plate\" or \"hinges\"");
        }
    }
    if body.model == ClothModel::Springs && body.bending != ClothBending::default() {
        c.add(&key("bending"), "`model = \"springs\"` has springs against bending; leave `bending` out");
    }
    if let Some(poisson) = body.poisson.filter(|nu| !(*nu > -1.0 && *nu < 1.0)) {
        c.add(&key("poisson"), format!("of a sheet it lies between -1 and 1, got {poisson}"));
    }
    if let Some(limit) = body.strain_limit {
        c.positive(&key("strain_limit"), limit);
    }
    if let Some(gas) = &body.inflate {
        c.not_negative(&key("inflate.pressure"), gas.pressure.si());
        c.not_negative(&key("inflate.ambient"), gas.ambient.si());
        if body.grid.is_some() {
            c.add(&key("inflate"), "a rectangle is not closed: only `sphere` or a closed `mesh` can be inflated");
        }
    }
    for (k, pin) in body.pins.iter().enumerate() {
        let pins = format!("{path}.pins[{k}]");
        check_pin(pin, body.grid.is_some(), count, &pins, c);
        if pin.attribute.is_some() && body.mesh.is_none() {
            c.add(&format!("{pins}.attribute"), "only a `mesh` has vertex properties");
        }
    }
}
