//! Updates of the hot path. Diesel's own `update` is parsed by the database each time; these stay prepared.
//!
//! Each is one statement with its parameters, in plain SQL that every database reads alike.

use super::backend::sql::{DaySql, IdSql, TimeSql};
use super::backend::{Conn, Db};
use super::types::{Account, Currency, Day, Id, Named, Time};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::{QueryResult, RunQueryDsl};
use florin_domain::card::{ChainEnd, SpendingWindow, TransactionState};

/// A statement: pieces of SQL, each followed by a parameter.
macro_rules! statement {
    ($(#[$doc:meta])* $name:ident { $($sql:literal $field:ident: $type:ty as $sql_type:ty,)* }) => {
        $(#[$doc])*
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
        }

        impl QueryFragment<Db> for $name {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
                $(
                    out.push_sql($sql);
                    out.push_bind_param::<$sql_type, _>(&self.$field)?;
                )*
                Ok(())
            }
        }

        impl QueryId for $name {
            type QueryId = Self;
            const HAS_STATIC_QUERY_ID: bool = true;
        }

        impl RunQueryDsl<Conn> for $name {}
    };
}

statement! {
    /// Stores what a budget holds now.
    StoreBalances {
        "UPDATE balances SET available_minor = " available: i64 as BigInt,
        ", held_minor = " held: i64 as BigInt,
        ", reserved_minor = " reserved: i64 as BigInt,
        " WHERE account_id = " account: Account as Text,
        " AND budget_id = " budget: Id as IdSql,
        " AND currency = " currency: Currency as Text,
    }
}

statement! {
    /// Stores what became of a chain that goes on.
    StoreChain {
        "UPDATE card_chains SET held_minor = " held: i64 as BigInt,
        ", cleared_minor = " cleared: i64 as BigInt,
        ", ended_by = " ended_by: Option<Named<ChainEnd>> as Nullable<Text>,
        ", due_at = " due_at: Option<Time> as Nullable<TimeSql>,
        " WHERE ended_by IS NULL AND account_id = " account: Account as Text,
        " AND id = " id: Id as IdSql,
    }
}

statement! {
    /// Stores the state of a first message.
    StoreFirstState {
        "UPDATE card_transactions SET state = " state: Named<TransactionState> as Text,
        " WHERE preceding IS NULL AND account_id = " account: Account as Text,
        " AND token = " token: Id as IdSql,
    }
}

statement! {
    /// Stores what was used of a spending limit.
    StoreLimit {
        "UPDATE spending_limits SET window_start = " window_start: Day as DaySql,
        ", spent_minor = " spent: i64 as BigInt,
        ", uses = " uses: i64 as BigInt,
        " WHERE account_id = " account: Account as Text,
        " AND card_id = " card: Id as IdSql,
        " AND limit_window = " window: Named<SpendingWindow> as Text,
    }
}

statement! {
    /// Counts a credit, if the last one is still the one that was seen.
    CountCredit {
        "UPDATE credit_counters SET last_number = " to: i64 as BigInt,
        " WHERE account_id = " account: Account as Text,
        " AND last_number = " from: i64 as BigInt,
    }
}
