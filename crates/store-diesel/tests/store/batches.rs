//! Confirmations of batches, and their MFA sessions.

use crate::support::{Fixture, MINE, OTHER, batch, budget, client, fresh, gbp, id, noon, seed_data, validated_batch};
use florin_domain::batch::{
    BatchState, ConfirmDecision, ConfirmRefusal, ConfirmSituation, MfaProof, PaymentBatch, PaymentBatchStatus,
    decide_confirm,
};
use florin_domain::ids::MfaSessionId;
use florin_domain::mfa::{
    MfaCheck, MfaFailure, MfaProviderName, MfaSession, MfaSessionState, MfaVerdict, OpenRequest, OpenSituation,
    decide_open,
};
use florin_domain::money::Minor;
use florin_domain::stamp::Stamp;
use florin_ports::{
    ConfirmCommand, MfaSessions, Mode, OpenMfaSessionCommand, PaymentBatches, Seeding, WriteError, Written,
};
use std::cell::Cell;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

type Confirmed = Result<Written<PaymentBatch>, WriteError<ConfirmRefusal>>;

fn session_id(number: u128) -> MfaSessionId {
    MfaSessionId(Uuid::from_u128((40 << 64) + number))
}

/// Returns a command on an account that opens a session for the batch of `owner`, which may be another account.
pub(crate) fn open(account: &str, owner: &str, number: u128, provider: MfaProviderName) -> OpenMfaSessionCommand {
    let request = OpenRequest { id: session_id(number), client: client(account), provider, now: noon() };
    let decide = Arc::new(move |situation: &OpenSituation| decide_open(situation, &request));
    OpenMfaSessionCommand { account: id(account), batch: batch(owner), decide, claim: None }
}

/// Returns a confirmation under the session with this number. `journal` makes the ids of its journal transactions
/// unique.
pub(crate) fn confirm(number: u128, journal: u128, provider: MfaProviderName, verdict: MfaVerdict) -> ConfirmCommand {
    let check = MfaCheck { client: client(MINE), account: id(MINE), batch: batch(MINE), provider };
    let proof = MfaProof { check, verdict };
    let decide = Arc::new(move |situation: &ConfirmSituation| {
        let next = Cell::new((41 << 64) + journal);
        let ids = || Uuid::from_u128(next.replace(next.get() + (1 << 32)));
        decide_confirm(situation, Some(&proof), client(MINE), &Stamp { now: noon(), ids: &ids })
    });
    ConfirmCommand {
        account: id(MINE),
        batch: batch(MINE),
        session: Some(session_id(number)),
        decide,
        mode: Mode::Commit,
        claim: None,
    }
}

/// Returns the situation that the store passes to a confirmation.
async fn situation(fixture: &Fixture, number: u128) -> ConfirmSituation {
    let seen = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&seen);
    let decide = Arc::new(move |situation: &ConfirmSituation| {
        *keep.lock().unwrap() = Some(situation.clone());
        ConfirmDecision { result: Err(ConfirmRefusal::MfaRequired), session: None, enrolment: None }
    });
    let command = ConfirmCommand { decide, ..confirm(number, 0, MfaProviderName::Sandbox, MfaVerdict::Wrong) };
    assert_eq!(fixture.store.confirm(command).await, Err(WriteError::Refused(ConfirmRefusal::MfaRequired)));
    seen.lock().unwrap().take().unwrap()
}

