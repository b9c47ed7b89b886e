//! A database of the first schema with rows, and its expected state after an upgrade.

use chrono::DateTime;
use florin_domain::access::Environment;
use florin_domain::batch::{
    BatchFilter, ConfirmSituation, ConfirmedBatch, PaymentBatch, PaymentBatchStatus, decide_confirm,
};
use florin_domain::budget::{BudgetFilter, BudgetRecord};
use florin_domain::card::{CardFilter, CardRecord, CardSearch, LimitWindow};
use florin_domain::ids::{AccountId, CardId, ClientId, LeaseId, MfaSessionId, PaymentBatchId, TransactionToken};
use florin_domain::merchant::MerchantProfile;
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;
use florin_domain::secret::{SealedSecret, Secret, SecretFilter, SecretKeyId, SecretOwner};
use florin_domain::stamp::Stamp;
use florin_ports::{
    BatchProcessing, BatchReading, BooksCheck, Budgets, CardManagement, ChainHistories, ClaimCommand, ConfirmCommand,
    Merchants, Mode, PaymentBatches, Registry, Secrets, Seeding, StoredSecret, Upkeep, WriteError, Written,
};
use std::path::Path;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// The first migration after the first schema.
const JOURNAL: &str = "2026-11-21-000007";

/// The TOTP secret in [`statements`], as hexadecimal digits.
pub(crate) const SECRET: &str = "6561726c696572";

/// Returns the statement that adds a key for production to the rows of [`statements`], which have one for the sandbox.
pub(crate) fn production_key(hash: &str) -> String {
    format!(
        "INSERT INTO api_keys SELECT '00000000-0000-0000-0000-0000000000da', client_id, {hash}, hash_tag, \
         'production', scopes, every_account, created_at, NULL, NULL FROM api_keys"
    )
}

/// Returns the statements that create a database of the first schema with rows, in order. `kind` is the folder of its
/// migrations.
pub(crate) fn statements(kind: &str, values: &[(&str, &str)]) -> Vec<String> {
    before(JOURNAL, include_str!("earlier.sql"), kind, values)
}

/// Returns the statements that create a database as it was before the migration `first`, with rows.
pub(crate) fn before(first: &str, rows: &str, kind: &str, values: &[(&str, &str)]) -> Vec<String> {
    let mut statements = vec![
        "CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, \
         run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)"
            .to_owned(),
    ];
    statements.extend(migrations("", first, kind));
    statements.push(with_values(rows, values));
    statements
}

/// Returns the statements that create a database as it was before the migration `first`, with the rows of the first
/// schema and further rows.
pub(crate) fn before_with_first_rows(first: &str, rows: &str, kind: &str, values: &[(&str, &str)]) -> Vec<String> {
    let mut statements = statements(kind, values);
    statements.extend(migrations(JOURNAL, first, kind));
    statements.push(with_values(rows, values));
    statements
}

fn with_values(rows: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(rows.to_owned(), |rows, (name, value)| rows.replace(name, value))
}

