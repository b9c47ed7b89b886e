//! Tests of batches from upload to completion: the use cases, the memory store and the simulated bank.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use chrono::{DateTime, TimeDelta};
use florin_application::{
    AccountClocks, BatchServices, NewBatch, PageTokenMaker, ProcessingLimits, ProcessingServices, Upload, cancel_batch,
    check_basis, check_upload, create_batch, demo, process_batches, upload_payments, validate_batch,
};
use florin_bank_sandbox::SandboxBank;
use florin_domain::access::Account;
use florin_domain::batch::{
    InputFormat, ModulusTable, Payment, PaymentBatchStatus, PaymentFilter, PaymentInput, PaymentRow, PaymentStatus,
    RecipientInput, UploadRefusal, UploadRequest, decide_confirm,
};
use florin_domain::ids::{BudgetId, LeaseId, PaymentBatchId};
use florin_domain::page::PageRequest;
use florin_domain::secret::Secret;
use florin_domain::stamp::Stamp;
use florin_ports::test_support::{CountingIds, FakeCipher, FakeClock};
use florin_ports::{
    BatchProcessing, BatchReading, BooksCheck, ClaimCommand, Clock, ConfirmCommand, IdSource, Mode, PaymentBatches,
    Seeding, WriteError, Written,
};
use florin_store_memory::MemoryStore;
use std::sync::Arc;
use uuid::Uuid;

struct Fixture {
    store: Arc<MemoryStore>,
    clock: Arc<FakeClock>,
    ids: Arc<CountingIds>,
    account: Account,
    budget: BudgetId,
}

impl Fixture {
    /// Creates a store with the demo data, in which no account requires MFA.
    async fn new() -> Self {
        let (store, clock) = (Arc::new(MemoryStore::new()), Arc::new(FakeClock::at(DateTime::UNIX_EPOCH)));
        let page_tokens = &PageTokenMaker::new(Secret::new(vec![1]));
        let secrets = demo::DemoSecrets { cipher: &FakeCipher, page_tokens };
        let mut data = demo::seed_data(clock.now(), secrets).unwrap();
        data.accounts.iter_mut().for_each(|seed| seed.account.mfa_required = false);
        let account = data.accounts[0].account.clone();
        store.seed(data).await.unwrap();
        let budget = store.budgets(&account.id).await.unwrap()[0].id;
        Self { store, clock, ids: Arc::default(), account, budget }
    }

    fn time(&self) -> AccountClocks {
        AccountClocks::new(self.clock.clone(), self.ids.clone(), self.store.clone())
    }

    fn batches(&self) -> BatchServices {
        BatchServices {
            time: self.time(),
            management: self.store.clone(),
            reading: self.store.clone(),
            modulus: Arc::new(ModulusTable::built_in().unwrap()),
        }
    }

    fn worker(&self) -> ProcessingServices {
        ProcessingServices {
            time: self.time(),
            accounts: self.store.clone(),
            processing: self.store.clone(),
            rail: Arc::new(SandboxBank::new(self.store.clone(), self.clock.clone())),
            limits: ProcessingLimits { max_batches: 100, portion_size: 3, ..ProcessingLimits::default() },
        }
    }

    async fn upload(&self, references: &[&str]) -> UploadRequest {
        let text = |text: &str| Some(text.to_owned());
        let row = |reference: &&str| {
            let recipient = RecipientInput {
                name: text("Ann"),
                account_identifier: text("66374958"),
                bank_identifier: text("089999"),
                ..RecipientInput::default()
            };
            let input = PaymentInput {
                amount: text("1.00"),
                currency_code: text("GBP"),
                reference: text(reference),
                recipient,
                ..PaymentInput::default()
            };
            PaymentRow { input, miscounted: None }
        };
        let rows = references.iter().map(row).collect();
        let upload = Upload { format: InputFormat::Csv, rows, default_budget: Some(self.budget) };
        let basis = check_basis(&self.batches(), &self.account, upload.default_budget).await.unwrap();
        check_upload(upload, basis, self.clock.now())
    }

    async fn create_uploaded(&self, references: &[&str]) -> PaymentBatchId {
        let new = NewBatch { name: None, visible: true, payments: None };
        let created = create_batch(&self.batches(), self.account.client, &self.account, new, None).await.unwrap();
        let Written::New(created) = created else { panic!("the answer is a replay") };
        let rows = self.upload(references).await;
        let filled = upload_payments(&self.batches(), &self.account, created.batch.id, rows, None).await;
        assert!(matches!(filled, Ok(Written::New(batch)) if batch.status() == PaymentBatchStatus::Validated));
        created.batch.id
    }

