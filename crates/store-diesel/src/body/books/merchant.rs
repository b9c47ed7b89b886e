//! Adds up the journal, the payments and the sessions of merchants, for one account or for all.

use super::about::about;
use super::body::backend::Conn;
use super::body::backend::sql::IdSql;
use super::body::errors::Outcome;
use super::body::names::sql_list;
use super::body::types::{Account, Currency, Id, Named};
use super::halves::{combine, moved_into};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use florin_domain::books::{MerchantBooks, MiscountedSession, RefundedPayment};
use florin_domain::checkout::{MerchantPaymentKind, MerchantPaymentStatus, SessionStatus};
use florin_domain::ids::{AccountId, CheckoutSessionId, MerchantPaymentId};
use florin_domain::money::{self, Minor};
use uuid::Uuid;

/// The sums that the journal moved to settlement accounts and payees. `{of}` is replaced by the condition on the
/// account, `{high}` and `{low}` by the sums.
const SETTLED: &str = "SELECT e.account_id AS account_id, \
    COALESCE(e.settled_to, e.cause_id) AS target_id, e.currency AS currency, \
    {high} AS high, {low} AS low \
    FROM journal_legs e \
    WHERE {of} AND (e.from_pool = 'merchant_settled' OR e.to_pool = 'merchant_settled') \
    GROUP BY e.account_id, COALESCE(e.settled_to, e.cause_id), e.currency";

/// The sums of payments and refunds. Top-ups of budgets settle nothing.
const PAID: &str = "SELECT e.account_id AS account_id, COALESCE(s.settlement_account_id, s.payee_id) AS target_id, \
    e.currency AS currency, e.kind AS kind, \
    CAST(SUM(e.amount_minor >> 32) AS BIGINT) AS high, CAST(SUM(e.amount_minor & 4294967295) AS BIGINT) AS low \
    FROM merchant_payments e JOIN checkout_sessions s ON s.account_id = e.account_id AND s.id = e.session_id \
    WHERE {of} AND e.status = 'COMPLETED' AND s.budget_id IS NULL \
    GROUP BY e.account_id, COALESCE(s.settlement_account_id, s.payee_id), e.currency, e.kind";

/// The payments with refunds that count against them. `{counted}` is replaced by the statuses of such refunds.
const REFUNDED: &str = "SELECT p.id AS payment_id, p.currency AS currency, p.amount_minor AS amount_minor, \
    CAST(SUM(e.amount_minor >> 32) AS BIGINT) AS high, CAST(SUM(e.amount_minor & 4294967295) AS BIGINT) AS low \
    FROM merchant_payments e \
    JOIN merchant_payments p ON p.account_id = e.account_id AND p.id = e.refunded_payment_id \
    WHERE {of} AND e.status IN ({counted}) \
    GROUP BY p.account_id, p.id, p.currency, p.amount_minor ORDER BY p.id";

const SESSIONS: &str = "SELECT COUNT(*) AS count FROM checkout_sessions e WHERE {of}";

/// The sessions with a wrong number of completed payments. `{expected}` is replaced by the number that each status has.
const MISCOUNTED: &str = "SELECT found.id AS session_id, found.status AS status, found.payments AS payments FROM \
    (SELECT e.id AS id, e.status AS status, (SELECT COUNT(*) FROM merchant_payments p \
        WHERE p.account_id = e.account_id AND p.session_id = e.id AND p.kind = 'PAYMENT' AND p.status = 'COMPLETED') \
        AS payments FROM checkout_sessions e WHERE {of}) found \
    WHERE found.payments <> CASE found.status {expected} END ORDER BY found.id";

#[derive(QueryableByName)]
struct SettledRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
    #[diesel(sql_type = IdSql)]
    target_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = BigInt)]
    high: i64,
    #[diesel(sql_type = BigInt)]
    low: i64,
}

#[derive(QueryableByName)]
struct PaidRow {
    #[diesel(embed)]
    of: SettledRow,
    #[diesel(sql_type = Text)]
    kind: Named<MerchantPaymentKind>,
}

#[derive(QueryableByName)]
struct RefundedRow {
    #[diesel(sql_type = IdSql)]
    payment_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = BigInt)]
    amount_minor: i64,
    #[diesel(sql_type = BigInt)]
    high: i64,
    #[diesel(sql_type = BigInt)]
    low: i64,
}

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct MiscountedRow {
    #[diesel(sql_type = IdSql)]
    session_id: Id,
    #[diesel(sql_type = Text)]
    status: Named<SessionStatus>,
    #[diesel(sql_type = BigInt)]
    payments: i64,
}

/// Adds up the books of the merchant of one account, or of all.
pub(super) fn gather(conn: &mut Conn, account: Option<&AccountId>) -> Outcome<MerchantBooks> {
    let mut books = MerchantBooks::default();
    let [high, low] = moved_into("merchant_settled", "e");
    for row in about(&SETTLED.replace("{high}", &high).replace("{low}", &low), account).load::<SettledRow>(conn)? {
        let settled = combine(row.high, row.low);
        books.settlements.entry(row.key()).or_default().settled = settled;
    }
    for PaidRow { of, kind } in about(PAID, account).load::<PaidRow>(conn)? {
        let sum = combine(of.high, of.low);
        let settlement = books.settlements.entry(of.key()).or_default();
        match kind.0 {
            MerchantPaymentKind::Payment => settlement.paid = sum,
            MerchantPaymentKind::Refund => settlement.refunded = sum,
        }
    }
    let counted = sql_list(MerchantPaymentStatus::counts_against_payment);
    let refunded = about(&REFUNDED.replace("{counted}", &counted), account).load::<RefundedRow>(conn)?.into_iter();
    books.refunded = refunded.map(RefundedRow::read).collect();
    books.sessions = about(SESSIONS, account).get_result::<CountRow>(conn)?.count;
    let expected =
        SessionStatus::ALL.map(|status| format!("WHEN '{}' THEN {}", status.as_str(), status.completed_payments()));
    let miscounted =
        about(&MISCOUNTED.replace("{expected}", &expected.join(" ")), account).load::<MiscountedRow>(conn)?.into_iter();
    books.miscounted = miscounted.map(MiscountedRow::read).collect();
    Ok(books)
}

impl SettledRow {
    fn key(self) -> (AccountId, Uuid, money::Currency) {
        (self.account_id.0, self.target_id.0, self.currency.0)
    }
}

impl RefundedRow {
    fn read(self) -> RefundedPayment {
        RefundedPayment {
            payment: MerchantPaymentId(self.payment_id.0),
            currency: self.currency.0,
            amount: Minor(self.amount_minor),
            refunded: combine(self.high, self.low),
        }
    }
}

impl MiscountedRow {
    fn read(self) -> MiscountedSession {
        MiscountedSession {
            session: CheckoutSessionId(self.session_id.0),
            status: self.status.0,
            payments: self.payments,
        }
    }
}
