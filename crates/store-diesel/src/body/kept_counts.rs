//! Stored counts of rows by account and further names ([why](../../../../docs/adr/0007-counts-kept-beside-lists.md)).

use super::backend::Conn;
use super::books::about;
use super::errors::Outcome;
use super::types::Account;
use diesel::prelude::*;
use diesel::sql_types::Text;
use florin_domain::ids::AccountId;
use std::collections::BTreeSet;

#[derive(QueryableByName)]
struct AccountRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
}

/// Returns the accounts that a statement selects as `account_id`, each once. Its `{of}` becomes the condition that the
/// rows of the table `e` belong to `of`, or to any account.
pub(super) fn selected_accounts(
    conn: &mut Conn,
    statement: &str,
    of: Option<&AccountId>,
) -> Outcome<BTreeSet<AccountId>> {
    Ok(about(statement, of).load::<AccountRow>(conn)?.into_iter().map(|row| row.account_id.0).collect())
}

/// Defines `change`, which adds to counts, in the transaction that stores the counted rows. A row of the table has an
/// account, the names that select the count, and the total; no row means zero.
macro_rules! kept_counts {
    ($table:ident by ($($name:ident: $Name:ty),+)) => {
        /// Adds up the changes of each count, and stores them. Locks rows in the order of their keys.
        fn change<'a>(
            conn: &mut super::body::backend::Conn,
            changes: impl IntoIterator<Item = (&'a florin_domain::ids::AccountId, ($($Name,)+), i64)>,
        ) -> super::body::errors::Outcome<()> {
            use super::body::names::Name;
            let mut sums = std::collections::BTreeMap::new();
            for (account, names, more) in changes {
                let ($($name,)+) = names;
                sums.entry((account, [$($name.name()),+])).or_insert((names, 0)).1 += more;
            }
            for ((account, _), (names, more)) in sums {
                add(conn, account, names, more)?;
            }
            Ok(())
        }

        fn add(
            conn: &mut super::body::backend::Conn,
            account: &florin_domain::ids::AccountId,
            ($($name,)+): ($($Name,)+),
            more: i64,
        ) -> super::body::errors::Outcome<()> {
            use super::body::types::Named;
            use diesel::prelude::*;
            // The check of the total would refuse an inserted negative number before it is added to the row.
            if more < 0 {
                let row = $table::table
                    .filter($table::account_id.eq(account.as_str()))
                    $(.filter($table::$name.eq(Named($name))))+;
                diesel::update(row).set($table::total.eq($table::total + more)).execute(conn)?;
            } else if more > 0 {
                let row = (
                    $table::account_id.eq(account.as_str()),
                    $($table::$name.eq(Named($name)),)+
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
