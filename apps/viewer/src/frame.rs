//! The binary frame, little endian: a head of [`HEAD`] bytes, then the steps since the last frame that went to the same page ([`Sample`],
//! eight f64 each; a slow page does not get every frame, but every step), then positions (three f32 a particle), then speeds (one u8 a particle, 255 = the fastest), then
//! where colliders are that move ([`crate::scenery`]).
//!
//! | offset | type | |
//! |---|---|---|
//! | 0 | u32 | magic "PLNT" |
//! | 4 | u8 | kind: 1 frame, 2 topology |
//! | 6 | u16 | colliders that move |
//! | 8 | u32 | generation of the scene |
//! | 12 | u32 | sequence |
//! | 16 | f64 x 8 | time, dt, error (NaN: none), tolerance (NaN: none), kinetic, elastic, gravity energy, ms of the last step |
//! | 80 | f64 | largest speed, m/s |
//! | 88 | u64 | steps |
//! | 96 | u64 | rejected attempts |
//! | 104 | u32 | particles shown |
//! | 108 | u32 | samples |

use pliant::core::ledger::Energy;
use pliant::core::{State, StepReport};

use crate::scenery::POSE;

/// First four bytes of every binary message.
pub const MAGIC: &[u8; 4] = b"PLNT";
/// Length of the head.
pub const HEAD: usize = 112;
/// Most samples of the time between two frames; of more steps than that, evenly chosen ones are kept.
pub const MAX_SAMPLES: usize = 96;
/// Where the number of samples is in the head.
const SAMPLES: usize = 108;

/// One step, for plots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Time at its end, s.
    pub time: f64,
    /// Its length, s.
    pub dt: f64,
    /// Its error, m; NaN where none is estimated.
    pub error: f64,
    /// Energies at its end, J.
    pub energy: Energy,
    /// How long it took, ms.
    pub milliseconds: f64,
    /// Rejected attempts.
    pub rejected: u64,
}

impl Sample {
    /// Of a step that took some milliseconds.
    pub fn new(report: &StepReport, energy: Energy, milliseconds: f64) -> Self {
        Self { time: report.time, dt: report.dt, error: report.error, energy, milliseconds, rejected: report.rejected }
    }

    fn numbers(&self) -> [f64; 8] {
        let Energy { kinetic, elastic, gravity } = self.energy;
        [self.time, self.dt, self.error, kinetic, elastic, gravity, self.milliseconds, self.rejected as f64]
    }
}

/// Contents of the head besides the state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head {
    /// Of the scene.
    pub generation: u32,
    /// Of the frame.
    pub sequence: u32,
    /// The last step.
    pub last: Sample,
    /// m; NaN where the controller has none.
    pub tolerance: f64,
    /// So far.
    pub steps: u64,
    /// So far.
    pub rejected: u64,
}

/// The samples between two frames that are kept, the last one among them.
pub fn thinned(samples: &[Sample]) -> impl Iterator<Item = Sample> + '_ {
    let thin = samples.len().div_ceil(MAX_SAMPLES).max(1);
    let first = samples.len().saturating_sub(1) % thin;
    samples.iter().skip(first).step_by(thin).copied()
}

/// A frame with the samples that a page has not seen yet.
pub fn with_samples(frame: &[u8], samples: impl ExactSizeIterator<Item = Sample>) -> Vec<u8> {
    let (head, rest) = frame.split_at(HEAD.min(frame.len()));
    let mut out = Vec::with_capacity(frame.len() + 64 * samples.len());
    out.extend_from_slice(head);
    if let Some(count) = out.get_mut(SAMPLES..SAMPLES + 4) {
        count.copy_from_slice(&(samples.len() as u32).to_le_bytes());
    }
    for sample in samples {
        sample.numbers().iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    }
    out.extend_from_slice(rest);
    out
}

/// Writes a frame of every `stride`-th particle, and of moving colliders; samples are for [`with_samples`] to put in.
pub fn encode(head: &Head, state: &State, stride: usize, poses: &[[f32; POSE / 4]]) -> Vec<u8> {
    let stride = stride.max(1);
    let count = state.len().div_ceil(stride);
    let mut out = Vec::with_capacity(HEAD + 13 * count + POSE * poses.len());
    let fastest = state.v.iter().step_by(stride).map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
    let Energy { kinetic, elastic, gravity } = head.last.energy;
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[1, 1]);
    out.extend_from_slice(&(poses.len() as u16).to_le_bytes());
    out.extend_from_slice(&head.generation.to_le_bytes());
    out.extend_from_slice(&head.sequence.to_le_bytes());
    let last = &head.last;
    for number in
        [state.time, last.dt, last.error, head.tolerance, kinetic, elastic, gravity, last.milliseconds, fastest]
    {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(&head.steps.to_le_bytes());
    out.extend_from_slice(&head.rejected.to_le_bytes());
    out.extend_from_slice(&(count as u32).to_le_bytes());
    out.extend_from_slice(&0_u32.to_le_bytes());
    for x in state.x.iter().step_by(stride) {
        let mut bytes = [0; 12];
        for (part, component) in bytes.chunks_exact_mut(4).zip(x.to_array()) {
            part.copy_from_slice(&(component as f32).to_le_bytes());
        }
        out.extend_from_slice(&bytes);
    }
    let scale = if fastest > 0.0 { 255.0 / fastest } else { 0.0 };
    out.extend(state.v.iter().step_by(stride).map(|v| (v.length() * scale) as u8));
    poses.iter().flatten().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    out
}

/// The sequence number of a frame.
pub fn sequence(bytes: &[u8]) -> Option<u32> {
    let (magic, kind) = (bytes.get(..4)?, *bytes.get(4)?);
    let number = bytes.get(12..16)?;
    (magic == MAGIC && kind == 1).then(|| u32::from_le_bytes([number[0], number[1], number[2], number[3]]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn frames_are_as_long_as_their_head_says() {
        let mut state = State::at_rest((0..10).map(|k| DVec3::splat(f64::from(k))).collect());
        state.v[3] = DVec3::X * 2.0;
        state.v[6] = DVec3::Y;
        let samples: Vec<Sample> = (0..300).map(|k| Sample { time: f64::from(k), ..Sample::default() }).collect();
        let head = Head { sequence: 7, ..Head::default() };
        for (stride, count) in [(1, 10), (3, 4)] {
            let chosen: Vec<Sample> = thinned(&samples).collect();
            let bytes = with_samples(&encode(&head, &state, stride, &[]), chosen.iter().copied());
            let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
            assert_eq!(number(104), count);
            let sent = number(108);
            assert!(sent <= MAX_SAMPLES && sent > MAX_SAMPLES / 2, "{sent}");
            assert_eq!(bytes.len(), HEAD + 64 * sent + 13 * count);
            let last = HEAD + 64 * (sent - 1);
            assert_eq!(f64::from_le_bytes(bytes[last..last + 8].try_into().unwrap()), 299.0);
            assert_eq!(sequence(&bytes), Some(7));
            let speeds = &bytes[bytes.len() - count..];
            assert_eq!((speeds[3 / stride], speeds[6 / stride]), (255, 127));
        }
        let poses = [[1.5; 12]; 2];
        let bytes = encode(&head, &State::default(), 1, &poses);
        assert_eq!((bytes.len(), bytes[6], &bytes[HEAD..HEAD + 4]), (HEAD + 2 * POSE, 2, &1.5_f32.to_le_bytes()[..]));
        assert_eq!(encode(&head, &State::default(), 1, &[]).len(), HEAD);
        assert_eq!(sequence(b"PLNT"), None);
    }
}
