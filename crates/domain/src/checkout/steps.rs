//! Decisions about a session: actions of the payer, the merchant, the bank and the clock.

use super::completion::Completion;
use super::{
    BankAnswer, BankChoice, BankReport, BankReportResult, CheckoutSession, MerchantPayment, MerchantPaymentState,
    PaymentFailure, SessionDecision, SessionRefusal, SessionSituation, SessionState, SessionStatus, SessionStep,
    Shipping, StepEffect, check_merchant_amount,
};
use crate::event::{Event, EventKind};
use crate::ids::MerchantPaymentId;
use crate::stamp::Stamp;
use chrono::{DateTime, Utc};

/// An action on a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionAction {
    /// No action: the decision only applies what is due.
    Due,
    /// The payer sends a form of the page other than a cancellation, which begins the session.
    Begin,
    /// The payer sends a shipping address. A rate that the merchant set is kept; a rate that the payer chose is
    /// removed, so that the payer chooses again. The rate in this value is ignored.
    Ship(Shipping),
    /// The payer chooses one of the offered shipping rates.
    Rate(super::ShippingRate),
    /// The payer chooses a bank and is redirected to it.
    ChooseBank(BankChoice),
    /// The payer decides at the simulated bank about this payment.
    AtBank(MerchantPaymentId, PayerDecision),
    /// The bank reports a decision about this payment and its time. A decision in time counts even if the bank reports
    /// it later.
    BankSays(MerchantPaymentId, PayerDecision, DateTime<Utc>),
    /// All steps of a payer without a browser: send a shipping address, choose a bank, and decide there.
    Pay {
        /// The bank that the payer chooses.
        bank: BankChoice,
        /// The shipping address and rate, if the page would ask for them.
        shipping: Option<Shipping>,
        /// The payer's decision at the bank.
        decision: PayerDecision,
    },
    /// The merchant cancels the session.
    MerchantCancels,
    /// The payer cancels the session on the page.
    PayerCancels,
}

/// The decision of a payer at the bank, or of a merchant about a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayerDecision {
    /// Approves the payment. The bank reports its result now or later.
    Approve(BankAnswer),
    /// Rejects the payment.
    Reject,
    /// Leaves without a decision.
    Leave,
}

/// Decides an action on a locked session. What was due before is applied first.
///
/// ```
/// use florin_domain::checkout::{SessionAction, SessionRefusal, SessionSituation, SessionStatus, decide_session};
/// use florin_domain::test_support::{a_session, a_stamp};
///
/// let session = a_session("12.50 GBP");
/// let situation = SessionSituation { session, pending: None, budget: None, may_reconcile: false };
/// let session = decide_session(&situation, &SessionAction::MerchantCancels, &a_stamp()).unwrap().session;
/// assert_eq!(session.status(), SessionStatus::Cancelled);
///
/// let cancelled = SessionSituation { session, ..situation };
/// let refused = decide_session(&cancelled, &SessionAction::MerchantCancels, &a_stamp());
/// assert_eq!(refused, Err(SessionRefusal::NotOpen(SessionStatus::Cancelled)));
/// ```
pub fn decide_session(
    situation: &SessionSituation,
    action: &SessionAction,
    stamp: &Stamp<'_>,
) -> Result<SessionDecision, SessionRefusal> {
    let mut change = SessionChange::new(situation, stamp);
    if let SessionAction::BankSays(payment, decision, at) = action {
        change.apply_bank_decision(*payment, *decision, *at)?;
    }
    change.settle_due()?;
    match action {
        SessionAction::Due | SessionAction::BankSays(..) => {}
        SessionAction::Begin => change.begin(),
        SessionAction::Ship(shipping) => change.ship_to(shipping)?,
        SessionAction::Rate(rate) => change.rate(rate)?,
        SessionAction::ChooseBank(bank) => change.choose_bank(bank)?,
        SessionAction::AtBank(payment, decision) => change.decide_at_bank(*payment, *decision, stamp.now)?,
        SessionAction::Pay { bank, shipping, decision } => change.pay(bank, shipping.as_ref(), *decision)?,
        SessionAction::MerchantCancels => change.cancel(SessionStep::MerchantCancels)?,
        SessionAction::PayerCancels => change.cancel(SessionStep::PayerCancels)?,
    }
    // If the bank reports immediately, its report is already due.
    change.settle_due()?;
    Ok(change.finish())
}

