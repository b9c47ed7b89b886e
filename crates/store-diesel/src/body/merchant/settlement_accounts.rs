//! Settlement accounts.

use super::banks::bank_id;
use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::checkout;
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::footprint::Footprint;
use super::body::group::under_claim;
use super::body::statements::{insert, update};
use super::body::store::Store;
use super::body::tables::merchant::{
    BankRow, SettlementAccountChange, SettlementAccountRow, banks, checkouts, settlement_accounts as rows,
};
use super::body::types::{Account, Currency, Id, Named, Time};
use super::profiles::profile;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::checkout::RefundSource;
use florin_domain::ids::{AccountId, CheckoutId, SettlementAccountId};
use florin_domain::merchant::{
    Bank, BankDetails, BankId, CheckoutTarget, CheckoutType, SettlementAccount, SettlementAccountOverview,
    SettlementRefusal, SettlementSituation,
};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{SettlementAccounts, SettlementCommand, StoreError, WriteError, Written};
use std::collections::BTreeMap;

#[async_trait]
impl SettlementAccounts for Store {
    async fn find(
        &self,
        account: &AccountId,
        settlement_account: SettlementAccountId,
    ) -> Result<Option<SettlementAccountOverview>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| {
            let row = rows::table
                .filter(rows::account_id.eq(account.as_str()))
                .filter(rows::id.eq(Id(settlement_account.0)))
                .select(SettlementAccountRow::as_select())
                .get_result(conn)
                .optional()?;
            Ok(overviews_of_rows(conn, &account, row.into_iter().collect())?.pop())
        })
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        page: PageRequest,
    ) -> Result<Page<SettlementAccountOverview>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| {
            let own = rows::table.filter(rows::account_id.eq(account.as_str()));
            let rows = own
                .order((rows::created_at.desc(), rows::id.desc()))
                .limit(page.limit)
                .offset(page.offset)
                .select(SettlementAccountRow::as_select())
                .load(conn)?;
            let count = own.count().get_result(conn)?;
            Ok(Page { count, rows: overviews_of_rows(conn, &account, rows)? })
        })
        .await
    }

    async fn change(
        &self,
        command: SettlementCommand,
    ) -> Result<Written<Option<SettlementAccountOverview>>, WriteError<SettlementRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, _| change(conn, &command))
        })
        .await
    }
}

fn change(
    conn: &mut Conn,
    command: &SettlementCommand,
) -> Result<Option<SettlementAccountOverview>, Stop<WriteError<SettlementRefusal>>> {
    let account = &command.account;
    let bank = match &command.bank {
        Some(id) => banks_with(conn, &[id])?.remove(id),
        None => None,
    };
    let situation = SettlementSituation {
        profile: profile(conn, account)?.ok_or(WriteError::Absent)?,
        accounts: of_account(conn, account)?,
        targets: targets(conn, account)?,
        in_use: checkout::settlement_accounts_in_use(conn, account)?,
        bank,
    };
    let change = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    store(conn, &situation.accounts, &change.accounts)?;
    let changed = change.accounts.into_iter().filter(|one| Some(one.id) == change.changed).collect();
    Ok(overviews(conn, changed, &situation.targets)?.pop())
}

/// Stores what a decision changed.
fn store(conn: &mut Conn, before: &[SettlementAccount], after: &[SettlementAccount]) -> Outcome<()> {
    for deleted in before.iter().filter(|old| after.iter().all(|new| new.id != old.id)) {
        let row =
            rows::table.filter(rows::account_id.eq(deleted.account.as_str())).filter(rows::id.eq(Id(deleted.id.0)));
        diesel::delete(row).execute(conn)?;
    }
    let is_known = |new: &SettlementAccount| before.iter().any(|old| old.id == new.id);
    let mut changed: Vec<_> = after.iter().filter(|new| is_known(new) && !before.contains(new)).collect();
    // A currency has at most one default, so the old default is changed first.
    changed.sort_by_key(|account| account.is_default);
    for account in changed {
        update(vec![SettlementAccountChange::from(SettlementAccountRow::from(account))], conn)?;
    }
    let new: Vec<_> = after.iter().filter(|new| !is_known(new)).map(SettlementAccountRow::from).collect();
    if new.is_empty() { Ok(()) } else { insert(new, conn) }
}

/// Stores settlement accounts. Their accounts must already be stored.
pub(crate) fn insert_settlement_accounts(conn: &mut Conn, seeded: &[SettlementAccount]) -> Outcome<()> {
    insert(seeded.iter().map(SettlementAccountRow::from).collect(), conn)
}

