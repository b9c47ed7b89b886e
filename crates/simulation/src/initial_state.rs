//! The initial state of every run: a migrated store with an account, its money and its payment batches. It is created
//! once, and every run starts with a copy of its file.

use chrono::NaiveDate;
use florin_application::{AccountClocks, BatchServices, NewBatch, Upload, check_basis, check_upload, create_batch};
use florin_domain::access::{Account, ApiClient};
use florin_domain::batch::{InputFormat, ModulusTable, PaymentInput, PaymentRow};
use florin_domain::budget::{Budget, BudgetRecord};
use florin_domain::card::{Card, CardState};
use florin_domain::ids::{AccountId, BudgetId, CardId, ClientId, JournalId, PaymentBatchId, UserToken};
use florin_domain::ledger::{Balances, JournalKind, JournalTransaction, Leg, Pool};
use florin_domain::money::{Currency, Minor};
use florin_domain::test_support::{a_payment, an_account, noon};
use florin_ports::test_support::FakeClock;
use florin_ports::{IdSource, SeedAccount, SeedBudget, SeedCard, SeedData, Seeding, Written};
use florin_store_contract::StoreSettings;
use florin_store_diesel::Store;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use uuid::Uuid;

/// What each budget holds at the beginning, in minor units.
pub(crate) const OPENING: i64 = 100_000_000;

/// The references of the payments of each batch. Each selects what the simulated bank does with its payment.
const BATCHES: [&[&str]; 4] = [
    &["one", "SBX-SLOW", "SBX-FAIL-NAME"],
    &["SBX-RETURN", "two", "three", "four", "five"],
    &["six"],
    &["SBX-SLOW", "SBX-RETURN"],
];

/// The initial state of a run.
pub(crate) struct InitialState {
    /// The database file.
    pub(crate) image: Vec<u8>,
    /// The account.
    pub(crate) account: Account,
    /// Its validated payment batches.
    pub(crate) batches: Vec<PaymentBatchId>,
}

/// Ids that count up.
pub(crate) struct Ids {
    high: u64,
    next: AtomicU64,
}

impl Ids {
    /// Creates a source of ids with the upper half `high`.
    pub(crate) fn starting_with(high: u64) -> Self {
        Self { high, next: AtomicU64::new(1) }
    }
}

impl IdSource for Ids {
    fn next_id(&self) -> Uuid {
        Uuid::from_u64_pair(self.high, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// Returns the initial state. The first call creates it.
pub(crate) fn initial_state() -> &'static InitialState {
    static STATE: OnceLock<InitialState> = OnceLock::new();
    STATE.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(create_initial_state())
    })
}

/// The currency of all money.
pub(crate) fn pounds() -> Currency {
    Currency::parse("GBP").unwrap()
}

/// One of the two budgets.
pub(crate) fn budget(number: u64) -> BudgetId {
    BudgetId(Uuid::from_u64_pair(2, number))
}

/// The card, which spends from the first budget.
pub(crate) fn card() -> CardId {
    CardId(Uuid::from_u64_pair(3, 0))
}

async fn create_initial_state() -> InitialState {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("florin.db");
    let store = Arc::new(Store::open(&StoreSettings::at(path.to_str().unwrap())).unwrap());
    store.migrate().unwrap();
    let account = account();
    store.seed(seed_data(&account)).await.unwrap();
    let services = BatchServices {
        time: AccountClocks::new(
            Arc::new(FakeClock::at(noon())),
            Arc::new(Ids::starting_with(10)),
            Arc::clone(&store) as _,
        ),
        management: Arc::clone(&store) as _,
        reading: Arc::clone(&store) as _,
        modulus: Arc::new(ModulusTable::built_in().unwrap()),
    };
    let mut batches = Vec::new();
    for references in BATCHES {
        batches.push(batch(&services, &account, references).await);
    }
    store.close();
    let image = std::fs::read(&path).unwrap();
    InitialState { image, account, batches }
}

fn account() -> Account {
    let client = ClientId(Uuid::from_u64_pair(1, 0));
    Account { client, name: "account".into(), ..an_account(AccountId::parse("F1").unwrap()) }
}

fn seed_data(account: &Account) -> SeedData {
    let client = ApiClient {
        id: account.client,
        name: "client".into(),
        allowed_networks: vec![],
        features: [].into(),
        disabled_at: None,
    };
    let card = Card {
        id: card(),
        account: account.id.clone(),
        budget: budget(0),
        currency: pounds(),
        state: CardState::Active,
        user_token: UserToken(Uuid::from_u64_pair(4, 0)),
        expires_on: NaiveDate::from_ymd_opt(2040, 12, 31).unwrap(),
    };
    let parent = BudgetId(Uuid::from_u64_pair(6, 0));
    let parent = BudgetRecord::parent_of_account(parent, account.id.clone(), [pounds()], noon());
    let seed = SeedAccount {
        budgets: [0, 1].map(|number| funded(account, number)).into(),
        cards: vec![SeedCard { card, limits: vec![] }],
        ..SeedAccount::empty(account.clone(), parent)
    };
    SeedData { clients: vec![client], keys: vec![], accounts: vec![seed], banks: vec![] }
}

fn funded(account: &Account, number: u64) -> SeedBudget {
    let balances = vec![(pounds(), Balances::new(Minor(OPENING), Minor(0), Minor(0)).unwrap())];
    let id = budget(number);
    let journal = Uuid::from_u64_pair(5, number);
    let leg = Leg::new(Pool::InboundPayments, Pool::Available(id), Minor(OPENING)).unwrap();
    let cause = (JournalKind::Credit, journal);
    let opening =
        JournalTransaction::new(JournalId(journal), account.id.clone(), cause, pounds(), noon(), leg).unwrap();
    let budget = Budget { id, account: account.id.clone(), name: format!("budget {number}"), balances };
    SeedBudget { budget, journal: vec![opening] }
}

async fn batch(services: &BatchServices, account: &Account, references: &[&str]) -> PaymentBatchId {
    let row = |(number, reference): (usize, &&str)| {
        let reference = Some((*reference).to_owned());
        let input = PaymentInput { reference, ..a_payment(&format!("{}.00 GBP", number + 1)) };
        PaymentRow { input, miscounted: None }
    };
    let rows = references.iter().enumerate().map(row).collect();
    let upload = Upload { format: InputFormat::Json, rows, default_budget: Some(budget(0)) };
    let basis = check_basis(services, account, upload.default_budget).await.unwrap();
    let payments = Some(check_upload(upload, basis, noon()));
    let new = NewBatch { name: None, visible: true, payments };
    let written = create_batch(services, account.client, account, new, None).await.unwrap();
    let Written::New(created) = written else { panic!("the batch was created before") };
    created.batch.id
}