/// The change of a session by an action: the session so far, and the results to store.
struct SessionChange<'a> {
    situation: &'a SessionSituation,
    stamp: &'a Stamp<'a>,
    session: CheckoutSession,
    pending: Option<MerchantPayment>,
    /// Payments that became final.
    ended: Vec<MerchantPayment>,
    completion: Option<Completion>,
    events: Vec<Event>,
}

impl<'a> SessionChange<'a> {
    fn new(situation: &'a SessionSituation, stamp: &'a Stamp<'a>) -> Self {
        Self {
            situation,
            stamp,
            session: situation.session.clone(),
            pending: situation.pending.clone(),
            ended: Vec::new(),
            completion: None,
            events: Vec::new(),
        }
    }

    /// Returns the status after a step of the transition table at a time. `None`: the step has no effect.
    fn status_after(&self, step: SessionStep, at: DateTime<Utc>) -> Result<Option<SessionStatus>, SessionRefusal> {
        let (status, is_over) = (self.session.status(), at >= self.session.expires_at);
        match status.after(step, self.session.state.has_begun(), is_over) {
            StepEffect::Becomes(next) => Ok(Some(next)),
            StepEffect::Nothing => Ok(None),
            StepEffect::Refused => Err(SessionRefusal::NotOpen(status)),
        }
    }

    /// Applies a step of the transition table that completes no payment, and returns whether it had an effect.
    fn step(&mut self, step: SessionStep, at: DateTime<Utc>) -> Result<bool, SessionRefusal> {
        let Some(status) = self.status_after(step, at)? else { return Ok(false) };
        let state = SessionState::without_payment(status, self.session.state.has_begun());
        if let Some(state) = state.filter(|state| *state != self.session.state) {
            self.enter(state, at);
        }
        Ok(state.is_some())
    }

    /// Changes the state of the session at a time.
    fn enter(&mut self, state: SessionState, at: DateTime<Utc>) {
        self.session.state = state;
        self.session.updated_at = at;
    }

    /// Applies what is due: first the bank's report, then the expiry of the session.
    fn settle_due(&mut self) -> Result<(), SessionRefusal> {
        let now = self.stamp.now;
        let report = self.pending.as_ref().and_then(|payment| payment.state.report());
        if let Some(report) = report.filter(|report| report.at <= now) {
            match report.result {
                BankReportResult::Confirmed => self.confirm(report)?,
                BankReportResult::Failed(_) => self.fail(report)?,
            }
        }
        if self.session.status() == SessionStatus::Open && self.session.expires_at <= now {
            self.run_out()?;
        }
        Ok(())
    }

    fn confirm(&mut self, report: BankReport) -> Result<(), SessionRefusal> {
        let (at, Some(payment)) = (report.at, self.pending.clone()) else { return Ok(()) };
        if self.status_after(SessionStep::Confirm, at)? != Some(SessionStatus::Completed) {
            return Ok(());
        }
        self.pending = None;
        let payment = MerchantPayment { state: payment.state.reported(report), ..payment };
        let completion = Completion::of(self.situation, &payment, (self.stamp, at))?;
        self.enter(SessionState::Completed { payment: payment.id, order: completion.order, completed_at: at }, at);
        self.events.extend(completion.events(&self.session, &payment, self.situation.may_reconcile));
        self.completion = Some(completion);
        self.ended.push(payment);
        Ok(())
    }

    fn fail(&mut self, report: BankReport) -> Result<(), SessionRefusal> {
        if self.step(SessionStep::Fail, report.at)? {
            self.end_payment(|state| state.reported(report), report.at);
            self.add_end_event(report.at);
        }
        Ok(())
    }

    fn run_out(&mut self) -> Result<(), SessionRefusal> {
        let at = self.session.expires_at;
        if self.step(SessionStep::RunOut, at)? {
            self.end_payment(MerchantPaymentState::cancelled, at);
            self.add_end_event(at);
        }
        Ok(())
    }

