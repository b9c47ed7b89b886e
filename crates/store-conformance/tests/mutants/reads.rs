//! Bugs in reads and in operator commands.

use crate::bugs::Bug;
use crate::mutant::{Mutant, QUEUE_CAPACITY};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::access::{
    Account, ApiClient, ApiKey, Caller, ClientChange, Environment, Feature, KeyHash, KeyRotation, RotateRefusal,
};
use florin_domain::address::{Address, UkPostcode};
use florin_domain::batch::PaymentBatch;
use florin_domain::budget::{Budget, BudgetKind, BudgetRecord};
use florin_domain::card::{Card, ChainHistory};
use florin_domain::ids::{AccountId, ApiKeyId, CheckoutId, ClientId, TransactionToken};
use florin_domain::merchant::{
    Bank, BankId, Checkout, CheckoutFilter, CheckoutRefusal, CheckoutSituation, EditCheckoutSituation,
};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    Accounts, AddressBook, Banks, BooksCheck, BooksReport, Callers, ChainHistories, Checkouts, CreateCheckoutCommand,
    Decide, EditCheckoutCommand, IdempotencyClaim, IdempotencyRecords, KeyUpkeep, KeyUse, MfaSessions, Readiness,
    Registry, SeedData, Seeding, StoreError, StoredResponse, Upkeep, WriteError, Written,
};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use uuid::Uuid;

#[async_trait]
impl Callers for Mutant {
    async fn find(&self, hash: &KeyHash) -> Result<Option<Caller>, StoreError> {
        let mut found = Callers::find(&self.inner, hash).await?;
        if self.has(Bug::KeysOutliveTheirWorld) {
            let seen = &mut self.seen_before.lock().unwrap().callers;
            match &found {
                Some(caller) => seen.push((*hash, caller.clone())),
                None => found = seen.iter().find(|(known, _)| known == hash).map(|(_, caller)| caller.clone()),
            }
        }
        Ok(found.filter(|caller| !self.has(Bug::RevokedKeysHidden) || caller.key.revoked_at.is_none()))
    }
}

#[async_trait]
impl IdempotencyRecords for Mutant {
    async fn find(&self, claim: &IdempotencyClaim<()>) -> Result<Option<StoredResponse>, WriteError<Infallible>> {
        if self.has(Bug::AddedRecordsHidden) {
            return Ok(None);
        }
        let mut found = IdempotencyRecords::find(&self.inner, claim).await;
        if self.has(Bug::AddedRecordsOfAnyAccount) && found == Ok(None) {
            let account = AccountId::parse("F2").unwrap();
            let client = Accounts::find(&self.inner, &account).await?.map_or(claim.client, |account| account.client);
            let other = IdempotencyClaim { account, client, ..claim.clone() };
            found = IdempotencyRecords::find(&self.inner, &other).await;
        }
        if let (true, Err(WriteError::Mismatch(first))) = (self.has(Bug::MismatchShowsTheSecond), &mut found) {
            **first = (*claim.request).clone();
        }
        found
    }

    async fn add(&self, claim: IdempotencyClaim<()>) -> Result<Written<()>, WriteError<Infallible>> {
        match self.claim(Some(claim)) {
            Some(claim) => self.inner.add(claim).await,
            None => Ok(Written::New(())),
        }
    }
}

#[async_trait]
impl ChainHistories for Mutant {
    async fn history(&self, account: &AccountId, token: TransactionToken) -> Result<Option<ChainHistory>, StoreError> {
        let mut found = self.inner.history(account, token).await?;
        if self.has(Bug::NoTenantFilterOnHistories) && found.is_none() {
            for other in self.inner.accounts().await? {
                found = found.or(self.inner.history(&other.id, token).await?);
            }
        }
        if let Some(history) = found.as_mut().filter(|_| self.has(Bug::HistoriesWithoutJournal)) {
            history.journal.clear();
        }
        if let Some(history) = found.as_mut().filter(|_| self.has(Bug::HistoriesByToken)) {
            history.messages.sort_by_key(|message| message.transaction.token);
        }
        Ok(found)
    }
}

#[async_trait]
impl Accounts for Mutant {
    async fn find(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        if self.has(Bug::AccountsWithoutEndpoints) {
            let found = Accounts::find(&self.inner, id).await?;
            return Ok(found.map(|account| Account { decision_endpoint: None, ..account }));
        }
        if self.has(Bug::AccountsWithoutEpochs) {
            let found = Accounts::find(&self.inner, id).await?;
            return Ok(found.map(|account| Account { epoch: 0, ..account }));
        }
        if !self.has(Bug::AccountsFoldCase) {
            return Accounts::find(&self.inner, id).await;
        }
        let mut all = self.inner.accounts().await?.into_iter();
        Ok(all.find(|account| account.id.as_str().to_lowercase() == id.as_str().to_lowercase()))
    }

