//! From a file or a built-in name to a simulation.

use std::path::Path;

use pliant_core::System;
use pliant_mesh::regular;
use pliant_time::control::parameter::STEP;
use pliant_time::pace::StepLimit;
use pliant_time::{Frames, Simulation, SimulationError};
use xxhash_rust::xxh3::xxh3_64;

use crate::assemble::{Assembled, assemble};
use crate::body::{Found, KINDS, says, tables_of};
use crate::builtin;
use crate::extensions::Extensions;
use crate::language::Language;
use crate::locate::{Document, Located};
use crate::parameters::Setting;
use crate::probes::Probe;
use crate::schema::{Quality, Scene};
use crate::suggest::nearest;
use crate::validate::{Checked, validate};

/// Why a scene cannot be used: one line for each error.
#[derive(Clone, Debug, PartialEq)]
pub enum SceneError {
    /// No such file, and no built-in scene of that name; or it cannot be read.
    Unreadable(String),
    /// Errors in it.
    Wrong(Vec<Located>),
}

impl SceneError {
    /// The whole message; `named` gives the front end's name of a change ([`Located::told`]).
    pub fn told(&self, named: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::Unreadable(message) => message.clone(),
            Self::Wrong(errors) => errors.iter().map(|error| error.told(named)).collect::<Vec<_>>().join("\n"),
        }
    }
}

impl std::fmt::Display for SceneError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.told(&str::to_owned))
    }
}

impl std::error::Error for SceneError {}

impl From<Located> for SceneError {
    fn from(error: Located) -> Self {
        Self::Wrong(vec![error])
    }
}

/// A scene that has been read and checked.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// File name without ending, or built-in name.
    pub name: String,
    /// Its source: a file, or a built-in name.
    pub source: String,
    /// Changes made to it, in order.
    pub assignments: Vec<String>,
    /// The text with all changes, for messages and for the copy beside the results.
    pub document: Document,
    /// Its contents.
    pub scene: Scene,
    /// Resolved names.
    pub checked: Checked,
    /// Extensions of a program.
    pub extensions: Extensions,
}

/// A scene ready to run.
pub struct Built {
    /// In its initial state.
    pub simulation: Simulation,
    /// What to measure.
    pub probes: Vec<Probe>,
    /// Warnings about legal but probably unintended input.
    pub warnings: Vec<String>,
}

/// Reads a scene file or a built-in scene, changes it by `path=value` assignments, and checks it.
pub fn load(file_or_name: &str, assignments: &[String]) -> Result<LoadedScene, SceneError> {
    load_in(Language::Toml, file_or_name, assignments)
}

/// The same where the changes come from a program: errors are reported in its terms.
pub fn load_in(language: Language, file_or_name: &str, assignments: &[String]) -> Result<LoadedScene, SceneError> {
    let (name, label, text) = read(file_or_name, language)?;
    let document = Document::parse(&label, &text)?.told_in(Language::Toml, language);
    Ok(LoadedScene {
        source: file_or_name.to_owned(),
        ..changed([&name, &label], document, &[], assignments, Extensions::default())?
    })
}

/// The same from a text.
pub fn from_text(name: &str, label: &str, text: &str, assignments: &[String]) -> Result<LoadedScene, SceneError> {
    from_text_in(Language::Toml, [name, label], text, assignments)
}

/// The same from a text that stands for an object of a program, with the name and the label of that.
pub fn from_text_in(
    language: Language,
    [name, label]: [&str; 2],
    text: &str,
    assignments: &[String],
) -> Result<LoadedScene, SceneError> {
    let document = Document::parse(label, text)?.told_in(language, language);
    changed([name, label], document, &[], assignments, Extensions::default())
}

/// The same from the tables that a program has filled, with what it adds to them. `label` stands for the file in messages; names of mesh files
/// are relative to the current folder.
pub fn from_program(
    [name, label]: [&str; 2],
    table: toml::Table,
    assignments: &[String],
    extensions: Extensions,
) -> Result<LoadedScene, SceneError> {
    let document = Document::of_program(label, table, Language::Rust);
    changed([name, label], document, &[], assignments, extensions)
}

/// `before`: changes that the document already has.
fn changed(
    [name, source]: [&str; 2],
    mut document: Document,
    before: &[String],
    assignments: &[String],
    extensions: Extensions,
) -> Result<LoadedScene, SceneError> {
    for assignment in assignments {
        document.set(assignment)?;
    }
    let mut scene: Scene = document.deserialize()?;
    KINDS.iter().for_each(|kind| (kind.defaults)(&mut scene, &document));
    choose_for_restraint(&mut scene, &document);
    choose_for_preview(&mut scene, &document);
    let checked = validate(&scene, &document, &extensions).map_err(SceneError::Wrong)?;
    let (name, source) = (name.to_owned(), source.to_owned());
    let assignments = [before, assignments].concat();
    Ok(LoadedScene { name, source, assignments, document, scene, checked, extensions })
}

