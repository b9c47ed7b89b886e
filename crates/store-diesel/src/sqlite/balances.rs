//! The balances that a group needs. Nothing is locked: a write transaction has the whole database.

use super::Conn;
use super::body::errors::Outcome;
use super::body::footprint::{Footprint, Key};
use super::body::statements::load;
use super::body::tables::batches::payment_orders;
use super::body::tables::cards::{card_transactions, cards};
use super::body::tables::declare::{lookups, parts};
use super::body::tables::money::{BalanceRow, balances};
use super::body::tables::service::{RecordRow, RecordsByKey};
use std::collections::BTreeSet;

parts! {
    /// The budget of a card.
    struct BudgetOfCard of cards { account_id, budget_id, }

    /// The budget of a card message.
    struct BudgetOfMessage of card_transactions { account_id, budget_id, }

    /// The budget of an order of a batch.
    struct BudgetOfOrder of payment_orders { account_id, budget_id, }
}

lookups! {
    /// The budgets of cards.
    struct BudgetsOfCards: BudgetOfCard {
        from cards by (account_id, id)
    }

    /// The budgets of card messages.
    struct BudgetsOfMessages: BudgetOfMessage {
        from card_transactions by (account_id, token)
    }

    /// The budgets of the orders of batches.
    struct BudgetsOfBatches: BudgetOfOrder {
        from payment_orders by (account_id, batch_id)
    }

    /// All balances of budgets.
    struct BalancesOfBudgets: BalanceRow {
        from balances by (account_id, budget_id)
        order by "balances.currency"
    }
}

/// Loads all balances of the budgets that a group needs, each once however many commands need it, and the idempotency
/// records of the group.
pub(crate) fn lock_balances(conn: &mut Conn, footprint: &Footprint) -> Outcome<(Vec<BalanceRow>, Vec<RecordRow>)> {
    let mut budgets: BTreeSet<Key> = footprint.budgets.clone();
    let of_cards = load::<BudgetsOfCards>(footprint.cards.iter().cloned(), conn)?;
    budgets.extend(of_cards.into_iter().map(|row| (row.account_id, row.budget_id)));
    let of_messages = load::<BudgetsOfMessages>(footprint.messages.iter().cloned(), conn)?;
    budgets.extend(of_messages.into_iter().map(|row| (row.account_id, row.budget_id)));
    let of_batches = load::<BudgetsOfBatches>(footprint.funded.iter().cloned(), conn)?;
    budgets.extend(of_batches.into_iter().map(|row| (row.account_id, row.budget_id)));
    let balances = load::<BalancesOfBudgets>(budgets, conn)?;
    Ok((balances, load::<RecordsByKey>(footprint.records.iter().cloned(), conn)?))
}
