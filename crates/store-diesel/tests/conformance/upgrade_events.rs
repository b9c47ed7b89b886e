//! A database with events that have no bodies, and its expected state after an upgrade.

use florin_ports::BooksCheck;

/// The first migration that is missing.
pub(crate) const MIGRATION: &str = "2026-11-22-000026";
/// The rows of the database.
pub(crate) const ROWS: &str = include_str!("before_events.sql");

/// The last sequence of each object. The next event of an object has the next one.
pub(crate) const SEQUENCES: &str = "SELECT CAST(object_id AS TEXT) || ' ' || CAST(last_sequence AS TEXT) AS line \
    FROM event_sequences ORDER BY 1";
/// The number of stored events.
pub(crate) const STORED: &str = "SELECT CAST(COUNT(*) AS TEXT) AS line FROM outbox_events";

/// Checks the data after the upgrade.
pub(crate) async fn check_sequences(store: &impl BooksCheck, sequences: &[String], stored: &[String]) {
    // The first budget has two credits, a transfer, a payment and its return. The second budget has the transfer. The
    // last three lines are the events of batches. The creation of the draft batch is not counted, so this batch has no
    // line.
    let expected = [("b1", 5), ("b2", 1), ("f1", 1), ("f2", 2), ("f3", 4)];
    let expected = expected.map(|(object, last)| format!("00000000-0000-0000-0000-0000000000{object} {last}"));
    assert_eq!(sequences, expected);
    assert_eq!(stored, ["0"], "events without bodies");
    assert_eq!(store.check_all().await.unwrap().discrepancies, vec![]);
}
