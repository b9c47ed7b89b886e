//! The data that checks start with: two accounts of two clients, each with one record of every kind.

use crate::check::Failure;
use crate::factory::Handle;
use chrono::{DateTime, NaiveDate, Utc};
use florin_domain::access::{Account, AccountGrant, ApiClient, ApiKey, Environment, Feature, KeyHash, Scope};
use florin_domain::batch::{BatchState, PaymentBatch, PaymentOrder};
use florin_domain::budget::{Budget, BudgetRecord};
use florin_domain::card::{Card, CardLimit, CardState, CarriedUse, LimitWindow};
use florin_domain::ids::{
    AccountId, ApiKeyId, BudgetId, CardId, CheckoutId, ClientId, JournalId, LimitId, OrderId, PayeeId, PaymentBatchId,
    PersonId, PersonaId, SettlementAccountId, UserToken,
};
use florin_domain::ledger::{Balances, JournalKind, JournalTransaction, Leg, Pool};
use florin_domain::merchant::{
    ApprovalStatus, Bank, BankDetails, BankId, Branding, Checkout, CheckoutKind, CheckoutStatus, Colour,
    MerchantPermission, MerchantProfile, MerchantStatus, Payee, SettlementAccount, WebUrl,
};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::money::{Currency, Minor};
use florin_domain::people::{EmailAddress, Person, PersonStatus, Role};
use florin_domain::secret::SealedSecret;
use florin_domain::test_support::an_account;
use florin_ports::{SeedAccount, SeedBudget, SeedCard, SeedData, SeedKey};
use uuid::Uuid;

/// A seeded account. Checks change `Main`, which their texts call "my account"; `Other` must not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    Main,
    Other,
    /// A copy of `Main` under another account id; all its records have the same ids.
    Twin,
}

pub(crate) const BOTH: [Who; 2] = [Who::Main, Who::Other];

/// Returns the unique id of record `number` of a kind.
pub(crate) const fn uuid(kind: u128, number: u128) -> Uuid {
    Uuid::from_u128((kind << 64) + number)
}

impl Who {
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Main | Self::Twin => 1,
            Self::Other => 2,
        }
    }

    const fn uuid(self, kind: u128) -> Uuid {
        uuid(kind, self.number() as u128)
    }

    pub(crate) fn account(self) -> Result<AccountId, Failure> {
        Ok(AccountId::parse(match self {
            Self::Main => "F1",
            Self::Other => "F2",
            Self::Twin => "T1",
        })?)
    }

    pub(crate) const fn client(self) -> ClientId {
        ClientId(self.uuid(1))
    }

    /// Returns the parent budget of the account.
    pub(crate) const fn parent_budget(self) -> BudgetId {
        BudgetId(self.uuid(9))
    }

    /// Returns the budget with GBP and JPY, which funds [`Self::card`] and [`Self::yen_card`].
    pub(crate) const fn budget(self) -> BudgetId {
        BudgetId(self.uuid(2))
    }

    /// Returns the budget with GBP, which funds [`Self::limited_card`].
    pub(crate) const fn second_budget(self) -> BudgetId {
        BudgetId(self.uuid(3))
    }

    /// Returns the person who is seeded.
    pub(crate) const fn person(self) -> PersonId {
        PersonId(self.uuid(93))
    }

    /// Returns the settlement account that is seeded.
    pub(crate) const fn settlement_account(self) -> SettlementAccountId {
        SettlementAccountId(self.uuid(98))
    }

    /// Returns the payee who is seeded.
    pub(crate) const fn payee(self) -> PayeeId {
        PayeeId(self.uuid(99))
    }

    pub(crate) const fn card(self) -> CardId {
        CardId(self.uuid(10))
    }

    pub(crate) const fn limited_card(self) -> CardId {
        CardId(self.uuid(11))
    }

    pub(crate) const fn yen_card(self) -> CardId {
        CardId(self.uuid(12))
    }

    /// Returns the validated batch: 10.00 GBP from the first budget and 5.00 GBP from the second.
    pub(crate) const fn batch(self) -> PaymentBatchId {
        PaymentBatchId(self.uuid(20))
    }

    pub(crate) const fn draft(self) -> PaymentBatchId {
        PaymentBatchId(self.uuid(21))
    }

    pub(crate) const fn key_hash(self) -> KeyHash {
        KeyHash([self.number(); 32])
    }
}

