//! Bugs in subscriptions and deliveries.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::ids::{EventId, LeaseId, WebhookId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{DeliveredEvent, Delivery, DeliveryStatus, RedeliverSituation, Webhook, WebhookRefusal};
use florin_ports::{
    AttemptEnd, ChangeWebhookCommand, ClaimDeliveriesCommand, ClaimedDeliveries, ClaimedDelivery, ClientClaim,
    CreateWebhookCommand, Deliveries, DeliveryBacklog, DeliveryClaim, DeliveryFilter, LoggedDelivery, RecoverCommand,
    RedeliverCommand, StoreError, TestWebhookCommand, WaitingDeliveries, WebhookReach, Webhooks, WriteError, Written,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// Each bug and the check that must catch it.
pub(crate) const CAUGHT: &[(Bug, &str)] = &[
    (Bug::WebhooksUncounted, "webhooks.create.counts_the_subscriptions_of_the_client"),
    (Bug::WebhookOrderNotStored, "webhooks.create.stores_every_member"),
    (Bug::ClientRecordsMissing, "webhooks.repeats.are_replayed_unless_the_answer_was_a_secret"),
    (Bug::ForeignWebhooksChanged, "webhooks.reach.others_are_absent"),
    (Bug::ForeignWebhooksFound, "webhooks.reach.others_are_absent"),
    (Bug::WebhooksOfOtherAccountsListed, "webhooks.reach.others_are_absent"),
    (Bug::AccountlessWebhooksHidden, "webhooks.reach.includes_those_without_an_account_if_it_says_so"),
    (Bug::AccountlessWebhooksOfLimitedKeys, "webhooks.reach.includes_those_without_an_account_if_it_says_so"),
    (Bug::DeliveriesOfDisabledDue, "deliveries.claim.not_for_a_disabled_subscription"),
    (Bug::DeliveryLeasesEndAtOnce, "deliveries.claim.one_lease_at_a_time"),
    (Bug::DeliveriesClaimedUnbounded, "deliveries.claim.longest_due_first_up_to_the_maximum"),
    (Bug::AttemptsCountedLate, "deliveries.claim.counts_the_attempt_before_it_is_sent"),
    (Bug::TestsWithoutBody, "deliveries.test.has_its_own_body"),
    (Bug::AttemptDecisionsNotStored, "deliveries.record.stores_the_attempt_and_the_decision"),
    (Bug::ReleasedClaimsStay, "deliveries.release.another_attempt_follows_at_once"),
    (Bug::StoredAnswersOfOtherKeys, "deliveries.repeats.others_get_no_stored_answer"),
    (Bug::FirstAttemptsWaitForClocks, "deliveries.claim.a_first_attempt_waits_for_no_clock"),
    (Bug::AnyAttemptOfALeaseRecorded, "deliveries.record.a_claim_is_one_attempt"),
    (Bug::LastClaimOfACallWins, "deliveries.record.of_two_claims_in_a_call_the_current_one_counts"),
    (Bug::BodiesOfOneSubscription, "deliveries.claim.concurrent_claims_take_each_delivery_once"),
    (Bug::EndsOfOneSubscription, "deliveries.record.concurrent_calls_are_independent"),
    (Bug::AllAttemptsLogged, "deliveries.log.shows_the_last_attempts"),
    (Bug::DeliveriesDeletedUnbounded, "deliveries.deletion.nothing_is_claimed_and_portions_are_removed"),
    (Bug::DeliveryStatusIgnored, "deliveries.log.filters_and_pages"),
    (Bug::DisabledRedelivers, "deliveries.redeliver.begins_anew"),
    (Bug::AbsentEventsRedelivered, "deliveries.restore.cancels_those_of_undone_events"),
    (Bug::TestsNotRedelivered, "deliveries.test.has_its_own_body"),
    (Bug::RecoversEverything, "deliveries.recover.what_is_neither_delivered_nor_waiting"),
    (Bug::YoungDeliveriesDeleted, "deliveries.delete_deliveries.old_ones_that_do_not_wait"),
    (Bug::BacklogEmpty, "deliveries.queue.one_for_each_matching_subscription"),
    (Bug::DisabledTimesQueued, "deliveries.fan_out.as_the_subscription_was_at_the_event"),
    (Bug::EarlierEventsFiltered, "deliveries.fan_out.a_filter_does_not_affect_earlier_events"),
    (Bug::NewDeliveriesHidden, "deliveries.fan_out.includes_every_acknowledged_event"),
    (Bug::NewEventsUnnoticed, "deliveries.new_events.ends_after_the_commit_of_received_events"),
    (Bug::LateCommitsNotQueued, "deliveries.fan_out.each_event_once_while_others_write"),
    (Bug::BacklogOfOneHasAll, "deliveries.backlogs.count_what_waits_for_each_subscription"),
    (Bug::DeliveriesOfDisabledUncounted, "deliveries.backlogs.count_what_waits_for_each_subscription"),
    (Bug::SecretsOfDeletedWebhooksKept, "webhooks.secrets.are_found_and_replaced"),
    (Bug::WebhookOrderNotStored, "deliveries.claim.ordered_holds_back_the_same_object"),
    (Bug::OrderingNeverEnds, "deliveries.claim.an_order_can_be_given_up"),
    (Bug::EndsOfDisabledLost, "deliveries.claim.an_order_can_be_given_up_for_a_while"),
    (Bug::NothingRedelivered, "deliveries.claim.an_earlier_event_that_is_sent_again_holds_back_later_ones"),
    (Bug::DisabledClientsReceive, "deliveries.claim.not_for_a_disabled_client"),
    (Bug::RetriesByRealTime, "deliveries.claim.due_by_the_clock_of_the_account"),
    (Bug::RetriesFirst, "deliveries.claim.first_attempts_and_retries_take_turns"),
    (Bug::WebhookFiltersLost, "deliveries.queue.a_filter_selects_checkouts"),
    (Bug::RefusalsQueue, "deliveries.queue.a_refusal_queues_nothing"),
    (Bug::LeasesIgnored, "deliveries.record.without_the_lease_has_no_effect"),
    (Bug::OnePortionRecovered, "deliveries.recover.more_than_one_portion"),
    (Bug::UndoneDeliveriesWait, "deliveries.restore.cancels_those_of_undone_events"),
    (Bug::RestoresLeaseRetries, "deliveries.restore.retries_of_the_undone_time_are_due"),
    (Bug::ResumptionsUncounted, "deliveries.resumptions.count_requests_for_deliveries_now"),
    (Bug::WebhooksOutliveTheirWorld, "deliveries.worlds.are_deleted_with_their_world"),
];

impl Mutant {
    /// Queues a delivery for each subscription of an account.
    pub(crate) async fn queue_anything(&self) -> Result<(), StoreError> {
        for webhook in self.inner.all().await? {
            let Some(account) = webhook.account else { continue };
            let (id, at) = (EventId(Uuid::nil()), DateTime::UNIX_EPOCH);
            let event = DeliveredEvent { id, account, object: Uuid::nil(), sequence: 1, at };
            let command = TestWebhookCommand {
                reach: WebhookReach::of_client(webhook.client),
                delivery: Delivery { is_test: true, ..Delivery::new(webhook.id, event) },
                body: String::new(),
                now: at,
                decide: Arc::new(|_| Ok(())),
                claim: None,
            };
            let _ = self.inner.test(command).await;
        }
        Ok(())
    }

    /// Leases everything that can be claimed, for years.
    pub(crate) async fn lease_everything(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let (lease, until) = (LeaseId(Uuid::nil()), now + TimeDelta::days(9999));
        for webhook in self.inner.all().await? {
            let command = ClaimDeliveriesCommand { webhook: webhook.id, lease, now, until, max: u32::MAX };
            Deliveries::claim(&self.inner, command).await?;
        }
        Ok(())
    }

    /// Stores the subscriptions of a deleted account again, for all accounts of their clients.
    pub(crate) async fn keep_webhooks(&self, of: Vec<Webhook>) -> Result<(), StoreError> {
        for webhook in of {
            let id = WebhookId(Uuid::from_u128(webhook.id.0.as_u128() + 1_000));
            let webhook = Webhook { id, account: None, ..webhook };
            let command = CreateWebhookCommand { webhook, decide: Arc::new(|_| Ok(())), claim: None };
            let _ = Webhooks::create(&self.inner, command).await;
        }
        Ok(())
    }

    /// Changes claimed deliveries as the bug does. `max` and `now` are those of the command.
    async fn change_claimed(
        &self,
        claimed: &mut ClaimedDeliveries,
        (max, now): (usize, DateTime<Utc>),
    ) -> Result<(), StoreError> {
        if self.has(Bug::FirstAttemptsWaitForClocks) {
            claimed.deliveries.retain(|claimed| claimed.delivery.created_at <= now);
        }
        if self.has(Bug::LateCommitsNotQueued) {
            // Every tenth event has no delivery.
            let mut count = 0;
            claimed.deliveries.retain(|_| {
                count += 1;
                count % 10 != 0
            });
        }
        if self.has(Bug::RetriesByRealTime) {
            claimed.deliveries.retain(|claimed| claimed.delivery.due_at.is_none_or(|due| due <= now));
        }
        if self.has(Bug::RetriesFirst) {
            claimed.deliveries.sort_by_key(|claimed| Reverse(claimed.delivery.attempts));
            let late = claimed.deliveries.split_off(max.min(claimed.deliveries.len()));
            self.inner.release(late.iter().map(ClaimedDelivery::claim).collect()).await?;
        }
        let is_first = self.inner.all().await?.first().is_some_and(|first| first.id == claimed.webhook.id);
        for delivery in &mut claimed.deliveries {
            if self.has(Bug::BodiesOfOneSubscription) && !is_first {
                delivery.body = None;
            }
            if self.has(Bug::AttemptsCountedLate) {
                delivery.delivery.attempts -= 1;
            }
            if self.has(Bug::TestsWithoutBody) && delivery.delivery.is_test {
                delivery.body = None;
            }
        }
        Ok(())
    }
}

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
        if self.has(Bug::WebhookFiltersLost) {
            command.webhook.filter = None;
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
            command.reach = WebhookReach::of_client(webhook.client);
        }
        if self.has(Bug::StoredAnswersOfOtherKeys) && command.claim.is_some() {
            command.reach = WebhookReach::of_client(command.reach.client);
        }
        if self.has(Bug::OrderingNeverEnds) {
            let decide = Arc::clone(&command.decide);
            command.decide = Arc::new(move |before: &Webhook| {
                let after = decide(before)?;
                Ok(Webhook { ordered: before.ordered || after.ordered, ..after })
            });
        }
        let before = self.inner.all().await?.into_iter().find(|webhook| webhook.id == command.id);
        let written = Webhooks::change(&self.inner, command).await?;
        if let (Some(before), Written::New(after)) = (before, &written) {
            if self.has(Bug::DisabledTimesQueued) && after.state.is_enabled() && !before.state.is_enabled() {
                self.recover_all(after).await?;
            }
            if self.has(Bug::EarlierEventsFiltered) && after.filter != before.filter {
                self.cancel_waiting(after).await?;
            }
        }
        Ok(written)
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

    async fn find(&self, mut reach: WebhookReach, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
        if self.has(Bug::AccountlessWebhooksHidden) && reach.accounts.is_some() {
            reach.has_accountless = false;
        }
        if self.has(Bug::AccountlessWebhooksOfLimitedKeys) {
            reach.has_accountless = true;
        }
        if self.has(Bug::ForeignWebhooksFound) {
            return Ok(self.inner.all().await?.into_iter().find(|webhook| webhook.id == id));
        }
        Webhooks::find(&self.inner, reach, id).await
    }

    async fn list(&self, mut reach: WebhookReach, page: PageRequest) -> Result<Page<Webhook>, StoreError> {
        if self.has(Bug::WebhooksOfOtherAccountsListed) {
            reach = WebhookReach::of_client(reach.client);
        }
        Webhooks::list(&self.inner, reach, page).await
    }

    async fn all(&self) -> Result<Vec<Webhook>, StoreError> {
        let mut all = self.inner.all().await?;
        if self.has(Bug::ResumptionsUncounted) {
            for webhook in &mut all {
                webhook.resumptions = 0;
            }
        }
        Ok(all)
    }
}

