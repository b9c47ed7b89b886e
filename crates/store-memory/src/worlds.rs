//! Worlds: creation, snapshots, restores and deletion.

use crate::MemoryStore;
use crate::account_rows;
use crate::activities::begin_epoch;
use crate::data::{Data, add};
use crate::deliveries;
use crate::idempotency::{key_of, once};
use crate::pages::paginate;
use crate::registry::{insert_account, insert_key};
use crate::seeding::seed_account;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::{Account, AccountGrant};
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::secret::{SealedSecret, SecretOwner};
use florin_domain::world::{
    ClockSetting, CreateSituation, CreateWorldRefusal, RestoreSituation, SandboxWorld, SnapshotRefusal,
    SnapshotSituation, Timeline, WorldReading, WorldSnapshot,
};
use florin_ports::{
    CreateWorldCommand, IdempotencyClaim, PageTokens, RenewCommand, Reseal, RestoreCommand, SnapshotCommand,
    StoreError, WorldContents, Worlds, WriteError, Written,
};
use std::collections::BTreeSet;
use std::convert::Infallible;

#[async_trait]
impl Worlds for MemoryStore {
    async fn create(&self, command: CreateWorldCommand) -> Result<SandboxWorld, WriteError<CreateWorldRefusal>> {
        self.decide(|data| create(data, command))
    }

    async fn find(&self, account: &AccountId) -> Result<Option<SandboxWorld>, StoreError> {
        Ok(self.read(|data| world(data, account)))
    }

    async fn list(
        &self,
        client: ClientId,
        only: Option<BTreeSet<AccountId>>,
        page: PageRequest,
    ) -> Result<Page<SandboxWorld>, StoreError> {
        let mut worlds: Vec<_> = self.read(|data| data.worlds.keys().filter_map(|id| world(data, id)).collect());
        worlds.retain(|world: &SandboxWorld| {
            world.client == client && only.as_ref().is_none_or(|only| only.contains(&world.account))
        });
        worlds.sort_by(|one, other| (other.created_at, &one.account).cmp(&(one.created_at, &other.account)));
        Ok(paginate(worlds, page))
    }

