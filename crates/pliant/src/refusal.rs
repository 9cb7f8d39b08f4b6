//! Refusals: why a request is not carried out, and the remedies. An error holds both; the name of a remedy (`--force`,
//! `force=True`) is chosen by the program that shows it.

use pliant_scene::SceneError;

/// A remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Resume the run in the folder.
    Resume,
    /// Replace the result in the folder.
    Replace,
    /// Write into another folder.
    Elsewhere,
    /// Ask for a verified error, as the run that is there did.
    AskError,
    /// Ask for no verified error, as the run that is there did.
    LeaveError,
}

/// A request that is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub what: String,
    /// Remedies, the likeliest first.
    pub remedies: Vec<Remedy>,
}

impl Refusal {
    /// A refusal with its remedies.
    pub fn new(what: impl Into<String>, remedies: &[Remedy]) -> Self {
        Self { what: what.into(), remedies: remedies.to_vec() }
    }

    /// The whole message; `word` names a remedy in the terms of the front end, such as "--force replaces it".
    pub fn told(&self, word: fn(Remedy) -> &'static str) -> String {
        let words: Vec<&str> = self.remedies.iter().map(|remedy| word(*remedy)).collect();
        if words.is_empty() { self.what.clone() } else { format!("{}; {}", self.what, words.join(", ")) }
    }
}

impl From<String> for Refusal {
    fn from(what: String) -> Self {
        Self { what, remedies: Vec::new() }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.told(|remedy| match remedy {
            Remedy::Resume => "`resume` goes on with it",
            Remedy::Replace => "`force` replaces it",
            Remedy::Elsewhere => "choose another folder",
            Remedy::AskError => "ask for a verified error again",
            Remedy::LeaveError => "ask for no verified error",
        }))
    }
}

impl std::error::Error for Refusal {}

/// Why there is no finished result.
#[derive(Debug)]
pub enum RunFailure {
    /// The scene is invalid; no file was touched.
    Scene(SceneError),
    /// The folder or the request is invalid; no file was touched.
    Input(Refusal),
    /// The run failed; the last good state is in the checkpoint.
    Failed(String),
    /// Stopped from outside; the checkpoint is written.
    Interrupted(Refusal),
}

impl RunFailure {
    /// The exit status of a program that ends with this.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Scene(_) | Self::Input(_) => 2,
            Self::Failed(_) => 1,
            Self::Interrupted(_) => 130,
        }
    }

    /// A refusal without remedies.
    pub(crate) fn input(what: impl Into<String>) -> Self {
        Self::Input(what.into().into())
    }

    pub(crate) fn refused(what: impl Into<String>, remedies: &[Remedy]) -> Self {
        Self::Input(Refusal::new(what, remedies))
    }
}

impl std::fmt::Display for RunFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scene(error) => error.fmt(f),
            Self::Input(refusal) | Self::Interrupted(refusal) => refusal.fmt(f),
            Self::Failed(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for RunFailure {}

impl From<Refusal> for RunFailure {
    fn from(refusal: Refusal) -> Self {
        Self::Input(refusal)
    }
}

impl From<SceneError> for RunFailure {
    fn from(error: SceneError) -> Self {
        Self::Scene(error)
    }
}
