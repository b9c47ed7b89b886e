//! The directory of cells: which store holds which clients, accounts and keys.

use crate::{Registry, StoreError};
use async_trait::async_trait;
use florin_domain::access::KeyHash;
use florin_domain::fault::{Flaw, FlawCode};
use florin_domain::ids::{AccountId, ClientId, MoveId};
use std::collections::BTreeMap;
use std::fmt;
use uuid::Uuid;

/// The name of a cell: 1 to 32 lower-case letters, digits and hyphens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellName(String);

impl CellName {
    /// Parses a name.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if (1..=32).contains(&text.len()) && text.bytes().all(is_allowed) {
            return Ok(Self(text.to_owned()));
        }
        Err(Flaw::new(FlawCode::InvalidFormat, "must be 1 to 32 lower-case letters, digits or hyphens"))
    }

    /// Returns the name of the home: the store that holds the directory. It is a cell, too.
    pub fn home() -> Self {
        Self("home".to_owned())
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CellName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A key of the directory: the client, account or API key whose cell is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CellKey {
    /// A client. All its accounts, keys and subscriptions are in its cell.
    Client(ClientId),
    /// An account.
    Account(AccountId),
    /// An API key.
    ApiKey(KeyHash),
}

impl CellKey {
    /// Parses a text from [`Self::stored`]. `None`: the text is damaged.
    pub fn parse(stored: &str) -> Option<Self> {
        let (kind, id) = stored.split_once(':')?;
        match kind {
            "client" => Some(Self::Client(ClientId(Uuid::parse_str(id).ok()?))),
            "account" => Some(Self::Account(AccountId::parse(id).ok()?)),
            "key" => {
                let mut hash = [0; 32];
                if id.len() != 2 * hash.len() || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return None;
                }
                for (place, byte) in hash.iter_mut().enumerate() {
                    *byte = u8::from_str_radix(id.get(2 * place..2 * place + 2)?, 16).ok()?;
                }
                Some(Self::ApiKey(KeyHash(hash)))
            }
            _ => None,
        }
    }

    /// Returns a text for storage. It identifies the key, and begins with its kind.
    pub fn stored(&self) -> String {
        match self {
            Self::Client(client) => format!("client:{client}"),
            Self::Account(account) => format!("account:{account}"),
            Self::ApiKey(hash) => {
                let digits = hash.0.iter().map(|byte| format!("{byte:02x}"));
                digits.fold("key:".to_owned(), |text, digits| text + &digits)
            }
        }
    }
}

/// An entry of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellEntry {
    /// The key.
    pub key: CellKey,
    /// The cell.
    pub cell: CellName,
    /// The world that the entry belongs to. `None`: the entry is permanent.
    pub world: Option<AccountId>,
    /// A number that is different each time the entry is added or moved, even if it was removed in between.
    pub revision: i64,
    /// The move of its client that is in progress. Until it ends, the entry must not be used.
    pub moving: Option<CellMove>,
    /// The last move that the entry was marked with, in progress or ended. `None`: it was never marked.
    pub last_move: Option<MoveId>,
}

/// A client that is being moved to another cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellMove {
    /// Identifies this move. No other move has it, whatever its client and cells.
    pub id: MoveId,
    /// The client.
    pub client: ClientId,
    /// Its cell before the move.
    pub from: CellName,
    /// Its cell after the move.
    pub to: CellName,
}

/// An account or an API key of a client, as a key of the directory, and the world that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOfWorld {
    /// The key.
    pub key: CellKey,
    /// The world that the account or API key belongs to. `None`: it belongs to no world.
    pub world: Option<AccountId>,
}

/// The directory of cells, which the home keeps for all cells, and the name of the cell to which each store is bound.
///
/// Promises: a key has at most one entry, and only [`Self::end_move`] changes the cell of an entry. Of concurrent calls
/// that add different cells under one key, only the first one takes effect. Each call is one transaction.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait CellDirectory: Send + Sync {
    /// Returns the entry of a key. `None`: the key has no entry.
    async fn find(&self, key: &CellKey) -> Result<Option<CellEntry>, StoreError>;

    /// Returns the entries of several different keys, in any order. A key that has no entry is absent.
    async fn find_all(&self, keys: Vec<CellKey>) -> Result<Vec<CellEntry>, StoreError>;

    /// Adds an entry, and returns the stored one. If the key has an entry with the same cell, this entry gets another
    /// revision, and becomes permanent if `world` is `None`; it never gets another world. If the key has an entry with
    /// another cell, nothing changes.
    async fn add(&self, key: CellKey, cell: CellName, world: Option<AccountId>) -> Result<CellEntry, StoreError>;

    /// Returns the entries that belong to a world, in any order.
    async fn of_world(&self, world: &AccountId) -> Result<Vec<CellEntry>, StoreError>;

    /// Removes an entry if it still has this revision and is not marked as moving. Returns whether it was removed.
    async fn remove(&self, entry: &CellEntry) -> Result<bool, StoreError>;

    /// Marks the entries of a client, and of these accounts and API keys of the client, as moving. Adds missing
    /// entries. Entries in other cells stay unchanged. Returns the move that is in progress afterwards: an earlier move
    /// that has not ended is returned instead of `wanted`. `None`: the client is in another cell than `from`, and
    /// nothing changes.
    async fn begin_move(&self, wanted: CellMove, keys: Vec<KeyOfWorld>) -> Result<Option<CellMove>, StoreError>;

    /// Ends a move. All entries that are marked with it, and the entries of `keys` that are in the cell of the client,
    /// get the cell `cell` and another revision, and lose the mark. Missing entries of `keys` are added. Returns
    /// `false`, and changes nothing, if the client is not being moved by this move.
    async fn end_move(&self, begun: CellMove, keys: Vec<KeyOfWorld>, cell: CellName) -> Result<bool, StoreError>;

    /// Returns the moves that have not ended, in the order of the clients' ids.
    async fn moves(&self) -> Result<Vec<CellMove>, StoreError>;

    /// Returns the number of clients of each cell that has any.
    async fn clients(&self) -> Result<BTreeMap<CellName, u64>, StoreError>;

    /// Returns the cells that the directory lists, each with whether it accepts new clients. Entries may name cells
    /// that it does not list.
    async fn listed(&self) -> Result<BTreeMap<CellName, bool>, StoreError>;

    /// Lists a cell, or changes whether a listed cell accepts new clients. Entries stay as they are.
    async fn list(&self, cell: CellName, accepts_clients: bool) -> Result<(), StoreError>;

    /// Returns the cell that this store is bound to; `None` if it is not bound. Works with every version of the schema.
    async fn bound_cell(&self) -> Result<Option<CellName>, StoreError>;

    /// Binds this store to a cell permanently, unless it is already bound. Returns the cell that it is bound to
    /// afterwards. Of concurrent calls, the first one binds it.
    async fn bind_cell(&self, cell: CellName) -> Result<CellName, StoreError>;
}

