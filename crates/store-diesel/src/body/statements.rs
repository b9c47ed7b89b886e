//! Generic statements: rows to insert, changes of existing rows, and lookups of rows by key.
//!
//! Each database executes them in its own way, with `Changes`, `load`, `load_two` and `load_four`. Every statement
//! stays prepared. The traits are in `declarations.rs`, which imports nothing from here, because the modules of the
//! databases import them.

use super::backend::{Changes, Conn, Db};
pub(crate) use super::declarations::{Change, Key, Lookup, Row, list, list_type};
pub(crate) use super::driver::{load, load_four, load_two};
use super::errors::Outcome;
use super::names::Name;
pub(crate) use super::query_ids::identified_by_text;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::{Connection, QueryResult, RunQueryDsl};
use florin_domain::page::{Page, PageRequest};

/// Inserts rows.
pub(crate) fn insert<R: Row>(rows: Vec<R>, conn: &mut Conn) -> Outcome<()> {
    let mut changes = Changes::on(conn);
    changes.insert(rows)?;
    changes.store()
}

/// Changes rows. Each row must exist.
pub(crate) fn update<C: Change>(rows: Vec<C>, conn: &mut Conn) -> Outcome<()> {
    let mut changes = Changes::on(conn);
    changes.update(rows)?;
    changes.store()
}

/// Adds a condition on the name of a member, as a literal, if a member is given.
pub(crate) fn push_name<T: Name>(column: &str, member: Option<T>, out: &mut AstPass<'_, '_, Db>) {
    if let Some(member) = member {
        for part in [" AND ", column, " = '", member.name(), "'"] {
            out.push_sql(part);
        }
    }
}

/// Reads a page whose rows carry the count of all matches, in one view. Past the end there is no row, so `count` reads
/// the count.
pub(crate) fn counted_page<T>(
    conn: &mut Conn,
    page: PageRequest,
    rows: impl Fn(&mut Conn) -> Outcome<Page<T>>,
    count: impl Fn(&mut Conn) -> Outcome<i64>,
) -> Outcome<Page<T>> {
    let found = rows(conn)?;
    if !found.rows.is_empty() || page.offset == 0 {
        return Ok(found);
    }
    conn.transaction(|conn| {
        let found = rows(conn)?;
        Ok(if found.rows.is_empty() { Page { count: count(conn)?, ..found } } else { found })
    })
}

/// A query for one row. Its limit is part of its text, so it stays prepared on SQLite, too.
pub(crate) struct FirstRow<Q>(pub(crate) Q);

impl<Q: QueryFragment<Db>> QueryFragment<Db> for FirstRow<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" LIMIT 1");
        Ok(())
    }
}

impl<Q: Query> Query for FirstRow<Q> {
    type SqlType = Q::SqlType;
}

impl<Q> QueryId for FirstRow<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q> RunQueryDsl<Conn> for FirstRow<Q> {}
