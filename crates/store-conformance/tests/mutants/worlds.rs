//! Bugs in timelines and worlds.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::budget::{BudgetFilter, BudgetRecord, EditBudgetSituation};
use florin_domain::card::{
    CardChange, CardFilter, CardProfile, CardSettings, ChangeCardSituation, Controls, PinDigest,
};
use florin_domain::checkout::PageTokenHash;
use florin_domain::ids::{AccountId, BudgetId, ClientId, SnapshotId};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::page::{Page, PageRequest};
use florin_domain::world::{
    ClockReading, ClockRefusal, ClockSetting, CreateWorldRefusal, SandboxWorld, SnapshotRefusal, WorldReading,
    WorldSnapshot,
};
use florin_ports::{
    AccountTimeline, BatchProcessing, Budgets, CardManagement, CardSettingsCommand, ChangeCardCommand, ClaimCommand,
    ClockCommand, CreateWorldCommand, DueHold, EditBudgetCommand, IdempotencyClaim, MfaSessions, Registry,
    RemoveLimitCommand, RenewCommand, RestoreCommand, SnapshotCommand, StoreError, Timelines, Upkeep, Webhooks,
    WorldContents, Worlds, WriteError, Written,
};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

#[async_trait]
impl Timelines for Mutant {
    async fn set_clock(&self, mut command: ClockCommand) -> Result<Written<ClockReading>, WriteError<ClockRefusal>> {
        command.claim = self.claim(command.claim).filter(|_| !self.has(Bug::ClockRecordsLost));
        self.inner.set_clock(command).await
    }

    async fn next_number(&self, account: &AccountId) -> Result<u64, StoreError> {
        let number = self.inner.next_number(account).await?;
        Ok(if self.has(Bug::NumbersTwice) { number.div_ceil(2) } else { number })
    }

    async fn accounts_with_timeline(&self) -> Result<Vec<AccountTimeline>, StoreError> {
        self.inner.accounts_with_timeline().await
    }

    async fn due_holds(&self, account: &AccountId, now: DateTime<Utc>, max: u32) -> Result<Vec<DueHold>, StoreError> {
        let max = if self.has(Bug::OwnDueHoldsUnbounded) { u32::MAX } else { max };
        Timelines::due_holds(&self.inner, account, now, max).await
    }
}

impl Mutant {
    /// Removes the limits of all cards that were not seeded.
    async fn remove_limits(&self, account: &AccountId) -> Result<(), StoreError> {
        let page = PageRequest { limit: 100, offset: 0 };
        let cards = CardManagement::list(&self.inner, account, CardFilter::default(), page).await?;
        for CardProfile { record, limits, .. } in cards.rows {
            if record.created_at.is_none() {
                continue;
            }
            for id in limits.into_iter().map(|limit| limit.id) {
                let decide = Arc::new(move |_: &_| Ok(id));
                let (account, card) = (account.clone(), record.card.id);
                let _ = self.inner.remove_limit(RemoveLimitCommand { account, card, decide, claim: None }).await;
            }
        }
        Ok(())
    }

    /// Removes the controls of all cards, or gives all PINs the same digest.
    async fn change_guards(&self, account: &AccountId) -> Result<(), StoreError> {
        let page = PageRequest { limit: 100, offset: 0 };
        let mixes_pins = self.has(Bug::SnapshotsMixUpPins);
        let cards = CardManagement::list(&self.inner, account, CardFilter::default(), page).await?;
        for CardProfile { record, .. } in cards.rows {
            let decide = Arc::new(move |situation: &ChangeCardSituation| {
                let mut card = situation.card.clone();
                if mixes_pins {
                    card.pin = card.pin.map(|_| PinDigest::new([0; 32]));
                } else {
                    card.controls = Controls::default();
                }
                Ok(CardChange { card, transition: None })
            });
            let (account, card) = (account.clone(), record.card.id);
            let command = ChangeCardCommand { account, card, person: None, decide, claim: None };
            let _ = CardManagement::change(&self.inner, command).await;
        }
        Ok(())
    }

