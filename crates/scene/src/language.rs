//! Terms of the front end that a scene comes from: tables and arrays in a file, dicts and lists in Python,
//! builders in Rust.

/// The front end of a scene, or of a change of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// A file, or `--set` of the command line.
    #[default]
    Toml,
    /// Objects of Python.
    Python,
    /// Calls of a Rust program.
    Rust,
}

impl Language {
    fn choose(self, toml: &'static str, python: &'static str) -> &'static str {
        match self {
            Self::Toml | Self::Rust => toml,
            Self::Python => python,
        }
    }

    /// Something with keys.
    pub fn table(self) -> &'static str {
        self.choose("a table", "a dict")
    }

    /// Something with elements.
    pub fn array(self) -> &'static str {
        self.choose("an array", "a list")
    }

    /// Several of the same kind.
    pub fn tables(self) -> &'static str {
        self.choose("an array of tables", "a list of dicts")
    }

    /// The key of several of the same kind, as it is written.
    pub fn header(self, key: &str) -> String {
        match self {
            Self::Toml => format!("[[{key}]]"),
            Self::Python => format!("{key:?}"),
            Self::Rust => format!(".add({}::...)", type_name(key)),
        }
    }

    /// Without a fraction.
    pub fn whole(self) -> &'static str {
        self.choose("a whole number", "an int")
    }

    /// What is `true` in a file.
    pub fn truth(self, truth: bool) -> &'static str {
        match truth {
            true => self.choose("true", "True"),
            false => self.choose("false", "False"),
        }
    }

    /// The kind of an integer.
    pub fn integer(self) -> &'static str {
        self.choose("integer", "int")
    }

    /// The kind of a number with a fraction.
    pub fn float(self) -> &'static str {
        self.choose("number", "float")
    }

    /// How the built-in scenes are listed.
    pub fn scenes(self) -> &'static str {
        match self {
            Self::Rust => "pliant::scene::builtin::SCENES",
            _ => self.choose("pliant scenes", "pliant.scenes()"),
        }
    }

    /// A first key with an integer, as it would be added.
    pub fn first_key(self, key: &str, value: u32) -> String {
        match self {
            Self::Toml => format!("write {key} = {value} as the first line of the file"),
            Self::Python => format!("add {key:?}: {value}"),
            Self::Rust => format!("set {key:?} to {value}"),
        }
    }
}

/// The builder for a key: `cloth` is made by `Cloth`.
fn type_name(key: &str) -> String {
    let mut letters = key.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
