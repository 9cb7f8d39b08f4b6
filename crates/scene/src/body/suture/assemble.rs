//! From `[[suture]]` to holes that hold threads.

use std::ops::Range;

use pliant_core::Body;
use pliant_forces::contact::ContactBody;
use pliant_forces::{Suture, SutureSpec};

use crate::assemble::Parts;
use crate::load::LoadedScene;
use crate::locate::Located;

/// Adds all sutures of a scene, and registers them with contact.
pub(super) fn add_all(loaded: &LoadedScene, parts: &mut Parts) -> Result<(), Located> {
    for (k, table) in loaded.scene.suture.iter().enumerate() {
        let wrong = |key: &str, message: String| loaded.document.at(&format!("suture[{k}].{key}"), message);
        let find = |name: &String| parts.bodies.iter().find(|body| body.name == *name);
        let thread = find(&table.thread).ok_or_else(|| wrong("thread", "there is no such rope".into()))?;
        let points: Vec<u32> = thread
            .edges
            .first()
            .map(|edge| edge[0])
            .into_iter()
            .chain(thread.edges.iter().map(|edge| edge[1]))
            .collect();
        let segments = thread.edges.len();
        if segments > 1 && points.first() == points.last() {
            return Err(wrong("thread", "a closed rope has no end for a needle".into()));
        }
        let sewn: Vec<&Body> = table.through.iter().filter_map(find).collect();
        let triangles = (0..).zip(&sewn).flat_map(|(number, body)| body.triangles.iter().map(move |t| (*t, number)));
        let spec = SutureSpec {
            points,
            needle: table.needle,
            triangles: triangles.collect(),
            stiffness: table.stiffness.si(),
            grip: table.grip.si(),
            creep: loaded.scene.contact.creep.si(),
            knot: table.knot,
        };
        let model = Suture::new(spec).ok_or_else(|| {
            wrong("needle", format!("the rope has {segments} segments: at least two, and no fewer than the needle's"))
        })?;
        let sewn: Vec<Range<usize>> = sewn.iter().map(|body| body.particles.clone()).collect();
        let thread = thread.particles.clone();
        for contact_body in &mut parts.contact_bodies {
            let of = |particles: &Range<usize>| first(contact_body).is_some_and(|node| particles.contains(&node));
            let (is_thread, is_sewn) = (of(&thread), sewn.iter().any(of));
            contact_body.seams.thread |= u64::from(is_thread) << k;
            contact_body.seams.sewn |= u64::from(is_sewn) << k;
        }
        parts.models.push(Box::new(model));
    }
    Ok(())
}

fn first(contact_body: &ContactBody) -> Option<usize> {
    contact_body
        .triangles
        .first()
        .map(|t| t[0])
        .or(contact_body.segments.first().map(|s| s[0]))
        .map(|node| node as usize)
}
