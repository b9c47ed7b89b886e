//! What is different in the rows of a client that arrives: the positions of its events, and leases on its deliveries.

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Outcome, corrupt};
use super::body::statements::Row;
use super::body::tables::events::{EventRow, RedeliveryRow};
use super::body::tables::webhooks::{DeliveryRow, WebhookRow};
use super::body::tables::worlds::SnapshotRow;
use super::body::types::Time;
use super::{Line, push_line, schema};
use chrono::DateTime;
use florin_store_contract::Departure;
use serde::de::{DeserializeOwned, Deserializer as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::fmt;

/// The position of a row.
#[derive(Deserialize)]
struct Placed {
    position: i64,
}

/// The end of the range of a subscription.
#[derive(Deserialize)]
struct Range {
    until: Option<i64>,
}

/// The lease on a delivery.
#[derive(Deserialize)]
struct Lease {
    leased_until: Option<Time>,
}

/// A snapshot with its rows.
#[derive(Deserialize)]
struct Snapshot {
    schema_name: String,
    contents: String,
}

/// Collects the positions of events and redeliveries in a row, also those of events in a snapshot. A snapshot of
/// another schema can't be restored, so its events never need a position.
pub(super) fn collect(table: &str, row: &str, positions: &mut BTreeSet<i64>) -> Outcome<()> {
    match table {
        EventRow::TABLE | RedeliveryRow::TABLE => {
            positions.insert(read::<Placed>(row)?.position);
        }
        SnapshotRow::TABLE => {
            let snapshot: Snapshot = read(row)?;
            if snapshot.schema_name == schema()? {
                for line in snapshot.contents.lines() {
                    let Line { table, row } = serde_json::from_str(line).map_err(corrupt)?;
                    if table == EventRow::TABLE {
                        positions.insert(read::<Placed>(row.get())?.position);
                    }
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// New positions, in the order of the old ones, without gaps.
pub(super) struct NewPositions<'d> {
    old: &'d [i64],
    /// The new position of the first old one.
    first: i64,
}

impl<'d> NewPositions<'d> {
    /// Reserves positions for a client. They are above all positions that its previous store has drawn.
    pub(super) fn reserve(conn: &mut Conn, departure: &'d Departure) -> Outcome<Self> {
        let count = i64::try_from(departure.positions.len()).map_err(corrupt)?;
        let first = driver::reserve_positions(conn, count, departure.last_position)?;
        Ok(Self { old: &departure.positions, first })
    }

    fn of(&self, old: i64) -> Outcome<i64> {
        let index = self.old.binary_search(&old).map_err(|_| corrupt(format!("position {old} was not announced")))?;
        Ok(self.first.saturating_add(i64::try_from(index).map_err(corrupt)?))
    }

    /// Returns the last new position.
    fn end(&self) -> i64 {
        self.first.saturating_add(i64::try_from(self.old.len()).unwrap_or(i64::MAX)).saturating_sub(1)
    }

    /// Returns a row with its new positions. `None`: the row stays as it is. The deliveries of all events of the client
    /// are queued before it leaves, so the range of a subscription begins after the last new position. Leases on
    /// deliveries end: the worker that holds one can't record its attempt any more, and later deliveries of the object
    /// wait for it.
    pub(super) fn moved(&self, table: &str, row: &str) -> Outcome<Option<String>> {
        let values = match table {
            EventRow::TABLE | RedeliveryRow::TABLE => {
                vec![("position", self.of(read::<Placed>(row)?.position)?.to_string())]
            }
            WebhookRow::TABLE => {
                let end = self.end().to_string();
                let until = read::<Range>(row)?.until.map(|_| ("until", end.clone()));
                [("since", end)].into_iter().chain(until).collect()
            }
            DeliveryRow::TABLE if read::<Lease>(row)?.leased_until.is_some() => {
                vec![("leased_until", write(&Time(DateTime::UNIX_EPOCH))?)]
            }
            SnapshotRow::TABLE => {
                let snapshot: Snapshot = read(row)?;
                if snapshot.schema_name != schema()? {
                    return Ok(None);
                }
                vec![("contents", write(&self.contents(&snapshot.contents)?)?)]
            }
            _ => return Ok(None),
        };
        with(row, &values).map(Some)
    }

    /// Returns the rows of a snapshot with new positions of events.
    fn contents(&self, text: &str) -> Outcome<String> {
        let mut moved = String::with_capacity(text.len());
        for line in text.lines() {
            let Line { table, row } = serde_json::from_str(line).map_err(corrupt)?;
            match self.moved_event(table, row.get())? {
                Some(row) => push_line(&mut moved, table, &row),
                None => moved.extend([line, "\n"]),
            }
        }
        Ok(moved)
    }

    fn moved_event(&self, table: &str, row: &str) -> Outcome<Option<String>> {
        if table == EventRow::TABLE { self.moved(table, row) } else { Ok(None) }
    }
}

fn read<R: DeserializeOwned>(row: &str) -> Outcome<R> {
    serde_json::from_str(row).map_err(corrupt)
}

fn write<T: Serialize>(value: &T) -> Outcome<String> {
    serde_json::to_string(value).map_err(corrupt)
}

/// Returns a row with these values of columns, as JSON. The order of the columns and all other values stay, because the
/// row is compared with the stored one.
fn with(row: &str, values: &[(&str, String)]) -> Outcome<String> {
    serde_json::Deserializer::from_str(row).deserialize_map(Replaced(values)).map_err(corrupt)
}

/// Copies a row with some values replaced.
struct Replaced<'v>(&'v [(&'v str, String)]);

impl<'de> Visitor<'de> for Replaced<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<String, A::Error> {
        let mut row = String::new();
        let mut before = "{\"";
        while let Some((name, value)) = members.next_entry::<&str, &RawValue>()? {
            let replaced = self.0.iter().find(|(column, _)| *column == name);
            let value = replaced.map_or(value.get(), |(_, value)| value.as_str());
            for part in [before, name, "\":", value] {
                row.push_str(part);
            }
            before = ",\"";
        }
        row.push('}');
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn positions_keep_their_order_in_the_new_block() {
        let new_positions = NewPositions { old: &[3, 70, 71], first: 1_001 };
        assert_eq!([3, 70, 71].map(|old| new_positions.of(old).unwrap()), [1_001, 1_002, 1_003]);
        assert!(new_positions.of(4).is_err());
        assert_eq!(new_positions.end(), 1_003);
        // Without events, the block is empty, and ranges begin where it would be.
        assert_eq!(NewPositions { old: &[], first: 8 }.end(), 7);
    }

    #[test]
    fn redeliveries_are_collected_and_moved() {
        let row = concat!(
            r#"{"position":71,"account_id":"F1","event_id":"0198c0de-0000-7000-8000-000000000001","#,
            r#""recorded_at":"2026-01-01T00:00:00.000000Z"}"#
        );
        let mut positions = BTreeSet::new();
        collect(RedeliveryRow::TABLE, row, &mut positions).unwrap();
        collect("budgets", row, &mut positions).unwrap();
        assert_eq!(positions, [71].into());
        let moved = NewPositions { old: &[71], first: 9 }.moved(RedeliveryRow::TABLE, row).unwrap().unwrap();
        assert_eq!(moved, row.replace("71", "9"));
        assert_eq!(NewPositions { old: &[71], first: 9 }.moved("budgets", row).unwrap(), None);
    }

    #[test]
    fn ranges_begin_after_the_block_and_leases_end() {
        let new_positions = NewPositions { old: &[71], first: 9 };
        let moved = |table: &str, row: &str| new_positions.moved(table, row).unwrap();
        let range = |until: &str| format!(r#"{{"id":"x","since":7,"until":{until}}}"#);
        assert_eq!(moved(WebhookRow::TABLE, &range("null")).unwrap(), r#"{"id":"x","since":9,"until":null}"#);
        assert_eq!(moved(WebhookRow::TABLE, &range("8")).unwrap(), r#"{"id":"x","since":9,"until":9}"#);
        assert_eq!(moved(DeliveryRow::TABLE, r#"{"leased_until":null}"#), None);
        let leased = r#"{"leased_until":"2026-01-01T00:00:00.000000Z","attempts":1}"#;
        let ended = leased.replace("2026", "1970");
        assert_eq!(moved(DeliveryRow::TABLE, leased), Some(ended));
    }
}
