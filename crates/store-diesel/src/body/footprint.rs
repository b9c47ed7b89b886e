//! The keys of the rows that the commands of a group read and lock.

use super::types::{Account, Id};
use florin_domain::ids::{AccountId, BudgetId, CardId, MfaSessionId, PaymentBatchId, TransactionToken};
use florin_ports::IdempotencyClaim;
use std::collections::BTreeSet;

/// The key of a row of an account.
pub(crate) type Key = (Account, Id);
/// The key of an idempotency record: account, client, key.
pub(crate) type RecordKey = (Account, Id, String);

/// The keys of the rows that a group loads. A row that several commands name is loaded once.
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
    /// Batches, for the balances of the budgets that fund them.
    pub(crate) funded: BTreeSet<Key>,
    /// MFA sessions.
    pub(crate) sessions: BTreeSet<Key>,
    /// TOTP enrolments.
    pub(crate) enrolments: BTreeSet<(Account,)>,
    /// Accounts, for their counters, which have the number of the last entry.
    pub(crate) counters: BTreeSet<(Account,)>,
    /// Payments that the sandbox's bank may have accepted.
    pub(crate) accepted: BTreeSet<(Id,)>,
    /// Idempotency records.
    pub(crate) records: BTreeSet<RecordKey>,
}

impl Footprint {
    /// Adds a card, for a first message.
    pub(crate) fn card(&mut self, account: &AccountId, card: CardId) {
        self.cards.insert((Account(account.clone()), Id(card.0)));
    }

    /// Adds a message, for a follow-up.
    pub(crate) fn message(&mut self, account: &AccountId, token: TransactionToken) {
        self.messages.insert((Account(account.clone()), Id(token.0)));
    }

    /// Adds a budget with all its balances.
    pub(crate) fn budget(&mut self, account: &AccountId, budget: BudgetId) {
        self.budgets.insert((Account(account.clone()), Id(budget.0)));
    }

    /// Adds the lock that serializes creations, edits and settlements on an account: the lock of its counters.
    pub(crate) fn counters(&mut self, account: &AccountId) {
        self.counters.insert((Account(account.clone()),));
    }

    /// Adds a budget and the account's counters, for an entry with a number.
    pub(crate) fn budget_and_counters(&mut self, account: &AccountId, budget: BudgetId) {
        self.budgets.insert((Account(account.clone()), Id(budget.0)));
        self.counters.insert((Account(account.clone()),));
    }

    /// Adds a batch, and the enrolment of its account.
    pub(crate) fn batch(&mut self, account: &AccountId, batch: PaymentBatchId) {
        self.batches.insert((Account(account.clone()), Id(batch.0)));
        self.enrolments.insert((Account(account.clone()),));
    }

    /// Adds a batch alone.
    pub(crate) fn batch_only(&mut self, account: &AccountId, batch: PaymentBatchId) {
        self.batches.insert((Account(account.clone()), Id(batch.0)));
    }

    /// Adds the balances that fund a batch.
    pub(crate) fn funds_of(&mut self, account: &AccountId, batch: PaymentBatchId) {
        self.funded.insert((Account(account.clone()), Id(batch.0)));
    }

    /// Adds an MFA session.
    pub(crate) fn session(&mut self, account: &AccountId, session: MfaSessionId) {
        self.sessions.insert((Account(account.clone()), Id(session.0)));
    }

    /// Adds the idempotency record of a claim.
    pub(crate) fn record<T>(&mut self, claim: Option<&IdempotencyClaim<T>>) {
        self.records.extend(claim.map(record_key));
    }
}

/// Returns the key of the record of a claim.
pub(crate) fn record_key<T>(claim: &IdempotencyClaim<T>) -> RecordKey {
    (Account(claim.account.clone()), Id(claim.client.0), claim.key.as_str().to_owned())
}
