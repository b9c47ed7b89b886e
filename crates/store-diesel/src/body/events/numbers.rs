//! Checks that events are numbered by the sequences of their objects.

use super::body::backend::Conn;
use super::body::backend::sql::IdSql;
use super::body::errors::Outcome;
use super::body::types::Id;
use diesel::prelude::*;
use diesel::sql_query;
use uuid::Uuid;

/// Events that share a sequence, and events beyond the last sequence of their object. The last sequence is stored for a
/// budget, batch or checkout session. The last sequence of a chain is its number of messages. The last sequence of a
/// card is its number of transitions plus one.
const MISNUMBERED: &str = "SELECT object_id FROM outbox_events GROUP BY account_id, object_id, sequence \
    HAVING count(*) > 1 UNION SELECT e.object_id FROM outbox_events e LEFT JOIN event_sequences s \
    ON s.account_id = e.account_id AND s.object_id = e.object_id \
    WHERE e.kind NOT IN ('CardTransaction', 'CardStateUpdated') AND e.sequence > coalesce(s.last_sequence, 0) \
    UNION SELECT e.object_id FROM outbox_events e WHERE e.kind = 'CardTransaction' AND e.sequence > 1 + \
    (SELECT count(*) FROM card_transactions t \
    WHERE t.account_id = e.account_id AND t.chain_id = e.object_id AND t.preceding IS NOT NULL) \
    UNION SELECT e.object_id FROM outbox_events e WHERE e.kind = 'CardStateUpdated' AND e.sequence > 1 + \
    (SELECT count(*) FROM card_transitions t WHERE t.account_id = e.account_id AND t.card_id = e.object_id) \
    ORDER BY object_id";

#[derive(QueryableByName)]
struct Misnumbered {
    #[diesel(sql_type = IdSql)]
    object_id: Id,
}

/// Returns the objects whose events are not numbered by their sequences.
pub(crate) fn misnumbered(conn: &mut Conn) -> Outcome<Vec<Uuid>> {
    let rows: Vec<Misnumbered> = sql_query(MISNUMBERED).load(conn)?;
    Ok(rows.into_iter().map(|row| row.object_id.0).collect())
}
