//! x
#[test]
fn trace() {
    let sets: Vec<String> =
        std::env::var("SETS").unwrap_or_default().split_whitespace().map(|s| s.to_string()).collect();
    let scene = pliant::scene::load(&std::env::var("SCENE").unwrap(), &sets).unwrap();
    let mut sim = scene.build().unwrap().simulation;
    while !sim.is_done() {
        let r = sim.step().unwrap();
        println!(
            "t {:.4} dt {:.5} err {:.2e} rej {} {:?} solves {} evals {}",
            r.time, r.dt, r.error, r.rejected, r.activities, r.work.solves, r.work.force_evaluations
        );
    }
}
