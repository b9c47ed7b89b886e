//! Reads everything that the ports show of a store, as comparable lines of text: [`Observation`] and [`single_reads`].

use super::{batch, card, chain, credit_situation};
use crate::check::{CheckResult, Failure};
use crate::checkout_sessions::page_token;
use crate::commands::{session_id, token};
use crate::factory::Handle;
use crate::merchants::payee_members;
use crate::people::members;
use crate::seed_data::{BOTH, Who, gbp, jpy, noon};
use chrono::TimeDelta;
use florin_domain::access::Account;
use florin_domain::activity::{Activity, ActivityFilter, ActivityKey, ActivitySource};
use florin_domain::batch::{AlertFilter, BatchFilter, PaymentFilter};
use florin_domain::budget::BudgetFilter;
use florin_domain::card::{CardFilter, DisputeFilter};
use florin_domain::checkout::{MerchantPaymentFilter, PaymentSort, SessionFilter};
use florin_domain::event::EventFilter;
use florin_domain::ids::{AccountId, PaymentId, TransactionToken};
use florin_domain::merchant::{CheckoutFilter, PayeeFilter};
use florin_domain::page::PageRequest;
use florin_domain::people::PersonFilter;
use florin_ports::EventReach;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use uuid::Uuid;

const PAGE: PageRequest = PageRequest { limit: 1000, offset: 0 };

/// Most of what the ports show of a store, as lines of text. [`single_reads`] reads the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Observation {
    /// Lines that belong to no account.
    common: BTreeMap<String, String>,
    accounts: BTreeMap<Who, BTreeMap<String, String>>,
    numbers: RangeInclusive<u128>,
}

impl Observation {
    /// Observes both accounts, including messages and MFA sessions 0 to `numbers`.
    pub(crate) async fn take(handle: &Handle, numbers: u128) -> Result<Self, Failure> {
        Self::of(handle, 0..=numbers).await
    }

    /// Observes both accounts, including messages and MFA sessions with these numbers.
    pub(crate) async fn of(handle: &Handle, numbers: RangeInclusive<u128>) -> Result<Self, Failure> {
        Self::of_accounts(handle, &BOTH, numbers).await
    }

    /// Observes these accounts, including messages and MFA sessions with these numbers.
    pub(crate) async fn of_accounts(
        handle: &Handle,
        accounts: &[Who],
        numbers: RangeInclusive<u128>,
    ) -> Result<Self, Failure> {
        let mut lines = BTreeMap::new();
        for who in accounts {
            let mut seen = of_account(handle, *who, numbers.clone()).await?;
            let account = who.account()?;
            seen.insert("events".into(), format!("{:?}", events(handle, *who, &account).await?));
            lines.insert(*who, seen);
        }
        Ok(Self { common: common(handle).await?, accounts: lines, numbers })
    }

    /// Returns the lines of one account without its account id, so that accounts with equal contents have equal lines.
    pub(crate) fn of_one(&self, who: Who) -> Result<BTreeMap<String, String>, Failure> {
        let lines = self.accounts.get(&who).into_iter().flatten();
        lines.map(|(what, value)| Ok((what.clone(), without_account(value, who)?))).collect()
    }

    /// Returns the lines of this observation that are missing or different in a later one of the same accounts.
    pub(crate) fn changes(&self, later: &Self) -> Vec<String> {
        let mut changes = differences(&self.common, &later.common);
        for (who, lines) in &self.accounts {
            let later = later.accounts.get(who).cloned().unwrap_or_default();
            changes.extend(differences(lines, &later).into_iter().map(|change| format!("{who:?}: {change}")));
        }
        changes
    }

    /// Expects that the store has not changed since this observation.
    pub(crate) async fn still_holds(&self, what: &str, handle: &Handle) -> CheckResult {
        let accounts: Vec<_> = self.accounts.keys().copied().collect();
        let changes = self.changes(&Self::of_accounts(handle, &accounts, self.numbers.clone()).await?);
        match changes.first() {
            None => Ok(()),
            Some(change) => Err(Failure::new(format!("{what} changed {} things: {change}", changes.len()))),
        }
    }
}

