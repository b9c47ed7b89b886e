//! Cards and spending limits as rows.

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::list_counts;
use super::body::statements::insert;
use super::body::tables::cards::{
    BudgetGuardRow, CardRecordRow, CardRow, CardSettingsRow, HolderRow, LimitRow, card_limits, cards,
};
use super::body::types::{Account, Day, Id, Named};
use super::controls;
use super::records::{insert_budgets, insert_words, pin};
use diesel::prelude::*;
use florin_domain::card::{Card, CardLimit, CardRecord, CarriedUse, Guards};
use florin_domain::ids::{AccountId, BudgetId, CardId, LimitId, UserToken};
use florin_domain::money::{self, Minor};
use std::collections::BTreeMap;

impl CardRow {
    /// Builds the guards of the card from its row, and from the rows of its budget, its owner and its account's
    /// settings.
    pub(crate) fn guards(
        &self,
        budget: &BudgetGuardRow,
        holder: Option<&HolderRow>,
        settings: Option<CardSettingsRow>,
    ) -> Outcome<Guards> {
        Ok(Guards {
            card: controls::read(self.controls.as_deref())?,
            budget: controls::read(budget.controls.as_deref())?,
            holder: holder.map(|holder| holder.status.0),
            pin: pin(self.pin_digest.clone())?,
            settings: settings.map(CardSettingsRow::read).transpose()?.unwrap_or_default(),
        })
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
    /// Builds the row of a limit.
    pub(super) fn of(card: &Card, limit: &CardLimit) -> Self {
        Self {
            account_id: Account(card.account.clone()),
            card_id: Id(card.id.0),
            limit_window: Named(limit.window),
            id: Id(limit.id.0),
            amount_minor: limit.amount.0,
            max_uses: limit.max_uses.map(i64::from),
            active: limit.active,
            turned_off: limit.turned_off,
            window_start: Day(limit.window_start),
            spent_minor: limit.spent.0,
            uses: i64::from(limit.uses),
            carried_minor: limit.carried.spent.0,
            carried_uses: i64::from(limit.carried.uses),
        }
    }

    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<CardLimit> {
        let count =
            |column: &str, number: i64| u32::try_from(number).map_err(|error| corrupt(format!("`{column}`: {error}")));
        Ok(CardLimit {
            id: LimitId(self.id.0),
            window: self.limit_window.0,
            amount: Minor(self.amount_minor),
            max_uses: self.max_uses.map(|uses| count("max_uses", uses)).transpose()?,
            active: self.active,
            turned_off: self.turned_off,
            window_start: self.window_start.0,
            spent: Minor(self.spent_minor),
            uses: count("uses", self.uses)?,
            carried: CarriedUse { spent: Minor(self.carried_minor), uses: count("carried_uses", self.carried_uses)? },
        })
    }
}

/// Returns the cards of an account, by id.
pub(crate) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<Card>> {
    let rows = cards::table
        .filter(cards::account_id.eq(account.as_str()))
        .order(cards::id)
        .select(CardRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(Card::from).collect())
}

/// Returns the limits of an account's cards, each with the currency of its card.
pub(crate) fn limits_of_account(
    conn: &mut Conn,
    account: &AccountId,
) -> Outcome<Vec<(CardId, money::Currency, CardLimit)>> {
    let currencies: BTreeMap<_, _> =
        of_account(conn, account)?.into_iter().map(|card| (card.id, card.currency)).collect();
    let rows = card_limits::table
        .filter(card_limits::account_id.eq(account.as_str()))
        .order((card_limits::card_id, card_limits::limit_window))
        .select(LimitRow::as_select())
        .load(conn)?;
    let limit = |row: LimitRow| {
        let card = CardId(row.card_id.0);
        let currency = currencies.get(&card).ok_or_else(|| corrupt("a limit without its card"))?;
        Ok((card, *currency, row.read()?))
    };
    rows.into_iter().map(limit).collect()
}

/// Stores a new card with its limits.
pub(crate) fn insert_card(conn: &mut Conn, record: &CardRecord, limits: &[CardLimit]) -> Outcome<()> {
    insert(vec![CardRecordRow::from(record)], conn)?;
    list_counts::add_card(conn, record)?;
    insert_words(conn, record)?;
    insert_budgets(conn, record)?;
    insert(limits.iter().map(|limit| LimitRow::of(&record.card, limit)).collect(), conn)
}
