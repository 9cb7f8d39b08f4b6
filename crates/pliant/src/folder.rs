//! The folder of a result: `frames.pvd` and `frames/*.vtu`, `probes.csv`, `stats.json`, `checkpoint.bin`, and `scene.toml` as run.

use std::path::{Path, PathBuf};

use pliant_core::StepReport;
use pliant_record::{Checkpoint, CsvFile, FrameLog, PvdFile, RecordError, VtuWriter};
use pliant_scene::{LoadedScene, Probe};
use pliant_time::Simulation;

/// Names of files in a result folder.
pub mod names {
    /// Index of all frames for ParaView.
    pub const PVD: &str = "frames.pvd";
    /// Folder of frames.
    pub const FRAMES: &str = "frames";
    /// Measured values.
    pub const PROBES: &str = "probes.csv";
    /// Summary.
    pub const STATS: &str = "stats.json";
    /// Where a killed run goes on.
    pub const CHECKPOINT: &str = "checkpoint.bin";
    /// Folder of pictures, one a frame.
    pub const PNG: &str = "png";
    /// The animation.
    pub const GIF: &str = "animation.gif";
    /// The scene as run.
    pub const SCENE: &str = "scene.toml";
    /// Raw positions, kept only while `--error` compares runs.
    pub const POSITIONS: &str = "positions.bin";
    /// Runs that `--error` compares.
    pub const TRIES: &str = "tries";
}

/// What a folder holds already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nothing of ours.
    Nothing,
    /// A run that did not come to its end.
    Unfinished,
    /// A finished result.
    Finished,
}

/// Looks into a folder.
pub fn contents(folder: &Path) -> Contents {
    if folder.join(names::STATS).exists() {
        return Contents::Finished;
    }
    let ours = [names::CHECKPOINT, names::PVD, names::PROBES, names::TRIES];
    if ours.iter().any(|name| folder.join(name).exists()) { Contents::Unfinished } else { Contents::Nothing }
}

/// Removes what an earlier run left, and nothing else.
pub fn clear(folder: &Path) -> Result<(), RecordError> {
    let gone = |path: &Path, result: std::io::Result<()>| match result {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(RecordError::io("remove", path)(error)),
        _ => Ok(()),
    };
    for name in [names::STATS, names::CHECKPOINT, names::PVD, names::PROBES, names::SCENE, names::POSITIONS, names::GIF]
    {
        let path = folder.join(name);
        gone(&path, std::fs::remove_file(&path))?;
    }
    for name in [names::FRAMES, names::TRIES, names::PNG] {
        let path = folder.join(name);
        gone(&path, std::fs::remove_dir_all(&path))?;
    }
    Ok(())
}

/// Writes the files of a run.
pub struct Files {
    folder: PathBuf,
    vtu: Option<(VtuWriter, PvdFile)>,
    positions: Option<FrameLog>,
    csv: CsvFile,
    probes: Vec<Probe>,
    every_step: bool,
    row: Vec<f64>,
}

impl Files {
    /// Opens the files of a new run, or those of `checkpoint`, cut back to where they were then.
    pub fn open(
        folder: &Path,
        scene: &LoadedScene,
        simulation: &Simulation,
        probes: Vec<Probe>,
        with_positions: bool,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Self, RecordError> {
        std::fs::create_dir_all(folder.join(names::FRAMES)).map_err(RecordError::io("create", folder))?;
        let length = |name: &str| checkpoint.and_then(|c| c.files.iter().find(|(n, _)| n == name)).map(|(_, l)| *l);
        let mut header = vec!["time".to_owned()];
        header.extend(probes.iter().flat_map(Probe::columns));
        let path = folder.join(names::PROBES);
        let csv = match length(names::PROBES) {
            Some(length) => CsvFile::resume(&path, length)?,
            None => CsvFile::create(&path, &header)?,
        };
        // Pictures are drawn from VTU frames when the run is over, because only then the camera knows where to stand.
        let vtu = if !scene.scene.output.formats.is_empty() {
            let path = folder.join(names::PVD);
            let pvd = match length(names::PVD) {
                Some(length) => PvdFile::resume(&path, length)?,
                None => PvdFile::create(&path)?,
            };
            Some((VtuWriter::new(&simulation.system), pvd))
        } else {
            None
        };
        let positions = if with_positions {
            let path = folder.join(names::POSITIONS);
            Some(match length(names::POSITIONS) {
                Some(length) => FrameLog::resume(&path, length)?,
                None => FrameLog::create(&path, simulation.state().len())?,
            })
        } else {
            None
        };
        pliant_record::write_atomic(&folder.join(names::SCENE), |out| {
            out.write_all(scene.document.to_toml().as_bytes())
        })?;
        let every_step = scene.scene.output.every_step;
        Ok(Self { folder: folder.to_owned(), vtu, positions, csv, probes, every_step, row: Vec::new() })
    }

    /// Records one accepted step.
    pub fn step(&mut self, simulation: &mut Simulation, report: &StepReport) -> Result<(), RecordError> {
        if self.every_step { self.measure(simulation, report) } else { Ok(()) }
    }

    /// Records frame k.
    pub fn frame(&mut self, k: u64, simulation: &mut Simulation, report: &StepReport) -> Result<(), RecordError> {
        if !self.every_step || k == 0 {
            self.measure(simulation, report)?;
        }
        if let Some((writer, pvd)) = &mut self.vtu {
            let file = format!("{}/frame_{k:05}.vtu", names::FRAMES);
            writer.write(&self.folder.join(&file), simulation.state())?;
            pvd.push(simulation.state().time, &file)?;
        }
        if let Some(positions) = &mut self.positions {
            positions.push(simulation.state())?;
        }
        self.csv.flush()
    }

    /// Saves everything that a resumed run needs.
    pub fn checkpoint(
        &mut self,
        simulation: &Simulation,
        fingerprint: u64,
        wall_seconds: f64,
    ) -> Result<(), RecordError> {
        // What the checkpoint counts on must be on the disk before it.
        self.csv.sync()?;
        let mut files = vec![(names::PROBES.to_owned(), self.csv.len())];
        if let Some((_, pvd)) = &mut self.vtu {
            pvd.sync()?;
            files.push((names::PVD.to_owned(), pvd.len()));
        }
        if let Some(positions) = &mut self.positions {
            positions.sync()?;
            files.push((names::POSITIONS.to_owned(), positions.len()));
        }
        let (mut numbers, counts) = simulation.progress().to_parts();
        numbers.push(wall_seconds);
        let note = format!("pliant {}, {}", env!("CARGO_PKG_VERSION"), crate::summary::instruction_level());
        let point = simulation.point().clone();
        Checkpoint { fingerprint, point, numbers, counts, files, note }.save(&self.folder.join(names::CHECKPOINT))
    }

    fn measure(&mut self, simulation: &mut Simulation, report: &StepReport) -> Result<(), RecordError> {
        self.row.clear();
        self.row.push(simulation.state().time);
        for probe in &self.probes {
            probe.measure(simulation, report, &mut self.row);
        }
        self.csv.row(&self.row)
    }
}
