//! The system clock, random ids and random bytes.

use anyhow::anyhow;
use chrono::{DateTime, SubsecRound, Utc};
use florin_domain::access::Environment;
use florin_ports::{Clock, IdSource, KeySource, StoreError};
use std::fmt::Write;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};
use uuid::{ContextV7, Timestamp, Uuid};

/// The system clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this implements the Clock port")]
    fn now(&self) -> DateTime<Utc> {
        whole_micros(SystemTime::now())
    }
}

/// Random UUIDs of version 7, ordered by time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomIds;

impl IdSource for RandomIds {
    #[expect(clippy::disallowed_methods, reason = "this implements the IdSource port")]
    fn next_id(&self) -> Uuid {
        id_at(SystemTime::now())
    }
}

/// Converts a system time to whole microseconds. On a machine without a working clock it may be before 1970.
fn whole_micros(time: SystemTime) -> DateTime<Utc> {
    DateTime::from(time).trunc_subsecs(6)
}

/// Creates an id. The ids of a process are in the order of their creation.
fn id_at(time: SystemTime) -> Uuid {
    static CONTEXT: Mutex<ContextV7> = Mutex::new(ContextV7::new());
    // A UUID of version 7 can't contain a time before 1970.
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Uuid::new_v7(Timestamp::from_unix(&CONTEXT, since.as_secs(), since.subsec_nanos()))
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
    fn a_clock_before_1970_gives_times_and_ids() {
        let before = UNIX_EPOCH - std::time::Duration::from_nanos(1_500_000_001);
        assert_eq!(whole_micros(before).timestamp(), -2);
        let (one, two) = (id_at(before), id_at(before));
        assert!(one != two && one.get_version_num() == 7, "{one} {two}");
    }

    #[test]
    fn ids_are_in_the_order_of_their_creation() {
        let ids: Vec<_> = (0..1000).map(|_| RandomIds.next_id()).collect();
        assert!(ids.is_sorted());
    }

    #[test]
    fn times_have_whole_microseconds() {
        assert_eq!(SystemClock.now().timestamp_subsec_nanos() % 1000, 0);
    }
}
