//! Card messages: the store stores exactly what a decision contains.

use crate::support::{Fixture, MINE, amount, authorization, authorize, follow_up, fresh, id, stamp};
use florin_domain::card::decide::{CardRefusal, ChainSituation, FollowUp};
use florin_domain::card::{ChainEnd, MessageKind, Response, TransactionState};
use florin_domain::money::Minor;
use florin_ports::{CardLedger, FollowUpCommand, Mode, WriteError};
use std::sync::{Arc, Mutex};

/// Returns the situation that the store passes to a follow-up on `token`.
async fn situation(fixture: &Fixture, token: florin_domain::ids::TransactionToken) -> ChainSituation {
    let seen = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&seen);
    let decide = Arc::new(move |situation: &ChainSituation| {
        *keep.lock().unwrap() = Some(situation.clone());
        Err(CardRefusal::Expired)
    });
    let command = FollowUpCommand { account: id(MINE), token, decide, mode: Mode::Commit, claim: None };
    assert_eq!(fixture.store.follow_up(command).await, Err(WriteError::Refused(CardRefusal::Expired)));
    seen.lock().unwrap().take().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_authorization_is_read_back_unchanged() {
    let fixture = Fixture::seeded().await;
    let transaction = authorize(&fixture.store, 1, "10.00").await;
    assert_eq!(transaction.available_balance, Minor(8_500));
    let seen = situation(&fixture, transaction.token).await;
    assert_eq!(seen.first, transaction);
    assert_eq!(seen.named_message, (MessageKind::Authorization, TransactionState::Pending));
    let chain = seen.chain.unwrap();
    assert_eq!(
        (chain.authorised, chain.held(), chain.cleared, chain.end()),
        (Minor(1_000), Minor(1_000), Minor(0), None)
    );
    assert_eq!(seen.balances, fixture.balances(MINE).await);
    assert_eq!(seen.balances.held(), Minor(1_000));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decline_is_stored_and_moves_no_funds() {
    let fixture = Fixture::seeded().await;
    let declined = authorize(&fixture.store, 1, "95.01").await;
    assert_eq!((declined.state, declined.response), (TransactionState::Declined, Response::NotSufficientFunds));
    let seen = situation(&fixture, declined.token).await;
    assert_eq!((seen.first, seen.chain), (declined, None));
    assert_eq!(fixture.balances(MINE).await.available(), Minor(9_500));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn follow_ups_change_the_chain_and_end_it() {
    let fixture = Fixture::seeded().await;
    let first = authorize(&fixture.store, 1, "10.00").await;
    let advice = follow_up(MINE, first.token, stamp(2), FollowUp::Advice { amount: amount("8") });
    let advice = fresh(fixture.store.follow_up(advice).await);
    // The token of any message identifies the chain.
    let clearing = FollowUp::Clearing { amount: amount("5"), is_final: false };
    let clearing = fresh(fixture.store.follow_up(follow_up(MINE, advice.token, stamp(3), clearing)).await);
    assert_eq!((clearing.ledger_balance, clearing.available_balance), (Minor(9_000), Minor(8_700)));
    let reversal = FollowUp::Reversal { amount: None };
    fresh(fixture.store.follow_up(follow_up(MINE, first.token, stamp(4), reversal)).await);
    let seen = situation(&fixture, first.token).await;
    assert_eq!(seen.first.state, TransactionState::Completed);
    let chain = seen.chain.unwrap();
    assert_eq!((chain.held(), chain.cleared, chain.end()), (Minor(0), Minor(500), Some(ChainEnd::Reversed)));
    let balances = fixture.balances(MINE).await;
    assert_eq!((balances.ledger(), balances.available()), (Minor(9_000), Minor(9_000)));
    let again = FollowUp::Reversal { amount: None };
    let again = fixture.store.follow_up(follow_up(MINE, first.token, stamp(5), again)).await;
    assert_eq!(again, Err(WriteError::Refused(CardRefusal::AlreadyReversed)));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_changes_nothing() {
    let fixture = Fixture::seeded().await;
    let first = authorize(&fixture.store, 1, "10.00").await;
    let before = situation(&fixture, first.token).await;
    let too_much = FollowUp::Reversal { amount: Some(amount("10.01")) };
    let refused = fixture.store.follow_up(follow_up(MINE, first.token, stamp(2), too_much)).await;
    assert!(matches!(refused, Err(WriteError::Refused(CardRefusal::ExceedsHold { .. }))), "{refused:?}");
    let after = situation(&fixture, first.token).await;
    assert_eq!((before.first, before.chain, before.balances), (after.first, after.chain, after.balances));
    let gone = fixture.store.follow_up(follow_up(MINE, stamp(2).token, stamp(3), FollowUp::Reversal { amount: None }));
    assert_eq!(gone.await, Err(WriteError::Absent));
}

#[tokio::test(flavor = "multi_thread")]
async fn unicode_text_round_trips() {
    let fixture = Fixture::seeded().await;
    let first = authorize(&fixture.store, 1, "1").await;
    assert_eq!(first.acceptor.name, "Café ☕");
    assert_eq!(situation(&fixture, first.token).await.first.acceptor, first.acceptor);
    let absent = authorization("账户😀", stamp(2), "1");
    assert_eq!(fixture.store.first_message(absent).await, Err(WriteError::Absent));
}
