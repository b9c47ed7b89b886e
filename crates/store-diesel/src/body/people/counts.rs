//! Stored numbers of people by role, so that lists with the usual filters need not count rows
//! ([why](../../../../../docs/adr/0007-counts-kept-beside-lists.md)).

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::kept_counts::{kept_counts, selected_accounts};
use super::body::tables::people::people_counts;
use super::body::types::Named;
use diesel::prelude::*;
use florin_domain::ids::AccountId;
use florin_domain::people::{Person, Role};
use std::collections::BTreeSet;

/// Selects accounts whose counts differ from their people. `{of}` is replaced by the condition on the account.
const MISCOUNTED: &str = "SELECT account_id FROM \
    (SELECT account_id, role, total, 0 AS found FROM people_counts e WHERE {of} \
    UNION ALL SELECT account_id, role, 0, COUNT(*) FROM people e WHERE {of} GROUP BY account_id, role) AS compared \
    GROUP BY account_id, role HAVING SUM(total) <> SUM(found)";

kept_counts!(people_counts by (role: Role));

/// Adds new people to the counts, in the transaction that stores them.
pub(super) fn add_all(conn: &mut Conn, people: &[Person]) -> Outcome<()> {
    change(conn, people.iter().map(|person| counted(person, 1)))
}

/// Moves a person to the count of their new role, if the role has changed. Runs in the transaction that stores the
/// change.
pub(super) fn change_one(conn: &mut Conn, before: &Person, after: &Person) -> Outcome<()> {
    change(conn, [counted(before, -1), counted(after, 1)])
}

fn counted(person: &Person, more: i64) -> (&AccountId, (Role,), i64) {
    (&person.account, (person.role,), more)
}

/// Returns the number of people of an account, or of those with one role.
pub(super) fn of(conn: &mut Conn, account: &AccountId, role: Option<Role>) -> Outcome<i64> {
    let rows = people_counts::table.filter(people_counts::account_id.eq(account.as_str()));
    let rows = rows.select((people_counts::role, people_counts::total)).load::<(Named<Role>, i64)>(conn)?.into_iter();
    Ok(rows.filter(|(counted, _)| role.is_none_or(|role| role == counted.0)).map(|(_, total)| total).sum())
}

/// Returns the accounts whose counts are wrong, each once. Checks all accounts, or only `of`.
pub(crate) fn miscounted(conn: &mut Conn, of: Option<&AccountId>) -> Outcome<BTreeSet<AccountId>> {
    selected_accounts(conn, MISCOUNTED, of)
}