    async fn renew(&self, command: RenewCommand) -> Result<Written<WorldReading>, WriteError<Infallible>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let renewed = world(data, &command.account).ok_or(WriteError::Absent)?;
                let expires_at = (command.decide)(&renewed);
                let world = SandboxWorld { expires_at, ..renewed };
                let (stored, _) = data.worlds.get_mut(&command.account).ok_or(WriteError::Absent)?;
                stored.expires_at = expires_at;
                Ok(WorldReading { world, real: command.real })
            })
        })
    }

    async fn delete(&self, account: &AccountId) -> Result<bool, StoreError> {
        self.change(|data| Ok(delete(data, account)))
    }

    async fn delete_expired(&self, real: DateTime<Utc>, max: u32) -> Result<Vec<AccountId>, StoreError> {
        self.change(|data| {
            let expired = data.worlds.values().filter(|(world, _)| world.expires_at <= real);
            let mut expired: Vec<_> = expired.map(|(world, _)| (world.expires_at, world.account.clone())).collect();
            expired.sort();
            expired.truncate(usize::try_from(max).unwrap_or(usize::MAX));
            let expired: Vec<_> = expired.into_iter().map(|(_, account)| account).collect();
            for account in &expired {
                delete(data, account);
            }
            Ok(expired)
        })
    }

    async fn take_snapshot(
        &self,
        command: SnapshotCommand,
    ) -> Result<Written<WorldSnapshot>, WriteError<SnapshotRefusal>> {
        self.decide(|data| {
            let timeline = match data.accounts.get(&command.account) {
                Some(account) if data.worlds.contains_key(&command.account) => account.timeline.clone(),
                _ => return Err(WriteError::Absent),
            };
            once(data, command.claim.as_ref(), |data| {
                let others = data.snapshots.keys().filter(|(account, _)| *account == command.account).count();
                let others = i64::try_from(others).unwrap_or(i64::MAX);
                let copy = account_rows::of(data, &command.account);
                // The data has no stored text; its debug format has about the same length.
                let bytes = i64::try_from(format!("{copy:?}").len()).unwrap_or(i64::MAX);
                (command.decide)(&SnapshotSituation { snapshots: others, bytes }).map_err(WriteError::Refused)?;
                let snapshot = WorldSnapshot {
                    id: command.id,
                    account: command.account.clone(),
                    name: command.name.clone(),
                    created_at: command.now,
                    rows: i64::try_from(count_rows(&copy)).unwrap_or(i64::MAX),
                };
                let key = (command.account.clone(), command.id);
                add(&mut data.snapshots, key, (snapshot.clone(), timeline, Box::new(copy)))?;
                Ok(snapshot)
            })
        })
    }

    async fn snapshots(&self, account: &AccountId, page: PageRequest) -> Result<Page<WorldSnapshot>, StoreError> {
        let snapshots = self.read(|data| {
            let own = data.snapshots.iter().filter(|((world, _), _)| world == account);
            own.map(|(_, (snapshot, ..))| snapshot.clone()).collect()
        });
        Ok(paginate(snapshots, page))
    }

    async fn delete_snapshot(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
        claim: Option<IdempotencyClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>> {
        self.decide(|data| {
            once(data, claim.as_ref(), |data| {
                data.snapshots.remove(&(account.clone(), snapshot)).map(|_| ()).ok_or(WriteError::Absent)
            })
        })
    }

    async fn restore(&self, command: RestoreCommand) -> Result<Written<WorldReading>, WriteError<SnapshotRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let stored = data.snapshots.get(&(command.account.clone(), command.snapshot)).cloned();
                let (snapshot, timeline, rows) = stored.ok_or(WriteError::Absent)?;
                (command.decide)(&RestoreSituation { outdated: false }).map_err(WriteError::Refused)?;
                let secret = data.enrolments.get(&command.account).map(|enrolment| enrolment.secret.clone());
                account_rows::clear(data, &command.account);
                account_rows::put(data, &command.account, *rows, secret);
                begin_epoch(data, &command.account);
                deliveries::apply_restore(data, &command.account, snapshot.created_at);
                // The snapshot may contain a record under the same key. The new response replaces it.
                if let Some(claim) = &command.claim {
                    data.records.remove(&key_of(claim));
                }
                let account = data.accounts.get_mut(&command.account).ok_or(WriteError::Absent)?;
                let clock = timeline.clock.put_back(snapshot.created_at, command.real);
                account.timeline = Timeline { clock, ..timeline };
                let world = world(data, &command.account).ok_or(WriteError::Absent)?;
                Ok(WorldReading { world, real: command.real })
            })
        })
    }
}

/// Counts the main rows of a snapshot, for operators.
fn count_rows(data: &Data) -> usize {
    data.merchants.profiles.len()
        + data.merchants.logos.len()
        + data.merchants.settlement_accounts.len()
        + data.merchants.payees.len()
        + data.merchants.sessions.len()
        + data.merchants.payments.len()
        + data.checkouts.len()
        + data.budgets.len()
        + data.people.len()
        + data.journal.len()
        + data.credits.len()
        + data.cards.len()
        + data.messages.len()
        + data.batches.len()
        + data.payments.len()
        + data.events.len()
        + data.records.len()
}

/// Returns a world with its current clock.
fn world(data: &Data, account: &AccountId) -> Option<SandboxWorld> {
    let (world, _) = data.worlds.get(account)?;
    let clock = data.accounts.get(account)?.timeline.clock;
    Some(SandboxWorld { clock, ..world.clone() })
}

fn delete(data: &mut Data, account: &AccountId) -> bool {
    if data.worlds.remove(account).is_none() {
        return false;
    }
    account_rows::clear(data, account);
    deliveries::forget_account(data, account);
    data.snapshots.retain(|(world, _), _| world != account);
    data.keys.retain(|_, (key, _)| match &mut key.accounts {
        AccountGrant::AllOfClient => true,
        AccountGrant::Only(accounts) => !accounts.remove(account) || !accounts.is_empty(),
    });
    data.accounts.remove(account).is_some()
}

