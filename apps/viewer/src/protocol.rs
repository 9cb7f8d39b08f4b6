//! The JSON messages: commands from a page, and messages of the server. Positions are sent as binary frames ([`crate::frame`]).

use pliant::picture::colour::{CHARCOAL, CLAY, STEEL, VIRIDIS, to_bytes};
use pliant::scene::{Parameter, Setting};
use serde::{Deserialize, Serialize};

use crate::edits::Edit;

/// Number of colours of speeds; the page interpolates between them. `shaders.js` has this number, too.
const SPEEDS: usize = 14;

/// Commands of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// Run.
    Play {},
    /// Pause.
    Pause {},
    /// Pause and take one step.
    Step {},
    /// Back to the start of the scene, with the changes made to it.
    Restart {},
    /// Back to the start of the scene, without them.
    Reset {},
    /// Simulated seconds per second; 0: as fast as possible.
    Speed {
        /// The factor.
        factor: f64,
    },
    /// What to do at the scene's end.
    AtEnd {
        /// This.
        then: AtEnd,
    },
    /// Another scene of the list.
    Scene {
        /// Its name.
        name: String,
    },
    /// Changes a parameter and goes on.
    Set {
        /// One of those listed.
        path: String,
        /// The new value.
        value: Setting,
    },
    /// Grabs a particle.
    Grab {
        /// Its index.
        particle: usize,
        /// The target, m.
        target: [f64; 3],
    },
    /// Moves the target.
    Move {
        /// The new target, m.
        target: [f64; 3],
    },
    /// Releases the particle.
    Release {},
    /// A frame was drawn: another one may be sent.
    Ack {
        /// Its number.
        sequence: u32,
    },
}

/// What to do at the scene's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtEnd {
    /// Continue.
    #[default]
    GoOn,
    /// Pause.
    Stop,
    /// Restart.
    Repeat,
}

/// A scene of the list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Display text.
    pub title: String,
}

/// Messages of the server.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Event {
    /// A scene has been loaded; a topology message of the same generation follows.
    Scene(SceneInfo),
    /// Parameters, after one was changed.
    Parameters {
        /// All of them.
        parameters: Vec<Parameter>,
        /// Changes since the run began, oldest first.
        edits: Vec<Edit>,
        /// Older ones that are not listed.
        left_out: usize,
        /// The command line that runs the scene with all of them from its start.
        command: String,
    },
    /// The status of the run.
    Status(Status),
    /// A command was rejected.
    Refused {
        /// Why.
        message: String,
    },
}

/// A loaded scene.
#[derive(Clone, Debug, Serialize)]
pub struct SceneInfo {
    /// Changes with every load.
    pub generation: u32,
    /// Its name.
    pub name: String,
    /// Display name.
    pub title: String,
    /// Display text.
    pub description: String,
    /// Number of particles.
    pub particles: usize,
    /// Number of particles that are shown.
    pub shown: usize,
    /// End of the run, s.
    pub until: f64,
    /// Warnings about legal but probably unintended input, and about parts that are not shown.
    pub notes: Vec<String>,
    /// Colours of everything that is not a body.
    pub palette: Palette,
    /// Scenes to choose from.
    pub scenes: Vec<Choice>,
}

/// Colours that the page shares with pictures, red, green, blue from 0 to 255.
#[derive(Clone, Debug, Serialize)]
pub struct Palette {
    /// Colliders.
    pub solid: [u8; 3],
    /// Springs and rods.
    pub rod: [u8; 3],
    /// Pins and anchors.
    pub pin: [u8; 3],
    /// From slow to fast.
    pub speed: Vec<[u8; 3]>,
}

impl Default for Palette {
    fn default() -> Self {
        let speed = (0..SPEEDS).map(|k| to_bytes(VIRIDIS.at(k as f64 / (SPEEDS - 1) as f64))).collect();
        Self { solid: to_bytes(CLAY), rod: to_bytes(STEEL), pin: to_bytes(CHARCOAL), speed }
    }
}

/// The status of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// Whether it is running.
    pub playing: bool,
    /// Requested simulated seconds per second; 0: as many as possible.
    pub speed: f64,
    /// What happens at the end.
    pub at_end: AtEnd,
    /// Whether the end has been reached and the run is paused there.
    pub ended: bool,
    /// Why the run failed.
    pub error: Option<String>,
    /// Pages that are open.
    pub clients: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_strictly() {
        let read = serde_json::from_str::<Command>;
        assert_eq!(read(r#"{"type":"play"}"#).unwrap(), Command::Play {});
        let set = read(r#"{"type":"set","path":"world.drag","value":0.5}"#).unwrap();
        assert_eq!(set, Command::Set { path: "world.drag".into(), value: Setting::Number(0.5) });
        for bad in [
            "",
            "{}",
            "[]",
            r#"{"type":"fly"}"#,
            r#"{"type":"play","x":1}"#,
            r#"{"type":"move","target":[1,2]}"#,
            r#"{"type":"move","target":[1,2,null]}"#,
            r#"{"type":"grab","particle":-1,"target":[0,0,0]}"#,
            r#"{"type":"speed","factor":1e999}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
