//! Adds up the journal, the payments and the sessions of merchants.

use crate::data::Data;
use crate::merchant_payments::refunded_or_pending;
use florin_domain::books::{MerchantBooks, MiscountedSession, RefundedPayment};
use florin_domain::checkout::{CheckoutSession, MerchantPayment, MerchantPaymentKind, MerchantPaymentStatus};
use florin_domain::ids::AccountId;
use florin_domain::ledger::Leg;
use florin_domain::money::Total;

/// Adds up the books of the merchants of these accounts.
pub(crate) fn gather(data: &Data, matches: impl Fn(&AccountId) -> bool) -> MerchantBooks {
    let mut books = MerchantBooks::default();
    // The settlement account or payee that a session pays. `None`: it credits a budget.
    let target = |session: &CheckoutSession| {
        let purpose = &session.purpose;
        purpose.settlement_account().map(|id| id.0).or_else(|| purpose.payee().map(|id| id.0))
    };
    let session_of =
        |payment: &MerchantPayment| data.merchants.sessions.get(&(payment.account.clone(), payment.session));
    for transaction in data.journal.values().filter(|transaction| matches(&transaction.account)) {
        for posting in transaction.legs().iter().flat_map(Leg::postings) {
            let Some(target) = posting.pool.settled_to() else { continue };
            let key = (transaction.account.clone(), target, transaction.currency);
            let entry = books.settlements.entry(key).or_default();
            entry.settled = entry.settled.plus(posting.amount.into());
        }
    }
    for payment in data.merchants.payments.values().filter(|payment| matches(&payment.account)) {
        if payment.status() == MerchantPaymentStatus::Completed
            && let Some(target) = session_of(payment).and_then(target)
        {
            let entry =
                books.settlements.entry((payment.account.clone(), target, payment.amount.currency)).or_default();
            let sum = match payment.kind() {
                MerchantPaymentKind::Payment => &mut entry.paid,
                MerchantPaymentKind::Refund => &mut entry.refunded,
            };
            *sum = sum.plus(payment.amount.minor.into());
        }
        let refunded = Total::from(refunded_or_pending(data, payment));
        if refunded != Total::ZERO {
            let (amount, currency) = (payment.amount.minor, payment.amount.currency);
            books.refunded.push(RefundedPayment { payment: payment.id, currency, amount, refunded });
        }
    }
    for session in data.merchants.sessions.values().filter(|session| matches(&session.account)) {
        books.sessions += 1;
        let paid = data.merchants.payments.values().filter(|payment| {
            (&payment.account, payment.session) == (&session.account, session.id)
                && payment.kind() == MerchantPaymentKind::Payment
                && payment.status() == MerchantPaymentStatus::Completed
        });
        let payments = i64::try_from(paid.count()).unwrap_or(i64::MAX);
        let status = session.status();
        if payments != status.completed_payments() {
            books.miscounted.push(MiscountedSession { session: session.id, status, payments });
        }
    }
    books
}
