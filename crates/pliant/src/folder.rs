//! The folder of a result: frames in the formats that the scene asks for ([`pliant_record::FORMATS`]), `probes.csv` if it has probes,
//! `stats.json`, `checkpoint.bin`, `scene.toml` as run, and `manifest.txt` with length and hash of each of them.

use std::path::{Path, PathBuf};

use pliant_core::{Fields, StepReport};
use pliant_record::{
    Checkpoint, Checksum, CsvFile, FORMATS, Format, FrameLog, FrameWriter, Manifest, Opening, RecordError, Written,
    formats, json, write_atomic,
};
use pliant_scene::{LoadedScene, Probe};
use pliant_time::Simulation;

use crate::checkpoint;
use crate::summary::Summary;

/// Names of files in a result folder.
pub mod names {
    /// Index of the VTU frames.
    pub const PVD: &str = "frames.pvd";
    /// Measured values.
    pub const PROBES: &str = "probes.csv";
    /// Summary.
    pub const STATS: &str = "stats.json";
    /// The point from which a killed run is resumed.
    pub const CHECKPOINT: &str = "checkpoint.bin";
    /// The scene as run.
    pub const SCENE: &str = "scene.toml";
    /// The files of the result, with their lengths and hashes.
    pub const MANIFEST: &str = pliant_record::MANIFEST;
    /// Raw positions, kept only while `--error` compares runs.
    pub const POSITIONS: &str = "positions.bin";
    /// Runs that `--error` compares.
    pub const TRIES: &str = "tries";
}

/// What a folder already holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nothing that a run wrote, and nothing that a run would overwrite.
    Nothing,
    /// A foreign file under a name that a run would use.
    Foreign(&'static str),
    /// An unfinished run.
    Unfinished,
    /// Runs that `--error` had not finished comparing.
    Comparing,
    /// A finished result.
    Finished,
}

/// Looks into a folder.
pub fn contents(folder: &Path) -> Contents {
    let there = |name: &&'static str| folder.join(name).exists();
    if read_summary(folder).is_some_and(|summary| summary.finished) {
        return Contents::Finished;
    }
    if there(&names::TRIES) {
        return Contents::Comparing;
    }
    if [names::CHECKPOINT, names::PROBES].iter().any(there) {
        return Contents::Unfinished;
    }
    let mut others = [names::STATS, names::SCENE, names::MANIFEST].into_iter().chain(frame_names());
    others.find(there).map_or(Contents::Nothing, Contents::Foreign)
}

/// The summary of a run that ended, well or not, if there is one in a folder.
pub fn read_summary(folder: &Path) -> Option<Summary> {
    serde_json::from_slice(&std::fs::read(folder.join(names::STATS)).ok()?).ok()
}

/// Files and folders that hold frames, whatever the formats.
pub fn frame_names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| format.files.iter().chain(format.folders).copied())
}

fn gone(path: &Path, result: std::io::Result<()>) -> Result<(), RecordError> {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(RecordError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Removes the summary: the run goes on.
pub fn forget_end(folder: &Path) -> Result<(), RecordError> {
    let path = folder.join(names::STATS);
    gone(&path, std::fs::remove_file(&path))
}

/// Files of a result to open: frames, pictures, figures.
pub fn listed(folder: &Path) -> Vec<&'static str> {
    let there = |name: &&'static str| folder.join(name).exists();
    let frames = FORMATS.iter().filter(|format| format.files.iter().chain(format.folders).any(&there));
    let rest = [names::PROBES, names::STATS, names::SCENE, names::CHECKPOINT].into_iter().filter(there);
    frames.map(|format| format.main).chain(rest).collect()
}

/// Removes what an earlier run left, and nothing else.
pub fn clear(folder: &Path) -> Result<(), RecordError> {
    // A run that is killed meanwhile leaves a folder that is still marked as one of ours, and no damage in what is still there.
    let mark = folder.join(names::PROBES);
    let marked = std::fs::OpenOptions::new().create(true).append(true).open(&mark);
    marked.map_err(RecordError::io("create", &mark))?;
    let files = [names::STATS, names::CHECKPOINT, names::MANIFEST, names::SCENE, names::POSITIONS];
    for name in files.into_iter().chain(FORMATS.iter().flat_map(|format| format.files.iter().copied())) {
        let path = folder.join(name);
        gone(&path, std::fs::remove_file(&path))?;
    }
    for name in FORMATS.iter().flat_map(|format| format.folders.iter().copied()) {
        let path = folder.join(name);
        gone(&path, remove_frames(&path))?;
    }
    let tries = folder.join(names::TRIES);
    gone(&tries, std::fs::remove_dir_all(&tries))?;
    gone(&mark, std::fs::remove_file(&mark))
}

/// Removes the frames in a folder, and the folder if it is then empty: `obj` may hold files of the user.
fn remove_frames(folder: &Path) -> std::io::Result<()> {
    let mut others = false;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("frame_") || name.starts_with(".frame_") {
            std::fs::remove_file(entry.path())?;
        } else {
            others = true;
        }
    }
    if others { Ok(()) } else { std::fs::remove_dir(folder) }
}

