//! Seeding, and the lists of budgets, cards and payment batches.

use crate::MemoryStore;
use crate::activities::renew_positions;
use crate::budgets;
use crate::data::{Data, add, must_exist};
use crate::money::write_journal;
use crate::registry::{insert_account, insert_client, insert_key};
use async_trait::async_trait;
use florin_domain::batch::PaymentBatch;
use florin_domain::budget::{Budget, BudgetRecord};
use florin_domain::card::Card;
use florin_domain::ids::{AccountId, ActivityId};
use florin_ports::{SeedAccount, SeedBudget, SeedCard, SeedData, Seeding, StoreError};

#[async_trait]
impl Seeding for MemoryStore {
    async fn is_fresh(&self) -> Result<bool, StoreError> {
        Ok(self.read(|data| data.clients.is_empty() && data.accounts.is_empty()))
    }

    async fn seed(&self, new: SeedData) -> Result<(), StoreError> {
        new.prove()?;
        self.change(|data| seed(data, new))
    }

    async fn budgets(&self, account: &AccountId) -> Result<Vec<Budget>, StoreError> {
        Ok(self.read(|data| data.budgets.values().filter(|budget| budget.account == *account).cloned().collect()))
    }

    async fn cards(&self, account: &AccountId) -> Result<Vec<Card>, StoreError> {
        let cards = |data: &Data| data.cards.values().map(|(card, _)| card.clone()).collect::<Vec<_>>();
        Ok(self.read(cards).into_iter().filter(|card| card.account == *account).collect())
    }

    async fn batches(&self, account: &AccountId) -> Result<Vec<PaymentBatch>, StoreError> {
        Ok(self.read(|data| data.batches.values().filter(|batch| batch.account == *account).cloned().collect()))
    }
}

fn seed(data: &mut Data, new: SeedData) -> Result<(), StoreError> {
    let SeedData { clients, keys, accounts, banks } = new;
    clients.into_iter().try_for_each(|client| insert_client(data, client))?;
    accounts.iter().try_for_each(|seed| insert_account(data, seed.account.clone()))?;
    keys.into_iter().try_for_each(|seed| insert_key(data, seed.key, seed.hash))?;
    accounts.into_iter().try_for_each(|seed| seed_account(data, seed))?;
    banks.into_iter().try_for_each(|bank| add(&mut data.banks, bank.id.clone(), bank))
}

/// Stores the records of an existing account.
pub(crate) fn seed_account(data: &mut Data, seed: SeedAccount) -> Result<(), StoreError> {
    if let Some(profile) = seed.profile {
        must_exist(data.accounts.contains_key(&profile.account), &profile.account)?;
        add(&mut data.merchants.profiles, profile.account.clone(), profile)?;
    }
    for account in seed.settlement_accounts {
        must_exist(data.accounts.contains_key(&account.account), &account.account)?;
        add(&mut data.merchants.settlement_accounts, (account.account.clone(), account.id), account)?;
    }
    for payee in seed.payees {
        must_exist(data.accounts.contains_key(&payee.account), &payee.account)?;
        add(&mut data.merchants.payees, (payee.account.clone(), payee.id), payee)?;
    }
    for checkout in seed.checkouts {
        must_exist(data.accounts.contains_key(&checkout.account), &checkout.account)?;
        add(&mut data.checkouts, (checkout.account.clone(), checkout.id), checkout)?;
    }
    for person in seed.people {
        must_exist(data.accounts.contains_key(&person.account), &person.account)?;
        add(&mut data.people, (person.account.clone(), person.id), person)?;
    }
    // A journal transaction may touch several budgets, so all budgets are stored first.
    budgets::insert(data, seed.parent.clone())?;
    for SeedBudget { budget, .. } in &seed.budgets {
        must_exist(data.accounts.contains_key(&budget.account), &budget.account)?;
        budgets::insert(data, BudgetRecord::seeded(budget.clone(), &seed.parent))?;
    }
    seed.budgets.iter().flat_map(|seed| &seed.journal).try_for_each(|journal| write_journal(data, journal))?;
    for session in seed.sessions {
        must_exist(data.accounts.contains_key(&session.account), &session.account)?;
        add(&mut data.merchants.sessions, (session.account.clone(), session.id), session)?;
    }
    for payment in seed.merchant_payments {
        let session = (payment.account.clone(), payment.session);
        must_exist(data.merchants.sessions.contains_key(&session), &payment.session)?;
        add(&mut data.merchants.payments, (session.0, payment.id), payment)?;
    }
    seed.merchant_journal.iter().try_for_each(|journal| write_journal(data, journal))?;
    for SeedCard { card, limits } in seed.cards {
        let budget = data.budgets.get(&(card.account.clone(), card.budget));
        let holds = budget.and_then(|budget| budget.in_currency(card.currency)).is_some();
        must_exist(holds, &card.budget)?;
        add(&mut data.cards, (card.account.clone(), card.id), (card, limits))?;
    }
    for batch in seed.batches {
        must_exist(data.accounts.contains_key(&batch.account), &batch.account)?;
        for order in &batch.orders {
            must_exist(data.budgets.contains_key(&(batch.account.clone(), order.budget)), &order.budget)?;
        }
        add(&mut data.batches, (batch.account.clone(), batch.id), batch)?;
    }
    for payment in seed.payments {
        let batch = (payment.account.clone(), payment.batch);
        must_exist(data.batches.contains_key(&batch), &payment.batch)?;
        renew_positions(data, &batch.0, [ActivityId(payment.id.0)]);
        add(&mut data.payments, (batch.0, batch.1, payment.index), payment)?;
    }
    if let Some(enrolment) = seed.enrolment {
        must_exist(data.accounts.contains_key(&enrolment.account), &enrolment.account)?;
        add(&mut data.enrolments, enrolment.account.clone(), enrolment)?;
    }
    Ok(())
}
