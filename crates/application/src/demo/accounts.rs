//! The clients and accounts of the demo data.

use super::budgets::BudgetBuilder;
use super::ids::{ACCOUNT, OTHER_ACCOUNT, PLAIN_ACCOUNT, client_id, other_client_id, parent_budget_id};
use super::{DemoFault, DemoSecrets, banks, batches, cards, checkout_sessions, checkouts, keys, merchants, people};
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use florin_domain::access::{Account, ApiClient, Feature};
use florin_domain::budget::BudgetRecord;
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::money::{Currency, Minor};
use florin_domain::secret::SecretOwner;
use florin_domain::world::Timeline;
use florin_ports::SeedAccount;
use std::collections::BTreeSet;

/// The codes of the currencies that the parent budgets of the demo accounts hold.
const CURRENCIES: [&str; 6] = ["BHD", "CHF", "EUR", "GBP", "JPY", "USD"];

/// The networks of the demo client: all addresses. A caller can't remove the last network that contains its address.
/// These two always contain it, so a caller can remove every network that it adds.
const NETWORKS: [&str; 2] = ["0.0.0.0/0", "::/0"];

/// The demo client, with address lookup on, and the other client, with all features off.
pub(super) fn clients() -> Vec<ApiClient> {
    let client = |id, name: &str, networks: &[&str], features| ApiClient {
        id,
        name: name.into(),
        allowed_networks: networks.iter().map(|network| (*network).to_owned()).collect(),
        features,
        disabled_at: None,
    };
    vec![
        client(client_id(), "demo", &NETWORKS, BTreeSet::from([Feature::AddressesLookup])),
        client(other_client_id(), "other", &[], BTreeSet::new()),
    ]
}

/// The three demo accounts.
pub(super) fn accounts(now: DateTime<Utc>, secrets: DemoSecrets<'_>) -> Result<Vec<SeedAccount>, DemoFault> {
    Ok(vec![demo(now, secrets)?, plain(now)?, other(now)?])
}

/// An account without data, whose parent budget holds these currencies.
pub fn bare(account: Account, currencies: impl IntoIterator<Item = Currency>, now: DateTime<Utc>) -> SeedAccount {
    let parent = BudgetRecord::parent_of_account(parent_budget_id(), account.id.clone(), currencies, now);
    SeedAccount::empty(account, parent)
}

/// The currencies of the parent budgets of the demo accounts.
fn currencies() -> Result<Vec<Currency>, DemoFault> {
    CURRENCIES.into_iter().map(|code| Ok(Currency::parse(code)?)).collect()
}

fn empty_account(
    id: &str,
    client: ClientId,
    (name, merchant): (&str, bool),
    now: DateTime<Utc>,
) -> Result<SeedAccount, DemoFault> {
    let (id, name, timeline) = (AccountId::parse(id)?, name.into(), Timeline::default());
    let account = Account {
        id,
        client,
        name,
        merchant,
        mfa_required: true,
        unique_budget_names: false,
        timeline,
        decision_endpoint: None,
        epoch: 0,
    };
    Ok(bare(account, currencies()?, opened(now)))
}

/// The time at which the demo accounts were opened.
fn opened(now: DateTime<Utc>) -> DateTime<Utc> {
    now.trunc_subsecs(0) - TimeDelta::days(20)
}

/// The main demo account.
fn demo(now: DateTime<Utc>, secrets: DemoSecrets<'_>) -> Result<SeedAccount, DemoFault> {
    filled(empty_account(ACCOUNT, client_id(), ("Florin Demo Ltd", true), now)?.account, now, secrets)
}

/// Returns an account with all data of the demo account, under the same ids, as if the account had been used for some
/// days before `now`.
pub fn filled(account: Account, now: DateTime<Utc>, secrets: DemoSecrets<'_>) -> Result<SeedAccount, DemoFault> {
    let (now, opened) = (now.trunc_subsecs(0), opened(now));
    let mut seed = bare(account, currencies()?, opened);
    let id = seed.account.id.clone();
    let mut builders = [
        BudgetBuilder::open((1, "Pounds"), &id, "GBP", Minor(1_000_000), opened)?,
        BudgetBuilder::open((2, "Euros"), &id, "EUR", Minor(500_000), opened)?,
        BudgetBuilder::open((3, "Yen"), &id, "JPY", Minor(1_000_000), opened)?,
    ];
    let secret = secrets.cipher.seal(&SecretOwner::Totp(id.clone()), &keys::totp_secret())?;
    seed.enrolment = Some(TotpEnrolment::new(id.clone(), secret));
    seed.people = people::of_demo_account(&id, opened)?;
    seed.profile = Some(merchants::profile_of_demo_account(&id)?);
    seed.settlement_accounts = merchants::settlement_accounts(&id, opened, &banks::first()?);
    seed.payees = merchants::payees(&id, opened);
    seed.checkouts = checkouts::checkouts(&id, 0..checkouts::OF_DEMO_ACCOUNT, now)?;
    seed.cards = cards::of_demo_account(&id, &builders, now);
    (seed.batches, seed.payments) = batches::of_demo_account(&seed.account, &mut builders, now)?;
    seed.budgets = builders.into_iter().map(BudgetBuilder::build).collect();
    let pounds = seed.budgets.first().map(|seed| seed.budget.clone());
    if let Some(budget) = pounds {
        let sold = checkout_sessions::sessions(&seed, &budget, &banks::first()?, (now, secrets.page_tokens))?;
        (seed.sessions, seed.merchant_payments, seed.merchant_journal) = (sold.sessions, sold.payments, sold.journal);
    }
    Ok(seed)
}

/// The second account of the demo client: [`PLAIN_ACCOUNT`].
fn plain(now: DateTime<Utc>) -> Result<SeedAccount, DemoFault> {
    empty_account(PLAIN_ACCOUNT, client_id(), ("Florin Demo Reserves", false), now)
}

/// The account of the other client. The demo account must never show any of its data.
fn other(now: DateTime<Utc>) -> Result<SeedAccount, DemoFault> {
    let mut seed = empty_account(OTHER_ACCOUNT, other_client_id(), ("Other Shop Ltd", true), now)?;
    let id = seed.account.id.clone();
    let mut builders = [BudgetBuilder::open((11, "Other pounds"), &id, "GBP", Minor(100_000), opened(now))?];
    seed.people = people::of_other_account(&id, opened(now))?;
    let numbers = checkouts::OF_DEMO_ACCOUNT..checkouts::OF_DEMO_ACCOUNT + 3;
    seed.settlement_accounts = merchants::settlement_accounts_of_other_account(&id, opened(now));
    seed.checkouts = checkouts::checkouts(&id, numbers, now)?;
    seed.cards = cards::of_other_account(&id, &builders[0], now);
    (seed.batches, seed.payments) = batches::of_other_account(&seed.account, &mut builders, now)?;
    seed.budgets = builders.into_iter().map(BudgetBuilder::build).collect();
    Ok(seed)
}
