//! Decisions about refunds: creation, authorisation by the merchant at its bank, and the bank's report.

use super::completion::movement;
use super::{
    BankAnswer, BankReport, BankReportResult, CheckoutSession, MerchantPayment, MerchantPaymentKind,
    MerchantPaymentStatus, PageTokenHash, PayerDecision, PaymentFailure, RefundPart, RefundSource, RefundStatus,
    SessionStatus,
};
use crate::event::{Event, EventKind};
use crate::ids::{JournalId, MerchantPaymentId, RefundId};
use crate::ledger::{AmountOverflow, JournalKind, JournalTransaction, Pool};
use crate::money::{Minor, Money};
use crate::stamp::Stamp;
use crate::text::Text;
use chrono::{DateTime, TimeDelta, Utc};

/// The largest refund, in minor units: 1,000.00.
pub const MAX_REFUND: Minor = Minor(100_000);
/// How long a merchant can authorise a refund.
const AUTHORISATION: TimeDelta = TimeDelta::minutes(20);

/// What an adapter loads under the lock of a payment.
#[derive(Clone, Debug)]
pub struct CreateRefundSituation {
    /// The payment or refund that the request names.
    pub payment: MerchantPayment,
    /// Its session.
    pub session: CheckoutSession,
    /// The sum of its refunds that are neither failed nor cancelled.
    pub taken_up: Minor,
    /// Whether its settlement account can pay the refund.
    pub source: RefundSource,
}

/// A request to refund a payment, with its new ids, its token and the time.
#[derive(Clone, Debug)]
pub struct RefundRequest {
    /// The id of the refund.
    pub id: RefundId,
    /// The id of its row among the payments.
    pub payment: MerchantPaymentId,
    /// The amount, above zero.
    pub amount: Money,
    /// Why the merchant refunds.
    pub reason: Option<Text<1, 140>>,
    /// The hash of the token of the page that authorises it.
    pub token: PageTokenHash,
    /// The time of creation.
    pub now: DateTime<Utc>,
}

/// Reasons to refuse a refund. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefundRefusal {
    /// It is a refund, a top-up, or not COMPLETED.
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
    /// The amount is above what is left of the payment.
    #[error("{0} of the payment is left")]
    AboveLeft(Money),
    /// The refund does not await an authorisation.
    #[error("the refund is {}", .0.as_str())]
    NotAwaiting(RefundStatus),
    /// An amount would overflow 64 bits.
    #[error(transparent)]
    AmountOverflow(#[from] AmountOverflow),
}

/// Decides the creation of a refund, which awaits the authorisation by the merchant.
pub fn decide_create_refund(
    situation: &CreateRefundSituation,
    request: &RefundRequest,
) -> Result<MerchantPayment, RefundRefusal> {
    let CreateRefundSituation { payment, session, taken_up, source } = situation;
    let is_refundable = payment.kind() == MerchantPaymentKind::Payment
        && payment.status == MerchantPaymentStatus::Completed
        && session.status == SessionStatus::Completed
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
    let left = payment.amount.minor.minus(*taken_up).unwrap_or_default();
    if request.amount.minor > left {
        return Err(RefundRefusal::AboveLeft(left.of(currency)));
    }
    if request.amount.minor > MAX_REFUND {
        return Err(RefundRefusal::AboveMaximum(MAX_REFUND.of(currency)));
    }
    Ok(MerchantPayment {
        id: request.payment,
        account: payment.account.clone(),
        session: payment.session,
        status: MerchantPaymentStatus::Pending,
        amount: request.amount,
        bank: payment.bank.clone(),
        report: None,
        failure: None,
        initiated_at: None,
        completed_at: None,
        created_at: request.now,
        refund: Some(RefundPart {
            id: request.id,
            payment: payment.id,
            reason: request.reason.as_ref().map(|reason| reason.as_str().to_owned()),
            token: request.token,
            authorise_before: request.now.checked_add_signed(AUTHORISATION).unwrap_or(DateTime::<Utc>::MAX_UTC),
            ask_again_at: None,
        }),
    })
}

/// What an adapter loads under the lock of a refund.
#[derive(Clone, Debug)]
pub struct RefundSituation {
    /// The refund, as its row among the payments.
    pub refund: MerchantPayment,
    /// Its session.
    pub session: CheckoutSession,
}

