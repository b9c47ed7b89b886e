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

/// Defines `change`, which adds to counts, in the transaction that stores the counted rows. A row of the table has an
/// account, two names that select the count, and the total; no row means zero.
macro_rules! kept_counts {
    ($table:ident by ($first:ident: $First:ty, $second:ident: $Second:ty)) => {
        /// Adds up the changes of each count, and stores them. Locks rows in the order of their keys.
        fn change<'a>(
            conn: &mut super::body::backend::Conn,
            changes: impl IntoIterator<Item = (&'a florin_domain::ids::AccountId, ($First, $Second), i64)>,
        ) -> super::body::errors::Outcome<()> {
            use super::body::names::Name;
            let mut sums = std::collections::BTreeMap::new();
            for (account, (first, second), more) in changes {
                sums.entry((account, first.name(), second.name())).or_insert((first, second, 0)).2 += more;
            }
            for ((account, ..), (first, second, more)) in sums {
                add(conn, account, (first, second), more)?;
            }
            Ok(())
        }

        fn add(
            conn: &mut super::body::backend::Conn,
            account: &florin_domain::ids::AccountId,
            (first, second): ($First, $Second),
            more: i64,
        ) -> super::body::errors::Outcome<()> {
            use super::body::types::Named;
            use diesel::prelude::*;
            // The check of the total would refuse an inserted negative number before it is added to the row.
            if more < 0 {
                let row = $table::table
                    .filter($table::account_id.eq(account.as_str()))
                    .filter($table::$first.eq(Named(first)))
                    .filter($table::$second.eq(Named(second)));
                diesel::update(row).set($table::total.eq($table::total + more)).execute(conn)?;
            } else if more > 0 {
                let row = (
                    $table::account_id.eq(account.as_str()),
                    $table::$first.eq(Named(first)),
                    $table::$second.eq(Named(second)),
                    $table::total.eq(more),
                );
                diesel::insert_into($table::table)
                    .values(row)
                    .on_conflict($table::table.primary_key())
                    .do_update()
                    .set($table::total.eq($table::total + diesel::upsert::excluded($table::total)))
                    .execute(conn)?;
            }
            Ok(())
        }
    };
}

pub(super) use kept_counts;
