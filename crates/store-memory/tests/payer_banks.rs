//! Tests of a bank that must be asked for the results of payments: the use cases, the memory store and a fake bank.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_application::{
    AccountClocks, CheckoutServices, NewTopUp, PageTokenMaker, act_on_session, create_merchant_refund, create_top_up,
    demo, find_merchant_refund, find_session, settle_checkouts, start_payment, start_refund,
};
use florin_domain::access::Account;
use florin_domain::checkout::{
    BankAnswer, BankChoice, BankReport, BankReportResult, CheckoutSession, MerchantPaymentFilter, MerchantPaymentKind,
    MerchantPaymentStatus, PayerDecision, PaymentProgress, PaymentSort, RefundStatus, SessionAction, SessionStatus,
    SessionTerms,
};
use florin_domain::ids::{AccountId, MerchantPaymentId};
use florin_domain::money::{Currency, Minor};
use florin_domain::page::PageRequest;
use florin_domain::secret::Secret;
use florin_domain::text::Text;
use florin_ports::test_support::{FakeCipher, FakeClock};
use florin_ports::{
    BankUnavailable, Banks, BooksCheck, Clock, DecisionPlace, FoundSession, IdSource, MerchantPayments,
    MockShippingRates, Mode, PaymentInitiation, PaymentStart, Seeding, Written,
};
use florin_store_memory::MemoryStore;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// A bank with its own pages, like a real bank.
#[derive(Default)]
struct FakeBank {
    started: Mutex<Vec<PaymentStart>>,
    /// Its answers about payments. A payment without an answer is undecided.
    progress: Mutex<BTreeMap<MerchantPaymentId, Result<PaymentProgress, BankUnavailable>>>,
}

#[async_trait]
impl PaymentInitiation for FakeBank {
    async fn start(&self, payment: PaymentStart) -> Result<DecisionPlace, BankUnavailable> {
        let url = format!("https://bank.example/{}", payment.payment);
        self.started.lock().unwrap().push(payment);
        Ok(DecisionPlace::AtBank(url))
    }

    async fn progress(
        &self,
        _: &AccountId,
        payment: MerchantPaymentId,
        _: DateTime<Utc>,
    ) -> Result<PaymentProgress, BankUnavailable> {
        self.progress.lock().unwrap().get(&payment).cloned().unwrap_or(Ok(PaymentProgress::Undecided))
    }
}

/// Ids that differ in all their digits, because payment references are derived from them.
#[derive(Default)]
struct SpreadIds(AtomicU64);

impl IdSource for SpreadIds {
    fn next_id(&self) -> Uuid {
        let number = u128::from(self.0.fetch_add(1, Ordering::Relaxed)) + 1;
        Uuid::from_u128(number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
    }
}

struct Fixture {
    store: Arc<MemoryStore>,
    clock: Arc<FakeClock>,
    bank: Arc<FakeBank>,
    account: Account,
    services: CheckoutServices,
}

impl Fixture {
    async fn new() -> Self {
        let (store, clock) = (Arc::new(MemoryStore::new()), Arc::new(FakeClock::at(DateTime::UNIX_EPOCH)));
        let page_tokens = PageTokenMaker::new(Secret::new(vec![1]));
        let secrets = demo::DemoSecrets { cipher: &FakeCipher, page_tokens: &page_tokens };
        let data = demo::seed_data(clock.now(), secrets).unwrap();
        let account = data.accounts[0].account.clone();
        store.seed(data).await.unwrap();
        let bank = Arc::new(FakeBank::default());
        let services = CheckoutServices {
            time: AccountClocks::new(clock.clone(), Arc::new(SpreadIds::default()), store.clone()),
            sessions: store.clone(),
            payments: store.clone(),
            banks: store.clone(),
            shipping_rates: Arc::new(MockShippingRates::new()),
            page_tokens,
            initiation: Some(bank.clone()),
            simulated_bank: None,
            public_url: "https://pay.example".to_owned(),
        };
        Self { store, clock, bank, account, services }
    }

