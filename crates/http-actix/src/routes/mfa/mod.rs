//! `/v2/mfa`

pub(crate) mod open_session;
