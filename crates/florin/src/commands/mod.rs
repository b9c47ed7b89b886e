//! The commands, one per file.

pub(crate) mod accounts;
pub(crate) mod addresses;
pub(crate) mod banks;
pub(crate) mod check;
pub(crate) mod clients;
mod common;
mod demo;
pub(crate) mod export;
pub(crate) mod features;
pub(crate) mod import;
mod init;
pub(crate) mod keys;
mod lookup;
pub(crate) mod mfa;
pub(crate) mod migrate;
mod openapi;
pub(crate) mod secret_key;
mod serve;

pub(crate) use common::Context;

use crate::cli::Command;
use crate::settings::Settings;
use crate::wiring;
use crate::{environment, secrets};
use common::{argument, caches_expired, explain, read_file, written};
use florin_domain::access::Environment;
use florin_store_contract::AnyStore;
use std::process::ExitCode;

/// Runs a command and then closes the store.
pub(crate) async fn run(context: &Context, command: Command) -> anyhow::Result<ExitCode> {
    if let Command::Openapi = command {
        return openapi::run();
    }
    if matches!(command, Command::Serve | Command::Init) {
        secrets::require(&context.settings, environment::requested(&context.settings))?;
    }
    let store = wiring::open(&context.settings, creates_store(&context.settings, &command))?;
    let outcome = match command {
        Command::Serve => serve::run(context, &store).await,
        Command::Migrate(arguments) => migrate::run(context, store.as_ref(), &arguments).await,
        Command::Check(arguments) => match wiring::must_be_current(store.as_ref()).await {
            Ok(()) => check::run(context, store.as_ref(), &arguments).await,
            Err(error) => Err(error),
        },
        other => administer(context, store.as_ref(), other).await.map(|()| ExitCode::SUCCESS),
    };
    store.close();
    outcome
}

/// Whether a command may create the store. The others report a mistyped path, and a production store is created by
/// `init` only.
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

/// Runs a command that succeeds or fails.
async fn administer(context: &Context, store: &dyn AnyStore, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Init => return init::run(context, store).await,
        Command::Demo => return demo::run(context, store).await,
        _ => wiring::must_be_current(store).await?,
    }
    let environment = environment::of_store(&context.settings, store).await?;
    match command {
        Command::Export(arguments) => export::run(context, store, environment, &arguments).await,
        Command::Import(arguments) => import::run(context, store, environment, &arguments).await,
        Command::Clients(action) => clients::run(context, store, action).await,
        Command::Accounts(action) => accounts::run(context, store, action).await,
        Command::Mfa(action) => mfa::run(context, store, environment, action).await,
        Command::Secrets(action) => secret_key::run(context, store, environment, &action).await,
        Command::Keys(action) => keys::run(context, store, environment, action).await,
        Command::Features(action) => features::run(context, store, action).await,
        Command::Banks(action) => banks::run(context, store, action).await,
        Command::Addresses(action) => addresses::run(context, store, action).await,
        Command::Serve | Command::Migrate(_) | Command::Check(_) | Command::Init | Command::Demo | Command::Openapi => {
            Ok(())
        }
    }
}
