//! `florin migrate [--check]`

use super::Context;
use crate::cells;
use crate::environment;
use crate::output;
use crate::progress::{Progress, ProgressFlag};
use crate::secrets;
use crate::settings::Settings;
use crate::wiring;
use anyhow::Context as _;
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
    if arguments.check {
        return check(context, store).await;
    }
    // A store of another environment is refused before it is changed.
    if store.environment().await?.is_some() {
        let environment = environment::of_store(&context.settings, store).await?;
        secrets::require_key(&context.settings, environment)?;
    }
    let progress = Progress::start(arguments.progress, "migrating");
    let applied = Applied { applied: migrate(context, store, &progress).await? };
    drop(progress);
    let environment = initialize(&context.settings, store).await?;
    secrets::open(&context.settings, environment, store).await?;
    output::print_json_or_text(context.json, &applied, || match applied.applied {
        0 => "The schema is up to date.".to_owned(),
        count => format!("Applied {count} migration(s). The schema is up to date."),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Migrates the cells and then the home, and returns the number of applied migrations. The home is last, because
/// servers take their readiness from it: once the home is up to date, everything is. A repetition continues after a
/// failure.
async fn migrate(context: &Context, home: &dyn AnyStore, progress: &Progress) -> anyhow::Result<usize> {
    cells::refuse_departures(&context.settings, home)?;
    let mut applied = 0;
    let mut add_applied = |count: usize| {
        applied += count;
        if applied > 0 {
            context.record_result(format!("{applied} migration(s)"));
        }
        applied
    };
    for cell in cells::for_migration(&context.settings, home).await? {
        let step = |done: usize, all: usize| progress.step(format!("{done} of {all} migrations of cell {}", cell.name));
        let migrated = wiring::bring_up_to_date_reporting(cell.store.as_ref(), &step).await;
        add_applied(migrated.with_context(|| format!("cell {}", cell.name))?);
    }
    let step = |done: usize, all: usize| progress.step(format!("{done} of {all} migrations"));
    Ok(add_applied(wiring::bring_up_to_date_reporting(home, &step).await?))
}

/// Lists the pending migrations.
async fn check(context: &Context, home: &dyn AnyStore) -> anyhow::Result<ExitCode> {
    wiring::refuse_newer(home).await?;
    let mut pending = home.pending()?;
    for cell in cells::for_migration(&context.settings, home).await? {
        let of_cell = || format!("cell {}", cell.name);
        wiring::refuse_newer(cell.store.as_ref()).await.with_context(of_cell)?;
        let names = cell.store.pending().with_context(of_cell)?;
        pending.extend(names.into_iter().map(|name| format!("{}: {name}", of_cell())));
    }
    let report = Pending { current: pending.is_empty(), pending };
    output::print_json_or_text(context.json, &report, || match report.pending.as_slice() {
        [] => "The schema is up to date.".to_owned(),
        pending => format!("Pending migrations:\n  {}", pending.join("\n  ")),
    })?;
    Ok(if report.current { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
