//! One page of an account's payments and refunds, with the count of all matches: one statement, one round trip.

use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{Conn, Db};
use super::body::errors::Outcome;
use super::body::names::sql_list;
use super::body::statements::{identified_by_text, push_name};
use super::body::tables::checkout::PaymentRow;
use super::body::types::{Account, Id, Time};
use diesel::dsl::SqlTypeOf;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{BigInt, Text};
use florin_domain::checkout::{MerchantPayment, MerchantPaymentFilter, MerchantPaymentStatus, PaymentSort};
use florin_domain::merchant::CheckoutType;
use florin_domain::money::Minor;
use florin_domain::page::{Page, PageRequest};

/// The selection of a page. Each combination of filters has its own statement, so that each uses its index. The few
/// statements without other filters than kind and status stay prepared.
#[derive(Clone)]
pub(super) struct PaymentQuery {
    account: Account,
    filter: MerchantPaymentFilter,
    /// The first moment of the filter's first day, and the first one after its last day.
    from: Option<Time>,
    before: Option<Time>,
    session: Option<Id>,
    refunded: Option<Id>,
    sort: PaymentSort,
}

/// The statement that counts the matches.
struct Count<'a>(&'a PaymentQuery);

/// The statement that reads the page. Each row carries the count, and the sum of the payment's refunds that count
/// against it.
struct Rows<'a> {
    selection: Selection,
    query: &'a PaymentQuery,
    page: PageRequest,
}

type Selection = <PaymentRow as Selectable<Db>>::SelectExpression;

/// Sums the refunds of a payment that have one of the statuses that follow. A sum never exceeds the payment.
const REFUNDED_OR_PENDING: &str = "(SELECT CAST(COALESCE(SUM(r.amount_minor), 0) AS BIGINT) FROM merchant_payments r \
    WHERE r.account_id = merchant_payments.account_id AND r.refunded_payment_id = merchant_payments.id \
    AND r.status IN (";

impl PaymentQuery {
    /// `days` are the first moment of the filter's first day, and the first one after its last day.
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

    /// Reads a page and the count, in one view; each payment with the sum of its refunds.
    pub(super) fn read(&self, conn: &mut Conn, page: PageRequest) -> Outcome<Page<(MerchantPayment, Minor)>> {
        let selection = <PaymentRow as Selectable<Db>>::construct_selection();
        let rows = Rows { selection, query: self, page }.load::<(i64, i64, PaymentRow)>(conn)?;
        let count = match rows.first() {
            Some((count, ..)) => *count,
            None if page.offset == 0 => 0,
            // Past the end, no row carries the count.
            None => Count(self).get_result(conn)?,
        };
        let read = |(_, refunds, row): (i64, i64, PaymentRow)| Ok((row.read()?, Minor(refunds)));
        Ok(Page { count, rows: rows.into_iter().map(read).collect::<Outcome<_>>()? })
    }

    /// Whether counts are kept for such a filter.
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
        out.push_sql("), ");
        out.push_sql(REFUNDED_OR_PENDING);
        out.push_sql(&sql_list(MerchantPaymentStatus::counts_against_payment));
        out.push_sql(")), ");
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
    Rows<'_> => (BigInt, BigInt, SqlTypeOf<Selection>);
}
