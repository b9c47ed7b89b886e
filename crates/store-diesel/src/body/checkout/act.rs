//! Decides what happens to a session, and stores it with its payments, money and events.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::errors::{Outcome, Stop, exactly};
use super::body::merchant;
use super::body::statements::{insert, load};
use super::body::tables::checkout::{LockedSessions, PaymentRow, SessionRow, checkout_sessions, merchant_payments};
use super::body::types::{Account, Id};
use super::body::working_set::WorkingSet;
use super::carried::mark_refunded;
use super::counts;
use super::find::{absent, pending};
use diesel::prelude::*;
use florin_domain::checkout::{
    BudgetCredit, CheckoutSession, MerchantPayment, SessionDecision, SessionRefusal, SessionSituation,
};
use florin_domain::ids::{AccountId, BudgetId, CheckoutSessionId};
use florin_ports::{SessionCommand, WriteError};

/// Returns the budget of a top-up; `None` for other sessions.
pub(super) fn budget(conn: &mut Conn, account: &AccountId, session: CheckoutSessionId) -> Outcome<Option<BudgetId>> {
    let found: Option<Option<Id>> = checkout_sessions::table
        .filter(checkout_sessions::account_id.eq(account.as_str()))
        .filter(checkout_sessions::id.eq(Id(session.0)))
        .select(checkout_sessions::budget_id)
        .get_result(conn)
        .optional()?;
    Ok(found.flatten().map(|id| BudgetId(id.0)))
}

/// Locks a session, decides, and stores the decision.
pub(super) fn act(
    conn: &mut Conn,
    working_set: &mut WorkingSet,
    command: &SessionCommand,
    budget: Option<BudgetId>,
) -> Result<CheckoutSession, Stop<WriteError<SessionRefusal>>> {
    let (situation, decision) = decide(conn, working_set, command, budget)?;
    Ok(store(conn, working_set, &situation, decision)?)
}

/// Locks a session, and decides.
pub(super) fn decide(
    conn: &mut Conn,
    working_set: &WorkingSet,
    command: &SessionCommand,
    budget: Option<BudgetId>,
) -> Result<(SessionSituation, SessionDecision), Stop<WriteError<SessionRefusal>>> {
    let account = &command.account;
    let key = (Account(account.clone()), Id(command.session.0));
    let Some(row) = load::<LockedSessions>([key], conn)?.pop() else { return Err(absent()) };
    let session = row.read()?;
    let credit = match budget.and_then(|budget| working_set.balance_set.budget(account, budget)) {
        Some(budget) => Some(BudgetCredit { budget, number: working_set.credits.next(account)? }),
        None => None,
    };
    let situation = SessionSituation {
        pending: pending(conn, &session)?,
        budget: credit,
        may_reconcile: merchant::may_reconcile(conn, account)?,
        session,
    };
    let decision = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    Ok((situation, decision))
}

fn store(
    conn: &mut Conn,
    working_set: &mut WorkingSet,
    situation: &SessionSituation,
    decision: SessionDecision,
) -> Outcome<CheckoutSession> {
    let SessionDecision { session, payments, journal, credited, events } = decision;
    let before = |payment: &MerchantPayment| situation.pending.as_ref().filter(|pending| pending.id == payment.id);
    store_payments(conn, &session, payments.iter().map(|payment| (before(payment), payment)))?;
    if let Some(journal) = &journal {
        working_set.journal.add(journal);
    }
    if let (Some(credit), Some(balances)) = (&situation.budget, credited) {
        let of_budget = (credit.budget.id, session.amount.currency);
        working_set.balance_set.change_by(&session.account, of_budget, balances, credit.number);
        working_set.credits.used(&session.account, credit.number);
    }
    if session != situation.session {
        update_session(conn, &session)?;
    }
    working_set.events.add(&events);
    Ok(session)
}

/// Stores the members of a session that can change.
fn update_session(conn: &mut Conn, session: &CheckoutSession) -> Outcome<()> {
    let row = SessionRow::of(session)?;
    let place = checkout_sessions::table
        .filter(checkout_sessions::account_id.eq(row.account_id))
        .filter(checkout_sessions::id.eq(row.id));
    let written = diesel::update(place)
        .set((
            checkout_sessions::status.eq(row.status),
            checkout_sessions::has_begun.eq(row.has_begun),
            checkout_sessions::amount_minor.eq(row.amount_minor),
            checkout_sessions::shipping.eq(row.shipping),
            checkout_sessions::due_at.eq(row.due_at),
            checkout_sessions::payment_id.eq(row.payment_id),
            checkout_sessions::order_id.eq(row.order_id),
            checkout_sessions::updated_at.eq(row.updated_at),
            checkout_sessions::completed_at.eq(row.completed_at),
        ))
        .execute(conn)?;
    exactly(1, written, "checkout_sessions")
}

/// Stores payments and refunds of a session: new ones, and changed ones with what they were before.
pub(super) fn store_payments<'a>(
    conn: &mut Conn,
    session: &CheckoutSession,
    payments: impl Iterator<Item = (Option<&'a MerchantPayment>, &'a MerchantPayment)> + Clone,
) -> Outcome<()> {
    for (before, payment) in payments.clone() {
        if before.is_some() {
            update_payment(conn, payment, session)?;
            continue;
        }
        insert(vec![PaymentRow::of(payment, session)], conn)?;
        if let Some(refund) = &payment.refund {
            mark_refunded(conn, &payment.account, refund.payment)?;
        }
    }
    counts::change_all(conn, payments)
}

/// Stores the members of a payment or refund that can change.
fn update_payment(conn: &mut Conn, payment: &MerchantPayment, session: &CheckoutSession) -> Outcome<()> {
    let row = PaymentRow::of(payment, session);
    let place = merchant_payments::table
        .filter(merchant_payments::account_id.eq(row.account_id))
        .filter(merchant_payments::id.eq(row.id));
    let written = diesel::update(place)
        .set((
            merchant_payments::status.eq(row.status),
            merchant_payments::report.eq(row.report),
            merchant_payments::report_at.eq(row.report_at),
            merchant_payments::failure.eq(row.failure),
            merchant_payments::initiated_at.eq(row.initiated_at),
            merchant_payments::completed_at.eq(row.completed_at),
            merchant_payments::due_at.eq(row.due_at),
            merchant_payments::order_id.eq(row.order_id),
        ))
        .execute(conn)?;
    exactly(1, written, "merchant_payments")
}
