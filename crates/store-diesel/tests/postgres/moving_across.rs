//! A client that moves between databases of different kinds.

use crate::adapter::SqliteStore;
use crate::support::{Fixture, MINE, client, settings};
use crate::work::{run_sequentially, seed_data_for_work};
use florin_domain::ids::MoveId;
use florin_ports::{CellMove, CellName, Seeding};
use florin_store_contract::MoveClients;
use uuid::Uuid;

#[tokio::test(flavor = "multi_thread")]
async fn a_client_moves_to_sqlite_and_back() {
    let fixture = Fixture::empty();
    fixture.store.seed(seed_data_for_work()).await.unwrap();
    run_sequentially(&fixture.store, 0).await;
    let before = fixture.balances(MINE).await;
    let directory = tempfile::tempdir().unwrap();
    let file = SqliteStore::open(&settings(&directory)).unwrap();
    file.migrate().unwrap();

    let [from, to] = ["home", "a"].map(|name| CellName::parse(name).unwrap());
    let to_sqlite = CellMove { id: MoveId(Uuid::from_u128(1)), client: client(MINE), from, to };
    let to_postgres = CellMove { id: MoveId(Uuid::from_u128(2)), ..to_sqlite.clone() };
    let departure = fixture.store.depart(&to_sqlite).unwrap().unwrap();
    file.arrive(&to_sqlite, &fixture.store).unwrap();
    while fixture.store.forget(&to_sqlite).unwrap() {}
    let second_departure = file.depart(&to_postgres).unwrap().unwrap();
    assert_eq!((departure.rows, departure.keys), (second_departure.rows, second_departure.keys));
    fixture.store.arrive(&to_postgres, &file).unwrap();
    assert_eq!(fixture.balances(MINE).await, before);
    fixture.check_books().await;
    run_sequentially(&fixture.store, 1).await;
    file.close();
}
