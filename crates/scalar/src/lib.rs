//! Plain numbers: functions with the same bits on every machine, and quantities as text.
//!
//! - [`math`]: sine, cosine and tangent;
//! - [`number`]: numbers as text that read back to the same bits;
//! - [`shown`]: times, lengths and energies with a readable number of digits and a suitable unit.

pub mod math;
pub mod number;
pub mod shown;
