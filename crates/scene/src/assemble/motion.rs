//! From tables of motion to paths.

use std::sync::Arc;

use glam::DVec3;
use pliant_core::{Motion, Path, Turn};

use crate::schema::{Keyframes, Oscillate, PinTable, TurnTable};

/// The path of a pinned particle that starts at `start`.
pub(crate) fn path(pin: &PinTable, start: DVec3) -> Path {
    path_of((pin.oscillate.as_ref(), pin.keyframes.as_ref(), pin.turn.as_ref()), start)
}

/// The same from its parts.
pub(crate) fn path_of(
    (oscillate, keyframes, turn): (Option<&Oscillate>, Option<&Keyframes>, Option<&TurnTable>),
    start: DVec3,
) -> Path {
    let offset = translation(oscillate, keyframes, DVec3::ZERO);
    match (turn, offset) {
        (Some(turn), offset) => {
            Path::Carried { start, motion: Arc::new(Motion { offset, turn: Some(rotation(turn)) }) }
        }
        (None, Path::Fixed(_)) => Path::Fixed(start),
        (None, Path::Oscillate { amplitude, frequency, .. }) => Path::Oscillate { centre: start, amplitude, frequency },
        (None, Path::Keyframes { times, points }) => {
            Path::Keyframes { times, points: points.into_iter().map(|p| start + p).collect() }
        }
        (None, offset) => Path::Carried { start, motion: Arc::new(Motion { offset, turn: None }) },
    }
}

/// A displacement from the start.
pub(crate) fn translation(oscillate: Option<&Oscillate>, keyframes: Option<&Keyframes>, velocity: DVec3) -> Path {
    if let Some(motion) = oscillate {
        return Path::Oscillate {
            centre: DVec3::ZERO,
            amplitude: motion.amplitude.to_dvec3(),
            frequency: motion.frequency.si(),
        };
    }
    if let Some(frames) = keyframes {
        return Path::Keyframes {
            times: frames.times.iter().map(|t| t.si()).collect(),
            points: frames.offsets.iter().map(|offset| offset.to_dvec3()).collect(),
        };
    }
    if velocity == DVec3::ZERO {
        return Path::Fixed(DVec3::ZERO);
    }
    Path::Steady { start: DVec3::ZERO, velocity }
}

/// A turn about an axis.
pub(crate) fn rotation(turn: &TurnTable) -> Turn {
    let angle = match turn.rate {
        Some(rate) => Path::Steady { start: DVec3::ZERO, velocity: DVec3::X * rate.si() },
        None => Path::Keyframes {
            times: turn.times.iter().map(|t| t.si()).collect(),
            points: turn.angles.iter().map(|angle| DVec3::X * angle.si()).collect(),
        },
    };
    Turn { centre: turn.centre.to_dvec3(), axis: DVec3::from_array(turn.axis).normalize(), angle }
}
