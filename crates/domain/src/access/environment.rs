//! The environment of a store, a server and its keys.

/// The environment of a store, a server or a key: sandbox or production.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Environment {
    /// For testing. Simulations and demo data are available.
    Sandbox,
    /// For real money. Simulations and demo data do not exist.
    Production,
}

impl Environment {
    /// Returns the name that is configured and stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Production => "production",
        }
    }

    /// Parses the name of an environment.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Sandbox, Self::Production].into_iter().find(|environment| environment.as_str() == name)
    }
}
