//! scratch
use pliant_lab::{adaptive, report::Report};
fn main() {
    let mut say = |text: &str| eprintln!("{text}");
    let mut r = Report::new("Scratch");
    r.push(adaptive::nonlinear_spring(&mut say));
    r.push(adaptive::nonlinear_spring_strong(&mut say));
    r.push(adaptive::work_precision(&mut say));
    for e in r.experiments() {
        println!("{} {:?} {:.2} s\n{}", e.id, e.verdict, e.seconds, e.summary_html);
        for t in &e.tables {
            println!("{}", t.to_csv());
        }
    }
    r.write(std::path::Path::new("/tmp/lab-report")).unwrap();
}
