//! `florin clients create|list|change|disable|enable`

use super::{Context, argument, format_time, lookup, wait_for_cache_expiry};
use crate::cells::{self, Stores};
use crate::machine::{RandomIds, SystemClock};
use crate::output::{self, Rows};
use crate::usage::UsageError;
use anyhow::anyhow;
use florin_application::parse_network;
use florin_domain::access::{ApiClient, ClientChange};
use florin_domain::ids::ClientId;
use florin_domain::text::Text;
use florin_ports::{Accounts, CellName, Clock, CompleteStorage, IdSource};
use serde::Serialize;
use std::collections::BTreeSet;

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
        /// Cell of the client [default: the cell with the fewest clients, of those that accept new ones]
        #[arg(long, value_name = "NAME")]
        cell: Option<String>,
    },
    /// List all clients
    List,
    /// Change the name of a client, or the networks that it may connect from
    Change {
        /// The client: id or name
        #[arg(value_name = "CLIENT")]
        client: String,
        /// Its new name
        #[arg(long)]
        name: Option<String>,
        /// Network that the client may connect from; replaces all current ones; repeatable
        #[arg(long = "allow-network", value_name = "CIDR", conflicts_with = "any_network")]
        allow_networks: Vec<String>,
        /// Allow the client to connect from any network
        #[arg(long)]
        any_network: bool,
    },
    /// Disable a client: once the command returns, no server accepts its keys
    Disable {
        /// The client: id or name
        #[arg(value_name = "CLIENT")]
        client: String,
    },
    /// Enable a disabled client: its keys are valid again
    Enable {
        /// The client: id or name
        #[arg(value_name = "CLIENT")]
        client: String,
    },
}

/// JSON representation of a client.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    name: String,
    allowed_networks: Vec<String>,
    features: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<String>,
    /// Its cell; absent without cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<String>,
}

impl Row {
    /// The row of a client, with its cell if there are cells.
    fn in_cell(client: ApiClient, cell: Option<CellName>) -> Self {
        Self { cell: cell.map(|cell| cell.to_string()), ..Self::from(client) }
    }
}

impl From<ApiClient> for Row {
    fn from(client: ApiClient) -> Self {
        Self {
            id: client.id.to_string(),
            name: client.name,
            allowed_networks: client.allowed_networks,
            features: client.features.iter().map(|feature| feature.as_str().to_owned()).collect(),
            disabled_at: client.disabled_at.map(format_time),
            cell: None,
        }
    }
}

pub(super) async fn run(context: &Context, stores: &Stores, action: Action) -> anyhow::Result<()> {
    let store = stores.all.as_ref();
    match action {
        Action::Create { name, allow_networks, cell } => {
            let client = ApiClient {
                id: ClientId(RandomIds.next_id()),
                name: argument("--name", &name, Text::<1, 140>::parse)?.into_string(),
                allowed_networks: allow_networks.iter().map(|text| network(text)).collect::<Result<_, _>>()?,
                features: BTreeSet::new(),
                disabled_at: None,
            };
            if let Some(cell) = cell {
                cells::choose(stores, client.id, &cell).await?;
            }
            store.add_client(client.clone()).await?;
            context.record_result(format!("client {} ({})", client.id, client.name));
            let cell = stores.cells_of(&[client.id]).await?.pop().flatten();
            let row = Row::in_cell(client, cell);
            output::print_json_or_text(context.json, &row, || match &row.cell {
                Some(cell) => format!("Created client {} ({}) in cell {cell}.", row.name, row.id),
                None => format!("Created client {} ({}).", row.name, row.id),
            })
        }
        Action::List => {
            let clients = store.clients().await?;
            let ids: Vec<_> = clients.iter().map(|client| client.id).collect();
            let cells = stores.cells_of(&ids).await?;
            let rows = clients.into_iter().zip(cells).map(|(client, cell)| Row::in_cell(client, cell)).collect();
            let list = Rows { rows };
            output::print_json_or_text(context.json, &list, || as_text(&list.rows))
        }
        Action::Change { client, name, allow_networks, any_network } => {
            let name = name.map(|name| argument("--name", &name, Text::<1, 140>::parse).map(Text::into_string));
            let networks = allow_networks.iter().map(|text| network(text)).collect::<Result<Vec<_>, _>>()?;
            let allowed_networks = (any_network || !networks.is_empty()).then_some(networks);
            let change = ClientChange { name: name.transpose()?, allowed_networks };
            if change == ClientChange::default() {
                return Err(UsageError::new("give --name, --allow-network or --any-network").into());
            }
            let id = lookup::client(store, "CLIENT", &client).await?;
            let result = format!("client {id}: {change:?}");
            store.change_client(id, change).await?;
            context.record_result(result);
            print_changed(context, store, id, "Changed").await
        }
        Action::Disable { client } => {
            let id = lookup::client(store, "CLIENT", &client).await?;
            store.set_disabled(id, Some(SystemClock.now())).await?;
            context.record_result(format!("client {id} disabled"));
            print_changed(context, store, id, "Disabled").await
        }
        Action::Enable { client } => {
            let id = lookup::client(store, "CLIENT", &client).await?;
            store.set_disabled(id, None).await?;
            context.record_result(format!("client {id} enabled"));
            print_changed(context, store, id, "Enabled").await
        }
    }
}

/// Prints a changed client, after the caches of running servers have expired.
async fn print_changed(context: &Context, store: &dyn CompleteStorage, id: ClientId, verb: &str) -> anyhow::Result<()> {
    wait_for_cache_expiry().await;
    let found = Accounts::client(store, id).await?;
    let row = Row::from(found.ok_or_else(|| anyhow!("client {id} does not exist"))?);
    output::print_json_or_text(context.json, &row, || format!("{verb} client {} ({}).", row.name, row.id))
}

fn as_text(rows: &[Row]) -> String {
    let cells = |row: &Row| {
        let state = row.disabled_at.as_ref().map_or_else(|| "enabled".to_owned(), |at| format!("disabled {at}"));
        let [networks, features] = [&row.allowed_networks, &row.features].map(|list| output::listed(list));
        [row.id.clone(), row.name.clone(), state, networks, features]
    };
    let heads = ["ID", "NAME", "STATE", "NETWORKS", "FEATURES"];
    if rows.iter().all(|row| row.cell.is_none()) {
        return output::table(heads, &rows.iter().map(cells).collect::<Vec<_>>());
    }
    let with_cell = |row: &Row| {
        let [id, name, state, networks, features] = cells(row);
        [id, name, row.cell.clone().unwrap_or_default(), state, networks, features]
    };
    let [id, name, state, networks, features] = heads;
    let heads = [id, name, "CELL", state, networks, features];
    output::table(heads, &rows.iter().map(with_cell).collect::<Vec<_>>())
}

/// Parses a network in CIDR form; a single address is a network with one address.
fn network(text: &str) -> Result<String, UsageError> {
    let wrong = || UsageError::new(format!("--allow-network must be a network such as 10.0.0.0/8 (got {text:?})"));
    parse_network(text).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_network_is_refused_with_an_example() {
        assert_eq!(network("10.1.2.3/8").unwrap(), "10.0.0.0/8");
        for wrong in ["", "10.0.0.0/33", "everywhere", "10.0.0"] {
            assert!(network(wrong).unwrap_err().to_string().contains("10.0.0.0/8"), "{wrong}");
        }
    }
}
