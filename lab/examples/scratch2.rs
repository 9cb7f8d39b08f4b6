use pliant_lab::adaptive::{method::*, problem::*, scan::*};
use std::collections::BTreeMap;
fn main() {
    for (x0,t) in [(-1.0,2.0),(-5.0,1.0)] {
    let p = NonlinearSpring::new(x0,t);
    let s = Scan::new(&p, Scheme::BackwardEuler, Method::Doubling, 220, 0.0005);
    let mut m: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for r in &s.scores { m.entry(r.solves).or_default().push(r.rms); }
    for (k, mut v) in m.into_iter().filter(|(k,_)| *k > 150 && *k < 260) { v.sort_by(f64::total_cmp); println!("{k} n={} median {:.5} [{:.5} {:.5}]", v.len(), v[v.len()/2], v[0], v[v.len()-1]); }
    println!();}
}
