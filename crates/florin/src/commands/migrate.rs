//! `florin migrate [--check]`

use super::Context;
use crate::environment;
use crate::output;
use crate::progress::{Progress, ProgressFlag};
use crate::secrets;
use crate::settings::Settings;
use crate::wiring;
use florin_domain::access::Environment;
use florin_store_contract::AnyStore;
use serde::Serialize;
use std::process::ExitCode;

/// Arguments of a migration.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Change nothing; list pending migrations and exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    progress: ProgressFlag,
}

/// The result of a migration.
#[derive(Serialize)]
struct Applied {
    applied: usize,
}

/// The result of a check.
#[derive(Serialize)]
struct Pending {
    current: bool,
    pending: Vec<String>,
}

/// Binds a new store to the sandbox, unless production is requested. Returns the environment of the store, and refuses
/// one that differs from the given environment.
async fn initialize(settings: &Settings, store: &dyn AnyStore) -> anyhow::Result<Environment> {
    let is_new = store.environment().await?.is_none();
    if is_new && environment::requested(settings) == Environment::Sandbox {
        environment::bind(settings, store, Environment::Sandbox).await?;
    }
    environment::of_store(settings, store).await
}

pub(super) async fn run(context: &Context, store: &dyn AnyStore, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if !arguments.check {
        // A store of another environment is refused before it is changed.
        if store.environment().await?.is_some() {
            let environment = environment::of_store(&context.settings, store).await?;
            secrets::require(&context.settings, environment)?;
        }
        let progress = Progress::start(arguments.progress, "migrating");
        let applied = Applied { applied: wiring::bring_up_to_date(store).await? };
        drop(progress);
        if applied.applied > 0 {
            context.note(format!("{} migration(s)", applied.applied));
        }
        let environment = initialize(&context.settings, store).await?;
        secrets::open(&context.settings, environment, store).await?;
        output::print_json_or_text(context.json, &applied, || match applied.applied {
            0 => "The schema is up to date.".to_owned(),
            count => format!("Applied {count} migration(s). The schema is up to date."),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    wiring::refuse_newer(store).await?;
    let pending = store.pending()?;
    let report = Pending { current: pending.is_empty(), pending };
    output::print_json_or_text(context.json, &report, || match report.pending.as_slice() {
        [] => "The schema is up to date.".to_owned(),
        pending => format!("Pending migrations:\n  {}", pending.join("\n  ")),
    })?;
    Ok(if report.current { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
