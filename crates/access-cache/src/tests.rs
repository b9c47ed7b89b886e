//! Tests of what is remembered. Tokio's clock is paused: it moves only when it is told to, or when all wait for it.

use super::*;
use chrono::DateTime;
use florin_domain::access::{AccountGrant, ApiClient, ApiKey, Environment};
use florin_domain::ids::{ApiKeyId, ClientId};
use florin_ports::{MockAccounts, MockCallers};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::time::{advance, sleep};
use uuid::Uuid;

const MOMENT: Duration = Duration::from_millis(1);
const HASH: KeyHash = KeyHash([7; 32]);

fn caller(number: u128) -> Caller {
    let client = ClientId(Uuid::from_u128(number));
    let key = ApiKey {
        id: ApiKeyId(Uuid::from_u128(number)),
        client,
        environment: Environment::Sandbox,
        scopes: BTreeSet::new(),
        accounts: AccountGrant::AllOfClient,
        created_at: DateTime::UNIX_EPOCH,
        expires_at: None,
        revoked_at: None,
    };
    let client = ApiClient { id: client, name: String::new(), allowed_networks: vec![], features: BTreeSet::new() };
    Caller { key, client }
}

fn account(id: &str) -> Account {
    let id = AccountId::parse(id).unwrap();
    Account { id, client: ClientId(Uuid::from_u128(1)), name: String::new(), merchant: true, mfa_required: true }
}

/// Callers of a store that is asked exactly `times`, and answers the same each time.
fn answering(times: usize, answer: Result<Option<Caller>, StoreError>) -> RecentCallers {
    let mut mock = MockCallers::new();
    mock.expect_find().times(times).returning(move |_| answer.clone());
    RecentCallers::new(Arc::new(mock))
}

/// A store that takes its time. It answers what was in it when it was asked, and counts how often that was.
struct Slow {
    takes: Duration,
    holds: Mutex<Result<Option<Caller>, StoreError>>,
    asked: AtomicUsize,
}

impl Slow {
    fn new(takes: Duration, holds: Result<Option<Caller>, StoreError>) -> Arc<Self> {
        Arc::new(Self { takes, holds: Mutex::new(holds), asked: AtomicUsize::new(0) })
    }

    fn store(&self, caller: Option<Caller>) {
        *self.holds.lock().unwrap() = Ok(caller);
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Callers for Slow {
    async fn find(&self, _: &KeyHash) -> Result<Option<Caller>, StoreError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let seen = self.holds.lock().unwrap().clone();
        sleep(self.takes).await;
        seen
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_used_again_until_it_is_too_old() {
    let recent = answering(2, Ok(Some(caller(1))));
    for _ in 0..3 {
        assert_eq!(recent.find(&HASH).await, Ok(Some(caller(1))));
    }
    advance(STALENESS.saturating_sub(MOMENT)).await;
    assert_eq!(recent.find(&HASH).await, Ok(Some(caller(1))));
    advance(MOMENT).await;
    for _ in 0..3 {
        assert_eq!(recent.find(&HASH).await, Ok(Some(caller(1))));
    }
}

#[tokio::test(start_paused = true)]
async fn each_key_has_its_own_answer() {
    let mut mock = MockCallers::new();
    mock.expect_find().times(2).returning(|hash| Ok(Some(caller(u128::from(hash.0[0])))));
    let recent = RecentCallers::new(Arc::new(mock));
    for number in [1, 2, 1, 2] {
        assert_eq!(recent.find(&KeyHash([number; 32])).await, Ok(Some(caller(u128::from(number)))));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_absent_or_failed_is_not_remembered() {
    for nothing in [Ok(None), Err(StoreError::Unavailable("gone".into()))] {
        let recent = answering(2, nothing.clone());
        for _ in 0..2 {
            assert_eq!(recent.find(&HASH).await, nothing);
            assert_eq!(recent.recent.len(), 0);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn equal_questions_at_once_are_one_failures_too() {
    for answer in [Ok(Some(caller(1))), Err(StoreError::Unavailable("gone".into()))] {
        let slow = Slow::new(Duration::from_millis(100), answer.clone());
        let recent = Arc::new(RecentCallers::new(slow.clone()));
        let ask = |_| {
            let recent = recent.clone();
            tokio::spawn(async move { recent.find(&HASH).await })
        };
        for asked in (0..20).map(ask).collect::<Vec<_>>() {
            assert_eq!(asked.await.unwrap(), answer);
        }
        assert_eq!(slow.asked(), 1);
    }
}

/// A store that answers late makes nothing younger: what counts is when it was asked.
#[tokio::test(start_paused = true)]
async fn age_is_counted_from_the_question() {
    let slow = Slow::new(STALENESS * 2, Ok(Some(caller(1))));
    let recent = Arc::new(RecentCallers::new(slow.clone()));
    let first = tokio::spawn({
        let recent = recent.clone();
        async move { recent.find(&HASH).await }
    });
    sleep(MOMENT).await;
    slow.store(None);
    sleep(STALENESS).await;
    // The first answer is still under way, and was true; but not for those who come now.
    assert_eq!(recent.find(&HASH).await, Ok(None));
    assert_eq!(first.await.unwrap(), Ok(Some(caller(1))));
    assert_eq!(recent.find(&HASH).await, Ok(None));
}

/// Who waits for another's question must not be told that what was made in between is absent.
#[tokio::test(start_paused = true)]
async fn absence_is_not_shared() {
    let slow = Slow::new(MOMENT * 10, Ok(None));
    let recent = Arc::new(RecentCallers::new(slow.clone()));
    let early = tokio::spawn({
        let recent = recent.clone();
        async move { recent.find(&HASH).await }
    });
    sleep(MOMENT).await;
    slow.store(Some(caller(1)));
    assert_eq!(recent.find(&HASH).await, Ok(Some(caller(1))));
    assert_eq!(early.await.unwrap(), Ok(None));
}

/// A caller that goes away while it asks leaves nobody waiting.
#[tokio::test(start_paused = true)]
async fn a_question_that_is_dropped_is_put_again() {
    let slow = Slow::new(MOMENT * 10, Ok(Some(caller(1))));
    let recent = Arc::new(RecentCallers::new(slow.clone()));
    let ask = || {
        let recent = recent.clone();
        tokio::spawn(async move { recent.find(&HASH).await })
    };
    let (gone, waiting) = (ask(), ask());
    sleep(MOMENT).await;
    gone.abort();
    assert_eq!(waiting.await.unwrap(), Ok(Some(caller(1))));
    assert_eq!(slow.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_remembered_is_bounded() {
    let recent = Recent::new(STALENESS, 10);
    for number in 0..1000_u32 {
        assert_eq!(recent.get(&number, || async move { Ok(Some(number)) }).await, Ok(Some(number)));
    }
    assert!(recent.len() <= 10, "{}", recent.len());
}

#[tokio::test(start_paused = true)]
async fn accounts_are_remembered_too() {
    let mut mock = MockAccounts::new();
    mock.expect_find().times(3).returning(|id| Ok((id.as_str() != "F3").then(|| account(id.as_str()))));
    let recent = RecentAccounts::new(Arc::new(mock));
    for id in ["F1", "F2", "F1", "F2"] {
        assert_eq!(recent.find(&account(id).id).await, Ok(Some(account(id))));
    }
    assert_eq!(recent.find(&account("F3").id).await, Ok(None));
}
