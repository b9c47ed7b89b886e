//! Tests of what only a router does: choosing cells, and keeping the directory.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "router/moves.rs"]
mod moves;
mod support;
#[path = "router/unopened.rs"]
mod unopened;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::access::{Account, AccountGrant, ApiClient, ApiKey, Environment, KeyHash};
use florin_domain::budget::BudgetRecord;
use florin_domain::checkout::PageTokenHash;
use florin_domain::ids::{AccountId, ApiKeyId, BudgetId, ClientId};
use florin_domain::test_support::an_account;
use florin_domain::world::{ClockSetting, CreateSituation, CreateWorldRefusal, SandboxWorld, WorldTemplate};
use florin_ports::{
    Accounts, Budgets, Callers, CellDirectory, CellEntry, CellKey, CellMove, CellName, CreateWorldCommand, KeyOfWorld,
    Registry, SeedAccount, Seeding, StoreError, WorldContents, Worlds, WriteError,
};
use florin_store_memory::MemoryStore;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Stores, kit_client, name};
use uuid::Uuid;

fn client(number: u128) -> ApiClient {
    let (allowed_networks, features) = (Vec::new(), [].into());
    ApiClient { id: kit_client(number), name: number.to_string(), allowed_networks, features, disabled_at: None }
}

fn id(text: &str) -> AccountId {
    AccountId::parse(text).unwrap()
}

fn account(text: &str, client: ClientId) -> Account {
    Account { client, name: text.to_owned(), ..an_account(id(text)) }
}

fn parent(text: &str) -> BudgetRecord {
    BudgetRecord::parent_of_account(BudgetId(Uuid::from_u128(9)), id(text), [], DateTime::UNIX_EPOCH)
}

fn key(number: u8, client: ClientId, text: &str) -> (ApiKey, KeyHash) {
    let key = ApiKey {
        id: ApiKeyId(Uuid::from_u128(number.into())),
        client,
        environment: Environment::Sandbox,
        scopes: [].into(),
        accounts: AccountGrant::Only([id(text)].into()),
        created_at: DateTime::UNIX_EPOCH,
        expires_at: None,
        revoked_at: None,
        made_by: None,
        replaced_by: None,
        last_used_at: None,
    };
    (key, KeyHash([number; 32]))
}

/// Builds a command that creates an empty world with a key, or replaces it.
fn world(client: ClientId, text: &str, number: u8) -> CreateWorldCommand {
    let (key, hash) = key(number, client, text);
    let seed = SeedAccount::empty(account(text, client), parent(text));
    CreateWorldCommand {
        world: SandboxWorld {
            account: id(text),
            client,
            template: WorldTemplate::Empty,
            seed: None,
            created_at: DateTime::UNIX_EPOCH,
            expires_at: DateTime::UNIX_EPOCH + TimeDelta::hours(1),
            clock: ClockSetting::default(),
        },
        contents: WorldContents::Seeded(Box::new(seed)),
        key,
        hash,
        reseal: Arc::new(|_, _, secret| Ok(secret.clone())),
        page_tokens: Arc::new(|_, _| PageTokenHash([0; 32])),
        claim: None,
        decide: Arc::new(|situation: &CreateSituation| Ok(situation.exists)),
    }
}

async fn names(store: &MemoryStore) -> Vec<String> {
    Registry::clients(store).await.unwrap().into_iter().map(|client| client.name).collect()
}

#[tokio::test]
async fn new_clients_get_the_cell_with_the_fewest_clients() {
    let stores = Stores::default();
    let router = stores.router();
    for cell in ["a", "b"] {
        CellDirectory::list(&stores.home, name(cell), true).await.unwrap();
    }
    stores.home.add(CellKey::Client(kit_client(3)), name("b"), None).await.unwrap();
    for number in 1..=6 {
        router.add_client(client(number)).await.unwrap();
    }
    // An operator had chosen `b` for the third client.
    assert_eq!(names(&stores.home).await, ["1", "4"]);
    assert_eq!(names(&stores.a).await, ["2", "5"]);
    assert_eq!(names(&stores.b).await, ["3", "6"]);
}

#[tokio::test]
async fn only_cells_that_accept_clients_get_new_ones() {
    let stores = Stores::default();
    // Clients from before the first cell have no entries, but count.
    for number in 1..=2 {
        stores.home.add_client(client(number)).await.unwrap();
    }
    let router = stores.router();
    CellDirectory::list(&stores.home, name("a"), true).await.unwrap();
    for number in 3..=4 {
        router.add_client(client(number)).await.unwrap();
    }
    CellDirectory::list(&stores.home, name("a"), false).await.unwrap();
    router.add_client(client(5)).await.unwrap();
    assert_eq!(names(&stores.home).await, ["1", "2", "5"]);
    assert_eq!(names(&stores.a).await, ["3", "4"]);
    assert_eq!(names(&stores.b).await, Vec::<String>::new());
    CellDirectory::list(&stores.home, CellName::home(), false).await.unwrap();
    let refused = router.add_client(client(6)).await;
    assert_eq!(refused, Err(StoreError::Unavailable("no cell accepts clients".into())));
}

