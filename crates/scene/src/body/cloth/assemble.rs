//! From `[[cloth]]` to particles and forces.

use glam::{DVec2, DVec3};
use pliant_core::{Body, ForceModel};
use pliant_forces::Springs;
use pliant_forces::cloth::aerodynamics::{Aerodynamics, Air};
use pliant_forces::cloth::baraff_witkin::{BaraffWitkin, ConditionTriangle, Conditions};
use pliant_forces::cloth::bending::stiffness_across;
use pliant_forces::cloth::hinge::{Hinge, HingeBending};
use pliant_forces::cloth::mesh_springs::{SpringKind, SpringKinds, mesh_springs};
use pliant_forces::cloth::plate::PlateBending;
use pliant_forces::cloth::presets::FABRICS;
use pliant_forces::cloth::pressure::{Filling, Pressure, enclosed_volume};
use pliant_forces::cloth::quadratic::{QuadraticBending, QuadraticHinge};
use pliant_forces::cloth::rest::RestTriangle;
use pliant_forces::cloth::strain_limit::{LimitedEdge, StrainLimit};
use pliant_forces::cloth::stvk::{Orthotropic, StvkMembrane, StvkTriangle};
use pliant_forces::cloth::surface::{edges, hinges};
use pliant_forces::cloth::wind::Wind;
use pliant_forces::contact::ContactBody;
use pliant_geom::shapes::icosphere;

use pliant_mesh::Attribute;

use crate::assemble::mesh::read_mesh;
use crate::assemble::{Parts, Pinned, contact_distance, grid_surface, pin};
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::schema::{ClothBending, ClothBody, ClothGrid, ClothModel, Plane};
use crate::validate::MAX_PARTICLES;

/// A limited edge is as stiff as the sheet itself when its strain is this much above the limit.
const LIMIT_RAMP: f64 = 0.01;

/// Angles at rest below this are those of a flat sheet, rad.
const FLAT: f64 = 1e-6;

/// A sheet at rest, numbered from 0.
struct Sheet {
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Direction of the warp.
    warp: DVec3,
    attributes: Vec<Attribute>,
}

/// The resolved material.
struct Material {
    membrane: Orthotropic,
    density: f64,
    bending: [f64; 2],
}

pub(super) fn add(loaded: &LoadedScene, body: &ClothBody, path: &str, parts: &mut Parts) -> Result<(), Located> {
    let document = &loaded.document;
    let first = parts.x.len();
    let sheet = sheet(loaded, body, path)?;
    let count = sheet.points.len();
    if first + count > MAX_PARTICLES {
        return Err(document.at(path, format!("more than {MAX_PARTICLES} particles in all bodies together")));
    }
    let material = material(body);
    let wrong = |message: String| document.at(path, message);
    let triangles: Vec<[u32; 3]> = sheet.triangles.iter().map(|t| t.map(|corner| corner + first as u32)).collect();
    let mut masses = vec![0.0; count];
    for corners in &sheet.triangles {
        let [a, b, c] = corners.map(|corner| sheet.points[corner as usize]);
        let third = material.density * (b - a).cross(c - a).length() / 6.0;
        corners.iter().for_each(|corner| masses[*corner as usize] += third);
    }
    parts.masses.extend(masses);
    parts.v.extend(std::iter::repeat_n(body.velocity.to_dvec3(), count));
    parts.x.extend_from_slice(&sheet.points);
    parts.heavy.push(first..first + count);
    let mut jaws = vec![None; count];
    for (k, table) in body.pins.iter().enumerate() {
        let grid = body.grid.as_ref().map(|grid| (grid.columns, grid.rows));
        let pinned = Pinned { grid, points: &sheet.points, attributes: &sheet.attributes, first };
        let before = parts.pins.len();
        pin(table, &pinned, document, &format!("{path}.pins[{k}]"), parts)?;
        parts.pins[before..].iter().for_each(|pin| jaws[pin.particle - first] = Some(k));
    }
    add_elastic(body, &sheet, &material, &triangles, &jaws, parts).map_err(wrong)?;
    add_air(loaded, body, &sheet, &triangles, parts).map_err(wrong)?;
    if body.contact {
        let given = body.contact_distance.map(|distance| distance.si());
        let thickness = contact_distance(&triangles, &parts.x, given)
            .map_err(|message| document.at(&format!("{path}.contact_distance"), message))?;
        parts.contact_bodies.push(ContactBody {
            triangles: triangles.clone(),
            thickness,
            friction: body.friction,
            ..ContactBody::default()
        });
    }
    let (name, particles) = (body.name.clone(), first..first + count);
    parts.bodies.push(Body { name, particles, triangles, ..Body::default() });
    Ok(())
}

