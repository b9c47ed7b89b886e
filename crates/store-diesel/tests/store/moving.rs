//! Clients that leave a store and arrive in another one.

use crate::credits::credit;
use crate::support::{Fixture, MINE, OTHER, budget, client, fresh, gbp, id, noon};
use florin_domain::ids::{MoveId, PaymentId};
use florin_domain::money::Minor;
use florin_domain::secret::{SecretKeyId, StoreKey};
use florin_ports::{
    AcceptedPayment, CellMove, CellName, Credits, Registry, SandboxBankStorage, Secrets, Seeding, StoreError,
};
use florin_store_contract::{MoveClients, MoveError};
use florin_store_diesel::Store;
use tokio::task::{JoinSet, spawn_blocking};
use uuid::Uuid;

/// Returns a move of the first client.
fn a_move(number: u128) -> CellMove {
    let [from, to] = ["home", "a"].map(|name| CellName::parse(name).unwrap());
    CellMove { id: MoveId(Uuid::from_u128(number)), client: client(MINE), from, to }
}

/// Lets the first client leave a store and arrive in another one.
async fn move_client(source: &Store, target: &Store, number: u128) {
    let (source, target, begun) = (source.clone(), target.clone(), a_move(number));
    let moved = spawn_blocking(move || {
        source.depart(&begun).unwrap().unwrap();
        target.arrive(&begun, &source).unwrap();
        while source.forget(&begun).unwrap() {}
    });
    moved.await.unwrap();
}

