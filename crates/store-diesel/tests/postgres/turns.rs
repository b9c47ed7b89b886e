//! While one group commits, the writer works on the next group.

use crate::groups::{counting, queue};
use crate::repeats::claim_of;
use crate::support::{Fixture, MINE, OTHER, authorization, fresh, stamp};
use florin_ports::{FirstMessageCommand, Written};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Delays the commit of message 1.
fn slow_commit(fixture: &Fixture) {
    fixture.sql(&format!(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON card_transactions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
            WHEN (NEW.token = '{}') EXECUTE FUNCTION slow()",
        stamp(1).token
    ));
}

fn numbered_message(number: u128) -> FirstMessageCommand {
    authorization(MINE, stamp(number), "10")
}

async fn until(count: &AtomicUsize, expected: usize) {
    while count.load(Ordering::Relaxed) < expected {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_group_is_decided_while_one_commits() {
    let fixture = Fixture::seeded().await;
    slow_commit(&fixture);
    let (decided, next) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let slow = queue(&fixture.store, counting(numbered_message(1), &decided)).await;
    until(&decided, 1).await;
    let other = queue(&fixture.store, counting(authorization(OTHER, stamp(2), "10"), &next)).await;
    until(&next, 1).await;
    assert!(!slow.is_finished(), "it was answered before its commit, or the other command was decided only after that");
    fresh(slow.await.unwrap());
    fresh(other.await.unwrap());
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_waits_for_a_key_that_is_being_committed() {
    let fixture = Fixture::seeded().await;
    slow_commit(&fixture);
    let (decided, next) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let keyed = |command: FirstMessageCommand| FirstMessageCommand { claim: Some(claim_of("key")), ..command };
    let slow = queue(&fixture.store, keyed(counting(numbered_message(1), &decided))).await;
    until(&decided, 1).await;
    let repeated = queue(&fixture.store, keyed(counting(numbered_message(2), &next))).await;
    let neighbour = queue(&fixture.store, counting(numbered_message(3), &next)).await;
    fresh(slow.await.unwrap());
    assert!(matches!(repeated.await.unwrap().unwrap(), Written::Replayed(_)));
    fresh(neighbour.await.unwrap());
    // The record was found, so the neighbouring command did not run again.
    assert_eq!(next.load(Ordering::Relaxed), 1);
    fixture.check_books().await;
}
