//! Small dense symmetric matrices.

use pliant_linalg::block_csr::BlockCsr;

/// A block matrix as rows of scalars.
pub fn dense(a: &BlockCsr) -> Vec<Vec<f64>> {
    let n = 3 * a.rows();
    let entry = |r: usize, c: usize| match a.pattern.find(r / 3, c / 3) {
        Some(position) => a.values[position].col(c % 3)[r % 3],
        None => 0.0,
    };
    (0..n).map(|r| (0..n).map(|c| entry(r, c)).collect()).collect()
}

/// Largest |a_rc - a_cr|.
pub fn asymmetry(a: &[Vec<f64>]) -> f64 {
    let n = a.len();
    let pairs = (0..n).flat_map(|r| (0..r).map(move |c| (r, c)));
    pairs.map(|(r, c)| (a[r][c] - a[c][r]).abs()).fold(0.0, f64::max)
}

/// Largest |a_rc|.
pub fn largest(a: &[Vec<f64>]) -> f64 {
    a.iter().flatten().fold(0.0, |m, value| f64::max(m, value.abs()))
}

/// Eigenvalues of a symmetric matrix in increasing order, by Jacobi's rotations; absolute error about 10 ε times the norm.
pub fn symmetric_eigenvalues(a: &[Vec<f64>]) -> Vec<f64> {
    let n = a.len();
    let mut a = a.to_vec();
    let total: f64 = a.iter().flatten().map(|v| v * v).sum();
    for _ in 0..50 {
        let outside: f64 = (0..n).flat_map(|r| (0..r).map(move |c| (r, c))).map(|(r, c)| a[r][c] * a[r][c]).sum();
        if outside <= 1e-34 * total {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, p, q);
            }
        }
    }
    let mut values: Vec<f64> = (0..n).map(|i| a[i][i]).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Makes a_pq zero.
#[allow(clippy::needless_range_loop)]
fn rotate(a: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..a.len() {
        let (kp, kq) = (a[k][p], a[k][q]);
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for k in 0..a.len() {
        let (pk, qk) = (a[p][k], a[q][k]);
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_a_chain() {
        // 2 on the diagonal, -1 beside it: 2 - 2 cos(kπ/(n+1))
        let n = 9;
        let entry = |r: usize, c: usize| match r.abs_diff(c) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        let a: Vec<Vec<f64>> = (0..n).map(|r| (0..n).map(|c| entry(r, c)).collect()).collect();
        assert_eq!(asymmetry(&a), 0.0);
        assert_eq!(largest(&a), 2.0);
        for (k, value) in symmetric_eigenvalues(&a).iter().enumerate() {
            let exact = 2.0 - 2.0 * ((k + 1) as f64 * std::f64::consts::PI / (n + 1) as f64).cos();
            assert!((value - exact).abs() < 1e-14, "{k}: {value} {exact}");
        }
    }
}
