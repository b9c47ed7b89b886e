//! Tests that a backlog of payment batches is processed in one go, with mocks and simulated time.

use super::{PROCESS_PAUSE, Workers, process};
use chrono::{DateTime, Utc};
use florin_application::{AccountClocks, ProcessingLimits, ProcessingServices};
use florin_domain::batch::{
    IllegalBatchTransition, Payment, PaymentBatchStatus, PaymentInput, PaymentOutcome, PaymentReport, PaymentState,
    SettleDecision,
};
use florin_domain::ids::{AccountId, PaymentBatchId, PaymentId};
use florin_domain::test_support::an_account;
use florin_ports::test_support::{CountingIds, FakeClock};
use florin_ports::{
    ClaimCommand, Lease, MockAccounts, MockBatchProcessing, MockPaymentRail, MockTimelines, ProcessingError,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use uuid::Uuid;

const BATCHES: u128 = 40;
const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// The batches that are not processed yet. Each has one payment, which is due.
type Backlog = Arc<Mutex<BTreeSet<Uuid>>>;

fn claim(backlog: &Backlog, command: &ClaimCommand) -> Vec<Lease> {
    let lease = |batch: &Uuid| Lease {
        id: command.lease,
        account: AccountId::parse("F1").unwrap(),
        batch: PaymentBatchId(*batch),
        until: command.until,
    };
    backlog.lock().unwrap().iter().take(command.max as usize).map(lease).collect()
}

fn due(lease: &Lease) -> Payment {
    Payment {
        id: PaymentId(lease.batch.0),
        account: lease.account.clone(),
        batch: lease.batch,
        index: 0,
        state: PaymentState::Created,
        input: PaymentInput::default(),
        created_at: NOW,
        updated_at: NOW,
    }
}

fn processing(backlog: &Backlog) -> MockBatchProcessing {
    let mut mock = MockBatchProcessing::new();
    let of = || Arc::clone(backlog);
    let left = of();
    mock.expect_claim().returning(move |command| Ok(claim(&left, &command)));
    let started = IllegalBatchTransition { current: PaymentBatchStatus::Started };
    mock.expect_start().returning(move |_| Err(ProcessingError::Refused(started)));
    let left = of();
    mock.expect_due().returning(move |lease, _, _| {
        let is_left = left.lock().unwrap().contains(&lease.batch.0);
        Ok(is_left.then(|| due(lease)).into_iter().collect())
    });
    mock.expect_start_payments().returning(|_| Ok(Vec::new()));
    let left = of();
    mock.expect_record().returning(move |command| {
        left.lock().unwrap().remove(&command.lease.batch.0);
        Ok(SettleDecision::default())
    });
    mock.expect_renew().returning(|_, _| Ok(true));
    mock.expect_release().returning(|_| Ok(()));
    mock
}

fn services(backlog: &Backlog) -> ProcessingServices {
    let mut accounts = MockAccounts::new();
    accounts.expect_find().returning(|id| Ok(Some(an_account(id.clone()))));
    let mut rail = MockPaymentRail::new();
    let paid = PaymentReport { outcome: PaymentOutcome::Completed, ask_again_at: None };
    rail.expect_ask().returning(move |_, _| Ok(Some(paid)));
    let (clock, ids) = (Arc::new(FakeClock::at(NOW)), Arc::new(CountingIds::default()));
    ProcessingServices {
        time: AccountClocks::new(clock, ids, Arc::new(MockTimelines::new())),
        accounts: Arc::new(accounts),
        processing: Arc::new(processing(backlog)),
        rail: Arc::new(rail),
        limits: ProcessingLimits::default(),
    }
}

/// A round claims only a few batches. If there was a pause after each round, the backlog would take ten pauses.
#[tokio::test(start_paused = true)]
async fn a_backlog_is_processed_without_a_pause() {
    let backlog: Backlog = Arc::new(Mutex::new((1..=BATCHES).map(Uuid::from_u128).collect()));
    assert!(BATCHES >= 10 * u128::from(ProcessingLimits::default().max_batches));
    let local = tokio::task::LocalSet::new();
    local
        .run_until(async {
            let mut workers = Workers::none();
            workers.add(PROCESS_PAUSE, services(&backlog), process);
            tokio::time::sleep(PROCESS_PAUSE.mul_f64(0.9)).await;
            assert_eq!(backlog.lock().unwrap().len() as u128, BATCHES, "the first round runs after a pause");
            tokio::time::sleep(Duration::from_millis(50)).await;
            assert_eq!(*backlog.lock().unwrap(), BTreeSet::new());
            workers.stop().await;
        })
        .await;
}