    /// Opens a top-up of 5.00 for 20 minutes, and chooses a bank for it.
    async fn start_top_up(&self) -> FoundSession {
        let budget = self.store.budgets(&self.account.id).await.unwrap()[0].id;
        let terms = SessionTerms {
            idempotency_key: Text::parse("bank-1").unwrap(),
            amount: Minor(500).of(Currency::parse("GBP").unwrap()),
            return_url: None,
            locale: None,
            lifetime: TimeDelta::minutes(20),
        };
        let opened = create_top_up(&self.services, &self.account, NewTopUp { budget, terms }, None).await.unwrap();
        let Written::New(opened) = opened else { panic!("the answer is a replay") };
        let bank = Banks::list(&*self.store, PageRequest::default()).await.unwrap().rows.remove(0);
        let choose = SessionAction::ChooseBank(BankChoice { id: bank.id, name: bank.name });
        act_on_session(&self.services, &self.account, opened.session.id, choose, Mode::Commit, None).await.unwrap();
        find_session(&self.services, &self.account, opened.session.id).await.unwrap().unwrap()
    }

    fn set_progress(&self, payment: MerchantPaymentId, progress: Result<PaymentProgress, BankUnavailable>) {
        self.bank.progress.lock().unwrap().insert(payment, progress);
    }

    async fn statuses(&self, session: &CheckoutSession) -> (SessionStatus, MerchantPaymentStatus) {
        let found = find_session(&self.services, &self.account, session.id).await.unwrap().unwrap();
        (found.session.status(), found.last.unwrap().status())
    }

