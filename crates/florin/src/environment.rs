//! The environment of the store. A store is bound once; after that, any other environment is refused.
//!
//! A new store becomes a sandbox when a server, `init`, `migrate` or `demo` creates it. It becomes a production store
//! only by `florin init --environment production`. The two must never be mixed up: a sandbox simulates payments, and
//! its keys can create money.

use crate::settings::{Settings, Sourced};
use crate::usage::UsageError;
use crate::wiring;
use florin_domain::access::Environment;
use florin_store_contract::AnyStore;

/// The given environment, or the default: the sandbox.
pub(crate) fn requested(settings: &Settings) -> Environment {
    settings.environment.as_ref().map_or(Environment::Sandbox, |given| given.value)
}

/// Migrates the store of a server, and binds it if it is new. Refuses a store of another environment, and a production
/// store that was not initialized. Returns the environment and the number of applied migrations.
pub(crate) async fn of_server(settings: &Settings, store: &dyn AnyStore) -> anyhow::Result<(Environment, usize)> {
    let requested = requested(settings);
    match store.environment().await? {
        Some(bound) => must_be(settings, bound, requested)?,
        None if requested == Environment::Production => return Err(not_initialized(settings).into()),
        None => {}
    }
    let applied = wiring::bring_up_to_date(store).await?;
    Ok((bind(settings, store, requested).await?, applied))
}

/// Binds the store, unless it is already bound. Refuses a store that is bound to another environment.
pub(crate) async fn bind(
    settings: &Settings,
    store: &dyn AnyStore,
    requested: Environment,
) -> anyhow::Result<Environment> {
    if requested == Environment::Sandbox && !store.serves_sandbox() {
        let source = &settings.database_url.source;
        let message =
            format!("{source}: this kind of database supports production only; use another one for a sandbox");
        return Err(UsageError::new(message).into());
    }
    must_be(settings, store.bind(requested).await?, requested)?;
    Ok(requested)
}

/// Returns the environment of a store in use. Refuses one that differs from the given environment.
pub(crate) async fn of_store(settings: &Settings, store: &dyn AnyStore) -> anyhow::Result<Environment> {
    let bound = store.environment().await?;
    let bound = bound.ok_or_else(|| not_initialized(settings))?;
    if let Some(Sourced { value: given, .. }) = settings.environment {
        must_be(settings, bound, given)?;
    }
    Ok(bound)
}

fn not_initialized(settings: &Settings) -> UsageError {
    let source = &settings.database_url.source;
    let environment = requested(settings).as_str();
    UsageError::new(format!("{source}: not initialized; run `florin init --environment {environment}` once"))
}

/// Refuses a store of another environment.
fn must_be(settings: &Settings, bound: Environment, requested: Environment) -> Result<(), UsageError> {
    if bound == requested {
        return Ok(());
    }
    let source = &settings.database_url.source;
    let by = settings.environment.as_ref().map_or("the default", |given| given.source.as_str());
    let [bound, requested] = [bound, requested].map(Environment::as_str);
    Err(UsageError::new(format!(
        "{source}: this is a {bound} database, but the environment is {requested} ({by}); \
         set FLORIN_ENVIRONMENT={bound} or use another database"
    )))
}