    async fn client(&self, id: ClientId) -> Result<Option<ApiClient>, StoreError> {
        let mut found = self.inner.client(id).await?;
        if let Some(client) = found.as_mut().filter(|_| self.has(Bug::FeaturesOfClientsForgotten)) {
            client.features.clear();
        }
        Ok(found)
    }
}

const EVERYTHING: PageRequest = PageRequest { limit: i64::MAX, offset: 0 };

#[async_trait]
impl Checkouts for Mutant {
    async fn list(
        &self,
        account: &AccountId,
        filter: CheckoutFilter,
        page: PageRequest,
    ) -> Result<Page<Checkout>, StoreError> {
        let mut all = Checkouts::list(&self.inner, account, filter, EVERYTHING).await?.rows;
        if self.has(Bug::NoTenantFilterOnCheckouts) {
            for other in self.inner.accounts().await?.into_iter().filter(|other| other.id != *account) {
                all.extend(Checkouts::list(&self.inner, &other.id, filter, EVERYTHING).await?.rows);
            }
        }
        if self.has(Bug::CheckoutsOldestFirst) {
            all.sort_by_key(|one| (std::cmp::Reverse(one.created_at), one.id));
        }
        Ok(self.paginate(all, page))
    }

    async fn find(&self, account: &AccountId, checkout: CheckoutId) -> Result<Option<Checkout>, StoreError> {
        let found = Checkouts::find(&self.inner, account, checkout).await?;
        if found.is_none() && self.has(Bug::CheckoutsOfAnyAccount) {
            return Checkouts::find(&self.inner, &AccountId::parse("F2").unwrap(), checkout).await;
        }
        Ok(found)
    }

    async fn create(
        &self,
        mut command: CreateCheckoutCommand,
    ) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::CheckoutsSeeNoSettlementAccounts) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &CheckoutSituation| {
                rule(&CheckoutSituation { accounts: Vec::new(), ..situation.clone() })
            });
        }
        if self.has(Bug::CheckoutsUncounted) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &CheckoutSituation| {
                rule(&CheckoutSituation { checkouts: 0, ..situation.clone() })
            });
        }
        Checkouts::create(&self.inner, command).await
    }

    async fn edit(&self, mut command: EditCheckoutCommand) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::LocalesStay) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &EditCheckoutSituation| {
                Ok(Checkout { locale: situation.checkout.locale.clone(), ..rule(situation)? })
            });
        }
        Checkouts::edit(&self.inner, command).await
    }
}

#[async_trait]
impl Banks for Mutant {
    async fn find(&self, bank: &BankId) -> Result<Option<Bank>, StoreError> {
        if self.has(Bug::AnyBankIsFound) {
            return Ok(Banks::list(&self.inner, EVERYTHING).await?.rows.into_iter().next());
        }
        Banks::find(&self.inner, bank).await
    }

    async fn list(&self, page: PageRequest) -> Result<Page<Bank>, StoreError> {
        let mut all = Banks::list(&self.inner, EVERYTHING).await?.rows;
        if self.has(Bug::BanksFoldCase) {
            all.sort_by_key(|bank| bank.name.to_lowercase());
        }
        Ok(self.paginate(all, page))
    }
}

impl Mutant {
    fn paginate<T>(&self, all: Vec<T>, page: PageRequest) -> Page<T> {
        let size = |number: i64| usize::try_from(number).unwrap();
        let count = all.len();
        let rows: Vec<_> = all.into_iter().skip(size(page.offset)).take(size(page.limit)).collect();
        let count = if self.has(Bug::CountFollowsThePage) { rows.len() } else { count };
        Page { count: i64::try_from(count).unwrap(), rows }
    }
}

#[async_trait]
impl Registry for Mutant {
    async fn clients(&self) -> Result<Vec<ApiClient>, StoreError> {
        self.inner.clients().await
    }

    async fn add_client(&self, client: ApiClient) -> Result<(), StoreError> {
        match self.inner.add_client(client).await {
            Err(StoreError::Duplicate(text)) if self.has(Bug::DuplicateIsCorrupt) => Err(StoreError::Corrupt(text)),
            done => done,
        }
    }

    async fn change_client(&self, client: ClientId, mut change: ClientChange) -> Result<(), StoreError> {
        if self.has(Bug::ClientsLoseTheirNetworks) {
            change.allowed_networks.get_or_insert_default();
        }
        self.inner.change_client(client, change).await
    }

    async fn set_disabled(&self, client: ClientId, at: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        if self.has(Bug::DisabledTimeReplaced) {
            self.inner.set_disabled(client, None).await?;
        }
        if (self.has(Bug::NeverEnabled) && at.is_none()) || (self.has(Bug::DisabledClientsReceive) && at.is_some()) {
            return Ok(());
        }
        self.inner.set_disabled(client, at).await
    }

