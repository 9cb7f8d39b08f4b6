//! Aligned columns.

/// Rows of as many cells as the first has, as lines; columns in `right` have their cells at the right, as numbers do.
pub fn columns<R: AsRef<[String]>>(rows: &[R], right: &[usize]) -> Vec<String> {
    let count = rows.first().map_or(0, |row| row.as_ref().len());
    let width = |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &R| {
        let mut line = String::new();
        for (column, (cell, width)) in row.as_ref().iter().zip(&widths).enumerate() {
            let gap = " ".repeat(width - cell.chars().count());
            let (before, after) = if right.contains(&column) { (gap, String::new()) } else { (String::new(), gap) };
            line += &format!("{before}{cell}{after}  ");
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
