//! The networks that a client may call from, which the client reads and changes over the API.

use crate::{Decide, StoreError, WriteError};
use async_trait::async_trait;
use florin_domain::access::{AllowedNetwork, NetworkRefusal};
use florin_domain::ids::ClientId;

/// Reads and changes the networks of a client. [`Registry::change_client`](crate::Registry) changes the same networks.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ClientNetworks: Send + Sync {
    /// Returns the networks of a client, in the order in which they were added. The result is empty for an unknown
    /// client.
    async fn networks(&self, client: ClientId) -> Result<Vec<AllowedNetwork>, StoreError>;

    /// Decides the new networks of a client. Changes of one client are decided sequentially. `Absent`: no such client.
    async fn change_networks(
        &self,
        client: ClientId,
        decide: Decide<Vec<AllowedNetwork>, Result<Vec<AllowedNetwork>, NetworkRefusal>>,
    ) -> Result<Vec<AllowedNetwork>, WriteError<NetworkRefusal>>;
}
