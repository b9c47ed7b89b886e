//! Deliveries of events to subscriptions.

use crate::MemoryStore;
use crate::data::Data;
use crate::stored::StoredDelivery;
use crate::webhooks::under_claim_on;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::event::StoredEvent;
use florin_domain::ids::{AccountId, EventId, WebhookId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{
    AttemptRecord, DeliveredEvent, Delivery, DeliveryStatus, RedeliverSituation, Webhook, WebhookRefusal,
};
use florin_domain::world::ClockSetting;
use florin_ports::{
    AttemptEnd, AttemptSituation, ClaimDeliveriesCommand, ClaimedDeliveries, ClaimedDelivery, Deliveries,
    DeliveryBacklog, DeliveryClaim, DeliveryFilter, LoggedDelivery, RecoverCommand, RedeliverCommand, StoreError,
    TestWebhookCommand, WaitingDeliveries, WriteError, Written,
};
use std::collections::BTreeMap;

fn clock_of(data: &Data, account: &AccountId) -> ClockSetting {
    data.accounts.get(account).map(|account| account.timeline.clock).unwrap_or_default()
}

/// Whether the deliveries of a subscription are paused.
fn is_paused(data: &Data, webhook: &Webhook) -> bool {
    !webhook.state.is_enabled() || data.clients.get(&webhook.client).is_some_and(|client| client.disabled_at.is_some())
}

/// Returns the deliveries of a subscription that can be claimed. First attempts and retries alternate, and within each
/// of the two kinds, those that have waited longest come first.
fn claimable(data: &Data, webhook: &Webhook, now: DateTime<Utc>) -> Vec<EventId> {
    if is_paused(data, webhook) {
        return Vec::new();
    }
    let own = || data.deliveries.values().filter(|stored| stored.delivery.webhook == webhook.id);
    let is_first = |stored: &&StoredDelivery| {
        let is_before = |other: &StoredDelivery| {
            other.delivery.status.is_waiting()
                && other.delivery.object == stored.delivery.object
                && other.delivery.sequence < stored.delivery.sequence
        };
        !webhook.ordered || !own().any(is_before)
    };
    let is_due = |stored: &&StoredDelivery| {
        stored.delivery.due_at.is_none_or(|due| due <= clock_of(data, &stored.delivery.account).now(now))
    };
    let mut found: Vec<_> = own().filter(|stored| stored.is_free(now)).filter(is_due).filter(is_first).collect();
    found.sort_by_key(|stored| {
        (stored.delivery.due_at, stored.queued_at, stored.delivery.sequence, stored.delivery.event)
    });
    let (mut first_attempts, mut retries) = (0, 0);
    let placed = found.into_iter().map(|stored| {
        let place = if stored.delivery.due_at.is_none() { &mut first_attempts } else { &mut retries };
        *place += 1;
        (*place, stored.delivery.event)
    });
    let mut placed: Vec<_> = placed.collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, event)| event).collect()
}

fn claim(data: &mut Data, command: &ClaimDeliveriesCommand) -> Option<ClaimedDeliveries> {
    let webhook = data.webhooks.get(&command.webhook)?.clone();
    if is_paused(data, &webhook) {
        return None;
    }
    let mut claimed = Vec::new();
    for event in claimable(data, &webhook, command.now).into_iter().take(command.max as usize) {
        let body = body_of(data, event);
        let Some(stored) = data.deliveries.get_mut(&(webhook.id, event)) else { continue };
        stored.lease = Some((command.lease, command.until));
        stored.delivery.begin_attempt();
        let (delivery, test) = (stored.delivery.clone(), stored.test_body.clone());
        let clock = clock_of(data, &delivery.account);
        claimed.push(ClaimedDelivery { delivery, lease: command.lease, clock, body: body.or(test).map(Into::into) });
    }
    Some(ClaimedDeliveries { webhook, deliveries: claimed, has_more: false })
}

/// Records an ended attempt if its claim is still current, and returns whether it is.
fn record(data: &mut Data, end: &AttemptEnd, now: DateTime<Utc>) -> bool {
    let key = (end.claim.webhook, end.claim.event);
    let Some(stored) = data.deliveries.get(&key).filter(|stored| stored.is_held_by(&end.claim)) else { return false };
    let Some(webhook) = data.webhooks.get(&end.claim.webhook).cloned() else { return false };
    let delivery = stored.delivery.clone();
    let clock = clock_of(data, &delivery.account);
    let decision = (end.decide)(&AttemptSituation { delivery, webhook, clock });
    if let Some(webhook) = data.webhooks.get_mut(&end.claim.webhook) {
        webhook.apply(&decision, clock.time_at(now));
    }
    if let Some(stored) = data.deliveries.get_mut(&key) {
        stored.delivery.end_attempt(&decision);
        stored.lease = None;
        stored.attempts.push(end.attempt.clone());
    }
    true
}

