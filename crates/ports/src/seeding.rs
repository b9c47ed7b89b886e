//! Seeding a store with prepared data.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::access::{Account, ApiClient, ApiKey, KeyHash};
use florin_domain::batch::{Payment, PaymentBatch};
use florin_domain::budget::Budget;
use florin_domain::card::{Card, SpendingLimit};
use florin_domain::ledger::JournalTransaction;
use florin_domain::merchant::{Bank, Checkout};
use florin_domain::mfa::TotpEnrolment;

/// Prepared data. The balances of budgets are the sums of their journal.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Clients.
    pub clients: Vec<ApiClient>,
    /// Their keys.
    pub keys: Vec<(ApiKey, KeyHash)>,
    /// Accounts with everything in them.
    pub accounts: Vec<SeedAccount>,
    /// The bank list.
    pub banks: Vec<Bank>,
}

/// An account with everything in it.
#[derive(Clone, Debug)]
pub struct SeedAccount {
    /// The account.
    pub account: Account,
    /// Its TOTP enrolment.
    pub enrolment: Option<TotpEnrolment>,
    /// Its checkouts.
    pub checkouts: Vec<Checkout>,
    /// Its budgets.
    pub budgets: Vec<SeedBudget>,
    /// Its cards.
    pub cards: Vec<SeedCard>,
    /// Its payment batches.
    pub batches: Vec<PaymentBatch>,
    /// The payments of the batches.
    pub payments: Vec<Payment>,
}

/// A budget, and the journal transactions that its balances are the sums of.
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
    pub limits: Vec<SpendingLimit>,
}

/// Seeds a store with prepared data, and reads it back.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Seeding: Send + Sync {
    /// Whether the store has neither clients nor accounts.
    async fn is_fresh(&self) -> Result<bool, StoreError>;

    /// Stores all of the world or none of it. `Duplicate`: part of it exists.
    async fn seed(&self, world: World) -> Result<(), StoreError>;

    /// Returns the budgets of an account by id, with their current balances by currency code. Ids grow, so this is the order of
    /// creation.
    async fn budgets(&self, account: &florin_domain::ids::AccountId) -> Result<Vec<Budget>, StoreError>;

    /// Returns the cards of an account, by id.
    async fn cards(&self, account: &florin_domain::ids::AccountId) -> Result<Vec<Card>, StoreError>;

    /// Returns the payment batches of an account, by id.
    async fn batches(&self, account: &florin_domain::ids::AccountId) -> Result<Vec<PaymentBatch>, StoreError>;
}
