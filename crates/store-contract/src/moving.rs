//! Moves a client from one store to another. `docs/adr/0024-moving-a-client.md` explains the steps.

use florin_domain::ids::{ClientId, MoveId};
use florin_domain::secret::SecretKeyId;
use florin_ports::{CellKey, CellMove, CellName, Discrepancy, KeyOfWorld, StoreError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The departure of a client from a store. The store keeps the client's rows as text, in parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Departure {
    /// The id of the move.
    pub move_id: String,
    /// The name of the cell that the client moves to.
    pub to: String,
    /// The id of the key that the store was bound to, under which the secrets in the rows are encrypted.
    pub secret_key: Option<String>,
    /// The schema of the rows: the name of the last migration.
    pub schema: String,
    /// The number of parts. They are numbered from 1.
    pub parts: i64,
    /// The SHA-256 of all parts, hexadecimal.
    pub sha256: String,
    /// The number of rows of each table.
    pub rows: BTreeMap<String, u64>,
    /// The accounts and keys of the client, as the directory names them, each with its world.
    pub keys: Vec<(String, Option<String>)>,
    /// The greatest position that the store had assigned to an event or redelivery of any client. The new positions of
    /// the client are above it.
    pub last_position: i64,
    /// The positions of the client's events and redeliveries, in order.
    pub positions: Vec<i64>,
    /// Whether the move is undone: the client must not arrive elsewhere any more.
    pub recalled: bool,
}

impl Departure {
    /// Returns whether the client has left by this move.
    pub fn is_of(&self, begun: &CellMove) -> bool {
        self.move_id == begun.id.to_string()
    }

    /// Returns the move by which a client has left a cell. `None`: an id or a name in the departure can't be read.
    pub fn begun(&self, client: ClientId, from: &CellName) -> Option<CellMove> {
        let id = MoveId::parse(&self.move_id).ok()?;
        Some(CellMove { id, client, from: from.clone(), to: CellName::parse(&self.to).ok()? })
    }

    /// Returns the accounts and keys of the client. Keys that can't be read are left out.
    pub fn keys(&self) -> Vec<KeyOfWorld> {
        let world = |text: &str| match CellKey::parse(&format!("account:{text}")) {
            Some(CellKey::Account(account)) => Some(account),
            _ => None,
        };
        let key = |(key, of): &(String, Option<String>)| {
            Some(KeyOfWorld { key: CellKey::parse(key)?, world: of.as_deref().and_then(world) })
        };
        self.keys.iter().filter_map(key).collect()
    }

    /// Returns the number of rows of all tables together.
    pub fn total(&self) -> u64 {
        self.rows.values().sum()
    }
}

