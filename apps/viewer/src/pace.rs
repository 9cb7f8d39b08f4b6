//! Simulated time against wall-clock time.

use std::time::{Duration, Instant};

/// Frames are published this often.
pub const DISPLAY: Duration = Duration::from_nanos(16_666_667);

/// Paces the simulation: it may be at `speed` times the time since the start, plus one display frame. A simulation that cannot
/// keep up does not catch up: its delay is discarded.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Simulated seconds per second; 0: as many as possible.
    pub speed: f64,
    origin: Instant,
    start: f64,
}

impl Pace {
    /// From a simulated time, now.
    pub fn new(speed: f64, time: f64, now: Instant) -> Self {
        Self { speed, origin: now, start: time }
    }

    /// Time to wait before a step from `time`; zero: step now.
    pub fn wait(&mut self, time: f64, now: Instant) -> Duration {
        if self.speed == 0.0 {
            return Duration::ZERO;
        }
        let frame = self.speed * DISPLAY.as_secs_f64();
        let ahead = time - self.start - self.speed * now.duration_since(self.origin).as_secs_f64();
        if ahead < -2.0 * frame {
            *self = Self::new(self.speed, time, now);
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(((ahead - frame) / self.speed).max(0.0)).unwrap_or(DISPLAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_one_display_frame_ahead() {
        let now = Instant::now();
        let mut pace = Pace::new(2.0, 5.0, now);
        let frame = 2.0 / 60.0;
        assert_eq!(pace.wait(5.0, now), Duration::ZERO);
        assert_eq!(pace.wait(5.0 + 0.99 * frame, now), Duration::ZERO);
        let wait = pace.wait(5.0 + 2.0 * frame, now).as_secs_f64();
        assert!((wait - 1.0 / 60.0).abs() < 1e-6, "{wait}");
        assert_eq!(pace.wait(5.0 + 2.0 * frame, now + Duration::from_millis(17)), Duration::ZERO);
    }

    #[test]
    fn what_is_late_is_not_chased() {
        let now = Instant::now();
        let mut pace = Pace::new(1.0, 0.0, now);
        let later = now + Duration::from_secs(10);
        assert_eq!(pace.wait(0.1, later), Duration::ZERO);
        assert!(pace.wait(0.2, later) > Duration::ZERO, "ten seconds of debt are forgotten");
        let mut fast = Pace::new(0.0, 0.0, now);
        assert_eq!(fast.wait(1e9, now), Duration::ZERO);
    }
}
