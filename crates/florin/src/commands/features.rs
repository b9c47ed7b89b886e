//! `florin features enable|disable`

use super::{Context, client_argument, explain, forgotten};
use crate::output;
use crate::usage::UsageError;
use florin_domain::access::Feature;
use florin_ports::Registry;
use serde::Serialize;

/// What to do with features.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Switch a feature on for a client.
    Enable(Switch),
    /// Switch a feature off for a client.
    Disable(Switch),
}

/// A feature of a client.
#[derive(Debug, clap::Args)]
pub(crate) struct Switch {
    /// The feature: addresses-lookup.
    #[arg(value_name = "FEATURE")]
    feature: String,
    /// The id of the client.
    #[arg(long, value_name = "CLIENT")]
    client: String,
}

/// A switch as scripts read it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    client_id: String,
    feature: &'static str,
    enabled: bool,
}

pub(super) async fn run(context: &Context, registry: &dyn Registry, action: Action) -> anyhow::Result<()> {
    let (switch, enabled) = match action {
        Action::Enable(switch) => (switch, true),
        Action::Disable(switch) => (switch, false),
    };
    let feature = Feature::parse(&switch.feature).ok_or_else(|| {
        let known = Feature::ALL.map(Feature::as_str).join(", ");
        UsageError::new(format!("FEATURE is {:?}: one of {known} is wanted", switch.feature))
    })?;
    let client = client_argument(&switch.client)?;
    let absent = || format!("there is no client {client}");
    registry.set_feature(client, feature, enabled).await.map_err(|error| explain(error, absent, String::new))?;
    forgotten().await;
    let row = Row { client_id: client.to_string(), feature: feature.as_str(), enabled };
    let state = if enabled { "on" } else { "off" };
    output::either(context.json, &row, || format!("{} is {state} for client {client}.", feature.as_str()))
}
