//! Tests of a worker's round with mocks. The rules are the real ones; the bank's responses are scripted.

use crate::{AccountClocks, ProcessingLimits, ProcessingServices, process_batches};
use chrono::{DateTime, Utc};
use florin_domain::batch::{
    BulkStatus, CheckBasis, CreateRequest, FundingBudgets, InputFormat, ModulusTable, Payment, PaymentBatch,
    PaymentBatchStatus, PaymentInput, PaymentOutcome, PaymentReport, PaymentRow, PaymentState, PaymentStatus,
    RecipientInput, SettleSituation, StartPaymentsSituation, StartedTerms, UploadRequest, check_rows, decide_create,
};
use florin_domain::ids::{AccountId, BudgetId, ClientId, PaymentBatchId};
use florin_domain::ledger::Balances;
use florin_domain::money::{Currency, Minor};
use florin_domain::stamp::Stamp;
use florin_domain::test_support::{a_batch_state, an_account};
use florin_ports::test_support::{CountingIds, FakeClock};
use florin_ports::{
    Clock, IdSource, Lease, MockAccounts, MockBatchProcessing, MockPaymentRail, MockTimelines, ProcessingError,
    RailUnavailable, StoreError,
};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

const BUDGET: BudgetId = BudgetId(Uuid::from_u128(1));

/// A confirmed batch with this number of payments of 1.00 GBP each.
fn confirmed(payments: usize) -> (PaymentBatch, Vec<Payment>) {
    let pounds = Currency::parse("GBP").unwrap();
    let funding = FundingBudgets::from([(BUDGET, [pounds].into())]);
    let modulus = Arc::new(ModulusTable::built_in().unwrap());
    let basis = CheckBasis { default_budget: Some(BUDGET), funding: funding.clone(), modulus };
    let text = |text: &str| Some(text.to_owned());
    let recipient = RecipientInput {
        name: text("Ann"),
        account_identifier: text("66374958"),
        bank_identifier: text("089999"),
        ..RecipientInput::default()
    };
    let input = PaymentInput { amount: text("1"), currency_code: text("GBP"), recipient, ..PaymentInput::default() };
    let rows = vec![PaymentRow { input, miscounted: None }; payments];
    let checked = check_rows(rows, basis, DateTime::UNIX_EPOCH);
    let request = CreateRequest {
        id: PaymentBatchId(Uuid::from_u128(2)),
        account: AccountId::parse("F1").unwrap(),
        client: ClientId(Uuid::from_u128(3)),
        name: None,
        visible: true,
        payments: Some(UploadRequest { format: InputFormat::Json, checked }),
    };
    let ids = CountingIds::default();
    let stamp = Stamp { now: DateTime::UNIX_EPOCH, ids: &|| ids.next_id() };
    let mut created = decide_create(&funding, &request, &stamp).unwrap();
    created.batch.state = a_batch_state(PaymentBatchStatus::Confirmed);
    created.payments.iter_mut().for_each(|payment| BulkStatus::Confirmed.apply(payment, DateTime::UNIX_EPOCH));
    (created.batch, created.payments)
}

/// A store with one batch. It applies the decisions of the rules.
struct Stored {
    batch: PaymentBatch,
    payments: Vec<Payment>,
}

impl Stored {
    fn keep(&mut self, changed: &[Payment]) {
        for payment in changed {
            *self.payments.iter_mut().find(|known| known.id == payment.id).unwrap() = payment.clone();
        }
    }

    fn situation(&self) -> SettleSituation {
        let in_status = |status| self.payments.iter().filter(|payment| payment.status() == status).count() as u64;
        let pounds = Currency::parse("GBP").unwrap();
        SettleSituation {
            batch: self.batch.clone(),
            payments: self.payments.clone(),
            open: self.payments.iter().filter(|payment| !payment.status().is_final()).count() as u64,
            completed: in_status(PaymentStatus::Completed),
            returned: in_status(PaymentStatus::Returned),
            budget_names: std::collections::BTreeMap::new(),
            number: 1,
            balances: [((BUDGET, pounds), Balances::new(Minor(0), Minor(0), Minor(10_000)).unwrap())].into(),
        }
    }

    fn due(&self, now: DateTime<Utc>) -> Vec<Payment> {
        self.payments.iter().filter(|payment| payment.state.ask_at().is_some_and(|at| at <= now)).cloned().collect()
    }
}

fn store(payments: usize) -> Arc<Mutex<Stored>> {
    let (batch, payments) = confirmed(payments);
    Arc::new(Mutex::new(Stored { batch, payments }))
}