pub(crate) fn gbp() -> Result<Currency, Failure> {
    Ok(Currency::parse("GBP")?)
}

pub(crate) fn jpy() -> Result<Currency, Failure> {
    Ok(Currency::parse("JPY")?)
}

/// Returns 2026-09-01T12:00:00Z, a Tuesday.
pub(crate) fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_788_264_000, 0).unwrap_or_default()
}

pub(crate) fn day(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap_or_default()
}

/// Seeds the store, with 95.00 GBP and 5000 JPY in each account's first budget, and 50.00 GBP in the second.
pub(crate) async fn seed_store(handle: &Handle) -> Result<(), Failure> {
    Ok(handle.seeding.seed(seed_data(9_500)?).await?)
}

/// Creates the data, with `minor` minor units of GBP in each account's first budget.
pub(crate) fn seed_data(minor: i64) -> Result<SeedData, Failure> {
    let clients = BOTH.map(|who| client(who.client(), &format!("client {}", who.number())));
    let mut keys = Vec::new();
    let mut accounts = Vec::new();
    for who in BOTH {
        keys.push(SeedKey { key: key(who)?, hash: who.key_hash() });
        accounts.push(seed_account(who, minor)?);
    }
    Ok(SeedData { clients: clients.into(), keys, accounts, banks: vec![bank(1, "First")?, bank(2, "Second")?] })
}

pub(crate) fn client(id: ClientId, name: &str) -> ApiClient {
    ApiClient {
        id,
        name: name.into(),
        allowed_networks: vec!["10.0.0.0/8".into(), "fd00::/8".into()],
        features: [Feature::AddressesLookup, Feature::Events].into(),
        disabled_at: None,
    }
}

pub(crate) fn key(who: Who) -> Result<ApiKey, Failure> {
    Ok(ApiKey {
        id: ApiKeyId(who.uuid(4)),
        client: who.client(),
        environment: Environment::Sandbox,
        scopes: [Scope::CardsSimulate, Scope::MerchantBanksRead].into(),
        accounts: AccountGrant::Only([who.account()?].into()),
        created_at: noon(),
        expires_at: None,
        revoked_at: None,
        made_by: None,
        replaced_by: None,
        last_used_at: None,
    })
}

pub(crate) fn account(who: Who) -> Result<Account, Failure> {
    Ok(Account {
        client: who.client(),
        name: format!("account {}", who.number()),
        merchant: true,
        mfa_required: true,
        ..an_account(who.account()?)
    })
}

/// Creates an account with one record of every kind.
pub(crate) fn seed_account(who: Who, minor: i64) -> Result<SeedAccount, Failure> {
    let main = [(gbp()?, minor), (jpy()?, 5_000)];
    Ok(SeedAccount {
        account: account(who)?,
        parent: parent_budget(who)?,
        enrolment: Some(enrolment(who)?),
        people: vec![person(who)?],
        profile: Some(profile(who)?),
        settlement_accounts: vec![settlement_account(who)?],
        payees: vec![payee(who)?],
        checkouts: vec![checkout(who, 1)?],
        sessions: Vec::new(),
        merchant_payments: Vec::new(),
        merchant_journal: Vec::new(),
        budgets: vec![
            seed_budget(who, who.budget(), &main, 30)?,
            seed_budget(who, who.second_budget(), &[(gbp()?, 5_000)], 31)?,
        ],
        cards: cards(who)?,
        batches: vec![batch(who, who.batch(), BatchState::Validated)?, batch(who, who.draft(), BatchState::Draft)?],
        payments: vec![],
    })
}

