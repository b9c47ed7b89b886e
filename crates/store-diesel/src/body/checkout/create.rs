//! Creates sessions and top-ups. The caller holds the lock of the merchant.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::errors::{Outcome, Stop};
use super::body::merchant;
use super::body::statements::insert;
use super::body::tables::checkout::{SessionRow, checkout_sessions};
use super::body::types::Named;
use super::body::working_set::WorkingSet;
use super::find::absent;
use diesel::prelude::*;
use florin_domain::checkout::{
    CheckoutSession, CreateSessionRefusal, CreateSessionSituation, CreateTopUpRefusal, CreateTopUpSituation,
    CreatedSession, PaymentReference, PurposeKind,
};
use florin_domain::ids::AccountId;
use florin_ports::{CreateSessionCommand, CreateTopUpCommand, WriteError};
use std::collections::BTreeSet;

/// Decides and stores a new session.
pub(super) fn session(
    conn: &mut Conn,
    command: &CreateSessionCommand,
) -> Result<CreatedSession, Stop<WriteError<CreateSessionRefusal>>> {
    let account = &command.account;
    if !merchant::is_merchant(conn, account)? {
        return Err(absent());
    }
    let payee = match command.payee {
        Some(payee) => merchant::find_payee(conn, account, payee)?,
        None => None,
    };
    let situation = CreateSessionSituation {
        known: known(conn, account, &command.idempotency_key, false)?,
        checkout: merchant::find_checkout(conn, account, command.checkout)?,
        settlement_accounts: merchant::settlement_accounts_of(conn, account)?,
        payee,
        taken: taken(conn, account, &command.references)?,
    };
    let created = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    store(conn, &created)?;
    Ok(created)
}

/// Decides and stores a new top-up.
pub(super) fn top_up(
    conn: &mut Conn,
    working_set: &WorkingSet,
    command: &CreateTopUpCommand,
) -> Result<CreatedSession, Stop<WriteError<CreateTopUpRefusal>>> {
    let account = &command.account;
    if !merchant::is_merchant(conn, account)? {
        return Err(absent());
    }
    let situation = CreateTopUpSituation {
        known: known(conn, account, &command.idempotency_key, true)?,
        budget: working_set.balance_set.budget(account, command.budget),
        taken: taken(conn, account, &command.references)?,
    };
    let created = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    store(conn, &created)?;
    Ok(created)
}

fn store(conn: &mut Conn, created: &CreatedSession) -> Outcome<()> {
    if created.is_new { insert(vec![SessionRow::of(&created.session)?], conn) } else { Ok(()) }
}

/// Returns the session or top-up with this idempotency key.
fn known(conn: &mut Conn, account: &AccountId, key: &str, is_top_up: bool) -> Outcome<Option<CheckoutSession>> {
    let rows = checkout_sessions::table
        .filter(checkout_sessions::account_id.eq(account.as_str()))
        .filter(checkout_sessions::idempotency_key.eq(key))
        .select(SessionRow::as_select());
    let budget = Named(PurposeKind::Budget);
    let row: Option<SessionRow> = if is_top_up {
        rows.filter(checkout_sessions::purpose.eq(budget)).get_result(conn).optional()?
    } else {
        rows.filter(checkout_sessions::purpose.ne(budget)).get_result(conn).optional()?
    };
    row.map(SessionRow::read).transpose()
}

fn taken(conn: &mut Conn, account: &AccountId, references: &[PaymentReference]) -> Outcome<BTreeSet<PaymentReference>> {
    let found: Vec<String> = checkout_sessions::table
        .filter(checkout_sessions::account_id.eq(account.as_str()))
        .filter(checkout_sessions::payment_reference.eq_any(references.iter().map(PaymentReference::as_str)))
        .select(checkout_sessions::payment_reference)
        .load(conn)?;
    let is_taken = |reference: &&PaymentReference| found.iter().any(|taken| taken == reference.as_str());
    Ok(references.iter().filter(is_taken).cloned().collect())
}
