//! Tests of the rules about deliveries.

use super::*;
use crate::ids::{AccountId, EventId, WebhookId};
use crate::test_support::{account, noon};
use crate::world::AccountTime;
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use uuid::Uuid;

fn delivery(scheduled: u32) -> Delivery {
    Delivery {
        webhook: WebhookId(Uuid::nil()),
        event: EventId(Uuid::nil()),
        account: account(),
        object: Uuid::nil(),
        sequence: 1,
        is_test: false,
        status: DeliveryStatus::Pending,
        attempts: scheduled + 1,
        scheduled,
        unrecorded: 1,
        created_at: noon(),
        due_at: None,
    }
}

fn outcome(response: Result<u16, SendError>) -> AttemptOutcome {
    AttemptOutcome { response, body: None, retry_after: None, took: TimeDelta::zero() }
}

/// Returns a time of the account. In real time, it is always the same.
fn ended_at(shown: DateTime<Utc>) -> AccountTime {
    AccountTime { shown, real: DateTime::UNIX_EPOCH }
}

fn decide(delivery: &Delivery, response: Result<u16, SendError>, failing: Option<&FirstFailure>) -> DeliveryDecision {
    let standard = (RetrySchedule::Standard, Jitter::NONE);
    delivery.decide(&outcome(response), (failing, true), ended_at(noon()), standard)
}

#[test]
fn only_2xx_is_a_success() {
    for status in [200, 201, 202, 204, 299] {
        assert_eq!(decide(&delivery(0), Ok(status), None).status, DeliveryStatus::Delivered);
    }
    let errors = SendError::ALL.map(Err);
    for response in [Ok(100), Ok(199), Ok(300), Ok(301), Ok(302), Ok(307), Ok(400), Ok(500)].into_iter().chain(errors) {
        let decision = decide(&delivery(0), response, None);
        assert_eq!(decision.status, DeliveryStatus::Failed, "{response:?}");
        assert_eq!(decision.due_at, Some(noon() + TimeDelta::seconds(5)));
        assert_eq!(decision.disable, None);
    }
}

#[test]
fn the_tenth_failure_is_the_last() {
    assert_eq!(decide(&delivery(8), Ok(500), None).status, DeliveryStatus::Failed);
    assert_eq!(decide(&delivery(9), Ok(500), None).status, DeliveryStatus::Exhausted);
}

#[test]
fn interruptions_do_not_use_up_the_schedule() {
    // Ten attempts were counted before this one, but none ended: it is unknown whether any was sent.
    let interrupted = Delivery { attempts: 11, unrecorded: 11, ..delivery(0) };
    assert!(!interrupted.is_interrupted_too_often());
    let decision = decide(&interrupted, Ok(500), None);
    assert_eq!((decision.status, decision.due_at), (DeliveryStatus::Failed, Some(noon() + TimeDelta::seconds(5))));
    assert!(!Delivery { unrecorded: 100, ..delivery(0) }.is_interrupted_too_often());
    assert!(Delivery { unrecorded: 101, ..delivery(0) }.is_interrupted_too_often());
}

#[test]
fn a_new_schedule_is_due_at_once() {
    let later = Some(noon() + TimeDelta::hours(1));
    let mut failed =
        Delivery { status: DeliveryStatus::Failed, attempts: 7, unrecorded: 3, due_at: later, ..delivery(4) };
    failed.restart();
    assert_eq!(failed, Delivery { attempts: 7, unrecorded: 0, ..delivery(0) });
}

#[test]
fn a_failure_of_a_previous_receiver_does_not_affect_the_subscription() {
    let failing =
        FirstFailure { account: account(), since: noon() - TimeDelta::days(9), real_since: DateTime::UNIX_EPOCH };
    for known in [None, Some(&failing)] {
        let standard = (RetrySchedule::Standard, Jitter::NONE);
        let decision = delivery(0).decide(&outcome(Ok(410)), (known, false), ended_at(noon()), standard);
        assert_eq!((decision.status, decision.disable), (DeliveryStatus::Failed, None));
        assert_eq!(decision.failing.as_ref(), known);
    }
}

#[test]
fn a_410_response_disables_at_once() {
    let decision = decide(&delivery(0), Ok(410), None);
    assert_eq!((decision.status, decision.disable), (DeliveryStatus::Failed, Some(DisabledReason::Gone)));
}

#[test]
fn five_days_without_a_success_disable() {
    let first = decide(&delivery(0), Ok(500), None).failing.unwrap();
    assert_eq!(first, FirstFailure { account: account(), since: noon(), real_since: DateTime::UNIX_EPOCH });
    let failing = |days| FirstFailure { since: noon() - TimeDelta::days(days), ..first.clone() };
    assert_eq!(decide(&delivery(0), Ok(500), Some(&failing(4))).disable, None);
    assert_eq!(decide(&delivery(0), Ok(500), Some(&failing(5))).disable, Some(DisabledReason::Failing));
    assert_eq!(decide(&delivery(0), Ok(200), Some(&failing(9))).failing, None);
    let other = FirstFailure { account: AccountId::parse("other").unwrap(), ..failing(9) };
    assert_eq!(decide(&delivery(0), Ok(500), Some(&other)).disable, None, "real time counts between two accounts");
}

#[test]
fn a_test_has_one_attempt_and_changes_nothing_else() {
    let test = Delivery { is_test: true, ..delivery(0) };
    let failing =
        FirstFailure { account: account(), since: noon() - TimeDelta::days(9), real_since: DateTime::UNIX_EPOCH };
    for response in [Ok(410), Ok(500), Ok(200), Err(SendError::Timeout)] {
        let decision = decide(&test, response, Some(&failing));
        let expected = if response == Ok(200) { DeliveryStatus::Delivered } else { DeliveryStatus::Exhausted };
        assert_eq!((decision.status, decision.disable), (expected, None));
        assert_eq!(decision.failing.as_ref(), Some(&failing));
    }
}

proptest! {
    /// A delivery whose attempts all fail follows its schedule, and ends.
    #[test]
    fn every_schedule_ends(
        jitters in proptest::collection::vec(any::<u16>(), 20),
        waits in proptest::collection::vec(proptest::option::of(-10_i64..200_000), 20),
        original: bool,
    ) {
        let schedule = if original { RetrySchedule::Original } else { RetrySchedule::Standard };
        let mut now: DateTime<Utc> = noon();
        let mut delivery = delivery(0);
        let mut attempts = 0;
        while delivery.status.is_waiting() {
            attempts += 1;
            let index = attempts % 20;
            let failed = AttemptOutcome { retry_after: waits[index].map(TimeDelta::seconds), ..outcome(Ok(500)) };
            let plan = (schedule, Jitter(jitters[index]));
            let decision = delivery.decide(&failed, (None, true), ended_at(now), plan);
            delivery.scheduled += 1;
            if let Some(due_at) = decision.due_at {
                let delay = due_at - now;
                prop_assert!(delay >= TimeDelta::seconds(4) && delay <= TimeDelta::hours(24) * 6 / 5, "{}", delay);
                now = due_at;
            }
            (delivery.status, delivery.due_at) = (decision.status, decision.due_at);
        }
        prop_assert_eq!(delivery.status, DeliveryStatus::Exhausted);
        prop_assert_eq!(u32::try_from(attempts).unwrap(), schedule.attempts());
    }
}
