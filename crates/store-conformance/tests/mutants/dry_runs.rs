//! Bugs in dry runs.

use crate::bugs::{Bug, Mutant};
use async_trait::async_trait;
use florin_domain::batch::{ConfirmRefusal, PaymentBatch};
use florin_domain::budget::{Credit, CreditRefusal, TransferDone, TransferRefusal};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::CardRefusal;
use florin_ports::{
    CardLedger, ConfirmCommand, CreditCommand, DryRun, DryRuns, FirstMessageCommand, FollowUpCommand, PaymentBatches,
    TransferCommand, WriteError,
};
use std::sync::Arc;

#[async_trait]
impl DryRuns for Mutant {
    async fn preview_first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>> {
        let wet = FirstMessageCommand {
            account: command.account.clone(),
            card: command.card,
            decide: Arc::clone(&command.decide),
            repeat: None,
        };
        let mut tried = self.inner.preview_first_message(command).await;
        if self.has(Bug::DryRunsWrite) {
            let _ = self.inner.first_message(wet).await;
        }
        if let (true, Ok(tried)) = (self.has(Bug::DryRunsHidePostings), &mut tried) {
            tried.journal.clear();
        }
        tried
    }

    async fn preview_follow_up(
        &self,
        command: FollowUpCommand,
    ) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>> {
        self.inner.preview_follow_up(command).await
    }

    async fn preview_credit(&self, command: CreditCommand) -> Result<DryRun<Credit>, WriteError<CreditRefusal>> {
        let repeat = command.repeat.clone();
        let tried = self.inner.preview_credit(command).await;
        if let (true, Some(claim), Ok(tried)) = (self.has(Bug::DryRunsAreRecorded), repeat, &tried) {
            let (budget, done) = (tried.done.instruction.budget, tried.clone());
            let decide = Arc::new(move |_: &(florin_domain::budget::Budget, i64)| {
                Ok(florin_domain::budget::CreditDecision {
                    credit: done.done.clone(),
                    journal: done.journal[0].clone(),
                })
            });
            let account = claim.account.clone();
            let command = CreditCommand { account, budget, decide, repeat: Some(claim) };
            let _ = florin_ports::Credits::credit(&self.inner, command).await;
        }
        tried
    }

    async fn preview_transfer(
        &self,
        command: TransferCommand,
    ) -> Result<DryRun<TransferDone>, WriteError<TransferRefusal>> {
        self.inner.preview_transfer(command).await
    }

    async fn preview_confirm(
        &self,
        command: ConfirmCommand,
    ) -> Result<DryRun<PaymentBatch>, WriteError<ConfirmRefusal>> {
        if self.has(Bug::DryRunsCountAttempts) {
            let rule = Arc::clone(&command.decide);
            let decide = Arc::new(move |situation: &_| {
                let mut decision = rule(situation);
                decision.answer = Err(ConfirmRefusal::MfaRequired);
                decision
            });
            let (account, batch, session) = (command.account.clone(), command.batch, command.session);
            let _ = self.inner.confirm(ConfirmCommand { account, batch, session, decide, repeat: None }).await;
        }
        self.inner.preview_confirm(command).await
    }
}
