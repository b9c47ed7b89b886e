//! Selects the movements that changed after a cursor, oldest change first, up to the tail.
//!
//! One statement reads every source by an index in the order of positions, and merges the rows. From each source it
//! reads at most as many rows as the part of the feed can contain.

use super::body::backend::sql::IdSql;
use super::body::backend::{Conn, Db};
use super::body::errors::Outcome;
use super::body::statements::identified_by_text;
use super::body::types::Id;
use super::page::Key;
use super::sources::ActivityQuery;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{BigInt, Text};
use florin_domain::activity::ActivityCursor;
use florin_domain::ids::ActivityId;

/// The part of the feed to read.
pub(super) struct FeedRange {
    pub(super) after: ActivityCursor,
    /// The last position to read: the tail.
    pub(super) until: i64,
    pub(super) max: i64,
}

/// The statement that selects a part of the feed.
struct Changed<'a> {
    query: &'a ActivityQuery,
    range: &'a FeedRange,
    id: Id,
}

impl ActivityQuery {
    /// Reads the keys of a part of the feed, in order, with their places.
    pub(super) fn changed(&self, conn: &mut Conn, range: &FeedRange) -> Outcome<Vec<(Key, ActivityCursor)>> {
        if self.tables().next().is_none() {
            return Ok(Vec::new());
        }
        let statement = Changed { query: self, range, id: Id(range.after.id.0) };
        let rows = statement.load::<(String, Id, i64)>(conn)?;
        let place = |(name, id, position): (String, Id, i64)| {
            let place = ActivityCursor { epoch: range.after.epoch, position, id: ActivityId(id.0) };
            Ok((Key::read(&name, id)?, place))
        };
        rows.into_iter().map(place).collect()
    }
}

impl QueryFragment<Db> for Changed<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        walk(self.query, (self.range, &self.id), &mut out)
    }
}

/// Writes the statement of a part of the feed. `id` is the id in the cursor.
pub(super) fn walk<'b>(
    query: &'b ActivityQuery,
    (range, id): (&'b FeedRange, &'b Id),
    out: &mut AstPass<'_, 'b, Db>,
) -> QueryResult<()> {
    out.push_sql("SELECT source, id, position FROM (");
    for (number, table) in query.tables().enumerate() {
        if number > 0 {
            out.push_sql(" UNION ALL ");
        }
        let feed = &table.feed;
        for part in ["SELECT * FROM (SELECT '", table.name, "' AS source, ", feed.id, " AS id, ", feed.position] {
            out.push_sql(part);
        }
        out.push_sql(" AS position FROM ");
        out.push_sql(feed.rows);
        query.of_account(feed.account, out)?;
        // The row comparison starts exactly at the cursor, even between rows of the same position, so that no row is
        // read twice.
        for part in [" AND (", feed.position, ", ", feed.id, ") > ("] {
            out.push_sql(part);
        }
        out.push_bind_param::<BigInt, _>(&range.after.position)?;
        out.push_sql(", ");
        out.push_bind_param::<IdSql, _>(id)?;
        for part in [") AND ", feed.position, " <= "] {
            out.push_sql(part);
        }
        out.push_bind_param::<BigInt, _>(&range.until)?;
        out.push_sql(feed.condition);
        query.conditions(table, out)?;
        for part in [" ORDER BY ", feed.position, ", ", feed.id, " LIMIT "] {
            out.push_sql(part);
        }
        out.push_bind_param::<BigInt, _>(&range.max)?;
        out.push_sql(") AS changed_");
        out.push_sql(table.name);
    }
    out.push_sql(") AS changed ORDER BY position, id LIMIT ");
    out.push_bind_param::<BigInt, _>(&range.max)
}

identified_by_text! {
    Changed<'_> => (Text, IdSql, BigInt);
}