fn create(data: &mut Data, command: CreateWorldCommand) -> Result<SandboxWorld, WriteError<CreateWorldRefusal>> {
    let CreateWorldCommand { world: new, contents, key, hash, reseal, page_tokens, claim, decide } = command;
    let source = match &contents {
        WorldContents::Seeded(_) => None,
        WorldContents::Snapshot { id, reach, .. } => {
            let found = data.snapshots.iter().find(|((account, known), _)| {
                known == id
                    && reach.as_ref().is_none_or(|reach| reach.contains(account))
                    && data.worlds.get(account).is_some_and(|(world, _)| world.client == new.client)
            });
            let own = found.map(|(_, (snapshot, timeline, rows))| {
                (Some(snapshot.account.clone()), snapshot.created_at, timeline.clone(), rows.clone())
            });
            let imported = || {
                let stored = data.imported.get(&(new.client, *id)).filter(|_| reach.is_none())?;
                Some((None, stored.snapshot.created_at, stored.timeline.clone(), stored.rows.clone()))
            };
            Some(own.or_else(imported).ok_or(WriteError::Absent)?)
        }
    };
    let of_client = || data.worlds.values().filter(|(world, _)| world.client == new.client);
    let created_before = claim.as_ref().and_then(|claim| {
        let mut others = of_client().filter_map(|(world, earlier)| Some((world, earlier.as_ref()?)));
        let (world, earlier) = others.find(|(_, earlier)| earlier.key == claim.key)?;
        Some((world.account.clone(), earlier.request.clone()))
    });
    let situation = CreateSituation {
        worlds: i64::try_from(of_client().count()).unwrap_or(i64::MAX),
        exists: data.worlds.contains_key(&new.account),
        created_before,
        // Data in memory always has the schema of this program.
        outdated: false,
        is_key_revoked: key
            .made_by
            .and_then(|maker| data.keys.get(&maker))
            .is_some_and(|(key, _)| key.revoked_at.is_some()),
    };
    let replaces = decide(&situation).map_err(WriteError::Refused)?;
    // Read the secret first: the world of the snapshot may be the one that is replaced.
    let secret = match &source {
        Some((Some(from), ..)) => resealed(data, from, &new.account, &reseal)?,
        Some((None, ..)) | None => None,
    };
    if replaces {
        delete(data, &new.account);
    }
    data.id_counters.insert(new.account.clone(), 0);
    match (contents, source) {
        (WorldContents::Seeded(seed), _) => {
            insert_account(data, seed.account.clone())?;
            seed_account(data, *seed)?;
        }
        (WorldContents::Snapshot { name, timeline, .. }, Some((_, created_at, old_timeline, rows))) => {
            let frozen = ClockSetting::Frozen { at: created_at };
            let real = new.created_at;
            let clock = if timeline.seed.is_some() { frozen } else { old_timeline.clock.put_back(created_at, real) };
            insert_account(data, copy_of(&new, name, Timeline { clock, seed: timeline.seed }))?;
            account_rows::put(data, &new.account, *rows, secret);
            replace_tokens(data, &new.account, &page_tokens);
        }
        (WorldContents::Snapshot { .. }, None) => return Err(WriteError::Absent),
    }
    begin_epoch(data, &new.account);
    insert_key(data, key, hash)?;
    let account = new.account.clone();
    add(&mut data.worlds, account.clone(), (new, claim))?;
    world(data, &account).ok_or(WriteError::Absent)
}

/// Replaces the page tokens of an account's sessions and refunds, which may be copies from another account.
fn replace_tokens(data: &mut Data, account: &AccountId, tokens: &PageTokens) {
    for session in data.merchants.sessions.values_mut().filter(|session| session.account == *account) {
        session.token = tokens(account, session.id.0);
    }
    for payment in data.merchants.payments.values_mut().filter(|payment| payment.account == *account) {
        if let Some(refund) = &mut payment.refund {
            refund.token = tokens(account, refund.id.0);
        }
    }
}

/// Encrypts the TOTP secret of one world for another.
fn resealed(
    data: &Data,
    from: &AccountId,
    to: &AccountId,
    reseal: &Reseal,
) -> Result<Option<SealedSecret>, StoreError> {
    let secret = data.enrolments.get(from).map(|enrolment| &enrolment.secret);
    let [from, to] = [from, to].map(|account| SecretOwner::Totp(account.clone()));
    secret.map(|secret| reseal(&from, &to, secret)).transpose()
}

/// Builds the account of a world that is created from a snapshot.
fn copy_of(new: &SandboxWorld, name: String, timeline: Timeline) -> Account {
    Account {
        id: new.account.clone(),
        client: new.client,
        name,
        merchant: true,
        mfa_required: true,
        unique_budget_names: false,
        timeline,
        decision_endpoint: None,
        epoch: 0,
    }
}
