//! Where the 3x3 blocks of a matrix are.

use std::ops::Range;
use std::sync::Arc;

/// The block pattern of a square matrix in compressed rows.
///
/// Columns are sorted within a row, every diagonal block is present, and the pattern is symmetric: with (i, j) comes
/// (j, i). Build it with [`PatternBuilder`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// First block of each row, and the number of blocks at the end: `rows + 1` entries.
    pub row_start: Vec<u32>,
    /// The block column of each block.
    pub columns: Vec<u32>,
    /// The position of each row's diagonal block.
    pub diagonal: Vec<u32>,
    /// Which blocks are weak: small beside those on the diagonal, but many, so that factors fill up with them. Empty where none is.
    pub weak: Vec<bool>,
}

impl Pattern {
    /// Number of block rows (and block columns).
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.columns.len()
    }

    /// Position of block (row, col), if the pattern has it.
    pub fn find(&self, row: usize, col: usize) -> Option<usize> {
        let range = self.row(row);
        let col = u32::try_from(col).ok()?;
        let offset = self.columns[range.clone()].binary_search(&col).ok()?;
        Some(range.start + offset)
    }

    /// This pattern and some more blocks, given sorted by row and column without repetition, with (i, j) always also (j, i).
    pub fn with(&self, more: impl Iterator<Item = (u32, u32)>) -> Pattern {
        let mut more = more.peekable();
        let rows = self.rows();
        let mut pattern = Pattern {
            row_start: Vec::with_capacity(rows + 1),
            columns: Vec::with_capacity(self.blocks() + more.size_hint().0),
            diagonal: Vec::with_capacity(rows),
            weak: Vec::with_capacity(if self.weak.is_empty() { 0 } else { self.blocks() + more.size_hint().0 }),
        };
        pattern.row_start.push(0);
        for i in 0..rows {
            let first = self.row(i).start;
            if more.peek().is_none_or(|(row, _)| *row as usize != i) {
                // most rows have none
                let ahead = pattern.columns.len() as u32;
                pattern.diagonal.push(ahead + self.diagonal[i] - self.row_start[i]);
                pattern.columns.extend_from_slice(&self.columns[self.row(i)]);
                pattern.weak.extend_from_slice(self.weak.get(self.row(i)).unwrap_or(&[]));
                pattern.row_start.push(pattern.columns.len() as u32);
                continue;
            }
            let mut own = self.columns[self.row(i)].iter().copied().enumerate().peekable();
            loop {
                let added = more.peek().filter(|(row, _)| *row as usize == i).map(|(_, column)| *column);
                let column = match (own.peek().map(|(_, column)| *column), added) {
                    (None, None) => break,
                    (a, b) => a.unwrap_or(u32::MAX).min(b.unwrap_or(u32::MAX)),
                };
                let known = own.next_if(|(_, own)| *own == column);
                if added == Some(column) {
                    more.next();
                }
                if !self.weak.is_empty() {
                    let was_weak = known.is_some_and(|(k, _)| self.weak[first + k]);
                    pattern.weak.push(was_weak && added != Some(column));
                }
                if column as usize == i {
                    pattern.diagonal.push(pattern.columns.len() as u32);
                }
                pattern.columns.push(column);
            }
            pattern.row_start.push(pattern.columns.len() as u32);
        }
        pattern
    }

    /// The pattern without its weak blocks, and the position of each of its blocks in this one.
    pub fn strong(&self) -> (Pattern, Vec<u32>) {
        let is_weak = |p: usize| self.weak.get(p).is_some_and(|weak| *weak);
        let sources: Vec<u32> = (0..self.blocks()).filter(|p| !is_weak(*p)).map(|p| p as u32).collect();
        let before = |p: usize| sources.partition_point(|source| (*source as usize) < p) as u32;
        let pattern = Pattern {
            row_start: self.row_start.iter().map(|p| before(*p as usize)).collect(),
            columns: sources.iter().map(|p| self.columns[*p as usize]).collect(),
            diagonal: self.diagonal.iter().map(|p| before(*p as usize)).collect(),
            weak: Vec::new(),
        };
        (pattern, sources)
    }

    /// Positions of the blocks of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> Range<usize> {
        self.row_start[i] as usize..self.row_start[i + 1] as usize
    }
}