#[tokio::test]
async fn a_store_becomes_a_home_as_it_is() {
    let stores = Stores::default();
    let old = client(1);
    stores.home.add_client(old.clone()).await.unwrap();
    stores.home.add_account(account("F1", old.id), parent("F1")).await.unwrap();
    let (old_key, hash) = key(1, old.id, "F1");
    stores.home.add_key(old_key.clone(), hash).await.unwrap();

    let router = stores.router();
    assert_eq!(Accounts::client(&*router, old.id).await, Ok(Some(old.clone())));
    assert_eq!(Accounts::find(&*router, &id("F1")).await.unwrap().unwrap().client, old.id);
    assert_eq!(Callers::find(&*router, &hash).await.unwrap().unwrap().key, old_key.into());
    assert!(Budgets::find(&*router, &id("F1"), parent("F1").budget.id).await.unwrap().is_some());
    router.add_account(account("F2", old.id), parent("F2")).await.unwrap();
    assert_eq!(stores.home.accounts().await.unwrap().len(), 2);

    // Neither the client nor its account or key can be created in another cell.
    stores.home.add(CellKey::Client(kit_client(2)), name("a"), None).await.unwrap();
    router.add_client(client(2)).await.unwrap();
    assert!(matches!(router.add_client(old).await, Err(StoreError::Duplicate(_))));
    let taken = router.add_account(account("F1", kit_client(2)), parent("F1")).await;
    assert!(matches!(taken, Err(StoreError::Duplicate(_))));
    router.add_account(account("F3", kit_client(2)), parent("F3")).await.unwrap();
    let taken = router.add_key(key(3, kit_client(2), "F3").0, hash).await;
    assert!(matches!(taken, Err(StoreError::Duplicate(_))));
    assert_eq!(stores.a.accounts().await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_was_only_reserved_is_absent_until_it_is_created() {
    let stores = Stores::default();
    let router = stores.router();
    for (number, cell) in [(1, "a"), (2, "b")] {
        stores.home.add(CellKey::Client(kit_client(number)), name(cell), None).await.unwrap();
        router.add_client(client(number)).await.unwrap();
    }
    // The process stopped after the reservation.
    stores.home.add(CellKey::Account(id("F1")), name("a"), None).await.unwrap();
    assert_eq!(Accounts::find(&*router, &id("F1")).await, Ok(None));
    router.add_account(account("F1", kit_client(1)), parent("F1")).await.unwrap();
    assert_eq!(Accounts::find(&*router, &id("F1")).await.unwrap().unwrap().client, kit_client(1));
    let elsewhere = router.add_account(account("F1", kit_client(2)), parent("F1")).await;
    assert!(matches!(elsewhere, Err(StoreError::Duplicate(_))));
}

#[tokio::test]
async fn what_was_only_reserved_does_not_stay_in_its_cell() {
    let stores = Stores::default();
    let router = stores.router();
    stores.home.add(CellKey::Client(kit_client(2)), name("b"), None).await.unwrap();
    router.add_client(client(2)).await.unwrap();
    // The reservations were made for this client in another cell, and it moved before the objects were created.
    let (key, hash) = key(2, kit_client(2), "F1");
    for entry in [CellKey::Account(id("F1")), CellKey::Account(id("W1")), CellKey::ApiKey(hash)] {
        stores.home.add(entry, name("a"), None).await.unwrap();
    }
    let begun = Instant::now();
    router.add_account(account("F1", kit_client(2)), parent("F1")).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(1), "another process may be about to create the account");
    router.add_key(key, hash).await.unwrap();
    Worlds::create(&*router, world(kit_client(2), "W1", 7)).await.unwrap();
    assert_eq!(Accounts::find(&*router, &id("F1")).await.unwrap().unwrap().client, kit_client(2));
    assert!(Callers::find(&*router, &hash).await.unwrap().is_some());
    assert!(Accounts::find(&*router, &id("W1")).await.unwrap().is_some());
}

#[tokio::test]
async fn an_account_that_is_created_a_little_later_keeps_its_reservation() {
    let stores = Stores::default();
    stores.place(("a", "b")).await.unwrap();
    let router = stores.router();
    for number in [1, 2] {
        router.add_client(client(number)).await.unwrap();
    }
    stores.home.add(CellKey::Account(id("F1")), name("a"), None).await.unwrap();
    let create = async |number: u128| router.add_account(account("F1", kit_client(number)), parent("F1")).await;
    let begun = Instant::now();
    // The first call is polled first. It finds no account and waits, and the second call creates the account meanwhile.
    let (second_client, owner) = tokio::join!(create(2), create(1));
    assert!(begun.elapsed() >= Duration::from_secs(1), "the account was created before the first call looked for it");
    assert!(matches!(second_client, Err(StoreError::Duplicate(_))));
    assert_eq!(owner, Ok(()));
}

#[tokio::test]
async fn a_reserved_account_outlives_the_world_that_had_its_id() {
    let stores = Stores::default();
    stores.place(("a", "b")).await.unwrap();
    let router = stores.router();
    router.add_client(client(1)).await.unwrap();
    // The world is deleted, and another instance has read its entry to remove it.
    let left = stores.home.add(CellKey::Account(id("F1")), name("a"), Some(id("F1"))).await.unwrap();
    router.add_account(account("F1", kit_client(1)), parent("F1")).await.unwrap();
    assert_eq!(stores.home.remove(&left).await, Ok(false));
    assert_eq!(stores.home.of_world(&id("F1")).await, Ok(Vec::new()));
    assert_eq!(Accounts::find(&*router, &id("F1")).await.unwrap().unwrap().client, kit_client(1));
}

/// A directory whose lookups of accounts miss what another instance has just added, and which can fail.
struct LateDirectory {
    inner: MemoryStore,
    is_broken: AtomicBool,
    /// A move that begins after each lookup. Lookups are slow then.
    moves: Option<CellMove>,
}

#[async_trait]
impl CellDirectory for LateDirectory {
    async fn find(&self, key: &CellKey) -> Result<Option<CellEntry>, StoreError> {
        if matches!(key, CellKey::Account(_)) {
            return Ok(None);
        }
        let found = CellDirectory::find(&self.inner, key).await?;
        if let Some(begun) = &self.moves {
            tokio::time::sleep(Duration::from_millis(260)).await;
            self.inner.begin_move(begun.clone(), Vec::new()).await?;
        }
        Ok(found)
    }

    async fn find_all(&self, keys: Vec<CellKey>) -> Result<Vec<CellEntry>, StoreError> {
        self.inner.find_all(keys).await
    }

    async fn add(&self, key: CellKey, cell: CellName, world: Option<AccountId>) -> Result<CellEntry, StoreError> {
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(StoreError::Unavailable("no directory".into()));
        }
        self.inner.add(key, cell, world).await
    }

    async fn of_world(&self, world: &AccountId) -> Result<Vec<CellEntry>, StoreError> {
        self.inner.of_world(world).await
    }

    async fn remove(&self, entry: &CellEntry) -> Result<bool, StoreError> {
        self.inner.remove(entry).await
    }

    async fn begin_move(&self, wanted: CellMove, keys: Vec<KeyOfWorld>) -> Result<Option<CellMove>, StoreError> {
        self.inner.begin_move(wanted, keys).await
    }

    async fn end_move(&self, begun: CellMove, keys: Vec<KeyOfWorld>, cell: CellName) -> Result<bool, StoreError> {
        self.inner.end_move(begun, keys, cell).await
    }

    async fn moves(&self) -> Result<Vec<CellMove>, StoreError> {
        self.inner.moves().await
    }

    async fn clients(&self) -> Result<BTreeMap<CellName, u64>, StoreError> {
        CellDirectory::clients(&self.inner).await
    }

    async fn listed(&self) -> Result<BTreeMap<CellName, bool>, StoreError> {
        self.inner.listed().await
    }

    async fn list(&self, cell: CellName, accepts_clients: bool) -> Result<(), StoreError> {
        CellDirectory::list(&self.inner, cell, accepts_clients).await
    }

    async fn bound_cell(&self) -> Result<Option<CellName>, StoreError> {
        self.inner.bound_cell().await
    }

    async fn bind_cell(&self, cell: CellName) -> Result<CellName, StoreError> {
        self.inner.bind_cell(cell).await
    }
}

