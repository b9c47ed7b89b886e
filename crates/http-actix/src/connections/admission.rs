//! Limits the number of open connections, in total and per address.

use florin_application::caller_network;
use metrics::{counter, gauge};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Minimum time between two warnings about refused connections.
const WARNING_PAUSE: Duration = Duration::from_secs(60);

/// Limits on the open connections of a listener.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// Maximum number of open connections.
    pub(crate) total: usize,
    /// Maximum number of open connections per address.
    pub(crate) per_address: usize,
}

/// Counts the open connections of a listener, and refuses excess ones.
#[derive(Debug)]
pub(crate) struct Admission {
    limits: ConnectionLimits,
    open: Mutex<Open>,
}

/// The numbers of open connections.
#[derive(Debug, Default)]
struct Open {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
    warned_at: Option<Instant>,
}

/// Permission for an open connection. The connection is counted until this is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    admission: Arc<Admission>,
    address: IpAddr,
}

impl Admission {
    pub(crate) fn new(limits: ConnectionLimits) -> Self {
        Self { limits, open: Mutex::default() }
    }

    /// Admits a connection. `None`: a limit is reached, and the connection is refused.
    pub(crate) fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<Permit> {
        let address = caller_network(peer);
        let mut open = self.open();
        let of_address = open.by_address.get(&address).copied().unwrap_or(0);
        let exceeded = if open.total >= self.limits.total {
            Some("server")
        } else {
            (of_address >= self.limits.per_address).then_some("address")
        };
        if let Some(limit) = exceeded {
            counter!("florin_connections_refused_total", "limit" => limit).increment(1);
            if open.warned_at.is_none_or(|at| at.elapsed() >= WARNING_PAUSE) {
                open.warned_at = Some(Instant::now());
                tracing::warn!(%peer, limit, "too many connections; refusing more (repeated at most once a minute)");
            }
            return None;
        }
        open.total += 1;
        open.by_address.insert(address, of_address + 1);
        gauge!("florin_connections").increment(1.0);
        Some(Permit { admission: Arc::clone(self), address })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = self.admission.open();
        open.total = open.total.saturating_sub(1);
        if let Some(count) = open.by_address.get_mut(&self.address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.by_address.remove(&self.address);
            }
        }
        gauge!("florin_connections").decrement(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn connections_are_admitted_up_to_both_limits() {
        let admission = Arc::new(Admission::new(ConnectionLimits { total: 3, per_address: 2 }));
        let one = admission.admit(address("192.0.2.1")).unwrap();
        let two = admission.admit(address("::ffff:192.0.2.1")).unwrap();
        assert!(admission.admit(address("192.0.2.1")).is_none());
        let three = admission.admit(address("192.0.2.2")).unwrap();
        assert!(admission.admit(address("192.0.2.3")).is_none());
        drop(two);
        let four = admission.admit(address("192.0.2.1")).unwrap();
        drop((one, three, four));
        let open = admission.open();
        assert_eq!((open.total, open.by_address.len()), (0, 0));
    }
}
