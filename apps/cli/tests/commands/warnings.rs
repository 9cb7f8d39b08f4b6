//! Runs that end well and are still wrong.

use crate::common;

use common::{Folder, pliant, stderr, summary, text};

fn run(out: &std::path::Path, set: &[&str], more: &[&str]) -> std::process::Output {
    let mut arguments = vec!["run", "spring-net", "--until", "0.2", "--format", "none", "--json", "-o", text(out)];
    set.iter().for_each(|one| arguments.extend(["--set", one]));
    arguments.extend(more);
    pliant(&arguments)
}

/// The net under explicit Euler: beyond its limit it gains thousands of joules and ends with exit status 0.
#[test]
fn an_exploded_run_says_so_and_a_good_one_does_not() {
    let folder = Folder::new("exploded");
    let euler = ["time.integrator=explicit-euler", "time.control.kind=fixed"];
    let out = folder.join("wild");
    let wild = run(&out, &[&euler[..], &["time.control.dt=\"8 ms\""]].concat(), &[]);
    let said = stderr(&wild);
    assert_eq!(wild.status.code(), Some(0), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("warning: energy out of nothing: ") && last.contains("explicit-euler has exploded"),
        "{said}"
    );
    for remedy in ["a shorter step (time.control.dt)", "an implicit integrator with a tolerance", "velocity-verlet"] {
        assert!(last.contains(remedy), "{last}");
    }
    let warned = &summary(&wild)["warnings"];
    assert!(warned[0].as_str().is_some_and(|text| last.ends_with(text)), "{warned}");
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("stats.json")).expect("stats.json")).expect("it is JSON");
    assert_eq!(stats["warnings"], *warned);

    // quiet or not; and of a result that was there before, too
    let quiet = run(&folder.join("quiet"), &[&euler[..], &["time.control.dt=\"8 ms\""]].concat(), &["--quiet"]);
    assert!(stderr(&quiet).starts_with("warning: energy out of nothing"), "{}", stderr(&quiet));
    let again = run(&out, &[&euler[..], &["time.control.dt=\"8 ms\""]].concat(), &["--resume"]);
    assert!(stderr(&again).contains("warning: energy out of nothing"), "{}", stderr(&again));

    let fine = run(&folder.join("fine"), &[&euler[..], &["time.control.dt=\"0.1 ms\""]].concat(), &[]);
    let symplectic = ["time.integrator=velocity-verlet", "time.control.kind=fixed", "time.control.dt=\"0.5 ms\""];
    let swinging = run(&folder.join("swinging"), &symplectic, &["--set", "springs[0].damping=0"]);
    for good in [fine, swinging] {
        assert_eq!(good.status.code(), Some(0), "{}", stderr(&good));
        assert!(!stderr(&good).contains("warning"), "{}", stderr(&good));
        assert!(summary(&good).get("warnings").is_none());
    }
}

/// A steel cable that is solved to a tenth of a millimetre, which is joules of stretch. Newton's method leaves none of them: the integrator's entry
/// stays below what there is to move (it was sixty times as much). Nothing moves that should not, and nothing is said.
#[test]
fn a_stiff_cable_does_not_explode() {
    let folder = Folder::new("cable");
    let out = folder.join("out");
    let rough = "solver.accuracy=0.1mm";
    let output = pliant(&[
        "run",
        "rope-hanging",
        "--set",
        rough,
        "--until",
        "0.6",
        "--format",
        "none",
        "--json",
        "-o",
        text(&out),
    ]);
    let (end, said) = (summary(&output), stderr(&output));
    let number = |of: &str, name: &str| end[of][name].as_f64().unwrap_or_else(|| panic!("no {of}.{name}: {end}"));
    let available = number("motion", "available");
    assert!(number("ledger", "integrator").abs() < 0.5 * available, "{end}");
    assert!(number("motion", "peak") <= 1.5 * available, "{end}");
    assert!(!said.contains("warning") && end.get("warnings").is_none(), "{said}");
}

