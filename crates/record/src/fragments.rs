//! Fragments of bodies, one CSV file per frame: one row per fragment with its number, the number of its body, how many particles it has, its
//! mass (kg), its centre of mass (m) and the velocity of that (m/s); the heaviest first, of the same mass the lowest number first. The
//! column `mass` is in kg, `x`, `y`, `z` in m and `vx`, `vy`, `vz` in m/s. Where a state comes without fragments every body is whole, and
//! its number 0.

use std::collections::BTreeMap;
use std::path::PathBuf;

use glam::DVec3;
use pliant_core::{Body, Fields, State};
use pliant_scalar::number::push_number;

use crate::atomic::write_hashed;
use crate::error::RecordError;
use crate::formats::{FrameWriter, Opening, check_fields, check_shape};
use crate::manifest::Written;

const HEADER: &str = "fragment,body,particles,mass,x,y,z,vx,vy,vz\n";

/// `fragments/frame_00000.csv`, … in the folder of a result.
pub struct FragmentTables {
    folder: PathBuf,
    /// Of all particles, kg.
    masses: Vec<f64>,
    bodies: Vec<Body>,
}

impl FragmentTables {
    /// Makes the folder.
    pub fn open(opening: &Opening) -> Result<Self, RecordError> {
        let (folder, system) = (opening.subfolder("fragments")?, opening.system);
        Ok(Self { folder, masses: system.masses().to_vec(), bodies: system.bodies().to_vec() })
    }

    /// All fragments, in the order of their rows.
    fn fragments(&self, state: &State, numbers: Option<&[f64]>) -> Vec<Fragment> {
        let mut found = BTreeMap::new();
        for (body, Body { particles, .. }) in self.bodies.iter().enumerate().filter(|(_, body)| body.rubble.is_some()) {
            for i in particles.start..particles.end.min(self.masses.len()) {
                // As surfaces read them: NaN is 0.
                let number = numbers.map_or(0, |numbers| numbers[i] as u32);
                let fragment = found.entry((body, number)).or_insert_with(|| Fragment::new(body, number, state.x[i]));
                fragment.add(self.masses[i], state.x[i], state.v[i]);
            }
        }
        let mut fragments: Vec<Fragment> = found.into_values().collect();
        // Those of one mass stay in the order of bodies, so that the number decides and then the body.
        fragments.sort_by(|a, b| b.mass.total_cmp(&a.mass).then(a.number.cmp(&b.number)));
        fragments
    }
}

impl FrameWriter for FragmentTables {
    fn frame(&mut self, k: u64, state: &State, fields: &Fields) -> Result<Vec<Written>, RecordError> {
        let name = format!("frame_{k:05}.csv");
        let path = self.folder.join(&name);
        check_shape(&path, state, self.masses.len())?;
        check_fields(&path, fields, self.masses.len())?;
        let mut text = HEADER.to_owned();
        for fragment in self.fragments(state, fields.find(Fields::FRAGMENT)) {
            fragment.push_row(&mut text);
        }
        let sum = write_hashed(&path, false, |out| out.write_all(text.as_bytes()))?;
        Ok(vec![sum.named(format!("fragments/{name}"))])
    }
}

/// A fragment during accumulation.
struct Fragment {
    number: u32,
    body: usize,
    particles: usize,
    /// kg
    mass: f64,
    /// Where its first particle is, m.
    first: DVec3,
    /// Sum of mass times place relative to that, kg m: far from the origin no digits are lost.
    moment: DVec3,
    /// kg m/s
    momentum: DVec3,
}

impl Fragment {
    fn new(body: usize, number: u32, first: DVec3) -> Self {
        Self { number, body, particles: 0, mass: 0.0, first, moment: DVec3::ZERO, momentum: DVec3::ZERO }
    }

    fn add(&mut self, mass: f64, x: DVec3, v: DVec3) {
        self.particles += 1;
        self.mass += mass;
        self.moment += mass * (x - self.first);
        self.momentum += mass * v;
    }

    fn push_row(&self, text: &mut String) {
        *text += &format!("{},{},{}", self.number, self.body, self.particles);
        let centre = self.first + self.moment / self.mass;
        let velocity = self.momentum / self.mass;
        for value in [self.mass].into_iter().chain(centre.to_array()).chain(velocity.to_array()) {
            text.push(',');
            push_number(text, value);
        }
        text.push('\n');
    }
}
