//! The balances that a group needs. Nothing is to be locked: its transaction has the whole database.

use super::Conn;
use super::body::balances::BalanceRow;
use super::body::errors::Outcome;
use super::body::group::{Footprint, Key};
use super::body::repeat::{RecordRow, RecordRows};
use super::body::schema::{balances, card_transactions, cards, payment_orders};
use super::body::sets::Keyed;
use super::body::types::{Account, Id};
use diesel::prelude::*;
use std::collections::BTreeSet;

/// The budget that something is paid from.
macro_rules! payers {
    ($($(#[$doc:meta])* $name:ident by $rows:ident from $table:ident by $id:ident)*) => {$(
        #[derive(Queryable, Selectable)]
        #[diesel(table_name = $table)]
        pub(crate) struct $name {
            account_id: Account,
            budget_id: Id,
        }

        select_rows! {
            $(#[$doc])*
            $rows: $name {
                from $table by { account_id: Account, $id: Id, }
                with ""
                order ""
                lock ""
            }
        }

        impl From<$name> for Key {
            fn from(row: $name) -> Self {
                (row.account_id, row.budget_id)
            }
        }
    )*};
}

payers! {
    /// The budgets of cards.
    OfCard by OfCards from cards by id
    /// The budgets of messages.
    OfMessage by OfMessages from card_transactions by token
    /// The budgets of batches.
    OfBatch by OfBatches from payment_orders by batch_id
}

select_rows! {
    /// All balances of budgets.
    Balances: BalanceRow {
        from balances by { account_id: Account, budget_id: Id, }
        with ""
        order " ORDER BY balances.currency"
        lock ""
    }
}

/// All balances of the budgets that are needed: those of a budget once, however many need them. And the idempotency
/// records of the group.
pub(crate) fn lock_balances(conn: &mut Conn, footprint: &Footprint) -> Outcome<(Vec<BalanceRow>, Vec<RecordRow>)> {
    let mut budgets: BTreeSet<Key> = footprint.budgets.clone();
    budgets.extend(OfCards::by_keys(footprint.cards.iter().cloned(), conn)?.into_iter().map(Key::from));
    budgets.extend(OfMessages::by_keys(footprint.messages.iter().cloned(), conn)?.into_iter().map(Key::from));
    budgets.extend(OfBatches::by_keys(footprint.funded.iter().cloned(), conn)?.into_iter().map(Key::from));
    Ok((Balances::by_keys(budgets, conn)?, RecordRows::by_keys(footprint.records.iter().cloned(), conn)?))
}
