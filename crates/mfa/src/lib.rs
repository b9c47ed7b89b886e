//! The MFA providers: TOTP (RFC 6238), and the scripted one of the sandbox.
//!
//! They say what a token is worth and nothing more: sessions, attempts and spent steps are rules of the domain.

mod sandbox;
mod totp;

pub use sandbox::SandboxProvider;
pub use totp::{TotpProvider, base32_secret};
