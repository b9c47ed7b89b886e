//! Data of another account is absent for every operation.

use crate::batches::{confirm, open};
use crate::support::{
    Fixture, MINE, OTHER, authorization, authorize, batch, card, follow_up, fresh, id, key_hash, noon, stamp,
    validated_batch,
};
use florin_domain::batch::{ConfirmRefusal, ConfirmSituation};
use florin_domain::card::decide::{ChainSituation, FollowUp};
use florin_domain::ids::AccountId;
use florin_domain::merchant::CheckoutFilter;
use florin_domain::mfa::{MfaFailure, MfaProviderName, MfaVerdict};
use florin_domain::page::PageRequest;
use florin_ports::{
    Accounts, Callers, CardLedger, Checkouts, ConfirmCommand, DueHold, ExpiryCommand, FirstMessageCommand, MfaSessions,
    PaymentBatches, Seeding, WriteError,
};
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread")]
async fn cards_and_holds_of_another_account_are_absent() {
    let fixture = Fixture::seeded().await;
    let mine = authorize(&fixture.store, 1, "10").await;
    let foreign_card = FirstMessageCommand { card: card(MINE), ..authorization(OTHER, stamp(2), "10") };
    assert_eq!(fixture.store.first_message(foreign_card).await, Err(WriteError::Absent));
    let foreign_token = follow_up(OTHER, mine.token, stamp(2), FollowUp::Reversal { amount: None });
    assert_eq!(fixture.store.follow_up(foreign_token).await, Err(WriteError::Absent));
    let decide = Arc::new(|_: &ChainSituation| Ok(None));
    let foreign_hold = ExpiryCommand { hold: DueHold { account: id(OTHER), chain: mine.token }, decide };
    assert_eq!(fixture.store.expire(foreign_hold).await, Err(WriteError::Absent));
    assert_eq!(fixture.balances(OTHER).await.ledger(), fixture.balances(OTHER).await.available());
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_and_sessions_of_another_account_are_absent() {
    let fixture = Fixture::seeded().await;
    let provider = MfaProviderName::Sandbox;
    fresh(fixture.store.open(open(OTHER, OTHER, 1, provider)).await);
    assert_eq!(fixture.store.open(open(MINE, OTHER, 2, provider)).await, Err(WriteError::Absent));
    let foreign_batch = ConfirmCommand { batch: batch(OTHER), ..confirm(1, 1, provider, MfaVerdict::Wrong) };
    assert_eq!(fixture.store.confirm(foreign_batch).await, Err(WriteError::Absent));
    // The rule does not receive a session of another account.
    let foreign_session = confirm(1, 1, provider, MfaVerdict::Correct { step: None });
    let rule = Arc::clone(&foreign_session.decide);
    let decide = Arc::new(move |situation: &ConfirmSituation| {
        assert_eq!(situation.session, None);
        rule(situation)
    });
    let refused = fixture.store.confirm(ConfirmCommand { decide, ..foreign_session }).await;
    assert_eq!(refused, Err(WriteError::Refused(ConfirmRefusal::Mfa(MfaFailure::Failed))));
    assert_eq!(fixture.store.enrolment(&id(OTHER)).await.unwrap().unwrap().secret.as_bytes(), OTHER.as_bytes());
    assert_eq!(fixture.store.enrolment(&id("F3")).await, Ok(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_do_not_contain_rows_of_another_account() {
    let fixture = Fixture::seeded().await;
    let nobody = id("F3");
    assert_eq!(fixture.store.budgets(&nobody).await, Ok(vec![]));
    assert_eq!(fixture.store.cards(&nobody).await, Ok(vec![]));
    assert_eq!(fixture.store.batches(&nobody).await, Ok(vec![]));
    assert_eq!(fixture.store.batches(&id(MINE)).await, Ok(vec![validated_batch(MINE, 1_000)]));
    assert!(fixture.store.cards(&id(MINE)).await.unwrap().iter().all(|card| card.account == id(MINE)));
    let page =
        Checkouts::list(&fixture.store, &nobody, CheckoutFilter::default(), PageRequest::default()).await.unwrap();
    assert_eq!((page.count, page.rows.len()), (0, 0));
    assert_eq!(fixture.store.due_holds(noon(), 10).await, Ok(vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_reach_only_their_accounts_and_ids_are_exact() {
    let fixture = Fixture::seeded().await;
    let caller = Callers::find(&fixture.store, &key_hash(MINE)).await.unwrap().unwrap();
    assert!(caller.key.reaches(&Accounts::find(&fixture.store, &id(MINE)).await.unwrap().unwrap()));
    assert!(!caller.key.reaches(&Accounts::find(&fixture.store, &id(OTHER)).await.unwrap().unwrap()));
    // Ids are compared by code point: case and composition matter.
    for other in ["f1", "F1 ", "Ｆ1"] {
        assert_eq!(Accounts::find(&fixture.store, &AccountId::parse(other).unwrap()).await, Ok(None), "{other}");
    }
}
