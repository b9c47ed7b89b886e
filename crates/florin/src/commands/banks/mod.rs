//! `florin banks import`

mod file;

use super::{Context, print_imported, read_file, wait_for_cache_expiry};
use anyhow::anyhow;
use florin_ports::Registry;
use std::path::PathBuf;

/// Actions on the bank list.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Replace the bank list with that of a file
    Import {
        /// A CSV file (id,name,iconUrl,supportsRefunds), or a .json file with an array of such objects
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

pub(super) async fn run(context: &Context, registry: &dyn Registry, action: Action) -> anyhow::Result<()> {
    let Action::Import { file } = action;
    let text = read_file(&file)?;
    let is_json = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let banks = if is_json { file::from_json(&text) } else { file::from_csv(&text) };
    let banks = banks.map_err(|faults| anyhow!("cannot import {}:\n{faults}", file.display()))?;
    let imported = banks.len();
    registry.replace_banks(banks).await?;
    context.record_result(format!("{imported} bank(s)"));
    wait_for_cache_expiry().await;
    print_imported(context, imported, "banks")
}
