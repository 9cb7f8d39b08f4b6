//! Arrays of 64-bit numbers to and from little-endian bytes: one copy where the machine is little endian already (all that matter),
//! swapped bytes elsewhere. Going through `u64` keeps the payload of a NaN.

use std::io::{self, Read, Write};

use bytemuck::{AnyBitPattern, NoUninit, cast_slice, cast_slice_mut};

/// Writes `f64`, `u64` or `DVec3` values.
pub(crate) fn write_words<T: NoUninit>(out: &mut dyn Write, values: &[T]) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return out.write_all(cast_slice(values));
    }
    cast_slice::<T, u64>(values).iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))
}

/// Fills `values` from little-endian bytes.
pub(crate) fn read_words<T: NoUninit + AnyBitPattern>(from: &mut impl Read, values: &mut [T]) -> io::Result<()> {
    from.read_exact(cast_slice_mut(values))?;
    cast_slice_mut::<T, u64>(values).iter_mut().for_each(|word| *word = u64::from_le(*word));
    Ok(())
}