    fn begin(&mut self) {
        if self.session.state == (SessionState::Open { has_begun: false }) {
            self.enter(SessionState::Open { has_begun: true }, self.stamp.now);
        }
    }

    /// Sets the address and the rate, and replaces the price of shipping in the amount.
    fn ship(&mut self, shipping: &Shipping) -> Result<(), SessionRefusal> {
        self.must_be_open()?;
        if !self.session.collects_address() {
            return Err(SessionRefusal::ShippingNotCollected);
        }
        self.begin();
        let amount = self.session.amount_without_shipping().ok_or(crate::ledger::AmountOutOfRange::Overflow)?;
        self.session.amount = amount.plus(shipping.price()).ok_or(SessionRefusal::AboveMaximum)?.of(self.currency());
        check_merchant_amount(self.session.amount.minor).map_err(|_| SessionRefusal::AboveMaximum)?;
        // A payment in progress has the previous amount, so it is cancelled.
        self.end_payment(MerchantPaymentState::cancelled, self.stamp.now);
        self.session.shipping = Some(shipping.clone());
        self.session.updated_at = self.stamp.now;
        Ok(())
    }

    /// Sets the address. Keeps the rate if the merchant set it.
    fn ship_to(&mut self, shipping: &Shipping) -> Result<(), SessionRefusal> {
        let merchants_rate = self.session.shipping.as_ref().filter(|_| !self.session.has_dynamic_rates());
        let rate = merchants_rate.and_then(|shipping| shipping.rate.clone());
        self.ship(&Shipping { rate, ..shipping.clone() })
    }

    /// Sets the rate that the payer chose.
    fn rate(&mut self, rate: &super::ShippingRate) -> Result<(), SessionRefusal> {
        self.must_be_open()?;
        let shipping = self.session.shipping.clone().ok_or(SessionRefusal::ShippingRequired)?;
        self.ship(&Shipping { rate: Some(rate.clone()), ..shipping })
    }

    /// Begins a payment at a bank. Cancels the previous payment, if there is one.
    fn choose_bank(&mut self, bank: &BankChoice) -> Result<(), SessionRefusal> {
        self.must_be_open()?;
        if self.session.needs_shipping() {
            return Err(SessionRefusal::ShippingRequired);
        }
        if self.session.needs_rate() {
            return Err(SessionRefusal::RateRequired);
        }
        self.begin();
        let now = self.stamp.now;
        self.end_payment(MerchantPaymentState::cancelled, now);
        self.step(SessionStep::ChooseBank, now)?;
        self.pending = Some(MerchantPayment {
            id: MerchantPaymentId(self.stamp.id()),
            account: self.session.account.clone(),
            session: self.session.id,
            state: MerchantPaymentState::Pending { initiated_at: now, answer: None },
            amount: self.session.amount,
            bank: bank.clone(),
            created_at: now,
            refund: None,
        });
        Ok(())
    }

    /// Applies the payer's decision about a payment at the bank. Does nothing if the payment is not the current one.
    fn decide_at_bank(
        &mut self,
        payment: MerchantPaymentId,
        decision: PayerDecision,
        now: DateTime<Utc>,
    ) -> Result<(), SessionRefusal> {
        let step = match decision {
            PayerDecision::Approve(_) => SessionStep::Approve,
            PayerDecision::Reject | PayerDecision::Leave => SessionStep::Reject,
        };
        let Some(pending) = self.pending.as_ref().filter(|pending| pending.id == payment) else { return Ok(()) };
        // The payment was already approved, and the bank has it.
        if pending.state.report().is_some() || self.status_after(step, now)?.is_none() {
            return Ok(());
        }
        match decision {
            PayerDecision::Approve(answer) => {
                self.session.updated_at = now;
                self.store_bank_answer(answer, now);
            }
            PayerDecision::Reject => self.end_payment(MerchantPaymentState::rejected, now),
            PayerDecision::Leave => self.end_payment(MerchantPaymentState::cancelled, now),
        }
        Ok(())
    }

