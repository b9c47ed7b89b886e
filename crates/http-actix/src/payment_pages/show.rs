//! Chooses and fills the page of a session.

use super::visit::{Part, Visit};
use super::{address, at_bank, banks, order, rates, summary};
use crate::problem::Problem;
use chrono::{DateTime, Utc};
use florin_application::start_payment;
use florin_domain::checkout::{CheckoutSession, MerchantPayment, MerchantPaymentState, PaymentFailure, SessionState};
use florin_domain::ids::MerchantPaymentId;
use florin_domain::merchant::WebUrl;
use florin_pages::{Approval, BankLink, Ended, Failed, FailureReason, Page, Receipt, SimulatedBankPage, Step, Waiting};
use florin_ports::DecisionPlace;

/// Returns the page for the state of the session.
pub(super) async fn page_of(visit: &Visit<'_>) -> Result<Page, Problem> {
    let session = visit.session();
    let return_url = session.return_url.clone().map(WebUrl::into_string);
    match session.state {
        SessionState::Open { has_begun } => open(visit, has_begun).await,
        SessionState::Processing { .. } => Ok(Page::Waiting(Waiting {
            path: visit.path.clone(),
            amount: session.amount,
            bank_name: visit.pending_payment().map(|payment| payment.bank.name.clone()).unwrap_or_default(),
            payment_reference: session.payment_reference.to_string(),
        })),
        SessionState::Completed { payment, completed_at, .. } => receipt(visit, payment, completed_at).await,
        SessionState::Cancelled { .. } => Ok(Page::Ended(Ended::Cancelled { return_url })),
        SessionState::Abandoned | SessionState::Expired => Ok(Page::Ended(Ended::Expired { return_url })),
    }
}

/// Returns the page of an OPEN session: the part that a link requests, if it is possible now. Otherwise the next step.
async fn open(visit: &Visit<'_>, has_begun: bool) -> Result<Page, Problem> {
    let session = visit.session();
    let can_ship = session.collects_address();
    if session.needs_shipping() || (visit.part == Some(Part::Address) && can_ship) {
        return Ok(summary::summary(visit, address::form_of(visit).await?));
    }
    if session.needs_rate() || (visit.part == Some(Part::Rates) && summary::offers_rates(session)) {
        return Ok(summary::summary(visit, rates::offer(visit).await));
    }
    if visit.part == Some(Part::Banks) || visit.search.is_some() {
        return banks::page(visit, false).await;
    }
    if visit.part == Some(Part::Summary) {
        return Ok(summary::summary(visit, Step::Confirm));
    }
    if let Some(payment) = visit.pending_payment() {
        return Ok(match start_payment(&visit.app.checkouts, session, payment).await? {
            DecisionPlace::Here => Page::SimulatedBank(bank_form(visit, payment)),
            DecisionPlace::AtBank(url) => Page::BankLink(BankLink {
                form: Some(visit.form()),
                bank_name: payment.bank.name.clone(),
                approval: approval(visit, payment),
                url,
            }),
        });
    }
    if let Some((payment, reason)) = visit.last_payment().and_then(|last| Some((last, failure(session, last)?))) {
        return Ok(Page::Failed(Failed {
            form: visit.form(),
            amount: payment.amount,
            reason,
            bank_name: payment.bank.name.clone(),
            expires_at: session.expires_at,
        }));
    }
    if has_begun { banks::page(visit, false).await } else { Ok(summary::summary(visit, Step::Confirm)) }
}

/// Returns the form of the simulated bank for a pending payment.
pub(super) fn bank_form(visit: &Visit<'_>, payment: &MerchantPayment) -> SimulatedBankPage {
    at_bank::empty_form(visit.form(), payment.bank.name.clone(), approval(visit, payment))
}

fn approval(visit: &Visit<'_>, payment: &MerchantPayment) -> Approval {
    Approval::Payment { amount: payment.amount, payment_reference: visit.session().payment_reference.to_string() }
}

/// Returns why the last payment of a session failed. `None`: it did not fail, or the shipping was changed since.
fn failure(session: &CheckoutSession, last: &MerchantPayment) -> Option<FailureReason> {
    match last.state {
        MerchantPaymentState::Failed { reason, .. } => Some(match reason {
            PaymentFailure::RejectedByBank => FailureReason::RejectedByBank,
            PaymentFailure::TimedOut => FailureReason::TimedOut,
            PaymentFailure::TechnicalError => FailureReason::TechnicalError,
        }),
        MerchantPaymentState::Cancelled { .. } => {
            let has_changed = session.updated_at > last.created_at || session.amount != last.amount;
            (!has_changed).then_some(FailureReason::LeftBank)
        }
        MerchantPaymentState::AwaitingAuthorisation
        | MerchantPaymentState::Pending { .. }
        | MerchantPaymentState::Completed { .. } => None,
    }
}

/// Returns the page of a COMPLETED session.
async fn receipt(visit: &Visit<'_>, payment: MerchantPaymentId, completed_at: DateTime<Utc>) -> Result<Page, Problem> {
    let session = visit.session();
    let paid = visit.app.checkouts.payments.find(&visit.account.id, payment).await?;
    let paid = paid.ok_or_else(|| {
        tracing::error!(session = %session.id.0, "a COMPLETED session has no payment");
        Problem::internal()
    })?;
    Ok(Page::Receipt(Receipt {
        order: order::order_of(session),
        payment_reference: session.payment_reference.to_string(),
        bank_name: paid.payment.bank.name,
        paid_at: completed_at,
        return_url: session.return_url.clone().map(WebUrl::into_string),
        is_repeated: visit.part == Some(Part::Repeated),
    }))
}
