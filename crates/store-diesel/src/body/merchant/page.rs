//! One page of an account's checkouts, with the count of all matches: one statement, one round trip.

use super::body::backend::{Conn, Db};
use super::body::errors::Outcome;
use super::body::statements::{counted_page, identified_by_text, push_name};
use super::body::tables::merchant::ListedCheckoutRow;
use super::body::types::Account;
use diesel::dsl::SqlTypeOf;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{BigInt, Text};
use florin_domain::ids::{CheckoutId, SettlementAccountId};
use florin_domain::merchant::{Checkout, CheckoutFilter, CheckoutKind, CheckoutType, Locale, ShippingOptions, WebUrl};
use florin_domain::page::{Page, PageRequest};

/// The selection of a page: an account and the filters. Each combination of filters has its own statement, with the
/// names as literals. A generic plan would use the index of a common type even to find a rare type, and read all rows
/// of other types.
#[derive(Clone)]
pub(super) struct CheckoutQuery {
    account: Account,
    filter: CheckoutFilter,
}

/// The statement that counts the matches.
struct Count<'a>(&'a CheckoutQuery);

/// The statement that reads the page; each row carries the count.
struct Rows<'a> {
    selection: Selection,
    query: &'a CheckoutQuery,
    page: PageRequest,
}

type Selection = <ListedCheckoutRow as Selectable<Db>>::SelectExpression;

impl CheckoutQuery {
    pub(super) const fn new(account: Account, filter: CheckoutFilter) -> Self {
        Self { account, filter }
    }

    /// Reads a page and the count, in one view.
    pub(super) fn read(&self, conn: &mut Conn, page: PageRequest) -> Outcome<Page<Checkout>> {
        counted_page(conn, page, |conn| self.rows(conn, page), |conn| Ok(Count(self).get_result(conn)?))
    }

    fn rows(&self, conn: &mut Conn, page: PageRequest) -> Outcome<Page<Checkout>> {
        let rows = Rows { selection: <ListedCheckoutRow as Selectable<Db>>::construct_selection(), query: self, page }
            .load::<(i64, ListedCheckoutRow)>(conn)?;
        let count = rows.first().map_or(0, |(count, _)| *count);
        Ok(Page { count, rows: rows.into_iter().map(|(_, row)| row.read(&self.account)).collect() })
    }

    fn conditions<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(" WHERE account_id = ");
        out.push_bind_param::<Text, _>(&self.account)?;
        push_name("checkout_type", self.filter.checkout_type, out);
        push_name("status", self.filter.status, out);
        Ok(())
    }
}

impl QueryFragment<Db> for Count<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("SELECT CAST(COALESCE(SUM(total), 0) AS BIGINT) FROM checkout_counts");
        self.0.conditions(&mut out)
    }
}

impl QueryFragment<Db> for Rows<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("SELECT (SELECT CAST(COALESCE(SUM(total), 0) AS BIGINT) FROM checkout_counts");
        self.query.conditions(&mut out)?;
        out.push_sql("), ");
        self.selection.walk_ast(out.reborrow())?;
        out.push_sql(" FROM checkouts");
        self.query.conditions(&mut out)?;
        out.push_sql(" ORDER BY created_at DESC, id DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.page.limit)?;
        out.push_sql(" OFFSET ");
        out.push_bind_param::<BigInt, _>(&self.page.offset)
    }
}

identified_by_text! {
    Count<'_> => BigInt;
    Rows<'_> => (BigInt, SqlTypeOf<Selection>);
}

impl ListedCheckoutRow {
    /// Converts the row to the domain.
    pub(super) fn read(self, account: &Account) -> Checkout {
        let dynamic_rates_url = self.dynamic_rates_url.map(WebUrl::stored);
        let kind = match self.checkout_type.0 {
            CheckoutType::Shopping => CheckoutKind::Shopping {
                settlement_account: self.settlement_account_id.map(|id| SettlementAccountId(id.0)),
                shipping: self
                    .collect_address
                    .map(|collect_address| ShippingOptions { collect_address, dynamic_rates_url }),
            },
            CheckoutType::TopUp => CheckoutKind::TopUp,
        };
        Checkout {
            id: CheckoutId(self.id.0),
            account: account.0.clone(),
            kind,
            name: self.name,
            status: self.status.0,
            currency: self.currency.0,
            return_url: WebUrl::stored(self.return_url),
            locale: self.locale.map(Locale::stored),
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        }
    }
}
