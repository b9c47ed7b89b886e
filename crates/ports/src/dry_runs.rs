//! Dry runs: commands that are decided but not stored.
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

/// The result that a command would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DryRun<T> {
    /// The result for the caller.
    pub done: T,
    /// Why a card message would be declined, with the currency of its amounts. `None` if it would not be declined.
    pub declined: Option<(Explanation, Currency)>,
    /// The journal transactions that would be written; empty if no money would move.
    pub journal: Vec<JournalTransaction>,
    /// The balances of the budgets afterwards.
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

/// Previews the results of commands and stores nothing.
///
/// Promises: a command is decided as its own port would decide it at this moment, under the same lock and after all
/// earlier commands. An absence or a refusal is the same error. Nothing is stored, whatever the decision: no attempt is
/// counted and no session is used up. The idempotency claim of the command is ignored: no record is looked up or
/// created.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait DryRuns: Send + Sync {
    /// Previews a first message: see [`crate::CardLedger::first_message`].
    async fn preview_first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>>;

    /// Previews a follow-up: see [`crate::CardLedger::follow_up`].
    async fn preview_follow_up(
        &self,
        command: FollowUpCommand,
    ) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>>;

    /// Previews a credit: see [`crate::Credits::credit`].
    async fn preview_credit(&self, command: CreditCommand) -> Result<DryRun<Credit>, WriteError<CreditRefusal>>;

    /// Previews a transfer: see [`crate::Transfers::transfer`].
    async fn preview_transfer(
        &self,
        command: TransferCommand,
    ) -> Result<DryRun<TransferDone>, WriteError<TransferRefusal>>;

    /// Previews a confirmation: see [`crate::PaymentBatches::confirm`].
    async fn preview_confirm(
        &self,
        command: ConfirmCommand,
    ) -> Result<DryRun<PaymentBatch>, WriteError<ConfirmRefusal>>;
}
