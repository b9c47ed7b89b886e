//! Resolves host names of receivers, and checks the addresses before the HTTP client connects to them.

use crate::lookups::{Lookups, current_client};
use florin_domain::webhook::TargetPolicy;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

/// Reasons that the HTTP client must not connect to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameError {
    /// The name has no address.
    Unknown,
    /// The name has an address that receivers may not have.
    NotAllowed,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "the name has no address",
            Self::NotAllowed => "the name has an address that is not allowed",
        })
    }
}

impl std::error::Error for NameError {}

/// Resolves names for the HTTP client, which connects to the returned addresses and to no others.
pub(crate) struct CheckedNames {
    pub(crate) lookups: Arc<Lookups>,
    pub(crate) policy: Arc<TargetPolicy>,
}

impl Resolve for CheckedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookups, policy) = (Arc::clone(&self.lookups), Arc::clone(&self.policy));
        let client = current_client();
        Box::pin(async move {
            let found = lookups.find(name.as_str(), client).await;
            if found.is_empty() {
                return Err(NameError::Unknown.into());
            }
            // An attacker may control a name that mixes allowed and other addresses, so all must be allowed.
            if !found.iter().all(|address| policy.permits(*address)) {
                return Err(NameError::NotAllowed.into());
            }
            let addresses: Vec<_> = found.iter().map(|address| SocketAddr::new(*address, 0)).collect();
            let addresses: Addrs = Box::new(addresses.into_iter());
            Ok(addresses)
        })
    }
}
