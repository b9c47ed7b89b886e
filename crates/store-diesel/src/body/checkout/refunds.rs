//! Creates refunds, and decides what happens to them.

use super::act::store_payments;
use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::merchant;
use super::body::statements::load;
use super::body::tables::checkout::{LockedPayments, PaymentRow, merchant_payments};
use super::body::types::{Account, Id};
use super::body::working_set::WorkingSet;
use super::find::{absent, refunded_or_pending, session};
use diesel::prelude::*;
use florin_domain::checkout::{
    CheckoutSession, CreateRefundSituation, MerchantPayment, RefundChange, RefundRefusal, RefundSituation, RefundSource,
};
use florin_domain::ids::AccountId;
use florin_ports::{CreateRefundCommand, RefundCommand, WriteError};

/// Locks the payment to refund, and decides on the refund. Returns the payment's session and the refund.
pub(super) fn decide_creation(
    conn: &mut Conn,
    command: &CreateRefundCommand,
) -> Result<(CheckoutSession, MerchantPayment), Stop<WriteError<RefundRefusal>>> {
    let account = &command.account;
    let Some(payment) = locked(conn, account, Id(command.payment.0))? else { return Err(absent()) };
    let session = session_of(conn, &payment)?;
    let sources = merchant::refund_sources(conn, account)?;
    let source = session.purpose.settlement_account().and_then(|id| sources.get(&id).copied());
    let situation = CreateRefundSituation {
        refunded_or_pending: refunded_or_pending(conn, account, payment.id)?,
        source: source.unwrap_or(RefundSource::Deleted),
        payment,
        session,
    };
    let refund = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    Ok((situation.session, refund))
}

/// Stores a new refund.
pub(super) fn store_new(
    conn: &mut Conn,
    session: &CheckoutSession,
    refund: MerchantPayment,
) -> Outcome<MerchantPayment> {
    store_payments(conn, session, std::iter::once((None, &refund)))?;
    Ok(refund)
}

/// Stores a change of a refund.
pub(super) fn store_change(
    conn: &mut Conn,
    working_set: &mut WorkingSet,
    situation: &RefundSituation,
    change: RefundChange,
) -> Outcome<MerchantPayment> {
    if let Some(journal) = &change.journal {
        working_set.journal.add(journal);
    }
    if change.refund != situation.refund {
        let changed = (Some(&situation.refund), &change.refund);
        store_payments(conn, &situation.session, std::iter::once(changed))?;
    }
    working_set.events.add(&change.events);
    Ok(change.refund)
}

/// Locks a refund, and decides what happens to it.
pub(super) fn decide(
    conn: &mut Conn,
    command: &RefundCommand,
) -> Result<(RefundSituation, RefundChange), Stop<WriteError<RefundRefusal>>> {
    let account = &command.account;
    let row: Option<Id> = merchant_payments::table
        .filter(merchant_payments::account_id.eq(account.as_str()))
        .filter(merchant_payments::refund_id.eq(Id(command.refund.0)))
        .select(merchant_payments::id)
        .get_result(conn)
        .optional()
        .map_err(super::body::errors::Failure::from)?;
    let Some(id) = row else { return Err(absent()) };
    let Some(refund) = locked(conn, account, id)? else { return Err(absent()) };
    let session = session_of(conn, &refund)?;
    let situation = RefundSituation { refund, session };
    let change = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    Ok((situation, change))
}

/// Returns the session of a payment or refund.
fn session_of(conn: &mut Conn, payment: &MerchantPayment) -> Outcome<CheckoutSession> {
    let session = session(conn, &payment.account, payment.session)?;
    session.ok_or_else(|| corrupt(format!("payment {} has no session", payment.id)))
}

fn locked(conn: &mut Conn, account: &AccountId, id: Id) -> Outcome<Option<MerchantPayment>> {
    let row = load::<LockedPayments>([(Account(account.clone()), id)], conn)?.pop();
    row.map(PaymentRow::read).transpose()
}
