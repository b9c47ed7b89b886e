//! Changes of several tables, stored by one statement: one round trip, however many tables a group changes.
//!
//! The parts do not see each other's rows. So each row must have at most one change, and a new row is inserted in its
//! final form. Foreign keys between the parts are checked when all parts are done.
//!
//! Tables that are declared `unchecked` have no foreign keys ([`super::unchecked`]). The statement locks the accounts
//! of their new rows instead, as foreign keys would, but once for each account and not for each row.

use super::body::errors::{Failure, Outcome, corrupt, exactly};
use super::body::statements::{Change, Row, identified_by_text};
use super::body::types::Account;
use super::statements::{Insert, Update};
use super::{Conn, Db};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{Array, BigInt, Text};
use std::collections::BTreeSet;

/// Changes that are stored together.
pub(crate) struct Changes<'c> {
    conn: &'c mut Conn,
    parts: Vec<Part>,
    /// The accounts of new rows in tables that are declared `unchecked`.
    accounts: BTreeSet<Account>,
}

/// The change of one table.
struct Part {
    table: &'static str,
    /// The number of rows that it must change, where it is known.
    expected: Option<usize>,
    sql: Box<dyn QueryFragment<Db> + Send>,
    /// The end of its SQL.
    end: &'static str,
}

impl<'c> Changes<'c> {
    /// Creates an empty list of changes.
    pub(crate) const fn on(conn: &'c mut Conn) -> Self {
        Self { conn, parts: Vec::new(), accounts: BTreeSet::new() }
    }

    /// Inserts rows.
    #[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
    pub(crate) fn insert<R: Row>(&mut self, rows: Vec<R>) -> Outcome<()> {
        let expected = rows.len();
        for account in rows.iter().filter_map(Row::unchecked_account) {
            if !self.accounts.contains(account) {
                self.accounts.insert(account.clone());
            }
        }
        if expected > 0 {
            self.add(R::TABLE, Some(expected), Insert::from(rows));
        }
        Ok(())
    }

    /// Changes rows. Each row must exist.
    #[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
    pub(crate) fn update<C: Change>(&mut self, changes: Vec<C>) -> Outcome<()> {
        let expected = changes.len();
        if expected > 0 {
            self.add(C::TABLE, Some(expected), Update::from(changes));
        }
        Ok(())
    }

    /// Changes all rows under each key, however many exist.
    #[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
    pub(crate) fn update_all<C: Change>(&mut self, changes: Vec<C>) -> Outcome<()> {
        if !changes.is_empty() {
            self.add(C::TABLE, None, Update::from(changes));
        }
        Ok(())
    }

    fn add(&mut self, table: &'static str, expected: Option<usize>, sql: impl QueryFragment<Db> + Send + 'static) {
        self.parts.push(Part { table, expected, sql: Box::new(sql), end: " RETURNING 1" });
    }

    /// Stores the changes. An account that does not exist any more is [`Failure::NotFound`], as it would be for a
    /// foreign key.
    pub(crate) fn store(self) -> Outcome<()> {
        let Self { conn, mut parts, accounts } = self;
        if parts.is_empty() {
            return Ok(());
        }
        let to_lock = accounts.len();
        if to_lock > 0 {
            let lock = LockAccounts(accounts.into_iter().collect());
            parts.push(Part { table: "accounts", expected: None, sql: Box::new(lock), end: "" });
        }
        let expected: Vec<_> = parts.iter().map(|part| (part.table, part.expected)).collect();
        let written: Vec<i64> = AllParts(parts).get_result(conn)?;
        let written: Vec<_> = written.into_iter().map(usize::try_from).collect::<Result<_, _>>().map_err(corrupt)?;
        if to_lock > 0 && written.last() != Some(&to_lock) {
            return Err(Failure::NotFound("an account of the stored rows does not exist".to_owned()));
        }
        for ((table, expected), written) in expected.into_iter().zip(written) {
            if let Some(expected) = expected {
                exactly(expected, written, table)?;
            }
        }
        Ok(())
    }
}

/// Locks accounts against their deletion, in the order of their ids, until the end of the transaction. Other
/// transactions can have the same lock.
struct LockAccounts(Vec<Account>);

impl QueryFragment<Db> for LockAccounts {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("SELECT 1 FROM accounts WHERE id = ANY(");
        out.push_bind_param::<Array<Text>, Vec<Account>>(&self.0)?;
        out.push_sql(") ORDER BY id FOR KEY SHARE");
        Ok(())
    }
}

/// One statement for all parts, which returns the number of rows of each.
struct AllParts(Vec<Part>);

impl QueryFragment<Db> for AllParts {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        let mut before = "WITH p";
        for (number, part) in self.0.iter().enumerate() {
            out.push_sql(before);
            out.push_sql(&number.to_string());
            out.push_sql(" AS (");
            part.sql.walk_ast(out.reborrow())?;
            out.push_sql(part.end);
            out.push_sql(")");
            before = ", p";
        }
        let mut before = " SELECT ARRAY[(SELECT count(*) FROM p";
        for number in 0..self.0.len() {
            out.push_sql(before);
            out.push_sql(&number.to_string());
            before = "), (SELECT count(*) FROM p";
        }
        out.push_sql(")]");
        Ok(())
    }
}

// Identified by text: each choice of tables has its own form.
identified_by_text! {
    AllParts => Array<BigInt>;
}
