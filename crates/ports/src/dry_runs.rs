//! Dry runs: orders that are decided, and nothing more.
#![cfg_attr(
    feature = "test-support",
    expect(clippy::struct_field_names, reason = "the mock has a member for each method, named as it is")
)]

use crate::{ConfirmOrder, CreditOrder, FirstMessageOrder, FollowUpOrder, TransferOrder, WriteError};
use async_trait::async_trait;
use florin_domain::batch::{ConfirmRefusal, Confirmation, PaymentBatch};
use florin_domain::budget::{Credit, CreditDecision, CreditRefusal, TransferDecision, TransferDone, TransferRefusal};
use florin_domain::card::decide::{CardDecision, CardRefusal};
use florin_domain::card::{CardTransaction, Explanation};
use florin_domain::ids::BudgetId;
use florin_domain::ledger::{Balances, JournalTransaction};
use florin_domain::money::Currency;
use std::collections::BTreeMap;

/// What an order would come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried<T> {
    /// What the caller would be told.
    pub done: T,
    /// Why a card message would be declined, and the currency of the amounts in it; `None` where it would not be.
    pub declined: Option<(Explanation, Currency)>,
    /// What would be written into the journal; nothing where no money would move.
    pub journal: Vec<JournalTransaction>,
    /// What the budgets would hold afterwards.
    pub balances: BTreeMap<(BudgetId, Currency), Balances>,
}

impl From<CardDecision> for Tried<CardTransaction> {
    fn from(decision: CardDecision) -> Self {
        let message = decision.transaction;
        let currency = message.currency;
        Self {
            declined: decision.declined.map(|declined| (declined, currency)),
            journal: decision.journal.into_iter().collect(),
            balances: [((message.budget, currency), decision.balances)].into(),
            done: message,
        }
    }
}

impl From<CreditDecision> for Tried<Credit> {
    fn from(CreditDecision { credit, journal }: CreditDecision) -> Self {
        let of_budget = (credit.instruction.budget, credit.instruction.currency);
        let balances = [(of_budget, credit.balances)].into();
        Self { done: credit, declined: None, journal: vec![journal], balances }
    }
}

impl From<TransferDecision> for Tried<TransferDone> {
    fn from(TransferDecision { done, journal }: TransferDecision) -> Self {
        let TransferDone { transfer, from, to } = &done;
        let balances = [((transfer.from, transfer.currency), *from), ((transfer.to, transfer.currency), *to)].into();
        Self { done, declined: None, journal: vec![journal], balances }
    }
}

impl From<Confirmation> for Tried<PaymentBatch> {
    fn from(confirmed: Confirmation) -> Self {
        let Confirmation { batch, journal, balances, .. } = confirmed;
        Self { done: batch, declined: None, journal, balances }
    }
}

/// Says what orders would come to, and writes nothing.
///
/// Promises: an order is decided as its own port would decide it at this moment, under the same lock and after all that came
/// before it; an absence or a refusal is the same error. Nothing is stored, whatever the decision says: no attempt is counted, no session
/// is burnt. The idempotency claim of the order is not looked at: no record is found, and none is made.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait DryRuns: Send + Sync {
    /// Tries a first message: see [`crate::CardLedger::first_message`].
    async fn try_first_message(
        &self,
        order: FirstMessageOrder,
    ) -> Result<Tried<CardTransaction>, WriteError<CardRefusal>>;

    /// Tries a follow-up: see [`crate::CardLedger::follow_up`].
    async fn try_follow_up(&self, order: FollowUpOrder) -> Result<Tried<CardTransaction>, WriteError<CardRefusal>>;

    /// Tries a credit: see [`crate::Credits::credit`].
    async fn try_credit(&self, order: CreditOrder) -> Result<Tried<Credit>, WriteError<CreditRefusal>>;

    /// Tries a transfer: see [`crate::Transfers::transfer`].
    async fn try_transfer(&self, order: TransferOrder) -> Result<Tried<TransferDone>, WriteError<TransferRefusal>>;

    /// Tries a confirmation: see [`crate::PaymentBatches::confirm`].
    async fn try_confirm(&self, order: ConfirmOrder) -> Result<Tried<PaymentBatch>, WriteError<ConfirmRefusal>>;
}
