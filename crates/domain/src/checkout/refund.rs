//! Decisions about refunds: their creation, their authorisation by the merchant at its bank, and the bank's report.

use super::completion::book_payment;
use super::{
    BankAnswer, BankReport, BankReportResult, CheckoutSession, MerchantPayment, MerchantPaymentKind,
    MerchantPaymentState, MerchantPaymentStatus, PageTokenHash, PayerDecision, PaymentFailure, RefundPart,
    RefundSource, RefundStatus, SessionStatus,
};
use crate::event::{Event, EventKind};
use crate::ids::{JournalId, MerchantPaymentId, RefundId};
use crate::ledger::{AmountOutOfRange, JournalKind, JournalTransaction, Pool};
use crate::money::{Minor, Money};
use crate::stamp::Stamp;
use crate::text::Text;
use chrono::{DateTime, TimeDelta, Utc};

/// Maximum amount of a refund, in minor units: 1,000.00.
pub const MAX_REFUND: Minor = Minor(100_000);
/// The time in which a merchant can authorise a refund.
const AUTHORISATION_TIME: TimeDelta = TimeDelta::minutes(20);

/// The situation for the creation of a refund. An adapter loads it under the lock of the payment.
#[derive(Clone, Debug)]
pub struct CreateRefundSituation {
    /// The payment that the request names. It may be a refund, which is refused.
    pub payment: MerchantPayment,
    /// The session of the payment.
    pub session: CheckoutSession,
    /// The sum of the payment's earlier refunds that are neither failed nor cancelled.
    pub refunded_or_pending: Minor,
    /// Whether the settlement account of the payment can pay refunds.
    pub source: RefundSource,
}

/// A request to refund a payment, with the new ids, the page token and the time.
#[derive(Clone, Debug)]
pub struct RefundRequest {
    /// The id of the refund.
    pub id: RefundId,
    /// The id of the row of the refund among the payments.
    pub payment: MerchantPaymentId,
    /// The amount, above zero.
    pub amount: Money,
    /// The merchant's reason for the refund.
    pub reason: Option<Text<1, 140>>,
    /// The hash of the token of the page on which the merchant authorises the refund.
    pub token: PageTokenHash,
    /// The time of creation.
    pub now: DateTime<Utc>,
}

/// Reasons to refuse a refund. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefundRefusal {
    /// The payment is a refund or a top-up, or is not COMPLETED.
    #[error("only a COMPLETED payment of a SHOPPING session can be refunded")]
    NotRefundable,
    /// The settlement account was deleted.
    #[error("the settlement account of the payment was deleted")]
    SettlementAccountDeleted,
    /// The settlement account has no bank.
    #[error("the settlement account has no bank")]
    NoBank,
    /// The bank of the settlement account pays no refunds.
    #[error("the bank of the settlement account pays no refunds")]
    BankWithoutRefunds,
    /// The payment was made in another currency.
    #[error("the payment was made in another currency")]
    OtherCurrency,
    /// The amount is above the maximum of a refund.
    #[error("a refund is at most {0}")]
    AboveMaximum(Money),
    /// The amount is above the part of the payment that was not refunded.
    #[error("{0} of the payment is left")]
    AboveRemainder(Money),
    /// The refund does not await an authorisation.
    #[error("the refund is {}", .0.as_str())]
    NotAwaiting(RefundStatus),
    /// An amount would overflow 64 bits.
    #[error(transparent)]
    AmountOutOfRange(#[from] AmountOutOfRange),
}