/// Returns the lines of `one` that are missing or different in `other`.
pub(crate) fn differences(one: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> Vec<String> {
    let changed = one.iter().filter(|(what, value)| other.get(*what) != Some(value));
    changed.map(|(what, value)| format!("{what}: {value} became {:?}", other.get(what))).collect()
}

/// Replaces the id of an account in a text with a placeholder.
pub(crate) fn without_account(text: &str, who: Who) -> Result<String, Failure> {
    let id = format!("{:?}", who.account()?);
    // A stored response is text inside text, so its quotes are escaped.
    let quoted = id.replace('"', "\\\"");
    // The token of a payment page ends with its account.
    let token = format!("{:?}", page_token(&who.account()?, Uuid::nil()).0.split_at(16).1);
    let text = text.replace(token.trim_start_matches('['), "…]");
    Ok(text.replace(&id, "AccountId(…)").replace(&quoted, "AccountId(…)"))
}

async fn common(handle: &Handle) -> Result<BTreeMap<String, String>, Failure> {
    let mut lines = BTreeMap::new();
    let mut add = |what: &str, value: &dyn Debug| {
        lines.insert(what.to_owned(), format!("{value:?}"));
    };
    add("clients", &handle.registry.clients().await?);
    // Each restore begins another epoch, so the epoch is not part of the restored state.
    let accounts = handle.registry.accounts().await?.into_iter().map(|account| Account { epoch: 0, ..account });
    add("accounts", &accounts.collect::<Vec<_>>());
    add("keys", &handle.registry.keys(None).await?);
    add("banks", &handle.banks.list(PageRequest::default()).await?);
    add("books check", &handle.books_check.check_all().await?);
    add("due holds", &handle.cards.due_holds(noon() + TimeDelta::days(365), u32::MAX).await?);
    add("accounts with their own timeline", &handle.timelines.accounts_with_timeline().await?);
    Ok(lines)
}

async fn of_account(
    handle: &Handle,
    who: Who,
    numbers: RangeInclusive<u128>,
) -> Result<BTreeMap<String, String>, Failure> {
    let account = who.account()?;
    let mut lines = BTreeMap::new();
    let mut add = |what: String, value: &dyn Debug| {
        lines.insert(what, format!("{value:?}"));
    };
    let profile = handle.merchants.find(&account).await?;
    if let Some(logo) = profile.as_ref().and_then(|profile| profile.logo) {
        add("logo".into(), &handle.merchants.logo(logo).await?);
    }
    add("profile".into(), &profile);
    add("settlement accounts".into(), &handle.settlement_accounts.list(&account, PAGE).await?);
    let payees = handle.payees.list(&account, PayeeFilter::default(), PAGE).await?;
    add("payees".into(), &(payees.count, payees.rows.iter().map(payee_members).collect::<Vec<_>>()));
    add("checkouts".into(), &handle.checkouts.list(&account, CheckoutFilter::default(), PAGE).await?);
    let sessions = handle.checkout_sessions.list(&account, SessionFilter::default(), PAGE).await?;
    let filter = MerchantPaymentFilter::default();
    let payments = handle.merchant_payments.list(&account, filter, PaymentSort::NewestFirst, PAGE).await?;
    let due = handle.checkout_sessions.due(Some(account.clone()), noon() + TimeDelta::days(365), 1_000).await?;
    for row in &payments.rows {
        add(format!("merchant payment {}", row.id), &handle.merchant_payments.find(&account, row.id).await?);
    }
    for id in payments.rows.iter().map(|row| row.session).chain(sessions.rows.iter().map(|row| row.id)) {
        add(format!("checkout session {id}"), &handle.checkout_sessions.find(&account, id).await?);
    }
    add("due checkouts".into(), &due);
    add("sessions".into(), &sessions);
    add("merchant payments".into(), &payments);
    add("sums of payments".into(), &handle.merchant_payments.summary(&account).await?);
    add("budgets".into(), &handle.seeding.budgets(&account).await?);
    let people = handle.people.list(&account, PersonFilter::default(), PAGE).await?;
    add("people".into(), &(people.count, people.rows.iter().map(members).collect::<Vec<_>>()));
    add("cards".into(), &handle.seeding.cards(&account).await?);
    add("list of budgets".into(), &handle.budgets.list_with_funds(&account, BudgetFilter::default(), PAGE).await?);
    let cards = handle.card_management.list(&account, CardFilter::default(), PAGE).await?;
    for id in cards.rows.iter().map(|row| row.record.card.id) {
        add(format!("limits of {id}"), &handle.card_management.limits(&account, id).await?);
        add(format!("transitions of {id}"), &handle.card_management.transitions(&account, id, PAGE).await?);
    }
    add("list of cards".into(), &cards);
    add("disputes".into(), &handle.disputes.list(&account, DisputeFilter::default(), PAGE).await?);
    add("batches".into(), &handle.seeding.batches(&account).await?);
    let every = BatchFilter { include_hidden: true, ..BatchFilter::default() };
    let listed = handle.reading.list(&account, every, PAGE).await?;
    for batch in listed.rows.iter().map(|row| row.batch.id) {
        let content = handle.reading.content(&account, batch, PaymentFilter::default()).await?;
        add(format!("batch {batch}"), &content);
    }
    add("list of batches".into(), &listed);
    add("enrolment".into(), &handle.mfa.enrolment(&account).await?);
    add("next credit".into(), &credit_situation(handle, &account, who.budget()).await?.map(|seen| seen.number));
    add("activity".into(), &handle.activities.list(&account, ActivityFilter::default(), PAGE).await?);
    for id in [who.card(), who.limited_card(), who.yen_card()] {
        add(format!("card {id}"), &card(handle, &account, id).await?);
    }
    for number in numbers {
        let seen = chain(handle, &account, token(number)).await?;
        add(format!("message {number}"), &seen.map(|seen| (seen.first, seen.named_message, seen.chain)));
        add(format!("history of {number}"), &handle.chains.history(&account, token(number)).await?);
        let seen = batch(handle, &account, who.batch(), Some(session_id(number))).await?;
        add(format!("MFA session {number}"), &seen.and_then(|seen| seen.session));
    }
    Ok(lines)
}

/// Reads what [`Observation`] does not cover: single records, second pages and books. Accounts with equal contents have
/// equal lines.
pub(crate) async fn single_reads(handle: &Handle, who: Who) -> Result<BTreeMap<String, String>, Failure> {
    let account = who.account()?;
    let mut lines = BTreeMap::new();
    let mut add = |what: String, value: &dyn Debug| {
        lines.insert(what, format!("{value:?}"));
    };
    let second = PageRequest { limit: 2, offset: 1 };
    add("books".into(), &handle.books.books(&account).await?);
    add("funding".into(), &handle.reading.funding(&account).await?);
    add("due holds".into(), &handle.timelines.due_holds(&account, noon() + TimeDelta::days(365), 100).await?);
    for record in handle.budgets.list(&account, BudgetFilter::default(), PAGE).await?.rows {
        let id = record.budget.id;
        add(format!("budget {id}"), &handle.budgets.find(&account, id).await?);
        for currency in [gbp()?, jpy()?] {
            add(format!("{currency} of {id}"), &handle.books.explain(&account, id, currency, PAGE).await?);
            add(format!("more {currency} of {id}"), &handle.books.explain(&account, id, currency, second).await?);
        }
        let filter = ActivityFilter { budgets: vec![id], ..ActivityFilter::default() };
        add(format!("activity of {id}"), &handle.activities.list(&account, filter, second).await?);
    }
    for overview in handle.people.list(&account, PersonFilter::default(), PAGE).await?.rows {
        let found = handle.people.find(&account, overview.person.id).await?;
        add(format!("person {}", overview.person.id), &found.as_ref().map(members));
    }
    for profile in handle.card_management.list(&account, CardFilter::default(), PAGE).await?.rows {
        let id = profile.record.card.id;
        let found = handle.card_management.find(&account, id).await?;
        // `Debug` does not print digests.
        let digest = found.as_ref().and_then(|profile| profile.record.pin).map(|digest| *digest.as_bytes());
        add(format!("PIN of card {id}"), &digest);
        add(format!("card {id}"), &found);
        add(format!("transitions of {id}"), &handle.card_management.transitions(&account, id, second).await?);
    }
    let every = BatchFilter { include_hidden: true, ..BatchFilter::default() };
    for batch in handle.reading.list(&account, every, PAGE).await?.rows.iter().map(|row| row.batch.id) {
        let (payments, alerts) = (PaymentFilter::default(), AlertFilter::default());
        add(format!("batch {batch}"), &handle.reading.find(&account, batch).await?);
        add(format!("payments of {batch}"), &handle.reading.payments(&account, batch, payments, PAGE).await?);
        add(format!("alerts of {batch}"), &handle.reading.alerts(&account, batch, alerts, PAGE).await?);
        add(format!("funds of {batch}"), &handle.reading.funds(&account, batch).await?);
    }
    for row in handle.activities.list(&account, ActivityFilter::default(), PAGE).await?.rows {
        add(format!("movement {}", row.id), &handle.activities.find(&account, key_of(&row)).await?);
    }
    lines.into_iter().map(|(what, value)| Ok((what, without_account(&value, who)?))).collect()
}

/// Returns what identifies a movement.
pub(crate) fn key_of(row: &Activity) -> ActivityKey {
    match row.source() {
        ActivitySource::Card => ActivityKey::Transaction(TransactionToken(row.id.0)),
        ActivitySource::Payment => ActivityKey::Payment(PaymentId(row.id.0)),
        _ => ActivityKey::BudgetMovement(row.id),
    }
}

/// Returns the events of an account, oldest first, without positions and ids, which differ between stores.
async fn events(handle: &Handle, who: Who, account: &AccountId) -> Result<Vec<(u64, String)>, Failure> {
    let reach = EventReach { client: who.client(), accounts: Some([account.clone()].into()) };
    let page = PageRequest { limit: 100_000, offset: 0 };
    let mut found = handle.events.list(reach, EventFilter::default(), page).await?.rows;
    found.reverse();
    Ok(found.into_iter().map(|event| (event.sequence, event.body)).collect())
}
