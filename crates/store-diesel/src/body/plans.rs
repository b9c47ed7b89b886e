//! Plans of queries, for tests.

use super::backend::testing::{EXPLAIN, PlanRow, PlanSql, line};
use super::backend::{Conn, Db};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};

/// The statement that explains the plan of a query.
struct Plan<T>(T);

impl<T: QueryFragment<Db>> QueryFragment<Db> for Plan<T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(EXPLAIN);
        self.0.walk_ast(out)
    }
}

impl<T> QueryId for Plan<T> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T> Query for Plan<T> {
    type SqlType = PlanSql;
}

impl<T> RunQueryDsl<Conn> for Plan<T> {}

/// Returns the plan of a query, each node on a line.
pub(crate) fn plan<T: QueryFragment<Db>>(conn: &mut Conn, query: T) -> QueryResult<String> {
    let rows = Plan(query).load::<PlanRow>(conn)?;
    Ok(rows.into_iter().map(|row| line(row) + "\n").collect())
}
