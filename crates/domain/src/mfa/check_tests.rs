//! Tests of the check of MFA tokens.

use super::*;
use crate::ids::MfaSessionId;
use crate::secret::SealedSecret;
use chrono::TimeDelta;
use uuid::Uuid;

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;
const CORRECT: MfaVerdict = MfaVerdict::Correct { step: Some(7) };

fn check(provider: MfaProviderName) -> MfaCheck {
    MfaCheck {
        client: ClientId(Uuid::from_u128(1)),
        account: AccountId::parse("F1").unwrap(),
        batch: PaymentBatchId(Uuid::from_u128(2)),
        provider,
    }
}

fn session(provider: MfaProviderName) -> MfaSession {
    let MfaCheck { client, account, batch, provider } = check(provider);
    MfaSession::open(MfaSessionId(Uuid::from_u128(3)), client, account, batch, provider, NOW)
}

fn enrolment() -> TotpEnrolment {
    TotpEnrolment::new(AccountId::parse("F1").unwrap(), SealedSecret::new(vec![1, 2, 3]))
}

#[test]
fn the_fifth_wrong_token_fails_and_locks_the_session() {
    let check = check(MfaProviderName::Sandbox);
    let mut session = session(MfaProviderName::Sandbox);
    for _ in 0..5 {
        let outcome = check.apply_verdict(Some(&session), None, MfaVerdict::Wrong, NOW);
        assert_eq!(outcome.passed, Err(MfaFailure::Failed));
        assert_eq!(outcome.enrolment, None);
        session = outcome.session.unwrap();
    }
    let outcome = check.apply_verdict(Some(&session), None, CORRECT, NOW);
    assert_eq!(outcome, MfaOutcome::failed(MfaFailure::Locked));
}

#[test]
fn a_session_belongs_to_one_caller_batch_and_provider() {
    let session = session(MfaProviderName::Sandbox);
    let own = check(MfaProviderName::Sandbox);
    let others = [
        MfaCheck { client: ClientId(Uuid::nil()), ..own.clone() },
        MfaCheck { account: AccountId::parse("F2").unwrap(), ..own.clone() },
        MfaCheck { batch: PaymentBatchId(Uuid::nil()), ..own.clone() },
        MfaCheck { provider: MfaProviderName::Totp, ..own.clone() },
    ];
    for other in others {
        assert_eq!(
            other.apply_verdict(Some(&session), Some(&enrolment()), CORRECT, NOW),
            MfaOutcome::failed(MfaFailure::Failed)
        );
    }
    assert_eq!(own.apply_verdict(None, None, CORRECT, NOW), MfaOutcome::failed(MfaFailure::Failed));
}

#[test]
fn a_session_ends_after_five_minutes_or_one_success() {
    let check = check(MfaProviderName::Sandbox);
    let session = session(MfaProviderName::Sandbox);
    let late = NOW + TimeDelta::minutes(5);
    assert_eq!(check.apply_verdict(Some(&session), None, CORRECT, late), MfaOutcome::failed(MfaFailure::Expired));
    let outcome = check.apply_verdict(Some(&session), None, CORRECT, late - TimeDelta::microseconds(1));
    assert_eq!(outcome.passed, Ok(()));
    let used = outcome.session.unwrap();
    assert_eq!(check.apply_verdict(Some(&used), None, CORRECT, NOW), MfaOutcome::failed(MfaFailure::Failed));
}

#[test]
fn a_totp_step_is_used_once() {
    let check = check(MfaProviderName::Totp);
    let session = session(MfaProviderName::Totp);
    let outcome = check.apply_verdict(Some(&session), Some(&enrolment()), CORRECT, NOW);
    assert_eq!(outcome.passed, Ok(()));
    let used = outcome.enrolment.unwrap();
    for (step, passed) in
        [(7, Err(MfaFailure::Failed)), (3, Err(MfaFailure::Failed)), (5, Ok(())), (6, Ok(())), (8, Ok(()))]
    {
        let next = check.apply_verdict(Some(&session), Some(&used), MfaVerdict::Correct { step: Some(step) }, NOW);
        assert_eq!(next.passed, passed, "{step}");
    }
}

#[test]
fn steps_are_used_in_any_order_and_their_list_stays_short() {
    let mut enrolled = enrolment();
    for step in [8, 7, 6, 9, 10, 20] {
        assert!(!enrolled.is_spent(step), "{step}");
        enrolled = enrolled.after_step(step);
        assert!(enrolled.is_spent(step), "{step}");
    }
    assert_eq!(enrolled.used_steps, [20]);
}

#[test]
fn twenty_wrong_totp_tokens_in_an_hour_lock_the_account_for_an_hour() {
    let check = check(MfaProviderName::Totp);
    let fresh = session(MfaProviderName::Totp);
    let mut enrolled = enrolment();
    for second in 0..20 {
        let now = NOW + TimeDelta::seconds(second);
        assert!(!enrolled.is_locked(now));
        let outcome = check.apply_verdict(Some(&fresh), Some(&enrolled), MfaVerdict::Wrong, now);
        assert_eq!(outcome.passed, Err(MfaFailure::Failed));
        enrolled = outcome.enrolment.unwrap();
    }
    let last = NOW + TimeDelta::seconds(19);
    assert_eq!(check.apply_verdict(Some(&fresh), Some(&enrolled), CORRECT, last).passed, Err(MfaFailure::Locked));
    assert!(enrolled.is_locked(last + TimeDelta::hours(1) - TimeDelta::microseconds(1)));
    assert!(!enrolled.is_locked(last + TimeDelta::hours(1)));
}

#[test]
fn wrong_tokens_older_than_an_hour_do_not_count() {
    let mut enrolled = enrolment();
    for _ in 0..19 {
        enrolled = enrolled.after_wrong_token(NOW);
    }
    let later = NOW + TimeDelta::hours(1);
    assert!(!enrolled.after_wrong_token(later).is_locked(later));
    assert!(enrolled.after_wrong_token(later - TimeDelta::microseconds(1)).is_locked(later));
}
