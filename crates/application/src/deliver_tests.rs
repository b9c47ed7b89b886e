//! Tests of delivering to one subscription: what is sent, recorded, released and given up.

use crate::{AccountClocks, DeliveryMode, DeliveryServices, deliver};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::ids::{AccountId, EventId, LeaseId, WebhookId};
use florin_domain::secret::SecretOwner;
use florin_domain::test_support::a_webhook;
use florin_domain::webhook::{
    AttemptOutcome, Breaker, DeliveredEvent, Delivery, DeliveryStatus, DisabledReason, RetrySchedule, SigningSecret,
    Webhook, WebhookSecrets, WebhookUrl,
};
use florin_domain::world::ClockSetting;
use florin_ports::test_support::{CountingIds, FakeCipher, FakeClock};
use florin_ports::{
    AttemptEnd, AttemptSituation, ClaimedDeliveries, ClaimedDelivery, MockDeliveries, MockTimelines, MockWebhookSender,
    SecretCipher, StoreError, WebhookRequest, WebhookSender,
};
use futures_util::FutureExt;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

const ID: WebhookId = WebhookId(Uuid::from_u128(7));
const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// Returns an enabled subscription whose secret consists of this byte.
fn webhook(secret: u8) -> Webhook {
    let secrets = WebhookSecrets::new(SigningSecret::new(vec![secret; 32]), None, None);
    let secrets = FakeCipher.seal(&SecretOwner::Webhook(ID), &secrets.encode()).unwrap();
    Webhook { id: ID, secrets, created_at: NOW, updated_at: NOW, ..a_webhook() }
}

/// Returns a claimed delivery whose first attempt was counted.
fn claimed(number: u128) -> ClaimedDelivery {
    let (id, account) = (EventId(Uuid::from_u128(number)), AccountId::parse("F1").unwrap());
    let event = DeliveredEvent { id, account, object: Uuid::nil(), sequence: 1, at: NOW };
    let mut delivery = Delivery::new(ID, event);
    delivery.begin_attempt();
    let body = Some(format!("{{\"number\":{number}}}").into());
    ClaimedDelivery { delivery, lease: LeaseId(Uuid::nil()), clock: ClockSetting::default(), body }
}

/// Returns a store whose first claim returns these deliveries, and whose further claims return none.
fn claiming(deliveries: Vec<ClaimedDelivery>) -> MockDeliveries {
    let (mut store, first) = (MockDeliveries::new(), Mutex::new(Some(deliveries)));
    store.expect_claim().returning(move |_| {
        let deliveries = first.lock().unwrap().take().unwrap_or_default();
        Ok(Some(ClaimedDeliveries { has_more: false, webhook: webhook(1), deliveries }))
    });
    store
}

fn response(status: u16) -> AttemptOutcome {
    AttemptOutcome { response: Ok(status), body: None, retry_after: None, took: TimeDelta::zero() }
}

/// Returns a sender whose receivers respond with this status.
fn responding(status: u16) -> MockWebhookSender {
    let mut sender = MockWebhookSender::new();
    sender.expect_send().returning(move |_| response(status));
    sender
}

/// Receivers that never respond.
struct Silence;

#[async_trait]
impl WebhookSender for Silence {
    async fn send(&self, _: WebhookRequest) -> AttemptOutcome {
        std::future::pending().await
    }
}

/// Receivers that take longer to respond than the interval between searches for new deliveries.
struct Slowness;

#[async_trait]
impl WebhookSender for Slowness {
    async fn send(&self, _: WebhookRequest) -> AttemptOutcome {
        for _ in 0..5 {
            tokio::task::yield_now().await;
        }
        response(200)
    }
}

fn time(clock: Arc<FakeClock>) -> AccountClocks {
    AccountClocks::new(clock, Arc::new(CountingIds::default()), Arc::new(MockTimelines::new()))
}

fn services(deliveries: MockDeliveries, sender: impl WebhookSender + 'static) -> DeliveryServices {
    DeliveryServices {
        time: time(Arc::new(FakeClock::at(NOW))),
        deliveries: Arc::new(deliveries),
        cipher: Arc::new(FakeCipher),
        sender: Arc::new(sender),
        schedule: RetrySchedule::Standard,
        sleep: Arc::new(|_| tokio::task::yield_now().boxed()),
        spawn: Arc::new(|sending| sending.map(Some).boxed()),
        observe: Arc::new(|_| {}),
        lease: TimeDelta::seconds(60),
    }
}

async fn run(services: &DeliveryServices) -> Result<usize, StoreError> {
    deliver(services, webhook(1), &mut Breaker::default(), || DeliveryMode::Running).await
}

