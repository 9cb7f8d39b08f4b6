//! A counting allocator. A test program that measures with it contains
//!
//! ```
//! use pliant_testkit::allocation::{Counting, count};
//!
//! #[global_allocator]
//! static ALLOCATOR: Counting = Counting;
//!
//! let before = count();
//! let bytes = std::hint::black_box(vec![1_u8; 100]);
//! assert_eq!(count() - before, 1, "{bytes:?}");
//! ```
#![allow(unsafe_code)] // a global allocator cannot be written without

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Forwards every request to the system's allocator and counts those of each thread.
pub struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

/// Bytes that this thread has asked for, grown or new.
pub fn bytes() -> u64 {
    BYTES.with(Cell::get)
}

/// How often this thread has asked for memory, grown or new.
pub fn count() -> u64 {
    COUNT.with(Cell::get)
}

fn counted(size: usize) {
    COUNT.with(|count| count.set(count.get() + 1));
    BYTES.with(|bytes| bytes.set(bytes.get() + size as u64));
}

// SAFETY: every call is forwarded to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        counted(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        counted(size);
        unsafe { System.realloc(at, layout, size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}