/// A cable whose end is moved 3 cm farther than it is long, and a slack one.
#[test]
fn a_rope_that_is_pulled_taut_is_told() {
    let folder = Folder::new("taut");
    let scene = |moved: f64| {
        format!(
            "version = 1\ntime = {{ until = 1, fps = 30 }}\n[[rope]]\nname = \"lasso\"\npreset = \"steel-cable\"\n\
             points = [[0, 0, 0], [1, 0, 0]]\nsegments = 20\nradius = \"3 mm\"\npins = [{{ end = \"first\" }}, {{ end = \"last\", \
             keyframes = {{ times = [0, \"0.8 s\"], offsets = [[0, 0, 0], [{moved}, 0, 0]] }} }}]\n"
        )
    };
    for (name, moved) in [("taut", 0.03), ("slack", -0.03)] {
        let file = folder.write(&format!("{name}.toml"), scene(moved));
        let output = pliant(&["run", text(&file), "--format", "none", "--json", "-o", text(&folder.join(name))]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let warned =
            said.contains("the rope \"lasso\" is taut: pulled beyond its slack, it is 3.0 % longer than at rest (1 m)");
        assert_eq!(warned, moved > 0.0, "{said}");
        assert_eq!(summary(&output)["warnings"].is_array(), moved > 0.0, "{said}");
    }
}

/// A ball pushes a plate of glass: it is the ball's work, not that of damping.
#[test]
fn the_work_of_a_collider_has_an_entry() {
    let folder = Folder::new("pushed");
    let coarse = ["--set", "peridynamic[0].spacing=\"7.5 mm\"", "--set", "peridynamic[0].jitter=0"];
    let start = ["run", "brittle-plate-impact", "--format", "none", "--json"];
    let out = folder.join("out");
    let output = pliant(&[&start[..], &coarse, &["-o", text(&out)]].concat());
    let (end, said) = (summary(&output), stderr(&output));
    let ledger = |name: &str| end["ledger"][name].as_f64().unwrap_or_else(|| panic!("no {name}: {end}"));
    assert!(ledger("colliders") > 1.0 && ledger("viscous") <= 0.0 && ledger("contact") <= 0.0, "{}", end["ledger"]);
    assert!(said.contains("colliders +"), "{said}");
    let names = ["start", "viscous", "contact", "colliders", "pins", "projection", "fracture", "integrator"];
    let total = end["energy"]["total"].as_f64().unwrap_or(f64::NAN);
    let sum: f64 = names.iter().map(|name| ledger(name)).sum();
    assert!((sum - total).abs() <= 1e-9 * ledger("colliders"), "the budget is closed: {sum} J, {total} J");
}

/// A steel lasso about a post, pulled 20 cm beyond its slack: kilojoules of strain that come and go from step to step, where 5 J moved.
#[test]
fn a_large_entry_of_the_integrator_is_explained() {
    let folder = Folder::new("lasso");
    let scene = "version = 1\ntime = { until = 1, fps = 30 }\ncontact.creep = \"5 mm/s\"\n[[rope]]\nname = \"lasso\"\npreset = \"steel-cable\"\n\
        points = [[-0.6, 0.01, 0], [-0.3, 0.01, 0], [0, 0.01, -0.02], [0.12, 0.01, -0.1], [0.23, 0.01, 0], [0.12, 0.01, 0.1], [0, 0.03, 0.02], \
        [-0.06, 0.045, 0], [-0.08, 0.02, -0.03], [-0.06, -0.02, -0.01], [0, -0.03, 0.012]]\nsegments = 90\nradius = \"4 mm\"\npins = [{ end = \"last\" }, \
        { end = \"first\", keyframes = { times = [0, \"0.8 s\"], offsets = [[0, 0, 0], [-0.5, 0, 0]] } }]\n\
        [[collider]]\nname = \"post\"\ncapsule = { from = [0.12, -0.5, 0], to = [0.12, 0.5, 0], radius = 0.03 }\n";
    let file = folder.write("lasso.toml", scene);
    let run = |name: &str, more: &[&str]| {
        let out = folder.join(name);
        pliant(&[&["run", text(&file), "--format", "none", "--json", "-o", text(&out)], more].concat())
    };
    let (output, calm) = (run("out", &[]), run("calm", &["--set", "time.integrator=backward-euler"]));
    let (end, said) = (summary(&output), stderr(&output));
    let (entry, peak) = (&end["ledger"]["integrator"], end["motion"]["peak"].as_f64().unwrap_or(f64::NAN));
    assert!(entry.as_f64().is_some_and(|entry| entry > 100.0 * peak), "{end}");
    for words in ["the integrator added ", "time.integrator = \"backward-euler\"", "the rope \"lasso\" is taut"] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    // what it says helps
    assert!(!stderr(&calm).contains("the integrator"), "{}", stderr(&calm));
}