/// What happens to a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundAction {
    /// Nothing: only what is due happens.
    Due,
    /// The merchant decides at its bank.
    AtBank(PayerDecision),
    /// The bank says what was decided there, and when. What was decided in time counts even if the bank says it later.
    BankSays(PayerDecision, DateTime<Utc>),
}

/// What an adapter stores atomically after a decision about a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundChange {
    /// The refund.
    pub refund: MerchantPayment,
    /// The movement of money, if it was completed.
    pub journal: Option<JournalTransaction>,
    /// The events.
    pub events: Vec<Event>,
}

/// Decides about a locked refund, after everything that was due before.
pub fn decide_refund(
    situation: &RefundSituation,
    action: RefundAction,
    stamp: &Stamp<'_>,
) -> Result<RefundChange, RefundRefusal> {
    let mut change = RefundChange { refund: situation.refund.clone(), journal: None, events: Vec::new() };
    if let RefundAction::BankSays(decision, at) = action {
        change.learn(decision, at.min(stamp.now));
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
                self.refund.initiated_at = Some(at);
                self.hear(answer, at);
            }
            PayerDecision::Reject | PayerDecision::Leave => self.refund.status = MerchantPaymentStatus::Cancelled,
        }
    }

    /// Keeps what the bank says about the refund, which it got at a time: it reports nothing before.
    fn hear(&mut self, answer: BankAnswer, approved: DateTime<Utc>) {
        let ask_again_at = match answer {
            BankAnswer::Report(report) => {
                self.refund.report = Some(BankReport { at: report.at.max(approved), ..report });
                None
            }
            BankAnswer::AskAgain(at) => Some(at),
        };
        self.refund.refund = self.refund.refund.take().map(|part| RefundPart { ask_again_at, ..part });
    }

    /// Applies what the bank says about a refund without a result.
    fn learn(&mut self, decision: PayerDecision, at: DateTime<Utc>) {
        let is_in_time = self.refund.refund.as_ref().is_some_and(|refund| at < refund.authorise_before);
        match (self.refund.refund_status(), decision) {
            (RefundStatus::AwaitingAuthorisation, _) if is_in_time => self.decide(decision, at),
            (RefundStatus::Pending, _) if self.refund.report.is_some() => {}
            (RefundStatus::Pending, PayerDecision::Approve(answer)) => self.hear(answer, at),
            // The bank has changed its mind.
            (RefundStatus::Pending, PayerDecision::Reject | PayerDecision::Leave) => {
                let result = BankReportResult::Failed(PaymentFailure::RejectedByBank);
                self.hear(BankAnswer::Report(BankReport { at, result }), at);
            }
            _ => {}
        }
    }

    /// Applies what is due: the end of the time for the authorisation, or the report of the bank.
    fn settle_due(&mut self, situation: &RefundSituation, stamp: &Stamp<'_>) -> Result<(), RefundRefusal> {
        if self.refund.refund_due_at().is_none_or(|due| due > stamp.now) {
            return Ok(());
        }
        match (self.refund.refund_status(), self.refund.report) {
            (RefundStatus::Pending, Some(report)) => match report.result {
                BankReportResult::Confirmed => {
                    self.refund.status = MerchantPaymentStatus::Completed;
                    self.refund.completed_at = Some(report.at);
                    let cause = (JournalId(stamp.id()), JournalKind::MerchantRefund, report.at);
                    let settled = situation.session.purpose.settles_to().ok_or(RefundRefusal::NotRefundable)?;
                    self.journal = Some(movement(&self.refund, cause, settled, Pool::PayerBanks)?);
                    let kind = EventKind::MerchantRefundCompleted;
                    self.events.push(situation.session.payment_event(&self.refund, kind, report.at));
                }
                BankReportResult::Failed(failure) => {
                    self.refund.status = MerchantPaymentStatus::Failed;
                    self.refund.failure = Some(failure);
                }
            },
            // The bank has it and no result yet: only the bank can say more.
            (RefundStatus::Pending, None) => {}
            _ => self.refund.status = MerchantPaymentStatus::Cancelled,
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "refund_tests.rs"]
mod tests;