    /// Stores the bank's answer about the payment that was approved at the given time. The session is then PROCESSING,
    /// and due with the answer. Only a report is also stored with the payment.
    fn store_bank_answer(&mut self, answer: BankAnswer, approved: DateTime<Utc>) {
        let answer = answer.not_before(approved);
        self.session.state = SessionState::Processing { due_at: answer.due_at() };
        if let (BankAnswer::Report(_), Some(pending)) = (answer, &mut self.pending) {
            pending.state = pending.state.answered(answer);
        }
    }

    /// Applies the bank's answer about a payment without a result. Does nothing if the payment is not the current one.
    fn apply_bank_decision(
        &mut self,
        payment: MerchantPaymentId,
        decision: PayerDecision,
        at: DateTime<Utc>,
    ) -> Result<(), SessionRefusal> {
        let at = at.min(self.stamp.now);
        let is_current =
            self.pending.as_ref().is_some_and(|pending| pending.id == payment && pending.state.report().is_none());
        match (self.session.status(), decision) {
            (SessionStatus::Open, _) if is_current && at < self.session.expires_at => {
                self.decide_at_bank(payment, decision, at)?;
            }
            (SessionStatus::Processing, PayerDecision::Approve(answer)) if is_current => {
                self.store_bank_answer(answer, at);
            }
            // The bank rejects the payment after it reported an approval.
            (SessionStatus::Processing, PayerDecision::Reject | PayerDecision::Leave) if is_current => {
                let result = BankReportResult::Failed(PaymentFailure::RejectedByBank);
                self.store_bank_answer(BankAnswer::Report(BankReport { at, result }), at);
            }
            _ => {}
        }
        Ok(())
    }

    fn pay(
        &mut self,
        bank: &BankChoice,
        shipping: Option<&Shipping>,
        decision: PayerDecision,
    ) -> Result<(), SessionRefusal> {
        self.must_be_open()?;
        match shipping {
            Some(shipping) if self.session.needs_shipping() || self.session.needs_rate() => self.ship(shipping)?,
            Some(_) => return Err(SessionRefusal::ShippingNotCollected),
            None => {}
        }
        self.choose_bank(bank)?;
        if let Some(payment) = self.pending.as_ref().map(|pending| pending.id) {
            self.decide_at_bank(payment, decision, self.stamp.now)?;
        }
        Ok(())
    }

    fn cancel(&mut self, step: SessionStep) -> Result<(), SessionRefusal> {
        let now = self.stamp.now;
        if self.step(step, now)? {
            self.end_payment(MerchantPaymentState::cancelled, now);
            self.add_end_event(now);
        }
        Ok(())
    }

    fn must_be_open(&self) -> Result<(), SessionRefusal> {
        let status = self.session.status();
        if status == SessionStatus::Open { Ok(()) } else { Err(SessionRefusal::NotOpen(status)) }
    }

    const fn currency(&self) -> crate::money::Currency {
        self.session.amount.currency
    }

    /// Ends the current payment, if there is one, without moving money.
    fn end_payment(&mut self, end: impl FnOnce(MerchantPaymentState) -> MerchantPaymentState, at: DateTime<Utc>) {
        let Some(payment) = self.pending.take() else { return };
        let payment = MerchantPayment { state: end(payment.state), ..payment };
        if payment.state.failure().is_some() {
            self.events.push(self.session.payment_event(&payment, EventKind::MerchantPaymentFailed, at));
        }
        self.ended.push(payment);
    }

    /// Adds the event of a session that ended without a payment. A top-up of a budget has no such event.
    fn add_end_event(&mut self, at: DateTime<Utc>) {
        let kind = match self.session.status() {
            SessionStatus::Cancelled => EventKind::MerchantCheckoutSessionCancelled,
            SessionStatus::Abandoned => EventKind::MerchantCheckoutSessionAbandoned,
            SessionStatus::Expired => EventKind::MerchantCheckoutSessionExpired,
            SessionStatus::Open | SessionStatus::Processing | SessionStatus::Completed => return,
        };
        self.events.extend(self.session.event(kind, at));
    }

    fn finish(mut self) -> SessionDecision {
        let new = self.pending.filter(|payment| self.situation.pending.as_ref() != Some(payment));
        self.ended.extend(new);
        let (journal, credited) = self.completion.map_or((None, None), Completion::into_parts);
        SessionDecision { session: self.session, payments: self.ended, journal, credited, events: self.events }
    }
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
