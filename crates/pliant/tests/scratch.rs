#[test]
fn trace() {
    let vr = std::env::var("VR").unwrap_or("0.02".into());
    let sets = std::env::var("SETS").unwrap_or_default();
    let mut sets: Vec<String> = sets.split_whitespace().map(|s| s.to_string()).collect();
    sets.push("time.until=20.0".into());
    if vr != "0" {
        sets.push(format!("restraint.speed={vr}"));
    }
    let scene = pliant::scene::load(&std::env::var("SCENE").unwrap_or("hanging-cloth".into()), &sets).unwrap();
    let mut sim = scene.build().unwrap().simulation;
    let from: f64 = std::env::var("FROM").unwrap_or("10".into()).parse().unwrap();
    let count: usize = std::env::var("COUNT").unwrap_or("6".into()).parse().unwrap();
    let mut k = 0;
    while !sim.is_done() {
        let on = sim.state().time > from;
        let r = sim.step().unwrap();
        if on {
            println!("t {:.4} dt {:.4} {:?} work {:?}", r.time, r.dt, r.activities, r.work);
            k += 1;
            let s = sim.state().clone();
            let mut shown = 0;
            for i in 0..s.len() {
                if sim.system.activity(i, s.v[i]) == pliant::core::Activity::Transition && shown < 4 {
                    shown += 1;
                    println!(
                        "   {i} v {:.3e} u {:.3e} F/m {:?}",
                        s.v[i].length(),
                        sim.system.effective(i, s.v[i]).length(),
                        sim.force_at(i) * sim.system.inverse_masses()[i]
                    );
                }
            }
            if k >= count {
                break;
            }
        }
    }
}