/// Creates the parent budget of an account, with EUR, GBP and JPY.
pub(crate) fn parent_budget(who: Who) -> Result<BudgetRecord, Failure> {
    let parent = parent_of(&account(who)?)?;
    Ok(BudgetRecord { budget: Budget { id: who.parent_budget(), ..parent.budget }, ..parent })
}

/// Creates a parent budget for a new account.
pub(crate) fn parent_of(account: &Account) -> Result<BudgetRecord, Failure> {
    let currencies = [gbp()?, jpy()?, Currency::parse("EUR")?];
    Ok(BudgetRecord::parent_of_account(BudgetId(uuid(9, 0)), account.id.clone(), currencies, noon()))
}

/// Creates the profile of an account.
pub(crate) fn profile(who: Who) -> Result<MerchantProfile, Failure> {
    Ok(MerchantProfile {
        account: who.account()?,
        status: MerchantStatus::Active,
        name: format!("Łódź ✓ {}", who.number()),
        return_policy_url: Some(WebUrl::parse("https://shop.example/returns")?),
        branding: Branding { primary: Some(Colour::TEXT), background: None, hide_service_logo: true },
        logo: None,
        permissions: [MerchantPermission::HideServiceLogo, MerchantPermission::Reconciliation].into(),
    })
}

/// Creates the settlement account of an account: APPROVED, and the default for pounds.
pub(crate) fn settlement_account(who: Who) -> Result<SettlementAccount, Failure> {
    Ok(SettlementAccount {
        id: who.settlement_account(),
        account: who.account()?,
        name: Some("Główne ✓".into()),
        details: pounds(1),
        bank: Some(bank(1, "First")?.id),
        approval: ApprovalStatus::Approved,
        is_default: true,
        created_at: noon(),
        updated_at: noon(),
    })
}

/// Creates the payee of an account, for euros.
fn payee(who: Who) -> Result<Payee, Failure> {
    Ok(Payee {
        id: who.payee(),
        account: who.account()?,
        name: "Zoë ✓".into(),
        details: BankDetails::Iban("DE89370400440532013000".into()),
        approval: ApprovalStatus::Pending,
        created_at: noon(),
        updated_at: noon(),
    })
}

/// Returns bank details for pounds.
pub(crate) fn pounds(number: u128) -> BankDetails {
    BankDetails::SortCode { sort_code: "200000".into(), account_number: format!("{number:08}") }
}

/// Creates the person of an account.
fn person(who: Who) -> Result<Person, Failure> {
    Ok(Person {
        id: who.person(),
        persona: PersonaId(who.uuid(94)),
        account: who.account()?,
        first_name: "Zoë".into(),
        last_name: "Çelik".into(),
        email: Some(EmailAddress::parse("Zoe@Example.com")?),
        born: Some(day(1999, 12, 31)),
        role: Role::Owner,
        status: PersonStatus::Active,
        created_at: noon(),
        updated_at: noon(),
    })
}

pub(crate) fn enrolment(who: Who) -> Result<TotpEnrolment, Failure> {
    let secret = SealedSecret::new(vec![who.number(), 0, 255]);
    Ok(TotpEnrolment::new(who.account()?, secret))
}

/// Creates a budget that received one credit in each of its currencies.
pub(crate) fn seed_budget(
    who: Who,
    id: BudgetId,
    funds: &[(Currency, i64)],
    kind: u128,
) -> Result<SeedBudget, Failure> {
    let mut balances = Vec::new();
    let mut journal = Vec::new();
    for (number, (currency, minor)) in (0..).zip(funds) {
        balances.push((*currency, Balances::new(Minor(*minor), Minor(0), Minor(0))?));
        let journal_id = uuid(kind, u128::from(who.number()) * 1000 + number);
        let leg = Leg::new(Pool::InboundPayments, Pool::Available(id), Minor(*minor))?;
        let cause = (JournalKind::Credit, journal_id);
        if *minor != 0 {
            let id = JournalId(journal_id);
            journal.push(JournalTransaction::new(id, who.account()?, cause, *currency, noon(), leg)?);
        }
    }
    let budget = Budget { id, account: who.account()?, name: format!("budget of {}", who.number()), balances };
    Ok(SeedBudget { budget, journal })
}