/// Changes the deliveries of the claims that are still current, and ends their leases.
fn end_leases(data: &mut Data, claims: &[DeliveryClaim], change: impl Fn(&mut Delivery)) {
    for claim in claims {
        let stored = data.deliveries.get_mut(&(claim.webhook, claim.event));
        if let Some(stored) = stored.filter(|stored| stored.is_held_by(claim)) {
            change(&mut stored.delivery);
            stored.lease = None;
        }
    }
}

fn recover(data: &mut Data, webhook: &Webhook, command: &RecoverCommand) -> Result<u64, WriteError<WebhookRefusal>> {
    (command.decide)(webhook).map_err(WriteError::Refused)?;
    let mut recovered = 0;
    for delivery in matching(data, webhook, command.since) {
        let event = delivery.event;
        let fresh = StoredDelivery::new(delivery, None, command.now);
        match data.deliveries.get_mut(&(webhook.id, fresh.delivery.event)) {
            None => {
                data.deliveries.insert((webhook.id, fresh.delivery.event), fresh);
            }
            Some(stored) if matches!(stored.delivery.status, DeliveryStatus::Exhausted | DeliveryStatus::Cancelled) => {
                stored.restart();
            }
            Some(_) => continue,
        }
        data.redelivered(event, command.now);
        recovered += 1;
    }
    resume(data, |of| of.id == webhook.id);
    Ok(recovered)
}

fn log(data: &Data, webhook: WebhookId, filter: &DeliveryFilter, page: PageRequest) -> Page<LoggedDelivery> {
    let is_selected = |delivery: &Delivery| {
        delivery.webhook == webhook
            && filter.status.is_none_or(|status| delivery.status == status)
            && filter.event.is_none_or(|event| delivery.event == event)
            && filter.from.is_none_or(|from| delivery.created_at >= from)
            && filter.to.is_none_or(|to| delivery.created_at <= to)
    };
    let mut found: Vec<_> = data.deliveries.values().filter(|stored| is_selected(&stored.delivery)).collect();
    found.sort_by_key(|stored| std::cmp::Reverse((stored.queued_at, stored.delivery.event)));
    let logged = |stored: &StoredDelivery| {
        let is_last = |attempt: &&AttemptRecord| attempt.number + filter.attempts > stored.delivery.attempts;
        let attempts = stored.attempts.iter().filter(is_last).cloned().collect();
        LoggedDelivery { delivery: stored.delivery.clone(), attempts }
    };
    crate::pages::paginate(found.into_iter().map(logged).collect(), page)
}

#[async_trait]
impl Deliveries for MemoryStore {
    /// Does nothing, because each event is queued when it is written.
    async fn fan_out(&self) -> Result<bool, StoreError> {
        Ok(true)
    }

    /// Ends immediately, which the port allows.
    async fn new_events(&self) {}

    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<Webhook>, StoreError> {
        Ok(self.read(|data| {
            let due = data.webhooks.values().filter(|webhook| !claimable(data, webhook, now).is_empty());
            due.cloned().collect()
        }))
    }

    async fn claim(&self, command: ClaimDeliveriesCommand) -> Result<Option<ClaimedDeliveries>, StoreError> {
        self.change(|data| Ok(claim(data, &command)))
    }

    async fn record(&self, ends: Vec<AttemptEnd>, now: DateTime<Utc>) -> Result<u64, StoreError> {
        let recorded = self.decide::<_, std::convert::Infallible>(|data| {
            Ok(ends.iter().filter(|end| record(data, end, now)).count() as u64)
        });
        recorded.map_err(|error| match error {
            WriteError::Store(error) => error,
            _ => StoreError::Corrupt("an attempt was refused".into()),
        })
    }

    async fn release(&self, claims: Vec<DeliveryClaim>) -> Result<(), StoreError> {
        self.change(|data| {
            end_leases(data, &claims, |_| {});
            Ok(())
        })
    }

    async fn end(&self, claims: Vec<DeliveryClaim>, status: DeliveryStatus) -> Result<(), StoreError> {
        self.change(|data| {
            end_leases(data, &claims, |delivery| (delivery.status, delivery.due_at) = (status, None));
            Ok(())
        })
    }

