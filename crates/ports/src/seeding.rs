//! Seeding a store with prepared data.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::access::{Account, ApiClient, ApiKey, KeyHash};
use florin_domain::batch::{Payment, PaymentBatch};
use florin_domain::books::{PoolSums, budget_postings};
use florin_domain::budget::{Budget, BudgetRecord};
use florin_domain::card::{Card, CardLimit};
use florin_domain::checkout::{CheckoutSession, MerchantPayment};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::JournalTransaction;
use florin_domain::merchant::{Bank, Checkout, MerchantProfile, Payee, SettlementAccount};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::money::{Currency, Total};
use florin_domain::people::Person;
use std::collections::BTreeMap;

/// All prepared data. Balances of budgets are the sums of the journals in it.
#[derive(Clone, Debug, Default)]
pub struct SeedData {
    /// Clients.
    pub clients: Vec<ApiClient>,
    /// Their keys.
    pub keys: Vec<SeedKey>,
    /// Accounts with their data.
    pub accounts: Vec<SeedAccount>,
    /// The bank list.
    pub banks: Vec<Bank>,
}

impl SeedData {
    /// Checks that every balance is the sum of its journal, and that nothing is held: seeded data has no card messages
    /// that could hold money. `Corrupt`: the first budget that fails.
    pub fn prove(&self) -> Result<(), StoreError> {
        let budgets = || self.accounts.iter().flat_map(|seed| &seed.budgets);
        let mut sums: BTreeMap<_, PoolSums> = BTreeMap::new();
        for journal in budgets().flat_map(|seed| &seed.journal) {
            for (budget, pool, amount) in budget_postings(journal) {
                sums.entry((&journal.account, budget, journal.currency)).or_default().add(pool, amount);
            }
        }
        for budget in budgets().map(|seed| &seed.budget) {
            for (currency, balances) in &budget.balances {
                let sum = sums.remove(&(&budget.account, budget.id, *currency)).unwrap_or_default();
                if sum != (*balances).into() || sum.held != Total::ZERO {
                    return Err(disproved(&budget.account, budget.id, *currency));
                }
            }
        }
        sums.into_keys().next().map_or(Ok(()), |(account, budget, currency)| Err(disproved(account, budget, currency)))
    }
}

fn disproved(account: &AccountId, budget: BudgetId, currency: Currency) -> StoreError {
    StoreError::Corrupt(format!(
        "the journal of the seed data does not prove the {currency} balance of budget {budget} of account {account}"
    ))
}

/// An API key with its hash.
#[derive(Clone, Debug)]
pub struct SeedKey {
    /// The key.
    pub key: ApiKey,
    /// The hash of its text.
    pub hash: KeyHash,
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
    /// Its merchant profile. `None` for a profile with the default values, or for an account that is not a merchant.
    pub profile: Option<MerchantProfile>,
    /// Its settlement accounts.
    pub settlement_accounts: Vec<SettlementAccount>,
    /// Its payees.
    pub payees: Vec<Payee>,
    /// Its checkouts.
    pub checkouts: Vec<Checkout>,
    /// The sessions of its checkouts, and its top-ups.
    pub sessions: Vec<CheckoutSession>,
    /// The payments of those sessions. A refund comes after the payment that it refunds.
    pub merchant_payments: Vec<MerchantPayment>,
    /// The journal transactions of those payments. They affect no budget.
    pub merchant_journal: Vec<JournalTransaction>,
    /// Its parent budget, without money.
    pub parent: BudgetRecord,
    /// Its other budgets: shared ones, directly below the parent budget.
    pub budgets: Vec<SeedBudget>,
    /// Its cards.
    pub cards: Vec<SeedCard>,
    /// Its payment batches.
    pub batches: Vec<PaymentBatch>,
    /// The payments of those batches.
    pub payments: Vec<Payment>,
}

impl SeedAccount {
    /// Returns an account without data.
    pub fn empty(account: Account, parent: BudgetRecord) -> Self {
        Self {
            account,
            enrolment: None,
            people: Vec::new(),
            profile: None,
            settlement_accounts: Vec::new(),
            payees: Vec::new(),
            checkouts: Vec::new(),
            sessions: Vec::new(),
            merchant_payments: Vec::new(),
            merchant_journal: Vec::new(),
            parent,
            budgets: Vec::new(),
            cards: Vec::new(),
            batches: Vec::new(),
            payments: Vec::new(),
        }
    }
}

/// A budget with its journal. Its balances are the sums of the journal.
#[derive(Clone, Debug)]
pub struct SeedBudget {
    /// The budget.
    pub budget: Budget,
    /// Its journal transactions.
    pub journal: Vec<JournalTransaction>,
}

/// A card with its limits.
#[derive(Clone, Debug)]
pub struct SeedCard {
    /// The card.
    pub card: Card,
    /// Its limits.
    pub limits: Vec<CardLimit>,
}

/// Seeds a store with prepared data, and lists budgets, cards and payment batches.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Seeding: Send + Sync {
    /// Returns whether the store has neither clients nor accounts.
    async fn is_fresh(&self) -> Result<bool, StoreError>;

    /// Stores all the data or none of it. `Duplicate`: some of it already exists.
    async fn seed(&self, data: SeedData) -> Result<(), StoreError>;

    /// Returns all budgets of an account by id, including the parent budget, with their current balances by currency
    /// code. New ids are greater than old ones, so this is the order of creation.
    async fn budgets(&self, account: &AccountId) -> Result<Vec<Budget>, StoreError>;

    /// Returns the cards of an account, by id.
    async fn cards(&self, account: &AccountId) -> Result<Vec<Card>, StoreError>;

    /// Returns the payment batches of an account, by id.
    async fn batches(&self, account: &AccountId) -> Result<Vec<PaymentBatch>, StoreError>;
}
