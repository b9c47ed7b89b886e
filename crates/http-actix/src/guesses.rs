//! Limits the unknown API keys that one address may send.
//!
//! Only unknown keys are counted, after the lookup, so a valid key works whatever others on its network or behind its proxy
//! send. A revoked or expired key is no guess.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Number of unknown keys that an address may send at once, and per minute afterwards.
const PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(299);
/// Maximum number of addresses that are counted separately.
const MAX_ADDRESSES: usize = 10_000;
/// Minimum time between two searches for quiet addresses.
const PAUSE: Duration = Duration::from_secs(5);
/// The address under which all others are counted when there are too many.
const OTHERS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// Counts unknown keys by address.
pub(crate) struct GuessLimiter {
    limiter: DefaultKeyedRateLimiter<IpAddr>,
    clock: DefaultClock,
    max: usize,
    /// The time at which quiet addresses were last forgotten. The scan is slow, so it runs at most once per pause.
    forgotten_at: Mutex<Option<Instant>>,
}

impl GuessLimiter {
    pub(crate) fn new() -> Self {
        Self::with_max(MAX_ADDRESSES)
    }

    fn with_max(max: usize) -> Self {
        Self {
            limiter: DefaultKeyedRateLimiter::keyed(Quota::per_minute(PER_MINUTE)),
            clock: DefaultClock::default(),
            max,
            forgotten_at: Mutex::default(),
        }
    }

    /// Forgets addresses that have sent no unknown key for a minute.
    fn forget_quiet_addresses(&self) {
        let mut forgotten_at = self.forgotten_at.lock().unwrap_or_else(PoisonError::into_inner);
        if forgotten_at.is_none_or(|at| at.elapsed() >= PAUSE) {
            *forgotten_at = Some(Instant::now());
            self.limiter.retain_recent();
        }
    }

    /// Counts an unknown key. Returns the number of seconds to wait as an error if there were too many.
    pub(crate) fn count(&self, peer: Option<IpAddr>) -> Result<(), u64> {
        let mut key = peer.map_or(OTHERS, network);
        if self.limiter.len() >= self.max {
            self.forget_quiet_addresses();
            if self.limiter.len() >= self.max {
                key = OTHERS;
            }
        }
        self.limiter
            .check_key(&key)
            .map_err(|not_until| not_until.wait_time_from(self.clock.now()).as_secs().saturating_add(1))
    }
}

/// The network of an address that one caller controls: an IPv4 address, or 64 bits of an IPv6 address.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Counts unknown keys until one is refused, and returns its number and the time to wait.
    fn refused(limiter: &GuessLimiter, address: IpAddr) -> (u32, u64) {
        (1..).find_map(|number| limiter.count(Some(address)).err().map(|wait| (number, wait))).unwrap()
    }

    #[test]
    fn each_address_has_its_own_limit() {
        let limiter = GuessLimiter::new();
        let (number, wait) = refused(&limiter, address("10.0.0.1"));
        assert!(number > PER_MINUTE.get() && (1..=60).contains(&wait), "{number}, {wait} s");
        assert_eq!(limiter.count(Some(address("10.0.0.2"))), Ok(()));
        assert!(limiter.count(Some(address("::ffff:10.0.0.1"))).is_err());
        refused(&limiter, address("2001:db8::1"));
        assert!(limiter.count(Some(address("2001:db8::ffff:1"))).is_err(), "another address of the same network");
        assert_eq!(limiter.count(Some(address("2001:db8:0:1::1"))), Ok(()));
    }

    #[test]
    fn the_number_of_addresses_is_bounded() {
        let limiter = GuessLimiter::with_max(3);
        for number in 0..1000_u32 {
            let _ = limiter.count(Some(IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + number))));
        }
        assert!(limiter.limiter.len() <= 4, "{} addresses", limiter.limiter.len());
        assert!(limiter.count(Some(address("10.1.1.1"))).is_err(), "the others share one limit");
    }
}