    async fn set_feature(&self, client: ClientId, feature: Feature, on: bool) -> Result<(), StoreError> {
        self.inner.set_feature(client, feature, on).await
    }

    async fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        self.inner.accounts().await
    }

    async fn add_account(&self, account: Account, mut parent: BudgetRecord) -> Result<(), StoreError> {
        if self.has(Bug::ParentIsAnyBudget) {
            parent.kind = BudgetKind::Shared;
        }
        self.inner.add_account(account, parent).await
    }

    async fn rename_account(&self, account: &AccountId, name: String) -> Result<(), StoreError> {
        let others = self.inner.accounts().await?.into_iter().map(|other| other.id).filter(|other| other != account);
        for other in others.filter(|_| self.has(Bug::AllAccountsRenamed)) {
            self.inner.rename_account(&other, name.clone()).await?;
        }
        self.inner.rename_account(account, name).await
    }

    async fn set_unique_budget_names(&self, account: &AccountId, unique: bool) -> Result<(), StoreError> {
        if self.has(Bug::BudgetNamesNotUnique) {
            return Ok(());
        }
        self.inner.set_unique_budget_names(account, unique).await
    }

    async fn set_mfa_required(&self, account: &AccountId, required: bool) -> Result<(), StoreError> {
        if self.has(Bug::MfaPolicyOfAllAccountsChanged) {
            for account in self.inner.accounts().await? {
                self.inner.set_mfa_required(&account.id, required).await?;
            }
        }
        self.inner.set_mfa_required(account, required).await
    }

    async fn enrol(&self, enrolment: TotpEnrolment) -> Result<(), StoreError> {
        self.inner.enrol(enrolment).await
    }

    async fn remove_enrolment(&self, account: &AccountId) -> Result<bool, StoreError> {
        if self.has(Bug::RemovedEnrolmentsStay) {
            return Ok(self.inner.enrolment(account).await?.is_some());
        }
        self.inner.remove_enrolment(account).await
    }

    async fn unlock_enrolment(&self, account: &AccountId) -> Result<bool, StoreError> {
        if self.has(Bug::UnlockIgnored) {
            return Ok(self.inner.enrolment(account).await?.is_some());
        }
        self.inner.unlock_enrolment(account).await
    }

    async fn keys(&self, client: Option<ClientId>) -> Result<Vec<ApiKey>, StoreError> {
        self.inner.keys(client).await
    }

    async fn add_key(&self, key: ApiKey, hash: KeyHash) -> Result<(), StoreError> {
        self.inner.add_key(key, hash).await
    }

    async fn revoke_key(&self, key: ApiKeyId, at: DateTime<Utc>) -> Result<(), StoreError> {
        if self.has(Bug::WorldKeysOutliveTheirMaker) {
            let rotate = Arc::new(move |old: &ApiKey| {
                let successor = ApiKey { id: ApiKeyId(Uuid::from_u128(7)), ..old.clone() };
                Ok(KeyRotation { successor, ends_at: old.created_at + TimeDelta::days(999) })
            });
            let _unknown_or_revoked = self.inner.rotate_key(key, KeyHash([77; 32]), rotate).await;
        }
        match self.inner.revoke_key(key, at).await {
            Err(StoreError::NotFound(_)) if self.has(Bug::UnknownKeyRevoked) => Ok(()),
            done => done,
        }
    }

    async fn rotate_key(
        &self,
        key: ApiKeyId,
        hash: KeyHash,
        decide: Decide<ApiKey, Result<KeyRotation, RotateRefusal>>,
    ) -> Result<KeyRotation, WriteError<RotateRefusal>> {
        let before = self.inner.keys(None).await?;
        let rotation = self.inner.rotate_key(key, hash, Arc::clone(&decide)).await?;
        if self.has(Bug::RotatedKeysStay) {
            let rotate = Arc::new(move |old: &ApiKey| {
                let successor = ApiKey { id: ApiKeyId(Uuid::from_u128(7)), ..old.clone() };
                Ok(KeyRotation { successor, ends_at: old.created_at + TimeDelta::days(999) })
            });
            self.inner.rotate_key(key, KeyHash([77; 32]), rotate).await?;
        }
        if self.has(Bug::RotationLeavesWorlds) && before.iter().any(|other| other.made_by == Some(key)) {
            let rotate = Arc::new(move |new: &ApiKey| {
                let successor = ApiKey { id: ApiKeyId(Uuid::from_u128(7)), ..new.clone() };
                Ok(KeyRotation { successor, ends_at: new.created_at + TimeDelta::days(999) })
            });
            self.inner.rotate_key(rotation.successor.id, KeyHash([77; 32]), rotate).await?;
        }
        Ok(rotation)
    }

    async fn replace_banks(&self, banks: Vec<Bank>) -> Result<(), StoreError> {
        self.inner.replace_banks(banks).await
    }

    async fn replace_addresses(&self, addresses: Vec<Address>) -> Result<(), StoreError> {
        self.inner.replace_addresses(addresses).await
    }
}

