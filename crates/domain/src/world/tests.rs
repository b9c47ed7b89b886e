//! Tests of durations, clocks, worlds and snapshots.

use super::*;
use crate::fault::FlawCode;
use chrono::TimeDelta;
use proptest::prelude::*;

fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn real() -> DateTime<Utc> {
    time("2026-09-01T12:00:00.123456Z")
}

#[test]
fn durations_have_days_hours_minutes_and_seconds() {
    for (text, seconds) in [
        ("P7D", 604_800),
        ("PT90S", 90),
        ("P1DT2H30M5S", 95_405),
        ("PT1H", 3600),
        ("PT5M", 300),
        ("P36600D", 3_162_240_000),
    ] {
        assert_eq!(parse_duration(text).unwrap(), TimeDelta::seconds(seconds), "{text}");
    }
    for text in [
        "", "P", "PT", "7D", "p7d", "P7", "P1DT", "P1W", "P1M", "P1Y", "PT1D", "P1H", "PT1S1H", "P-1D", "P+1D",
        "P1.5D", "PD", "P1D ", "P1DT2",
    ] {
        assert_eq!(parse_duration(text).unwrap_err().code, FlawCode::InvalidFormat, "{text}");
    }
    for text in ["P0D", "PT0S", "P36601D", "P99999999999999999999D"] {
        assert_eq!(parse_duration(text).unwrap_err().code, FlawCode::OutOfRange, "{text}");
    }
}

#[test]
fn durations_are_written_in_their_shortest_form() {
    for (seconds, text) in
        [(604_800, "P7D"), (90, "PT1M30S"), (95_405, "P1DT2H30M5S"), (3600, "PT1H"), (86_401, "P1DT1S")]
    {
        assert_eq!(format_duration(TimeDelta::seconds(seconds)), text);
    }
    assert_eq!(format_duration(TimeDelta::zero()), "PT0S");
}

#[test]
fn times_are_whole_seconds_within_a_hundred_years() {
    assert_eq!(parse_time("2026-09-01T12:00:00Z").unwrap(), time("2026-09-01T12:00:00Z"));
    for text in [
        "2026-09-01",
        "2026-09-01T12:00:00",
        "2026-09-01T12:00:00.0Z",
        "2026-09-01T12:00:60Z",
        "2026-02-30T12:00:00Z",
        "2026-09-01t12:00:00z",
        "+026-09-01T12:00:00Z",
    ] {
        assert_eq!(parse_time(text).unwrap_err().code, FlawCode::InvalidFormat, "{text}");
    }
    for text in ["1999-12-31T23:59:59Z", "2100-01-01T00:00:00Z"] {
        assert_eq!(parse_time(text).unwrap_err().code, FlawCode::OutOfRange, "{text}");
    }
}

#[test]
fn a_clock_freezes_and_resumes_but_never_goes_back() {
    let clock = ClockSetting::default();
    assert_eq!(clock.now(real()), real());
    let later = time("2026-09-08T00:00:00Z");
    let frozen = decide_clock(clock, ClockChange::FreezeAt(later), real()).unwrap();
    assert_eq!((frozen.clock, frozen.now), (ClockSetting::Frozen { at: later }, later));
    let advanced = decide_clock(frozen.clock, ClockChange::AdvanceBy(TimeDelta::days(1)), real()).unwrap();
    assert_eq!(advanced.now, later + TimeDelta::days(1));
    let backwards = decide_clock(advanced.clock, ClockChange::FreezeAt(later), real());
    assert_eq!(backwards, Err(ClockRefusal::Backwards { now: advanced.now }));
    let running = decide_clock(advanced.clock, ClockChange::Resume, real()).unwrap();
    assert_eq!(running.clock.now(real() + TimeDelta::seconds(5)), advanced.now + TimeDelta::seconds(5));
    let too_far = decide_clock(running.clock, ClockChange::AdvanceBy(TimeDelta::days(36_600)), real());
    assert_eq!(too_far, Err(ClockRefusal::TooFar { now: running.now }));
}

