//! The clients that have left for another cell, and whose rows this store still keeps as text. See
//! `docs/adr/0024-moving-a-client.md`.

use super::backend::Conn;
use super::driver;
use super::errors::{Failure, Outcome, corrupt};
use diesel::sql_types::Text;
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use florin_domain::ids::ClientId;

const DEPARTED: &str = "SELECT client_id FROM __florin_departures WHERE part = 0 ORDER BY client_id";
/// The migration that creates the table `__florin_departures`.
const SINCE: &str = "20261128000058";

#[derive(QueryableByName)]
struct Departed {
    #[diesel(sql_type = Text)]
    client_id: String,
}

/// Returns the clients that have left. The schema may be of any version.
pub(crate) fn departed(conn: &mut Conn) -> Outcome<Vec<ClientId>> {
    if !driver::is_applied(conn, SINCE)? {
        return Ok(Vec::new());
    }
    let rows = sql_query(DEPARTED).load::<Departed>(conn)?;
    rows.iter().map(|row| ClientId::parse(&row.client_id).map_err(|flaw| corrupt(flaw.message))).collect()
}

/// Fails while text of a client is kept. A migration would not convert the text, so its rows could not be stored again.
pub(crate) fn require_complete_moves(conn: &mut Conn) -> Outcome<()> {
    match departed(conn)?.first() {
        None => Ok(()),
        Some(client) => Err(Failure::Unavailable(format!(
            "the move of client {client} to another cell is not complete; before the migration, repeat \
             `florin cells move` with the version of Florin that began it"
        ))),
    }
}
