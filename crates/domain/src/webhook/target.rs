//! The addresses that Florin may connect to on behalf of a client.

use crate::access::Environment;
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not globally reachable, or that only serve the machines of one provider: first address and
/// prefix length.
const NOT_GLOBAL_V4: [([u8; 4], u32); 17] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    // The metadata service of Azure.
    ([168, 63, 129, 16], 32),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 31, 196, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// Networks in the global unicast range of IPv6 that are not globally reachable, or that embed an IPv4 address: first
/// address and prefix length.
const NOT_GLOBAL_V6: [(u128, u32); 4] = [
    // Protocol assignments, including Teredo.
    (0x2001 << 112, 23),
    (0x2001_0db8 << 96, 32),
    // 6to4.
    (0x2002 << 112, 16),
    (0x3fff << 112, 20),
];

/// Returns whether an address is globally reachable. IPv6 addresses that embed an IPv4 address (v4-mapped, NAT64, 6to4)
/// are not.
pub fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_GLOBAL_V4.iter().any(|(start, length)| {
            let start = Ipv4Addr::from(*start).to_bits();
            (start ^ address.to_bits()).leading_zeros() >= *length
        }),
        IpAddr::V6(address) => {
            let is_in = |(start, length): &(u128, u32)| (start ^ address.to_bits()).leading_zeros() >= *length;
            is_global_unicast(address) && !NOT_GLOBAL_V6.iter().any(is_in)
        }
    }
}

/// Returns whether an address is in `2000::/3`, the only range in which global addresses are assigned.
fn is_global_unicast(address: Ipv6Addr) -> bool {
    address.segments()[0] & 0xe000 == 0x2000
}

/// The policy on the addresses that receivers of webhooks may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetPolicy {
    environment: Environment,
    allowed: Vec<IpNet>,
}

impl TargetPolicy {
    /// Creates the policy of an environment. `allowed` are further networks that the operator allows, for example for
    /// receivers in other containers.
    pub const fn new(environment: Environment, allowed: Vec<IpNet>) -> Self {
        Self { environment, allowed }
    }

    /// Returns whether a connection to this address is allowed. The address must be globally reachable, in a network
    /// that the operator allows, or, in the sandbox, a loopback address.
    pub fn permits(&self, address: IpAddr) -> bool {
        is_global(address) || self.permits_loopback(address) || self.allowed.iter().any(|net| net.contains(&address))
    }

    /// Returns whether an address is a loopback address and this is a sandbox.
    pub(super) fn permits_loopback(&self, address: IpAddr) -> bool {
        self.is_sandbox() && address.is_loopback()
    }

    pub(super) fn is_sandbox(&self) -> bool {
        self.environment == Environment::Sandbox
    }
}
