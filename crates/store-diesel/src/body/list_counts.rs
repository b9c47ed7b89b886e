//! Stored numbers of cards and budgets of accounts, so that lists with the usual filters need not count rows
//! ([why](../../../../docs/adr/0007-counts-kept-beside-lists.md)).

use super::backend::Conn;
use super::backend::sql::IdSql;
use super::errors::Outcome;
use super::kept_counts::{kept_counts, selected_accounts};
use super::tables::cards::card_counts;
use super::tables::money::budget_counts;
use super::types::{Id, Named};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Text;
use florin_domain::budget::BudgetFilter;
use florin_domain::card::{CardFilter, CardOwnerKind, CardRecord, CardState};
use florin_domain::ids::{AccountId, BudgetId};
use std::collections::BTreeSet;

/// Selects accounts whose counts of cards differ from their cards. `{of}` is replaced by the condition on the account.
const MISCOUNTED_CARDS: &str = "SELECT account_id FROM \
    (SELECT account_id, state, owner_type, total, 0 AS found FROM card_counts e WHERE {of} \
    UNION ALL SELECT account_id, state, owner_type, 0, COUNT(*) FROM cards e WHERE {of} \
    GROUP BY account_id, state, owner_type) AS compared \
    GROUP BY account_id, state, owner_type HAVING SUM(total) <> SUM(found)";

/// Selects a row for each count that includes a budget: all budgets of the account, and the budgets with each of its
/// currencies (`held`). A budget with a parent is counted in the same way again among the budgets below its parent
/// (`below`).
const COUNTED: &str = "SELECT account_id, id, '' AS below, '' AS held FROM budgets \
    UNION ALL SELECT account_id, id, CAST(parent_id AS TEXT), '' FROM budgets WHERE parent_id IS NOT NULL \
    UNION ALL SELECT account_id, budget_id, '', currency FROM balances \
    UNION ALL SELECT b.account_id, b.id, CAST(b.parent_id AS TEXT), e.currency FROM budgets b \
        JOIN balances e ON e.account_id = b.account_id AND e.budget_id = b.id WHERE b.parent_id IS NOT NULL";

/// The value of `below` for any parent, and of `held` for any currency.
const ANY: &str = "";

kept_counts!(card_counts by (state: CardState, owner_type: CardOwnerKind));

/// Adds a new card to the counts, in the transaction that stores it.
pub(super) fn add_card(conn: &mut Conn, card: &CardRecord) -> Outcome<()> {
    change(conn, [counted(card, 1)])
}

/// Moves a card to the count of its new state, if the state has changed. Runs in the transaction that stores the
/// change.
pub(super) fn change_card(conn: &mut Conn, before: &CardRecord, after: &CardRecord) -> Outcome<()> {
    change(conn, [counted(before, -1), counted(after, 1)])
}

fn counted(card: &CardRecord, more: i64) -> (&AccountId, (CardState, CardOwnerKind), i64) {
    (&card.card.account, (card.card.state, card.owner()), more)
}

/// Returns the number of cards that match the filter. `None`: no counts are stored for this filter, and the caller
/// counts rows.
pub(super) fn of_cards(conn: &mut Conn, account: &AccountId, filter: &CardFilter) -> Outcome<Option<i64>> {
    let CardFilter { budget, states, ids, owner, people, created_from, created_before, search, descending: _ } = filter;
    let is_kept = budget.is_none()
        && ids.is_none()
        && people.is_none()
        && created_from.is_none()
        && created_before.is_none()
        && search.is_none();
    if !is_kept {
        return Ok(None);
    }
    let rows = card_counts::table.filter(card_counts::account_id.eq(account.as_str()));
    let rows = rows.select((card_counts::state, card_counts::owner_type, card_counts::total));
    let rows = rows.load::<(Named<CardState>, Named<CardOwnerKind>, i64)>(conn)?.into_iter();
    let matches = |state: &CardState, kind: &CardOwnerKind| {
        (states.is_empty() || states.contains(state)) && owner.is_none_or(|owner| owner == *kind)
    };
    Ok(Some(rows.filter(|(state, kind, _)| matches(&state.0, &kind.0)).map(|(.., total)| total).sum()))
}

/// Adds a new budget to the counts, in the transaction that has stored it and its balances. Locks rows in the order of
/// their keys.
pub(super) fn add_budget(conn: &mut Conn, account: &AccountId, budget: BudgetId) -> Outcome<()> {
    let add = format!(
        "INSERT INTO budget_counts (account_id, below, held, total) \
        SELECT account_id, below, held, 1 FROM ({COUNTED}) AS counted WHERE account_id = $1 AND id = $2 \
        ORDER BY below, held \
        ON CONFLICT (account_id, below, held) DO UPDATE SET total = budget_counts.total + 1"
    );
    sql_query(add).bind::<Text, _>(account.as_str()).bind::<IdSql, _>(Id(budget.0)).execute(conn)?;
    Ok(())
}

/// Returns the number of budgets that match the filter.
pub(super) fn of_budgets(conn: &mut Conn, account: &AccountId, filter: BudgetFilter) -> Outcome<i64> {
    let row = budget_counts::table
        .filter(budget_counts::account_id.eq(account.as_str()))
        .filter(budget_counts::below.eq(filter.parent.map_or_else(String::new, |parent| parent.to_string())))
        .filter(budget_counts::held.eq(filter.currency.map_or(ANY, |currency| currency.code())));
    Ok(row.select(budget_counts::total).get_result(conn).optional()?.unwrap_or_default())
}

/// Returns the accounts whose counts are wrong, each once. Checks all accounts, or only `of`.
pub(super) fn miscounted(conn: &mut Conn, of: Option<&AccountId>) -> Outcome<BTreeSet<AccountId>> {
    let mut accounts = BTreeSet::new();
    let of_budgets = format!(
        "SELECT account_id FROM (SELECT account_id, below, held, total, 0 AS found FROM budget_counts e WHERE {{of}} \
        UNION ALL SELECT account_id, below, held, 0, COUNT(*) FROM ({COUNTED}) AS e WHERE {{of}} \
            GROUP BY account_id, below, held) AS compared \
        GROUP BY account_id, below, held HAVING SUM(total) <> SUM(found)"
    );
    for statement in [MISCOUNTED_CARDS, &of_budgets] {
        accounts.extend(selected_accounts(conn, statement, of)?);
    }
    Ok(accounts)
}
