//! Places in the feed of changes.

use super::Activity;
use crate::fault::Flaw;
use crate::ids::{ActivityId, parse_uuid};
use uuid::Uuid;

/// A place in the feed of changes of an account: after the last row that a reader has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActivityCursor {
    /// The epoch of the account. A restore of a world begins a new one.
    pub epoch: i64,
    /// The position of the row.
    pub position: i64,
    /// The id of the row: rows that changed together have the same position.
    pub id: ActivityId,
}

impl ActivityCursor {
    /// The place before the first row.
    pub const fn beginning(epoch: i64) -> Self {
        Self { epoch, position: 0, id: ActivityId(Uuid::nil()) }
    }

    /// The place after all rows up to a position.
    pub const fn after_all(epoch: i64, position: i64) -> Self {
        Self { epoch, position, id: ActivityId(Uuid::max()) }
    }

    /// Reads a cursor. `None` is the text `0`, which begins the feed in any epoch.
    pub fn parse(text: &str) -> Result<Option<Self>, Flaw> {
        if text == "0" {
            return Ok(None);
        }
        let wrong = || Flaw::format("must be 0 or a nextCursor");
        let mut parts = text.splitn(3, '.');
        let mut next = || parts.next().ok_or_else(wrong);
        let (epoch, position, id) = (number(next()?), number(next()?), parse_uuid(next()?));
        let (epoch, position) = (epoch.ok_or_else(wrong)?, position.ok_or_else(wrong)?);
        Ok(Some(Self { epoch, position, id: ActivityId(id.map_err(|_| wrong())?) }))
    }
}

/// Reads a number as [`ActivityCursor`] writes it.
fn number(text: &str) -> Option<i64> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

impl std::fmt::Display for ActivityCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.epoch, self.position, self.id)
    }
}

/// Rows that changed after a place in the feed, oldest change first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityChanges {
    /// The rows as they are now.
    pub rows: Vec<Activity>,
    /// The place at which the next read continues.
    pub next: ActivityCursor,
}
