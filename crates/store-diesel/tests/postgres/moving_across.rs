//! A client that moves between databases of different kinds.

use crate::adapter::SqliteStore;
use crate::support::{Home, MINE, client, settings};
use crate::work::{alone, world_of_work};
use florin_ports::Seeding;
use florin_store_contract::MoveClients;

#[tokio::test(flavor = "multi_thread")]
async fn a_client_moves_to_sqlite_and_back() {
    let home = Home::empty();
    home.store.seed(world_of_work()).await.unwrap();
    alone(&home.store, 0).await;
    let before = home.balances(MINE).await;
    let directory = tempfile::tempdir().unwrap();
    let file = SqliteStore::open(&settings(&directory)).unwrap();
    file.migrate().unwrap();

    let mine = client(MINE);
    let left = home.store.depart(mine).unwrap().unwrap();
    file.arrive(mine, &home.store).unwrap();
    while home.store.forget(mine).unwrap() {}
    let left_again = file.depart(mine).unwrap().unwrap();
    assert_eq!((left.rows, left.keys), (left_again.rows, left_again.keys));
    home.store.arrive(mine, &file).unwrap();
    assert_eq!(home.balances(MINE).await, before);
    home.check_books().await;
    alone(&home.store, 1).await;
    file.close();
}