    /// Removes the controls of all budgets.
    async fn remove_controls_of_budgets(&self, account: &AccountId) -> Result<(), StoreError> {
        let page = PageRequest { limit: 100, offset: 0 };
        let budgets = Budgets::list(&self.inner, account, BudgetFilter::default(), page).await?;
        for BudgetRecord { budget, .. } in budgets.rows {
            let decide = Arc::new(|EditBudgetSituation { record, .. }: &EditBudgetSituation| {
                Ok(BudgetRecord { controls: Controls::default(), ..record.clone() })
            });
            let (account, budget) = (account.clone(), budget.id);
            let command = EditBudgetCommand { account, budget, name: None, decide, claim: None };
            let _ = Budgets::edit(&self.inner, command).await;
        }
        Ok(())
    }
}

impl Mutant {
    /// Restores the secret that an account had when its snapshot was taken, if the bug does so.
    async fn restore_secret(&self, account: &AccountId) -> Result<(), StoreError> {
        let earlier = self.seen_before.lock().unwrap().enrolment.clone();
        let now = self.inner.enrolment(account).await?;
        match (earlier, now) {
            (Some(earlier), Some(now)) if self.has(Bug::SecretsInSnapshots) => {
                self.inner.enrol(TotpEnrolment { secret: earlier.secret, ..now }).await
            }
            (Some(earlier), None) if self.has(Bug::RemovedSecretsComeBack) => self.inner.enrol(earlier).await,
            _ => Ok(()),
        }
    }

