//! `florin addresses import`

use super::{Context, print_imported, read_file};
use anyhow::anyhow;
use florin_ports::Registry;
use std::path::PathBuf;

/// Actions on addresses.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Replace the imported addresses with those of a CSV file
    Import {
        /// A CSV file: addressLine1,addressLine2,addressLine3,city,postcode,county
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

pub(super) async fn run(context: &Context, registry: &dyn Registry, action: Action) -> anyhow::Result<()> {
    let Action::Import { file } = action;
    let text = read_file(&file)?;
    let addresses = florin_postcode_embedded::read_csv(text.as_slice())
        .map_err(|fault| anyhow!("cannot import {}:\n{fault}", file.display()))?;
    let imported = addresses.len();
    registry.replace_addresses(addresses).await?;
    context.record_result(format!("{imported} address(es)"));
    print_imported(context, imported, "addresses")
}
