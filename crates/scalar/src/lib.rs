//! Plain numbers: functions with the same bits on every machine, and quantities as text.
//!
//! - [`math`]: sine, cosine and tangent;
//! - [`lanes`]: the same for several numbers side by side;
//! - [`pack`]: several numbers or vectors side by side, with the bits of one;
//! - [`wide`]: loops compiled for the widest instructions of the machine;
//! - [`number`]: numbers as text that read back to the same bits;
//! - [`shown`]: times, lengths and energies with a readable number of digits and a suitable unit.

pub mod lanes;
pub mod math;
pub mod number;
pub mod pack;
pub mod shown;
pub mod wide;
