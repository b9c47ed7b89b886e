//! The environment that a process serves.

/// The environment that a process serves. A key belongs to one environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Environment {
    /// For testing: simulations and demo data are available.
    Sandbox,
    /// For real money: no simulations, no demo data.
    Production,
}

impl Environment {
    /// The name as configured and stored.
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
