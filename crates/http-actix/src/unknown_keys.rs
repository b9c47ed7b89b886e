//! Limits the number of unknown API keys that one caller may send. A caller is an IPv4 address, or an IPv6 network of
//! 64 bits. Unknown tokens of payment pages count as unknown keys.
//!
//! Keys are counted after the lookup, and only if they are unknown. So a valid key always works, even if others on the
//! same network or behind the same proxy send unknown keys. Revoked and expired keys are not counted.

use crate::keyed_limiter::KeyedLimiter;
use florin_application::caller_network;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;

/// Number of unknown keys that an address may send immediately, and per minute afterwards.
const PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(299);
/// Maximum number of addresses that are counted separately.
const MAX_ADDRESSES: usize = 10_000;
/// The address under which all unknown keys are counted while [`MAX_ADDRESSES`] is reached, and those of callers whose
/// address is unknown.
const OTHERS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// Counts unknown keys by address.
pub(crate) struct UnknownKeyLimiter(KeyedLimiter<IpAddr>);

impl UnknownKeyLimiter {
    pub(crate) fn new() -> Self {
        Self(KeyedLimiter::new(PER_MINUTE, MAX_ADDRESSES, Some(OTHERS)))
    }

    /// Counts an unknown key. If there were too many, returns the number of seconds to wait as an error.
    pub(crate) fn count(&self, peer: Option<IpAddr>) -> Result<(), u64> {
        self.0.count(&peer.map_or(OTHERS, caller_network))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Sends unknown keys until one is refused. Returns its number and the time to wait, in seconds.
    fn refused(limiter: &UnknownKeyLimiter, address: IpAddr) -> (u32, u64) {
        (1..).find_map(|number| limiter.count(Some(address)).err().map(|wait| (number, wait))).unwrap()
    }

    #[test]
    fn each_address_has_its_own_limit() {
        let limiter = UnknownKeyLimiter::new();
        let (number, wait) = refused(&limiter, address("10.0.0.1"));
        assert!(number > PER_MINUTE.get() && (1..=60).contains(&wait), "{number}, {wait} s");
        assert_eq!(limiter.count(Some(address("10.0.0.2"))), Ok(()));
        assert!(limiter.count(Some(address("::ffff:10.0.0.1"))).is_err());
        refused(&limiter, address("2001:db8::1"));
        assert!(limiter.count(Some(address("2001:db8::ffff:1"))).is_err(), "another address of the same network");
        assert_eq!(limiter.count(Some(address("2001:db8:0:1::1"))), Ok(()));
    }
}
