//! Amounts that confirmed and started payment batches have yet to pay.

use super::about::about;
use super::body::backend::Conn;
use super::body::backend::sql::IdSql;
use super::body::errors::Outcome;
use super::body::types::{Account, Currency, Id, Named};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use florin_domain::batch::PaymentBatchStatus;
use florin_domain::ids::AccountId;

/// Selects the amount that each order has yet to pay: its total and fees less those of its final payments. Within an
/// account, the orders of the oldest batch come first. Only orders of the demo data have no payments.
const OPEN_ORDERS: &str = "SELECT e.account_id AS account_id, o.budget_id AS budget_id, o.currency AS currency, \
    e.id AS batch_id, o.id AS order_id, e.status AS status, \
    CAST(o.total_minor + o.fees_minor - COALESCE((SELECT SUM(p.amount_minor + p.fee_minor) FROM payments p \
        WHERE p.account_id = o.account_id AND p.batch_id = o.batch_id AND p.order_id = o.id \
        AND p.status IN ('completed', 'failed', 'returned')), 0) AS BIGINT) AS minor \
    FROM payment_batches e JOIN payment_orders o ON o.account_id = e.account_id AND o.batch_id = e.id \
    WHERE {of} AND e.status IN ('confirmed', 'started') ORDER BY e.account_id, e.created_at, e.id, o.position";

/// An order of a confirmed or started batch.
#[derive(QueryableByName)]
pub(super) struct OpenOrder {
    #[diesel(sql_type = Text)]
    pub(super) account_id: Account,
    #[diesel(sql_type = IdSql)]
    pub(super) budget_id: Id,
    #[diesel(sql_type = Text)]
    pub(super) currency: Currency,
    #[diesel(sql_type = IdSql)]
    pub(super) batch_id: Id,
    #[diesel(sql_type = IdSql)]
    pub(super) order_id: Id,
    #[diesel(sql_type = Text)]
    pub(super) status: Named<PaymentBatchStatus>,
    /// The amounts and fees of the order less those of its final payments, in minor units.
    #[diesel(sql_type = BigInt)]
    pub(super) minor: i64,
}

/// Returns the open orders of one account, or of all accounts.
pub(super) fn open_orders(conn: &mut Conn, account: Option<&AccountId>) -> Outcome<Vec<OpenOrder>> {
    Ok(about(OPEN_ORDERS, account).load(conn)?)
}