    async fn confirm(&self, batch: PaymentBatchId) {
        let (client, now, ids) = (self.account.client, self.clock.now(), Arc::clone(&self.ids));
        let command = ConfirmCommand {
            account: self.account.id.clone(),
            batch,
            session: None,
            decide: Arc::new(move |situation| {
                decide_confirm(situation, None, client, &Stamp { now, ids: &|| ids.next_id() })
            }),
            mode: Mode::Commit,
            claim: None,
        };
        self.store.confirm(command).await.unwrap();
    }

    async fn status(&self, batch: PaymentBatchId) -> PaymentBatchStatus {
        self.store.find(&self.account.id, batch).await.unwrap().unwrap().batch.status()
    }

    /// Returns the statuses of the payments in the order of the upload. The store lists the last payment first.
    async fn payment_statuses(&self, batch: PaymentBatchId) -> Vec<PaymentStatus> {
        let (filter, page) = (PaymentFilter::default(), PageRequest::default());
        let page = self.store.payments(&self.account.id, batch, filter, page).await.unwrap().unwrap();
        page.rows.iter().rev().map(Payment::status).collect()
    }

    async fn check_books(&self) {
        assert_eq!(self.store.check_all().await.unwrap().discrepancies, []);
    }
}

#[tokio::test]
async fn a_batch_is_processed_to_its_end() {
    use PaymentStatus::{Completed, Failed, Returned, Started};
    let fixture = Fixture::new().await;
    let batch = fixture.create_uploaded(&["one", "SBX-FAIL-NAME", "SBX-RETURN", "SBX-SLOW", "five"]).await;
    assert!(validate_batch(&fixture.batches(), &fixture.account, batch).await.unwrap().unwrap().1.is_valid());
    fixture.confirm(batch).await;
    let worker = fixture.worker();
    process_batches(&worker).await.unwrap();
    assert_eq!(fixture.payment_statuses(batch).await, [Completed, Failed, Completed, Started, Completed]);
    assert_eq!(fixture.status(batch).await, PaymentBatchStatus::Started);
    fixture.check_books().await;
    fixture.clock.advance(TimeDelta::seconds(2));
    assert_eq!(process_batches(&worker).await, Ok(1));
    assert_eq!(fixture.payment_statuses(batch).await, [Completed, Failed, Returned, Started, Completed]);
    fixture.clock.advance(TimeDelta::seconds(3));
    assert_eq!(process_batches(&worker).await, Ok(1));
    assert_eq!(fixture.status(batch).await, PaymentBatchStatus::Completed);
    fixture.clock.advance(TimeDelta::days(1));
    assert_eq!(process_batches(&worker).await, Ok(0), "the results of all payments are final");
    fixture.check_books().await;
}

#[tokio::test]
async fn a_cancelled_batch_is_never_processed() {
    let fixture = Fixture::new().await;
    let before = fixture.store.budgets(&fixture.account.id).await.unwrap();
    let batch = fixture.create_uploaded(&["one", "two"]).await;
    fixture.confirm(batch).await;
    cancel_batch(&fixture.batches(), &fixture.account, batch, None).await.unwrap();
    assert_eq!(fixture.store.budgets(&fixture.account.id).await.unwrap(), before);
    assert_eq!(process_batches(&fixture.worker()).await, Ok(0));
    assert_eq!(fixture.payment_statuses(batch).await, [PaymentStatus::Cancelled; 2]);
    let rows = fixture.upload(&["one"]).await;
    let again = upload_payments(&fixture.batches(), &fixture.account, batch, rows, None).await;
    assert!(matches!(again, Err(WriteError::Refused(UploadRefusal::State(_)))));
    fixture.check_books().await;
}

#[tokio::test]
async fn a_lease_excludes_others_until_it_expires() {
    let fixture = Fixture::new().await;
    let batch = fixture.create_uploaded(&["one"]).await;
    fixture.confirm(batch).await;
    let claim = |number| {
        let now = fixture.clock.now();
        ClaimCommand { lease: LeaseId(Uuid::from_u128(number)), now, until: now + TimeDelta::seconds(30), max: 10 }
    };
    let first = fixture.store.claim(claim(1)).await.unwrap();
    assert_eq!(first.iter().map(|lease| lease.batch).collect::<Vec<_>>(), [batch]);
    assert_eq!(fixture.store.claim(claim(2)).await.unwrap(), []);
    fixture.clock.advance(TimeDelta::seconds(30));
    assert_eq!(fixture.store.renew(&first[0], fixture.clock.now()).await, Ok(true), "no later claim has been granted");
    let second = fixture.store.claim(claim(3)).await.unwrap();
    assert_eq!(second.len(), 1);
    assert_eq!(fixture.store.renew(&first[0], fixture.clock.now()).await, Ok(false));
    fixture.store.release(&first[0]).await.unwrap();
    assert_eq!(fixture.store.claim(claim(4)).await.unwrap(), [], "the second lease still holds the batch");
    fixture.store.release(&second[0]).await.unwrap();
    assert_eq!(fixture.store.claim(claim(5)).await.unwrap().len(), 1);
}
