//! Checks the start of contact, with the names of the bodies: overlaps are rejected, gaps far below the contact distance become it.

use pliant_core::{Body, View};
use pliant_forces::contact::{Contact, Overlap, Partner, StartGap};
use pliant_scalar::shown::metres;

use crate::body::{self, Found};
use crate::locate::{Document, Located};
use crate::schema::Scene;

/// Largest number of reported overlaps, and of reported gaps.
const MAX_NAMED: usize = 3;
const ADVICE: &str = "move them apart at the start, or set `contact = false` for this body";

/// A scene and its bodies at the start.
pub(super) struct Start<'a> {
    pub scene: &'a Scene,
    pub document: &'a Document,
    pub bodies: &'a [Body],
    pub view: View<'a>,
}

impl Start<'_> {
    /// Rejects overlaps. Bodies that start nearer than their contact distance keep their gap, and are returned as warnings.
    pub(super) fn prepare(&self, contact: &mut Contact) -> Result<Vec<String>, Vec<Located>> {
        let overlaps = contact.overlaps(&self.view);
        if !overlaps.is_empty() {
            return Err(first_few(overlaps.iter().map(|overlap| self.overlapping(overlap)), "overlaps"));
        }
        let gaps = contact.start_gaps(&self.view);
        let touching: Vec<&StartGap> = gaps.iter().filter(|gap| gap.touches).collect();
        if !touching.is_empty() {
            return Err(first_few(touching.into_iter().map(|gap| self.touching(gap)), "places where bodies touch"));
        }
        contact.keep_start_gaps(&gaps);
        let mut warnings: Vec<String> = gaps.iter().take(MAX_NAMED).map(|gap| self.near(gap)).collect();
        if let (Some(more), Some(last)) = (gaps.len().checked_sub(MAX_NAMED + 1), warnings.last_mut()) {
            last.push_str(&format!(" (and {} more pairs of bodies)", more + 1));
        }
        Ok(warnings)
    }

    fn body_of(&self, particle: u32) -> Option<&Body> {
        self.bodies.iter().find(|body| body.particles.contains(&(particle as usize)))
    }

    fn name_of(&self, particle: u32) -> &str {
        self.body_of(particle).map_or("a body", |body| body.name.as_str())
    }

    /// `particle 3 of "cloth"`.
    fn particle(&self, particle: u32) -> String {
        let first = self.body_of(particle).map_or(0, |body| body.particles.start);
        format!("particle {} of \"{}\"", particle as usize - first, self.name_of(particle))
    }

    fn table(&self, particle: u32) -> Option<Found<'_>> {
        let name = self.name_of(particle);
        body::bodies(self.scene).find(|(_, known)| *known == name).map(|(found, _)| found)
    }

    fn at(&self, particle: u32, message: String) -> Located {
        self.document.at(&self.table(particle).map_or_else(String::new, |found| found.path), message)
    }

    fn face_of(&self, corners: &[u32; 3]) -> String {
        let Some(body) = self.body_of(corners[0]) else { return String::new() };
        let triangle = body.triangles.iter().position(|t| t == corners).map(|k| format!("triangle {k} of "));
        let segment = || body.edges.iter().position(|e| *e == corners[..2]).map(|k| format!("segment {k} of "));
        triangle.or_else(segment).unwrap_or_default()
    }

    fn overlapping(&self, overlap: &Overlap) -> Located {
        let separates = |particle: u32| self.table(particle).is_some_and(|found| found.kind.properties.separates);
        match overlap {
            Overlap::Bodies([a, b]) => {
                let (first, second) = (self.name_of(a[0]), self.name_of(b[0]));
                let advice = match separates(a[0]) && separates(b[0]) {
                    true => format!("set `separate = true` to have them moved apart, {ADVICE}"),
                    false => ADVICE.into(),
                };
                let (one, other) = (self.face_of(a), self.face_of(b));
                self.at(a[0], format!("{one}\"{first}\" cuts {other}\"{second}\"; {advice}"))
            }
            Overlap::Cut(a, collider) => {
                let (face, name) = (self.face_of(a), self.name_of(a[0]));
                self.at(a[0], format!("{face}\"{name}\" cuts the collider \"{collider}\"; {ADVICE}"))
            }
            Overlap::Inside(particle, collider) => {
                let inside = self.particle(*particle);
                self.at(*particle, format!("{inside} is inside the collider \"{collider}\"; {ADVICE}"))
            }
        }
    }

    /// The two sides of a gap: `particle 3 of "cloth" and the collider "ball"`.
    fn sides(&self, StartGap { particle, partner, .. }: &StartGap) -> String {
        let other = match partner {
            Partner::Particle(other) => self.particle(*other),
            Partner::Collider(name) => format!("the collider \"{name}\""),
        };
        format!("{} and {other}", self.particle(*particle))
    }

    fn touching(&self, gap: &StartGap) -> Located {
        let (sides, particle) = (self.sides(gap), gap.particle);
        let Partner::Particle(other) = gap.partner else {
            return self.at(particle, format!("{sides} touch: contact has no direction there; {ADVICE}"));
        };
        let is_seam = self.view.x[particle as usize] == self.view.x[other as usize]
            && self.name_of(particle) == self.name_of(other)
            && self.scene.cloth.iter().any(|cloth| cloth.name == self.name_of(particle) && cloth.mesh.is_some());
        if is_seam {
            let message = format!(
                "{sides} are at the same place, as along a seam that is not joined: contact has no direction there; \
                 `repair = [\"weld\"]` in its mesh joins such points"
            );
            return self.at(particle, message);
        }
        self.at(particle, format!("{sides} touch: contact has no direction there; {ADVICE}"))
    }

    fn near(&self, gap: &StartGap) -> String {
        format!(
            "{} start {} apart, nearer than their contact distance of {}: contact acts between the two only below {}; \
             start them farther apart, or give a smaller `contact_distance`",
            self.sides(gap),
            metres(gap.gap),
            metres(gap.thickness),
            metres(gap.gap)
        )
    }
}

/// The first few messages; the last one tells how many more there are.
fn first_few(messages: impl ExactSizeIterator<Item = Located>, what: &str) -> Vec<Located> {
    let more = messages.len().saturating_sub(MAX_NAMED);
    let mut named: Vec<Located> = messages.take(MAX_NAMED).collect();
    if let Some(last) = named.last_mut().filter(|_| more > 0) {
        last.message.push_str(&format!(" (and {more} more {what})"));
    }
    named
}