impl Mutant {
    /// Queues all events of a subscription.
    async fn recover_all(&self, of: &Webhook) -> Result<(), WriteError<WebhookRefusal>> {
        let reach = WebhookReach::of_client(of.client);
        let (since, now) = (DateTime::<Utc>::MIN_UTC, of.updated_at);
        let command = RecoverCommand { reach, webhook: of.id, since, now, decide: Arc::new(|_| Ok(())), claim: None };
        self.inner.recover(command).await.map(drop)
    }

    /// Cancels the waiting deliveries of a subscription.
    async fn cancel_waiting(&self, of: &Webhook) -> Result<(), StoreError> {
        let (now, lease) = (of.updated_at, LeaseId(of.id.0));
        let command = ClaimDeliveriesCommand { webhook: of.id, lease, now, until: now, max: 1_000 };
        let claimed = Deliveries::claim(&self.inner, command).await?.map(|claimed| claimed.deliveries);
        let claims = claimed.iter().flatten().map(ClaimedDelivery::claim).collect();
        self.inner.end(claims, DeliveryStatus::Cancelled).await
    }
}

#[async_trait]
impl Deliveries for Mutant {
    async fn fan_out(&self) -> Result<bool, StoreError> {
        self.inner.fan_out().await
    }

    async fn new_events(&self) {
        if self.has(Bug::NewEventsUnnoticed) {
            std::future::pending::<()>().await;
        }
        self.inner.new_events().await;
    }

    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<Webhook>, StoreError> {
        if self.has(Bug::DeliveriesOfDisabledDue) {
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
        if self.has(Bug::LeasesIgnored) {
            command.lease = LeaseId(Uuid::nil());
        }
        let (max, now) = (usize::try_from(command.max).unwrap(), command.now);
        if self.has(Bug::RetriesFirst) {
            command.max = u32::MAX;
        }
        let mut claimed = Deliveries::claim(&self.inner, command).await?;
        if let Some(claimed) = &mut claimed {
            self.change_claimed(claimed, (max, now)).await?;
        }
        Ok(claimed)
    }

    async fn record(&self, mut ends: Vec<AttemptEnd>, now: DateTime<Utc>) -> Result<u64, StoreError> {
        if self.has(Bug::EndsOfDisabledLost)
            && self.inner.all().await?.iter().all(|webhook| !webhook.state.is_enabled())
        {
            return Ok(0);
        }
        if self.has(Bug::AnyAttemptOfALeaseRecorded) || self.has(Bug::LeasesIgnored) {
            for end in &mut ends {
                let all = DeliveryFilter { status: None, event: None, from: None, to: None, attempts: 0 };
                let found = self.inner.log(end.claim.webhook, all, PageRequest::default()).await?.rows;
                let found = found.into_iter().find(|logged| logged.delivery.event == end.claim.event);
                end.claim.attempt = found.map_or(0, |logged| logged.delivery.attempts);
            }
        }
        if self.has(Bug::LastClaimOfACallWins) {
            let last: BTreeMap<_, _> = ends.iter().map(|end| (end.claim.event, end.claim)).collect();
            for end in &mut ends {
                end.claim = last[&end.claim.event];
            }
        }
        if self.has(Bug::EndsOfOneSubscription) {
            let first = self.inner.all().await?.first().map(|first| first.id);
            ends.retain(|end| Some(end.claim.webhook) == first);
        }
        if self.has(Bug::AttemptDecisionsNotStored) {
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
    ) -> Result<Page<LoggedDelivery>, StoreError> {
        if self.has(Bug::DeliveryStatusIgnored) {
            filter.status = None;
        }
        if self.has(Bug::AllAttemptsLogged) {
            filter.attempts = 1_000_000;
        }
        let mut found = self.inner.log(webhook, filter, page).await?;
        if self.has(Bug::UndoneDeliveriesWait) {
            let cancelled = found.rows.iter_mut().filter(|logged| logged.delivery.status == DeliveryStatus::Cancelled);
            cancelled.for_each(|logged| logged.delivery.status = DeliveryStatus::Pending);
        }
        if self.has(Bug::NewDeliveriesHidden) {
            found.rows.retain(|logged| logged.delivery.attempts > 0);
        }
        Ok(found)
    }

    async fn redeliver(&self, mut command: RedeliverCommand) -> Result<Written<()>, WriteError<WebhookRefusal>> {
        if self.has(Bug::NothingRedelivered) {
            return Ok(Written::New(()));
        }
        if self.has(Bug::DisabledRedelivers) {
            command.decide = Arc::new(|_| Ok(()));
        }
        if self.has(Bug::AbsentEventsRedelivered) {
            let decide = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &RedeliverSituation| {
                decide(&RedeliverSituation { is_event_stored: true, ..situation.clone() })
            });
        }
        if self.has(Bug::TestsNotRedelivered) {
            let decide = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &RedeliverSituation| {
                let mut situation = situation.clone();
                situation.delivery.is_test = false;
                decide(&situation)
            });
        }
        if self.has(Bug::RedeliveriesOfRepeats) {
            let RedeliverCommand { reach, webhook, event, now, decide, .. } = &command;
            let (reach, webhook, event, now) = (reach.clone(), *webhook, *event, *now);
            let unclaimed = RedeliverCommand { reach, webhook, event, now, decide: Arc::clone(decide), claim: None };
            self.inner.redeliver(unclaimed).await?;
        }
        self.inner.redeliver(command).await
    }

    async fn recover(&self, mut command: RecoverCommand) -> Result<Written<u64>, WriteError<WebhookRefusal>> {
        if self.has(Bug::RecoversEverything) {
            command.since = DateTime::<Utc>::MIN_UTC;
        }
        let done = self.inner.recover(command).await?;
        Ok(match done {
            Written::New(count) if self.has(Bug::OnePortionRecovered) => Written::New(count.min(500)),
            done => done,
        })
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
        if self.has(Bug::DeliveriesOfDisabledUncounted) {
            let all = self.inner.all().await?;
            backlogs.retain(|id, _| all.iter().any(|webhook| webhook.id == *id && webhook.state.is_enabled()));
        }
        Ok(backlogs)
    }
}
