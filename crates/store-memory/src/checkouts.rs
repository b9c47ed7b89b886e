//! Checkouts, and the bank list.

use crate::MemoryStore;
use crate::data::{Data, add, replace};
use crate::idempotency::once;
use crate::merchant_profiles::profile;
use crate::pages::paginate;
use crate::settlement_accounts::of_account;
use async_trait::async_trait;
use florin_domain::ids::{AccountId, CheckoutId};
use florin_domain::merchant::{
    Bank, BankId, Checkout, CheckoutFilter, CheckoutRefusal, CheckoutSituation, EditCheckoutSituation,
};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Banks, Checkouts, CreateCheckoutCommand, EditCheckoutCommand, StoreError, WriteError, Written};

#[async_trait]
impl Checkouts for MemoryStore {
    async fn list(
        &self,
        account: &AccountId,
        filter: CheckoutFilter,
        page: PageRequest,
    ) -> Result<Page<Checkout>, StoreError> {
        let matches = |checkout: &&Checkout| {
            checkout.account == *account
                && filter.checkout_type.is_none_or(|expected| checkout.kind.checkout_type() == expected)
                && filter.status.is_none_or(|expected| checkout.status == expected)
        };
        let mut matching: Vec<_> = self.read(|data| data.checkouts.values().filter(matches).cloned().collect());
        matching.sort_by_key(|checkout| std::cmp::Reverse((checkout.created_at, checkout.id)));
        Ok(paginate(matching, page))
    }

    async fn find(&self, account: &AccountId, checkout: CheckoutId) -> Result<Option<Checkout>, StoreError> {
        Ok(self.read(|data| data.checkouts.get(&(account.clone(), checkout)).cloned()))
    }

    async fn create(&self, command: CreateCheckoutCommand) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let situation = situation(data, &command.account).ok_or(WriteError::Absent)?;
                let checkout = (command.decide)(&situation).map_err(WriteError::Refused)?;
                add(&mut data.checkouts, (command.account.clone(), checkout.id), checkout.clone())?;
                Ok(checkout)
            })
        })
    }

    async fn edit(&self, command: EditCheckoutCommand) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let key = (command.account.clone(), command.checkout);
                let merchant = situation(data, &command.account).ok_or(WriteError::Absent)?;
                let checkout = data.checkouts.get(&key).cloned().ok_or(WriteError::Absent)?;
                let situation = EditCheckoutSituation { merchant, checkout };
                let edited = (command.decide)(&situation).map_err(WriteError::Refused)?;
                replace(&mut data.checkouts, &key, edited.clone())?;
                Ok(edited)
            })
        })
    }
}

/// Returns the situation of the rules of checkouts. `None`: the account is no merchant.
fn situation(data: &Data, account: &AccountId) -> Option<CheckoutSituation> {
    let own = data.checkouts.values().filter(|checkout| checkout.account == *account);
    let checkouts = u64::try_from(own.count()).unwrap_or(u64::MAX);
    Some(CheckoutSituation { profile: profile(data, account)?, accounts: of_account(data, account), checkouts })
}

#[async_trait]
impl Banks for MemoryStore {
    async fn find(&self, bank: &BankId) -> Result<Option<Bank>, StoreError> {
        Ok(self.read(|data| data.banks.get(bank).cloned()))
    }

    async fn list(&self, page: PageRequest) -> Result<Page<Bank>, StoreError> {
        let mut banks: Vec<_> = self.read(|data| data.banks.values().cloned().collect());
        banks.sort_by(|one, other| (&one.name, &one.id).cmp(&(&other.name, &other.id)));
        Ok(paginate(banks, page))
    }
}
