//! Bugs in dry runs.

use crate::bugs::{Bug, Mutant};
use async_trait::async_trait;
use florin_domain::batch::{ConfirmRefusal, PaymentBatch};
use florin_domain::budget::{Credit, CreditRefusal, TransferDone, TransferRefusal};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::CardRefusal;
use florin_ports::{
    CardLedger, ConfirmOrder, CreditOrder, DryRuns, FirstMessageOrder, FollowUpOrder, PaymentBatches, TransferOrder,
    Tried, WriteError,
};
use std::sync::Arc;

#[async_trait]
impl DryRuns for Mutant {
    async fn try_first_message(
        &self,
        order: FirstMessageOrder,
    ) -> Result<Tried<CardTransaction>, WriteError<CardRefusal>> {
        let wet = FirstMessageOrder {
            account: order.account.clone(),
            card: order.card,
            decide: Arc::clone(&order.decide),
            repeat: None,
        };
        let mut tried = self.inner.try_first_message(order).await;
        if self.has(Bug::DryRunsWrite) {
            let _ = self.inner.first_message(wet).await;
        }
        if let (true, Ok(tried)) = (self.has(Bug::DryRunsHidePostings), &mut tried) {
            tried.journal.clear();
        }
        tried
    }

    async fn try_follow_up(&self, order: FollowUpOrder) -> Result<Tried<CardTransaction>, WriteError<CardRefusal>> {
        self.inner.try_follow_up(order).await
    }

    async fn try_credit(&self, order: CreditOrder) -> Result<Tried<Credit>, WriteError<CreditRefusal>> {
        let repeat = order.repeat.clone();
        let tried = self.inner.try_credit(order).await;
        if let (true, Some(claim), Ok(tried)) = (self.has(Bug::DryRunsAreRecorded), repeat, &tried) {
            let (budget, done) = (tried.done.instruction.budget, tried.clone());
            let decide = Arc::new(move |_: &(florin_domain::budget::Budget, i64)| {
                Ok(florin_domain::budget::CreditDecision {
                    credit: done.done.clone(),
                    journal: done.journal[0].clone(),
                })
            });
            let account = claim.account.clone();
            let order = CreditOrder { account, budget, decide, repeat: Some(claim) };
            let _ = florin_ports::Credits::credit(&self.inner, order).await;
        }
        tried
    }

    async fn try_transfer(&self, order: TransferOrder) -> Result<Tried<TransferDone>, WriteError<TransferRefusal>> {
        self.inner.try_transfer(order).await
    }

    async fn try_confirm(&self, order: ConfirmOrder) -> Result<Tried<PaymentBatch>, WriteError<ConfirmRefusal>> {
        if self.has(Bug::DryRunsCountAttempts) {
            let rule = Arc::clone(&order.decide);
            let decide = Arc::new(move |situation: &_| {
                let mut decision = rule(situation);
                decision.answer = Err(ConfirmRefusal::MfaRequired);
                decision
            });
            let (account, batch, session) = (order.account.clone(), order.batch, order.session);
            let _ = self.inner.confirm(ConfirmOrder { account, batch, session, decide, repeat: None }).await;
        }
        self.inner.try_confirm(order).await
    }
}
