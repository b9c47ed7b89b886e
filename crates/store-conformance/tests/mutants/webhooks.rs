//! Bugs in subscriptions and deliveries.

use crate::bugs::{Bug, Mutant};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::ids::{EventId, WebhookId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{AttemptRecord, Delivery, DeliveryStatus, Webhook, WebhookRefusal};
use florin_ports::{
    AttemptEnd, ChangeWebhookCommand, ClaimDeliveriesCommand, ClaimedDeliveries, ClientClaim, CreateWebhookCommand,
    Deliveries, DeliveryBacklog, DeliveryClaim, DeliveryFilter, RecoverCommand, RedeliverCommand, StoreError,
    TestWebhookCommand, WaitingDeliveries, WebhookReach, Webhooks, WriteError, Written,
};
use std::collections::BTreeMap;
use std::sync::Arc;

#[async_trait]
impl Webhooks for Mutant {
    async fn create(&self, mut command: CreateWebhookCommand) -> Result<Written<Webhook>, WriteError<WebhookRefusal>> {
        if self.has(Bug::WebhooksUncounted) {
            let decide = Arc::clone(&command.decide);
            command.decide = Arc::new(move |_| decide(&0));
        }
        if self.has(Bug::WebhookOrderNotStored) {
            command.webhook.ordered = false;
        }
        if self.has(Bug::ClientRecordsMissing) {
            command.claim = None;
        }
        Webhooks::create(&self.inner, command).await
    }

    async fn change(&self, mut command: ChangeWebhookCommand) -> Result<Written<Webhook>, WriteError<WebhookRefusal>> {
        if self.has(Bug::ForeignWebhooksChanged)
            && let Some(webhook) = self.inner.all().await?.into_iter().find(|webhook| webhook.id == command.id)
        {
            command.reach = WebhookReach { client: webhook.client, accounts: None };
        }
        if self.has(Bug::StoredAnswersOfOtherKeys) && command.claim.is_some() {
            command.reach.accounts = None;
        }
        Webhooks::change(&self.inner, command).await
    }

    async fn delete(
        &self,
        reach: WebhookReach,
        id: WebhookId,
        now: DateTime<Utc>,
        claim: Option<ClientClaim<()>>,
    ) -> Result<Written<()>, WriteError<WebhookRefusal>> {
        let claim = claim.filter(|_| !self.has(Bug::ClientRecordsMissing));
        Webhooks::delete(&self.inner, reach, id, now, claim).await
    }

    async fn find(&self, reach: WebhookReach, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
        if self.has(Bug::ForeignWebhooksFound) {
            return Ok(self.inner.all().await?.into_iter().find(|webhook| webhook.id == id));
        }
        Webhooks::find(&self.inner, reach, id).await
    }

    async fn list(&self, mut reach: WebhookReach, page: PageRequest) -> Result<Page<Webhook>, StoreError> {
        if self.has(Bug::WebhooksOfOtherAccountsListed) {
            reach.accounts = None;
        }
        Webhooks::list(&self.inner, reach, page).await
    }

    async fn all(&self) -> Result<Vec<Webhook>, StoreError> {
        self.inner.all().await
    }
}

#[async_trait]
impl Deliveries for Mutant {
    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<Webhook>, StoreError> {
        if self.has(Bug::RestingDeliveriesDue) {
            return self.inner.all().await;
        }
        Deliveries::due(&self.inner, now).await
    }

    async fn claim(&self, mut command: ClaimDeliveriesCommand) -> Result<Option<ClaimedDeliveries>, StoreError> {
        if self.has(Bug::DeliveryLeasesEndAtOnce) {
            command.until = command.now;
        }
        if self.has(Bug::DeliveriesClaimedUnbounded) {
            command.max = u32::MAX;
        }
        let now = command.now;
        let mut claimed = Deliveries::claim(&self.inner, command).await?;
        if self.has(Bug::FirstAttemptsWaitForClocks)
            && let Some(claimed) = &mut claimed
        {
            claimed.deliveries.retain(|claimed| claimed.delivery.created_at <= now);
        }
        for delivery in claimed.iter_mut().flat_map(|claimed| &mut claimed.deliveries) {
            if self.has(Bug::AttemptsCountedLate) {
                delivery.delivery.attempts -= 1;
            }
            if self.has(Bug::TestsWithoutBody) && delivery.delivery.is_test {
                delivery.body = None;
            }
        }
        Ok(claimed)
    }

    async fn record(&self, mut ends: Vec<AttemptEnd>, now: DateTime<Utc>) -> Result<u64, StoreError> {
        if self.has(Bug::AnyAttemptOfALeaseRecorded) {
            for end in &mut ends {
                let all = DeliveryFilter { status: None, message: None, from: None, to: None, attempts: 0 };
                let found = self.inner.log(end.claim.webhook, all, PageRequest::default()).await?.rows;
                let found = found.into_iter().find(|(delivery, _)| delivery.message == end.claim.message);
                end.claim.attempt = found.map_or(0, |(delivery, _)| delivery.attempts);
            }
        }
        if self.has(Bug::VerdictsNotStored) {
            for end in &mut ends {
                let decide = Arc::clone(&end.decide);
                end.decide = Arc::new(move |situation| {
                    let mut decision = decide(situation);
                    decision.disable = None;
                    decision
                });
            }
        }
        Deliveries::record(&self.inner, ends, now).await
    }

    async fn release(&self, claims: Vec<DeliveryClaim>) -> Result<(), StoreError> {
        if self.has(Bug::ReleasedClaimsStay) { Ok(()) } else { self.inner.release(claims).await }
    }

    async fn end(&self, claims: Vec<DeliveryClaim>, status: DeliveryStatus) -> Result<(), StoreError> {
        self.inner.end(claims, status).await
    }

    async fn log(
        &self,
        webhook: WebhookId,
        mut filter: DeliveryFilter,
        page: PageRequest,
    ) -> Result<Page<(Delivery, Vec<AttemptRecord>)>, StoreError> {
        if self.has(Bug::DeliveryStatusIgnored) {
            filter.status = None;
        }
        if self.has(Bug::AllAttemptsLogged) {
            filter.attempts = 1_000_000;
        }
        self.inner.log(webhook, filter, page).await
    }

    async fn redeliver(&self, mut command: RedeliverCommand) -> Result<Written<()>, WriteError<WebhookRefusal>> {
        if self.has(Bug::DisabledRedelivers) {
            command.decide = Arc::new(|_| Ok(()));
        }
        if self.has(Bug::RedeliveriesOfRepeats) {
            let RedeliverCommand { reach, webhook, message, now, decide, .. } = &command;
            let (reach, webhook, message, now) = (reach.clone(), *webhook, *message, *now);
            let unclaimed = RedeliverCommand { reach, webhook, message, now, decide: Arc::clone(decide), claim: None };
            self.inner.redeliver(unclaimed).await?;
        }
        self.inner.redeliver(command).await
    }

    async fn recover(&self, mut command: RecoverCommand) -> Result<Written<u64>, WriteError<WebhookRefusal>> {
        if self.has(Bug::RecoversEverything) {
            command.since = DateTime::<Utc>::MIN_UTC;
        }
        self.inner.recover(command).await
    }

    async fn test(&self, command: TestWebhookCommand) -> Result<Written<EventId>, WriteError<WebhookRefusal>> {
        self.inner.test(command).await
    }

    async fn delete_deliveries(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        let late = TimeDelta::days(i64::from(self.has(Bug::YoungDeliveriesDeleted)));
        let max = if self.has(Bug::DeliveriesDeletedUnbounded) { u32::MAX } else { max };
        self.inner.delete_deliveries(before + late, max).await
    }

    async fn backlog(&self) -> Result<DeliveryBacklog, StoreError> {
        let backlog = self.inner.backlog().await?;
        Ok(if self.has(Bug::BacklogEmpty) { DeliveryBacklog::default() } else { backlog })
    }

    async fn backlogs(&self, webhook: Option<WebhookId>) -> Result<BTreeMap<WebhookId, WaitingDeliveries>, StoreError> {
        let webhook = webhook.filter(|_| !self.has(Bug::BacklogOfOneHasAll));
        let mut backlogs = self.inner.backlogs(webhook).await?;
        if self.has(Bug::RestingDeliveriesUncounted) {
            let all = self.inner.all().await?;
            backlogs.retain(|id, _| all.iter().any(|webhook| webhook.id == *id && webhook.enabled));
        }
        Ok(backlogs)
    }
}