/// Returns a source of modes: `Running` for this number of calls, and `then` afterwards.
fn after(calls: u32, then: DeliveryMode) -> impl Fn() -> DeliveryMode {
    let called = Cell::new(0);
    move || {
        called.set(called.get() + 1);
        if called.get() > calls { then } else { DeliveryMode::Running }
    }
}

fn numbers(ends: &[AttemptEnd]) -> Vec<u128> {
    let mut numbers: Vec<_> = ends.iter().map(|end| end.claim.event.0.as_u128()).collect();
    numbers.sort_unstable();
    numbers
}

/// Returns the decision of the rule of an ended attempt for the subscription with this URL.
fn decided(end: &AttemptEnd, url: &str) -> (DeliveryStatus, Option<DisabledReason>) {
    let webhook = Webhook { url: WebhookUrl::stored(url.into()), ..webhook(1) };
    let situation = AttemptSituation { delivery: claimed(1).delivery, webhook, clock: ClockSetting::default() };
    let decision = (end.decide)(&situation);
    (decision.status, decision.disable)
}

#[tokio::test]
async fn attempts_that_end_together_are_recorded_together() {
    let mut store = claiming(vec![claimed(1), claimed(2)]);
    store.expect_record().times(1).returning(|ends, _| {
        assert_eq!(numbers(&ends), [1, 2]);
        assert_eq!(decided(&ends[0], "https://example.com/"), (DeliveryStatus::Delivered, None));
        Ok(2)
    });
    let mut sender = MockWebhookSender::new();
    sender.expect_send().times(2).returning(|request| {
        assert_eq!(*request.body, *format!("{{\"number\":{}}}", request.id.0.as_u128()));
        response(204)
    });
    assert_eq!(run(&services(store, sender)).await, Ok(2));
}

/// While as many attempts are in flight as the breaker allows, nothing can be claimed. Afterwards, the rest is claimed.
#[tokio::test]
async fn all_due_deliveries_of_a_slow_receiver_are_sent() {
    let (mut store, due) = (MockDeliveries::new(), Mutex::new((1..=10).map(claimed).collect::<Vec<_>>()));
    store.expect_claim().returning(move |command| {
        let mut due = due.lock().unwrap();
        let count = due.len().min(command.max.try_into().unwrap());
        let deliveries = due.drain(..count).collect();
        Ok(Some(ClaimedDeliveries { has_more: !due.is_empty(), webhook: webhook(1), deliveries }))
    });
    store.expect_record().returning(|ends, _| Ok(ends.len().try_into().unwrap()));
    assert_eq!(run(&services(store, Slowness)).await, Ok(10));
}

#[tokio::test]
async fn only_the_current_receiver_disables_the_subscription() {
    let mut store = claiming(vec![claimed(1)]);
    store.expect_record().times(1).returning(|ends, _| {
        let gone = (DeliveryStatus::Failed, Some(DisabledReason::Gone));
        assert_eq!(decided(&ends[0], "https://example.com/"), gone);
        assert_eq!(decided(&ends[0], "https://example.org/"), (DeliveryStatus::Failed, None));
        Ok(1)
    });
    assert_eq!(run(&services(store, responding(410))).await, Ok(1));
}

#[tokio::test]
async fn deliveries_are_signed_with_rotated_secrets() {
    let mut store = MockDeliveries::new();
    let first = Mutex::new(Some(claimed(1)));
    store.expect_claim().returning(move |_| {
        let deliveries = first.lock().unwrap().take().into_iter().collect();
        Ok(Some(ClaimedDeliveries { has_more: false, webhook: webhook(2), deliveries }))
    });
    store.expect_record().returning(|_, _| Ok(1));
    let mut sender = MockWebhookSender::new();
    sender.expect_send().times(1).returning(|request| {
        assert!(request.secrets.current == SigningSecret::new(vec![2; 32]));
        response(200)
    });
    assert_eq!(run(&services(store, sender)).await, Ok(1));
}

#[tokio::test]
async fn deliveries_without_an_event_or_with_too_many_interruptions_are_not_sent() {
    let gone = ClaimedDelivery { body: None, ..claimed(1) };
    let mut interrupted = claimed(2);
    while !interrupted.delivery.is_interrupted_too_often() {
        interrupted.delivery.begin_attempt();
    }
    let mut store = claiming(vec![gone, interrupted]);
    store.expect_end().times(2).returning(|claims, status| {
        let expected = match status {
            DeliveryStatus::Cancelled => 1,
            DeliveryStatus::Exhausted => 2,
            other => panic!("{other:?}"),
        };
        assert_eq!(claims.iter().map(|claim| claim.event.0.as_u128()).collect::<Vec<_>>(), [expected]);
        Ok(())
    });
    assert_eq!(run(&services(store, MockWebhookSender::new())).await, Ok(0));
}

