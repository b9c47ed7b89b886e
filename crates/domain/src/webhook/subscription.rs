//! A subscription of a client to one type of event.

use super::{DELIVERIES_KEPT, Delivery, DeliveryDecision, FirstFailure, WebhookState, WebhookUrl};
use crate::event::EventKind;
use crate::fault::Flaw;
use crate::ids::{AccountId, CheckoutId, ClientId, WebhookId};
use crate::secret::SealedSecret;
use crate::world::AccountTime;
use chrono::{DateTime, TimeDelta, Utc};
use std::borrow::Cow;

/// Maximum number of subscriptions of a client.
pub const WEBHOOKS_OF_A_CLIENT: u32 = 100;

/// A subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// The client that owns it.
    pub client: ClientId,
    /// The account whose events it receives. `None`: all accounts of the client, including future ones.
    pub account: Option<AccountId>,
    /// Whether it receives events.
    pub state: WebhookState,
    /// The URL of its receiver.
    pub url: WebhookUrl,
    /// The name of its event type, as the client wrote it.
    pub type_name: String,
    /// The kind of events that it receives.
    pub kind: EventKind,
    /// The checkouts whose events it receives. `None`: all. See [`Self::receives`].
    pub filter: Option<CheckoutIds>,
    /// Whether events of one object are delivered in order: a failing event holds back the later ones.
    pub ordered: bool,
    /// Its encrypted secrets.
    pub secrets: SealedSecret,
    /// The first failure since its last success. `None`: there is none.
    pub failing: Option<FirstFailure>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// Number of requests after which its deliveries should resume without delay: a change, a redelivery, a recovery, a
    /// test, or a change of a clock. A new number ends the pause of its receiver.
    pub resumptions: i64,
}

/// The checkouts whose events a subscription receives: 1 to 100.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckoutIds(Vec<CheckoutId>);

impl CheckoutIds {
    /// Maximum number of checkouts.
    pub const MAX: usize = 100;

    /// Creates a filter; `out_of_range` unless it has 1 to 100 checkouts.
    pub fn new(ids: Vec<CheckoutId>) -> Result<Self, Flaw> {
        if (1..=Self::MAX).contains(&ids.len()) {
            Ok(Self(ids))
        } else {
            Err(Flaw::range(format!("must have 1 to {} ids (got {})", Self::MAX, ids.len())))
        }
    }

    /// Returns the checkouts.
    pub fn ids(&self) -> &[CheckoutId] {
        &self.0
    }

    /// Returns whether a subscription with this filter receives events about sessions of a checkout. Without a filter,
    /// it receives all.
    pub fn admits(filter: Option<&Self>, checkout: Option<CheckoutId>) -> bool {
        filter.is_none_or(|filter| checkout.is_some_and(|checkout| filter.0.contains(&checkout)))
    }
}

/// The time in which two secrets sign: 0 to 168 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlapHours(u8);

impl OverlapHours {
    /// The default: one day.
    pub const DEFAULT: Self = Self(24);
    /// Maximum number of hours: a week.
    pub const MAX: u8 = 168;

    /// Creates an overlap; `None` outside 0 to 168 hours.
    pub fn new(hours: i64) -> Option<Self> {
        u8::try_from(hours).ok().filter(|hours| *hours <= Self::MAX).map(Self)
    }

    /// Returns the end of the overlap; `None` for 0 hours.
    pub fn after(self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        (self.0 > 0).then(|| now + TimeDelta::hours(self.0.into()))
    }
}

/// A change of a subscription. `None` fields do not change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookChange {
    /// Whether it receives events.
    pub enabled: Option<bool>,
    /// The URL of its new receiver.
    pub url: Option<WebhookUrl>,
    /// Its new filter; `Some(None)` removes the filter.
    pub filter: Option<Option<CheckoutIds>>,
    /// Whether deliveries are ordered.
    pub ordered: Option<bool>,
    /// Its new secrets.
    pub secrets: Option<SealedSecret>,
}

impl Webhook {
    /// Returns whether subscriptions to a kind of event can have a filter: its events are about checkout sessions.
    pub fn has_filters(kind: EventKind) -> bool {
        kind.as_str().starts_with("Merchant")
    }

    /// Returns whether it receives an event of this kind, about a session of this checkout (`None`: about something
    /// else).
    pub fn receives(&self, kind: EventKind, checkout: Option<CheckoutId>) -> bool {
        self.kind == kind && CheckoutIds::admits(self.filter.as_ref(), checkout)
    }