/// Returns an unused limit with the amount zero, in the window that contains noon.
pub(crate) fn unused(who: Who, window: LimitWindow) -> CardLimit {
    CardLimit {
        id: LimitId(uuid(87, u128::from(who.number()) * 10 + window as u128)),
        window,
        amount: Minor(0),
        max_uses: None,
        active: true,
        turned_off: false,
        window_start: window.start(noon()),
        spent: Minor(0),
        uses: 0,
        carried: CarriedUse::default(),
    }
}

fn cards(who: Who) -> Result<Vec<SeedCard>, Failure> {
    let limit = |window, amount: i64, max_uses| CardLimit { amount: Minor(amount), max_uses, ..unused(who, window) };
    let limits = vec![
        limit(LimitWindow::Day, 2_000, Some(3)),
        limit(LimitWindow::Week, 3_000, None),
        limit(LimitWindow::Month, 4_000, Some(u32::MAX)),
        limit(LimitWindow::Lifetime, i64::MAX, None),
    ];
    Ok(vec![
        SeedCard { card: card(who, who.card())?, limits: vec![] },
        SeedCard { card: Card { budget: who.second_budget(), ..card(who, who.limited_card())? }, limits },
        SeedCard { card: Card { currency: jpy()?, ..card(who, who.yen_card())? }, limits: vec![] },
    ])
}

pub(crate) fn card(who: Who, id: CardId) -> Result<Card, Failure> {
    Ok(Card {
        id,
        account: who.account()?,
        budget: who.budget(),
        currency: gbp()?,
        state: CardState::Active,
        user_token: UserToken(who.uuid(5)),
        expires_on: day(2030, 12, 31),
    })
}

pub(crate) fn batch(who: Who, id: PaymentBatchId, state: BatchState) -> Result<PaymentBatch, Failure> {
    let order = |kind, budget, total| -> Result<PaymentOrder, Failure> {
        let (id, currency) = (OrderId(uuid(kind, id.0.as_u128())), gbp()?);
        Ok(PaymentOrder { id, budget, currency, total: Minor(total), fees: Minor::ZERO, payments: 1 })
    };
    Ok(PaymentBatch {
        id,
        account: who.account()?,
        name: "Wages".into(),
        state,
        // Deliberately not in id order: the store must keep the given order.
        orders: vec![order(70, who.budget(), 1_000)?, order(60, who.second_budget(), 500)?],
        created_by: who.client(),
        visible: true,
        locked: false,
        input: None,
        created_at: noon(),
        updated_at: noon(),
    })
}

pub(crate) fn checkout(who: Who, number: u128) -> Result<Checkout, Failure> {
    Ok(Checkout {
        id: CheckoutId(uuid(8, u128::from(who.number()) * 10_000 + number)),
        account: who.account()?,
        kind: CheckoutKind::TopUp,
        name: None,
        status: CheckoutStatus::Active,
        currency: gbp()?,
        return_url: WebUrl::parse(&format!("https://shop.example/{number}"))?,
        locale: None,
        created_at: noon(),
        updated_at: noon(),
    })
}

pub(crate) fn bank(number: u8, name: &str) -> Result<Bank, Failure> {
    let id = BankId::parse(&format!("{number:032x}"))?;
    Ok(Bank { id, name: name.into(), icon_url: format!("https://banks.example/{number}.svg"), supports_refunds: true })
}
