//! Credits.

use super::backend::Conn;
use super::errors::{Outcome, corrupt, exactly_one};
use super::job::Order;
use super::repeat::once;
use super::schema::{credit_counters as counters, credits};
use super::statements::CountCredit;
use super::store::Store;
use super::types::{Account, Currency, Id, Named, Time};
use super::{balances, journal};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::budget::{Credit, CreditDecision, CreditRefusal, CreditScheme};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::text::Text;
use florin_ports::{CreditOrder, Credits, WriteError, Written};

#[derive(Insertable)]
#[diesel(table_name = credits, treat_none_as_default_value = false)]
struct CreditRow {
    account_id: Account,
    number: i64,
    budget_id: Id,
    journal_id: Id,
    currency: Currency,
    amount_minor: i64,
    scheme: Named<CreditScheme>,
    remitters_name: String,
    remitters_address: String,
    beneficiary_name: String,
    reference: Option<String>,
    bank_identifier: Option<String>,
    account_identifier: Option<String>,
    order_id: Option<String>,
    third_party_reference: Option<String>,
    institution_name: Option<String>,
    institution_address: Option<String>,
    available_minor: i64,
    held_minor: i64,
    reserved_minor: i64,
    created_at: Time,
}

impl CreditRow {
    fn of(CreditDecision { credit, journal }: &CreditDecision, budget: BudgetId) -> Self {
        let sent = credit.instruction.clone();
        Self {
            account_id: Account(credit.account.clone()),
            number: credit.box_transaction_id,
            budget_id: Id(budget.0),
            journal_id: Id(journal.id.0),
            currency: Currency(sent.currency),
            amount_minor: credit.amount.0,
            scheme: Named(sent.scheme),
            remitters_name: sent.remitters_name.into_string(),
            remitters_address: sent.remitters_address.into_string(),
            beneficiary_name: sent.beneficiary_name.into_string(),
            reference: sent.reference.map(Text::into_string),
            bank_identifier: sent.bank_identifier.map(Text::into_string),
            account_identifier: sent.account_identifier.map(Text::into_string),
            order_id: sent.order_id.map(Text::into_string),
            third_party_reference: sent.third_party_reference.map(Text::into_string),
            institution_name: sent.institution_name.map(Text::into_string),
            institution_address: sent.institution_address.map(Text::into_string),
            available_minor: credit.balances.available().0,
            held_minor: credit.balances.held().0,
            reserved_minor: credit.balances.reserved().0,
            created_at: Time(credit.created_at),
        }
    }
}

#[async_trait]
impl Credits for Store {
    async fn credit(&self, order: CreditOrder) -> Result<Written<Credit>, WriteError<CreditRefusal>> {
        self.submit(order).await
    }
}

impl Order for CreditOrder {
    type Done = Written<Credit>;
    type Refused = CreditRefusal;

    fn carry_out(&self, conn: &mut Conn) -> Result<Self::Done, WriteError<CreditRefusal>> {
        once(conn, self.repeat.as_ref(), |conn| {
            let budget = balances::budget(conn, &self.account, self.budget)?.ok_or(WriteError::Absent)?;
            let last = last_number(conn, &self.account)?;
            let number = last.checked_add(1).ok_or_else(|| corrupt("no number is left for credits"))?;
            let decision = (self.decide)(&(budget, number)).map_err(WriteError::Refused)?;
            save(conn, self, last, &decision)?;
            Ok(decision.credit)
        })
    }
}

/// Stores all of a decision.
fn save(conn: &mut Conn, order: &CreditOrder, last: i64, decision: &CreditDecision) -> Outcome<()> {
    let credit = &decision.credit;
    let of_budget = (order.budget, credit.instruction.currency);
    count(conn, &order.account, (last, credit.box_transaction_id))?;
    journal::insert(conn, &decision.journal)?;
    diesel::insert_into(credits::table).values(CreditRow::of(decision, order.budget)).execute(conn)?;
    balances::store(conn, &order.account, of_budget, &credit.balances)
}

fn last_number(conn: &mut Conn, account: &AccountId) -> Outcome<i64> {
    let row = counters::table.filter(counters::account_id.eq(account.as_str())).select(counters::last_number);
    Ok(locked!(row).get_result(conn)?)
}

fn count(conn: &mut Conn, account: &AccountId, (from, to): (i64, i64)) -> Outcome<()> {
    let changed = CountCredit { to, account: Account(account.clone()), from }.execute(conn)?;
    exactly_one(changed, "credit counter")
}