/// Reasons that a client did not leave, arrive or return. Nothing was stored, except possibly after
/// [`StoreError::OutcomeUnknown`].
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The client has not left the other store by this move, or can't leave or arrive by it any more.
    #[error("the client has not left its cell, or its move is being undone")]
    NotDeparted,
    /// The move has ended, or was undone, or the store keeps the text of another move.
    #[error("another command has completed or undone this move")]
    Ended,
    /// The check of the client's books found discrepancies before the move.
    #[error(
        "the check of the books found {} discrepancies before the move, the first: {}; see `florin check`",
        .0.len(), first_of(.0)
    )]
    Unsound(Vec<Discrepancy>),
    /// The two stores are bound to different secret keys.
    #[error("the secrets of the client are encrypted under another key than {store}, that of this cell")]
    Key {
        /// The key of this store.
        store: SecretKeyId,
    },
    /// The two stores have different schemas.
    #[error("schema mismatch: the rows have {rows}, this cell has {store}; run `florin migrate`")]
    Schema {
        /// The schema of the rows.
        rows: String,
        /// The schema of this store.
        store: String,
    },
    /// The kept text is incomplete, or somebody has changed it.
    #[error("the rows that the old cell keeps are incomplete or were changed")]
    Changed,
    /// A row of the client refers to a row that does not move with it, or a row of another client refers to a row of
    /// the client.
    #[error("a row refers to a row of another client, or to a row that is not in this cell: {0}")]
    Dangling(String),
    /// The stored rows of a table differ from those that left.
    #[error("the rows of table {0} differ after the copy")]
    Differs(&'static str),
    /// The check of the client's books found discrepancies after the copy.
    #[error("the check of the books found {} discrepancies after the copy, the first: {}", .0.len(), first_of(.0))]
    Books(Vec<Discrepancy>),
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MoveError {
    /// Returns whether a retry may succeed. After an unknown outcome, the rows may already be stored.
    pub const fn is_transient(&self) -> bool {
        let Self::Store(error) = self else { return false };
        matches!(
            error,
            StoreError::Unavailable(_) | StoreError::Moving(_) | StoreError::Overloaded | StoreError::OutcomeUnknown(_)
        )
    }
}

fn first_of(found: &[Discrepancy]) -> String {
    found.first().map(|first| format!("{first:?}")).unwrap_or_default()
}

/// Moves a client out of a store and into another one. Each call makes its changes in one transaction, and blocks.
pub trait MoveClients: Send + Sync {
    /// Returns the accounts and keys of a client, each with its world. `None`: the store does not have the client.
    fn keys_of(&self, client: ClientId) -> Result<Option<Vec<KeyOfWorld>>, StoreError>;

    /// Deletes all rows of a client, and keeps them as text. The deliveries of its events must be queued, and its books
    /// must be correct. If the client has left by this move before, this method returns its departure. A move lets a
    /// client leave at most once, and not at all after [`Self::recall`]. `None`: the store does not have the client.
    fn depart(&self, begun: &CellMove) -> Result<Option<Departure>, MoveError>;

    /// Returns the departure of a client. `None`: it has not left, or its text was deleted.
    fn departure(&self, client: ClientId) -> Result<Option<Departure>, StoreError>;

    /// Returns the clients that have left and whose text is kept. Works with every version of the schema.
    fn departed(&self) -> Result<Vec<ClientId>, StoreError>;

    /// Returns a part of the text of a client that has left. `None`: the store does not keep this part.
    fn part(&self, client: ClientId, number: i64) -> Result<Option<String>, StoreError>;

    /// Stores the rows of a client that has left another store by this move, and verifies them. If the store already
    /// has the client, nothing changes. A client whose move was recalled, or whose text was deleted, does not arrive.
    fn arrive(&self, begun: &CellMove, from: &dyn MoveClients) -> Result<(), MoveError>;

    /// Returns whether a client has arrived. Waits for an arrival in progress.
    fn has_arrived(&self, client: ClientId) -> Result<bool, StoreError>;

    /// Recalls a move out of this store, even one by which the client has not left yet. Afterwards, the client can't
    /// leave or arrive by this move any more. Fails if the store keeps the text of another move of the client.
    fn recall(&self, begun: &CellMove) -> Result<(), MoveError>;

    /// Restores the rows of a client that has left this store by this move, and deletes their text. The move must have
    /// been recalled, and the client must not have arrived elsewhere. If the client is in this store, nothing changes.
    /// Books that were wrong before the move are only reported in the log.
    fn put_back(&self, begun: &CellMove) -> Result<(), MoveError>;

    /// Deletes some parts of the text of a client that has left by this move. Returns whether other parts may be left.
    /// The text of another move stays.
    fn forget(&self, begun: &CellMove) -> Result<bool, StoreError>;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use florin_domain::ids::AccountId;

    #[test]
    fn a_departure_returns_its_move_keys_and_number_of_rows() {
        let of_world = ("account:W1".to_owned(), Some("W1".to_owned()));
        let keys = vec![("account:F1".to_owned(), None), of_world, ("damaged".to_owned(), None)];
        let (schema, sha256, rows) = (String::new(), String::new(), [("a".to_owned(), 2), ("b".to_owned(), 3)].into());
        let [home, a] = ["home", "a"].map(|name| CellName::parse(name).unwrap());
        let client = ClientId::parse("0198c0de-0000-7000-8000-000000000001").unwrap();
        let [id, other] = [MoveId(client.0), MoveId::parse("0198c0de-0000-7000-8000-000000000002").unwrap()];
        let begun = CellMove { id, client, from: home, to: a };
        let left = Departure {
            move_id: id.to_string(),
            to: "a".to_owned(),
            secret_key: None,
            schema,
            parts: 0,
            sha256,
            rows,
            keys,
            last_position: 0,
            positions: Vec::new(),
            recalled: false,
        };
        assert_eq!(left.begun(begun.client, &begun.from), Some(begun.clone()));
        assert!(left.is_of(&begun) && !left.is_of(&CellMove { id: other, ..begun.clone() }));
        let [one, world] = ["F1", "W1"].map(|text| AccountId::parse(text).unwrap());
        let of = |account, world| KeyOfWorld { key: CellKey::Account(account), world };
        let expected = vec![of(one, None), of(world.clone(), Some(world))];
        assert_eq!((left.keys(), left.total()), (expected, 5));
    }
}
