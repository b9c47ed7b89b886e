//! A test scenario: one checkout session.

use super::a_bank_choice;
use super::ids::{CountingIds, noon};
use crate::budget::BudgetRecord;
use crate::checkout::{
    BankAnswer, BudgetCredit, CheckoutSession, MerchantPayment, MerchantPaymentStatus, PayerDecision, PayerOutcome,
    SessionAction, SessionDecision, SessionRefusal, SessionSituation, SessionStatus, decide_session,
};
use crate::event::{Event, EventKind};
use crate::ids::MerchantPaymentId;
use crate::ledger::JournalTransaction;
use crate::stamp::Stamp;
use chrono::{DateTime, TimeDelta, Utc};

/// A checkout session under test. Its methods call the rules and store their decisions, like an adapter.
#[derive(Clone, Debug)]
pub struct SessionScenario {
    /// The situation for the next decision.
    pub situation: SessionSituation,
    /// Every payment in its current state, oldest first.
    pub payments: Vec<MerchantPayment>,
    /// Every journal transaction, oldest first.
    pub journal: Vec<JournalTransaction>,
    /// Every event, oldest first.
    pub events: Vec<Event>,
    /// The current time of the scenario.
    pub now: DateTime<Utc>,
    /// The next id.
    next_id: u128,
}

impl SessionScenario {
    /// Creates a scenario at noon, with a session that credits no budget.
    pub fn of(session: CheckoutSession) -> Self {
        let situation = SessionSituation { session, pending: None, budget: None, may_reconcile: false };
        let (payments, journal, events) = (Vec::new(), Vec::new(), Vec::new());
        Self { situation, payments, journal, events, now: noon(), next_id: 100 }
    }

    /// Sets the budget that the session credits.
    #[must_use]
    pub fn crediting(mut self, budget: impl Into<BudgetRecord>) -> Self {
        self.situation.budget = Some(BudgetCredit { budget: budget.into().budget, number: 1 });
        self
    }

    /// Gives the merchant the permission `reconciliation`.
    #[must_use]
    pub fn reconciled(mut self) -> Self {
        self.situation.may_reconcile = true;
        self
    }

    /// Advances the clock by some minutes, without applying what is due.
    pub fn wait(&mut self, minutes: i64) {
        self.now += TimeDelta::minutes(minutes);
    }

    /// Decides an action without storing the decision.
    pub fn preview(&self, action: &SessionAction) -> Result<SessionDecision, SessionRefusal> {
        let ids = CountingIds::starting_at(self.next_id);
        decide_session(&self.situation, action, &Stamp { now: self.now, ids: ids.source() })
    }

    /// Decides an action, and stores the decision.
    pub fn apply(&mut self, action: &SessionAction) -> Result<(), SessionRefusal> {
        let decision = self.preview(action)?;
        // No decision uses more ids than this.
        self.next_id += 100;
        self.store(decision);
        Ok(())
    }

    /// The payer chooses a bank. Returns the id of the new payment.
    pub fn choose_bank(&mut self) -> Result<MerchantPaymentId, SessionRefusal> {
        self.apply(&SessionAction::ChooseBank(a_bank_choice()))?;
        let Some(pending) = &self.situation.pending else { panic!("a payment must be PENDING") };
        Ok(pending.id)
    }

    /// Returns the decision with which the payer causes an outcome now. The bank reports after some minutes.
    pub fn decision(&self, outcome: PayerOutcome, minutes: i64) -> PayerDecision {
        match outcome.report(self.now, TimeDelta::minutes(minutes)) {
            Some(report) => PayerDecision::Approve(BankAnswer::Report(report)),
            None if outcome == PayerOutcome::Reject => PayerDecision::Reject,
            None => PayerDecision::Leave,
        }
    }

    /// The payer pays without a browser. The bank reports after some minutes.
    pub fn pay(&mut self, outcome: PayerOutcome, minutes: i64) -> Result<(), SessionRefusal> {
        let decision = self.decision(outcome, minutes);
        self.apply(&SessionAction::Pay { bank: a_bank_choice(), shipping: None, decision })
    }

    /// Returns the session.
    pub const fn session(&self) -> &CheckoutSession {
        &self.situation.session
    }

    /// Returns the status of the session.
    pub const fn status(&self) -> SessionStatus {
        self.situation.session.status()
    }

    /// Returns the status of every payment, oldest first.
    pub fn payment_statuses(&self) -> Vec<MerchantPaymentStatus> {
        self.payments.iter().map(MerchantPayment::status).collect()
    }

    /// Returns the kinds and times of all events, oldest first.
    pub fn event_log(&self) -> Vec<(EventKind, DateTime<Utc>)> {
        self.events.iter().map(|event| (event.kind, event.at)).collect()
    }

    fn store(&mut self, decision: SessionDecision) {
        let SessionDecision { session, payments, journal, credited, events } = decision;
        for payment in payments {
            match self.payments.iter_mut().find(|stored| stored.id == payment.id) {
                Some(stored) => *stored = payment,
                None => self.payments.push(payment),
            }
        }
        let is_pending = |payment: &&MerchantPayment| payment.status() == MerchantPaymentStatus::Pending;
        self.situation.pending = self.payments.iter().find(is_pending).cloned();
        if let (Some(balances), Some(credit)) = (credited, &mut self.situation.budget) {
            let balances_by_currency = credit.budget.balances.iter_mut();
            balances_by_currency
                .filter(|(currency, _)| *currency == session.amount.currency)
                .for_each(|(_, stored)| *stored = balances);
            credit.number += 1;
        }
        self.journal.extend(journal);
        self.events.extend(events);
        self.situation.session = session;
    }
}
