//! The commands, one per file.

pub(crate) mod accounts;
pub(crate) mod addresses;
pub(crate) mod audit;
pub(crate) mod banks;
pub(crate) mod cells;
pub(crate) mod check;
pub(crate) mod clients;
mod common;
mod demo;
pub(crate) mod export;
pub(crate) mod features;
pub(crate) mod import;
mod init;
pub(crate) mod keys;
pub(crate) mod listen;
mod lookup;
pub(crate) mod merchants;
pub(crate) mod mfa;
pub(crate) mod migrate;
mod openapi;
pub(crate) mod people;
pub(crate) mod secret_key;
mod serve;
pub(crate) mod webhooks;

pub(crate) use common::Context;

use crate::cells::{Stores, refuse_as_home};
use crate::cli::Command;
use crate::recording::Act;
use crate::settings::Settings;
use crate::wiring;
use crate::{environment, secrets};
use anyhow::Context as _;
pub(crate) use common::format_time;
use common::{argument, explain, parse_time, percent_encoded, print_imported, read_file, wait_for_cache_expiry};
use florin_domain::access::Environment;
use florin_domain::audit_log::AuditOutcome;
use florin_store_contract::AnyStore;
use std::process::ExitCode;
use std::sync::Arc;

/// The message if an act or its outcome cannot be recorded.
const UNRECORDED: &str = "cannot record the command in the audit log";

/// Runs a command and then closes the store.
pub(crate) async fn run(context: &Context, command: Command) -> anyhow::Result<ExitCode> {
    if let Command::Openapi = command {
        return openapi::run();
    }
    if let Command::Listen(arguments) = &command {
        return listen::run(context, arguments).await;
    }
    if matches!(command, Command::Serve | Command::Init) {
        secrets::require_key(&context.settings, environment::requested(&context.settings))?;
    }
    let create = creates_store(&context.settings, &command);
    let store = wiring::open(&context.settings.database_url, create)?;
    let outcome = run_on(context, &store, command).await;
    store.close();
    outcome
}

/// Runs a command on the open home.
async fn run_on(context: &Context, store: &Arc<dyn AnyStore>, command: Command) -> anyhow::Result<ExitCode> {
    if matches!(command, Command::Serve) {
        return serve::run(context, store).await;
    }
    refuse_as_home(&context.settings, store.as_ref()).await?;
    match command {
        Command::Migrate(ref arguments) => {
            let act = Act::of(&command, &context.command_line);
            let done = migrate::run(context, store.as_ref(), arguments).await;
            finish(context, act, store.as_ref(), done).await
        }
        Command::Audit(action) => {
            wiring::must_be_current(store.as_ref()).await?;
            audit::run(context, store.as_ref(), action).await
        }
        Command::Check(arguments) => {
            wiring::must_be_current(store.as_ref()).await?;
            let stores = Stores::of_command(&context.settings, store).await?;
            stores.must_be_complete()?;
            check::run(context, &stores, &arguments).await
        }
        other => administer(context, store, other).await.map(|()| ExitCode::SUCCESS),
    }
}

/// Whether a command may create the store. Other commands report a mistyped path as an error. A production store is
/// created by `init` only.
fn creates_store(settings: &Settings, command: &Command) -> bool {
    match command {
        Command::Init => true,
        Command::Migrate(arguments) if arguments.check => false,
        Command::Serve | Command::Migrate(_) | Command::Demo => {
            environment::requested(settings) == Environment::Sandbox
        }
        _ => false,
    }
}

