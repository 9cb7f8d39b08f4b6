//! The one place where work is split over threads.
//!
//! Slices are cut into chunks of [`CHUNK`] entries whatever the number of threads is, and partial sums are added in
//! the order of the chunks. A sum is therefore deterministic, with the same bits on one thread and on twenty: rayon's own `sum` and
//! `reduce` are not (the shape of their tree depends on work stealing), so they are used nowhere.
//! Nothing is allocated on one thread; on several, [`Partials`] keeps its buffer. [`start`] starts the threads.

mod pool;

pub use pool::{Threads, on_one_thread, start, threads};

use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// Entries in a chunk. Part of the result's bits: changing it changes every sum in the last place.
pub const CHUNK: usize = 1024;

/// Entries that a thread takes at once in a loop without a sum: any split gives the same bits there, and small pieces keep all threads busy to the end.
/// A multiple of all SIMD widths.
pub const PIECE: usize = 256;

/// Cost of an entry. It decides when threads are used, never the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// A few operations, as in a sum of vectors: split above 16 chunks.
    Light,
    /// A row of a matrix, an element: split above one chunk.
    Heavy,
}

impl Cost {
    #[inline]
    fn splits(self, n: usize) -> bool {
        let whole = match self {
            Cost::Light => 16 * CHUNK,
            Cost::Heavy => CHUNK,
        };
        n > whole && threads() > 1
    }

    /// The same for a loop without a sum.
    #[inline]
    fn splits_loop(self, n: usize) -> bool {
        match self {
            Cost::Light => self.splits(n),
            Cost::Heavy => n > 2 * PIECE && threads() > 1,
        }
    }
}

/// Runs `f`, whose loops have `n` entries, on a thread of the pool where those are split. From a thread outside of it every such loop would wait for
/// the pool to wake and to end; within it the calling thread works on the loop at once.
pub fn on_worker<R: Send>(n: usize, f: impl FnOnce() -> R + Send) -> R {
    match rayon::current_thread_index() {
        None if Cost::Heavy.splits_loop(n) => rayon::scope(|_| f()),
        _ => f(),
    }
}

/// Calls `f(start, chunk)` for chunks of `out`, `start` being the chunk's first index.
pub fn for_each_chunk<T: Send>(out: &mut [T], f: impl Fn(usize, &mut [T]) + Sync) {
    for_each_chunk_of(Cost::Heavy, out, f);
}

/// [`for_each_chunk`] for entries of a given cost.
pub fn for_each_chunk_of<T: Send>(cost: Cost, out: &mut [T], f: impl Fn(usize, &mut [T]) + Sync) {
    if cost.splits_loop(out.len()) {
        out.par_chunks_mut(PIECE).enumerate().for_each(|(c, chunk)| f(c * PIECE, chunk));
    } else {
        for (c, chunk) in out.chunks_mut(CHUNK).enumerate() {
            f(c * CHUNK, chunk);
        }
    }
}

/// Calls `f(i, task)` for entries that each justify a thread of their own: a list to be filled, a subtree.
pub fn for_each_task<T: Send>(tasks: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    if tasks.len() > 1 && threads() > 1 {
        tasks.par_iter_mut().enumerate().with_max_len(1).for_each(|(i, task)| f(i, task));
    } else {
        tasks.iter_mut().enumerate().for_each(|(i, task)| f(i, task));
    }
}

/// [`for_each_task`] over two equally long slices.
///
/// # Panics
/// If the lengths differ.
pub fn for_each_task2<T: Send, U: Send>(a: &mut [T], b: &mut [U], f: impl Fn(usize, &mut T, &mut U) + Sync) {
    assert_eq!(a.len(), b.len(), "for_each_task2: lengths differ");
    if a.len() > 1 && threads() > 1 {
        let pairs = a.par_iter_mut().zip(b);
        pairs.enumerate().with_max_len(1).for_each(|(i, (a, b))| f(i, a, b));
    } else {
        a.iter_mut().zip(b).enumerate().for_each(|(i, (a, b))| f(i, a, b));
    }
}

/// [`for_each_chunk`] over two equally long slices.
///
/// # Panics
/// If the lengths differ.
pub fn for_each_chunk2<T: Send, U: Send>(a: &mut [T], b: &mut [U], f: impl Fn(usize, &mut [T], &mut [U]) + Sync) {
    assert_eq!(a.len(), b.len(), "for_each_chunk2: lengths differ");
    if Cost::Heavy.splits_loop(a.len()) {
        a.par_chunks_mut(PIECE).zip(b.par_chunks_mut(PIECE)).enumerate().for_each(|(c, (a, b))| f(c * PIECE, a, b));
    } else {
        for (c, (a, b)) in a.chunks_mut(CHUNK).zip(b.chunks_mut(CHUNK)).enumerate() {
            f(c * CHUNK, a, b);
        }
    }
}

