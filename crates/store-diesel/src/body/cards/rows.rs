//! Cards and spending limits as rows.

use super::body::backend::{Conn, Db};
use super::body::errors::{Outcome, corrupt};
use super::body::schema::{cards, spending_limits};
use super::body::sets::{Stored, rows};
use super::body::types::{Account, Currency, Day, Id, Named};
use diesel::prelude::*;
use florin_domain::card::{Card, CardState, SpendingLimit, SpendingWindow};
use florin_domain::ids::{AccountId, BudgetId, CardId, UserToken};
use florin_domain::money::{self, Minor};
use std::collections::BTreeMap;

rows! {
    /// A card.
    #[derive(Queryable, Selectable, Insertable)]
    #[diesel(table_name = cards, check_for_backend(Db))]
    pub(crate) struct CardRow in cards {
        account_id: Account,
        id: Id,
        budget_id: Id,
        currency: Currency,
        state: Named<CardState>,
        user_token: Id,
        expires_on: Day,
    }

    /// A spending limit.
    #[derive(Queryable, Selectable, Insertable)]
    #[diesel(table_name = spending_limits, check_for_backend(Db), treat_none_as_default_value = false)]
    pub(crate) struct LimitRow in spending_limits {
        account_id: Account,
        card_id: Id,
        limit_window: Named<SpendingWindow>,
        amount_minor: i64,
        most_uses: Option<i64>,
        window_start: Day,
        spent_minor: i64,
        uses: i64,
    }
}

select_rows! {
    /// Cards, each with its limits: a row for each limit, or one without.
    CardsAndLimits: (CardRow, Option<LimitRow>) {
        from cards by { account_id: Account, id: Id, }
        with " LEFT JOIN spending_limits ON spending_limits.account_id = cards.account_id \
            AND spending_limits.card_id = cards.id"
        order " ORDER BY cards.account_id, cards.id, spending_limits.limit_window"
        lock ""
    }
}

update_rows! {
    /// What was used of a limit.
    LimitNow in spending_limits {
        set { window_start: Day, spent_minor: i64, uses: i64, }
        of { account_id: Account, card_id: Id, limit_window: Named<SpendingWindow>, }
        if ""
    }
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

impl LimitRow {
    /// As it is stored.
    pub(super) fn of(card: &Card, limit: &SpendingLimit) -> Self {
        Self {
            account_id: Account(card.account.clone()),
            card_id: Id(card.id.0),
            limit_window: Named(limit.window),
            amount_minor: limit.amount.0,
            most_uses: limit.most_uses.map(i64::from),
            window_start: Day(limit.window_start),
            spent_minor: limit.spent.0,
            uses: i64::from(limit.uses),
        }
    }

    /// As the domain has it.
    pub(super) fn read(self) -> Outcome<SpendingLimit> {
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

/// The spending limits of an account's cards, each with the currency of its card.
pub(crate) fn limits_of_account(
    conn: &mut Conn,
    account: &AccountId,
) -> Outcome<Vec<(CardId, money::Currency, SpendingLimit)>> {
    let currencies: BTreeMap<_, _> =
        of_account(conn, account)?.into_iter().map(|card| (card.id, card.currency)).collect();
    let rows = spending_limits::table
        .filter(spending_limits::account_id.eq(account.as_str()))
        .order((spending_limits::card_id, spending_limits::limit_window))
        .select(LimitRow::as_select())
        .load(conn)?;
    let limit = |row: LimitRow| {
        let card = CardId(row.card_id.0);
        let currency = currencies.get(&card).ok_or_else(|| corrupt("a spending limit without its card"))?;
        Ok((card, *currency, row.read()?))
    };
    rows.into_iter().map(limit).collect()
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
    CardRow::store(vec![row], conn)?;
    LimitRow::store(spending.iter().map(|limit| LimitRow::of(card, limit)).collect(), conn)
}
