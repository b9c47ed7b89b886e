//! Networks that a client may call from.

use super::Time;
use florin_domain::access::AllowedNetwork;
use serde::Serialize;
use utoipa::ToSchema;

/// An address or network that the client may call from.
#[derive(Serialize, ToSchema)]
#[schema(as = IpAddress)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IpAddressView {
    #[schema(format = Uuid)]
    id: String,
    /// An address, or a network such as `192.0.2.0/24`.
    ip: String,
    /// Null if it has none.
    #[schema(required, nullable)]
    description: Option<String>,
    /// Null if the operator allowed the network.
    #[schema(value_type = Option<String>, required, nullable, format = DateTime)]
    created_at: Option<Time>,
    /// Equals `createdAt`: an entry never changes.
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
