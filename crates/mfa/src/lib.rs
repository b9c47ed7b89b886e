//! The MFA providers: TOTP (RFC 6238), and the scripted one of the sandbox.