/// Partial results of the fixed chunks, combined in order. The buffers grow once.
#[derive(Default, Clone, Debug)]
pub struct Partials {
    sums: Vec<f64>,
    maxima: Vec<(usize, f64)>,
}

impl Partials {
    /// The sum of `f` over the fixed chunks of `0..n`.
    pub fn sum(&mut self, n: usize, f: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
        self.sum_of(Cost::Heavy, n, f)
    }

    /// [`Partials::sum`] for entries of a given cost.
    pub fn sum_of(&mut self, cost: Cost, n: usize, f: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
        let range = |c: usize| c * CHUNK..n.min((c + 1) * CHUNK);
        let chunks = n.div_ceil(CHUNK);
        if cost.splits(n) {
            let sums = grown(&mut self.sums, chunks);
            sums.par_iter_mut().enumerate().for_each(|(c, sum)| *sum = f(range(c)));
            in_order(sums.iter().map(|&s| [s]))[0]
        } else {
            in_order((0..chunks).map(|c| [f(range(c))]))[0]
        }
    }

    /// Changes a slice and sums `K` quantities in the same pass over memory.
    pub fn update<T: Send, const K: usize>(
        &mut self,
        cost: Cost,
        a: &mut [T],
        f: impl Fn(usize, &mut [T]) -> [f64; K] + Sync,
    ) -> [f64; K] {
        let chunks = a.len().div_ceil(CHUNK);
        if cost.splits(a.len()) {
            let sums = grown(&mut self.sums, chunks * K);
            a.par_chunks_mut(CHUNK)
                .zip(sums.par_chunks_exact_mut(K))
                .enumerate()
                .for_each(|(c, (a, sum))| sum.copy_from_slice(&f(c * CHUNK, a)));
            in_order(sums.as_chunks::<K>().0.iter().copied())
        } else {
            in_order(a.chunks_mut(CHUNK).enumerate().map(|(c, a)| f(c * CHUNK, a)))
        }
    }

    /// [`Partials::update`] for two equally long slices.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn update2<T: Send, U: Send, const K: usize>(
        &mut self,
        cost: Cost,
        a: &mut [T],
        b: &mut [U],
        f: impl Fn(usize, &mut [T], &mut [U]) -> [f64; K] + Sync,
    ) -> [f64; K] {
        assert_eq!(a.len(), b.len(), "update2: lengths differ");
        let chunks = a.len().div_ceil(CHUNK);
        if cost.splits(a.len()) {
            let sums = grown(&mut self.sums, chunks * K);
            a.par_chunks_mut(CHUNK)
                .zip(b.par_chunks_mut(CHUNK))
                .zip(sums.par_chunks_exact_mut(K))
                .enumerate()
                .for_each(|(c, ((a, b), sum))| sum.copy_from_slice(&f(c * CHUNK, a, b)));
            in_order(sums.as_chunks::<K>().0.iter().copied())
        } else {
            let pairs = a.chunks_mut(CHUNK).zip(b.chunks_mut(CHUNK));
            in_order(pairs.enumerate().map(|(c, (a, b))| f(c * CHUNK, a, b)))
        }
    }

    /// The largest value of `f` over `0..n` and the index it was found at: the lowest index on ties. A NaN wins over
    /// everything, so that a non-finite value is never hidden. `None` for `n == 0`.
    pub fn max(&mut self, n: usize, f: impl Fn(usize) -> f64 + Sync) -> Option<(usize, f64)> {
        let in_chunk = |c: usize| {
            let start = c * CHUNK;
            let mut best = (start, f(start));
            for i in start + 1..n.min(start + CHUNK) {
                best = larger(best, (i, f(i)));
            }
            best
        };
        let chunks = n.div_ceil(CHUNK);
        if Cost::Heavy.splits(n) {
            let maxima = grown(&mut self.maxima, chunks);
            maxima.par_iter_mut().enumerate().for_each(|(c, best)| *best = in_chunk(c));
            maxima.iter().copied().reduce(larger)
        } else {
            (0..chunks).map(in_chunk).reduce(larger)
        }
    }

    /// The dot product of two equally long arrays of vectors.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn dot(&mut self, a: &[DVec3], b: &[DVec3]) -> f64 {
        assert_eq!(a.len(), b.len(), "dot: lengths differ");
        self.sum_of(Cost::Light, a.len(), |range| {
            let mut sum = 0.0;
            for (a, b) in a[range.clone()].iter().zip(&b[range]) {
                sum += a.dot(*b);
            }
            sum
        })
    }
}