    async fn log(
        &self,
        webhook: WebhookId,
        filter: DeliveryFilter,
        page: PageRequest,
    ) -> Result<Page<LoggedDelivery>, StoreError> {
        Ok(self.read(|data| log(data, webhook, &filter, page)))
    }

    async fn redeliver(&self, command: RedeliverCommand) -> Result<Written<()>, WriteError<WebhookRefusal>> {
        self.decide(|data| {
            under_claim_on(data, (&command.reach, command.webhook), command.claim.as_ref(), |data, webhook| {
                let is_event_stored = body_of(data, command.event).is_some();
                let key = (command.webhook, command.event);
                let stored = data.deliveries.get_mut(&key).ok_or(WriteError::Absent)?;
                let situation = RedeliverSituation { webhook, delivery: stored.delivery.clone(), is_event_stored };
                (command.decide)(&situation).map_err(WriteError::Refused)?;
                stored.restart();
                data.redelivered(command.event, command.now);
                resume(data, |of| of.id == command.webhook);
                Ok(())
            })
        })
    }

    async fn recover(&self, command: RecoverCommand) -> Result<Written<u64>, WriteError<WebhookRefusal>> {
        self.decide(|data| {
            let of = (&command.reach, command.webhook);
            under_claim_on(data, of, command.claim.as_ref(), |data, webhook| recover(data, &webhook, &command))
        })
    }

    async fn test(&self, command: TestWebhookCommand) -> Result<Written<EventId>, WriteError<WebhookRefusal>> {
        self.decide(|data| {
            let delivery = &command.delivery;
            under_claim_on(data, (&command.reach, delivery.webhook), command.claim.as_ref(), |data, webhook| {
                (command.decide)(&webhook).map_err(WriteError::Refused)?;
                let stored = StoredDelivery::new(delivery.clone(), Some(command.body.clone()), command.now);
                data.deliveries.insert((delivery.webhook, delivery.event), stored);
                resume(data, |of| of.id == webhook.id);
                Ok(delivery.event)
            })
        })
    }

    async fn delete_deliveries(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        self.change(|data| {
            let is_old = |stored: &StoredDelivery| stored.queued_at < before && !stored.delivery.status.is_waiting();
            let is_orphan = |stored: &StoredDelivery| !data.webhooks.contains_key(&stored.delivery.webhook);
            let old =
                data.deliveries.iter().filter(|(_, stored)| is_old(stored) || is_orphan(stored)).map(|(key, _)| *key);
            let old: Vec<_> = old.take(max as usize).collect();
            for key in &old {
                data.deliveries.remove(key);
            }
            data.deleted_webhooks.retain(|_, (_, at)| *at >= before);
            Ok(old.len() as u64)
        })
    }

    async fn backlog(&self) -> Result<DeliveryBacklog, StoreError> {
        Ok(self.read(|data| {
            let is_enabled = |stored: &&StoredDelivery| {
                data.webhooks.get(&stored.delivery.webhook).is_some_and(|webhook| !is_paused(data, webhook))
            };
            let waiting: Vec<_> = waiting(data).filter(is_enabled).collect();
            DeliveryBacklog {
                oldest: waiting.iter().map(|stored| stored.queued_at).min(),
                waiting: by_subscription(waiting),
            }
        }))
    }

    async fn backlogs(&self, webhook: Option<WebhookId>) -> Result<BTreeMap<WebhookId, WaitingDeliveries>, StoreError> {
        Ok(self.read(|data| {
            let is_selected = |stored: &&StoredDelivery| {
                let of = stored.delivery.webhook;
                data.webhooks.contains_key(&of) && webhook.is_none_or(|id| of == id)
            };
            by_subscription(waiting(data).filter(is_selected))
        }))
    }
}

/// Returns the deliveries that wait.
fn waiting(data: &Data) -> impl Iterator<Item = &StoredDelivery> {
    data.deliveries.values().filter(|stored| stored.delivery.status.is_waiting())
}

/// Counts waiting deliveries by subscription.
fn by_subscription<'d>(
    waiting: impl IntoIterator<Item = &'d StoredDelivery>,
) -> BTreeMap<WebhookId, WaitingDeliveries> {
    let mut counts: BTreeMap<_, WaitingDeliveries> = BTreeMap::new();
    for StoredDelivery { delivery, .. } in waiting {
        let count = counts.entry(delivery.webhook).or_default();
        count.waiting += 1;
        count.failed += u64::from(delivery.status == DeliveryStatus::Failed);
    }
    counts
}