/// A port for the batch of the store. The batch can always be claimed.
fn processing(stored: &Arc<Mutex<Stored>>) -> MockBatchProcessing {
    let mut mock = MockBatchProcessing::new();
    let share = || Arc::clone(stored);
    let shared = share();
    mock.expect_claim().returning(move |command| {
        let batch = &shared.lock().unwrap().batch;
        Ok(vec![Lease { id: command.lease, account: batch.account.clone(), batch: batch.id, until: command.until }])
    });
    let shared = share();
    mock.expect_start().returning(move |command| {
        let mut stored = shared.lock().unwrap();
        let decision = (command.decide)(&stored.batch).map_err(ProcessingError::Refused)?;
        stored.batch = decision.batch.clone();
        Ok(decision.batch)
    });
    let shared = share();
    mock.expect_start_payments().returning(move |command| {
        let mut stored = shared.lock().unwrap();
        let open = stored.payments.iter().filter(|payment| payment.status() == PaymentStatus::Confirmed);
        let next = open.take(command.max as usize).cloned().collect();
        let decision = (command.decide)(&StartPaymentsSituation { batch: stored.batch.clone(), payments: next });
        stored.keep(&decision.payments);
        Ok(decision.payments)
    });
    let shared = share();
    mock.expect_due().returning(move |_, now, _| Ok(shared.lock().unwrap().due(now)));
    let shared = share();
    mock.expect_record().returning(move |command| {
        let mut stored = shared.lock().unwrap();
        let decision = (command.decide)(&stored.situation()).map_err(ProcessingError::Refused)?;
        stored.keep(&decision.payments);
        if let Some(batch) = &decision.batch {
            stored.batch = batch.clone();
        }
        Ok(decision)
    });
    mock.expect_renew().returning(|_, _| Ok(true));
    mock.expect_release().times(1..).returning(|_| Ok(()));
    mock
}

fn accounts() -> MockAccounts {
    let mut accounts = MockAccounts::new();
    accounts.expect_find().returning(|id| Ok(Some(an_account(id.clone()))));
    accounts
}

fn services(processing: MockBatchProcessing, rail: MockPaymentRail, clock: &Arc<FakeClock>) -> ProcessingServices {
    ProcessingServices {
        time: AccountClocks::new(
            Arc::clone(clock) as Arc<dyn Clock>,
            Arc::new(CountingIds::default()),
            Arc::new(MockTimelines::new()),
        ),
        accounts: Arc::new(accounts()),
        processing: Arc::new(processing),
        rail: Arc::new(rail),
        limits: ProcessingLimits { portion_size: 2, ..ProcessingLimits::default() },
    }
}

const PAID: PaymentReport = PaymentReport { outcome: PaymentOutcome::Completed, ask_again_at: None };

fn clock() -> Arc<FakeClock> {
    Arc::new(FakeClock::at(DateTime::UNIX_EPOCH))
}

#[tokio::test]
async fn every_payment_is_sent_once_and_the_batch_ends() {
    let stored = store(5);
    let mut rail = MockPaymentRail::new();
    let seen = Arc::clone(&stored);
    rail.expect_send().times(5).returning(move |instruction| {
        let stored = seen.lock().unwrap();
        let payment = stored.payments.iter().find(|payment| payment.id == instruction.id).unwrap();
        assert_eq!(payment.status(), PaymentStatus::Started, "marked before it is sent");
        Ok(PAID)
    });
    let services = services(processing(&stored), rail, &clock());
    assert_eq!(process_batches(&services).await, Ok(5));
    assert_eq!(stored.lock().unwrap().batch.status(), PaymentBatchStatus::Completed);
    assert_eq!(process_batches(&services).await, Ok(0));
}

#[tokio::test]
async fn a_started_but_unsent_payment_is_sent_after_a_query() {
    let stored = store(1);
    {
        // A worker started the payment, but stopped before sending it.
        let mut stored = stored.lock().unwrap();
        stored.batch.state = a_batch_state(PaymentBatchStatus::Started);
        let sent = StartedTerms { terms: *stored.payments[0].terms().unwrap(), started_at: DateTime::UNIX_EPOCH };
        stored.payments[0].state = PaymentState::Started { sent, ask_at: DateTime::UNIX_EPOCH };
    }
    let mut rail = MockPaymentRail::new();
    rail.expect_ask().times(1).returning(|_, _| Ok(None));
    rail.expect_send().times(1).returning(|_| Ok(PAID));
    assert_eq!(process_batches(&services(processing(&stored), rail, &clock())).await, Ok(1));
    assert_eq!(stored.lock().unwrap().batch.status(), PaymentBatchStatus::Completed);
}

#[tokio::test]
async fn an_unavailable_bank_is_queried_later_before_anything_is_sent() {
    let stored = store(1);
    let clock = clock();
    let mut rail = MockPaymentRail::new();
    rail.expect_send().times(1).returning(|_| Err(RailUnavailable("timeout".into())));
    rail.expect_ask().times(1).returning(|_, _| Ok(Some(PAID)));
    let services = services(processing(&stored), rail, &clock);
    assert_eq!(process_batches(&services).await, Ok(1));
    assert_eq!(stored.lock().unwrap().payments[0].status(), PaymentStatus::Started);
    assert_eq!(process_batches(&services).await, Ok(0), "not yet");
    clock.advance(chrono::TimeDelta::seconds(1));
    assert_eq!(process_batches(&services).await, Ok(1));
    assert_eq!(stored.lock().unwrap().batch.status(), PaymentBatchStatus::Completed);
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_sends_nothing() {
    let mut processing = MockBatchProcessing::new();
    let (batch, _) = confirmed(1);
    processing.expect_claim().returning(move |command| {
        Ok(vec![Lease { id: command.lease, account: batch.account.clone(), batch: batch.id, until: command.until }])
    });
    processing.expect_start().returning(|_| Err(ProcessingError::LeaseLost));
    processing.expect_release().times(1).returning(|_| Ok(()));
    let services = services(processing, MockPaymentRail::new(), &clock());
    assert_eq!(process_batches(&services).await, Ok(0));
    let mut down = MockBatchProcessing::new();
    down.expect_claim().returning(|_| Err(StoreError::Overloaded));
    let services = ProcessingServices { processing: Arc::new(down), ..services };
    assert_eq!(process_batches(&services).await, Err(StoreError::Overloaded));
}
