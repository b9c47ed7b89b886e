//! Dry runs: orders that are decided, and nothing more.
#![cfg_attr(
    feature = "test-support",
    expect(clippy::struct_field_names, reason = "the mock has a member for each method, named as it is")
)]

use crate::{ConfirmCommand, CreditCommand, FirstMessageCommand, FollowUpCommand, TransferCommand, WriteError};
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
pub struct DryRun<T> {
    /// What the caller would be told.
    pub done: T,
    /// Why a card message would be declined, and the currency of the amounts in it; `None` where it would not be.
    pub declined: Option<(Explanation, Currency)>,
    /// What would be written into the journal; nothing where no money would move.
    pub journal: Vec<JournalTransaction>,
    /// What the budgets would hold afterwards.
    pub balances: BTreeMap<(BudgetId, Currency), Balances>,
}

impl From<CardDecision> for DryRun<CardTransaction> {
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

impl From<CreditDecision> for DryRun<Credit> {
    fn from(CreditDecision { credit, journal }: CreditDecision) -> Self {
        let of_budget = (credit.instruction.budget, credit.instruction.currency);
        let balances = [(of_budget, credit.balances)].into();
        Self { done: credit, declined: None, journal: vec![journal], balances }
    }
}

impl From<TransferDecision> for DryRun<TransferDone> {
    fn from(TransferDecision { done, journal }: TransferDecision) -> Self {
        let TransferDone { transfer, from, to } = &done;
        let balances = [((transfer.from, transfer.currency), *from), ((transfer.to, transfer.currency), *to)].into();
        Self { done, declined: None, journal: vec![journal], balances }
    }
}

impl From<Confirmation> for DryRun<PaymentBatch> {
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
    async fn preview_first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>>;

    /// Tries a follow-up: see [`crate::CardLedger::follow_up`].
    async fn preview_follow_up(
        &self,
        command: FollowUpCommand,
    ) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>>;

    /// Tries a credit: see [`crate::Credits::credit`].
    async fn preview_credit(&self, command: CreditCommand) -> Result<DryRun<Credit>, WriteError<CreditRefusal>>;

    /// Tries a transfer: see [`crate::Transfers::transfer`].
    async fn preview_transfer(
        &self,
        command: TransferCommand,
    ) -> Result<DryRun<TransferDone>, WriteError<TransferRefusal>>;

    /// Tries a confirmation: see [`crate::PaymentBatches::confirm`].
    async fn preview_confirm(
        &self,
        command: ConfirmCommand,
    ) -> Result<DryRun<PaymentBatch>, WriteError<ConfirmRefusal>>;
}
