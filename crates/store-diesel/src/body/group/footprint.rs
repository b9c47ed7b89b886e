//! What the orders of a group ask to see.

use super::body::types::{Account, Id};
use florin_domain::ids::{AccountId, BudgetId, CardId, MfaSessionId, PaymentBatchId, TransactionToken};
use florin_ports::RepeatClaim;
use std::collections::BTreeSet;

/// A row of an account.
pub(crate) type Key = (Account, Id);
/// An idempotency record: account, client, key.
pub(crate) type RecordKey = (Account, Id, String);

/// What is loaded for a group: each thing once, whoever asks for it.
#[derive(Default)]
pub(crate) struct Footprint {
    /// Cards, with limits and the balances that pay for them.
    pub(crate) cards: BTreeSet<Key>,
    /// Messages by token, with their chains, cards, limits and balances.
    pub(crate) messages: BTreeSet<Key>,
    /// Budgets with all their balances.
    pub(crate) budgets: BTreeSet<Key>,
    /// Batches with their orders.
    pub(crate) batches: BTreeSet<Key>,
    /// Batches whose funding budgets' balances are wanted.
    pub(crate) funded: BTreeSet<Key>,
    /// Sessions.
    pub(crate) sessions: BTreeSet<Key>,
    /// TOTP enrolments.
    pub(crate) enrolments: BTreeSet<(Account,)>,
    /// Numbers of the last credits.
    pub(crate) counters: BTreeSet<(Account,)>,
    /// Payments that the sandbox's bank may remember.
    pub(crate) accepted: BTreeSet<(Id,)>,
    /// Idempotency records.
    pub(crate) records: BTreeSet<RecordKey>,
}

impl Footprint {
    /// A card, to decide a first message on it.
    pub(crate) fn card(&mut self, account: &AccountId, card: CardId) {
        self.cards.insert((Account(account.clone()), Id(card.0)));
    }

    /// A message, to decide what follows it.
    pub(crate) fn message(&mut self, account: &AccountId, token: TransactionToken) {
        self.messages.insert((Account(account.clone()), Id(token.0)));
    }

    /// A budget with all it holds.
    pub(crate) fn budget(&mut self, account: &AccountId, budget: BudgetId) {
        self.budgets.insert((Account(account.clone()), Id(budget.0)));
    }

    /// What creations on an account are decided under, one after the other: the lock of its counter.
    pub(crate) fn creation(&mut self, account: &AccountId) {
        self.counters.insert((Account(account.clone()),));
    }

    /// A budget, to decide a credit of it.
    pub(crate) fn credited(&mut self, account: &AccountId, budget: BudgetId) {
        self.budgets.insert((Account(account.clone()), Id(budget.0)));
        self.counters.insert((Account(account.clone()),));
    }

    /// A batch, and the enrolment of its account.
    pub(crate) fn batch(&mut self, account: &AccountId, batch: PaymentBatchId) {
        self.batches.insert((Account(account.clone()), Id(batch.0)));
        self.enrolments.insert((Account(account.clone()),));
    }

    /// A batch, and nothing with it.
    pub(crate) fn batch_only(&mut self, account: &AccountId, batch: PaymentBatchId) {
        self.batches.insert((Account(account.clone()), Id(batch.0)));
    }

    /// The balances that pay for a batch.
    pub(crate) fn funds_of(&mut self, account: &AccountId, batch: PaymentBatchId) {
        self.funded.insert((Account(account.clone()), Id(batch.0)));
    }

    /// A session.
    pub(crate) fn session(&mut self, account: &AccountId, session: MfaSessionId) {
        self.sessions.insert((Account(account.clone()), Id(session.0)));
    }

    /// What was answered under a claim.
    pub(crate) fn answer<T>(&mut self, claim: Option<&RepeatClaim<T>>) {
        self.records.extend(claim.map(record_key));
    }
}

/// The record that a claim is about.
pub(crate) fn record_key<T>(claim: &RepeatClaim<T>) -> RecordKey {
    (Account(claim.account.clone()), Id(claim.client.0), claim.key.as_str().to_owned())
}