/// Whether a pattern is the known one. An equal copy replaces it, so that it is compared only once.
pub(crate) fn is_known(known: &mut Option<Arc<Pattern>>, pattern: &Arc<Pattern>) -> bool {
    match known {
        Some(known) if Arc::ptr_eq(known, pattern) => true,
        Some(equal) if equal == pattern => {
            *equal = pattern.clone();
            true
        }
        _ => false,
    }
}

/// Collects which block rows are coupled, in any order and any number of times.
#[derive(Clone, Debug)]
pub struct PatternBuilder {
    rows: usize,
    /// Off-diagonal couplings; each represents (i, j) and (j, i).
    pairs: Vec<(u32, u32)>,
    /// Those that are weak unless they are among `pairs` as well.
    weak: Vec<(u32, u32)>,
}

impl PatternBuilder {
    /// A pattern with `rows` diagonal blocks and no other.
    ///
    /// # Panics
    /// If `rows` does not fit into 32 bits.
    pub fn new(rows: usize) -> Self {
        assert!(u32::try_from(rows).is_ok(), "too many block rows: {rows}");
        Self { rows, pairs: Vec::new(), weak: Vec::new() }
    }

    /// Adds the blocks (i, j) and (j, i).
    ///
    /// # Panics
    /// If `i` or `j` is not a row.
    pub fn couple(&mut self, i: usize, j: usize) {
        let rows = self.rows;
        assert!(i < rows && j < rows, "({i}, {j}) of {rows} block rows");
        if i != j {
            self.pairs.push((i as u32, j as u32));
        }
    }

    /// Adds the blocks (i, j) and (j, i), as [`Pattern::weak`] ones unless they are coupled otherwise.
    ///
    /// # Panics
    /// If `i` or `j` is not a row.
    pub fn couple_weakly(&mut self, i: usize, j: usize) {
        let rows = self.rows;
        assert!(i < rows && j < rows, "({i}, {j}) of {rows} block rows");
        if i != j {
            self.weak.push((i as u32, j as u32));
        }
    }

    /// Sorts, removes repetitions and adds the diagonal.
    ///
    /// # Panics
    /// If there are 2^32 couplings or more.
    pub fn build(mut self) -> Pattern {
        let weak = std::mem::take(&mut self.weak);
        if weak.is_empty() {
            return self.build_strong();
        }
        let strong = self.clone().build_strong();
        self.pairs.extend(weak);
        let mut pattern = self.build_strong();
        let row_of = |i: usize| pattern.row(i).map(move |p| (i, p));
        let is_weak = |(i, p): (usize, usize)| strong.find(i, pattern.columns[p] as usize).is_none();
        let weak = (0..pattern.rows()).flat_map(row_of).map(is_weak).collect();
        pattern.weak = weak;
        pattern
    }

