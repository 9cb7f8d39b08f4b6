//! Rejects initial states with overlaps, with the names of the bodies that overlap.

use glam::DVec3;
use pliant_core::{Body, View};
use pliant_forces::contact::{Contact, Overlap};

use crate::body;
use crate::locate::{Document, Located};
use crate::schema::Scene;

/// Largest number of reported overlaps.
const MAX_NAMED: usize = 3;

pub(super) fn check_start(
    scene: &Scene,
    document: &Document,
    bodies: &[Body],
    x: &[DVec3],
    v: &[DVec3],
    contact: &mut Contact,
) -> Result<(), Vec<Located>> {
    let overlaps = contact.overlaps(&View { time: 0.0, x, v });
    if overlaps.is_empty() {
        return Ok(());
    }
    let mut errors: Vec<Located> =
        overlaps.iter().take(MAX_NAMED).map(|overlap| complaint(scene, document, bodies, overlap)).collect();
    if overlaps.len() > MAX_NAMED {
        let more = overlaps.len() - MAX_NAMED;
        errors[MAX_NAMED - 1].message.push_str(&format!(" (and {more} more overlaps)"));
    }
    Err(errors)
}

fn complaint(scene: &Scene, document: &Document, bodies: &[Body], overlap: &Overlap) -> Located {
    let body_of = |particle: u32| bodies.iter().find(|body| body.particles.contains(&(particle as usize)));
    let name_of = |particle: u32| body_of(particle).map_or("a body", |body| body.name.as_str());
    let face_of = |corners: &[u32; 3]| {
        let Some(body) = body_of(corners[0]) else { return String::new() };
        let triangle = body.triangles.iter().position(|t| t == corners).map(|k| format!("triangle {k} of "));
        let segment = || body.edges.iter().position(|e| *e == corners[..2]).map(|k| format!("segment {k} of "));
        triangle.or_else(segment).unwrap_or_default()
    };
    let table = |particle: u32| {
        let name = name_of(particle);
        body::bodies(scene).find(|(_, known)| *known == name).map(|(found, _)| found)
    };
    let path = |particle: u32| table(particle).map_or_else(String::new, |found| found.path);
    let separates = |particle: u32| table(particle).is_some_and(|found| found.kind.properties.separates);
    let advice = "move them apart at the start, or set `contact = false` for this body";
    match overlap {
        Overlap::Bodies([a, b]) => {
            let (first, second) = (name_of(a[0]), name_of(b[0]));
            let both = separates(a[0]) && separates(b[0]);
            let advice =
                if both { format!("set `separate = true` to have them moved apart, {advice}") } else { advice.into() };
            let message = format!("{}\"{first}\" cuts {}\"{second}\"; {advice}", face_of(a), face_of(b));
            document.at(&path(a[0]), message)
        }
        Overlap::Cut(a, collider) => {
            let message = format!("{}\"{}\" cuts the collider \"{collider}\"; {advice}", face_of(a), name_of(a[0]));
            document.at(&path(a[0]), message)
        }
        Overlap::Inside(particle, collider) => {
            let first = body_of(*particle).map_or(0, |body| body.particles.start);
            let number = *particle as usize - first;
            let message = format!(
                "particle {number} of \"{}\" is inside the collider \"{collider}\"; {advice}",
                name_of(*particle)
            );
            document.at(&path(*particle), message)
        }
    }
}
