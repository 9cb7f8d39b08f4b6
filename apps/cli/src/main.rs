//! `pliant`: runs scenes, lists and checks them, and repeats the papers' experiments.

/// Like `eprintln!`, but a closed pipe or a full disk does not end a run.
macro_rules! tell {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

mod bench;
mod columns;
mod convert;
mod inspect;
mod progress;
mod render;
mod reproduce;
mod run;
mod starter;
mod sweep;
mod threads;
mod verify;
mod view;
mod words;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Simulates deformable things with an error that you state in metres.
#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scene and record the result
    Run(run::RunArgs),
    /// Run a scene with every combination of some values, in parallel, into one table and one plot
    Sweep(sweep::SweepArgs),
    /// Check that the files of a result are there as they were written
    Verify(verify::VerifyArgs),
    /// Draw a scene or a result: a still (PNG) or an animation (GIF), without a display
    Render(render::RenderArgs),
    /// Draw a still of every built-in scene, and animations of the best
    Gallery(render::GalleryArgs),
    /// Look at a scene in the browser, live
    View(view::ViewArgs),
    /// List the built-in scenes
    Scenes,
    /// Check a scene and say what would run
    Check(inspect::CheckArgs),
    /// Print the JSON Schema of scene files
    Schema,
    /// Write a commented scene to start from
    New(starter::NewArgs),
    /// Convert a mesh: reads OBJ, PLY and STL, writes OBJ and PLY
    Convert(convert::ConvertArgs),
    /// Measure integrators on a scene
    #[command(subcommand)]
    Bench(bench::BenchCommand),
    /// Repeat the papers' experiments and write a report
    Reproduce(reproduce::ReproduceArgs),
}

/// What a command ends with: a message and an exit status, or success.
pub type Outcome = Result<(), (String, u8)>;

fn main() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => carry_out(cli.command),
        // help and versions are output like any other
        Err(told) if !told.use_stderr() => written(told.print()),
        Err(wrong) => wrong.exit(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err((message, code)) => {
            tell!("pliant: {message}");
            ExitCode::from(code)
        }
    }
}

fn carry_out(command: Command) -> Outcome {
    // A run has an option for them; a sweep leaves them to its runs.
    if !matches!(command, Command::Run(_) | Command::Sweep(_)) {
        threads::start(None);
    }
    match command {
        Command::Run(args) => run::run(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Verify(args) => verify::verify(&args),
        Command::Render(args) => render::render(&args),
        Command::Gallery(args) => render::gallery(&args),
        Command::View(args) => view::view(&args),
        Command::Scenes => inspect::scenes(),
        Command::Check(args) => inspect::check(&args),
        Command::Schema => inspect::schema(),
        Command::New(args) => starter::new(&args),
        Command::Convert(args) => convert::convert(&args),
        Command::Bench(command) => bench::bench(&command),
        Command::Reproduce(args) => reproduce::reproduce(&args),
    }
}

/// Prints a line to standard output; a closed pipe (`| head`) is no error, a full disk is one.
pub fn print_line(text: &str) -> Outcome {
    use std::io::Write as _;
    let mut out = std::io::stdout();
    written(writeln!(out, "{text}").and_then(|()| out.flush()))
}

fn written(result: std::io::Result<()>) -> Outcome {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err((format!("cannot write to standard output: {error}"), 1))
        }
        _ => Ok(()),
    }
}