fn sheet(loaded: &LoadedScene, body: &ClothBody, path: &str) -> Result<Sheet, Located> {
    let document = &loaded.document;
    if let Some(grid) = &body.grid {
        return Ok(rectangle(grid));
    }
    if let Some(sphere) = &body.sphere {
        let mesh = icosphere(sphere.radius.si(), sphere.subdivisions)
            .map_err(|error| document.at(&format!("{path}.sphere"), error.to_string()))?;
        let points = mesh.points.into_iter().map(|point| point + sphere.centre.to_dvec3()).collect();
        return Ok(Sheet { points, triangles: mesh.triangles, warp: DVec3::Y, attributes: Vec::new() });
    }
    let table = body.mesh.as_ref().ok_or_else(|| document.at(path, "has no shape"))?;
    let read = read_mesh(loaded, table, &format!("{path}.mesh"))?;
    let attributes = read.mesh.attributes;
    Ok(Sheet { points: read.points, triangles: read.triangles, warp: DVec3::Y, attributes })
}

fn rectangle(grid: &ClothGrid) -> Sheet {
    let down = if grid.plane == Plane::Vertical { DVec3::NEG_Y } else { DVec3::Z };
    let right = DVec3::X * (grid.width.si() / (grid.columns - 1) as f64);
    let step = down * (grid.height.si() / (grid.rows - 1) as f64);
    let origin = grid.origin.to_dvec3();
    let points = (0..grid.columns * grid.rows)
        .map(|k| origin + right * (k % grid.columns) as f64 + step * (k / grid.columns) as f64)
        .collect();
    Sheet { points, triangles: grid_surface(grid.columns, grid.rows, 0), warp: down, attributes: Vec::new() }
}

/// The preset, overridden by the values of the scene.
fn material(body: &ClothBody) -> Material {
    let fabric = FABRICS.iter().find(|fabric| fabric.name == body.preset).unwrap_or(&FABRICS[0]);
    let mut membrane = Orthotropic { damping_time: body.damping.si(), ..fabric.membrane() };
    membrane.thickness = body.thickness.map_or(membrane.thickness, |t| t.si());
    membrane.poisson = body.poisson.unwrap_or(membrane.poisson);
    if let Some(young) = body.youngs_modulus {
        membrane.young = [young.si(); 2];
        membrane.shear = young.si() / (2.0 * (1.0 + membrane.poisson));
    }
    membrane.young[1] = body.youngs_modulus_weft.map_or(membrane.young[1], |young| young.si());
    membrane.shear = body.shear_modulus.map_or(membrane.shear, |shear| shear.si());
    Material {
        membrane,
        density: body.density.map_or(fabric.area_density, |density| density.si()),
        bending: body.bending_stiffness.map_or(fabric.bending, |bending| [bending.si(); 2]),
    }
}

fn add_elastic(
    body: &ClothBody,
    sheet: &Sheet,
    material: &Material,
    triangles: &[[u32; 3]],
    jaws: &[Option<usize>],
    parts: &mut Parts,
) -> Result<(), String> {
    let membrane = &material.membrane;
    let corners = |t: &[u32; 3]| t.map(|corner| parts.x[corner as usize]);
    let rest = |t: &[u32; 3]| {
        RestTriangle::in_space(corners(t), warp_in(corners(t), sheet.warp)).ok_or("a triangle has no area")
    };
    let mut models: Vec<Box<dyn ForceModel>> = Vec::new();
    let [warp, weft] = membrane.young.map(|young| young * membrane.thickness);
    let (shear, damping) = (membrane.shear * membrane.thickness, membrane.damping_time);
    match body.model {
        ClothModel::Stvk => {
            let bad = "youngs_modulus, poisson and shear_modulus do not fit together: poisson² must be below warp/weft";
            let element = |t: &[u32; 3]| StvkTriangle::new(*t, rest(t)?, membrane).ok_or(bad);
            models.push(Box::new(StvkMembrane::new(triangles.iter().map(element).collect::<Result<_, _>>()?)));
        }
        ClothModel::BaraffWitkin => {
            let conditions = Conditions {
                stretch: [warp, weft],
                shear,
                stretch_damping: [warp * damping, weft * damping],
                shear_damping: shear * damping,
            };
            let element = |t: &[u32; 3]| {
                ConditionTriangle::new(*t, rest(t)?, &conditions).ok_or("the stiffness must be positive and finite")
            };
            models.push(Box::new(BaraffWitkin::new(triangles.iter().map(element).collect::<Result<_, _>>()?)));
        }
        ClothModel::Springs => {
            // A square net of springs k pulled along its lines has the modulus k (N/m); a spring over two cells of length h that
            // resists bending with B has about B/h².
            let stiffness = 0.5 * (warp + weft);
            let kind = |stiffness: f64| SpringKind { stiffness, damping: stiffness * damping };
            let area: f64 = triangles
                .iter()
                .map(|t| {
                    let [a, b, c] = corners(t);
                    0.5 * (b - a).cross(c - a).length()
                })
                .sum();
            let cell = 2.0 * area / triangles.len() as f64;
            let bend = 0.5 * (material.bending[0] + material.bending[1]) / cell;
            let kinds = SpringKinds { structural: kind(stiffness), shear: kind(shear), bend: kind(bend) };
            let springs = mesh_springs(triangles, &parts.x, &kinds).map_err(|error| error.to_string())?;
            models.push(Box::new(Springs::new(springs)));
        }
    }
    models.extend(bending(body, sheet, material, triangles, jaws, &parts.x)?);
    if let Some(limit) = body.strain_limit {
        let stiff = warp.max(weft);
        let element = |edge: [u32; 2]| {
            let length = parts.x[edge[0] as usize].distance(parts.x[edge[1] as usize]);
            LimitedEdge::new(edge, length, limit, LIMIT_RAMP, 10.0 * stiff * length)
        };
        let all = edges(triangles).map_err(|error| error.to_string())?;
        models.push(Box::new(StrainLimit::new(all.iter().filter_map(|edge| element(edge.nodes)).collect())));
    }
    parts.models.extend(models);
    Ok(())
}