/// Few schemes support restraint: the default is the one that never gains energy.
fn choose_for_restraint(scene: &mut Scene, document: &Document) {
    let is_said = says(document, "time.integrator");
    if scene.restraint.as_ref().is_some_and(|table| table.enabled) && scene.fluid.is_empty() && !is_said {
        scene.time.integrator = "backward-euler".into();
    }
}

/// Longest step of a preview, s; how often it corrects a step at most, and the accuracy at which it does not, m. (With one correction friction and
/// contact gain energy: `twisted-cloth` explodes. To go on where much strain energy is left, or where CCD has cut the last correction
/// short, took 1.5 times the solves and gained no less.)
const PREVIEW_STEP: f64 = 1.0 / 30.0;
const PREVIEW_CORRECTIONS: usize = 2;
const PREVIEW_ACCURACY: f64 = 1e-3;

/// The settings of a preview, where the scene does not give its own.
fn choose_for_preview(scene: &mut Scene, document: &Document) {
    if scene.quality != Quality::Preview || !scene.fluid.is_empty() {
        return;
    }
    if !says(document, "time.integrator") {
        scene.time.integrator = "backward-euler".into();
    }
    if !says(document, "time.control.kind") {
        scene.time.control.kind = "fixed".into();
        let frame = scene.time.fps.recip();
        let dt = frame / (frame / PREVIEW_STEP * (1.0 - 1e-9)).ceil().max(1.0);
        if !says(document, "time.control.dt") && dt.is_finite() {
            scene.time.control.dt = Some(dt.into());
        }
    }
    if scene.restraint.as_ref().is_some_and(|table| table.enabled) {
        // which particles are at rest is decided by momenta
        scene.solver.accuracy.get_or_insert((0.1 * PREVIEW_ACCURACY).into());
    } else {
        scene.solver.accuracy.get_or_insert(PREVIEW_ACCURACY.into());
        scene.solver.max_corrections.get_or_insert(PREVIEW_CORRECTIONS);
    }
}

fn read(file_or_name: &str, language: Language) -> Result<(String, String, String), SceneError> {
    let path = Path::new(file_or_name);
    if !path.is_file() {
        if let Some(text) = builtin::find(file_or_name) {
            return Ok((file_or_name.to_owned(), format!("{file_or_name}.toml"), text.to_owned()));
        }
        if path.is_dir() {
            return Err(SceneError::Unreadable(format!(
                "{file_or_name}: is a folder; give a scene file or a built-in name"
            )));
        }
        if path.exists() {
            return Err(SceneError::Unreadable(format!(
                "{file_or_name}: is not an ordinary file but a pipe or a device; give a scene file or a built-in name"
            )));
        }
        let known = builtin::SCENES.iter().map(|(name, _)| *name);
        let hint = nearest(file_or_name, known).map_or_else(
            || format!("`{}` lists the built-in ones", language.scenes()),
            |name| format!("did you mean `{name}`?"),
        );
        let message = format!("{file_or_name}: there is no such file and no built-in scene of that name; {hint}");
        return Err(SceneError::Unreadable(message));
    }
    let unreadable = |why: String| SceneError::Unreadable(format!("{file_or_name}: {why}"));
    let bytes = std::fs::read(path).map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        unreadable(format!("not UTF-8 text (byte {}); a scene is a TOML file", error.utf8_error().valid_up_to()))
    })?;
    let name = path.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy().into_owned());
    if name.chars().all(|c| c == '.') {
        // it would name the folder of the result
        return Err(unreadable("a scene needs a name before its ending, such as drape.toml: rename the file".into()));
    }
    Ok((name, file_or_name.to_owned(), text))
}

impl LoadedScene {
    /// The same scene with `path=value` changes on top of those it has.
    pub fn with(&self, assignments: &[String]) -> Result<LoadedScene, SceneError> {
        let (document, extensions) = (self.document.clone(), self.extensions.clone());
        changed([&self.name, &self.source], document, &self.assignments, assignments, extensions)
    }

    /// The folder that names of files in it are relative to; a built-in scene has the current one.
    pub fn folder(&self) -> &Path {
        Path::new(&self.source).parent().unwrap_or(Path::new(""))
    }

    /// Builds the simulation. Errors that are found only now (masses, pins) are errors of the scene too.
    pub fn build(&self) -> Result<Built, SceneError> {
        self.build_with(|_| {})
    }