/// Which program on which machine wrote a checkpoint: what decides whether the bits will be the same.
pub fn note() -> String {
    format!("pliant {}, {}", env!("CARGO_PKG_VERSION"), crate::summary::instruction_level())
}

/// The formats that a scene asks for.
pub(crate) fn asked(scene: &LoadedScene) -> Vec<&'static Format> {
    scene.scene.output.formats.iter().filter_map(|name| formats::find(name)).collect()
}

/// Writes the files of a run.
pub struct Files {
    folder: PathBuf,
    writers: Vec<Box<dyn FrameWriter>>,
    positions: Option<FrameLog>,
    /// Nothing where nothing is measured.
    csv: Option<CsvFile>,
    manifest: Manifest,
    /// Files that are written as a whole, besides frames: the scene, and the checkpoint once there is one.
    whole: [Option<Written>; 2],
    probes: Vec<Probe>,
    every_step: bool,
    row: Vec<f64>,
    fields: Fields,
    /// Time of the last frame that is in the files, s.
    recorded: Option<f64>,
}

impl Files {
    /// Opens the files of a new run, or those of `checkpoint`, truncated to their lengths at that time.
    pub fn open(
        folder: &Path,
        scene: &LoadedScene,
        simulation: &Simulation,
        probes: Vec<Probe>,
        with_positions: bool,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Self, RecordError> {
        std::fs::create_dir_all(folder).map_err(RecordError::io("create", folder))?;
        let grown = checkpoint.map(|checkpoint| &checkpoint.files[..]);
        let opening = Opening { folder, system: &simulation.system, fps: simulation.frames().fps, grown };
        let length = |name: &str| opening.file(name).1;
        let mut header = vec!["time".to_owned()];
        header.extend(probes.iter().flat_map(Probe::columns));
        let path = folder.join(names::PROBES);
        let every_step = scene.scene.output.every_step;
        let measures = !probes.is_empty() || every_step;
        // Until there is a checkpoint, this file marks the folder as one of ours, whatever is in it.
        let csv = match length(names::PROBES) {
            Some(length) if measures => Some(CsvFile::resume(&path, length)?),
            _ if measures || checkpoint.is_none() => Some(CsvFile::create(&path, &header)?),
            _ => None,
        };
        let csv = csv.filter(|_| measures);
        let mut chosen = asked(scene);
        // Pictures are drawn from VTU frames.
        let drawn_from = formats::find("vtu").filter(|_| chosen.iter().any(|format| format.pictures().is_some()));
        if let Some(vtu) = drawn_from.filter(|vtu| chosen.iter().all(|format| format.name != vtu.name)) {
            chosen.push(vtu);
        }
        let writers = chosen.iter().filter_map(|format| format.open(&opening)).collect::<Result<Vec<_>, _>>()?;
        let positions = if with_positions {
            let path = folder.join(names::POSITIONS);
            Some(match length(names::POSITIONS) {
                Some(length) => FrameLog::resume(&path, length)?,
                None => FrameLog::create(&path, simulation.state().len())?,
            })
        } else {
            None
        };
        let manifest = Manifest::open(folder, length(names::MANIFEST))?;
        let toml = scene.to_toml();
        write_atomic(&folder.join(names::SCENE), |out| out.write_all(toml.as_bytes()))?;
        Ok(Self {
            folder: folder.to_owned(),
            writers,
            positions,
            csv,
            manifest,
            whole: [Some(Checksum::of(toml.as_bytes()).named(names::SCENE)), None],
            probes,
            every_step,
            row: Vec::new(),
            fields: Fields::default(),
            recorded: checkpoint.map(|_| simulation.frames().time(simulation.progress_frame() - 1)),
        })
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
        if !self.writers.is_empty() {
            simulation.write_fields(&mut self.fields);
        }
        for writer in &mut self.writers {
            self.manifest.add(&writer.frame(k, simulation.state(), &self.fields)?)?;
        }
        if let Some(positions) = &mut self.positions {
            positions.push(simulation.state())?;
            positions.flush()?;
        }
        self.csv.as_mut().map_or(Ok(()), CsvFile::flush)?;
        self.recorded = Some(simulation.state().time);
        Ok(())
    }

    /// Time of the last frame that is in the files, s; `None` before the first one.
    pub fn recorded(&self) -> Option<f64> {
        self.recorded
    }

    /// Saves everything that a resumed run needs.
    pub fn checkpoint(
        &mut self,
        simulation: &Simulation,
        fingerprint: u64,
        wall_seconds: f64,
    ) -> Result<(), RecordError> {
        // Files that the checkpoint refers to must be on the disk before it.
        let mut files = Vec::new();
        if let Some(csv) = &mut self.csv {
            csv.sync()?;
            files.push(csv.grown(names::PROBES));
        }
        for writer in &mut self.writers {
            writer.sync(&mut files)?;
        }
        if let Some(positions) = &mut self.positions {
            positions.sync()?;
            files.push(positions.grown(names::POSITIONS));
        }
        files.push(self.manifest.sync()?);
        let path = self.folder.join(names::CHECKPOINT);
        let saved = Checkpoint { files, ..checkpoint::of(simulation, fingerprint, wall_seconds) }.save(&path)?;
        self.whole[1] = Some(saved.named(names::CHECKPOINT));
        if self.csv.is_none() {
            let path = self.folder.join(names::PROBES);
            gone(&path, std::fs::remove_file(&path))?;
        }
        Ok(())
    }

    /// After a checkpoint, when a run ends or is stopped: writes the files that need all frames.
    pub fn finish(&mut self) -> Result<Vec<Written>, RecordError> {
        let mut files = Vec::new();
        for writer in &mut self.writers {
            files.extend(writer.finish()?);
        }
        Ok(files)
    }

    /// After a checkpoint, when the result is complete: checks that all that was written is there, lists it, and writes the summary last.
    pub fn complete(&mut self, summary: &Summary) -> Result<(), RecordError> {
        let mut files = self.finish()?;
        if let Some(csv) = &mut self.csv {
            files.push(csv.checksum()?.named(names::PROBES));
        }
        if let Some(positions) = &mut self.positions {
            files.push(positions.checksum()?.named(names::POSITIONS));
        }
        files.extend(self.whole.iter().flatten().cloned());
        self.manifest.add(&files)?;
        let path = self.folder.join(names::STATS);
        let text = json(&path, summary)?;
        self.manifest.complete(&self.folder, &Checksum::of(&text).named(names::STATS))?;
        write_atomic(&path, |out| out.write_all(&text))
    }

    /// When the result is complete: removes files that only an unfinished run needs.
    pub fn clean(&mut self) -> Result<(), RecordError> {
        self.writers.iter_mut().try_for_each(|writer| writer.clean())
    }

    fn measure(&mut self, simulation: &mut Simulation, report: &StepReport) -> Result<(), RecordError> {
        let Some(csv) = &mut self.csv else { return Ok(()) };
        self.row.clear();
        self.row.push(simulation.state().time);
        for probe in &self.probes {
            probe.measure(simulation, report, &mut self.row);
        }
        csv.row(&self.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A removal that ends early, because of a kill or an error, leaves a folder that can be cleared again.
    #[test]
    fn a_folder_that_is_cleared_in_part_is_still_a_run() {
        let folder = std::env::temp_dir().join(format!("pliant-clear-{}", std::process::id()));
        let write = |name: &str| std::fs::write(folder.join(name), "").expect("the temporary folder can be written");
        for marks in [&[names::PROBES][..], &[names::CHECKPOINT, names::SCENE]] {
            std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
            marks.iter().for_each(|name| write(name));
            // a file in the place of a folder: it cannot be listed
            write("frames");
            assert_eq!(contents(&folder), Contents::Unfinished);
            assert!(clear(&folder).is_err());
            assert_eq!(contents(&folder), Contents::Unfinished, "after a removal in part");
            std::fs::remove_file(folder.join("frames")).expect("it is there");
            clear(&folder).expect("nothing is in the way");
            assert_eq!(contents(&folder), Contents::Nothing);
            std::fs::remove_dir(&folder).expect("nothing is left");
        }
    }
}