#[async_trait]
impl KeyUpkeep for Mutant {
    async fn record_uses(&self, mut uses: Vec<KeyUse>) -> Result<(), StoreError> {
        if self.has(Bug::FirstUseOnly) {
            let known = self.inner.keys(None).await?;
            let is_known = |id| known.iter().any(|key| key.id == id && key.last_used_at.is_some());
            uses.retain(|one| !is_known(one.key));
        }
        self.inner.record_uses(uses).await
    }

    async fn expiring(&self, from: DateTime<Utc>, until: DateTime<Utc>, max: u32) -> Result<Vec<ApiKey>, StoreError> {
        let from = if self.has(Bug::ExpiredKeysListed) { DateTime::UNIX_EPOCH } else { from };
        let mut keys = self.inner.expiring(from, until, max).await?;
        if self.has(Bug::ExpiringKeysReversed) {
            keys.reverse();
        }
        Ok(keys)
    }
}

#[async_trait]
impl Seeding for Mutant {
    async fn is_fresh(&self) -> Result<bool, StoreError> {
        self.inner.is_fresh().await
    }

    async fn seed(&self, data: SeedData) -> Result<(), StoreError> {
        let mut data = data;
        if self.has(Bug::SeededPaymentsLost) {
            data.accounts.iter_mut().for_each(|seed| seed.payments.clear());
        }
        let clients = data.clients.clone();
        let done = self.inner.seed(data).await;
        if done.is_err() && self.has(Bug::FailedSeedsLeaveClients) {
            for client in clients {
                let _ = self.inner.add_client(client).await;
            }
        }
        done
    }

    async fn budgets(&self, account: &AccountId) -> Result<Vec<Budget>, StoreError> {
        self.inner.budgets(account).await
    }

    async fn cards(&self, account: &AccountId) -> Result<Vec<Card>, StoreError> {
        self.inner.cards(account).await
    }

    async fn batches(&self, account: &AccountId) -> Result<Vec<PaymentBatch>, StoreError> {
        let mut batches = self.inner.batches(account).await?;
        for batch in batches.iter_mut().filter(|_| self.has(Bug::BatchesOfAnotherClient)) {
            batch.created_by = ClientId(Uuid::nil());
        }
        Ok(batches)
    }
}

#[async_trait]
impl AddressBook for Mutant {
    async fn find(&self, postcode: &UkPostcode) -> Result<Vec<Address>, StoreError> {
        let mut found = AddressBook::find(&self.inner, postcode).await?;
        for address in found.iter_mut().filter(|_| self.has(Bug::AddressesTrimmed)) {
            address.address_line3 = address.address_line3.trim().to_owned();
        }
        Ok(found)
    }
}

#[async_trait]
impl BooksCheck for Mutant {
    async fn check_all(&self) -> Result<BooksReport, StoreError> {
        if self.has(Bug::BooksCheckSeesNothing) { Ok(BooksReport::default()) } else { self.inner.check_all().await }
    }
}

#[async_trait]
impl Upkeep for Mutant {
    async fn readiness(&self) -> Result<Readiness, StoreError> {
        if self.dead.load(Ordering::Relaxed) {
            return Err(StoreError::Unavailable("dead".into()));
        }
        Ok(match self.readiness {
            Readiness::MigrationsPending if self.has(Bug::ReadyWhilePending) => Readiness::Ready,
            Readiness::SchemaTooNew if self.has(Bug::NewerSchemaUnnoticed) => Readiness::Ready,
            readiness => readiness,
        })
    }

    async fn environment(&self) -> Result<Option<Environment>, StoreError> {
        self.inner.environment().await
    }

    async fn bind(&self, environment: Environment) -> Result<Environment, StoreError> {
        let bound = self.inner.bind(environment).await?;
        Ok(if self.has(Bug::EnvironmentBindingIgnored) { environment } else { bound })
    }

    fn is_overloaded(&self) -> bool {
        !self.has(Bug::NeverOverloaded) && self.waiting.load(Ordering::Relaxed) >= QUEUE_CAPACITY
    }

    async fn delete_idempotency_records(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        let before = if self.has(Bug::DeletesTooYoungRecords) { before + TimeDelta::microseconds(1) } else { before };
        let max = if self.has(Bug::DeletesTooManyRecords) { u32::MAX } else { max };
        let gone = self.inner.delete_idempotency_records(before, max).await?;
        if self.has(Bug::DeletesRecordsOfEqualKeys) {
            self.inner.delete_idempotency_records(before + TimeDelta::days(1), max).await?;
        }
        Ok(gone)
    }
}
