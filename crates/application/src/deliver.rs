//! Delivers events to one subscription. Claims as many due deliveries as may be in flight, and records each attempt as
//! soon as it ends.
//!
//! A crash at any point loses nothing. An attempt is counted when it is claimed. If its end is not recorded, the lease
//! expires, and the event is sent again with the same id.

use crate::DeliveryServices;
use crate::webhooks::open_secrets;
use chrono::{DateTime, Utc};
use florin_domain::ids::LeaseId;
use florin_domain::webhook::{
    AttemptOutcome, AttemptRecord, Breaker, DeliveryStatus, DisabledReason, Jitter, Webhook, WebhookSecrets, WebhookUrl,
};
use florin_domain::world::ClockSetting;
use florin_ports::{
    AttemptEnd, AttemptSituation, ClaimDeliveriesCommand, ClaimedDeliveries, ClaimedDelivery, DeliveryClaim,
    StoreError, WebhookRequest,
};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, select};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Interval between searches for new deliveries while others are in flight.
const POLL: Duration = Duration::from_millis(100);
/// Maximum number of ended attempts that are recorded together.
const RECORDED_TOGETHER: usize = 64;
/// Maximum number of tries to record ended attempts while the store fails.
const RECORD_TRIES: u32 = 5;
/// Maximum number of claims in a row that return nothing to send, although there may be more.
const EMPTY_CLAIMS: u32 = 16;

/// Whether deliveries continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryMode {
    /// Deliveries continue.
    Running,
    /// No new attempt begins. Attempts in flight may end.
    Draining,
    /// Attempts in flight are abandoned.
    Stopped,
}

/// An attempt that has ended. It has no outcome if its task failed.
struct Ended {
    claimed: ClaimedDelivery,
    url: WebhookUrl,
    sent_at: DateTime<Utc>,
    outcome: Option<AttemptOutcome>,
}

/// When an attempt was sent and when it ended, in real time.
#[derive(Clone, Copy)]
struct AttemptTimes {
    sent: DateTime<Utc>,
    ended: DateTime<Utc>,
}

/// The attempts whose ends disable the subscription, and why.
type Disabled = Mutex<BTreeMap<DeliveryClaim, DisabledReason>>;

/// The deliveries of one subscription that this process has claimed.
struct Round<'a> {
    services: &'a DeliveryServices,
    webhook: Webhook,
    secrets: Arc<WebhookSecrets>,
    breaker: &'a mut Breaker,
    in_flight: FuturesUnordered<BoxFuture<'static, Ended>>,
    /// The claims whose attempts have not ended, except those that were ended or released in the store. If a lease
    /// expires during its attempt, the same delivery can be claimed again. This set then contains both claims.
    claims: BTreeSet<DeliveryClaim>,
}

/// Sends the due deliveries of a subscription until none is left, its breaker pauses, or `mode` ends it. Returns the
/// number of attempts.
pub async fn deliver(
    services: &DeliveryServices,
    webhook: Webhook,
    breaker: &mut Breaker,
    mode: impl Fn() -> DeliveryMode,
) -> Result<usize, StoreError> {
    if breaker.allowance(0, services.time.real_now()) == 0 {
        return Ok(0);
    }
    let secrets = Arc::new(open_secrets(services.cipher.as_ref(), &webhook)?);
    let (in_flight, claims) = (FuturesUnordered::new(), BTreeSet::new());
    Round { services, webhook, secrets, breaker, in_flight, claims }.run(mode).await
}

/// Claims deliveries. A claim for an ordered subscription may return none, because it sets aside deliveries that must
/// wait for others. The claim is then repeated, because there may be more deliveries behind them.
async fn claim(
    services: &DeliveryServices,
    command: ClaimDeliveriesCommand,
) -> Result<Option<ClaimedDeliveries>, StoreError> {
    for _ in 1..EMPTY_CLAIMS {
        let claimed = services.deliveries.claim(command.clone()).await?;
        if claimed.as_ref().is_none_or(|claimed| !claimed.has_more || !claimed.deliveries.is_empty()) {
            return Ok(claimed);
        }
    }
    services.deliveries.claim(command).await
}

