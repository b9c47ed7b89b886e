//! A store on its own file, with seed data.

use chrono::{DateTime, NaiveDate, TimeZone, Utc};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use florin_domain::access::{Account, AccountGrant, ApiClient, ApiKey, Environment, KeyHash, Scope};
use florin_domain::batch::{BatchState, PaymentBatch, PaymentOrder};
use florin_domain::budget::{Budget, BudgetRecord};
use florin_domain::card::decide::{
    CardRefusal, Extras, FirstKind, FirstMessage, FirstSituation, FollowUp, decide_first, decide_follow_up,
};
use florin_domain::card::{AcceptorInput, Card, CardState, CardTransaction, Network};
use florin_domain::ids::{
    AccountId, ApiKeyId, BudgetId, CardId, ClientId, JournalId, OrderId, PaymentBatchId, TransactionToken, UserToken,
};
use florin_domain::ledger::{Balances, JournalKind, JournalTransaction, Leg, Pool};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::money::{Currency, DecimalAmount, Minor};
use florin_domain::secret::SealedSecret;
use florin_domain::stamp::Stamp;
use florin_domain::test_support::an_account;
use florin_domain::text::Text;
use florin_ports::{
    CardLedger, FirstMessageCommand, FollowUpCommand, Mode, SeedAccount, SeedBudget, SeedCard, SeedData, SeedKey,
    WriteError, Written,
};
use florin_store_contract::StoreSettings;
use florin_store_diesel::Store;
use std::cell::Cell;
use std::sync::Arc;
use tempfile::TempDir;
use uuid::Uuid;

/// The account that most tests use.
pub(crate) const MINE: &str = "F1";
/// An account of another client.
pub(crate) const OTHER: &str = "F2";

/// A migrated store in a directory that is removed with it.
pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) directory: TempDir,
}

impl Fixture {
    /// Creates an empty store.
    pub(crate) fn empty() -> Self {
        Self::with_queue(1024)
    }

    /// Creates an empty store with a queue of this length.
    pub(crate) fn with_queue(queue: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let settings = StoreSettings { queue, ..settings(&directory) };
        let store = Store::open(&settings).unwrap();
        store.migrate().unwrap();
        Self { store, directory }
    }

    /// Runs SQL directly on the database, without the store.
    pub(crate) fn sql(&self, statements: &str) {
        let path = self.directory.path().join("florin.db");
        let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        conn.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
        conn.batch_execute(statements).unwrap();
    }
}

pub(crate) fn settings(directory: &TempDir) -> StoreSettings {
    StoreSettings::at(format!("sqlite://{}", directory.path().join("florin.db").display()))
}

pub(crate) fn id(account: &str) -> AccountId {
    AccountId::parse(account).unwrap()
}

pub(crate) fn gbp() -> Currency {
    Currency::parse("GBP").unwrap()
}

pub(crate) fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 9, 1, 12, 0, 0).unwrap()
}

/// Returns the id of an object of this kind on an account: `F1` or `F2`.
pub(crate) fn uuid(kind: u128, account: &str) -> Uuid {
    Uuid::from_u128((kind << 64) + u128::from(account.as_bytes()[1] - b'0'))
}

pub(crate) fn client(account: &str) -> ClientId {
    ClientId(uuid(1, account))
}

pub(crate) fn budget(account: &str) -> BudgetId {
    BudgetId(uuid(2, account))
}

pub(crate) fn card(account: &str) -> CardId {
    CardId(uuid(3, account))
}

pub(crate) fn batch(account: &str) -> PaymentBatchId {
    PaymentBatchId(uuid(4, account))
}

pub(crate) fn key_hash(account: &str) -> KeyHash {
    KeyHash([account.as_bytes()[1]; 32])
}

/// Returns the journal transaction of a credit of this amount.
pub(crate) fn funding(account: &str, number: u128, minor: i64) -> JournalTransaction {
    let leg = Leg::new(Pool::InboundPayments, Pool::Available(budget(account)), Minor(minor)).unwrap();
    let journal = uuid(1000 + number, account);
    let cause = (JournalKind::Credit, journal);
    JournalTransaction::new(JournalId(journal), id(account), cause, gbp(), noon(), leg).unwrap()
}

/// Returns two clients, each with an account, a key, a budget that has this amount in GBP, a card and a validated
/// batch.
pub(crate) fn seed_data(minor: i64) -> SeedData {
    let clients = [MINE, OTHER].map(|account| ApiClient {
        id: client(account),
        name: format!("client of {account}"),
        allowed_networks: vec!["10.0.0.0/8".into(), "fd00::/8".into()],
        features: [].into(),
        disabled_at: None,
    });
    let keys = [MINE, OTHER].map(|account| SeedKey { key: key(account), hash: key_hash(account) });
    let accounts = [MINE, OTHER].map(|account| seed_account(account, minor));
    SeedData { clients: clients.into(), keys: keys.into(), accounts: accounts.into(), banks: vec![] }
}

pub(crate) fn key(account: &str) -> ApiKey {
    ApiKey {
        id: ApiKeyId(uuid(5, account)),
        client: client(account),
        environment: Environment::Sandbox,
        scopes: [Scope::CardsSimulate, Scope::MerchantBanksRead].into(),
        accounts: AccountGrant::Only([id(account)].into()),
        created_at: noon(),
        expires_at: None,
        revoked_at: None,
        made_by: None,
        replaced_by: None,
        last_used_at: None,
    }
}

