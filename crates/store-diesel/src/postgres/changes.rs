//! Changes of several tables, stored by one statement: one round trip, however many tables a group touches.
//!
//! The parts see none of each other's rows: of each row there is one change at most, and what is new is inserted as it is in the end.
//! Foreign keys between the parts hold: they are looked at when all parts are done.

use super::body::errors::{Outcome, corrupt, exactly};
use super::body::sets::prepared;
use super::{Conn, Db};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{Array, BigInt};

/// Changes that are noted, to be stored together.
pub(crate) struct Changes<'c> {
    conn: &'c mut Conn,
    parts: Vec<Part>,
}

/// The change of one table.
struct Part {
    table: &'static str,
    /// How many rows it must be, where that is known.
    expected: Option<usize>,
    sql: Box<dyn QueryFragment<Db> + Send>,
}

impl<'c> Changes<'c> {
    /// None yet.
    pub(crate) const fn on(conn: &'c mut Conn) -> Self {
        Self { conn, parts: Vec::new() }
    }

    /// Notes a change.
    pub(crate) fn add(
        &mut self,
        table: &'static str,
        expected: Option<usize>,
        sql: impl QueryFragment<Db> + Send + 'static,
    ) {
        self.parts.push(Part { table, expected, sql: Box::new(sql) });
    }

    /// Stores what was noted.
    pub(crate) fn store(self) -> Outcome<()> {
        let Self { conn, parts } = self;
        if parts.is_empty() {
            return Ok(());
        }
        let expected: Vec<_> = parts.iter().map(|part| (part.table, part.expected)).collect();
        let written: Vec<i64> = Together(parts).get_result(conn)?;
        for ((table, expected), written) in expected.into_iter().zip(written) {
            if let Some(expected) = expected {
                exactly(expected, usize::try_from(written).map_err(corrupt)?, table)?;
            }
        }
        Ok(())
    }
}

/// One statement of them all; it counts the rows of each.
struct Together(Vec<Part>);

impl QueryFragment<Db> for Together {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        let mut before = "WITH p";
        for (number, part) in self.0.iter().enumerate() {
            out.push_sql(before);
            out.push_sql(&number.to_string());
            out.push_sql(" AS (");
            part.sql.walk_ast(out.reborrow())?;
            out.push_sql(" RETURNING 1)");
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

// It has a form for each choice of tables.
prepared! {
    Together => Array<BigInt>;
}
