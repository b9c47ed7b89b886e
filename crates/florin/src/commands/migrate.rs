//! `florin migrate [--check]`

use super::Context;
use crate::output;
use crate::wiring;
use florin_store_contract::AnyStore;
use serde::Serialize;
use std::process::ExitCode;

/// How to migrate.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Change nothing; tell what is to be done, with exit code 1 if anything is.
    #[arg(long)]
    check: bool,
}

/// What was done.
#[derive(Serialize)]
struct Applied {
    applied: usize,
}

/// What is to be done.
#[derive(Serialize)]
struct Pending {
    current: bool,
    pending: Vec<String>,
}

pub(super) async fn run(context: &Context, store: &dyn AnyStore, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if !arguments.check {
        let applied = Applied { applied: wiring::bring_up_to_date(store).await? };
        output::either(context.json, &applied, || match applied.applied {
            0 => "The schema is current.".to_owned(),
            count => format!("The schema is current: {count} migration(s) applied."),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    wiring::refuse_newer(store).await?;
    let pending = store.pending()?;
    let report = Pending { current: pending.is_empty(), pending };
    output::either(context.json, &report, || match report.pending.as_slice() {
        [] => "The schema is current.".to_owned(),
        pending => format!("Migrations are pending:\n  {}", pending.join("\n  ")),
    })?;
    Ok(if report.current { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