/// Returns the SQL of the migrations from `from` on and before `until`. After each of them comes the statement that
/// records it as applied.
fn migrations(from: &str, until: &str, kind: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(kind);
    let mut migrations: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    migrations.sort();
    let mut statements = Vec::new();
    for migration in migrations {
        let name = migration.file_name().unwrap().to_str().unwrap().to_owned();
        if name.as_str() >= from && name.as_str() < until {
            statements.push(std::fs::read_to_string(migration.join("up.sql")).unwrap());
            let version = name.split('_').next().unwrap().replace('-', "");
            statements.push(format!("INSERT INTO __diesel_schema_migrations (version) VALUES ('{version}')"));
        }
    }
    statements
}

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// Checks all data after the upgrade, and continues to work with it.
pub(crate) async fn check_data(
    store: &(impl Seeding + BooksCheck + BatchReading + BatchProcessing + PaymentBatches + ChainHistories),
) {
    use PaymentBatchStatus::{Completed, Confirmed, Validated};

    let account = AccountId::parse("F1").unwrap();
    let report = store.check_all().await.unwrap();
    // One balance of the budget, and one balance of the new parent budget in every currency.
    let currencies = i64::try_from(Currency::all().count()).unwrap();
    assert_eq!((report.journal_transactions, report.balances, report.discrepancies), (5, 1 + currencies, vec![]));
    let found = store.history(&account, TransactionToken(id(0x72))).await.unwrap().unwrap();
    let chain = found.chain.unwrap();
    // According to its row, the chain is due immediately.
    assert_eq!((found.messages.len(), chain.held().0, chain.due_at()), (2, 100, Some(chain.created_at)));
    // The journal of a message is found although no column referred to it. The reason of the old decline is unknown.
    assert_eq!((found.journal.len(), &found.messages[1].declined), (1, &None));
    let batches = store.batches(&account).await.unwrap();
    let seen: Vec<_> =
        batches.iter().map(|batch| (batch.id.0, batch.status(), batch.created_by, batch.visible)).collect();
    let client = ClientId(id(0xc1));
    let expected =
        [(id(0xf1), Validated, client, true), (id(0xf2), Confirmed, client, true), (id(0xf3), Completed, client, true)];
    assert_eq!(seen, expected);
    let orders: Vec<_> =
        batches.iter().flat_map(|batch| &batch.orders).map(|order| (order.id.0, order.total.0, order.fees.0)).collect();
    assert_eq!(orders, [(id(0xa1), 700, 0), (id(0xa2), 500, 0), (id(0xa3), 1000, 0)]);
    let confirmed_by = |batch: &PaymentBatch| batch.state.confirmation().and_then(|confirmed| confirmed.by);
    let later_columns =
        |batch: &PaymentBatch| (confirmed_by(batch), batch.state.orders_sent_at(), batch.input.clone(), batch.locked);
    assert!(batches.iter().all(|batch| later_columns(batch) == (None, None, None, false)));
    let listed = store.list(&account, BatchFilter::default(), PageRequest::default()).await.unwrap();
    assert_eq!((listed.count, listed.rows.len()), (3, 3));
    let (lease, now) = (LeaseId(id(1)), DateTime::from_timestamp(4_000_000_000, 0).unwrap());
    assert_eq!(store.claim(ClaimCommand { lease, now, until: now, max: 9 }).await, Ok(vec![]));
    assert_eq!(confirm(store, account).await.batch.status(), Confirmed);
    let report = store.check_all().await.unwrap();
    assert_eq!((report.journal_transactions, report.discrepancies), (6, vec![]));
}

/// Checks that existing budgets and cards have all features and no creation time, as if they had been seeded, and that
/// the account now has a parent budget.
pub(crate) async fn check_budgets_and_cards(store: &(impl Seeding + Budgets + CardManagement + ChainHistories)) {
    let account = AccountId::parse("F1").unwrap();
    let old = Seeding::budgets(store, &account).await.unwrap().into_iter().find(|budget| budget.id.0 == id(0xb1));
    let found = Budgets::list_with_funds(store, &account, BudgetFilter::default(), PageRequest::default()).await;
    let [parent, budget] = <[_; 2]>::try_from(found.unwrap().rows).unwrap();
    let created = parent.record.created_at.unwrap();
    let expected = BudgetRecord::parent_of_account(parent.record.budget.id, account.clone(), Currency::all(), created);
    assert_eq!(parent.record, expected);
    let below: i128 = parent.funds.iter().map(|funds| funds.below.ledger().0).sum();
    assert_eq!(below, 9_000);
    let expected = BudgetRecord::seeded(old.unwrap(), &expected);
    assert_eq!(budget.record, BudgetRecord { created_at: None, updated_at: None, ..expected });
    assert_eq!(budget.funds[0].last_number, Some(1));
    let seeded = Seeding::cards(store, &account).await.unwrap();
    let found = CardManagement::list(store, &account, CardFilter::default(), PageRequest::default()).await.unwrap();
    let records: Vec<_> = found.rows.into_iter().map(|profile| profile.record).collect();
    assert_eq!((records.len(), &records), (1, &seeded.into_iter().map(CardRecord::seeded).collect()));
    limits_have_counted_open_holds(store, &account, records[0].card.id).await;
    // A search finds the ids and names in the form that the upgrade stored.
    for (search, count) in [("card", 1), (records[0].last_four().as_str(), 1), ("x", 0)] {
        let filter = CardFilter { search: CardSearch::parse(search).ok(), ..CardFilter::default() };
        let found = CardManagement::list(store, &account, filter, PageRequest::default()).await.unwrap();
        assert_eq!(found.count, count, "{search}");
    }
}

