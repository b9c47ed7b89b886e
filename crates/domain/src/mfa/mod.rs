//! Multi-factor authentication: sessions, attempts and TOTP enrolments (contract 3.2).

mod check;
mod enrolment;
mod open;
mod session;

pub use check::{MfaCheck, MfaFailure, MfaOutcome, MfaVerdict};
pub use enrolment::TotpEnrolment;
pub use open::{OpenRefusal, OpenRequest, OpenSituation, decide_open};
pub use session::{MfaSession, MfaSessionState};

use crate::access::Environment;
use std::fmt;

/// A provider that checks MFA tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MfaProviderName {
    /// Tokens of TOTP (RFC 6238), from the account's enrolled secret.
    Totp,
    /// Fixed tokens, in the sandbox only.
    Sandbox,
}

impl MfaProviderName {
    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Sandbox => "sandbox",
        }
    }

    /// Returns the default provider for requests that name none.
    pub const fn default_in(environment: Environment) -> Self {
        match environment {
            Environment::Sandbox => Self::Sandbox,
            Environment::Production => Self::Totp,
        }
    }

    /// Parses the name of a provider in an environment. `fx-mfa-service`, which clients of the original service send,
    /// is the default provider.
    pub fn parse(name: &str, environment: Environment) -> Option<Self> {
        match (name, environment) {
            ("totp", _) => Some(Self::Totp),
            ("sandbox", Environment::Sandbox) => Some(Self::Sandbox),
            ("fx-mfa-service", _) => Some(Self::default_in(environment)),
            _ => None,
        }
    }
}

impl fmt::Display for MfaProviderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
