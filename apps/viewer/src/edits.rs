//! Changes that were made while a scene ran, their times, and the command line that runs the scene with them.

use std::collections::{BTreeMap, VecDeque};

use pliant::scene::LoadedScene;
use serde::Serialize;

/// Changes that the list for the page holds; a slider makes many, and of more the oldest are dropped.
pub const MAX_LISTED: usize = 100;

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Edit {
    /// Simulated time at which it was made, s.
    pub time: f64,
    /// `path=value`, as `--set` takes it.
    pub assignment: String,
}

/// All changes of a run.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    /// The last change of every key.
    current: BTreeMap<String, String>,
    log: VecDeque<Edit>,
    left_out: usize,
}

impl Edits {
    /// The same with one more.
    pub fn with(&self, path: &str, time: f64, assignment: String) -> Self {
        let mut edits = self.clone();
        edits.current.insert(path.to_owned(), assignment.clone());
        edits.list(Edit { time, assignment });
        edits
    }

    /// For a restart with the present values: they hold from the start.
    pub fn restarted(&self) -> Self {
        let mut edits = Self { current: self.current.clone(), ..Self::default() };
        self.current.values().for_each(|assignment| edits.list(Edit { time: 0.0, assignment: assignment.clone() }));
        edits
    }

    fn list(&mut self, edit: Edit) {
        if self.log.len() == MAX_LISTED {
            self.log.pop_front();
            self.left_out += 1;
        }
        self.log.push_back(edit);
    }

    /// The changes in force.
    pub fn assignments(&self) -> Vec<String> {
        self.current.values().cloned().collect()
    }

    /// The newest changes, oldest first, and how many older ones are not among them.
    pub fn listed(&self) -> (Vec<Edit>, usize) {
        (self.log.iter().cloned().collect(), self.left_out)
    }
}

/// The command that runs a scene with all changes made to it, ready for a shell.
pub fn command(scene: &LoadedScene) -> String {
    let mut words = vec!["pliant run".to_owned(), quoted(&scene.source)];
    words.extend(scene.assignments.iter().map(|assignment| format!("--set {}", quoted(assignment))));
    words.join(" ")
}

/// A word as a POSIX shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::scene::load;

    #[test]
    fn the_command_holds_what_was_given_and_what_was_changed() {
        let given = ["time.until=3".to_owned()];
        let scene = load("spring-net", &given).unwrap();
        assert_eq!(command(&scene), "pliant run spring-net --set time.until=3");
        let edits = Edits::default()
            .with("springs[0].stiffness", 0.25, "springs[0].stiffness=50.0".into())
            .with("time.integrator", 0.5, "time.integrator=\"rk4\"".into())
            .with("springs[0].stiffness", 0.75, "springs[0].stiffness=70.0".into());
        let scene = scene.with(&edits.assignments()).unwrap();
        let expected = "pliant run spring-net --set time.until=3 --set 'springs[0].stiffness=70.0' --set 'time.integrator=\"rk4\"'";
        assert_eq!(command(&scene), expected);
        // The same scene again: the command does what is running.
        let again = load(&scene.source, &scene.assignments).unwrap();
        assert_eq!(again.fingerprint(), scene.fingerprint());
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn the_list_is_bounded_and_says_what_it_lacks() {
        let mut edits = Edits::default();
        for k in 0..MAX_LISTED + 7 {
            edits = edits.with("world.drag", k as f64, format!("world.drag={k}"));
        }
        let (list, left_out) = edits.listed();
        assert_eq!((list.len(), left_out, list[0].time), (MAX_LISTED, 7, 7.0));
        let (list, left_out) = edits.restarted().listed();
        let assignment = format!("world.drag={}", MAX_LISTED + 6);
        assert_eq!((list, left_out), (vec![Edit { time: 0.0, assignment }], 0));
    }
}