/// Checks that the store serves the environment of its keys.
pub(crate) async fn check_environment(store: &impl Upkeep, environment: Environment) {
    assert_eq!(store.environment().await, Ok(Some(environment)));
    let other = [Environment::Sandbox, Environment::Production].into_iter().find(|other| *other != environment);
    assert_eq!(store.bind(other.unwrap()).await, Ok(environment), "it can't be bound again");
}

/// Checks that a secret from before secrets were encrypted is found as such, so that the next start encrypts it.
pub(crate) async fn check_secrets(store: &impl Secrets) {
    let owner = SecretOwner::Totp(AccountId::parse("F1").unwrap());
    let clear = SealedSecret::clear(&Secret::new(b"earlier".to_vec()));
    let found = store.secrets(SecretFilter::InClear, 9).await.unwrap();
    assert!(
        found == [StoredSecret { owner: owner.clone(), secret: clear.clone() }],
        "{} secrets in clear",
        found.len()
    );
    let sealed = SealedSecret::encrypted(SecretKeyId([1; 8]), &[2; 40]);
    assert_eq!(store.replace_secret(&owner, &clear, sealed).await, Ok(true));
    assert!(store.secrets(SecretFilter::InClear, 9).await.unwrap().is_empty());
}

/// Checks that an account with checkouts is a merchant, and that keys have the scopes of the current version.
pub(crate) async fn check_merchants(store: &(impl Merchants + Registry)) {
    let account = AccountId::parse("F1").unwrap();
    let found = store.find(&account).await.unwrap();
    assert_eq!(found, Some(MerchantProfile::new(account, "Account")));
    let keys = store.keys(None).await.unwrap();
    let scopes: Vec<_> = keys[0].scopes.iter().map(|scope| scope.as_str()).collect();
    let expected =
        ["merchant:checkout-sessions:read:any", "merchant:checkout-sessions:write:any", "merchant:payments:read:any"];
    assert_eq!(scopes, expected);
}

/// Checks that the limits counted the open hold, and that its chain stores the amount that each limit counted.
async fn limits_have_counted_open_holds(
    store: &(impl CardManagement + ChainHistories),
    account: &AccountId,
    card: CardId,
) {
    use LimitWindow::{Day, Lifetime, Month};

    let found = CardManagement::limits(store, account, card).await.unwrap().unwrap().limits;
    let uses: Vec<_> =
        found.iter().map(|limit| (limit.window, limit.spent.0, limit.carried.spent.0, limit.uses)).collect();
    assert_eq!(uses, [(Day, 130, 30, 2), (Month, 20, 20, 1), (Lifetime, 60, 0, 1)]);
    let chain = store.history(account, TransactionToken(id(0x71))).await.unwrap().unwrap().chain.unwrap();
    let counted: Vec<_> = chain.counted.iter().map(|entry| (entry.limit, entry.amount.0)).collect();
    assert_eq!(counted, [(found[2].id, 60), (found[0].id, 100)], "the oldest window first");
}

/// Confirms the validated batch under its existing session, which the rule receives.
async fn confirm(store: &impl PaymentBatches, account: AccountId) -> ConfirmedBatch {
    let confirmed = Arc::new(Mutex::new(None));
    let found = Arc::clone(&confirmed);
    let decide = Arc::new(move |situation: &ConfirmSituation| {
        assert_eq!(situation.session.as_ref().map(|session| session.wrong_tokens), Some(3));
        let next = std::cell::Cell::new(100);
        let ids = || id(next.replace(next.get() + 1));
        let situation = ConfirmSituation { mfa_required: false, ..situation.clone() };
        let decision =
            decide_confirm(&situation, None, ClientId(id(0xc1)), &Stamp { now: DateTime::UNIX_EPOCH, ids: &ids });
        *found.lock().unwrap() = decision.result.clone().ok();
        decision
    });
    let (batch, session) = (PaymentBatchId(id(0xf1)), Some(MfaSessionId(id(0xe1))));
    let done = store.confirm(ConfirmCommand { account, batch, session, decide, mode: Mode::Commit, claim: None }).await;
    assert!(matches!(done, Ok::<_, WriteError<_>>(Written::New(_))), "{done:?}");
    let confirmation = confirmed.lock().unwrap().take();
    confirmation.unwrap()
}
