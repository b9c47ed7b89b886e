//! A client that moves between databases of different kinds.

use crate::adapter::SqliteStore;
use crate::support::{Home, MINE, client, settings};
use crate::work::{alone, world_of_work};
use florin_domain::ids::MoveId;
use florin_ports::{CellMove, CellName, Seeding};
use florin_store_contract::MoveClients;
use uuid::Uuid;

#[tokio::test(flavor = "multi_thread")]
async fn a_client_moves_to_sqlite_and_back() {
    let home = Home::empty();
    home.store.seed(world_of_work()).await.unwrap();
    alone(&home.store, 0).await;
    let before = home.balances(MINE).await;
    let directory = tempfile::tempdir().unwrap();
    let file = SqliteStore::open(&settings(&directory)).unwrap();
    file.migrate().unwrap();

    let [from, to] = ["home", "a"].map(|name| CellName::parse(name).unwrap());
    let there = CellMove { id: MoveId(Uuid::from_u128(1)), client: client(MINE), from, to };
    let back = CellMove { id: MoveId(Uuid::from_u128(2)), ..there.clone() };
    let left = home.store.depart(&there).unwrap().unwrap();
    file.arrive(&there, &home.store).unwrap();
    while home.store.forget(&there).unwrap() {}
    let left_again = file.depart(&back).unwrap().unwrap();
    assert_eq!((left.rows, left.keys), (left_again.rows, left_again.keys));
    home.store.arrive(&back, &file).unwrap();
    assert_eq!(home.balances(MINE).await, before);
    home.check_books().await;
    alone(&home.store, 1).await;
    file.close();
}