#[test]
fn a_clock_that_is_not_ahead_returns_to_real_time() {
    let behind = ClockSetting::Frozen { at: real() - TimeDelta::days(1) };
    let returned = decide_clock(behind, ClockChange::RealTime, real()).unwrap();
    assert_eq!((returned.clock, returned.now), (ClockSetting::default(), real()));
    let ahead = ClockSetting::Running { ahead: TimeDelta::seconds(1) };
    let refused = decide_clock(ahead, ClockChange::RealTime, real());
    assert_eq!(refused, Err(ClockRefusal::Backwards { now: real() + TimeDelta::seconds(1) }));
}

#[test]
fn an_idempotency_key_creates_one_world() {
    let claim = CreationClaim { key: "k".into(), request: "one".into() };
    let account = AccountId::parse("W1").unwrap();
    let situation = |worlds, exists, created_before: Option<&str>| CreateSituation {
        is_key_revoked: false,
        worlds,
        exists,
        created_before: created_before.map(|request| (account.clone(), request.to_owned())),
        outdated: false,
    };
    assert_eq!(decide_create_world(&situation(99, false, None), false, Some(&claim)), Ok(false));
    assert_eq!(decide_create_world(&situation(100, false, None), true, None), Err(CreateWorldRefusal::TooMany));
    assert_eq!(decide_create_world(&situation(100, true, None), true, None), Ok(true));
    assert_eq!(decide_create_world(&situation(1, true, None), false, None), Err(CreateWorldRefusal::Exists));
    let created_before = Err(CreateWorldRefusal::CreatedBefore(account.clone()));
    assert_eq!(decide_create_world(&situation(1, true, Some("one")), true, Some(&claim)), created_before);
    let other = Err(CreateWorldRefusal::OtherRequest);
    assert_eq!(decide_create_world(&situation(1, false, Some("two")), false, Some(&claim)), other);
    let outdated = |situation| CreateSituation { outdated: true, ..situation };
    let revoked = CreateSituation { is_key_revoked: true, ..situation(0, false, None) };
    assert_eq!(decide_create_world(&revoked, true, None), Err(CreateWorldRefusal::KeyRevoked));
    for (situation, refusal) in [
        (situation(1, false, None), CreateWorldRefusal::Outdated),
        (situation(1, true, None), CreateWorldRefusal::Outdated),
        (situation(100, false, None), CreateWorldRefusal::TooMany),
    ] {
        assert_eq!(decide_create_world(&outdated(situation), true, None), Err(refusal));
    }
}

#[test]
fn snapshots_are_limited_in_number_and_size() {
    let decide = |snapshots, bytes| decide_snapshot(SnapshotSituation { snapshots, bytes });
    assert_eq!(decide(19, SNAPSHOT_BYTES), Ok(()));
    assert_eq!(decide(20, 1), Err(SnapshotRefusal::TooMany));
    assert_eq!(decide(0, SNAPSHOT_BYTES + 1), Err(SnapshotRefusal::TooLarge));
    assert_eq!(decide_restore(RestoreSituation { outdated: true }), Err(SnapshotRefusal::Outdated));
}

fn change() -> impl Strategy<Value = ClockChange> {
    prop_oneof![
        Just(ClockChange::Freeze),
        Just(ClockChange::Resume),
        Just(ClockChange::RealTime),
        (1..10_000_000_i64).prop_map(|seconds| ClockChange::AdvanceBy(TimeDelta::seconds(seconds))),
        (946_684_800..4_102_444_800_i64)
            .prop_map(|seconds| ClockChange::FreezeAt(DateTime::from_timestamp(seconds, 0).unwrap())),
    ]
}

proptest! {
    #[test]
    fn no_sequence_of_changes_moves_a_clock_back(changes in prop::collection::vec((change(), 0..100_000_i64), 1..40)) {
        let (mut clock, mut real, mut shown) = (ClockSetting::default(), real(), real());
        for (change, pause) in changes {
            real += TimeDelta::milliseconds(pause);
            prop_assert!(clock.now(real) >= shown);
            shown = clock.now(real);
            if let Ok(reading) = decide_clock(clock, change, real) {
                prop_assert!(reading.now >= shown);
                prop_assert_eq!(reading.now, reading.clock.now(real));
                (clock, shown) = (reading.clock, reading.now);
            }
        }
    }
}
