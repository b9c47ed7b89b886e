//! One page of an account's payments and refunds, with the count of all matches: one statement, one round trip.
//!
//! The rows of payments carry what a list shows of their sessions, so that a page joins nothing row by row.

use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{Conn, Db};
use super::body::errors::{Outcome, corrupt};
use super::body::names::sql_list;
use super::body::statements::{counted_page, identified_by_text, push_name};
use super::body::tables::checkout::ListedPaymentRow;
use super::body::types::{Account, Id, Time};
use super::carried::has_final_order;
use diesel::dsl::SqlTypeOf;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use florin_domain::checkout::{
    ListedPayment, ListedRefund, MerchantPaymentFilter, MerchantPaymentKind, MerchantPaymentStatus, PaymentSort,
    Refundability,
};
use florin_domain::ids::{CheckoutSessionId, MerchantOrderId, MerchantPaymentId, RefundId};
use florin_domain::merchant::CheckoutType;
use florin_domain::money::Minor;
use florin_domain::page::{Page, PageRequest};

/// The selection of a page. Each combination of filters has its own statement, so that each uses its index. The few
/// statements without other filters than kind and status stay prepared.
#[derive(Clone)]
pub(super) struct PaymentQuery {
    account: Account,
    filter: MerchantPaymentFilter,
    /// The first moment of the filter's first day, and the first moment after its last day.
    from: Option<Time>,
    before: Option<Time>,
    session: Option<Id>,
    refunded: Option<Id>,
    sort: PaymentSort,
}

/// The statement that counts the matches.
struct Count<'a>(&'a PaymentQuery);

/// The statement that reads the page. Each row carries the count.
struct Rows<'a> {
    selection: Selection,
    query: &'a PaymentQuery,
    page: PageRequest,
}

type Selection = <ListedPaymentRow as Selectable<Db>>::SelectExpression;

/// A row of the page: the count, the sum of the payment's refunds that count against it, whether the
/// settlement account of the session can pay refunds, the order of the session, and the columns of the payment.
type Found = (i64, i64, bool, Option<Id>, ListedPaymentRow);

/// The sum of a payment's refunds with certain statuses, whose list goes between the parts. The sum never exceeds the
/// amount of the payment. Most payments have no refund, so the row says whether there is one.
const REFUNDED_OR_PENDING: [&str; 2] = [
    "CASE WHEN merchant_payments.has_refunds THEN \
    (SELECT CAST(COALESCE(SUM(r.amount_minor), 0) AS BIGINT) FROM merchant_payments r \
    WHERE r.account_id = merchant_payments.account_id AND r.refunded_payment_id = merchant_payments.id \
    AND r.status IN (",
    ")) ELSE 0 END",
];

/// Whether the settlement account of a payment can pay refunds. The inner query reads all settlement accounts that can
/// pay refunds, once for a page. The id of the account goes between the parts.
const CAN_BE_PAID_BACK: [&str; 2] = [
    "merchant_payments.settlement_account_id IS NOT NULL AND merchant_payments.settlement_account_id IN \
    (SELECT a.id FROM settlement_accounts a JOIN banks b ON b.id = a.bank_id WHERE a.account_id = ",
    " AND b.supports_refunds)",
];

/// The order of the session: the order in the payment's row if it is final, or else the order in the session's row. The
/// condition that it is final goes between the parts.
const ORDER: [&str; 2] = [
    "CASE WHEN ",
    " THEN merchant_payments.order_id ELSE (SELECT s.order_id FROM checkout_sessions s \
    WHERE s.account_id = merchant_payments.account_id AND s.id = merchant_payments.session_id) END",
];

impl PaymentQuery {
    /// Creates the query. `from` is the first moment of the filter's first day, and `before` the first moment after its
    /// last day.
    pub(super) fn new(
        account: Account,
        filter: MerchantPaymentFilter,
        (from, before): (Option<Time>, Option<Time>),
        sort: PaymentSort,
    ) -> Self {
        let session = filter.session.map(|id| Id(id.0));
        let refunded = filter.refunded.map(|id| Id(id.0));
        Self { account, filter, from, before, session, refunded, sort }
    }

    /// Reads a page and the count, in one view.
    pub(super) fn read(&self, conn: &mut Conn, page: PageRequest) -> Outcome<Page<ListedPayment>> {
        counted_page(conn, page, |conn| self.rows(conn, page), |conn| Ok(Count(self).get_result(conn)?))
    }

    fn rows(&self, conn: &mut Conn, page: PageRequest) -> Outcome<Page<ListedPayment>> {
        let selection = <ListedPaymentRow as Selectable<Db>>::construct_selection();
        let rows = Rows { selection, query: self, page }.load::<Found>(conn)?;
        let count = rows.first().map_or(0, |(count, ..)| *count);
        Ok(Page { count, rows: rows.into_iter().map(read).collect::<Outcome<_>>()? })
    }

    /// Whether counts are stored for this filter.
    fn is_counted(&self) -> bool {
        let MerchantPaymentFilter { checkout_type, merchant_reference, .. } = &self.filter;
        let others = [self.from.is_some(), self.before.is_some(), self.session.is_some(), self.refunded.is_some()];
        checkout_type.is_none() && merchant_reference.is_none() && !others.contains(&true)
    }

