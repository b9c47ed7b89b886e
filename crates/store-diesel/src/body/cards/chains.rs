//! Chains as rows.

use super::body::backend::{Conn, Db, RowByRow};
use super::body::errors::{Outcome, corrupt};
use super::body::tables::cards::{ChainRow, card_chains};
use super::body::tables::worlds::timelines;
use super::body::types::{Account, Currency, Id, Named, Time};
use super::counted;
use chrono::{DateTime, Utc};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use florin_domain::card::{Chain, ChainState, MerchantAmounts};
use florin_domain::ids::{AccountId, BudgetId, CardId, TransactionToken};
use florin_domain::money::{Minor, Total};
use florin_ports::{Due, DueHold};

impl ChainRow {
    /// Whether the row has this key.
    pub(crate) fn is_of(&self, (account, id): &(AccountId, TransactionToken)) -> bool {
        self.id.0 == id.0 && self.account_id.0 == *account
    }

    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<Chain> {
        let merchant = match (self.original_held_minor, self.original_cleared_minor) {
            (Some(held), Some(cleared)) => Some(MerchantAmounts { held: Minor(held), cleared: Minor(cleared) }),
            (None, None) => None,
            _ => return Err(corrupt(format!("half an amount of chain {}", self.id.0))),
        };
        let end = self.ended_by.map(|end| end.0);
        let cannot_hold = !self.kind.0.can_hold() || end.is_some();
        let holds_money = self.held_minor != 0 || merchant.is_some_and(|side| !side.held.is_zero());
        let state = ChainState::from_parts(Minor(self.held_minor), end).filter(|_| !(cannot_hold && holds_money));
        Ok(Chain {
            state: state.ok_or_else(|| corrupt(format!("chain {} holds money that it can't hold", self.id.0)))?,
            id: TransactionToken(self.id.0),
            account: self.account_id.0,
            card: CardId(self.card_id.0),
            budget: BudgetId(self.budget_id.0),
            currency: self.currency.0,
            kind: self.kind.0,
            authorised: Minor(self.authorised_minor),
            cleared: Minor(self.cleared_minor),
            forced: Minor(self.forced_minor),
            disputed: Minor(self.disputed_minor),
            created_at: self.created_at.0,
            expires_at: self.expires_at.map(|at| at.0),
            merchant,
            counted: counted::read(self.counted.as_deref())?,
        })
    }
}

impl From<&Chain> for ChainRow {
    fn from(chain: &Chain) -> Self {
        Self {
            account_id: Account(chain.account.clone()),
            id: Id(chain.id.0),
            card_id: Id(chain.card.0),
            budget_id: Id(chain.budget.0),
            currency: Currency(chain.currency),
            kind: Named(chain.kind),
            authorised_minor: chain.authorised.0,
            held_minor: chain.held().0,
            cleared_minor: chain.cleared.0,
            ended_by: chain.end().map(Named),
            due_at: chain.due_at().map(Time),
            created_at: Time(chain.created_at),
            original_held_minor: chain.merchant.map(|side| side.held.0),
            original_cleared_minor: chain.merchant.map(|side| side.cleared.0),
            counted: counted::text(&chain.counted),
            forced_minor: chain.forced.0,
            expires_at: chain.expires_at.map(Time),
            disputed_minor: chain.disputed.0,
        }
    }
}

/// Returns due holds of accounts that use real time, oldest first.
pub(super) fn due(conn: &mut Conn, now: DateTime<Utc>, max: u32) -> Outcome<Vec<Due<DueHold>>> {
    let own_time = timelines::table.filter(timelines::account_id.eq(card_chains::account_id));
    let rows = card_chains::table
        .filter(card_chains::due_at.le(Time(now)))
        .filter(not(exists(own_time)))
        .order((card_chains::due_at, card_chains::account_id, card_chains::id))
        .limit(i64::from(max))
        .select((card_chains::due_at, card_chains::account_id, card_chains::id))
        .load::<(Option<Time>, Account, Id)>(conn)?;
    let hold = |(due_at, account, chain): (Option<Time>, Account, Id)| {
        let at = due_at.ok_or_else(|| corrupt("a hold that is never due"))?.0;
        Ok(Due { at, item: DueHold { account: account.0, chain: TransactionToken(chain.0) } })
    };
    rows.into_iter().map(hold).collect()
}

/// Selects the open holds of an account on a budget in a currency.
fn holding(account: &AccountId, (budget, currency): (Id, Currency)) -> card_chains::BoxedQuery<'_, Db> {
    card_chains::table
        .filter(card_chains::account_id.eq(account.as_str()))
        .filter(card_chains::budget_id.eq(budget))
        .filter(card_chains::currency.eq(currency))
        .filter(card_chains::ended_by.is_null())
        // Every chain that holds money has a due time. The condition lets the query use the index of due times.
        .filter(card_chains::due_at.is_not_null())
        .filter(card_chains::held_minor.ne(0))
        .into_boxed()
}

/// Returns the number of open holds on a budget in a currency, and the sum that they hold.
pub(crate) fn held(conn: &mut Conn, account: &AccountId, of: (Id, Currency)) -> Outcome<(i64, Total)> {
    let (mut count, mut total) = (0, Total::ZERO);
    for held in holding(account, of).select(card_chains::held_minor).load_iter::<i64, RowByRow>(conn)? {
        count += 1;
        total = total.plus(Total(held?.into()));
    }
    Ok((count, total))
}

/// Returns open holds on a budget in a currency, with the times when they expire, earliest first.
pub(crate) fn open_holds(
    conn: &mut Conn,
    account: &AccountId,
    of: (Id, Currency),
    max: i64,
) -> Outcome<Vec<(Chain, DateTime<Utc>)>> {
    let rows = holding(account, of)
        .order((card_chains::due_at, card_chains::id))
        .limit(max)
        .select(ChainRow::as_select())
        .load(conn)?;
    let hold = |row: ChainRow| {
        let due = row.due_at.ok_or_else(|| corrupt("a hold that is never due"))?.0;
        Ok((row.read()?, due))
    };
    rows.into_iter().map(hold).collect()
}

/// Returns due holds of an account, oldest first.
pub(crate) fn due_of_account(
    conn: &mut Conn,
    account: &AccountId,
    now: DateTime<Utc>,
    max: u32,
) -> Outcome<Vec<DueHold>> {
    let ids = card_chains::table
        .filter(card_chains::account_id.eq(account.as_str()))
        .filter(card_chains::due_at.le(Time(now)))
        .order((card_chains::due_at, card_chains::id))
        .limit(i64::from(max))
        .select(card_chains::id)
        .load::<Id>(conn)?;
    let hold = |chain: Id| DueHold { account: account.clone(), chain: TransactionToken(chain.0) };
    Ok(ids.into_iter().map(hold).collect())
}
