//! Decides what happens to a session, and stores the session with its payments, money and events.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::errors::{Outcome, Stop};
use super::body::merchant;
use super::body::statements::{insert, load, update};
use super::body::tables::checkout::{
    LockedSessions, PaymentChange, PaymentRow, SessionChange, SessionRow, checkout_sessions,
};
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

/// Locks a session, and decides what happens to it.
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
        Some(budget) => Some(BudgetCredit { budget, number: working_set.credits.next_number(account)? }),
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

/// Stores what was decided about a session.
pub(super) fn store(
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
        working_set.balance_set.change_with_number(&session.account, of_budget, balances, credit.number);
        working_set.credits.set_last_number(&session.account, credit.number);
    }
    if session != situation.session {
        update(vec![SessionChange::from(SessionRow::of(&session)?)], conn)?;
    }
    working_set.events.add(&events);
    Ok(session)
}

/// Stores payments and refunds of a session, each with its state before the change; `None` for a new one.
pub(super) fn store_payments<'a>(
    conn: &mut Conn,
    session: &CheckoutSession,
    payments: impl Iterator<Item = (Option<&'a MerchantPayment>, &'a MerchantPayment)> + Clone,
) -> Outcome<()> {
    for (before, payment) in payments.clone() {
        if before.is_some() {
            update(vec![PaymentChange::from(PaymentRow::of(payment, session))], conn)?;
            continue;
        }
        insert(vec![PaymentRow::of(payment, session)], conn)?;
        if let Some(refund) = &payment.refund {
            mark_refunded(conn, &payment.account, refund.payment)?;
        }
    }
    counts::change_all(conn, payments)
}