    /// Leases all batches again as they were leased before.
    async fn restore_leases(&self) -> Result<(), StoreError> {
        let leases: Vec<_> = self.leases.lock().unwrap().values().cloned().collect();
        for lease in leases {
            let claim = ClaimCommand { lease: lease.id, now: lease.until, until: lease.until, max: 100 };
            self.inner.claim(claim).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl Worlds for Mutant {
    async fn create(&self, mut command: CreateWorldCommand) -> Result<SandboxWorld, WriteError<CreateWorldRefusal>> {
        if self.has(Bug::CreationKeysForgotten) {
            command.claim = None;
        }
        if self.has(Bug::CopiesNotSealedAgain) {
            command.reseal = Arc::new(|_, _, secret| Ok(secret.clone()));
        }
        if self.has(Bug::CopiesShareTokens) {
            command.page_tokens = Arc::new(|_, id| PageTokenHash([id.as_bytes()[15]; 32]));
        }
        let is_copy = matches!(command.contents, WorldContents::Snapshot { .. });
        let mut created = Worlds::create(&self.inner, command).await?;
        if is_copy && self.has(Bug::CopiedClocksStartAnew) {
            created.clock = ClockSetting::default();
        }
        Ok(created)
    }

    async fn find(&self, account: &AccountId) -> Result<Option<SandboxWorld>, StoreError> {
        Worlds::find(&self.inner, account).await
    }

    async fn list(
        &self,
        client: ClientId,
        only: Option<BTreeSet<AccountId>>,
        page: PageRequest,
    ) -> Result<Page<SandboxWorld>, StoreError> {
        let only = only.filter(|_| !self.has(Bug::EveryWorldListed));
        Worlds::list(&self.inner, client, only, page).await
    }

    async fn renew(&self, mut command: RenewCommand) -> Result<Written<WorldReading>, WriteError<Infallible>> {
        if self.has(Bug::WorldsNotRenewed) {
            command.decide = Arc::new(|world| world.expires_at);
        }
        command.claim = self.claim(command.claim);
        Worlds::renew(&self.inner, command).await
    }

    async fn delete(&self, account: &AccountId) -> Result<bool, StoreError> {
        if self.has(Bug::WorldsStay) {
            return Ok(Worlds::find(&self.inner, account).await?.is_some());
        }
        if self.has(Bug::WebhooksOutliveTheirWorld) {
            let mut of = self.inner.all().await?;
            of.retain(|webhook| webhook.account.as_ref() == Some(account));
            let deleted = Worlds::delete(&self.inner, account).await?;
            self.keep_webhooks(of).await?;
            return Ok(deleted);
        }
        Worlds::delete(&self.inner, account).await
    }

    async fn delete_expired(&self, real: DateTime<Utc>, max: u32) -> Result<Vec<AccountId>, StoreError> {
        let all = self.inner.accounts().await?;
        let gone = self.inner.delete_expired(real, max).await?;
        for account in all.into_iter().filter(|account| gone.contains(&account.id)) {
            if self.has(Bug::ExpiredWorldsLeaveTheirAccounts) {
                let id = BudgetId(uuid::Uuid::nil());
                let parent = BudgetRecord::parent_of_account(id, account.id.clone(), [], DateTime::UNIX_EPOCH);
                self.inner.add_account(account, parent).await?;
            }
        }
        Ok(gone)
    }

    async fn take_snapshot(
        &self,
        mut command: SnapshotCommand,
    ) -> Result<Written<WorldSnapshot>, WriteError<SnapshotRefusal>> {
        if self.has(Bug::SnapshotsUnbounded) {
            command.decide = Arc::new(|_| Ok(()));
        }
        command.claim = self.claim(command.claim);
        if self.has(Bug::SecretsInSnapshots) || self.has(Bug::RemovedSecretsComeBack) {
            let enrolment = self.inner.enrolment(&command.account).await?;
            self.seen_before.lock().unwrap().enrolment = enrolment;
        }
        self.inner.take_snapshot(command).await
    }

    async fn snapshots(&self, account: &AccountId, page: PageRequest) -> Result<Page<WorldSnapshot>, StoreError> {
        let mut found = self.inner.snapshots(account, page).await?;
        if self.has(Bug::SnapshotNamesLost) {
            found.rows.iter_mut().for_each(|snapshot| snapshot.name = None);
        }
        if self.has(Bug::SnapshotsByTime) {
            found.rows.sort_by_key(|snapshot| snapshot.created_at);
        }
        Ok(found)
    }

    async fn delete_snapshot(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
        claim: Option<IdempotencyClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>> {
        self.inner.delete_snapshot(account, snapshot, self.claim(claim)).await
    }

    async fn restore(&self, command: RestoreCommand) -> Result<Written<WorldReading>, WriteError<SnapshotRefusal>> {
        if self.has(Bug::RestoresChangeNothing) {
            let world = Worlds::find(&self.inner, &command.account).await?.ok_or(WriteError::Absent)?;
            return Ok(Written::New(WorldReading { world, real: command.real }));
        }
        let (account, real) = (command.account.clone(), command.real);
        let claim = self.claim(command.claim).filter(|_| !self.has(Bug::RestoresNotRecorded));
        let restored = self.inner.restore(RestoreCommand { claim, ..command }).await?;
        self.restore_secret(&account).await?;
        if self.has(Bug::RestoresLeaseRetries) {
            self.lease_everything(real).await?;
        }
        if self.has(Bug::RestoresRemoveEndpoints) {
            self.remove_endpoint(&account).await?;
        }
        if self.has(Bug::RestoresForgetEqualKeys) {
            self.inner.delete_idempotency_records(real + TimeDelta::days(1), 100).await?;
        }
        if self.has(Bug::LeasesRestored) {
            self.restore_leases().await?;
        }
        if self.has(Bug::SnapshotsWithoutLimits) {
            self.remove_limits(&account).await?;
        }
        if self.has(Bug::SnapshotsWithoutControlsOfCards) || self.has(Bug::SnapshotsMixUpPins) {
            self.change_guards(&account).await?;
        }
        if self.has(Bug::SnapshotsWithoutControlsOfBudgets) {
            self.remove_controls_of_budgets(&account).await?;
        }
        if self.has(Bug::SnapshotsWithoutSettings) {
            let decide = Arc::new(|_: &_| CardSettings::default());
            let reset = CardSettingsCommand { account: account.clone(), decide, claim: None };
            self.inner.set_settings(reset).await.map_err(|_| WriteError::Absent)?;
        }
        if self.has(Bug::ClocksNotRestored) {
            let decide = Arc::new(move |_: &_| {
                let now = real;
                Ok(ClockReading { clock: ClockSetting::Frozen { at: now }, now })
            });
            let command = ClockCommand { account, decide, claim: None };
            self.inner.set_clock(command).await.map_err(|_| WriteError::Absent)?;
        }
        Ok(restored)
    }
}
