//! Cards and spending limits as rows.

use super::super::backend::{Conn, Db};
use super::super::errors::{Outcome, corrupt, exactly_one};
use super::super::schema::{cards, spending_limits as limits};
use super::super::statements::StoreLimit;
use super::super::types::{Account, Currency, Day, Id, Named};
use diesel::prelude::*;
use florin_domain::card::{Card, CardState, SpendingLimit, SpendingWindow};
use florin_domain::ids::{AccountId, BudgetId, CardId, UserToken};
use florin_domain::money::Minor;

/// A card.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = cards, check_for_backend(Db))]
pub(crate) struct CardRow {
    account_id: Account,
    id: Id,
    budget_id: Id,
    currency: Currency,
    state: Named<CardState>,
    user_token: Id,
    expires_on: Day,
}

impl From<CardRow> for Card {
    fn from(row: CardRow) -> Self {
        Self {
            id: CardId(row.id.0),
            account: row.account_id.0,
            budget: BudgetId(row.budget_id.0),
            currency: row.currency.0,
            state: row.state.0,
            user_token: UserToken(row.user_token.0),
            expires_on: row.expires_on.0,
        }
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = limits, check_for_backend(Db), treat_none_as_default_value = false)]
struct LimitRow {
    account_id: Account,
    card_id: Id,
    limit_window: Named<SpendingWindow>,
    amount_minor: i64,
    most_uses: Option<i64>,
    window_start: Day,
    spent_minor: i64,
    uses: i64,
}

impl LimitRow {
    fn read(self) -> Outcome<SpendingLimit> {
        Ok(SpendingLimit {
            window: self.limit_window.0,
            amount: Minor(self.amount_minor),
            most_uses: self.most_uses.map(u32::try_from).transpose().map_err(corrupt)?,
            window_start: self.window_start.0,
            spent: Minor(self.spent_minor),
            uses: u32::try_from(self.uses).map_err(corrupt)?,
        })
    }
}

/// The cards of an account, by id.
pub(crate) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<Card>> {
    let rows = cards::table
        .filter(cards::account_id.eq(account.as_str()))
        .order(cards::id)
        .select(CardRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(Card::from).collect())
}

/// Stores a new card with its limits.
pub(crate) fn insert_card(conn: &mut Conn, card: &Card, spending: &[SpendingLimit]) -> Outcome<()> {
    let row = CardRow {
        account_id: Account(card.account.clone()),
        id: Id(card.id.0),
        budget_id: Id(card.budget.0),
        currency: Currency(card.currency),
        state: Named(card.state),
        user_token: Id(card.user_token.0),
        expires_on: Day(card.expires_on),
    };
    diesel::insert_into(cards::table).values(row).execute(conn)?;
    for limit in spending {
        let row = LimitRow {
            account_id: Account(card.account.clone()),
            card_id: Id(card.id.0),
            limit_window: Named(limit.window),
            amount_minor: limit.amount.0,
            most_uses: limit.most_uses.map(i64::from),
            window_start: Day(limit.window_start),
            spent_minor: limit.spent.0,
            uses: i64::from(limit.uses),
        };
        diesel::insert_into(limits::table).values(row).execute(conn)?;
    }
    Ok(())
}

/// The limits of a card.
pub(crate) fn limits_of(conn: &mut Conn, account: &AccountId, card: CardId) -> Outcome<Vec<SpendingLimit>> {
    let rows = locked!(
        limits::table
            .filter(limits::account_id.eq(account.as_str()))
            .filter(limits::card_id.eq(Id(card.0)))
            .order(limits::limit_window)
            .select(LimitRow::as_select())
    )
    .load(conn)?;
    rows.into_iter().map(LimitRow::read).collect()
}

/// Stores what was used of a limit.
pub(crate) fn update_limit(conn: &mut Conn, account: &AccountId, card: CardId, limit: &SpendingLimit) -> Outcome<()> {
    let statement = StoreLimit {
        window_start: Day(limit.window_start),
        spent: limit.spent.0,
        uses: i64::from(limit.uses),
        account: Account(account.clone()),
        card: Id(card.0),
        window: Named(limit.window),
    };
    let changed = statement.execute(conn)?;
    exactly_one(changed, "spending limit")
}