/// Deletes the subscriptions of an account, and all deliveries of its events.
pub(crate) fn forget_account(data: &mut Data, account: &AccountId) {
    data.webhooks.retain(|_, webhook| webhook.account.as_ref() != Some(account));
    data.deleted_webhooks.retain(|_, (webhook, _)| webhook.account.as_ref() != Some(account));
    data.deliveries.retain(|_, stored| stored.delivery.account != *account);
    forget_failing(data, account);
}

fn forget_failing(data: &mut Data, account: &AccountId) {
    for webhook in data.webhooks.values_mut() {
        webhook.failing = webhook.failing.take().filter(|failing| failing.account != *account);
    }
}

/// Resumes the receivers of these subscriptions: if they are paused after failures, the next delivery is sent
/// immediately.
fn resume(data: &mut Data, is_selected: impl Fn(&Webhook) -> bool) {
    data.webhooks.values_mut().filter(|webhook| is_selected(webhook)).for_each(|webhook| webhook.resumptions += 1);
}

/// Resumes the receivers of an account's events, because a change of its clock may have made retries due.
pub(crate) fn resume_after_clock_change(data: &mut Data, account: &AccountId) {
    let client = data.accounts.get(account).map(|account| account.client);
    resume(data, |of| Some(of.client) == client && of.account.as_ref().is_none_or(|of| of == account));
}

/// Applies a restore of an account to its deliveries. `to` is the restored time by the account's clock. Waiting
/// deliveries of undone events are cancelled, other retries become due at `to` at the latest, and failures are
/// forgotten.
pub(crate) fn apply_restore(data: &mut Data, account: &AccountId, to: DateTime<Utc>) {
    resume_after_clock_change(data, account);
    forget_failing(data, account);
    let own = data.deliveries.iter().filter(|(_, stored)| stored.delivery.account == *account);
    let undone: Vec<_> = own
        .filter(|(_, stored)| stored.delivery.status.is_waiting() && stored.test_body.is_none())
        .map(|(key, _)| *key)
        .filter(|(_, event)| body_of(data, *event).is_none())
        .collect();
    for key in undone {
        if let Some(stored) = data.deliveries.get_mut(&key) {
            (stored.delivery.status, stored.delivery.due_at, stored.lease) = (DeliveryStatus::Cancelled, None, None);
        }
    }
    let is_waiting =
        |stored: &&mut StoredDelivery| stored.delivery.account == *account && stored.delivery.status.is_waiting();
    for stored in data.deliveries.values_mut().filter(is_waiting) {
        stored.delivery.due_at = stored.delivery.due_at.map(|due| due.min(to));
    }
}

/// Returns the enabled subscriptions to the events of an account.
pub(crate) fn subscribers<'d>(data: &'d Data, account: &'d AccountId) -> impl Iterator<Item = &'d Webhook> {
    let client = data.accounts.get(account).map(|account| account.client);
    data.webhooks.values().filter(move |webhook| {
        webhook.state.is_enabled()
            && Some(webhook.client) == client
            && webhook.account.as_ref().is_none_or(|of| of == account)
    })
}

/// Queues an event for its subscriptions.
pub(crate) fn queue(data: &mut Data, event: &StoredEvent) {
    let to = subscribers(data, &event.account).filter(|webhook| webhook.receives(event.kind, event.checkout));
    let to: Vec<_> = to.map(|to| to.id).collect();
    for webhook in to {
        let delivery = Delivery::new(webhook, delivered(event));
        data.deliveries.insert((webhook, event.id), StoredDelivery::new(delivery, None, event.recorded_at));
    }
}

fn delivered(event: &StoredEvent) -> DeliveredEvent {
    DeliveredEvent {
        id: event.id,
        account: event.account.clone(),
        object: event.object,
        sequence: i64::try_from(event.sequence).unwrap_or(i64::MAX),
        at: event.occurred_at,
    }
}

/// Returns the body of a stored event.
fn body_of(data: &Data, event: EventId) -> Option<String> {
    data.events.values().find(|stored| stored.id == event).map(|stored| stored.body.clone())
}

/// Returns new deliveries of the stored events that match a subscription and are not older than `since`.
fn matching(data: &Data, webhook: &Webhook, since: DateTime<Utc>) -> Vec<Delivery> {
    let is_its = |event: &&StoredEvent| {
        webhook.receives(event.kind, event.checkout)
            && event.occurred_at >= since
            && webhook.account.as_ref().is_none_or(|of| *of == event.account)
            && data.accounts.get(&event.account).is_some_and(|account| account.client == webhook.client)
    };
    data.events.values().filter(is_its).map(|event| Delivery::new(webhook.id, delivered(event))).collect()
}