/// The bending model; none where bending is free. `jaws`: by which table of pins each particle is held.
fn bending(
    body: &ClothBody,
    sheet: &Sheet,
    material: &Material,
    triangles: &[[u32; 3]],
    jaws: &[Option<usize>],
    x: &[DVec3],
) -> Result<Option<Box<dyn ForceModel>>, String> {
    if body.model == ClothModel::Springs || material.bending == [0.0; 2] {
        return Ok(None);
    }
    let damping = body.bending_damping.si();
    if body.bending == ClothBending::Plate {
        let warp = |t: usize| warp_in(triangles[t].map(|corner| x[corner as usize]), sheet.warp);
        // all corners in one table of pins move as a rigid whole
        let rigid = |t: usize| {
            let [a, b, c] = sheet.triangles[t].map(|corner| jaws[corner as usize]);
            a.is_some() && a == b && b == c
        };
        let plate = PlateBending::new(triangles, x, warp, rigid, material.bending, damping);
        return Ok(plate.map_err(|error| error.to_string())?.map(|plate| Box::new(plate) as Box<dyn ForceModel>));
    }
    let stiffness = |x: &[DVec3; 4]| {
        let edge = x[1] - x[0];
        let along = edge.dot(sheet.warp);
        let across = (edge.length_squared() - along * along).max(0.0).sqrt();
        stiffness_across(DVec2::new(along, across), material.bending)
    };
    let all = hinges(triangles).map_err(|error| error.to_string())?;
    let corners = all.iter().map(|nodes| (*nodes, nodes.map(|node| x[node as usize])));
    if body.bending == ClothBending::Hinges {
        let elements: Vec<Hinge> =
            corners.filter_map(|(nodes, x)| Hinge::new(nodes, x, stiffness(&x), damping)).collect();
        return Ok((!elements.is_empty()).then(|| Box::new(HingeBending::new(elements)) as Box<dyn ForceModel>));
    }
    if corners.clone().any(|(_, x)| Hinge::angle(x).is_some_and(|angle| angle.abs() > FLAT)) {
        return Err(
            "`bending = \"quadratic\"` is for sheets that are flat at rest; take \"plate\" or \"hinges\"".into()
        );
    }
    let elements: Vec<QuadraticHinge> =
        corners.filter_map(|(nodes, x)| QuadraticHinge::new(nodes, x, stiffness(&x))).collect();
    Ok((!elements.is_empty()).then(|| Box::new(QuadraticBending::new(elements)) as Box<dyn ForceModel>))
}

/// The first of warp, z and x that is not nearly normal to a triangle.
fn warp_in([a, b, c]: [DVec3; 3], warp: DVec3) -> DVec3 {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let lies = |direction: &DVec3| direction.reject_from_normalized(normal).length() > 0.1;
    [warp, DVec3::Z, DVec3::X].into_iter().find(|direction| normal == DVec3::ZERO || lies(direction)).unwrap_or(warp)
}

/// Air around and gas inside.
fn add_air(
    loaded: &LoadedScene,
    body: &ClothBody,
    sheet: &Sheet,
    triangles: &[[u32; 3]],
    parts: &mut Parts,
) -> Result<(), String> {
    let table = &loaded.scene.air;
    if table.density.si() > 0.0 {
        let wind = Wind::gusty(table.wind.to_dvec3(), table.gusts, table.gust_size.si());
        let air = Air { density: table.density.si(), ..Air::default() };
        let model = Aerodynamics::new(triangles, air, wind).ok_or("the numbers of the air must be finite")?;
        parts.models.push(Box::new(model));
    }
    if let Some(gas) = &body.inflate {
        let volume = enclosed_volume(&sheet.triangles, &sheet.points);
        let filling = if gas.constant {
            Filling::Constant(gas.pressure.si())
        } else {
            let (over, outside) = (gas.pressure.si(), gas.ambient.si());
            Filling::Gas { pressure: over + outside, volume, exponent: 1.0, outside }
        };
        let model = Pressure::new(triangles.to_vec(), filling).map_err(|error| error.to_string())?;
        parts.models.push(Box::new(model));
    }
    Ok(())
}