    fn count<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if self.is_counted() {
            out.push_sql("SELECT CAST(COALESCE(SUM(total), 0) AS BIGINT) FROM merchant_payment_counts");
        } else {
            out.push_sql("SELECT COUNT(*) FROM merchant_payments");
        }
        self.conditions(out)
    }

    fn conditions<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(" WHERE account_id = ");
        out.push_bind_param::<Text, _>(&self.account)?;
        push_name("kind", self.filter.kind, out);
        push_name("status", self.filter.status, out);
        for (condition, time) in [(" AND created_at >= ", &self.from), (" AND created_at < ", &self.before)] {
            if let Some(time) = time {
                out.push_sql(condition);
                out.push_bind_param::<TimeSql, _>(time)?;
            }
        }
        for (condition, id) in [(" AND session_id = ", &self.session), (" AND refunded_payment_id = ", &self.refunded)]
        {
            if let Some(id) = id {
                out.push_sql(condition);
                out.push_bind_param::<IdSql, _>(id)?;
            }
        }
        self.of_sessions(out)
    }

    /// Adds the conditions on the sessions of the payments.
    fn of_sessions<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        let MerchantPaymentFilter { checkout_type, merchant_reference, .. } = &self.filter;
        if checkout_type.is_none() && merchant_reference.is_none() {
            return Ok(());
        }
        out.push_sql(" AND session_id IN (SELECT s.id FROM checkout_sessions s WHERE s.account_id = ");
        out.push_bind_param::<Text, _>(&self.account)?;
        match checkout_type {
            Some(CheckoutType::Shopping) => out.push_sql(" AND s.purpose = 'SHOPPING'"),
            Some(CheckoutType::TopUp) => out.push_sql(" AND s.purpose <> 'SHOPPING'"),
            None => {}
        }
        if let Some(reference) = merchant_reference {
            out.push_sql(" AND s.merchant_reference = ");
            out.push_bind_param::<Text, _>(reference)?;
        }
        out.push_sql(")");
        Ok(())
    }
}

/// Converts a row of the page to the domain.
fn read((_, refunded_or_pending, can_be_paid_back, order, row): Found) -> Outcome<ListedPayment> {
    let id = MerchantPaymentId(row.id.0);
    let refund = match (row.refund_id, row.refunded_payment_id) {
        (Some(refund), Some(payment)) => {
            Some(ListedRefund { id: RefundId(refund.0), payment: MerchantPaymentId(payment.0) })
        }
        (None, None) => None,
        _ => return Err(corrupt(format!("payment {id} is damaged"))),
    };
    let refundability = Refundability {
        kind: if refund.is_some() { MerchantPaymentKind::Refund } else { MerchantPaymentKind::Payment },
        status: row.status.0,
        amount: Minor(row.amount_minor),
        refunded_or_pending: Minor(refunded_or_pending),
        can_be_paid_back,
    };
    Ok(ListedPayment {
        id,
        session: CheckoutSessionId(row.session_id.0),
        status: row.status.0,
        amount: Minor(row.amount_minor).of(row.currency.0),
        bank_name: row.bank_name,
        failure: row.failure.map(|failure| failure.0),
        initiated_at: row.initiated_at.map(|time| time.0),
        completed_at: row.completed_at.map(|time| time.0),
        created_at: row.created_at.0,
        refund,
        // Only sessions of shopping checkouts have a settlement account, and all of them have one.
        checkout_type: row.settlement_account_id.map_or(CheckoutType::TopUp, |_| CheckoutType::Shopping),
        order: order.map(|id| MerchantOrderId(id.0)),
        merchant_reference: row.merchant_reference,
        is_refundable: refundability.is_refundable(),
    })
}

impl QueryFragment<Db> for Count<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.0.count(&mut out)
    }
}

impl QueryFragment<Db> for Rows<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if !self.query.is_counted() {
            out.unsafe_to_cache_prepared();
        }
        out.push_sql("SELECT (");
        self.query.count(&mut out)?;
        let [refunds, otherwise] = REFUNDED_OR_PENDING;
        let [before, after] = CAN_BE_PAID_BACK;
        for part in ["), ", refunds, &sql_list(MerchantPaymentStatus::counts_against_payment), otherwise, ", ", before]
        {
            out.push_sql(part);
        }
        out.push_bind_param::<Text, _>(&self.query.account)?;
        let [case, order] = ORDER;
        for part in [after, ", ", case, &has_final_order("merchant_payments"), order, ", "] {
            out.push_sql(part);
        }
        self.selection.walk_ast(out.reborrow())?;
        out.push_sql(" FROM merchant_payments");
        self.query.conditions(&mut out)?;
        out.push_sql(match self.query.sort {
            PaymentSort::OldestFirst => " ORDER BY created_at, id LIMIT ",
            PaymentSort::NewestFirst => " ORDER BY created_at DESC, id DESC LIMIT ",
        });
        out.push_bind_param::<BigInt, _>(&self.page.limit)?;
        out.push_sql(" OFFSET ");
        out.push_bind_param::<BigInt, _>(&self.page.offset)
    }
}

identified_by_text! {
    Count<'_> => BigInt;
    Rows<'_> => (BigInt, BigInt, Bool, Nullable<IdSql>, SqlTypeOf<Selection>);
}
