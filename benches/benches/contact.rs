//! Cloth, ropes and solids in contact, this commit against a baseline binary:
//! `cargo build --release && cargo bench -p pliant-benches --bench contact -- --baseline PATH [--threads N] [--repeats N] [--whole] [SCENE ...]`.
//!
//! The scene files in `benches/scenes/contact` are those of commit a4cfd4a and stay as they are. Both binaries run each of them to the same
//! time (with `--whole` to the end of the scene), alternating; the smallest wall time of all repeats counts. Beside it: accepted and rejected steps, solves per attempt, linear iterations
//! per solve, shares of time, the energy budget. Without a baseline only this commit is run. Under `cargo test` the scenes are only read.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Scenes, and the time to which they are simulated, s.
const SCENES: [(&str, f64); 9] = [
    ("cloth-on-sphere", 1.2),
    ("cloth-on-bunny", 0.5),
    ("stacked-cloths", 0.4),
    ("flag-in-wind", 0.5),
    ("twisted-cloth", 1.2),
    ("balloon", 0.45),
    ("rope-net", 0.5),
    ("rope-pile", 0.3),
    ("jelly-rabbit", 0.3),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/contact")
}

struct Options {
    binary: PathBuf,
    baseline: Option<PathBuf>,
    threads: usize,
    repeats: usize,
    is_whole: bool,
    names: Vec<String>,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let built = std::env::current_exe().map_err(|e| e.to_string())?;
        let beside = built.ancestors().nth(2).unwrap_or(Path::new(".")).join("pliant");
        let mut options =
            Self { binary: beside, baseline: None, threads: 1, repeats: 3, is_whole: false, names: Vec::new() };
        let mut arguments = arguments.filter(|argument| argument != "--bench");
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            let number = |text: String| text.parse().map_err(|_| format!("{text:?} is not a whole number"));
            match argument.as_str() {
                "--binary" => options.binary = value()?.into(),
                "--baseline" => options.baseline = Some(value()?.into()),
                "--threads" => options.threads = number(value()?)?,
                "--repeats" => options.repeats = number(value()?)?.max(1),
                "--whole" => options.is_whole = true,
                name => options.names.push(name.to_owned()),
            }
        }
        if !options.binary.exists() {
            return Err(format!("{} is missing: run cargo build --release first", options.binary.display()));
        }
        Ok(options)
    }
}

struct Outcome {
    seconds: f64,
    stats: serde_json::Value,
}

impl Outcome {
    fn number(&self, path: &str) -> f64 {
        self.stats.pointer(path).and_then(serde_json::Value::as_f64).unwrap_or(0.0)
    }

    fn line(&self) -> String {
        let attempts = self.number("/steps") + self.number("/rejected");
        let solves = self.number("/solves");
        let clock = |part: &str| 100.0 * self.number(&format!("/clock/{part}")) / self.number("/wall_seconds");
        format!(
            "{:8.2} s {:5} + {:3} steps {:5.2} solves {:6.1} iterations | forces {:2.0} % derivatives {:2.0} % linear {:2.0} % ccd {:2.0} % | \
             damping {:+.4} contact {:+.4} integrator {:+.4} J",
            self.seconds,
            self.number("/steps"),
            self.number("/rejected"),
            solves / attempts.max(1.0),
            self.number("/linear_iterations") / solves.max(1.0),
            clock("forces"),
            clock("derivatives"),
            clock("linear"),
            clock("ccd"),
            self.number("/ledger/viscous"),
            self.number("/ledger/contact"),
            self.number("/ledger/integrator"),
        )
    }
}

fn run(binary: &Path, name: &str, until: Option<f64>, threads: usize) -> Result<Outcome, String> {
    let out = std::env::temp_dir().join(format!("pliant-contact-{}", std::process::id()));
    let begun = Instant::now();
    let ended = Command::new(binary)
        .arg("run")
        .arg(folder().join(format!("{name}.toml")))
        .args(["--threads", &threads.to_string(), "--force", "-o"])
        .arg(&out)
        .args(until.map(|until| format!("--until={until}")))
        .output()
        .map_err(|e| format!("{}: {e}", binary.display()))?;
    let seconds = begun.elapsed().as_secs_f64();
    let stats = std::fs::read_to_string(out.join("stats.json"));
    let _ = std::fs::remove_dir_all(&out);
    if !ended.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&ended.stderr).trim()));
    }
    let stats = stats.map_err(|e| format!("{name}: stats.json: {e}"))?;
    Ok(Outcome { seconds, stats: serde_json::from_str(&stats).map_err(|e| format!("{name}: stats.json: {e}"))? })
}

fn race(options: &Options) -> Result<(), String> {
    let (mut logarithms, mut count) = (0.0, 0.0);
    let is_wanted = |name: &str| options.names.is_empty() || options.names.iter().any(|wanted| wanted == name);
    for (name, until) in SCENES.into_iter().filter(|(name, _)| is_wanted(name)) {
        let until = Some(until).filter(|_| !options.is_whole);
        let (mut ours, mut theirs): (Option<Outcome>, Option<Outcome>) = (None, None);
        for _ in 0..options.repeats {
            let faster = |best: Option<Outcome>, new: Outcome| match best {
                Some(best) if best.seconds <= new.seconds => Some(best),
                _ => Some(new),
            };
            if let Some(baseline) = &options.baseline {
                theirs = faster(theirs.take(), run(baseline, name, until, options.threads)?);
            }
            ours = faster(ours.take(), run(&options.binary, name, until, options.threads)?);
        }
        let ours = ours.expect("at least one repeat");
        println!("{name}, {} s", ours.number("/time"));
        println!("  this     {}", ours.line());
        if let Some(theirs) = theirs {
            let ratio = theirs.seconds / ours.seconds;
            println!("  baseline {}\n  {ratio:.2} times as fast", theirs.line());
            (logarithms, count) = (logarithms + ratio.ln(), count + 1.0);
        }
    }
    if count > 0.0 {
        println!("geometric mean {:.2} times as fast, {} threads", f64::exp(logarithms / count), options.threads);
    }
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        for (name, _) in SCENES {
            let path = folder().join(format!("{name}.toml"));
            pliant::scene::load(&path.to_string_lossy(), &[]).unwrap_or_else(|e| panic!("{e}"));
        }
        return;
    }
    if let Err(message) = Options::parse(arguments.into_iter()).and_then(|options| race(&options)) {
        eprintln!("{message}");
        std::process::exit(1);
    }
}
