//! Why something is not done, and what could be done about it. An error holds what is wrong and the ways out; what those are called (`--force`,
//! `force=True`) is the business of the program that shows it.

use pliant_scene::SceneError;

/// A way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Go on with what is there.
    Resume,
    /// Throw away what is there.
    Replace,
    /// Write into another folder.
    Elsewhere,
    /// Ask for a verified error, as the run that is there did.
    AskError,
    /// Ask for no verified error, as the run that is there did.
    LeaveError,
}

/// Something that is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub what: String,
    /// Ways out, the likeliest first.
    pub remedies: Vec<Remedy>,
}

impl Refusal {
    /// What is wrong, with its ways out.
    pub fn new(what: impl Into<String>, remedies: &[Remedy]) -> Self {
        Self { what: what.into(), remedies: remedies.to_vec() }
    }

    /// The whole message; `word` says a remedy in the words of who reads it, such as "--force replaces it".
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
    /// The scene is not right; nothing was touched.
    Scene(SceneError),
    /// The folder or what is asked for is not right; nothing was touched.
    Input(Refusal),
    /// The run died; the last good state is in the checkpoint.
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

    /// What is wrong with what was asked for, where there is no more to say.
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

impl From<SceneError> for RunFailure {
    fn from(error: SceneError) -> Self {
        Self::Scene(error)
    }
}
