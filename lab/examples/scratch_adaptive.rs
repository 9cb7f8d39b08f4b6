use pliant_lab::adaptive::{method::*, problem::*, scan::*};
fn main() {
    let t = std::time::Instant::now();
    for (x0, until, targets) in [(-1.0, 2.0, &[60u64, 100, 200][..]), (-5.0, 2.0, &[200]), (-5.0, 1.0, &[200])] {
        let p = NonlinearSpring::new(x0, until);
        println!("x0 {x0} T {until} uncertainty {:e} {:?}", p.uncertainty, t.elapsed());
        let scans = Scan::all(&p, targets[targets.len()-1]*11/10, 0.0005);
        println!("{:?}", t.elapsed());
        for count in [Count::Solves, Count::Steps] {
            println!("{count:?}");
            for s in &scans {
                print!("{:15} {:20} {:5} ", s.scheme.name(), s.method.name(), s.scores.len());
                for n in targets {
                    match s.at(count, *n) { None => print!("  -"), Some(m) => print!("| {:.5} max {:.4} rej {:4.1} solves {:5.1} steps {:5.1} ({:4}) par {:.2e}", m.rms, m.max, m.rejected, m.solves, m.steps, m.runs, m.parameter) }
                }
                println!();
            }
        }
    }
}
