//! Selects the movements of a page, and counts them.
//!
//! One statement reads every source by an index in the order of the list, and merges the rows. From each source it
//! reads at most as many of the newest rows as the list contains up to the end of the page.

use super::body::backend::sql::IdSql;
use super::body::backend::{Conn, Db};
use super::body::errors::{Outcome, corrupt};
use super::body::statements::identified_by_text;
use super::body::types::Id;
use super::sources::{ActivityQuery, SOURCE_TABLES, SourceTable};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{BigInt, Text};
use florin_domain::activity::ActivitySource;
use florin_domain::page::PageRequest;
use uuid::Uuid;

/// The source and id of a movement.
pub(super) struct Key {
    pub(super) source: ActivitySource,
    pub(super) id: Uuid,
}

impl Key {
    /// Builds a key from the name of a source and an id.
    pub(super) fn read(name: &str, id: Id) -> Outcome<Self> {
        let table =
            SOURCE_TABLES.iter().find(|table| table.name == name).ok_or_else(|| corrupt("an unknown source"))?;
        Ok(Self { source: table.source, id: id.0 })
    }
}

/// The statement that selects a page.
struct Keys<'a> {
    query: &'a ActivityQuery,
    page: PageRequest,
    /// The number of rows to read from each source: the offset of the page plus its limit.
    max: i64,
}

/// The statement that counts the rows of all sources.
struct Count<'a>(&'a ActivityQuery);

impl ActivityQuery {
    /// Reads the keys of the page, in order.
    pub(super) fn keys(&self, conn: &mut Conn, page: PageRequest) -> Outcome<Vec<Key>> {
        if self.tables().next().is_none() {
            return Ok(Vec::new());
        }
        let max = page.limit.saturating_add(page.offset);
        let rows = Keys { query: self, page, max }.load::<(String, Id)>(conn)?;
        rows.into_iter().map(|(name, id)| Key::read(&name, id)).collect()
    }

    /// Counts the movements of all pages.
    pub(super) fn count(&self, conn: &mut Conn) -> Outcome<i64> {
        if self.tables().next().is_none() {
            return Ok(0);
        }
        Ok(Count(self).get_result(conn)?)
    }

    /// Writes the `FROM` and `WHERE` clauses of a source.
    fn of_table<'b>(&'b self, table: &SourceTable, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(" FROM ");
        out.push_sql(table.rows);
        self.of_account("t.account_id", out)?;
        out.push_sql(table.condition);
        self.conditions(table, out)
    }
}

impl QueryFragment<Db> for Keys<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        walk(self.query, (&self.page, &self.max), &mut out)
    }
}

/// Writes the statement of a page. `max` is the number of rows to read from each source.
pub(super) fn walk<'b>(
    query: &'b ActivityQuery,
    (page, max): (&'b PageRequest, &'b i64),
    out: &mut AstPass<'_, 'b, Db>,
) -> QueryResult<()> {
    out.push_sql("SELECT source, id FROM (");
    for (number, table) in query.tables().enumerate() {
        if number > 0 {
            out.push_sql(" UNION ALL ");
        }
        for part in ["SELECT * FROM (SELECT '", table.name, "' AS source, ", table.id, " AS id, ", table.at, " AS at"] {
            out.push_sql(part);
        }
        query.of_table(table, out)?;
        for part in [" ORDER BY ", table.at, " DESC, ", table.id, " DESC LIMIT "] {
            out.push_sql(part);
        }
        out.push_bind_param::<BigInt, _>(max)?;
        out.push_sql(") AS newest_");
        out.push_sql(table.name);
    }
    out.push_sql(") AS newest ORDER BY at DESC, id DESC LIMIT ");
    out.push_bind_param::<BigInt, _>(&page.limit)?;
    out.push_sql(" OFFSET ");
    out.push_bind_param::<BigInt, _>(&page.offset)
}

impl QueryFragment<Db> for Count<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        for (number, table) in self.0.tables().enumerate() {
            if number > 0 {
                out.push_sql(" + ");
            }
            out.push_sql("(SELECT COUNT(*)");
            self.0.of_table(table, &mut out)?;
            out.push_sql(")");
        }
        Ok(())
    }
}

identified_by_text! {
    Count<'_> => BigInt;
    Keys<'_> => (Text, IdSql);
}