    async fn check_books(&self) {
        assert_eq!(self.store.check_all().await.unwrap().discrepancies, []);
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it is an answer of the port")]
fn approved(answer: BankAnswer, at: DateTime<Utc>) -> Result<PaymentProgress, BankUnavailable> {
    Ok(PaymentProgress::Decided(PayerDecision::Approve(answer), at))
}

fn confirmed(at: DateTime<Utc>) -> BankAnswer {
    BankAnswer::Report(BankReport { at, result: BankReportResult::Confirmed })
}

#[tokio::test]
async fn a_payment_is_started_and_followed_to_its_result() {
    let fixture = Fixture::new().await;
    let found = fixture.start_top_up().await;
    let (session, payment) = (&found.session, found.pending().unwrap());
    let place = start_payment(&fixture.services, session, payment).await.unwrap();
    assert_eq!(place, DecisionPlace::AtBank(format!("https://bank.example/{}", payment.id)));
    let start = fixture.bank.started.lock().unwrap().remove(0);
    assert_eq!((start.payment, start.kind, start.amount), (payment.id, MerchantPaymentKind::Payment, session.amount));
    assert_eq!((start.authorise_before, start.reference), (session.expires_at, session.payment_reference.clone()));
    assert!(start.return_url.starts_with("https://pay.example/pay/"), "{}", start.return_url);
    assert_eq!(fixture.statuses(session).await, (SessionStatus::Open, MerchantPaymentStatus::Pending));
    // The payer comes back. Reading the session asks the bank.
    fixture.clock.advance(TimeDelta::minutes(2));
    let now = fixture.clock.now();
    let again = now + TimeDelta::minutes(1);
    fixture.set_progress(payment.id, approved(BankAnswer::AskAgain(again), now));
    assert_eq!(fixture.statuses(session).await, (SessionStatus::Processing, MerchantPaymentStatus::Pending));
    assert_eq!(
        settle_checkouts(&fixture.services).await,
        Ok(0),
        "the bank has named a later time for the next question"
    );
    fixture.clock.advance(TimeDelta::minutes(1));
    fixture.set_progress(payment.id, approved(confirmed(again), now));
    assert_eq!(settle_checkouts(&fixture.services).await, Ok(1));
    assert_eq!(fixture.statuses(session).await, (SessionStatus::Completed, MerchantPaymentStatus::Completed));
    fixture.check_books().await;
}

/// The bank has the approval in time, but cannot be reached when the session expires.
#[tokio::test]
async fn no_session_ends_while_its_bank_is_unavailable() {
    let fixture = Fixture::new().await;
    let found = fixture.start_top_up().await;
    let (session, payment) = (&found.session, found.pending().unwrap());
    fixture.set_progress(payment.id, Err(BankUnavailable("down".to_owned())));
    fixture.clock.advance(TimeDelta::minutes(21));
    assert_eq!(settle_checkouts(&fixture.services).await, Ok(0));
    assert_eq!(fixture.statuses(session).await, (SessionStatus::Open, MerchantPaymentStatus::Pending));
    let in_time = session.expires_at - TimeDelta::minutes(1);
    fixture.set_progress(payment.id, approved(confirmed(in_time), in_time));
    assert_eq!(settle_checkouts(&fixture.services).await, Ok(1));
    assert_eq!(fixture.statuses(session).await, (SessionStatus::Completed, MerchantPaymentStatus::Completed));
    fixture.check_books().await;
}

#[tokio::test]
async fn a_payer_who_rejects_can_choose_again_and_an_undecided_session_is_abandoned() {
    let fixture = Fixture::new().await;
    let found = fixture.start_top_up().await;
    let (session, payment) = (&found.session, found.pending().unwrap());
    fixture.set_progress(payment.id, Ok(PaymentProgress::Decided(PayerDecision::Reject, fixture.clock.now())));
    assert_eq!(fixture.statuses(session).await, (SessionStatus::Open, MerchantPaymentStatus::Failed));
    let choose = SessionAction::ChooseBank(payment.bank.clone());
    act_on_session(&fixture.services, &fixture.account, session.id, choose, Mode::Commit, None).await.unwrap();
    fixture.clock.advance(TimeDelta::minutes(20));
    assert_eq!(settle_checkouts(&fixture.services).await, Ok(1));
    assert_eq!(fixture.statuses(session).await, (SessionStatus::Abandoned, MerchantPaymentStatus::Cancelled));
    fixture.check_books().await;
}

#[tokio::test]
async fn a_refund_is_started_at_the_bank_of_the_merchant() {
    let fixture = Fixture::new().await;
    let filter = MerchantPaymentFilter {
        kind: Some(MerchantPaymentKind::Payment),
        status: Some(MerchantPaymentStatus::Completed),
        ..MerchantPaymentFilter::default()
    };
    let all = MerchantPayments::list(
        &*fixture.store,
        &fixture.account.id,
        filter,
        PaymentSort::NewestFirst,
        PageRequest::default(),
    );
    let payment = all.await.unwrap().rows.into_iter().find(|row| row.is_refundable).unwrap();
    let amount = Minor(1).of(payment.amount.currency);
    let created =
        create_merchant_refund(&fixture.services, &fixture.account, payment.id, (amount, None), Mode::Commit, None)
            .await;
    let Ok(Written::New(created)) = created else { panic!("{created:?}") };
    let id = created.refund.as_ref().unwrap().id;
    let session = find_session(&fixture.services, &fixture.account, created.session).await.unwrap().unwrap().session;
    start_refund(&fixture.services, &session, &created, None).await.unwrap();
    let start = fixture.bank.started.lock().unwrap().remove(0);
    assert_eq!((start.payment, start.kind, start.amount), (created.id, MerchantPaymentKind::Refund, amount));
    assert!(start.return_url.starts_with("https://pay.example/pay/refunds/"), "{}", start.return_url);
    let status = async || {
        let found = find_merchant_refund(&fixture.services, &fixture.account, id).await.unwrap().unwrap();
        found.refund_status()
    };
    assert_eq!(status().await, RefundStatus::AwaitingAuthorisation);
    let now = fixture.clock.now();
    fixture.set_progress(created.id, approved(BankAnswer::AskAgain(now + TimeDelta::hours(1)), now));
    assert_eq!(status().await, RefundStatus::Pending);
    fixture.clock.advance(TimeDelta::hours(1));
    fixture.set_progress(created.id, Err(BankUnavailable("down".to_owned())));
    assert_eq!(status().await, RefundStatus::Pending);
    fixture.set_progress(created.id, approved(confirmed(fixture.clock.now()), now));
    assert_eq!(status().await, RefundStatus::Completed);
    fixture.check_books().await;
}
