//! MFA providers: TOTP (RFC 6238), and the sandbox's provider with fixed tokens.
//!
//! A provider only verifies a token. Rules of the domain handle sessions, attempts and used steps.

mod sandbox;
mod totp;

pub use sandbox::SandboxProvider;
pub use totp::{TotpProvider, base32_secret};
