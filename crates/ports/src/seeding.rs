//! Seeding a store with prepared data.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::access::{Account, ApiClient, ApiKey, KeyHash};
use florin_domain::batch::{Payment, PaymentBatch};
use florin_domain::budget::{Budget, BudgetRecord};
use florin_domain::card::{Card, CardLimit};
use florin_domain::checkout::{CheckoutSession, MerchantPayment};
use florin_domain::ledger::JournalTransaction;
use florin_domain::merchant::{Bank, Checkout, MerchantProfile, Payee, SettlementAccount};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::people::Person;

/// All prepared data. Balances of budgets are the sums of the given journal.
#[derive(Clone, Debug, Default)]
pub struct SeedData {
    /// Clients.
    pub clients: Vec<ApiClient>,
    /// Their keys.
    pub keys: Vec<(ApiKey, KeyHash)>,
    /// Accounts with their data.
    pub accounts: Vec<SeedAccount>,
    /// The bank list.
    pub banks: Vec<Bank>,
}

/// An account with its data.
#[derive(Clone, Debug)]
pub struct SeedAccount {
    /// The account.
    pub account: Account,
    /// Its TOTP enrolment.
    pub enrolment: Option<TotpEnrolment>,
    /// Its people.
    pub people: Vec<Person>,
    /// Its merchant profile, if it differs from that of a merchant that was never changed.
    pub profile: Option<MerchantProfile>,
    /// Its settlement accounts.
    pub settlement_accounts: Vec<SettlementAccount>,
    /// Its payees.
    pub payees: Vec<Payee>,
    /// Its checkouts.
    pub checkouts: Vec<Checkout>,
    /// The sessions of its checkouts, and its top-ups.
    pub sessions: Vec<CheckoutSession>,
    /// The payments of those sessions, each after the one that it refunds.
    pub merchant_payments: Vec<MerchantPayment>,
    /// The journal transactions of those payments. They touch no budget.
    pub merchant_journal: Vec<JournalTransaction>,
    /// Its parent budget, which holds no money yet.
    pub parent: BudgetRecord,
    /// Its other budgets: shared ones directly below the parent.
    pub budgets: Vec<SeedBudget>,
    /// Its cards.
    pub cards: Vec<SeedCard>,
    /// Its payment batches.
    pub batches: Vec<PaymentBatch>,
    /// The payments of those batches.
    pub payments: Vec<Payment>,
}

/// A budget with the journal transactions that its balances sum up.
#[derive(Clone, Debug)]
pub struct SeedBudget {
    /// The budget.
    pub budget: Budget,
    /// Its journal.
    pub journal: Vec<JournalTransaction>,
}

/// A card with its limits.
#[derive(Clone, Debug)]
pub struct SeedCard {
    /// The card.
    pub card: Card,
    /// Its spending limits.
    pub limits: Vec<CardLimit>,
}

/// Seeds prepared data.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Seeding: Send + Sync {
    /// Whether the store has neither clients nor accounts.
    async fn is_fresh(&self) -> Result<bool, StoreError>;

    /// Stores all the data or none of it. `Duplicate`: some of it already exists.
    async fn seed(&self, world: SeedData) -> Result<(), StoreError>;

    /// Returns all budgets of an account by id, the parent budget included, with their current balances by currency code. New ids are greater than
    /// old ones, so this is the order of creation.
    async fn budgets(&self, account: &florin_domain::ids::AccountId) -> Result<Vec<Budget>, StoreError>;

    /// Returns the cards of an account, by id.
    async fn cards(&self, account: &florin_domain::ids::AccountId) -> Result<Vec<Card>, StoreError>;

    /// Returns the payment batches of an account, by id.
    async fn batches(&self, account: &florin_domain::ids::AccountId) -> Result<Vec<PaymentBatch>, StoreError>;
}
