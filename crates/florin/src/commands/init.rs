//! `florin init`

use super::Context;
use crate::{environment, output, secrets, wiring};
use florin_store_contract::AnyStore;
use serde::Serialize;

/// JSON result of `florin init`.
#[derive(Serialize)]
struct Initialized {
    environment: &'static str,
    applied: usize,
}

pub(super) async fn run(context: &Context, store: &dyn AnyStore) -> anyhow::Result<()> {
    let settings = &context.settings;
    let requested = environment::requested(settings);
    let was_bound = store.environment().await?.is_some();
    if was_bound {
        environment::bind(settings, store, requested).await?;
    }
    let applied = wiring::bring_up_to_date(store).await?;
    let environment = environment::bind(settings, store, requested).await?;
    if !was_bound || applied > 0 {
        context.record_result(format!("{}, {applied} migration(s)", environment.as_str()));
    }
    secrets::open(settings, environment, store).await?;
    let environment = environment.as_str();
    output::print_json_or_text(context.json, &Initialized { environment, applied }, || {
        let already = if was_bound { "was already" } else { "is now" };
        format!("The database {already} initialized for {environment}.")
    })
}
