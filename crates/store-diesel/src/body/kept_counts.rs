//! Stored counts of rows by account and two names ([why](../../../../docs/adr/0007-counts-kept-beside-lists.md)).

use super::backend::Conn;
use super::errors::Outcome;
use super::types::Account;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Text;
use florin_domain::ids::AccountId;
use std::collections::BTreeSet;

#[derive(QueryableByName)]
struct AccountRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
}

/// Returns the accounts that a statement selects as `account_id`, each once.
pub(super) fn selected_accounts(conn: &mut Conn, statement: &str) -> Outcome<BTreeSet<AccountId>> {
    Ok(sql_query(statement).load::<AccountRow>(conn)?.into_iter().map(|row| row.account_id.0).collect())
}

/// Defines `add`, which adds to a count, and `move_one`, which moves a changed row from one count to another. Both run in
/// the transaction that stores the row. A row of the table has an account, two names that select the count, and the
/// total; no row means zero.
macro_rules! kept_counts {
    ($table:ident by ($first:ident: $First:ty, $second:ident: $Second:ty)) => {
        fn add(
            conn: &mut super::body::backend::Conn,
            account: &florin_domain::ids::AccountId,
            (first, second): ($First, $Second),
            more: i64,
        ) -> super::body::errors::Outcome<()> {
            use diesel::prelude::*;
            if more < 0 {
                let row = $table::table
                    .filter($table::account_id.eq(account.as_str()))
                    .filter($table::$first.eq(super::body::types::Named(first)))
                    .filter($table::$second.eq(super::body::types::Named(second)));
                diesel::update(row).set($table::total.eq($table::total + more)).execute(conn)?;
                return Ok(());
            }
            let row = (
                $table::account_id.eq(account.as_str()),
                $table::$first.eq(super::body::types::Named(first)),
                $table::$second.eq(super::body::types::Named(second)),
                $table::total.eq(more),
            );
            diesel::insert_into($table::table)
                .values(row)
                .on_conflict($table::table.primary_key())
                .do_update()
                .set($table::total.eq($table::total + diesel::upsert::excluded($table::total)))
                .execute(conn)?;
            Ok(())
        }

        /// Locks rows in the order of their keys.
        fn move_one(
            conn: &mut super::body::backend::Conn,
            account: &florin_domain::ids::AccountId,
            before: ($First, $Second),
            after: ($First, $Second),
        ) -> super::body::errors::Outcome<()> {
            use super::body::names::Name;
            let key = |(first, second): ($First, $Second)| (first.name(), second.name());
            match key(before).cmp(&key(after)) {
                std::cmp::Ordering::Equal => Ok(()),
                std::cmp::Ordering::Less => {
                    add(conn, account, before, -1)?;
                    add(conn, account, after, 1)
                }
                std::cmp::Ordering::Greater => {
                    add(conn, account, after, 1)?;
                    add(conn, account, before, -1)
                }
            }
        }
    };
}

pub(super) use kept_counts;