/// Returns all settlement accounts of an account, in the order of their creation.
pub(crate) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<SettlementAccount>> {
    let found = rows::table
        .filter(rows::account_id.eq(account.as_str()))
        .order((rows::created_at, rows::id))
        .select(SettlementAccountRow::as_select())
        .load(conn)?;
    found.into_iter().map(SettlementAccountRow::read).collect()
}

/// Returns whether each settlement account of an account can pay refunds.
pub(crate) fn refund_sources(
    conn: &mut Conn,
    account: &AccountId,
) -> Outcome<BTreeMap<SettlementAccountId, RefundSource>> {
    let found: Vec<(Id, Option<bool>)> = rows::table
        .left_join(banks::table.on(rows::bank_id.eq(banks::id.nullable())))
        .filter(rows::account_id.eq(account.as_str()))
        .select((rows::id, banks::supports_refunds.nullable()))
        .load(conn)?;
    let source = |(id, supports): (Id, Option<bool>)| (SettlementAccountId(id.0), RefundSource::of_bank(supports));
    Ok(found.into_iter().map(source).collect())
}

/// Returns the SHOPPING checkouts of an account, newest first, each with the settlement account that it names, if any.
fn targets(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<CheckoutTarget>> {
    let found: Vec<(Id, Currency, Option<Id>)> = checkouts::table
        .filter(checkouts::account_id.eq(account.as_str()))
        .filter(checkouts::checkout_type.eq(Named(CheckoutType::Shopping)))
        .order((checkouts::created_at.desc(), checkouts::id.desc()))
        .select((checkouts::id, checkouts::currency, checkouts::settlement_account_id))
        .load(conn)?;
    let target = |(checkout, currency, named_account): (Id, Currency, Option<Id>)| CheckoutTarget {
        checkout: CheckoutId(checkout.0),
        currency: currency.0,
        named_account: named_account.map(|id| SettlementAccountId(id.0)),
    };
    Ok(found.into_iter().map(target).collect())
}

/// Converts rows to settlement accounts with their banks and the checkouts that pay into them.
fn overviews_of_rows(
    conn: &mut Conn,
    account: &AccountId,
    rows: Vec<SettlementAccountRow>,
) -> Outcome<Vec<SettlementAccountOverview>> {
    let targets = if rows.is_empty() { Vec::new() } else { targets(conn, account)? };
    let accounts = rows.into_iter().map(SettlementAccountRow::read).collect::<Outcome<_>>()?;
    overviews(conn, accounts, &targets)
}

fn overviews(
    conn: &mut Conn,
    accounts: Vec<SettlementAccount>,
    targets: &[CheckoutTarget],
) -> Outcome<Vec<SettlementAccountOverview>> {
    let named: Vec<_> = accounts.iter().filter_map(|account| account.bank.as_ref()).collect();
    let banks = banks_with(conn, &named)?;
    let overview = |account: SettlementAccount| {
        let bank = account.bank.as_ref().and_then(|id| banks.get(id)).cloned();
        SettlementAccountOverview::of(account, bank, targets)
    };
    Ok(accounts.into_iter().map(overview).collect())
}

/// Returns the banks with these ids. Ids that are not on the bank list are left out.
fn banks_with(conn: &mut Conn, ids: &[&BankId]) -> Outcome<BTreeMap<BankId, Bank>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let listed = banks::table.filter(banks::id.eq_any(ids.iter().map(|id| id.as_str())));
    let listed: Vec<BankRow> = listed.select(BankRow::as_select()).load(conn)?;
    listed.into_iter().map(|row| row.read().map(|bank| (bank.id.clone(), bank))).collect()
}

impl SettlementAccountRow {
    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<SettlementAccount> {
        let details = BankDetails::stored(self.details_type.0, &self.details);
        Ok(SettlementAccount {
            id: SettlementAccountId(self.id.0),
            account: self.account_id.0,
            name: self.name,
            details: details.ok_or_else(|| corrupt("stored bank details can't be read"))?,
            bank: self.bank_id.as_deref().map(bank_id).transpose()?,
            approval: self.approval.0,
            is_default: self.is_default,
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        })
    }
}

impl From<&SettlementAccount> for SettlementAccountRow {
    fn from(account: &SettlementAccount) -> Self {
        Self {
            account_id: Account(account.account.clone()),
            id: Id(account.id.0),
            name: account.name.clone(),
            details_type: Named(account.details.details_type()),
            details: account.details.to_stored(),
            bank_id: account.bank.as_ref().map(|bank| bank.as_str().to_owned()),
            approval: Named(account.approval),
            is_default: account.is_default,
            created_at: Time(account.created_at),
            updated_at: Time(account.updated_at),
        }
    }
}
