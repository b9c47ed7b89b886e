//! Idempotency records.

use crate::groups::{Gate, queue};
use crate::support::{Fixture, MINE, OTHER, authorization, client, fresh, id, noon, stamp};
use chrono::TimeDelta;
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::{CardRefusal, FirstSituation};
use florin_domain::ids::ClientId;
use florin_domain::money::Minor;
use florin_ports::{
    CardLedger, FirstMessageCommand, IdempotencyClaim, IdempotencyKey, RecordedBody, RecordedRequest, StoredResponse,
    Upkeep, WriteError, Written,
};
use std::sync::Arc;

fn request(body: &str) -> RecordedRequest {
    RecordedRequest {
        method: "POST".into(),
        path: "/v2/cards/simulations/authorizations".into(),
        query: r#"{"accountId":"F1"}"#.into(),
        body: RecordedBody::Json(body.into()),
    }
}

fn claim(client: ClientId, account: &str, key: &str, body: &str) -> IdempotencyClaim<CardTransaction> {
    IdempotencyClaim {
        client,
        account: id(account),
        key: IdempotencyKey::parse(key.as_bytes()).unwrap(),
        request: Arc::new(request(body)),
        at: noon(),
        response: Arc::new(|done: &CardTransaction| StoredResponse {
            status: 201,
            body: format!("\u{1f600} {}", done.token),
        }),
    }
}

/// Returns a claim under a key.
pub(crate) fn claim_of(key: &str) -> IdempotencyClaim<CardTransaction> {
    claim(client(MINE), MINE, key, "{}")
}

/// Returns a claim whose answer can't be rendered.
pub(crate) fn claim_that_panics(key: &str) -> IdempotencyClaim<CardTransaction> {
    let answer = Arc::new(|_: &CardTransaction| panic!("a bug in an answer"));
    IdempotencyClaim { response: answer, ..claim(client(MINE), MINE, key, "{}") }
}

fn command(number: u128, claim: IdempotencyClaim<CardTransaction>) -> FirstMessageCommand {
    FirstMessageCommand { claim: Some(claim), ..authorization(MINE, stamp(number), "10") }
}

fn answer(number: u128) -> StoredResponse {
    StoredResponse { status: 201, body: format!("\u{1f600} {}", stamp(number).token) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_gets_the_first_answer_and_has_no_effect() {
    let fixture = Fixture::seeded().await;
    let mine = || claim(client(MINE), MINE, "k", "{}");
    fresh(fixture.store.first_message(command(1, mine())).await);
    assert_eq!(fixture.store.first_message(command(2, mine())).await, Ok(Written::Replayed(answer(1))));
    let other = fixture.store.first_message(command(3, claim(client(MINE), MINE, "k", "[]"))).await;
    assert_eq!(other, Err(WriteError::Mismatch(Box::new(request("{}")))));
    let mut hashed = claim(client(MINE), MINE, "k", "{}");
    Arc::make_mut(&mut hashed.request).body = RecordedBody::Hash("{}".into());
    let hashed = fixture.store.first_message(command(3, hashed)).await;
    assert_eq!(hashed, Err(WriteError::Mismatch(Box::new(request("{}")))));
    assert_eq!(fixture.balances(MINE).await.held(), Minor(1_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_is_read_before_anything_else() {
    let fixture = Fixture::seeded().await;
    let mine = || claim(client(MINE), MINE, "k", "{}");
    fresh(fixture.store.first_message(command(1, mine())).await);
    let unknown_card = FirstMessageCommand { card: crate::support::card(OTHER), ..command(2, mine()) };
    assert_eq!(fixture.store.first_message(unknown_card).await, Ok(Written::Replayed(answer(1))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_belongs_to_one_client_and_account() {
    let fixture = Fixture::seeded().await;
    fresh(fixture.store.first_message(command(1, claim(client(MINE), MINE, "k", "{}"))).await);
    fresh(fixture.store.first_message(command(2, claim(client(OTHER), MINE, "k", "{}"))).await);
    fresh(fixture.store.first_message(command(3, claim(client(MINE), OTHER, "k", "{}"))).await);
    fresh(fixture.store.first_message(command(4, claim(client(MINE), MINE, "K", "{}"))).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_leaves_the_key_free() {
    let fixture = Fixture::seeded().await;
    let mine = || claim(client(MINE), MINE, "k", "{}");
    let decide = Arc::new(|_: &FirstSituation| Err(CardRefusal::Expired));
    let refused = fixture.store.first_message(FirstMessageCommand { decide, ..command(1, mine()) }).await;
    assert_eq!(refused, Err(WriteError::Refused(CardRefusal::Expired)));
    let absent = FirstMessageCommand { card: crate::support::card(OTHER), ..command(1, mine()) };
    assert_eq!(fixture.store.first_message(absent).await, Err(WriteError::Absent));
    fresh(fixture.store.first_message(command(1, mine())).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_in_one_group_has_one_effect() {
    let fixture = Fixture::seeded().await;
    let gate = Gate::shut(&fixture.store).await;
    let mine = || claim(client(MINE), MINE, "k", "{}");
    let one = queue(&fixture.store, command(1, mine())).await;
    let two = queue(&fixture.store, command(2, mine())).await;
    gate.open().await;
    fresh(one.await.unwrap());
    assert_eq!(two.await.unwrap(), Ok(Written::Replayed(answer(1))));
    assert_eq!(fixture.balances(MINE).await.held(), Minor(1_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn old_records_are_deleted_in_chunks() {
    let fixture = Fixture::seeded().await;
    for number in 0..5 {
        let mut claim = claim(client(MINE), MINE, &format!("k{number}"), "{}");
        claim.at = noon() + TimeDelta::hours(i64::try_from(number).unwrap());
        fresh(fixture.store.first_message(command(number, claim)).await);
    }
    let before = noon() + TimeDelta::hours(3);
    assert_eq!(fixture.store.delete_idempotency_records(before, 2).await, Ok(2));
    assert_eq!(fixture.store.delete_idempotency_records(before, 2).await, Ok(1));
    assert_eq!(fixture.store.delete_idempotency_records(before, 2).await, Ok(0));
    let kept = fixture.store.first_message(command(9, claim(client(MINE), MINE, "k3", "{}"))).await;
    assert_eq!(kept, Ok(Written::Replayed(answer(3))));
    fresh(fixture.store.first_message(command(9, claim(client(MINE), MINE, "k2", "{}"))).await);
}
