//! Stores prepared data.

use super::backend::Conn;
use super::driver;
use super::errors::Outcome;
use super::footprint::Footprint;
use super::store::Store;
use super::tables::access::{accounts, clients};
use super::working_set::WorkingSet;
use super::{balances, batch_rows, batches, cards, checkout, keys, merchant, mfa, payments, people, registry};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::batch::PaymentBatch;
use florin_domain::budget::{Budget, BudgetRecord};
use florin_domain::card::{Card, CardRecord};
use florin_domain::ids::AccountId;
use florin_ports::{SeedAccount, SeedBudget, SeedData, Seeding, StoreError};

#[async_trait]
impl Seeding for Store {
    async fn is_fresh(&self) -> Result<bool, StoreError> {
        self.read_in_one_transaction(|conn| {
            let clients: i64 = clients::table.count().get_result(conn)?;
            let accounts: i64 = accounts::table.count().get_result(conn)?;
            Outcome::Ok(clients == 0 && accounts == 0)
        })
        .await
    }

    async fn seed(&self, data: SeedData) -> Result<(), StoreError> {
        data.prove()?;
        self.change(move |conn| seed(conn, &data)).await
    }

    async fn budgets(&self, account: &AccountId) -> Result<Vec<Budget>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| balances::of_account(conn, &account)).await
    }

    async fn cards(&self, account: &AccountId) -> Result<Vec<Card>, StoreError> {
        let account = account.clone();
        self.read(move |conn| cards::of_account(conn, &account)).await
    }

    async fn batches(&self, account: &AccountId) -> Result<Vec<PaymentBatch>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| batches::of_account(conn, &account)).await
    }
}

fn seed(conn: &mut Conn, data: &SeedData) -> Outcome<()> {
    data.clients.iter().try_for_each(|client| registry::insert_client(conn, client))?;
    data.accounts.iter().try_for_each(|seed| registry::insert_account(conn, &seed.account))?;
    data.keys.iter().try_for_each(|seed| keys::insert_key(conn, &seed.key, &seed.hash))?;
    data.accounts.iter().try_for_each(|seed| seed_account(conn, seed))?;
    merchant::insert_banks(conn, &data.banks)
}

/// Stores the data of an account that exists.
pub(crate) fn seed_account(conn: &mut Conn, seed: &SeedAccount) -> Outcome<()> {
    seed.profile.iter().try_for_each(|profile| merchant::insert_profile(conn, profile))?;
    merchant::insert_settlement_accounts(conn, &seed.settlement_accounts)?;
    merchant::insert_payees(conn, &seed.payees)?;
    merchant::insert_checkouts(conn, &seed.checkouts)?;
    people::insert_all(conn, &seed.people)?;
    // A journal transaction may touch several budgets, so all budgets are stored first.
    balances::insert(conn, &seed.parent)?;
    let seeded = |budget: &SeedBudget| BudgetRecord::seeded(budget.budget.clone(), &seed.parent);
    seed.budgets.iter().try_for_each(|seed| balances::insert(conn, &seeded(seed)))?;
    let account = &seed.account.id;
    let mut footprint = Footprint::default();
    footprint.counters(account);
    seed.budgets.iter().for_each(|seed| footprint.budget(account, seed.budget.id));
    let mut working_set = WorkingSet::load(conn, &footprint)?;
    let transactions = seed.budgets.iter().flat_map(|seed| &seed.journal).chain(&seed.merchant_journal);
    transactions.for_each(|transaction| working_set.journal.add(transaction));
    let position = driver::draw_position(conn)?;
    working_set.store_journal(conn, position)?;
    checkout::seed(conn, &seed.sessions, &seed.merchant_payments)?;
    seed.cards
        .iter()
        .try_for_each(|seed| cards::insert_card(conn, &CardRecord::seeded(seed.card.clone()), &seed.limits))?;
    seed.batches.iter().try_for_each(|batch| batch_rows::insert(conn, batch))?;
    payments::seed(conn, &seed.batches, &seed.payments, position)?;
    seed.enrolment.iter().try_for_each(|enrolment| mfa::insert_enrolment(conn, enrolment))
}
