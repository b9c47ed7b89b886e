use super::*;
use chrono::TimeDelta;
use florin_domain::test_support::an_account;
use florin_domain::world::ClockSetting;
use florin_ports::MockTimelines;
use florin_ports::test_support::{CountingIds, FakeClock};
use std::sync::atomic::{AtomicU64, Ordering};

fn clocks() -> AccountClocks {
    let mut timelines = MockTimelines::new();
    let numbers = AtomicU64::new(0);
    timelines.expect_next_number().returning(move |_| Ok(numbers.fetch_add(1, Ordering::Relaxed) + 1));
    let clock = FakeClock::at(DateTime::from_timestamp(1_800_000_000, 0).unwrap());
    AccountClocks::new(Arc::new(clock), Arc::new(CountingIds::default()), Arc::new(timelines))
}

fn account(seed: Option<&str>, clock: ClockSetting) -> Account {
    let client = ClientId(Uuid::from_u128(7));
    let timeline = Timeline { clock, seed: seed.map(|seed| seed_of(client, seed)) };
    Account { client, timeline, ..an_account(AccountId::parse("W1").unwrap()) }
}

fn frozen() -> ClockSetting {
    ClockSetting::Frozen { at: DateTime::from_timestamp(1_900_000_000, 0).unwrap() }
}

#[tokio::test]
async fn an_account_without_a_seed_has_random_ids_and_the_time_of_its_clock() {
    let clocks = clocks();
    let clock = clocks.clock_of(&account(None, ClockSetting::default())).await.unwrap();
    assert_eq!((clock.now(), clock.next_id()), (clocks.real_now(), Uuid::from_u128(1)));
    let ahead = ClockSetting::Running { ahead: TimeDelta::days(3) };
    assert_eq!(clocks.clock_of(&account(None, ahead)).await.unwrap().now(), clocks.real_now() + TimeDelta::days(3));
}

#[tokio::test]
async fn ids_of_a_seeded_world_are_reproducible_and_of_version_8() {
    let mut runs = Vec::new();
    for seed in ["a", "a", "b"] {
        let (clocks, account, mut ids) = (clocks(), account(Some(seed), frozen()), Vec::new());
        for _ in 0..3 {
            let clock = clocks.clock_of(&account).await.unwrap();
            ids.extend([clock.next_id(), clock.next_id()]);
            let run = || clock.rule(|stamp| (stamp.ids)());
            assert_eq!(run(), run(), "a rule that runs again is given the same ids");
            ids.push(run());
        }
        assert!(ids.is_sorted(), "{ids:?}");
        assert!(
            ids.iter().all(|id| id.get_version_num() == 8 && id.get_variant() == uuid::Variant::RFC4122),
            "{ids:?}"
        );
        ids.dedup();
        assert_eq!(ids.len(), 9);
        runs.push(ids);
    }
    assert_eq!(runs[0], runs[1]);
    assert!(runs[0].iter().all(|id| !runs[2].contains(id)));
}

#[test]
fn ids_of_background_work_are_derived_from_its_cause() {
    let (clocks, account) = (clocks(), account(Some("a"), frozen()));
    let for_background =
        |cause: &[&[u8]]| clocks.for_background(&account.timeline, clocks.now_of(&account), cause).next_id();
    assert_eq!(for_background(&[b"expiry", b"1"]), for_background(&[b"expiry", b"1"]));
    assert_ne!(for_background(&[b"expiry", b"1"]), for_background(&[b"expiry", b"2"]));
    assert_ne!(for_background(&[b"expiry", b"1"]), for_background(&[b"expiry1"]));
}

#[test]
fn the_account_of_a_seeded_world_is_always_the_same() {
    let of = |client: u128, seed| {
        account_of_world(Some(seed_of(ClientId(Uuid::from_u128(client)), seed)), Uuid::nil()).unwrap()
    };
    assert_eq!(of(1, "a"), of(1, "a"));
    assert!(of(1, "a") != of(2, "a") && of(1, "a") != of(1, "b"));
    assert_eq!(of(1, "a").as_str().len(), 17);
}
