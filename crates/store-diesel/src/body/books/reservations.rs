//! What confirmed and started payment batches have still to pay.

use super::body::backend::Conn;
use super::body::backend::sql::IdSql;
use super::body::errors::Outcome;
use super::body::types::{Account, Currency, Id, Named};
use super::sums::about;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use florin_domain::batch::PaymentBatchStatus;
use florin_domain::ids::AccountId;

/// Each order less its payments that are final, by the age of its batch. An order without payments is of the demo data.
const OPEN_ORDERS: &str = "SELECT e.account_id AS account_id, o.budget_id AS budget_id, o.currency AS currency, \
    e.id AS batch_id, o.id AS order_id, e.status AS status, \
    CAST(o.total_minor + o.fees_minor - COALESCE((SELECT SUM(p.amount_minor + p.fee_minor) FROM payments p \
        WHERE p.account_id = o.account_id AND p.batch_id = o.batch_id AND p.order_id = o.id \
        AND p.status IN ('completed', 'failed', 'returned')), 0) AS BIGINT) AS minor \
    FROM payment_batches e JOIN payment_orders o ON o.account_id = e.account_id AND o.batch_id = e.id \
    WHERE {of} AND e.status IN ('confirmed', 'started') ORDER BY e.account_id, e.created_at, e.id, o.position";

/// An order of a batch that is confirmed or started.
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
    /// What is not final of its amounts and fees.
    #[diesel(sql_type = BigInt)]
    pub(super) minor: i64,
}

/// The orders of one account, or of all.
pub(super) fn open_orders(conn: &mut Conn, account: Option<&AccountId>) -> Outcome<Vec<OpenOrder>> {
    Ok(about(OPEN_ORDERS, account).load(conn)?)
}