    /// The same, with a system that is changed before the first step (forces that no scene file holds).
    pub fn build_with(&self, change: impl FnOnce(&mut System)) -> Result<Built, SceneError> {
        let Assembled { system, start, probes, warnings, .. } = self.assembled_with(change)?;
        let checked = &self.checked;
        let (solver, control) = (&checked.solver, &checked.control);
        let mut simulation = Simulation::new(system, start, checked.integrator, solver, control, self.frames())
            .map_err(|error| self.unsuited(&error))?;
        let given = control.kind.has_given_step().then(|| (STEP.value)(control));
        simulation.limit_steps(Some(StepLimit { max_steps: self.scene.time.control.max_steps, dt: given }));
        // checked before, but with the integrator of the scene
        simulation
            .set_post_step(checked.post_step)
            .map_err(|why| self.document.at("time.integrator", why.to_string()))?;
        Ok(Built { simulation, probes, warnings })
    }

    /// Everything that [`LoadedScene::build`] checks, without the cost of a start: no force is evaluated.
    pub fn assembled(&self) -> Result<Assembled, SceneError> {
        self.assembled_with(|_| {})
    }

    /// Its frames.
    pub fn frames(&self) -> Frames {
        Frames { fps: self.scene.time.fps, until: self.scene.time.until.si() }
    }

    fn unsuited(&self, error: &SimulationError) -> Located {
        let key = match error {
            SimulationError::UnknownSolver { .. } => "solver.kind",
            _ => "time.integrator",
        };
        self.document.at(key, error.to_string())
    }

    fn assembled_with(&self, change: impl FnOnce(&mut System)) -> Result<Assembled, SceneError> {
        let Assembled { mut system, mut start, probes, contact_distance, mut warnings } =
            assemble(self).map_err(SceneError::Wrong)?;
        self.extensions.extend(&mut system, &start);
        change(&mut system);
        let checked = &self.checked;
        warnings.extend(checked.control.warnings(checked.integrator.properties, &system));
        let mut lengths: Vec<(&str, f64)> =
            contact_distance.map(|length| ("the contact distance", length)).into_iter().collect();
        if checked.control.kind.judges_errors() {
            lengths.push(("time.control.tolerance", checked.control.tolerance));
            warnings.extend(self.too_coarse("time.control.tolerance", checked.control.tolerance, &start));
        }
        warnings.extend(self.too_far_out(&lengths, &start));
        let properties = checked.integrator.properties;
        if system.has_contact() && properties.gains_in_contact {
            let name = properties.name;
            warnings.push(format!("{name} gains energy in stiff contact; bdf2 and backward-euler do not"));
        }
        Simulation::check_parts(&system, checked.integrator, &checked.solver).map_err(|error| self.unsuited(&error))?;
        checked.post_step.works_with(properties).map_err(|why| self.document.at("time.integrator", why.to_string()))?;
        system.apply_pins(start.time, &mut start.x, &mut start.v);
        Ok(Assembled { system, start, probes, contact_distance, warnings })
    }

    /// The text for a copy in another folder, where relative names of mesh files would not be found: absolute paths there.
    pub fn to_toml(&self) -> String {
        let mut document = self.document.clone();
        for (path, file) in self.mesh_files() {
            let Ok(whole) = std::path::absolute(self.folder().join(&file)) else { continue };
            if Path::new(&file).is_relative() {
                // A name that is no text stays as it is: TOML could not hold it.
                let whole = whole.into_os_string().into_string().ok();
                let _ = whole.map(|whole| document.set(&Setting::Text(whole).assignment(&path)));
            }
        }
        self.extensions.comments() + &document.to_toml()
    }

    /// Keys and values of all names of mesh files.
    fn mesh_files(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for Found { path, table, .. } in tables_of(&self.scene) {
            let files = table.mesh_files().into_iter();
            found.extend(files.map(|(key, file)| (format!("{path}.{key}"), file.to_owned())));
        }
        for (k, body) in self.scene.collider.iter().enumerate() {
            let file = body.mesh.as_ref().and_then(|mesh| mesh.file.clone());
            found.extend(file.map(|file| (format!("collider[{k}].mesh.file"), file)));
        }
        found
    }

    /// A fingerprint of everything in the scene and its meshes: a checkpoint belongs to one. The look of pictures and the number of steps that a run
    /// may take are not part of it.
    pub fn fingerprint(&self) -> u64 {
        let mut scene = self.scene.clone();
        scene.view = Default::default();
        scene.time.control.max_steps = None;
        let mut text = serde_json::to_string(&scene).unwrap_or_default().into_bytes();
        text.extend(self.extensions.comments().into_bytes());
        for (_, file) in self.mesh_files() {
            text.extend(regular::read(&self.folder().join(file)).unwrap_or_default());
        }
        xxh3_64(&text)
    }
}
