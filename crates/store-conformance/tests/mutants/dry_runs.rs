//! Bugs in dry runs.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use florin_domain::batch::{ConfirmRefusal, PaymentBatch};
use florin_domain::budget::{Credit, CreditDecision, CreditRefusal, CreditSituation};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::CardRefusal;
use florin_domain::checkout::{MerchantPayment, RefundRefusal};
use florin_ports::{
    CardLedger, ConfirmCommand, CreditCommand, Credits, FirstMessageCommand, MerchantPayments, Mode, PaymentBatches,
    RefundCommand, WriteError, Written,
};
use std::sync::Arc;

impl Mutant {
    pub(crate) async fn dry_refund_that_writes(
        &self,
        command: RefundCommand,
    ) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>> {
        let (account, refund, decide) = (command.account.clone(), command.refund, Arc::clone(&command.decide));
        let answer = MerchantPayments::act(&self.inner, command).await;
        let committed = RefundCommand { account, refund, decide, mode: Mode::Commit, claim: None };
        let _ = MerchantPayments::act(&self.inner, committed).await;
        answer
    }

    pub(crate) async fn dry_first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        let committed = FirstMessageCommand {
            account: command.account.clone(),
            card: command.card,
            decide: Arc::clone(&command.decide),
            mode: Mode::Commit,
            claim: None,
        };
        let mut answer = self.inner.first_message(command).await;
        if self.has(Bug::DryRunsWrite) {
            let _ = self.inner.first_message(committed).await;
        }
        if let (true, Ok(Written::DryRun(dry_run))) = (self.has(Bug::DryRunsHidePostings), &mut answer) {
            dry_run.journal.clear();
        }
        answer
    }

    pub(crate) async fn dry_credit(
        &self,
        command: CreditCommand,
    ) -> Result<Written<Credit>, WriteError<CreditRefusal>> {
        let claim = command.claim.clone();
        let answer = self.inner.credit(command).await;
        if let (true, Some(claim), Ok(Written::DryRun(done))) = (self.has(Bug::DryRunsAreRecorded), claim, &answer) {
            let (budget, done) = (done.done.instruction.budget, done.clone());
            let decide = Arc::new(move |_: &CreditSituation| {
                Ok(CreditDecision { credit: done.done.clone(), journal: done.journal[0].clone(), events: vec![] })
            });
            let account = claim.account.clone();
            let command = CreditCommand { account, budget, decide, mode: Mode::Commit, claim: Some(claim) };
            let _ = self.inner.credit(command).await;
        }
        answer
    }

    pub(crate) async fn dry_confirm(
        &self,
        command: ConfirmCommand,
    ) -> Result<Written<PaymentBatch>, WriteError<ConfirmRefusal>> {
        if self.has(Bug::DryRunsCountAttempts) {
            let rule = Arc::clone(&command.decide);
            let decide = Arc::new(move |situation: &_| {
                let mut decision = rule(situation);
                decision.result = Err(ConfirmRefusal::MfaRequired);
                decision
            });
            let (account, batch, session) = (command.account.clone(), command.batch, command.session);
            let committed = ConfirmCommand { account, batch, session, decide, mode: Mode::Commit, claim: None };
            let _ = self.inner.confirm(committed).await;
        }
        self.inner.confirm(command).await
    }
}
