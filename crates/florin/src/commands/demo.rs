//! `florin demo`

use super::Context;
use crate::cells::Stores;
use crate::demo::{self, DemoData};
use crate::environment;
use crate::machine::SystemClock;
use crate::output;
use crate::secrets;
use crate::usage::UsageError;
use anyhow::anyhow;
use florin_application::demo::{DemoSecrets, seed_data};
use florin_domain::access::Environment;
use florin_ports::{CellKey, CellName, Clock, SeedData};
use florin_store_contract::AnyStore;
use std::sync::Arc;

pub(super) async fn run(context: &Context, home: &Arc<dyn AnyStore>) -> anyhow::Result<()> {
    let store = home.as_ref();
    if environment::requested(&context.settings) == Environment::Production {
        return Err(UsageError::new("production has no demo data; use FLORIN_ENVIRONMENT=sandbox").into());
    }
    let (environment, _) = environment::of_server(&context.settings, store).await?;
    let stores = Stores::of_command(&context.settings, home).await?;
    stores.must_be_complete()?;
    let cipher = secrets::open(&context.settings, environment, store).await?.cipher;
    let now = SystemClock.now();
    let existed = demo::exists(store).await?;
    let page_tokens = &secrets::page_tokens(store, cipher.as_ref()).await?;
    let secrets = DemoSecrets { cipher: cipher.as_ref(), page_tokens };
    if !existed {
        refuse_taken(&stores, seed_data(now, secrets)?).await?;
    }
    if !demo::seed(store, now, secrets).await? {
        return Err(anyhow!(
            "the database already contains other clients, so the demo data was not created; choose an empty \
             database with --database-url"
        ));
    }
    if !existed {
        context.record_result("demo data".to_owned());
    }
    stores.share_banks().await?;
    let data = DemoData::read(store, context.settings.expected_base_url(), (now, page_tokens)).await?;
    output::print_json_or_text(context.json, &data, || as_text(&data))
}

/// Refuses to seed the demo data in the home if another cell has one of its accounts.
async fn refuse_taken(stores: &Stores, data: SeedData) -> anyhow::Result<()> {
    let Some(directory) = &stores.directory else { return Ok(()) };
    for account in data.accounts.into_iter().map(|seed| seed.account.id) {
        let cell = directory.find(&CellKey::Account(account.clone())).await?.map(|entry| entry.cell);
        if let Some(cell) = cell.filter(|cell| *cell != CellName::home()) {
            return Err(anyhow!("cell {cell} has the account {account}, so the demo data was not created"));
        }
    }
    Ok(())
}

fn as_text(data: &DemoData) -> String {
    let facts = [
        ["Base URL".to_owned(), data.base_url.clone()],
        ["Account".to_owned(), data.account_id.to_owned()],
        ["API key".to_owned(), data.api_key.to_owned()],
        ["API key without scopes".to_owned(), data.limited_api_key.to_owned()],
        ["Other client's account".to_owned(), data.other.account_id.to_owned()],
        ["Other client's API key".to_owned(), data.other.api_key.to_owned()],
        ["TOTP secret".to_owned(), data.mfa.secret.clone()],
        ["Checkouts".to_owned(), data.checkouts.len().to_string()],
        ["Postcodes".to_owned(), data.postcodes.join(" ")],
    ];
    let budgets = data.budgets.iter().map(|budget| {
        [&budget.id, budget.currency_code, &budget.ledger_balance, &budget.available_balance].map(str::to_owned)
    });
    let cards = data.cards.iter().map(|card| {
        let notes = [(card.expired, "expired"), (card.limited, "limited")];
        let note = notes.iter().filter(|(holds, _)| *holds).map(|(_, note)| *note).collect::<Vec<_>>().join(" ");
        [&card.id, card.currency_code, card.state, &note].map(str::to_owned)
    });
    let batches = data.payment_batches.iter().map(|batch| [&batch.id, batch.status].map(str::to_owned));
    [
        output::pairs(&facts),
        output::table(["BUDGET", "CURRENCY", "LEDGER", "AVAILABLE"], &budgets.collect::<Vec<_>>()),
        output::table(["CARD", "CURRENCY", "STATE", ""], &cards.collect::<Vec<_>>()),
        output::table(["PAYMENT BATCH", "STATUS"], &batches.collect::<Vec<_>>()),
    ]
    .join("\n\n")
}