/// Decides the creation of a refund, which then awaits the merchant's authorisation.
///
/// ```
/// use florin_domain::checkout::{CreateRefundSituation, RefundRefusal, RefundSource, decide_create_refund};
/// use florin_domain::test_support::{a_completed_session, a_refund_of, a_refund_request, minor, money};
///
/// let (session, payment) = a_completed_session("12.50 GBP");
/// let refunded_or_pending = minor("3.00 GBP");
/// let situation = CreateRefundSituation { payment, session, refunded_or_pending, source: RefundSource::Ready };
/// let refund = decide_create_refund(&situation, &a_refund_request("9.50 GBP")).unwrap();
/// assert_eq!(refund, a_refund_of(&situation.payment, "9.50 GBP"));
///
/// let refused = decide_create_refund(&situation, &a_refund_request("9.51 GBP"));
/// assert_eq!(refused, Err(RefundRefusal::AboveRemainder(money("9.50 GBP"))));
/// ```
pub fn decide_create_refund(
    situation: &CreateRefundSituation,
    request: &RefundRequest,
) -> Result<MerchantPayment, RefundRefusal> {
    let CreateRefundSituation { payment, session, refunded_or_pending, source } = situation;
    let is_refundable = payment.kind() == MerchantPaymentKind::Payment
        && payment.status() == MerchantPaymentStatus::Completed
        && session.status() == SessionStatus::Completed
        && session.purpose.settlement_account().is_some();
    if !is_refundable {
        return Err(RefundRefusal::NotRefundable);
    }
    match source {
        RefundSource::Ready => {}
        RefundSource::Deleted => return Err(RefundRefusal::SettlementAccountDeleted),
        RefundSource::NoBank => return Err(RefundRefusal::NoBank),
        RefundSource::BankWithoutRefunds => return Err(RefundRefusal::BankWithoutRefunds),
    }
    let currency = payment.amount.currency;
    if request.amount.currency != currency {
        return Err(RefundRefusal::OtherCurrency);
    }
    let left = payment.amount.minor.minus(*refunded_or_pending).unwrap_or_default();
    if request.amount.minor > left {
        return Err(RefundRefusal::AboveRemainder(left.of(currency)));
    }
    if request.amount.minor > MAX_REFUND {
        return Err(RefundRefusal::AboveMaximum(MAX_REFUND.of(currency)));
    }
    Ok(MerchantPayment {
        id: request.payment,
        account: payment.account.clone(),
        session: payment.session,
        state: MerchantPaymentState::AwaitingAuthorisation,
        amount: request.amount,
        bank: payment.bank.clone(),
        created_at: request.now,
        refund: Some(RefundPart {
            id: request.id,
            payment: payment.id,
            reason: request.reason.as_ref().map(|reason| reason.as_str().to_owned()),
            token: request.token,
            authorise_before: request.now.checked_add_signed(AUTHORISATION_TIME).unwrap_or(DateTime::<Utc>::MAX_UTC),
        }),
    })
}

/// The situation for an action on a refund. An adapter loads it under the lock of the refund.
#[derive(Clone, Debug)]
pub struct RefundSituation {
    /// The row of the refund among the payments.
    pub refund: MerchantPayment,
    /// The session of the refund.
    pub session: CheckoutSession,
}

/// An action on a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundAction {
    /// No action: the decision only applies what is due.
    Due,
    /// The merchant decides at the bank.
    AtBank(PayerDecision),
    /// The bank reports a decision of the merchant and its time. A decision in time counts even if the bank reports it
    /// later.
    BankSays(PayerDecision, DateTime<Utc>),
}

/// The result of an action on a refund. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundChange {
    /// The refund after the action.
    pub refund: MerchantPayment,
    /// The journal transaction, if the refund was completed.
    pub journal: Option<JournalTransaction>,
    /// The events.
    pub events: Vec<Event>,
}