/// A claim that takes half of its lease is released: its lease could end before the attempt.
#[tokio::test]
async fn a_claim_that_took_long_is_released() {
    let clock = Arc::new(FakeClock::at(NOW));
    let (mut store, slow, first) = (MockDeliveries::new(), Arc::clone(&clock), Mutex::new(Some(claimed(1))));
    store.expect_claim().returning(move |_| {
        let deliveries: Vec<_> = first.lock().unwrap().take().into_iter().collect();
        if !deliveries.is_empty() {
            slow.advance(TimeDelta::seconds(31));
        }
        Ok(Some(ClaimedDeliveries { has_more: false, webhook: webhook(1), deliveries }))
    });
    store.expect_release().times(1).returning(|claims| {
        assert_eq!(claims, [claimed(1).claim()]);
        Ok(())
    });
    let mut services = services(store, MockWebhookSender::new());
    services.time = time(clock);
    assert_eq!(run(&services).await, Ok(0));
}

#[tokio::test]
async fn recording_an_attempt_is_tried_five_times() {
    for (failures, expected) in [(4, Ok(1)), (5, Err(StoreError::Overloaded))] {
        let (mut store, tries) = (claiming(vec![claimed(1)]), Arc::new(AtomicU32::new(0)));
        let counted = Arc::clone(&tries);
        store.expect_record().returning(move |ends, _| {
            assert_eq!(numbers(&ends), [1]);
            if counted.fetch_add(1, Ordering::Relaxed) < failures { Err(StoreError::Overloaded) } else { Ok(1) }
        });
        assert_eq!(run(&services(store, responding(200))).await, expected);
        assert_eq!(tries.load(Ordering::Relaxed), 5);
    }
}

/// If a later claim fails, attempts in flight end, and are recorded.
#[tokio::test]
async fn a_failure_to_claim_loses_no_attempt() {
    let (mut store, first) = (MockDeliveries::new(), Mutex::new(Some(claimed(1))));
    store.expect_claim().returning(move |_| {
        let one = first.lock().unwrap().take().ok_or(StoreError::Overloaded)?;
        Ok(Some(ClaimedDeliveries { has_more: true, webhook: webhook(1), deliveries: vec![one] }))
    });
    store.expect_record().times(1).returning(|_, _| Ok(1));
    assert_eq!(run(&services(store, responding(200))).await, Err(StoreError::Overloaded));
}

/// The first claims only set deliveries of an ordered subscription aside.
#[tokio::test]
async fn a_claim_without_a_delivery_is_repeated_while_there_may_be_more() {
    let (mut store, claims) = (MockDeliveries::new(), AtomicU32::new(0));
    store.expect_claim().returning(move |_| {
        let number = claims.fetch_add(1, Ordering::Relaxed);
        let deliveries = if number == 2 { vec![claimed(1)] } else { Vec::new() };
        Ok(Some(ClaimedDeliveries { has_more: number < 2, webhook: webhook(1), deliveries }))
    });
    store.expect_record().times(1).returning(|_, _| Ok(1));
    assert_eq!(run(&services(store, responding(200))).await, Ok(1));
}

#[tokio::test]
async fn a_drain_begins_nothing_and_records_what_is_in_flight() {
    let mut store = MockDeliveries::new();
    store.expect_claim().times(1).returning(|_| {
        Ok(Some(ClaimedDeliveries { has_more: true, webhook: webhook(1), deliveries: vec![claimed(1)] }))
    });
    store.expect_record().times(1).returning(|_, _| Ok(1));
    let services = services(store, responding(200));
    let mode = after(1, DeliveryMode::Draining);
    assert_eq!(deliver(&services, webhook(1), &mut Breaker::default(), mode).await, Ok(1));
}

#[tokio::test]
async fn a_stop_releases_what_is_in_flight() {
    let mut store = claiming(vec![claimed(1)]);
    store.expect_release().times(1).returning(|claims| {
        assert_eq!(claims, [claimed(1).claim()]);
        Ok(())
    });
    let mode = after(3, DeliveryMode::Stopped);
    assert_eq!(deliver(&services(store, Silence), webhook(1), &mut Breaker::default(), mode).await, Ok(0));
}

/// The lease of an attempt whose task failed ends by itself. Nothing is recorded, because the outcome is unknown.
#[tokio::test]
async fn a_task_that_fails_records_nothing() {
    let mut services = services(claiming(vec![claimed(1)]), responding(200));
    services.spawn = Arc::new(|_| async { None }.boxed());
    assert_eq!(run(&services).await, Ok(1));
}

#[tokio::test]
async fn a_paused_receiver_gets_nothing() {
    let mut breaker = Breaker::default();
    (0..10).for_each(|_| breaker.failed(NOW));
    let services = services(MockDeliveries::new(), MockWebhookSender::new());
    assert_eq!(deliver(&services, webhook(1), &mut breaker, || DeliveryMode::Running).await, Ok(0));
}
