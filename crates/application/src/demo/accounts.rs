//! The clients and accounts of the demo data.

use super::budgets::BudgetBuilder;
use super::ids::{ACCOUNT, OTHER_ACCOUNT, PLAIN_ACCOUNT, client_id, other_client_id};
use super::{DemoFault, batches, cards, checkouts, keys};
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use florin_domain::access::{Account, ApiClient, Feature};
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::money::Minor;
use florin_domain::secret::SecretOwner;
use florin_domain::world::Timeline;
use florin_ports::{SecretCipher, SeedAccount};
use std::collections::BTreeSet;

/// The demo client, with address lookup on, and the other client, with all features off.
pub(super) fn clients() -> Vec<ApiClient> {
    let client = |id, name: &str, features| ApiClient {
        id,
        name: name.into(),
        allowed_networks: Vec::new(),
        features,
        disabled_at: None,
    };
    vec![
        client(client_id(), "demo", BTreeSet::from([Feature::AddressesLookup])),
        client(other_client_id(), "other", BTreeSet::new()),
    ]
}

/// All accounts.
pub(super) fn accounts(now: DateTime<Utc>, cipher: &dyn SecretCipher) -> Result<Vec<SeedAccount>, DemoFault> {
    Ok(vec![demo(now, cipher)?, plain()?, other(now)?])
}

/// An account without any data.
pub fn bare(account: Account) -> SeedAccount {
    SeedAccount {
        account,
        enrolment: None,
        checkouts: Vec::new(),
        budgets: Vec::new(),
        cards: Vec::new(),
        batches: Vec::new(),
        payments: Vec::new(),
    }
}

fn empty_account(id: &str, client: ClientId, name: &str, merchant: bool) -> Result<SeedAccount, DemoFault> {
    let timeline = Timeline::default();
    Ok(bare(Account { id: AccountId::parse(id)?, client, name: name.into(), merchant, mfa_required: true, timeline }))
}

/// The main demo account.
fn demo(now: DateTime<Utc>, cipher: &dyn SecretCipher) -> Result<SeedAccount, DemoFault> {
    filled(empty_account(ACCOUNT, client_id(), "Florin Demo Ltd", true)?.account, now, cipher)
}

/// An account with all data of the demo account, under the same ids, as if used for some days before `now`.
pub fn filled(account: Account, now: DateTime<Utc>, cipher: &dyn SecretCipher) -> Result<SeedAccount, DemoFault> {
    let mut seed = bare(account);
    let now = now.trunc_subsecs(0);
    let id = seed.account.id.clone();
    let opened = now - TimeDelta::days(20);
    let mut books = [
        BudgetBuilder::open((1, "Pounds"), &id, "GBP", Minor(1_000_000), opened)?,
        BudgetBuilder::open((2, "Euros"), &id, "EUR", Minor(500_000), opened)?,
        BudgetBuilder::open((3, "Yen"), &id, "JPY", Minor(1_000_000), opened)?,
    ];
    let secret = cipher.seal(&SecretOwner::Totp(id.clone()), &keys::totp_secret())?;
    seed.enrolment = Some(TotpEnrolment::new(id.clone(), secret));
    seed.checkouts = checkouts::checkouts(&id, 0..checkouts::OF_DEMO_ACCOUNT, now)?;
    seed.cards = cards::of_demo_account(&id, &books, now);
    (seed.batches, seed.payments) = batches::of_demo_account(&seed.account, &mut books, now)?;
    seed.budgets = books.into_iter().map(BudgetBuilder::close).collect();
    Ok(seed)
}

/// A second account of the demo client, without a merchant profile and without data.
fn plain() -> Result<SeedAccount, DemoFault> {
    empty_account(PLAIN_ACCOUNT, client_id(), "Florin Demo Reserves", false)
}

/// The account of the other client. The demo account must never show any of its data.
fn other(now: DateTime<Utc>) -> Result<SeedAccount, DemoFault> {
    let mut seed = empty_account(OTHER_ACCOUNT, other_client_id(), "Other Shop Ltd", true)?;
    let id = seed.account.id.clone();
    let mut books = [BudgetBuilder::open((11, "Other pounds"), &id, "GBP", Minor(100_000), now - TimeDelta::days(20))?];
    let numbers = checkouts::OF_DEMO_ACCOUNT..checkouts::OF_DEMO_ACCOUNT + 3;
    seed.checkouts = checkouts::checkouts(&id, numbers, now)?;
    seed.cards = cards::of_other_account(&id, &books[0], now);
    (seed.batches, seed.payments) = batches::of_other_account(&seed.account, &mut books, now)?;
    seed.budgets = books.into_iter().map(BudgetBuilder::close).collect();
    Ok(seed)
}
