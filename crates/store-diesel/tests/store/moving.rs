//! Clients that leave a store and arrive in another one.

use crate::credits::credit;
use crate::support::{Home, MINE, OTHER, budget, client, fresh, gbp, id, noon};
use florin_domain::ids::PaymentId;
use florin_domain::money::Minor;
use florin_ports::{AcceptedPayment, Credits, Registry, SandboxBankStorage, Seeding};
use florin_store_contract::{MoveClients, MoveError};
use florin_store_diesel::Store;
use tokio::task::{JoinSet, spawn_blocking};
use uuid::Uuid;

/// Lets the first client leave a store and arrive in another one.
async fn carry(source: &Store, target: &Store) {
    let (source, target) = (source.clone(), target.clone());
    let carried = spawn_blocking(move || {
        source.depart(client(MINE)).unwrap().unwrap();
        target.arrive(client(MINE), &source).unwrap();
        while source.forget(client(MINE)).unwrap() {}
    });
    carried.await.unwrap();
}

async fn names(store: &Store) -> Vec<String> {
    Registry::clients(store).await.unwrap().into_iter().map(|client| client.name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_moves_with_its_rows_and_no_others() {
    let (source, target) = (Home::seeded().await, Home::empty());
    fresh(source.store.credit(credit(MINE, budget(MINE), 1, "1", gbp())).await);
    let keys = source.store.keys_of(client(MINE)).unwrap().unwrap();
    assert_eq!(keys.len(), 2, "an account and a key");
    carry(&source.store, &target.store).await;
    assert!(source.store.budgets(&id(MINE)).await.unwrap().is_empty());
    assert_eq!(names(&source.store).await, [format!("client of {OTHER}")]);
    assert_eq!(names(&target.store).await, [format!("client of {MINE}")]);
    assert_eq!(target.store.keys_of(client(MINE)), Ok(Some(keys)));
    assert_eq!((source.store.depart(client(MINE)), source.store.departed()), (Ok(None), Ok(Vec::new())));
    assert_eq!(target.store.has_arrived(client(MINE)), Ok(true));

    fresh(target.store.credit(credit(MINE, budget(MINE), 2, "1", gbp())).await);
    assert_eq!(target.balances(MINE).await.ledger(), Minor(9_700));
    assert_eq!(source.balances(OTHER).await.ledger(), Minor(9_500));
    source.check_books().await;
    target.check_books().await;
    carry(&target.store, &source.store).await;
    assert_eq!(source.balances(MINE).await.ledger(), Minor(9_700));
    source.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_recalled_does_not_arrive() {
    let (source, target) = (Home::seeded().await, Home::empty());
    assert_eq!(source.store.recall(client(MINE)), Ok(false));
    let left = source.store.depart(client(MINE)).unwrap().unwrap();
    // Leaving twice changes nothing.
    assert_eq!(source.store.depart(client(MINE)), Ok(Some(left)));
    assert_eq!(source.store.departed(), Ok(vec![client(MINE)]));
    assert_eq!(source.store.recall(client(MINE)), Ok(true));
    let refused = target.store.arrive(client(MINE), &source.store);
    assert!(matches!(refused, Err(MoveError::NotDeparted)), "{refused:?}");
    assert_eq!(target.store.has_arrived(client(MINE)), Ok(false));
    source.store.put_back(client(MINE)).unwrap();
    assert_eq!(source.store.departure(client(MINE)), Ok(None));
    assert_eq!(source.balances(MINE).await.ledger(), Minor(9_500));
    source.check_books().await;
    // Nothing is left that would be put back a second time.
    source.store.put_back(client(MINE)).unwrap();
    carry(&source.store, &target.store).await;
    assert_eq!(target.balances(MINE).await.ledger(), Minor(9_500));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_copy_is_refused() {
    let (source, target) = (Home::seeded().await, Home::empty());
    source.store.depart(client(MINE)).unwrap().unwrap();
    source.sql("UPDATE __florin_departures SET contents = replace(contents, ':9500', ':9501') WHERE part = 1");
    let refused = target.store.arrive(client(MINE), &source.store);
    assert!(matches!(refused, Err(MoveError::Changed)), "{refused:?}");
    source.sql("UPDATE __florin_departures SET contents = replace(contents, ':9501', ':9500') WHERE part = 1");
    source.sql("DELETE FROM __florin_departures WHERE part = 1");
    let refused = target.store.arrive(client(MINE), &source.store);
    assert!(matches!(refused, Err(MoveError::Changed)), "{refused:?}");
    assert_eq!(names(&target.store).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_world_of_another_client_shares_stays() {
    let source = Home::seeded().await;
    source.sql(
        "INSERT INTO worlds (account_id, client_id, template, created_at, expires_at) \
         SELECT id, client_id, 'empty', 0, 1 FROM accounts",
    );
    let [shared, own] = [1, 2].map(|number| PaymentId(Uuid::from_u128(number)));
    for (index, payment, accounts) in [(0, shared, format!("'{MINE}', '{OTHER}'")), (1, own, format!("'{MINE}'"))] {
        source.sql(&format!(
            "INSERT INTO payments (account_id, batch_id, input_index, id, status, input, created_at, updated_at) \
             SELECT account_id, id, {index}, '{}', 'created', '{{}}', 0, 0 FROM payment_batches \
             WHERE account_id IN ({accounts})",
            payment.0
        ));
        let amount = Minor(1).of(gbp());
        let accepted = AcceptedPayment { id: payment, amount, reference: None, accepted_at: noon() };
        source.store.accept(&id(MINE), accepted).await.unwrap();
    }
    let store = source.store.clone();
    spawn_blocking(move || store.depart(client(MINE)).unwrap().unwrap()).await.unwrap();
    let mut is_kept = Vec::new();
    for payment in [shared, own] {
        is_kept.push(SandboxBankStorage::find(&source.store, &id(OTHER), payment).await.unwrap().is_some());
    }
    assert_eq!(is_kept, [true, false]);
}

/// Writes that are in progress when a client leaves are stored before, or not at all.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_acknowledged_write_is_lost() {
    let (source, target) = (Home::seeded().await, Home::empty());
    let mut tasks = JoinSet::new();
    for number in 0..200 {
        let store = source.store.clone();
        tasks.spawn(async move { store.credit(credit(MINE, budget(MINE), number, "0.01", gbp())).await.is_ok() });
    }
    carry(&source.store, &target.store).await;
    let stored = tasks.join_all().await.into_iter().filter(|is_stored| *is_stored).count();
    assert_eq!(target.balances(MINE).await.ledger(), Minor(9_500 + i64::try_from(stored).unwrap()));
    source.check_books().await;
    target.check_books().await;
}
