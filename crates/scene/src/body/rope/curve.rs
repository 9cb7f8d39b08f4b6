//! The axes of ropes: from points, files and built-in curves.

use glam::{DQuat, DVec3};
use pliant_geom::rope::{BadRope, Centreline, Curve, Layout, separate};
use pliant_mesh::curve::parse_points;
use pliant_mesh::{Mesh, regular};
use pliant_scalar::math;

use crate::load::LoadedScene;
use crate::locate::Located;
use crate::schema::Through;
use crate::schema::rope::{CurveTable, RopeBody};
use crate::validate::MAX_PARTICLES;

/// Default length of a segment, in radii.
const SEGMENT: f64 = 4.0;

/// The axes of all ropes of a scene; ropes with `separate` are moved apart.
pub(super) fn centrelines(loaded: &LoadedScene) -> Result<Vec<Centreline>, Located> {
    let ropes = &loaded.scene.rope;
    let mut layouts = Vec::with_capacity(ropes.len());
    for (k, body) in ropes.iter().enumerate() {
        let line = centreline(loaded, body, &format!("rope[{k}]"))?;
        layouts.push(Layout { line, radius: body.radius.si(), moves: body.separate });
    }
    if ropes.iter().any(|body| body.separate) {
        // ropes that could not be separated are reported by the check of the initial state
        separate(&mut layouts);
    }
    Ok(layouts.into_iter().map(|layout| layout.line).collect())
}

fn centreline(loaded: &LoadedScene, body: &RopeBody, path: &str) -> Result<Centreline, Located> {
    let document = &loaded.document;
    let at = |key: &str, bad: BadRope| document.at(&format!("{path}{key}"), bad.to_string());
    let turn = body
        .rotate
        .as_ref()
        .map_or(DQuat::IDENTITY, |turn| math::axis_angle(DVec3::from_array(turn.axis).normalize(), turn.angle.si()));
    let place = |line: Centreline| {
        let points = line.points().iter().map(|point| turn * *point + body.offset.to_dvec3()).collect();
        Centreline::new(points, line.is_closed())
    };
    // as many as their usual length asks for, within what one body may have
    let count = |length: f64| {
        let usual = (length / (SEGMENT * body.radius.si())).ceil().clamp(4.0, MAX_PARTICLES as f64 / 4.0);
        body.segments.unwrap_or(usual as usize)
    };
    if let Some(curve) = &body.curve {
        let curve = built_in(curve);
        let rough = curve.centreline(256).map_err(|bad| at(".curve", bad))?;
        let line = curve.centreline(count(rough.length())).map_err(|bad| at(".curve", bad))?;
        return place(line).map_err(|bad| at(".curve", bad));
    }
    let (key, points, closed) = match (&body.points, &body.file) {
        (Some(points), _) => (".points", points.iter().map(|point| point.to_dvec3()).collect(), body.closed),
        (None, Some(file)) => {
            let (points, closed) =
                read(loaded, file).map_err(|message| document.at(&format!("{path}.file"), message))?;
            (".file", points.into_iter().map(|point| point * body.scale).collect(), closed || body.closed)
        }
        (None, None) => return Err(document.at(path, "has no shape")),
    };
    let line = Centreline::new(points, closed).map_err(|bad| at(key, bad))?;
    let line = match (body.through, body.segments) {
        (Through::Spline, _) => line.smooth(count(line.length())),
        (Through::Polyline, Some(segments)) => line.resampled(segments),
        (Through::Polyline, None) => Ok(line),
    };
    line.and_then(place).map_err(|bad| at(key, bad))
}

fn built_in(table: &CurveTable) -> Curve {
    match table {
        CurveTable::Line { from, to } => Curve::Line { from: from.to_dvec3(), to: to.to_dvec3() },
        CurveTable::Helix { radius, pitch, turns } => {
            Curve::Helix { radius: radius.si(), pitch: pitch.si(), turns: *turns }
        }
        CurveTable::Ring { radius } => Curve::Ring { radius: radius.si() },
        CurveTable::Trefoil { size } => Curve::Trefoil { size: size.si() },
        CurveTable::FigureEight { size } => Curve::FigureEight { size: size.si() },
        CurveTable::Cinquefoil { size } => Curve::Cinquefoil { size: size.si() },
        CurveTable::Overhand { size, ends } => Curve::Overhand { size: size.si(), ends: ends.si() },
        CurveTable::Wave { length, height, waves } => {
            Curve::Wave { length: length.si(), height: height.si(), waves: *waves }
        }
    }
}

/// Points of a curve file in order, and whether it is closed.
fn read(loaded: &LoadedScene, file: &str) -> Result<(Vec<DVec3>, bool), String> {
    let path = loaded.folder().join(file);
    let is_obj = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("obj"));
    if is_obj {
        let mesh = Mesh::read(&path).map_err(|error| error.to_string())?;
        return mesh.polyline().map_err(|why| format!("{file}: {why}"));
    }
    let bytes = regular::read(&path).map_err(|error| format!("cannot read {file}: {error}"))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| format!("{file}: not UTF-8 text (byte {})", error.utf8_error().valid_up_to()))?;
    let points = parse_points(&text).map_err(|bad| format!("{file}: {bad}"))?;
    Ok((points, false))
}
