//! Candidate pairs, in buffers that are reused.

/// Pairs of primitives, sorted by the first index, then by the second.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    sorted: Vec<[u32; 2]>,
    /// What each task of a query found.
    lists: Vec<Vec<[u32; 2]>>,
    used: usize,
    /// Where the pairs of each first primitive begin.
    starts: Vec<u32>,
}

impl Pairs {
    /// Nothing found yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The pairs.
    pub fn as_slice(&self) -> &[[u32; 2]] {
        &self.sorted
    }

    /// One list for each task of a query.
    pub(crate) fn lists(&mut self, tasks: usize) -> &mut [Vec<[u32; 2]>] {
        if self.lists.len() < tasks {
            self.lists.resize(tasks, Vec::new());
        }
        self.used = tasks;
        &mut self.lists[..tasks]
    }

    /// Sorts what the tasks found, with first indices below `firsts`: a counting sort by the first index, then each group by
    /// the second. Three passes over memory, where sorting by comparison would make seventeen for 10⁵ pairs.
    pub(crate) fn join(&mut self, firsts: usize) {
        let lists = &self.lists[..self.used];
        self.starts.clear();
        self.starts.resize(firsts + 1, 0);
        for pair in lists.iter().flatten() {
            self.starts[pair[0] as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.sorted.clear();
        self.sorted.resize(total as usize, [0; 2]);
        for pair in lists.iter().flatten() {
            let place = &mut self.starts[pair[0] as usize];
            self.sorted[*place as usize] = *pair;
            *place += 1;
        }
        // Every start has moved to the start of the next.
        let mut begin = 0;
        for end in &self.starts[..firsts] {
            self.sorted[begin..*end as usize].sort_unstable_by_key(|pair| pair[1]);
            begin = *end as usize;
        }
    }
}