impl Round<'_> {
    /// Claims, sends and records until nothing is left. If the store fails, attempts in flight still end, and are
    /// recorded if possible.
    async fn run(&mut self, mode: impl Fn() -> DeliveryMode) -> Result<usize, StoreError> {
        let (mut attempts, mut may_have_more, mut failure) = (0, true, None);
        loop {
            match mode() {
                DeliveryMode::Running => {}
                DeliveryMode::Draining => may_have_more = false,
                DeliveryMode::Stopped => {
                    self.abandon().await?;
                    return Ok(attempts);
                }
            }
            if may_have_more && failure.is_none() {
                match self.begin().await {
                    Ok(any) => may_have_more = any,
                    Err(error) => failure = Some(error),
                }
            }
            if self.in_flight.is_empty() {
                // After a failure, some claims may be left without an attempt.
                let released = self.abandon().await;
                return failure.map_or_else(|| released.map(|()| attempts), Err);
            }
            let ended = self.next().await;
            // If no attempt ended within `POLL`, there may be new deliveries. On an ordered subscription, the next
            // delivery of the same object may be due after an attempt.
            may_have_more |= ended.is_empty() || self.webhook.ordered;
            attempts += ended.len();
            if let Err(error) = self.record(ended).await {
                failure = Some(error);
            }
        }
    }

    /// Claims as many deliveries as the breaker allows, and sends them. Returns whether to claim again
    /// before the attempts in flight have ended.
    async fn begin(&mut self) -> Result<bool, StoreError> {
        let in_flight = u32::try_from(self.in_flight.len()).unwrap_or(u32::MAX);
        let now = self.services.time.real_now();
        let max = self.breaker.allowance(in_flight, now);
        if max == 0 {
            return Ok(in_flight > 0);
        }
        let (lease, until) = (LeaseId(self.services.time.real_id()), now + self.services.lease);
        let command = ClaimDeliveriesCommand { webhook: self.webhook.id, lease, now, until, max };
        let Some(claimed) = claim(self.services, command).await? else { return Ok(false) };
        if claimed.webhook.secrets != self.webhook.secrets {
            self.secrets = Arc::new(open_secrets(self.services.cipher.as_ref(), &claimed.webhook)?);
        }
        self.webhook = claimed.webhook;
        let any = claimed.has_more || !claimed.deliveries.is_empty();
        // If claiming took long, the lease could expire before the attempt ends, and another worker would send the
        // event, too.
        let is_late = self.services.time.real_now() + self.services.lease / 2 > until;
        let (mut late, mut exhausted, mut gone) = (Vec::new(), Vec::new(), Vec::new());
        for delivery in claimed.deliveries {
            self.claims.insert(delivery.claim());
            match delivery.body.clone() {
                _ if is_late => late.push(delivery),
                _ if delivery.delivery.is_interrupted_too_often() => exhausted.push(delivery),
                Some(body) => {
                    let body = match self.webhook.body_of(&body) {
                        Cow::Borrowed(_) => body,
                        Cow::Owned(named) => named.into(),
                    };
                    self.in_flight.push(self.send(delivery, body));
                }
                None => gone.push(delivery),
            }
        }
        for (deliveries, status) in [(exhausted, DeliveryStatus::Exhausted), (gone, DeliveryStatus::Cancelled)] {
            let claims = self.take_claims(&deliveries);
            if !claims.is_empty() {
                self.services.deliveries.end(claims, status).await?;
            }
        }
        let claims = self.take_claims(&late);
        if !claims.is_empty() {
            self.services.deliveries.release(claims).await?;
        }
        Ok(any)
    }

    /// Takes the claims of these deliveries out of `claims`, so that [`Self::abandon`] no longer releases them.
    fn take_claims(&mut self, deliveries: &[ClaimedDelivery]) -> Vec<DeliveryClaim> {
        deliveries.iter().filter_map(|claimed| self.claims.take(&claimed.claim())).collect()
    }

    fn send(&self, claimed: ClaimedDelivery, body: Arc<str>) -> BoxFuture<'static, Ended> {
        let sent_at = self.services.time.real_now();
        let url = self.webhook.url.clone();
        let request = WebhookRequest {
            client: Some(self.webhook.client),
            url: url.clone(),
            id: claimed.delivery.event,
            body,
            secrets: Arc::clone(&self.secrets),
            at: sent_at,
        };
        let sender = Arc::clone(&self.services.sender);
        let sending = (self.services.spawn)(async move { sender.send(request).await }.boxed());
        async move { Ended { claimed, url, sent_at, outcome: sending.await } }.boxed()
    }

    /// Waits for attempts to end, at most for [`POLL`]. Returns the ended attempts; the list can be empty.
    async fn next(&mut self) -> Vec<Ended> {
        let mut ended = Vec::new();
        if let Either::Left((one, _)) = select(self.in_flight.next(), (self.services.sleep)(POLL)).await {
            ended.extend(one);
        }
        while ended.len() < RECORDED_TOGETHER
            && let Some(Some(one)) = self.in_flight.next().now_or_never()
        {
            ended.push(one);
        }
        ended
    }

    /// Abandons attempts in flight, and releases their claims. Other workers need not wait for the leases to expire.
    async fn abandon(&mut self) -> Result<(), StoreError> {
        self.in_flight.clear();
        let claims: Vec<_> = std::mem::take(&mut self.claims).into_iter().collect();
        if claims.is_empty() { Ok(()) } else { self.services.deliveries.release(claims).await }
    }

    async fn record(&mut self, ended: Vec<Ended>) -> Result<(), StoreError> {
        let now = self.services.time.real_now();
        let (mut ends, disabled) = (Vec::new(), Arc::<Disabled>::default());
        for Ended { claimed, url, sent_at, outcome } in ended {
            self.claims.remove(&claimed.claim());
            if let Some(outcome) = outcome {
                self.report_outcome(&outcome, &claimed, now);
                let times = AttemptTimes { sent: sent_at, ended: now };
                ends.push(self.attempt_end((claimed, url), outcome, times, &disabled));
            }
        }
        if ends.is_empty() {
            return Ok(());
        }
        let mut tried = 1;
        loop {
            match self.services.deliveries.record(ends.clone(), now).await {
                Ok(_) => {
                    self.log_disabled(&disabled);
                    return Ok(());
                }
                Err(error) if tried >= RECORD_TRIES => return Err(error),
                Err(_) => tried += 1,
            }
            (self.services.sleep)(POLL * tried).await;
        }
    }

    /// Counts and logs an outcome, and reports it to the breaker. The log contains no secrets.
    fn report_outcome(&mut self, outcome: &AttemptOutcome, claimed: &ClaimedDelivery, now: DateTime<Utc>) {
        let label = match outcome.response {
            Ok(_) if outcome.is_success() => "delivered",
            Ok(_) => "refused",
            Err(error) => error.as_str(),
        };
        (self.services.observe)(label);
        let delivery = &claimed.delivery;
        let (webhook, event, attempt) = (delivery.webhook, delivery.event, delivery.attempts);
        if outcome.is_success() {
            self.breaker.succeeded();
            tracing::debug!(%webhook, %event, attempt, "delivered an event");
        } else {
            self.breaker.failed(now);
            let status = outcome.response.ok();
            tracing::info!(%webhook, %event, attempt, outcome = label, status, "an event was not delivered");
        }
    }

    /// Logs that the outcome of an attempt disabled the subscription.
    fn log_disabled(&self, disabled: &Disabled) {
        if let Some(reason) = disabled.lock().unwrap_or_else(PoisonError::into_inner).values().next() {
            let (webhook, client, reason) = (self.webhook.id, self.webhook.client, reason.as_str());
            tracing::warn!(%webhook, %client, reason, "disabled a webhook whose receiver accepts no events");
        }
    }

    /// Returns the end of an attempt, with its rule. If the rule disables the subscription, it adds the reason to
    /// `disabled`.
    fn attempt_end(
        &self,
        (claimed, url): (ClaimedDelivery, WebhookUrl),
        outcome: AttemptOutcome,
        times: AttemptTimes,
        disabled: &Arc<Disabled>,
    ) -> AttemptEnd {
        // A test event of a subscription without an account names an example account, which has no clock.
        let is_sample = claimed.delivery.is_test && self.webhook.account.is_none();
        let clock = if is_sample { ClockSetting::default() } else { claimed.clock };
        let attempt =
            AttemptRecord { number: claimed.delivery.attempts, at: clock.now(times.sent), outcome: outcome.clone() };
        let bytes = self.services.time.real_id().into_bytes();
        let plan = (self.services.schedule, Jitter(u16::from_be_bytes([bytes[14], bytes[15]])));
        let (claim, disabled) = (claimed.claim(), Arc::clone(disabled));
        let decide = Arc::new(move |situation: &AttemptSituation| {
            let AttemptSituation { delivery, webhook, clock } = situation;
            let subscription = (webhook.failing.as_ref(), webhook.url == url);
            let decision = delivery.decide(&outcome, subscription, clock.time_at(times.ended), plan);
            // The rule runs again if its transaction was rolled back, and can then decide otherwise.
            let mut disabled = disabled.lock().unwrap_or_else(PoisonError::into_inner);
            match decision.disable.filter(|_| webhook.state.is_enabled()) {
                Some(reason) => disabled.insert(claim, reason),
                None => disabled.remove(&claim),
            };
            decision
        });
        AttemptEnd { claim, attempt, decide }
    }
}
