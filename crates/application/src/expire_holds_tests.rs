//! Tests of the sweep that expires holds.

use super::*;
use crate::sweep::PORTION;
use crate::{AccountClocks, DecisionServices, PageTokenMaker, SecretDigests};
use chrono::TimeDelta;
use florin_domain::access::Environment;
use florin_domain::secret::Secret;
use florin_ports::test_support::{CountingIds, FakeClock};
use florin_ports::{
    Due, MockAccounts, MockActivities, MockBanks, MockBooks, MockCallers, MockCardLedger, MockChainHistories,
    MockCredits, MockExchangeRates, MockKeySource, MockMfaSessions, MockPaymentBatches, MockPostcodeProvider,
    MockSnapshotFiles, MockTimelines, MockUpkeep, MockWorlds,
};
use std::sync::Mutex;
use uuid::Uuid;

pub(crate) fn services(cards: MockCardLedger) -> Services {
    let mut timelines = MockTimelines::new();
    timelines.expect_accounts_with_timeline().returning(|| Ok(Vec::new()));
    Services {
        environment: Environment::Sandbox,
        time: AccountClocks::new(
            Arc::new(FakeClock::at(DateTime::UNIX_EPOCH)),
            Arc::new(CountingIds::default()),
            Arc::new(MockTimelines::new()),
        ),
        callers: Arc::new(MockCallers::new()),
        accounts: Arc::new(MockAccounts::new()),
        banks: Arc::new(MockBanks::new()),
        activities: Arc::new(MockActivities::new()),
        books: Arc::new(MockBooks::new()),
        cards: Arc::new(cards),
        decisions: DecisionServices {
            endpoints: Arc::new(florin_ports::MockDecisionEndpoints::new()),
            asker: Arc::new(florin_ports::MockDecisionAsker::new()),
            render: Arc::new(|_| Ok(String::new())),
            observe: Arc::new(|_| {}),
        },
        chains: Arc::new(MockChainHistories::new()),
        disputes: Arc::new(florin_ports::MockDisputes::new()),
        rates: Arc::new(MockExchangeRates::new()),
        credits: Arc::new(MockCredits::new()),
        events: Arc::new(florin_ports::MockEvents::new()),
        batches: Arc::new(MockPaymentBatches::new()),
        mfa_sessions: Arc::new(MockMfaSessions::new()),
        mfa_providers: Vec::new(),
        refusals: Arc::default(),
        key_uses: Arc::default(),
        cipher: Arc::new(florin_ports::test_support::FakeCipher),
        page_tokens: PageTokenMaker::new(Secret::new(Vec::new())),
        digests: SecretDigests::new(Secret::new(Vec::new())),
        postcodes: Arc::new(MockPostcodeProvider::new()),
        upkeep: Arc::new(MockUpkeep::new()),
        records: Arc::new(florin_ports::MockIdempotencyRecords::new()),
        timelines: Arc::new(timelines),
        worlds: Arc::new(MockWorlds::new()),
        snapshot_files: Arc::new(MockSnapshotFiles::new()),
        keys: Arc::new(MockKeySource::new()),
        world_lifetime: TimeDelta::hours(24),
    }
}

fn hold(number: u32) -> DueHold {
    let chain = TransactionToken(Uuid::from_u128(u128::from(number)));
    DueHold { account: AccountId::parse("F1").unwrap(), chain }
}

/// A hold with the time at which it is due.
fn with_time(hold: DueHold) -> Due<DueHold> {
    Due { at: DateTime::UNIX_EPOCH, item: hold }
}

/// A ledger with `all` due holds, oldest first, of which the first `stuck` can't be expired.
fn ledger(stuck: u32, all: u32) -> MockCardLedger {
    let due = Arc::new(Mutex::new((0..all).map(hold).collect::<Vec<_>>()));
    let mut cards = MockCardLedger::new();
    let listed = Arc::clone(&due);
    cards.expect_due_holds().returning(move |_, max| {
        Ok(listed.lock().unwrap().iter().take(max as usize).cloned().map(with_time).collect())
    });
    cards.expect_expire().returning(move |command| {
        let mut due = due.lock().unwrap();
        if command.hold.chain.0.as_u128() < u128::from(stuck) {
            return Err(WriteError::Refused(CardRefusal::Expired));
        }
        due.retain(|hold| *hold != command.hold);
        Ok(true)
    });
    cards
}

#[tokio::test]
async fn failing_holds_do_not_delay_others() {
    for stuck in [0, 1, PORTION - 1, PORTION, 3 * PORTION + 7] {
        let written = expire_holds(&services(ledger(stuck, stuck + 450))).await;
        assert_eq!(written, Ok(450), "{stuck} are stuck");
    }
}

#[tokio::test]
async fn an_unavailable_store_ends_the_sweep() {
    let mut cards = MockCardLedger::new();
    cards.expect_due_holds().times(1).returning(|_, _| Ok((0..PORTION).map(hold).map(with_time).collect()));
    let gone = || StoreError::Unavailable("no disk".into());
    cards.expect_expire().times(1).returning(move |_| Err(gone().into()));
    assert_eq!(expire_holds(&services(cards)).await, Err(gone()));
}