/// Returns the parent budget of an account.
pub(crate) fn parent(account: &AccountId) -> BudgetRecord {
    let id = BudgetId(uuid(9, account.as_str()));
    BudgetRecord::parent_of_account(id, account.clone(), [gbp()], noon())
}

fn seed_account(account: &str, minor: i64) -> SeedAccount {
    let balances = vec![(gbp(), Balances::new(Minor(minor), Minor(0), Minor(0)).unwrap())];
    let money = Budget { id: budget(account), account: id(account), name: "Main".into(), balances };
    let journal = if minor == 0 { vec![] } else { vec![funding(account, 0, minor)] };
    let owner = Account {
        client: client(account),
        name: format!("account {account}"),
        merchant: true,
        mfa_required: true,
        ..an_account(id(account))
    };
    SeedAccount {
        enrolment: Some(TotpEnrolment::new(id(account), SealedSecret::new(account.as_bytes().to_vec()))),
        budgets: vec![SeedBudget { budget: money, journal }],
        cards: vec![SeedCard { card: active_card(account), limits: vec![] }],
        batches: vec![validated_batch(account, 1_000)],
        ..SeedAccount::empty(owner, parent(&id(account)))
    }
}

pub(crate) fn active_card(account: &str) -> Card {
    Card {
        id: card(account),
        account: id(account),
        budget: budget(account),
        currency: gbp(),
        state: CardState::Active,
        user_token: UserToken(uuid(6, account)),
        expires_on: NaiveDate::from_ymd_opt(2030, 12, 31).unwrap(),
    }
}

pub(crate) fn validated_batch(account: &str, total: i64) -> PaymentBatch {
    let order = PaymentOrder {
        id: OrderId(uuid(7, account)),
        budget: budget(account),
        currency: gbp(),
        total: Minor(total),
        fees: Minor(0),
        payments: 1,
    };
    PaymentBatch {
        id: batch(account),
        account: id(account),
        name: "Wages".into(),
        state: BatchState::Validated,
        orders: vec![order],
        created_by: client(account),
        visible: true,
        locked: false,
        input: None,
        created_at: noon(),
        updated_at: noon(),
    }
}

pub(crate) fn amount(text: &str) -> DecimalAmount {
    DecimalAmount::from_json_number(text).unwrap()
}

/// The ids and the time of a message, chosen before it is decided.
#[derive(Clone, Copy)]
pub(crate) struct MessageIds {
    pub(crate) token: TransactionToken,
    pub(crate) journal: JournalId,
    pub(crate) now: DateTime<Utc>,
}

impl MessageIds {
    /// Runs a rule with these ids. Every run receives the same ids.
    pub(crate) fn rule<T>(&self, rule: impl FnOnce(&Stamp<'_>) -> T) -> T {
        let next = Cell::new(self.token.0);
        rule(&Stamp { now: self.now, ids: &|| next.replace(self.journal.0) })
    }
}

/// Returns the ids of the message with this number.
pub(crate) fn stamp(number: u128) -> MessageIds {
    MessageIds {
        token: TransactionToken(Uuid::from_u128((20 << 64) + number)),
        journal: JournalId(Uuid::from_u128((21 << 64) + number)),
        now: noon(),
    }
}

pub(crate) fn first_message(kind: FirstKind, text: &str) -> FirstMessage {
    let mid = Text::parse("11111").unwrap();
    let name = Some(Text::parse("Café ☕").unwrap());
    let acceptor =
        AcceptorInput { mid, name, city: None, state: None, postal_code: None, country_code: None, mcc: None };
    let (amount, acceptor) = (amount(text), acceptor.completed());
    FirstMessage { kind, amount, network: Network::Visa, acceptor, extras: Extras::default() }
}

/// Returns an authorization on the card of the account, with these ids.
pub(crate) fn authorization(account: &str, ids: MessageIds, text: &str) -> FirstMessageCommand {
    let message = first_message(FirstKind::Purchase, text);
    let decide = Arc::new(move |situation: &FirstSituation| ids.rule(|stamp| decide_first(situation, &message, stamp)));
    FirstMessageCommand { account: id(account), card: card(account), decide, mode: Mode::Commit, claim: None }
}

/// Returns a follow-up that names `token`, with these ids.
pub(crate) fn follow_up(account: &str, token: TransactionToken, ids: MessageIds, message: FollowUp) -> FollowUpCommand {
    let decide = Arc::new(move |situation: &_| ids.rule(|stamp| decide_follow_up(situation, token, &message, stamp)));
    FollowUpCommand { account: id(account), token, decide, mode: Mode::Commit, claim: None }
}

pub(crate) type Answered = Result<Written<CardTransaction>, WriteError<CardRefusal>>;

pub(crate) async fn authorize(store: &Store, number: u128, text: &str) -> CardTransaction {
    fresh(store.first_message(authorization(MINE, stamp(number), text)).await)
}

/// Returns the result of a command that had an effect. A replayed answer or an error fails the test.
#[track_caller]
pub(crate) fn fresh<T: std::fmt::Debug, R: std::fmt::Debug>(answer: Result<Written<T>, WriteError<R>>) -> T {
    match answer.unwrap() {
        Written::New(done) => done,
        other => panic!("expected an effect, got {other:?}"),
    }
}
