//! Tests of the guard. Tokio's clock is paused, so waits take no time.

use super::*;
use florin_ports::MockPostcodeProvider;
use std::sync::atomic::{AtomicUsize, Ordering};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const SETTINGS: GuardSettings = GuardSettings { timeout: Duration::from_secs(3), cache_for: DAY, cache_entries: 10 };

fn postcode(text: &str) -> UkPostcode {
    UkPostcode::parse(text).unwrap()
}

fn address(line: &str) -> Address {
    Address { address_line1: line.into(), ..Address::default() }
}

/// A provider that expects exactly `times` lookups, and always gives the same answer.
fn answering(times: usize, answer: Result<Vec<Address>, PostcodeError>) -> Arc<MockPostcodeProvider> {
    let mut mock = MockPostcodeProvider::new();
    mock.expect_lookup().times(times).returning(move |_| answer.clone());
    Arc::new(mock)
}

/// A slow provider that counts lookups.
struct SlowProvider {
    takes: Duration,
    lookups: AtomicUsize,
}

impl SlowProvider {
    fn taking(seconds: u64) -> Arc<Self> {
        Arc::new(Self { takes: Duration::from_secs(seconds), lookups: AtomicUsize::new(0) })
    }

    fn lookups(&self) -> usize {
        self.lookups.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl PostcodeProvider for SlowProvider {
    async fn lookup(&self, _: &UkPostcode) -> Result<Vec<Address>, PostcodeError> {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(self.takes).await;
        Ok(vec![address("1 Late Lane")])
    }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_is_reported_as_slow_and_not_cached() {
    let slow = SlowProvider::taking(4);
    let guarded = GuardedPostcodes::new(slow.clone(), SETTINGS);
    let start = tokio::time::Instant::now();
    assert_eq!(guarded.lookup(&postcode("M11AE")).await, Err(PostcodeError::Slow));
    assert_eq!(start.elapsed().as_secs(), 3);
    assert_eq!(guarded.lookup(&postcode("M11AE")).await, Err(PostcodeError::Slow));
    assert_eq!(slow.lookups(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_just_in_time_is_returned() {
    let guarded = GuardedPostcodes::new(SlowProvider::taking(2), SETTINGS);
    assert_eq!(guarded.lookup(&postcode("M11AE")).await, Ok(vec![address("1 Late Lane")]));
}

#[tokio::test(start_paused = true)]
async fn concurrent_equal_lookups_call_the_provider_once() {
    let slow = SlowProvider::taking(1);
    let guarded = Arc::new(GuardedPostcodes::new(slow.clone(), SETTINGS));
    let callers: Vec<_> = (0..20)
        .map(|_| {
            let guarded = guarded.clone();
            tokio::spawn(async move { guarded.lookup(&postcode("M11AE")).await })
        })
        .collect();
    for caller in callers {
        assert_eq!(caller.await.unwrap(), Ok(vec![address("1 Late Lane")]));
    }
    assert_eq!(slow.lookups(), 1);
}

#[tokio::test]
async fn answers_are_cached_including_empty_ones() {
    for answer in [vec![address("1 High Street"), address("2 High Street")], vec![]] {
        let guarded = GuardedPostcodes::new(answering(1, Ok(answer.clone())), SETTINGS);
        for _ in 0..3 {
            assert_eq!(guarded.lookup(&postcode("SW1A1AA")).await, Ok(answer.clone()));
        }
    }
}

#[tokio::test]
async fn each_postcode_has_its_own_answer() {
    let mut mock = MockPostcodeProvider::new();
    mock.expect_lookup().times(2).returning(|postcode| Ok(vec![address(postcode.as_str())]));
    let guarded = GuardedPostcodes::new(Arc::new(mock), SETTINGS);
    for text in ["M11AE", "SW1A1AA", "M11AE", "SW1A1AA"] {
        assert_eq!(guarded.lookup(&postcode(text)).await, Ok(vec![address(text)]));
    }
}

#[tokio::test]
async fn errors_are_never_cached() {
    for error in [PostcodeError::Down("gone".into()), PostcodeError::OutOfQuota { retry_after: Some(DAY) }] {
        let guarded = GuardedPostcodes::new(answering(2, Err(error.clone())), SETTINGS);
        for _ in 0..2 {
            assert_eq!(guarded.lookup(&postcode("M11AE")).await, Err(error.clone()));
        }
    }
}

#[tokio::test]
async fn a_cache_without_time_or_entries_caches_nothing() {
    let no_time = GuardSettings { cache_for: Duration::ZERO, ..SETTINGS };
    let no_entries = GuardSettings { cache_entries: 0, ..SETTINGS };
    for settings in [no_time, no_entries] {
        let guarded = GuardedPostcodes::new(answering(2, Ok(vec![])), settings);
        for _ in 0..2 {
            assert_eq!(guarded.lookup(&postcode("M11AE")).await, Ok(vec![]));
        }
    }
}

#[tokio::test]
async fn a_cached_answer_expires() {
    // The cache uses its own clock, which cannot be paused.
    let settings = GuardSettings { cache_for: Duration::from_millis(5), ..SETTINGS };
    let guarded = GuardedPostcodes::new(answering(2, Ok(vec![])), settings);
    assert_eq!(guarded.lookup(&postcode("M11AE")).await, Ok(vec![]));
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(guarded.lookup(&postcode("M11AE")).await, Ok(vec![]));
}

#[tokio::test]
async fn the_maximum_durations_do_not_panic() {
    let settings = GuardSettings { timeout: Duration::MAX, cache_for: Duration::MAX, cache_entries: u64::MAX };
    let guarded = GuardedPostcodes::new(answering(1, Ok(vec![])), settings);
    assert_eq!(guarded.lookup(&postcode("M11AE")).await, Ok(vec![]));
    assert_eq!(guarded.lookup(&postcode("M11AE")).await, Ok(vec![]));
}
