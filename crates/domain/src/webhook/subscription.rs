//! A subscription of a client to one type of event.

use super::{DeliveryDecision, DisabledReason, Failing, WebhookUrl};
use crate::event::EventKind;
use crate::fault::Flaw;
use crate::ids::{AccountId, CheckoutId, ClientId, WebhookId};
use crate::secret::SealedSecret;
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
    /// The account whose events it gets; `None` for all accounts of the client, future ones included.
    pub account: Option<AccountId>,
    /// Whether it gets events.
    pub enabled: bool,
    /// Its receiver.
    pub url: WebhookUrl,
    /// The name of its type of event, as the client wrote it.
    pub type_name: String,
    /// The kind of its events.
    pub kind: EventKind,
    /// The checkouts whose events it gets; `None` for all. See [`Self::wants`].
    pub filter: Option<CheckoutFilter>,
    /// Whether a failing event holds back later events of the same object.
    pub ordered: bool,
    /// Its secrets.
    pub secrets: SealedSecret,
    /// Why Florin disabled it.
    pub disabled_reason: Option<DisabledReason>,
    /// Since when it is disabled.
    pub disabled_at: Option<DateTime<Utc>>,
    /// The first failure since its last success.
    pub failing: Option<Failing>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// Number of times that somebody asked for deliveries now: by a change, a redelivery, a recovery, a test, or a change
    /// of a clock. A receiver that Florin pauses then gets the next delivery without delay.
    pub resumptions: i64,
}

/// The checkouts whose events a subscription gets: 1 to 100.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckoutFilter(Vec<CheckoutId>);

impl CheckoutFilter {
    /// Maximum number of checkouts.
    pub const MAX: usize = 100;

    /// Checks the number of checkouts.
    pub fn new(ids: Vec<CheckoutId>) -> Result<Self, Flaw> {
        if (1..=Self::MAX).contains(&ids.len()) {
            Ok(Self(ids))
        } else {
            Err(Flaw::range(format!("must have 1 to {} ids (got {})", Self::MAX, ids.len())))
        }
    }

    /// The checkouts.
    pub fn ids(&self) -> &[CheckoutId] {
        &self.0
    }

    /// Whether a subscription with this filter gets events about sessions of a checkout. Without a filter it gets all.
    pub fn admits(filter: Option<&Self>, checkout: Option<CheckoutId>) -> bool {
        filter.is_none_or(|filter| checkout.is_some_and(|checkout| filter.0.contains(&checkout)))
    }
}

/// The time during which two secrets sign: 0 to 168 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlapHours(u8);

impl OverlapHours {
    /// One day.
    pub const DEFAULT: Self = Self(24);
    /// Maximum number of hours: a week.
    pub const MAX: u8 = 168;

    /// Checks the range.
    pub fn new(hours: i64) -> Option<Self> {
        u8::try_from(hours).ok().filter(|hours| *hours <= Self::MAX).map(Self)
    }

    /// The end of the overlap; `None` if there is none.
    pub fn after(self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        (self.0 > 0).then(|| now + TimeDelta::hours(self.0.into()))
    }
}

/// A change of a subscription. `None` leaves a member as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookChange {
    /// Enables or disables it.
    pub enabled: Option<bool>,
    /// Its new receiver.
    pub url: Option<WebhookUrl>,
    /// Its new filter; `Some(None)` removes the filter.
    pub filter: Option<Option<CheckoutFilter>>,
    /// Whether deliveries are ordered.
    pub ordered: Option<bool>,
    /// Its new secrets.
    pub secrets: Option<SealedSecret>,
}

impl Webhook {
    /// Whether subscriptions to a kind of event can have a filter: its events belong to a checkout.
    pub fn has_filters(kind: EventKind) -> bool {
        kind.as_str().starts_with("Merchant")
    }

    /// Whether it gets events of a kind, about sessions of a checkout.
    pub fn wants(&self, kind: EventKind, checkout: Option<CheckoutId>) -> bool {
        self.kind == kind && CheckoutFilter::admits(self.filter.as_ref(), checkout)
    }

    /// The body that its receiver gets: the stored envelope of an event, under the name of the type that the client
    /// subscribed to.
    pub fn body_of<'a>(&self, envelope: &'a str) -> Cow<'a, str> {
        if self.type_name == self.kind.as_str() {
            return Cow::Borrowed(envelope);
        }
        // Quotation marks inside texts are escaped, so only the member itself looks like this.
        let member = |name: &str| format!("\"webhookEventTypeName\":\"{name}\"");
        Cow::Owned(envelope.replacen(&member(self.kind.as_str()), &member(&self.type_name), 1))
    }

    /// Returns the subscription after a change. Enabling it forgets why it was disabled and how long it has failed.
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
            // How long the previous receiver has failed says nothing about the new one.
            changed.failing = None;
        }
        match change.enabled {
            Some(true) if !self.enabled => changed.enable(),
            Some(false) if self.enabled => changed.disable(None, now),
            _ => {}
        }
        Ok(changed)
    }

    /// Applies what follows from an attempt that ended at `now` by the clock of the delivery's account.
    pub fn apply(&mut self, decision: &DeliveryDecision, (now, real_now): (DateTime<Utc>, DateTime<Utc>)) {
        self.failing.clone_from(&decision.failing);
        if let Some(reason) = decision.disable.filter(|_| self.enabled) {
            // A subscription to all accounts has no clock of its own.
            self.disable(Some(reason), if self.account.is_some() { now } else { real_now });
        }
    }

    fn enable(&mut self) {
        (self.enabled, self.disabled_reason, self.disabled_at, self.failing) = (true, None, None, None);
    }

    /// Disables it, for a reason of Florin's or at the request of the client.
    pub fn disable(&mut self, reason: Option<DisabledReason>, now: DateTime<Utc>) {
        (self.enabled, self.disabled_reason, self.disabled_at) = (false, reason, Some(now));
        self.updated_at = now;
    }
}

/// Reasons to refuse a request about a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookRefusal {
    /// The client has as many subscriptions as it may have.
    TooMany,
    /// The subscription is disabled.
    Disabled,
    /// The request succeeded before, and its answer contained a secret.
    ShownOnce,
    /// Events of its type have no checkout, so there is nothing to filter.
    NoFilters,
    /// The subscription was changed at the same time.
    Changed,
    /// The event does not exist any more.
    EventGone,
}

/// A request succeeded before, and its answer contained a secret, which is shown only once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownOnce;

impl From<ShownOnce> for WebhookRefusal {
    fn from(ShownOnce: ShownOnce) -> Self {
        Self::ShownOnce
    }
}

/// Decides whether a client may have another subscription.
pub const fn decide_create_webhook(existing: u32) -> Result<(), WebhookRefusal> {
    if existing < WEBHOOKS_OF_A_CLIENT { Ok(()) } else { Err(WebhookRefusal::TooMany) }
}
