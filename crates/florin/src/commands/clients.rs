//! `florin clients create|list`

use super::{Context, argument};
use crate::machine::RandomIds;
use crate::output::{self, Rows};
use crate::usage::UsageError;
use florin_domain::access::ApiClient;
use florin_domain::ids::ClientId;
use florin_domain::text::Text;
use florin_ports::{IdSource, Registry};
use ipnet::IpNet;
use serde::Serialize;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Actions on clients.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Create a client
    Create {
        /// Name of the client
        #[arg(long)]
        name: String,
        /// Network that the client may connect from; repeatable [default: any network]
        #[arg(long = "allow-network", value_name = "CIDR")]
        allow_networks: Vec<String>,
    },
    /// List all clients
    List,
}

/// JSON representation of a client.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    name: String,
    allowed_networks: Vec<String>,
    features: Vec<String>,
}

impl From<ApiClient> for Row {
    fn from(client: ApiClient) -> Self {
        Self {
            id: client.id.to_string(),
            name: client.name,
            allowed_networks: client.allowed_networks,
            features: client.features.iter().map(|feature| feature.as_str().to_owned()).collect(),
        }
    }
}

pub(super) async fn run(context: &Context, registry: &dyn Registry, action: Action) -> anyhow::Result<()> {
    match action {
        Action::Create { name, allow_networks } => {
            let client = ApiClient {
                id: ClientId(RandomIds.next_id()),
                name: argument("--name", &name, Text::<1, 140>::parse)?.into_string(),
                allowed_networks: allow_networks.iter().map(|text| network(text)).collect::<Result<_, _>>()?,
                features: BTreeSet::new(),
            };
            registry.add_client(client.clone()).await?;
            context.note(format!("client {} ({})", client.id, client.name));
            let row = Row::from(client);
            output::either(context.json, &row, || format!("Created client {} ({}).", row.name, row.id))
        }
        Action::List => {
            let rows: Vec<_> = registry.clients().await?.into_iter().map(Row::from).collect();
            let list = Rows { rows };
            output::either(context.json, &list, || print(&list.rows))
        }
    }
}

fn print(rows: &[Row]) -> String {
    let cells = |row: &Row| {
        [row.id.clone(), row.name.clone(), output::listed(&row.allowed_networks), output::listed(&row.features)]
    };
    output::table(["ID", "NAME", "NETWORKS", "FEATURES"], &rows.iter().map(cells).collect::<Vec<_>>())
}

/// Parses a network in CIDR form; a single address is a network with one address.
fn network(text: &str) -> Result<String, UsageError> {
    let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    let wrong = |_| UsageError::new(format!("--allow-network must be a network such as 10.0.0.0/8 (got {text:?})"));
    network.map(|network| network.trunc().to_string()).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_normalised() {
        assert_eq!(network("10.1.2.3/8").unwrap(), "10.0.0.0/8");
        assert_eq!(network("2001:db8::1").unwrap(), "2001:db8::1/128");
        for wrong in ["", "10.0.0.0/33", "everywhere", "10.0.0"] {
            assert!(network(wrong).unwrap_err().to_string().contains("10.0.0.0/8"), "{wrong}");
        }
    }
}
