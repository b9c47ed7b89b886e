//! The environment that the store is bound to.

use super::backend::Conn;
use super::driver;
use super::errors::{Outcome, corrupt};
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel::{QueryableByName, sql_query};
use florin_domain::access::Environment;

/// Reads the environment. The table is not exported: the header of an export contains the environment.
const BOUND: &str = "SELECT environment FROM __florin_store";
const BIND: &str = "INSERT INTO __florin_store (id, environment) VALUES (1, $1) ON CONFLICT (id) DO NOTHING";

#[derive(QueryableByName)]
struct Bound {
    #[diesel(sql_type = Text)]
    environment: String,
}

/// The migration that creates the table `__florin_store`.
const SINCE: &str = "20261122000015";

/// Returns the environment that the store is bound to, if any. The schema may be of any version.
pub(crate) fn bound(conn: &mut Conn) -> Outcome<Option<Environment>> {
    if !driver::is_applied(conn, SINCE)? {
        return Ok(None);
    }
    let row = sql_query(BOUND).get_result::<Bound>(conn).optional()?;
    row.map(|row| Environment::parse(&row.environment).ok_or_else(|| corrupt("the store's environment is unknown")))
        .transpose()
}

/// Binds the store, unless it is bound, and returns the environment that it is bound to.
pub(crate) fn bind(conn: &mut Conn, environment: Environment) -> Outcome<Environment> {
    // The database user of a server may lack the right to write this table.
    if let Some(environment) = bound(conn)? {
        return Ok(environment);
    }
    sql_query(BIND).bind::<Text, _>(environment.as_str()).execute(conn)?;
    bound(conn)?.ok_or_else(|| corrupt("the store's environment is missing"))
}
