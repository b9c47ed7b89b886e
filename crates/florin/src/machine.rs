//! The system clock, random ids and random bytes.

use anyhow::anyhow;
use chrono::{DateTime, SubsecRound, Utc};
use florin_domain::access::Environment;
use florin_ports::{Clock, IdSource, KeySource, StoreError};
use std::fmt::Write;
use uuid::Uuid;

/// The system clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this implements the Clock port")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(6)
    }
}

/// Random UUIDs of version 7, ordered by time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomIds;

impl IdSource for RandomIds {
    #[expect(clippy::disallowed_methods, reason = "this implements the IdSource port")]
    fn next_id(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// API keys from random bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomKeys;

impl KeySource for RandomKeys {
    fn new_key(&self, environment: Environment) -> Result<String, StoreError> {
        new_key(environment).map_err(|error| StoreError::Unavailable(error.to_string()))
    }
}

/// Returns cryptographically secure random bytes.
pub(crate) fn random<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0_u8; N];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("cannot get random bytes: {error}"))?;
    Ok(bytes)
}

/// Creates a new API key: its environment and 256 random bits.
pub(crate) fn new_key(environment: Environment) -> anyhow::Result<String> {
    let secret: [u8; 32] = random()?;
    let mut key = format!("florin_{}_", environment.as_str());
    for byte in secret {
        write!(key, "{byte:02x}")?;
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_random_and_name_their_environment() {
        let [one, two] = [(); 2].map(|()| new_key(Environment::Production).unwrap());
        assert_ne!(one, two);
        let hex = one.strip_prefix("florin_production_").unwrap();
        assert!(hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }

    #[test]
    fn times_have_whole_microseconds() {
        assert_eq!(SystemClock.now().timestamp_subsec_nanos() % 1000, 0);
    }
}
