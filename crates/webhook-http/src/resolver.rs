//! Names of receivers, resolved to addresses that are checked before anything connects to them.

use async_trait::async_trait;
use florin_domain::webhook::TargetPolicy;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Looks up the addresses of names.
#[async_trait]
pub trait NameLookup: Send + Sync {
    /// Returns all addresses of a name.
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The names that the machine knows.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemNames;

#[async_trait]
impl NameLookup for SystemNames {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// Why a name can't be connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameError {
    /// It has no address.
    Unknown,
    /// It has an address that receivers may not have.
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
    pub(crate) names: Arc<dyn NameLookup>,
    pub(crate) policy: Arc<TargetPolicy>,
}

impl Resolve for CheckedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, policy) = (Arc::clone(&self.names), Arc::clone(&self.policy));
        Box::pin(async move {
            let found = names.lookup(name.as_str()).await.unwrap_or_default();
            if found.is_empty() {
                return Err(NameError::Unknown.into());
            }
            // A name with allowed and other addresses is not to be trusted.
            if !found.iter().all(|address| policy.permits(*address)) {
                return Err(NameError::NotAllowed.into());
            }
            let addresses: Addrs = Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}
