//! `florin features enable|disable`

use super::{Context, explain, lookup, wait_for_cache_expiry};
use crate::output;
use crate::suggest;
use crate::usage::UsageError;
use florin_domain::access::Feature;
use florin_ports::CompleteStorage;
use serde::Serialize;

/// Actions on features.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Enable a feature for a client
    Enable(ClientFeature),
    /// Disable a feature for a client
    Disable(ClientFeature),
}

/// A feature of a client.
#[derive(Debug, clap::Args)]
pub(crate) struct ClientFeature {
    /// The feature: addresses-lookup, events
    #[arg(value_name = "FEATURE")]
    feature: String,
    /// The client: id or name
    #[arg(long, value_name = "CLIENT")]
    client: String,
}

/// JSON representation of a client's feature.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    client_id: String,
    feature: &'static str,
    enabled: bool,
}

pub(super) async fn run(context: &Context, store: &dyn CompleteStorage, action: Action) -> anyhow::Result<()> {
    let (chosen, enabled) = match action {
        Action::Enable(chosen) => (chosen, true),
        Action::Disable(chosen) => (chosen, false),
    };
    let feature = Feature::parse(&chosen.feature).ok_or_else(|| {
        let hint = suggest::or_list(&chosen.feature, "features", &Feature::ALL.map(Feature::as_str));
        UsageError::new(format!("unknown feature `{}`; {hint}", chosen.feature))
    })?;
    let client = lookup::client(store, "--client", &chosen.client).await?;
    let absent = || format!("client {client} does not exist");
    store.set_feature(client, feature, enabled).await.map_err(|error| explain(error, absent, String::new))?;
    let state = if enabled { "Enabled" } else { "Disabled" };
    context.record_result(format!("client {client}: {} {}", feature.as_str(), state.to_lowercase()));
    wait_for_cache_expiry().await;
    let row = Row { client_id: client.to_string(), feature: feature.as_str(), enabled };
    output::print_json_or_text(context.json, &row, || format!("{state} {} for client {client}.", feature.as_str()))
}
