//! Networks that a client may call from, in responses.

use super::Time;
use florin_domain::access::AllowedNetwork;
use serde::Serialize;
use utoipa::ToSchema;

/// An address or network from which the client may call.
#[derive(Serialize, ToSchema)]
#[schema(as = IpAddress)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IpAddressView {
    /// The id of the entry.
    #[schema(format = Uuid)]
    id: String,
    /// An address, or a network such as `192.0.2.0/24`.
    ip: String,
    /// Your description of the network; null if it has none.
    #[schema(required, nullable)]
    description: Option<String>,
    /// When the network was allowed; null if the operator allowed it.
    #[schema(value_type = Option<String>, required, nullable, format = DateTime)]
    created_at: Option<Time>,
    /// Equals `createdAt`, because an entry never changes.
    #[schema(value_type = Option<String>, required, nullable, format = DateTime)]
    updated_at: Option<Time>,
}

impl From<&AllowedNetwork> for IpAddressView {
    fn from(entry: &AllowedNetwork) -> Self {
        let one_address = if entry.network.contains(':') { "/128" } else { "/32" };
        let created_at = entry.created_at.map(Time);
        Self {
            id: entry.id.to_string(),
            ip: entry.network.strip_suffix(one_address).unwrap_or(&entry.network).to_owned(),
            description: entry.description.as_ref().map(|text| text.as_str().to_owned()),
            created_at,
            updated_at: created_at,
        }
    }
}