/// Runs a command that has no exit code of its own.
async fn administer(context: &Context, home: &Arc<dyn AnyStore>, command: Command) -> anyhow::Result<()> {
    let store = home.as_ref();
    let mut act = Act::of(&command, &context.command_line);
    match command {
        // The schema, and with it the audit log, may not exist yet.
        Command::Init => return finish(context, act, store, init::run(context, store).await).await,
        Command::Demo => return finish(context, act, store, demo::run(context, home).await).await,
        _ => wiring::must_be_current(store).await?,
    }
    let environment = environment::of_store(&context.settings, store).await?;
    if let Some(act) = &mut act {
        act.begin(store).await.context(UNRECORDED)?;
    }
    let done = match command {
        Command::Cells(action) => cells::run(context, home, environment, action).await,
        other => manage(context, home, environment, other).await,
    };
    finish(context, act, store, done).await
}

/// Whether a command would have a wrong result if the data of one cell was left out.
fn concerns_all_cells(command: &Command) -> bool {
    matches!(
        command,
        Command::Secrets(_)
            | Command::People(_)
            | Command::Banks(_)
            | Command::Webhooks(_)
            | Command::Clients(clients::Action::List)
            | Command::Accounts(accounts::Action::List)
            | Command::Keys(keys::Action::List { .. })
    )
}

/// Runs a command on the home and its cells.
async fn manage(
    context: &Context,
    home: &Arc<dyn AnyStore>,
    environment: Environment,
    command: Command,
) -> anyhow::Result<()> {
    let stores = Stores::of_command(&context.settings, home).await?;
    if concerns_all_cells(&command) {
        stores.must_be_complete()?;
    }
    let store = stores.all.as_ref();
    // An act may cause events: the erasure of a person terminates cards.
    wiring::start_recording_events(store, environment);
    match command {
        Command::Export(arguments) => {
            stores.must_keep_no_departures()?;
            export::run(context, &stores, environment, &arguments).await
        }
        Command::Import(arguments) => import::run(context, &stores, environment, &arguments).await,
        Command::Clients(action) => clients::run(context, &stores, action).await,
        Command::Accounts(action) => accounts::run(context, store, action).await,
        Command::Mfa(action) => mfa::run(context, &stores, environment, action).await,
        Command::Secrets(action) => secret_key::run(context, &stores, environment, &action).await,
        Command::People(action) => {
            cells::must_be_settled(&stores).await?;
            let done = people::run(context, store, &action).await;
            // Check this before `done`: if no account has the person, the client may have been between two cells.
            let repeat = "a client was moved meanwhile, and may still have the person; repeat the command";
            cells::must_be_settled(&stores).await.context(repeat)?;
            done
        }
        Command::Merchants(action) => merchants::run(context, store, &action).await,
        Command::Keys(action) => keys::run(context, store, environment, action).await,
        Command::Features(action) => features::run(context, store, action).await,
        Command::Webhooks(action) => webhooks::run(context, store, &action).await,
        Command::Banks(action) => banks::run(context, store, action).await,
        Command::Addresses(action) => addresses::run(context, store, action).await,
        Command::Serve
        | Command::Migrate(_)
        | Command::Check(_)
        | Command::Audit(_)
        | Command::Cells(_)
        | Command::Init
        | Command::Demo
        | Command::Listen(_)
        | Command::Openapi => Ok(()),
    }
}

/// Records the outcome of an act. An act with a result has taken effect, so its outcome is `Done` even if a later step
/// failed, such as printing. An act without a result and without a record of its beginning is not recorded.
async fn finish<T>(
    context: &Context,
    act: Option<Act>,
    store: &dyn AnyStore,
    done: anyhow::Result<T>,
) -> anyhow::Result<T> {
    let Some(act) = act else { return done };
    let result = context.result.take();
    if result.is_empty() && !act.is_begun() {
        return done;
    }
    let (outcome, result) = match &done {
        Ok(_) => (AuditOutcome::Done, result),
        Err(error) if !result.is_empty() => (AuditOutcome::Done, format!("{result}; then: {error:#}")),
        Err(error) => (AuditOutcome::Failed, format!("{error:#}")),
    };
    let ended = act.end(store, outcome, &result).await.context(UNRECORDED);
    // If the command failed as well, its error says more.
    done.and_then(|done| ended.map(|()| done))
}