fn grown<T: Clone + Default>(buffer: &mut Vec<T>, n: usize) -> &mut [T] {
    if buffer.len() < n {
        buffer.resize(n, T::default());
    }
    &mut buffer[..n]
}

fn in_order<const K: usize>(parts: impl Iterator<Item = [f64; K]>) -> [f64; K] {
    let mut total = [0.0; K];
    for part in parts {
        for (total, part) in total.iter_mut().zip(part) {
            *total += part;
        }
    }
    total
}

#[inline]
fn larger(first: (usize, f64), second: (usize, f64)) -> (usize, f64) {
    let takes_over = second.1 > first.1 || second.1.is_nan();
    if takes_over && !first.1.is_nan() { second } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(work)
    }

    /// Values of very different size, so that any change of order is detected.
    fn rough(i: usize) -> f64 {
        let u = ((i * 7919) % 10_007) as f64;
        (u * 0.37).sin() * 10f64.powi((i % 17) as i32 - 8)
    }

    #[test]
    fn sums_have_the_same_bits_on_any_number_of_threads() {
        for n in [1, CHUNK, CHUNK + 1, 7 * CHUNK + 13] {
            let bits = |threads| {
                on_threads(threads, || {
                    let mut partials = Partials::default();
                    let sum = partials.sum(n, |range| range.map(rough).fold(0.0, |a, b| a + b));
                    let mut a = vec![0.0; n];
                    let mut b = vec![0.0; n];
                    let pair = partials.update2(Cost::Heavy, &mut a, &mut b, |start, a, b| {
                        let mut sums = [0.0; 2];
                        for (i, (a, b)) in a.iter_mut().zip(b).enumerate() {
                            (*a, *b) = (rough(start + i), rough(start + i + 1));
                            sums[0] += *a;
                            sums[1] += *a * *b;
                        }
                        sums
                    });
                    assert_eq!(sum.to_bits(), pair[0].to_bits());
                    (sum.to_bits(), pair[1].to_bits(), partials.max(n, rough))
                })
            };
            let expected = bits(1);
            assert_eq!(expected, bits(2));
            assert_eq!(expected, bits(3));
        }
    }

    #[test]
    fn max_prefers_nan_then_the_lowest_index() {
        for threads in [1, 3] {
            on_threads(threads, || {
                let n = 5 * CHUNK;
                let mut partials = Partials::default();
                assert_eq!(partials.max(0, |_| 1.0), None);
                assert_eq!(partials.max(n, |_| 2.0), Some((0, 2.0)));
                let peaks = |i: usize| if i % 2000 == 1999 { 3.0 } else { -1.0 };
                assert_eq!(partials.max(n, peaks), Some((1999, 3.0)));
                let bad = |i: usize| if i >= 3000 { f64::NAN } else { f64::INFINITY };
                let (index, value) = partials.max(n, bad).unwrap();
                assert!(index == 3000 && value.is_nan());
                assert_eq!(partials.max(n, |_| f64::NEG_INFINITY), Some((0, f64::NEG_INFINITY)));
            });
        }
    }

    #[test]
    fn every_entry_is_visited_once_with_its_own_index() {
        for threads in [1, 2] {
            on_threads(threads, || {
                let n = 3 * CHUNK + 5;
                let (mut a, mut b) = (vec![0usize; n], vec![0usize; n]);
                for_each_chunk(&mut a, |start, a| {
                    for (i, a) in a.iter_mut().enumerate() {
                        *a += start + i;
                    }
                });
                for_each_chunk2(&mut a, &mut b, |start, a, b| {
                    for (i, (a, b)) in a.iter_mut().zip(b).enumerate() {
                        *b += *a + start + i;
                    }
                });
                assert!(b.iter().enumerate().all(|(i, b)| *b == 2 * i));
                let mut lists = vec![Vec::new(); 5];
                for_each_task(&mut lists, |i, list| list.push(i));
                assert!(lists.iter().enumerate().all(|(i, list)| *list == [i]));
            });
        }
    }
}