    fn build_strong(self) -> Pattern {
        let Self { rows, pairs, .. } = self;
        let entries = rows + 2 * pairs.len();
        assert!(u32::try_from(entries).is_ok(), "{entries} blocks");

        // Counting sort by row: `next[i]` is where the next entry of row i goes.
        let mut next = vec![1u32; rows + 1];
        for &(i, j) in &pairs {
            next[i as usize] += 1;
            next[j as usize] += 1;
        }
        let mut sum = 0;
        for next in &mut next {
            sum += std::mem::replace(next, sum);
        }
        let raw_start = next.clone();
        let mut raw = vec![0u32; entries];
        let mut put = |row: u32, column: u32| {
            let slot = &mut next[row as usize];
            raw[*slot as usize] = column;
            *slot += 1;
        };
        for i in 0..rows as u32 {
            put(i, i);
        }
        for (i, j) in pairs {
            put(i, j);
            put(j, i);
        }

        let mut row_start = Vec::with_capacity(rows + 1);
        let mut columns: Vec<u32> = Vec::with_capacity(entries);
        let mut diagonal = Vec::with_capacity(rows);
        row_start.push(0);
        for i in 0..rows {
            let row = &mut raw[raw_start[i] as usize..raw_start[i + 1] as usize];
            row.sort_unstable();
            let first = columns.len();
            for &mut column in row {
                if columns.len() == first || columns[columns.len() - 1] != column {
                    if column as usize == i {
                        diagonal.push(columns.len() as u32);
                    }
                    columns.push(column);
                }
            }
            row_start.push(columns.len() as u32);
        }
        columns.shrink_to_fit();
        Pattern { row_start, columns, diagonal, weak: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_merged_and_the_diagonal_added() {
        let mut builder = PatternBuilder::new(4);
        builder.couple(2, 0);
        builder.couple(0, 2);
        builder.couple(1, 1);
        builder.couple(3, 0);
        let pattern = builder.build();
        assert_eq!(pattern.row_start, [0, 3, 4, 6, 8]);
        assert_eq!(pattern.columns, [0, 2, 3, 1, 0, 2, 0, 3]);
        assert_eq!(pattern.diagonal, [0, 3, 5, 7]);
        assert_eq!((pattern.rows(), pattern.blocks()), (4, 8));
        assert_eq!(pattern.row(2), 4..6);
        assert_eq!(pattern.find(0, 3), Some(2));
        assert_eq!(pattern.find(3, 1), None);
        assert_eq!(pattern.find(3, usize::MAX), None);
    }

    #[test]
    fn a_wider_pattern_is_the_one_built_from_all_pairs() {
        let mut builder = PatternBuilder::new(5);
        builder.couple(0, 2);
        builder.couple(3, 4);
        let base = builder.clone().build();
        builder.couple(1, 4);
        builder.couple(2, 3);
        let more = [(0, 2), (1, 1), (1, 4), (2, 0), (2, 3), (3, 2), (4, 1)];
        assert_eq!(base.with(more.into_iter()), builder.build());
        assert_eq!(base.with(std::iter::empty()), base);
    }

    #[test]
    fn what_is_coupled_otherwise_is_not_weak() {
        let mut builder = PatternBuilder::new(4);
        builder.couple(0, 1);
        builder.couple_weakly(1, 0);
        builder.couple_weakly(0, 2);
        builder.couple_weakly(2, 3);
        let pattern = builder.build();
        assert_eq!(pattern.columns, [0, 1, 2, 0, 1, 0, 2, 3, 2, 3]);
        let weak = |pattern: &Pattern| pattern.weak.iter().map(|weak| u8::from(*weak)).collect::<Vec<_>>();
        assert_eq!(weak(&pattern), [0, 0, 1, 0, 0, 1, 0, 1, 1, 0]);
        let (strong, sources) = pattern.strong();
        assert_eq!((strong.row_start, strong.columns), (vec![0, 2, 4, 5, 6], vec![0, 1, 0, 1, 2, 3]));
        assert_eq!((strong.diagonal, sources), (vec![0, 3, 4, 5], vec![0, 1, 3, 4, 6, 9]));
        // contact is strong
        let wider = pattern.with([(1, 3), (2, 3), (3, 1), (3, 2)].into_iter());
        assert_eq!(wider.columns, [0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3]);
        assert_eq!(weak(&wider), [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn no_rows() {
        let pattern = PatternBuilder::new(0).build();
        assert_eq!((pattern.rows(), pattern.blocks()), (0, 0));
        assert_eq!(pattern.row_start, [0]);
    }
}