/// Returns whether a cell accepts new clients. `listed`: what [`CellDirectory::listed`] has returned. The home accepts
/// them unless the directory says otherwise; any other cell only if the directory says so.
pub fn accepts_clients(listed: &BTreeMap<CellName, bool>, cell: &CellName) -> bool {
    listed.get(cell).copied().unwrap_or_else(|| *cell == CellName::home())
}

/// Returns the number of clients of each cell that has any, and of the home. `home` is the store of the
/// home: its clients from before the first cell have no entry in the directory.
pub async fn clients_of_cells(
    directory: &dyn CellDirectory,
    home: &(impl Registry + ?Sized),
) -> Result<BTreeMap<CellName, u64>, StoreError> {
    let mut clients = directory.clients().await?;
    let at_home = home.clients().await?.len();
    clients.insert(CellName::home(), u64::try_from(at_home).unwrap_or(u64::MAX));
    Ok(clients)
}

/// Returns the cell with the fewest clients among those that accept new clients. `None`: no cell accepts them.
/// `listed` and `clients`: what [`CellDirectory::listed`] and [`clients_of_cells`] have returned.
pub fn emptiest<'c>(
    cells: impl Iterator<Item = &'c CellName>,
    listed: &BTreeMap<CellName, bool>,
    clients: &BTreeMap<CellName, u64>,
) -> Option<&'c CellName> {
    let accepting = cells.filter(|cell| accepts_clients(listed, cell));
    accepting.min_by_key(|cell| clients.get(*cell).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emptiest_cell_accepts_clients() {
        let [home, a, b] = ["home", "a", "b"].map(|name| CellName::parse(name).unwrap());
        let listed = BTreeMap::from([(a.clone(), true), (b.clone(), false)]);
        let clients = BTreeMap::from([(home.clone(), 2), (a.clone(), 1)]);
        assert_eq!(emptiest([&home, &a, &b].into_iter(), &listed, &clients), Some(&a));
        assert_eq!(emptiest([&home, &b].into_iter(), &listed, &clients), Some(&home));
        assert_eq!(emptiest([&b].into_iter(), &listed, &clients), None);
    }

    #[test]
    fn only_the_home_accepts_clients_without_being_listed() {
        let [home, other] = [CellName::home(), CellName::parse("a").unwrap()];
        let accepting = |listed: &BTreeMap<CellName, bool>| [&home, &other].map(|cell| accepts_clients(listed, cell));
        assert_eq!(accepting(&BTreeMap::new()), [true, false]);
        for accepts in [true, false] {
            let listed = BTreeMap::from([&home, &other].map(|cell| (cell.clone(), accepts)));
            assert_eq!(accepting(&listed), [accepts, accepts]);
        }
    }

    #[test]
    fn names_have_1_to_32_allowed_characters() {
        for name in ["home", "a", "eu-1", &"x".repeat(32)] {
            assert_eq!(CellName::parse(name).unwrap().as_str(), name);
        }
        for name in ["", "A", "a b", "é", "a_b", &"x".repeat(33)] {
            assert!(CellName::parse(name).is_err(), "{name}");
        }
        assert_eq!(CellName::parse("home"), Ok(CellName::home()));
    }

    #[test]
    fn keys_of_different_kinds_differ() {
        let account = CellKey::Account(AccountId::parse("F1").unwrap());
        let key = CellKey::ApiKey(KeyHash([171; 32]));
        assert_eq!(account.stored(), "account:F1");
        assert_eq!(CellKey::Client(ClientId(Uuid::nil())).stored(), format!("client:{}", Uuid::nil()));
        assert_eq!(key.stored(), format!("key:{}", "ab".repeat(32)));
        for key in [&account, &key, &CellKey::Client(ClientId(Uuid::from_u128(7)))] {
            assert_eq!(CellKey::parse(&key.stored()).as_ref(), Some(key));
        }
        for damaged in ["", "F1", "account:", "client:7", "key:ab", &format!("key:{}", "é".repeat(32)), "cell:a"] {
            assert_eq!(CellKey::parse(damaged), None, "{damaged}");
        }
        // The debug format is for logs, so it must not contain the hash.
        assert!(!format!("{key:?}").contains("171"));
    }
}
