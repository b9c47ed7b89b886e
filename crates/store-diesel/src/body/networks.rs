//! The networks of clients, with what callers recorded about them.

use super::ask::ask;
use super::backend::Conn;
use super::driver;
use super::errors::{Outcome, corrupt};
use super::keys::joined;
use super::store::Store;
use super::tables::access::{ClientRow, clients};
use super::types::{Id, Time};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::access::{AllowedNetwork, NetworkRefusal};
use florin_domain::ids::{ClientId, NetworkId};
use florin_domain::text::Text;
use florin_domain::world::CreationClaim;
use florin_ports::{ClientNetworks, Decide, StoreError, WriteError};
use serde::{Deserialize, Serialize};

/// The details of a network that a caller recorded.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Details {
    network: String,
    id: Id,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    description: Option<String>,
    added: Time,
    /// The idempotency key and the request under which the network was added.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    under: Option<(String, String)>,
}

#[async_trait]
impl ClientNetworks for Store {
    async fn networks(&self, client: ClientId) -> Result<Vec<AllowedNetwork>, StoreError> {
        self.read(move |conn| Ok(find(conn, client)?.unwrap_or_default())).await
    }

    async fn change_networks(
        &self,
        client: ClientId,
        decide: Decide<Vec<AllowedNetwork>, Result<Vec<AllowedNetwork>, NetworkRefusal>>,
    ) -> Result<Vec<AllowedNetwork>, WriteError<NetworkRefusal>> {
        self.task(move |conn| {
            driver::lock_operators(conn)?;
            let listed = find(conn, client)?.ok_or(WriteError::Absent)?;
            let changed = ask(|| decide(&listed))?.map_err(WriteError::Refused)?;
            let row = clients::table.filter(clients::id.eq(Id(client.0)));
            let networks = joined(changed.iter().map(|entry| entry.network.as_str()))?;
            let values = (clients::allowed_networks.eq(networks), clients::network_details.eq(details(&changed)));
            diesel::update(row).set(values).execute(conn)?;
            Ok(changed)
        })
        .await
    }
}

/// Returns the networks of a client; `None`: no such client.
fn find(conn: &mut Conn, client: ClientId) -> Outcome<Option<Vec<AllowedNetwork>>> {
    let row = clients::table
        .filter(clients::id.eq(Id(client.0)))
        .select(ClientRow::as_select())
        .get_result::<ClientRow>(conn)
        .optional()?;
    row.map(|row| read(client, &row.allowed_networks, row.network_details.as_deref())).transpose()
}

fn read(client: ClientId, networks: &str, details: Option<&str>) -> Outcome<Vec<AllowedNetwork>> {
    let mut known: Vec<Details> = match details {
        Some(text) => serde_json::from_str(text).map_err(corrupt)?,
        None => Vec::new(),
    };
    let mut entry = |network: &str| match known.iter().position(|details| details.network == network) {
        Some(place) => known.swap_remove(place).read(),
        None => Ok(AllowedNetwork::of_operator(client, network.to_owned())),
    };
    networks.split_whitespace().map(&mut entry).collect()
}

impl Details {
    fn read(self) -> Outcome<AllowedNetwork> {
        Ok(AllowedNetwork {
            id: NetworkId(self.id.0),
            network: self.network,
            description: self.description.map(Text::parse).transpose().map_err(|flaw| corrupt(flaw.message))?,
            created_at: Some(self.added.0),
            claim: self.under.map(|(key, request)| CreationClaim { key, request }),
        })
    }
}

/// Returns the text to store; `None` if callers recorded nothing, because the operator added every network.
fn details(networks: &[AllowedNetwork]) -> Option<String> {
    let details = |entry: &AllowedNetwork| {
        Some(Details {
            network: entry.network.clone(),
            id: Id(entry.id.0),
            description: entry.description.as_ref().map(|text| text.as_str().to_owned()),
            added: Time(entry.created_at?),
            under: entry.claim.as_ref().map(|claim| (claim.key.clone(), claim.request.clone())),
        })
    };
    let details: Vec<_> = networks.iter().filter_map(details).collect();
    // Serialization cannot fail: the details consist of texts.
    (!details.is_empty()).then(|| serde_json::to_string(&details).unwrap_or_default())
}