/// Decides an action on a locked refund. What was due before is applied first.
///
/// ```
/// use florin_domain::checkout::{
///     PayerDecision, RefundAction, RefundRefusal, RefundSituation, RefundStatus, decide_refund,
/// };
/// use florin_domain::test_support::{a_completed_session, a_refund_of, a_stamp};
///
/// let (session, payment) = a_completed_session("12.50 GBP");
/// let situation = RefundSituation { refund: a_refund_of(&payment, "5.00 GBP"), session };
/// let reject = RefundAction::AtBank(PayerDecision::Reject);
/// let refund = decide_refund(&situation, reject, &a_stamp()).unwrap().refund;
/// assert_eq!(refund.refund_status(), RefundStatus::Cancelled);
///
/// let refused = decide_refund(&RefundSituation { refund, ..situation }, reject, &a_stamp());
/// assert_eq!(refused, Err(RefundRefusal::NotAwaiting(RefundStatus::Cancelled)));
/// ```
pub fn decide_refund(
    situation: &RefundSituation,
    action: RefundAction,
    stamp: &Stamp<'_>,
) -> Result<RefundChange, RefundRefusal> {
    let mut change = RefundChange { refund: situation.refund.clone(), journal: None, events: Vec::new() };
    if let RefundAction::BankSays(decision, at) = action {
        change.apply_bank_decision(decision, at.min(stamp.now));
    }
    change.settle_due(situation, stamp)?;
    if let RefundAction::AtBank(decision) = action {
        let status = change.refund.refund_status();
        if status != RefundStatus::AwaitingAuthorisation {
            return Err(RefundRefusal::NotAwaiting(status));
        }
        change.decide(decision, stamp.now);
        change.settle_due(situation, stamp)?;
    }
    Ok(change)
}

impl RefundChange {
    fn decide(&mut self, decision: PayerDecision, at: DateTime<Utc>) {
        match decision {
            PayerDecision::Approve(answer) => {
                self.refund.state = MerchantPaymentState::Pending { initiated_at: at, answer: None };
                self.store_bank_answer(answer, at);
            }
            PayerDecision::Reject | PayerDecision::Leave => self.refund.state = self.refund.state.cancelled(),
        }
    }

    /// Stores the bank's answer about a refund that was approved at the given time.
    fn store_bank_answer(&mut self, answer: BankAnswer, approved: DateTime<Utc>) {
        self.refund.state = self.refund.state.answered(answer.not_before(approved));
    }

    /// Applies the bank's answer about a refund without a result.
    fn apply_bank_decision(&mut self, decision: PayerDecision, at: DateTime<Utc>) {
        let is_in_time = self.refund.refund.as_ref().is_some_and(|refund| at < refund.authorise_before);
        match (self.refund.state, decision) {
            (MerchantPaymentState::AwaitingAuthorisation, _) if is_in_time => self.decide(decision, at),
            (MerchantPaymentState::Pending { answer: Some(BankAnswer::Report(_)), .. }, _) => {}
            (MerchantPaymentState::Pending { .. }, PayerDecision::Approve(answer)) => {
                self.store_bank_answer(answer, at);
            }
            // The bank rejects the refund after it reported an approval.
            (MerchantPaymentState::Pending { .. }, PayerDecision::Reject | PayerDecision::Leave) => {
                let result = BankReportResult::Failed(PaymentFailure::RejectedByBank);
                self.store_bank_answer(BankAnswer::Report(BankReport { at, result }), at);
            }
            _ => {}
        }
    }

    /// Applies what is due: the bank's report, or the deadline of the authorisation.
    fn settle_due(&mut self, situation: &RefundSituation, stamp: &Stamp<'_>) -> Result<(), RefundRefusal> {
        if self.refund.refund_due_at().is_none_or(|due| due > stamp.now) {
            return Ok(());
        }
        match self.refund.state {
            MerchantPaymentState::Pending { answer: Some(BankAnswer::Report(report)), .. } => {
                self.refund.state = self.refund.state.reported(report);
                if report.result == BankReportResult::Confirmed {
                    let booking = (JournalId(stamp.id()), JournalKind::MerchantRefund, report.at);
                    let settled = situation.session.purpose.settles_to().ok_or(RefundRefusal::NotRefundable)?;
                    self.journal = Some(book_payment(&self.refund, booking, settled, Pool::PayerBanks)?);
                    let kind = EventKind::MerchantRefundCompleted;
                    self.events.push(situation.session.payment_event(&self.refund, kind, report.at));
                }
            }
            // The bank has the refund but no result: only the bank can end it.
            MerchantPaymentState::Pending { .. } => {}
            unauthorised => self.refund.state = unauthorised.cancelled(),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "refund_tests.rs"]
mod tests;