    /// Returns the body that its receiver receives: the stored envelope of an event, with the type name that the client
    /// subscribed to.
    pub fn body_of<'a>(&self, envelope: &'a str) -> Cow<'a, str> {
        if self.type_name == self.kind.as_str() {
            return Cow::Borrowed(envelope);
        }
        // Quotation marks in texts are escaped, so only the member itself can match.
        let member = |name: &str| format!("\"webhookEventTypeName\":\"{name}\"");
        Cow::Owned(envelope.replacen(&member(self.kind.as_str()), &member(&self.type_name), 1))
    }

    /// Returns the subscription after a change. Enabling it removes the reason for which it was disabled, and its first
    /// failure.
    pub fn changed(&self, change: WebhookChange, now: DateTime<Utc>) -> Result<Self, WebhookRefusal> {
        if matches!(change.filter, Some(Some(_))) && !Self::has_filters(self.kind) {
            return Err(WebhookRefusal::NoFilters);
        }
        let mut changed = Self {
            url: change.url.unwrap_or_else(|| self.url.clone()),
            filter: change.filter.unwrap_or_else(|| self.filter.clone()),
            ordered: change.ordered.unwrap_or(self.ordered),
            secrets: change.secrets.unwrap_or_else(|| self.secrets.clone()),
            updated_at: now,
            resumptions: self.resumptions + 1,
            ..self.clone()
        };
        if changed.url != self.url {
            // The failures of the previous receiver do not count for the new one.
            changed.failing = None;
        }
        match change.enabled {
            Some(true) if !self.state.is_enabled() => {
                (changed.state, changed.failing) = (WebhookState::Enabled, None);
            }
            Some(false) if self.state.is_enabled() => {
                changed.state = WebhookState::Disabled { at: now, reason: None };
            }
            _ => {}
        }
        Ok(changed)
    }

    /// Applies the result of an attempt that ended at this time of the delivery's account.
    pub fn apply(&mut self, decision: &DeliveryDecision, now: AccountTime) {
        self.failing.clone_from(&decision.failing);
        if let Some(reason) = decision.disable.filter(|_| self.state.is_enabled()) {
            // A subscription to all accounts is dated in real time, because it has no clock.
            let at = if self.account.is_some() { now.shown } else { now.real };
            (self.state, self.updated_at) = (WebhookState::Disabled { at, reason: Some(reason) }, at);
        }
    }

    /// Refuses to start deliveries while it is disabled.
    pub fn must_be_enabled(&self) -> Result<(), WebhookRefusal> {
        if self.state.is_enabled() { Ok(()) } else { Err(WebhookRefusal::Disabled) }
    }
}

/// Reasons to refuse a request about a subscription. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookRefusal {
    /// The client has the maximum number of subscriptions.
    TooMany,
    /// The subscription is disabled.
    Disabled,
    /// The request succeeded before, and its answer contained a secret.
    ShownOnce,
    /// Events of this type have no checkout, so they can't be filtered.
    NoFilters,
    /// Another request changed the subscription concurrently.
    Changed,
    /// The event was deleted.
    EventGone,
    /// A recovery can only start within the last [`DELIVERIES_KEPT`].
    SinceOutOfRange,
}

/// The refusal of a request that succeeded before. Its answer contained a secret, which is shown only once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownOnce;

impl From<ShownOnce> for WebhookRefusal {
    fn from(ShownOnce: ShownOnce) -> Self {
        Self::ShownOnce
    }
}

/// Decides the creation of a subscription by a client that has `existing` others.
///
/// ```
/// use florin_domain::webhook::{WEBHOOKS_OF_A_CLIENT, WebhookRefusal, decide_create_webhook};
///
/// assert_eq!(decide_create_webhook(WEBHOOKS_OF_A_CLIENT - 1), Ok(()));
/// assert_eq!(decide_create_webhook(WEBHOOKS_OF_A_CLIENT), Err(WebhookRefusal::TooMany));
/// ```
pub const fn decide_create_webhook(existing: u32) -> Result<(), WebhookRefusal> {
    if existing < WEBHOOKS_OF_A_CLIENT { Ok(()) } else { Err(WebhookRefusal::TooMany) }
}

/// Decides a recovery of the events since a time. `now` is the current time of the subscription.
///
/// ```
/// use chrono::TimeDelta;
/// use florin_domain::test_support::{a_webhook, noon};
/// use florin_domain::webhook::{DELIVERIES_KEPT, WebhookRefusal, decide_recover};
///
/// let oldest = noon() - DELIVERIES_KEPT;
/// assert_eq!(decide_recover(&a_webhook(), oldest, noon()), Ok(()));
/// let refused = decide_recover(&a_webhook(), oldest - TimeDelta::seconds(1), noon());
/// assert_eq!(refused, Err(WebhookRefusal::SinceOutOfRange));
/// ```
pub fn decide_recover(webhook: &Webhook, since: DateTime<Utc>, now: DateTime<Utc>) -> Result<(), WebhookRefusal> {
    if since > now || now - since > DELIVERIES_KEPT {
        return Err(WebhookRefusal::SinceOutOfRange);
    }
    webhook.must_be_enabled()
}

/// The situation for a redelivery: a client asks to send an event again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedeliverSituation {
    /// The subscription.
    pub webhook: Webhook,
    /// The delivery of the event.
    pub delivery: Delivery,
    /// Whether the event is stored. The event of a test never is.
    pub is_event_stored: bool,
}

/// Decides a redelivery. A test has a body of its own; any other delivery needs its event.
///
/// ```
/// use florin_domain::ids::EventId;
/// use florin_domain::test_support::{a_webhook, account, noon};
/// use florin_domain::webhook::{DeliveredEvent, Delivery, RedeliverSituation, WebhookRefusal, decide_redeliver};
/// use uuid::Uuid;
///
/// let (id, object) = (EventId(Uuid::from_u128(1)), Uuid::from_u128(2));
/// let event = DeliveredEvent { id, account: account(), object, sequence: 1, at: noon() };
/// let delivery = Delivery::new(a_webhook().id, event);
/// let situation = RedeliverSituation { webhook: a_webhook(), delivery, is_event_stored: true };
/// assert_eq!(decide_redeliver(&situation), Ok(()));
///
/// let undone = RedeliverSituation { is_event_stored: false, ..situation };
/// assert_eq!(decide_redeliver(&undone), Err(WebhookRefusal::EventGone));
/// ```
pub fn decide_redeliver(situation: &RedeliverSituation) -> Result<(), WebhookRefusal> {
    situation.webhook.must_be_enabled()?;
    let has_body = situation.delivery.is_test || situation.is_event_stored;
    if has_body { Ok(()) } else { Err(WebhookRefusal::EventGone) }
}
