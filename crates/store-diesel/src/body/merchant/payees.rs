//! Payees.

use super::body::ask::ask;
use super::body::backend::{Conn, Db};
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::footprint::Footprint;
use super::body::group::under_claim;
use super::body::statements::{insert, update};
use super::body::store::Store;
use super::body::tables::merchant::{PayeeChange, PayeeRow, payees};
use super::body::types::{Account, Id, Named, Time};
use super::profiles::profile;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::ids::{AccountId, PayeeId};
use florin_domain::merchant::{
    BankDetails, CreatePayeeRefusal, CreatePayeeSituation, CreatedPayee, Payee, PayeeFilter, PayeeRefusal,
};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{ApprovePayeeCommand, CreatePayeeCommand, Payees, StoreError, WriteError, Written};

#[async_trait]
impl Payees for Store {
    async fn find(&self, account: &AccountId, payee: PayeeId) -> Result<Option<Payee>, StoreError> {
        let account = account.clone();
        self.read(move |conn| find(conn, &account, payee)).await
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: PayeeFilter,
        page: PageRequest,
    ) -> Result<Page<Payee>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| {
            let found = matching(&account, filter)
                .order((payees::created_at.desc(), payees::id.desc()))
                .limit(page.limit)
                .offset(page.offset)
                .select(PayeeRow::as_select())
                .load(conn)?;
            let count = matching(&account, filter).count().get_result(conn)?;
            Ok(Page { count, rows: found.into_iter().map(PayeeRow::read).collect::<Outcome<_>>()? })
        })
        .await
    }

    async fn create(
        &self,
        command: CreatePayeeCommand,
    ) -> Result<Written<CreatedPayee>, WriteError<CreatePayeeRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, _| create(conn, &command))
        })
        .await
    }

    async fn approve(&self, command: ApprovePayeeCommand) -> Result<Written<Payee>, WriteError<PayeeRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, _| approve(conn, &command))
        })
        .await
    }
}

fn create(conn: &mut Conn, command: &CreatePayeeCommand) -> Result<CreatedPayee, Stop<WriteError<CreatePayeeRefusal>>> {
    let account = &command.account;
    let situation = CreatePayeeSituation {
        profile: profile(conn, account)?.ok_or(WriteError::Absent)?,
        known: known(conn, account, &command.details)?,
        payees: counted(conn, account)?,
    };
    let created = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    if created.is_new {
        insert(vec![PayeeRow::from(&created.payee)], conn)?;
    }
    Ok(created)
}

fn approve(conn: &mut Conn, command: &ApprovePayeeCommand) -> Result<Payee, Stop<WriteError<PayeeRefusal>>> {
    let payee = find(conn, &command.account, command.payee)?.ok_or(WriteError::Absent)?;
    let decided = ask(|| (command.decide)(&payee))?.map_err(WriteError::Refused)?;
    update(vec![PayeeChange::from(PayeeRow::from(&decided))], conn)?;
    Ok(decided)
}

/// Returns a payee of the account.
pub(crate) fn find(conn: &mut Conn, account: &AccountId, payee: PayeeId) -> Outcome<Option<Payee>> {
    let row = payees::table
        .filter(payees::account_id.eq(account.as_str()))
        .filter(payees::id.eq(Id(payee.0)))
        .select(PayeeRow::as_select())
        .get_result(conn)
        .optional()?;
    row.map(PayeeRow::read).transpose()
}

/// Returns the payee with these bank details.
fn known(conn: &mut Conn, account: &AccountId, details: &BankDetails) -> Outcome<Option<Payee>> {
    let row = payees::table
        .filter(payees::account_id.eq(account.as_str()))
        .filter(payees::details_type.eq(Named(details.details_type())))
        .filter(payees::details.eq(details.to_stored()))
        .select(PayeeRow::as_select())
        .get_result(conn)
        .optional()?;
    row.map(PayeeRow::read).transpose()
}

/// Counts the payees of an account. Their number is limited, so counting the rows is cheap.
fn counted(conn: &mut Conn, account: &AccountId) -> Outcome<u64> {
    let count: i64 = payees::table.filter(payees::account_id.eq(account.as_str())).count().get_result(conn)?;
    Ok(count.unsigned_abs())
}

fn matching(account: &AccountId, filter: PayeeFilter) -> payees::BoxedQuery<'static, Db> {
    let mut rows = payees::table.filter(payees::account_id.eq(Account(account.clone()))).into_boxed();
    if let Some(currency) = filter.currency {
        rows = rows.filter(payees::details_type.eq(Named(currency.details_type())));
    }
    if let Some(approval) = filter.approval {
        rows = rows.filter(payees::approval.eq(Named(approval)));
    }
    rows
}

/// Stores payees of existing accounts.
pub(crate) fn insert_payees(conn: &mut Conn, seeded: &[Payee]) -> Outcome<()> {
    insert(seeded.iter().map(PayeeRow::from).collect(), conn)
}

impl PayeeRow {
    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<Payee> {
        let details = BankDetails::stored(self.details_type.0, &self.details);
        Ok(Payee {
            id: PayeeId(self.id.0),
            account: self.account_id.0,
            name: self.name,
            details: details.ok_or_else(|| corrupt("stored bank details can't be read"))?,
            approval: self.approval.0,
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        })
    }
}

impl From<&Payee> for PayeeRow {
    fn from(payee: &Payee) -> Self {
        Self {
            account_id: Account(payee.account.clone()),
            id: Id(payee.id.0),
            name: payee.name.clone(),
            details_type: Named(payee.details.details_type()),
            details: payee.details.to_stored(),
            approval: Named(payee.approval),
            created_at: Time(payee.created_at),
            updated_at: Time(payee.updated_at),
        }
    }
}