async fn opened(fixture: &Fixture, number: u128, provider: MfaProviderName) -> MfaSession {
    fresh(fixture.store.open(open(MINE, MINE, number, provider)).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmation_reserves_and_uses_up_its_session_atomically() {
    let fixture = Fixture::seeded().await;
    let provider = MfaProviderName::Totp;
    let session = opened(&fixture, 1, provider).await;
    assert_eq!(situation(&fixture, 1).await.session, Some(session));
    let right = MfaVerdict::Correct { step: Some(i64::MAX) };
    let confirmed = fresh(fixture.store.confirm(confirm(1, 1, provider, right)).await);
    assert_eq!(confirmed.status(), PaymentBatchStatus::Confirmed);
    assert_eq!(fixture.store.batches(&id(MINE)).await.unwrap(), [confirmed]);
    let after = situation(&fixture, 1).await;
    assert_eq!(after.session.unwrap().state, MfaSessionState::Used);
    assert_eq!(after.enrolment.unwrap().used_steps, [i64::MAX]);
    let balances = fixture.balances(MINE).await;
    assert_eq!((balances.available(), balances.reserved()), (Minor(8_500), Minor(1_000)));
    assert_eq!(fixture.store.batches(&id(OTHER)).await.unwrap(), [validated_batch(OTHER, 1_000)]);
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_attempts_are_counted() {
    let fixture = Fixture::seeded().await;
    let provider = MfaProviderName::Totp;
    opened(&fixture, 1, provider).await;
    for wrong in 1..=2 {
        let refused = fixture.store.confirm(confirm(1, 1, provider, MfaVerdict::Wrong)).await;
        assert_eq!(refused, Err(WriteError::Refused(ConfirmRefusal::Mfa(MfaFailure::Failed))));
        let seen = situation(&fixture, 1).await;
        assert_eq!(seen.session.unwrap().wrong_tokens, wrong);
        assert_eq!(seen.batch, validated_batch(MINE, 1_000));
        let enrolment = fixture.store.enrolment(&id(MINE)).await.unwrap().unwrap();
        assert_eq!(enrolment.wrong_at, vec![noon(); wrong as usize]);
        assert_eq!(seen.enrolment, Some(enrolment));
    }
    assert_eq!(fixture.balances(MINE).await.reserved(), Minor(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn insufficient_funds_use_up_nothing() {
    let fixture = Fixture::funded(999).await;
    opened(&fixture, 1, MfaProviderName::Sandbox).await;
    let right = MfaVerdict::Correct { step: None };
    let refused = fixture.store.confirm(confirm(1, 1, MfaProviderName::Sandbox, right)).await;
    assert!(matches!(refused, Err(WriteError::Refused(ConfirmRefusal::InsufficientFunds(_)))), "{refused:?}");
    let seen = situation(&fixture, 1).await;
    assert_eq!(seen.session.unwrap().state, MfaSessionState::Open);
    assert_eq!(seen.batch, validated_batch(MINE, 1_000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_concurrent_confirmations_wins() {
    let fixture = Fixture::seeded().await;
    for number in 1..=10 {
        opened(&fixture, number, MfaProviderName::Sandbox).await;
    }
    let right = MfaVerdict::Correct { step: None };
    let tasks: Vec<_> = (1..=10)
        .map(|number| {
            let store = fixture.store.clone();
            tokio::spawn(async move { store.confirm(confirm(number, number, MfaProviderName::Sandbox, right)).await })
        })
        .collect();
    let mut answers: Vec<Confirmed> = vec![];
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    let losers = answers.iter().filter(|answer| matches!(answer, Err(WriteError::Refused(ConfirmRefusal::State(_)))));
    assert_eq!(losers.count(), 9);
    assert_eq!(fixture.balances(MINE).await.reserved(), Minor(1_000));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmation_that_fails_halfway_changes_nothing() {
    let fixture = Fixture::seeded().await;
    opened(&fixture, 1, MfaProviderName::Sandbox).await;
    let right = MfaVerdict::Correct { step: None };
    let mut command = confirm(1, 1, MfaProviderName::Sandbox, right);
    let rule = command.decide;
    // The second journal transaction has the same id as the first.
    command.decide = Arc::new(move |situation: &ConfirmSituation| {
        let mut decision = rule(situation);
        let journal = &mut decision.result.as_mut().unwrap().journal;
        journal.push(journal[0].clone());
        decision
    });
    let failed = fixture.store.confirm(command).await;
    assert!(matches!(failed, Err(WriteError::Store(florin_ports::StoreError::Duplicate(_)))), "{failed:?}");
    let seen = situation(&fixture, 1).await;
    assert_eq!(seen.session.unwrap().state, MfaSessionState::Open);
    assert_eq!(seen.batch, validated_batch(MINE, 1_000));
    assert_eq!(seen.balances[&(budget(MINE), gbp())].reserved(), Minor(0));
    fresh(fixture.store.confirm(confirm(1, 1, MfaProviderName::Sandbox, right)).await);
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_refused_for_a_batch_that_is_not_validated() {
    let fixture = Fixture::empty();
    let mut data = seed_data(9_500);
    data.accounts[0].batches[0].state = BatchState::Draft;
    fixture.store.seed(data).await.unwrap();
    let refused = fixture.store.open(open(MINE, MINE, 1, MfaProviderName::Sandbox)).await;
    assert!(matches!(refused, Err(WriteError::Refused(_))), "{refused:?}");
    assert_eq!(fixture.store.open(open(MINE, OTHER, 1, MfaProviderName::Sandbox)).await, Err(WriteError::Absent));
}
