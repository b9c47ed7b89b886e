//! The networks that clients may call from, as their own callers change them.

use crate::{Decide, StoreError, WriteError};
use async_trait::async_trait;
use florin_domain::access::{AllowedNetwork, NetworkRefusal};
use florin_domain::ids::ClientId;

/// Reads and changes the networks of a client, which are those of [`Registry::change_client`](crate::Registry).
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ClientNetworks: Send + Sync {
    /// Returns the networks of a client, in the order in which they were added. An unknown client has none.
    async fn networks(&self, client: ClientId) -> Result<Vec<AllowedNetwork>, StoreError>;

    /// Decides the new networks of a client. Changes of one client are decided sequentially. `Absent`: no such client.
    async fn change_networks(
        &self,
        client: ClientId,
        decide: Decide<Vec<AllowedNetwork>, Result<Vec<AllowedNetwork>, NetworkRefusal>>,
    ) -> Result<Vec<AllowedNetwork>, WriteError<NetworkRefusal>>;
}