async fn names(store: &Store) -> Vec<String> {
    Registry::clients(store).await.unwrap().into_iter().map(|client| client.name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_moves_with_its_rows_and_no_others() {
    let (source, target) = (Fixture::seeded().await, Fixture::empty());
    fresh(source.store.credit(credit(MINE, budget(MINE), 1, "1", gbp())).await);
    let keys = source.store.keys_of(client(MINE)).unwrap().unwrap();
    assert_eq!(keys.len(), 2, "an account and a key");
    move_client(&source.store, &target.store, 1).await;
    assert!(source.store.budgets(&id(MINE)).await.unwrap().is_empty());
    assert_eq!(names(&source.store).await, [format!("client of {OTHER}")]);
    assert_eq!(names(&target.store).await, [format!("client of {MINE}")]);
    assert_eq!(target.store.keys_of(client(MINE)), Ok(Some(keys)));
    assert_eq!((source.store.depart(&a_move(2)).unwrap(), source.store.departed()), (None, Ok(Vec::new())));
    assert_eq!(target.store.has_arrived(client(MINE)), Ok(true));

    fresh(target.store.credit(credit(MINE, budget(MINE), 2, "1", gbp())).await);
    assert_eq!(target.balances(MINE).await.ledger(), Minor(9_700));
    assert_eq!(source.balances(OTHER).await.ledger(), Minor(9_500));
    source.check_books().await;
    target.check_books().await;
    move_client(&target.store, &source.store, 2).await;
    assert_eq!(source.balances(MINE).await.ledger(), Minor(9_700));
    source.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_recalled_does_not_arrive() {
    let (source, target) = (Fixture::seeded().await, Fixture::empty());
    let begun = a_move(1);
    let departure = source.store.depart(&begun).unwrap().unwrap();
    assert!(departure.is_of(&begun) && !departure.recalled);
    // Leaving twice changes nothing.
    assert_eq!(source.store.depart(&begun).unwrap(), Some(departure));
    assert_eq!(source.store.departed(), Ok(vec![client(MINE)]));
    // Only a client that is recalled is put back.
    let refused = source.store.put_back(&begun);
    assert!(matches!(refused, Err(MoveError::Ended)), "{refused:?}");
    source.store.recall(&begun).unwrap();
    let refused = target.store.arrive(&begun, &source.store);
    assert!(matches!(refused, Err(MoveError::NotDeparted)), "{refused:?}");
    assert_eq!(target.store.has_arrived(client(MINE)), Ok(false));
    source.store.put_back(&begun).unwrap();
    assert_eq!(source.store.departure(client(MINE)), Ok(None));
    assert_eq!(source.balances(MINE).await.ledger(), Minor(9_500));
    source.check_books().await;
    // Nothing is left that would be put back a second time.
    source.store.put_back(&begun).unwrap();
    move_client(&source.store, &target.store, 2).await;
    assert_eq!(target.balances(MINE).await.ledger(), Minor(9_500));
}

/// A command that was stopped continues with a move that others have completed or undone, while a later move is in
/// progress.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_of_another_move_changes_nothing() {
    let (source, target) = (Fixture::seeded().await, Fixture::empty());
    let (old, new) = (a_move(1), a_move(2));
    move_client(&source.store, &target.store, 1).await;
    move_client(&target.store, &source.store, 3).await;
    // The old move can't let the client leave again.
    let refused = source.store.depart(&old);
    assert!(matches!(refused, Err(MoveError::NotDeparted)), "{refused:?}");
    let departure = source.store.depart(&new).unwrap().unwrap();
    assert_eq!(source.store.forget(&old), Ok(false));
    let refusals = [
        source.store.depart(&old).map(drop),
        source.store.recall(&old),
        source.store.put_back(&old),
        target.store.arrive(&old, &source.store),
    ];
    for refused in refusals {
        assert!(matches!(refused, Err(MoveError::Ended | MoveError::NotDeparted)), "{refused:?}");
    }
    assert_eq!(source.store.departure(client(MINE)), Ok(Some(departure)));
    target.store.arrive(&new, &source.store).unwrap();
    assert_eq!(target.balances(MINE).await.ledger(), Minor(9_500));
    target.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_does_not_leave_by_a_move_that_was_undone_before() {
    let source = Fixture::seeded().await;
    source.store.recall(&a_move(1)).unwrap();
    source.store.put_back(&a_move(1)).unwrap();
    let refused = source.store.depart(&a_move(1));
    assert!(matches!(refused, Err(MoveError::NotDeparted)), "{refused:?}");
    assert_eq!(source.store.departed(), Ok(Vec::new()));
    assert!(source.store.depart(&a_move(2)).unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_whose_books_are_wrong_stays() {
    let source = Fixture::seeded().await;
    let wrong = format!("UPDATE balances SET available_minor = available_minor + 1 WHERE account_id = '{MINE}'");
    source.sql(&wrong);
    let refused = source.store.depart(&a_move(1));
    assert!(matches!(refused, Err(MoveError::Unsound(_))), "{refused:?}");
    assert_eq!(source.store.departed(), Ok(Vec::new()));
    source.sql(&wrong.replace('+', "-"));
    assert!(source.store.depart(&a_move(1)).unwrap().is_some(), "a refused departure does not use up its move");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_under_another_key_do_not_arrive() {
    let (source, target) = (Fixture::seeded().await, Fixture::empty());
    let [one, other] = [1, 2].map(|digit| StoreKey { id: SecretKeyId([digit; 8]), kept: None });
    source.store.bind_secret_key(one.clone()).await.unwrap();
    target.store.bind_secret_key(other.clone()).await.unwrap();
    source.store.depart(&a_move(1)).unwrap().unwrap();
    let refused = target.store.arrive(&a_move(1), &source.store);
    assert!(matches!(refused, Err(MoveError::Key { store }) if store == other.id), "{refused:?}");
    assert_eq!(names(&target.store).await, Vec::<String>::new());
    target.store.change_secret_key(other.id, one).await.unwrap();
    target.store.arrive(&a_move(1), &source.store).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn no_migration_is_applied_while_text_is_kept() {
    let source = Fixture::seeded().await;
    source.store.depart(&a_move(1)).unwrap().unwrap();
    assert_eq!(source.store.migrate(), Ok(0));
    // As if an earlier migration was pending.
    source.sql("DELETE FROM __diesel_schema_migrations WHERE version = '20261127000057'");
    let refused = source.store.migrate();
    assert!(
        matches!(&refused, Err(StoreError::Unavailable(cause)) if cause.contains("is not complete")),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_copy_is_refused() {
    let (source, target) = (Fixture::seeded().await, Fixture::empty());
    source.store.depart(&a_move(1)).unwrap().unwrap();
    source.sql("UPDATE __florin_departures SET contents = replace(contents, ':9500', ':9501') WHERE part = 1");
    let refused = target.store.arrive(&a_move(1), &source.store);
    assert!(matches!(refused, Err(MoveError::Changed)), "{refused:?}");
    source.sql("UPDATE __florin_departures SET contents = replace(contents, ':9501', ':9500') WHERE part = 1");
    source.sql("DELETE FROM __florin_departures WHERE part = 1");
    let refused = target.store.arrive(&a_move(1), &source.store);
    assert!(matches!(refused, Err(MoveError::Changed)), "{refused:?}");
    assert_eq!(names(&target.store).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_shared_with_a_world_of_another_client_stay() {
    let source = Fixture::seeded().await;
    source.sql(
        "INSERT INTO worlds (account_id, client_id, template, created_at, expires_at) \
         SELECT a.id, a.client_id, 'empty', b.at, b.at \
         FROM accounts a, (SELECT min(created_at) AS at FROM payment_batches) b",
    );
    let [shared, own] = [1, 2].map(|number| PaymentId(Uuid::from_u128(number)));
    for (index, payment, accounts) in [(0, shared, format!("'{MINE}', '{OTHER}'")), (1, own, format!("'{MINE}'"))] {
        source.sql(&format!(
            "INSERT INTO payments (account_id, batch_id, input_index, id, status, input, created_at, updated_at) \
             SELECT account_id, id, {index}, '{}', 'created', '{{}}', created_at, created_at FROM payment_batches \
             WHERE account_id IN ({accounts})",
            payment.0
        ));
        let amount = Minor(1).of(gbp());
        let accepted = AcceptedPayment { id: payment, amount, reference: None, accepted_at: noon() };
        source.store.accept(&id(MINE), accepted).await.unwrap();
    }
    let store = source.store.clone();
    spawn_blocking(move || store.depart(&a_move(1)).unwrap().unwrap()).await.unwrap();
    let mut is_kept = Vec::new();
    for payment in [shared, own] {
        is_kept.push(SandboxBankStorage::find(&source.store, &id(OTHER), payment).await.unwrap().is_some());
    }
    assert_eq!(is_kept, [true, false]);
}

/// Writes that are in progress when a client leaves are stored before it leaves, or not at all.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_acknowledged_write_is_lost() {
    let (source, target) = (Fixture::seeded().await, Fixture::empty());
    let mut tasks = JoinSet::new();
    for number in 0..200 {
        let store = source.store.clone();
        tasks.spawn(async move { store.credit(credit(MINE, budget(MINE), number, "0.01", gbp())).await.is_ok() });
    }
    move_client(&source.store, &target.store, 1).await;
    let stored = tasks.join_all().await.into_iter().filter(|is_stored| *is_stored).count();
    assert_eq!(target.balances(MINE).await.ledger(), Minor(9_500 + i64::try_from(stored).unwrap()));
    source.check_books().await;
    target.check_books().await;
}
