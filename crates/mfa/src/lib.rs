//! MFA providers: TOTP (RFC 6238), and the scripted provider of the sandbox.
//!
//! A provider only verifies a token. Rules of the domain handle sessions, attempts and used steps.

mod sandbox;
mod totp;

pub use sandbox::SandboxProvider;
pub use totp::{TotpProvider, base32_secret};
