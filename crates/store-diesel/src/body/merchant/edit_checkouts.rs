//! Finds, creates and changes checkouts.

use super::ROWS_AT_ONCE;
use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::errors::{Outcome, Stop};
use super::body::statements;
use super::body::tables::merchant::{CheckoutChange, CheckoutRow, ListedCheckoutRow, checkouts};
use super::body::types::{Account, Currency, Id, Named, Time};
use super::counts;
use super::profiles::profile;
use super::settlement_accounts::of_account;
use diesel::prelude::*;
use florin_domain::ids::{AccountId, CheckoutId};
use florin_domain::merchant::{Checkout, CheckoutKind, CheckoutRefusal, CheckoutSituation, EditCheckoutSituation};
use florin_ports::{CreateCheckoutCommand, EditCheckoutCommand, WriteError};

/// Returns a checkout of the account.
pub(crate) fn find(conn: &mut Conn, account: &AccountId, checkout: CheckoutId) -> Outcome<Option<Checkout>> {
    let row = checkouts::table
        .filter(checkouts::account_id.eq(account.as_str()))
        .filter(checkouts::id.eq(Id(checkout.0)))
        .select(ListedCheckoutRow::as_select())
        .get_result(conn)
        .optional()?;
    Ok(row.map(|row: ListedCheckoutRow| row.read(&Account(account.clone()))))
}

/// Decides and stores a new checkout. The caller holds the lock of the merchant.
pub(super) fn create(
    conn: &mut Conn,
    command: &CreateCheckoutCommand,
) -> Result<Checkout, Stop<WriteError<CheckoutRefusal>>> {
    let situation = situation(conn, &command.account)?.ok_or(WriteError::Absent)?;
    let checkout = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    insert_checkouts(conn, std::slice::from_ref(&checkout))?;
    Ok(checkout)
}

/// Decides and stores the change of a checkout. The caller holds the lock of the merchant.
pub(super) fn edit(
    conn: &mut Conn,
    command: &EditCheckoutCommand,
) -> Result<Checkout, Stop<WriteError<CheckoutRefusal>>> {
    let merchant = situation(conn, &command.account)?.ok_or(WriteError::Absent)?;
    let checkout = find(conn, &command.account, command.checkout)?.ok_or(WriteError::Absent)?;
    let situation = EditCheckoutSituation { merchant, checkout };
    let after = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    statements::update(vec![CheckoutChange::from(CheckoutRow::from(&after))], conn)?;
    counts::change_one(conn, &situation.checkout, &after)?;
    Ok(after)
}

fn situation(conn: &mut Conn, account: &AccountId) -> Outcome<Option<CheckoutSituation>> {
    let Some(profile) = profile(conn, account)? else { return Ok(None) };
    Ok(Some(CheckoutSituation { profile, accounts: of_account(conn, account)?, checkouts: counts::of(conn, account)? }))
}

/// Stores new checkouts, and counts them.
pub(crate) fn insert_checkouts(conn: &mut Conn, checkouts: &[Checkout]) -> Outcome<()> {
    for chunk in checkouts.chunks(ROWS_AT_ONCE) {
        statements::insert(chunk.iter().map(CheckoutRow::from).collect(), conn)?;
    }
    counts::add_all(conn, checkouts)
}

impl From<&Checkout> for CheckoutRow {
    fn from(checkout: &Checkout) -> Self {
        let (settlement_account, shipping) = match &checkout.kind {
            CheckoutKind::Shopping { settlement_account, shipping } => (*settlement_account, shipping.as_ref()),
            CheckoutKind::TopUp => (None, None),
        };
        Self {
            account_id: Account(checkout.account.clone()),
            id: Id(checkout.id.0),
            checkout_type: Named(checkout.kind.checkout_type()),
            status: Named(checkout.status),
            name: checkout.name.clone(),
            currency: Currency(checkout.currency),
            return_url: checkout.return_url.as_str().to_owned(),
            locale: checkout.locale.as_ref().map(|locale| locale.as_str().to_owned()),
            settlement_account_id: settlement_account.map(|id| Id(id.0)),
            collect_address: shipping.map(|shipping| shipping.collect_address),
            dynamic_rates_url: shipping
                .and_then(|shipping| shipping.dynamic_rates_url.as_ref())
                .map(|url| url.as_str().to_owned()),
            created_at: Time(checkout.created_at),
            updated_at: Time(checkout.updated_at),
        }
    }
}
