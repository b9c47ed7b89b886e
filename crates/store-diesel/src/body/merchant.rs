//! Checkouts and banks.

use super::backend::{Conn, Db};
use super::errors::{Outcome, corrupt};
use super::schema::{banks, checkouts};
use super::store::Store;
use super::types::{Account, Currency, Id, Named, Time};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::ids::{AccountId, CheckoutId, SettlementAccountId};
use florin_domain::merchant::{
    Bank, BankId, Checkout, CheckoutFilter, CheckoutKind, CheckoutStatus, CheckoutType, ShippingOptions,
};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Banks, Checkouts, StoreError};

/// So many rows are inserted by one statement.
const ROWS_AT_ONCE: usize = 500;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = checkouts, check_for_backend(Db), treat_none_as_default_value = false)]
struct CheckoutRow {
    account_id: Account,
    id: Id,
    checkout_type: Named<CheckoutType>,
    status: Named<CheckoutStatus>,
    name: Option<String>,
    currency: Currency,
    return_url: String,
    locale: Option<String>,
    settlement_account_id: Option<Id>,
    collect_address: Option<bool>,
    dynamic_rates_url: Option<String>,
    created_at: Time,
    updated_at: Time,
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
            return_url: checkout.return_url.clone(),
            locale: checkout.locale.clone(),
            settlement_account_id: settlement_account.map(|id| Id(id.0)),
            collect_address: shipping.map(|shipping| shipping.collect_address),
            dynamic_rates_url: shipping.and_then(|shipping| shipping.dynamic_rates_url.clone()),
            created_at: Time(checkout.created_at),
            updated_at: Time(checkout.updated_at),
        }
    }
}

impl From<CheckoutRow> for Checkout {
    fn from(row: CheckoutRow) -> Self {
        let dynamic_rates_url = row.dynamic_rates_url;
        let kind = match row.checkout_type.0 {
            CheckoutType::Shopping => CheckoutKind::Shopping {
                settlement_account: row.settlement_account_id.map(|id| SettlementAccountId(id.0)),
                shipping: row
                    .collect_address
                    .map(|collect_address| ShippingOptions { collect_address, dynamic_rates_url }),
            },
            CheckoutType::TopUp => CheckoutKind::TopUp,
        };
        Self {
            id: CheckoutId(row.id.0),
            account: row.account_id.0,
            kind,
            name: row.name,
            status: row.status.0,
            currency: row.currency.0,
            return_url: row.return_url,
            locale: row.locale,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        }
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = banks, check_for_backend(Db))]
struct BankRow {
    id: String,
    name: String,
    icon_url: String,
    supports_refunds: bool,
}

impl BankRow {
    fn read(self) -> Outcome<Bank> {
        let id = BankId::parse(&self.id).map_err(|_| corrupt(format!("`{}` is no bank id", self.id)))?;
        Ok(Bank { id, name: self.name, icon_url: self.icon_url, supports_refunds: self.supports_refunds })
    }
}

#[async_trait]
impl Checkouts for Store {
    async fn list(
        &self,
        account: &AccountId,
        filter: CheckoutFilter,
        page: PageRequest,
    ) -> Result<Page<Checkout>, StoreError> {
        let account = account.clone();
        self.read(move |conn| {
            conn.transaction(|conn| {
                let rows = matching(&account, filter)
                    .order((checkouts::created_at.desc(), checkouts::id.desc()))
                    .limit(page.limit)
                    .offset(page.offset)
                    .select(CheckoutRow::as_select())
                    .load(conn)?;
                let count = matching(&account, filter).count().get_result(conn)?;
                Outcome::Ok(Page { count, rows: rows.into_iter().map(Checkout::from).collect() })
            })
        })
        .await
    }
}

fn matching(account: &AccountId, filter: CheckoutFilter) -> checkouts::BoxedQuery<'_, Db> {
    let mut query = checkouts::table.filter(checkouts::account_id.eq(account.as_str())).into_boxed();
    if let Some(checkout_type) = filter.checkout_type {
        query = query.filter(checkouts::checkout_type.eq(Named(checkout_type)));
    }
    if let Some(status) = filter.status {
        query = query.filter(checkouts::status.eq(Named(status)));
    }
    query
}

#[async_trait]
impl Banks for Store {
    async fn list(&self, page: PageRequest) -> Result<Page<Bank>, StoreError> {
        self.read(move |conn| {
            conn.transaction(|conn| {
                let rows = banks::table
                    .order((banks::name, banks::id))
                    .limit(page.limit)
                    .offset(page.offset)
                    .select(BankRow::as_select())
                    .load(conn)?;
                let count = banks::table.count().get_result(conn)?;
                Ok(Page { count, rows: rows.into_iter().map(BankRow::read).collect::<Outcome<_>>()? })
            })
        })
        .await
    }
}

/// Stores new checkouts.
pub(crate) fn insert_checkouts(conn: &mut Conn, checkouts: &[Checkout]) -> Outcome<()> {
    for chunk in checkouts.chunks(ROWS_AT_ONCE) {
        let rows: Vec<_> = chunk.iter().map(CheckoutRow::from).collect();
        diesel::insert_into(checkouts::table).values(rows).execute(conn)?;
    }
    Ok(())
}

/// Stores new banks.
pub(crate) fn insert_banks(conn: &mut Conn, banks: &[Bank]) -> Outcome<()> {
    let row = |bank: &Bank| BankRow {
        id: bank.id.as_str().to_owned(),
        name: bank.name.clone(),
        icon_url: bank.icon_url.clone(),
        supports_refunds: bank.supports_refunds,
    };
    for chunk in banks.chunks(ROWS_AT_ONCE) {
        let rows: Vec<_> = chunk.iter().map(row).collect();
        diesel::insert_into(banks::table).values(rows).execute(conn)?;
    }
    Ok(())
}