#[tokio::test]
async fn an_account_that_another_instance_reserves_is_not_created_twice() {
    let stores = Stores::default();
    for (number, cell) in [(1, "a"), (2, "b")] {
        stores.home.add(CellKey::Client(kit_client(number)), name(cell), None).await.unwrap();
        stores.router().add_client(client(number)).await.unwrap();
    }
    stores.home.add(CellKey::Account(id("F1")), name("a"), None).await.unwrap();
    let router =
        stores.router_by(Arc::new(LateDirectory { inner: stores.home.clone(), is_broken: false.into(), moves: None }));
    let second = router.add_account(account("F1", kit_client(2)), parent("F1")).await;
    assert!(matches!(second, Err(StoreError::Duplicate(_))));
    let second = Worlds::create(&*router, world(kit_client(2), "F1", 7)).await;
    assert!(matches!(second, Err(WriteError::Store(StoreError::Duplicate(_)))));
    assert_eq!(stores.b.accounts().await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_world_without_entries_is_deleted_at_once() {
    let stores = Stores::default();
    stores.place(("a", "b")).await.unwrap();
    stores.router().add_client(client(1)).await.unwrap();
    let router =
        stores.router_by(Arc::new(LateDirectory { inner: stores.home.clone(), is_broken: true.into(), moves: None }));
    let created = Worlds::create(&*router, world(kit_client(1), "W1", 1)).await;
    assert_eq!(created, Err(WriteError::Store(StoreError::Unavailable("no directory".into()))));
    assert_eq!(stores.a.accounts().await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_world_whose_entries_were_not_added_does_not_block_its_seed() {
    let stores = Stores::default();
    stores.place(("a", "b")).await.unwrap();
    let router = stores.router();
    router.add_client(client(1)).await.unwrap();
    // The process stopped after the creations in the cell.
    for (text, number) in [("W1", 1), ("W2", 2)] {
        Worlds::create(&stores.a, world(kit_client(1), text, number)).await.unwrap();
    }
    let created_before = |text: &str| CreateWorldRefusal::CreatedBefore(id(text));
    let refusals = [
        ("W1", CreateWorldRefusal::Exists, "W1", true),
        ("W3", created_before("W2"), "W2", true),
        ("W3", created_before("W4"), "W4", false),
    ];
    for (new, refusal, existing, exists) in refusals {
        assert_eq!(Worlds::delete(&*router, &id(existing)).await, Ok(false), "{existing}");
        let refused = Err(WriteError::Refused(refusal.clone()));
        let command = CreateWorldCommand {
            decide: Arc::new(move |_: &CreateSituation| Err(refusal.clone())),
            ..world(kit_client(1), new, 3)
        };
        assert_eq!(Worlds::create(&*router, command).await, refused);
        assert_eq!(Worlds::delete(&*router, &id(existing)).await, Ok(exists), "{existing}");
        assert_eq!(stores.home.of_world(&id(existing)).await, Ok(Vec::new()));
    }
}

#[tokio::test]
async fn entries_of_worlds_end_with_their_objects() {
    let stores = Stores::default();
    stores.place(("a", "b")).await.unwrap();
    let router = stores.router();
    router.add_client(client(1)).await.unwrap();
    let entries = async || {
        let found = stores.home.of_world(&id("W1")).await.unwrap();
        let mut keys: Vec<_> = found.into_iter().map(|entry| entry.key.stored()).collect();
        keys.sort();
        keys
    };
    let of_world = |number: u8| {
        let keys = [CellKey::Account(id("W1")), CellKey::ApiKey(KeyHash([number; 32]))];
        keys.map(|key| key.stored()).to_vec()
    };
    Worlds::create(&*router, world(kit_client(1), "W1", 1)).await.unwrap();
    assert_eq!(entries().await, of_world(1));
    // The replaced world loses its key.
    Worlds::create(&*router, world(kit_client(1), "W1", 2)).await.unwrap();
    assert_eq!(entries().await, of_world(2));
    assert_eq!(Worlds::delete(&*router, &id("W1")).await, Ok(true));
    assert_eq!(entries().await, Vec::<String>::new());
    Worlds::create(&*router, world(kit_client(1), "W1", 3)).await.unwrap();
    assert_eq!(entries().await, of_world(3));
    let late: DateTime<Utc> = DateTime::UNIX_EPOCH + TimeDelta::hours(2);
    assert_eq!(router.delete_expired(late, 10).await, Ok(vec![id("W1")]));
    assert_eq!(entries().await, Vec::<String>::new());
}

#[tokio::test]
async fn an_account_in_an_unconfigured_cell_is_unavailable_not_absent() {
    let stores = Stores::default();
    let router = stores.router();
    stores.home.add(CellKey::Account(id("F1")), name("c"), None).await.unwrap();
    assert!(matches!(Accounts::find(&*router, &id("F1")).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(Seeding::budgets(&*router, &id("F1")).await, Err(StoreError::Unavailable(_))));
}
