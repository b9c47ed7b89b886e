//! Subscriptions and deliveries as rows.

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::tables::events::outbox_events;
use super::body::tables::webhooks::{AttemptRow, ClaimChange, DeliveryChange, DeliveryRow, WebhookRow, WebhookUpdate};
use super::body::tables::worlds::{TimelineRow, timelines};
use super::body::types::{Account, Bytes, Id, Named, Time};
use chrono::TimeDelta;
use diesel::prelude::*;
use florin_domain::fault::Flaw;
use florin_domain::ids::{CheckoutId, ClientId, EventId, WebhookId};
use florin_domain::secret::SealedSecret;
use florin_domain::webhook::{
    AttemptOutcome, AttemptRecord, CheckoutIds, Delivery, FirstFailure, Webhook, WebhookState, WebhookUrl,
};
use florin_domain::world::ClockSetting;
use florin_ports::DeliveryClaim;
use std::collections::{BTreeMap, BTreeSet};

impl From<&Webhook> for WebhookRow {
    fn from(webhook: &Webhook) -> Self {
        let ids = |filter: &CheckoutIds| filter.ids().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let failing = webhook.failing.as_ref();
        Self {
            id: Id(webhook.id.0),
            client_id: Id(webhook.client.0),
            account_id: webhook.account.clone().map(Account),
            enabled: webhook.state.is_enabled(),
            url: webhook.url.as_str().to_owned(),
            type_name: webhook.type_name.clone(),
            kind: Named(webhook.kind),
            checkout_ids: webhook.filter.as_ref().map(ids),
            ordered: webhook.ordered,
            secrets: Bytes(webhook.secrets.as_bytes().to_vec()),
            disabled_reason: webhook.state.disabled_reason().map(Named),
            disabled_at: webhook.state.disabled_at().map(Time),
            failing_account: failing.map(|failing| Account(failing.account.clone())),
            failing_since: failing.map(|failing| Time(failing.since)),
            failing_real_since: failing.map(|failing| Time(failing.real_since)),
            created_at: Time(webhook.created_at),
            updated_at: Time(webhook.updated_at),
            resumptions: webhook.resumptions,
            deleted_at: None,
            since: 0,
            until: None,
        }
    }
}

impl From<WebhookRow> for WebhookUpdate {
    fn from(row: WebhookRow) -> Self {
        Self {
            enabled: row.enabled,
            url: row.url,
            checkout_ids: row.checkout_ids,
            ordered: row.ordered,
            secrets: row.secrets,
            disabled_reason: row.disabled_reason,
            disabled_at: row.disabled_at,
            failing_account: row.failing_account,
            failing_since: row.failing_since,
            failing_real_since: row.failing_real_since,
            updated_at: row.updated_at,
            resumptions: row.resumptions,
            id: row.id,
        }
    }
}

impl WebhookRow {
    pub(super) fn read(self) -> Outcome<Webhook> {
        let (id, state) = (WebhookId(self.id.0), self.state()?);
        let failing = match (self.failing_account, self.failing_since, self.failing_real_since) {
            (Some(account), Some(since), Some(real)) => {
                Some(FirstFailure { account: account.0, since: since.0, real_since: real.0 })
            }
            _ => None,
        };
        Ok(Webhook {
            id,
            client: ClientId(self.client_id.0),
            account: self.account_id.map(|account| account.0),
            state,
            url: WebhookUrl::stored(self.url),
            type_name: self.type_name,
            kind: self.kind.0,
            filter: self.checkout_ids.map(|ids| filter_of(id, &ids)).transpose()?,
            ordered: self.ordered,
            secrets: SealedSecret::new(self.secrets.0),
            failing,
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
            resumptions: self.resumptions,
        })
    }

    /// Converts the columns that say whether it is enabled. The deletion of an enabled subscription disables it.
    fn state(&self) -> Outcome<WebhookState> {
        let disabled_at = self.disabled_at.or(self.deleted_at.filter(|_| !self.enabled)).map(|at| at.0);
        WebhookState::from_parts(self.enabled, disabled_at, self.disabled_reason.map(|reason| reason.0))
            .ok_or_else(|| corrupt(format!("webhook {} has columns that contradict whether it is enabled", self.id.0)))
    }
}

/// Reads the checkouts of a subscription's filter.
pub(super) fn filter_of(id: WebhookId, ids: &str) -> Outcome<CheckoutIds> {
    let ids = ids.split(' ').map(CheckoutId::parse).collect::<Result<_, _>>();
    let unreadable = |flaw: Flaw| corrupt(format!("the filter of webhook {id}: {}", flaw.message));
    ids.and_then(CheckoutIds::new).map_err(unreadable)
}

impl DeliveryRow {
    pub(super) fn of(delivery: &Delivery, test_body: Option<String>, queued_at: Time) -> Self {
        Self {
            webhook_id: Id(delivery.webhook.0),
            message_id: Id(delivery.event.0),
            account_id: Account(delivery.account.clone()),
            object_id: Id(delivery.object),
            sequence: delivery.sequence,
            test_body,
            status: Named(delivery.status),
            attempts: delivery.attempts.into(),
            scheduled: delivery.scheduled.into(),
            unrecorded: delivery.unrecorded.into(),
            blocked: false,
            created_at: Time(delivery.created_at),
            due_at: delivery.due_at.map(Time),
            queued_at,
            lease_id: None,
            leased_until: None,
        }
    }

    pub(super) fn read(&self) -> Outcome<Delivery> {
        Ok(Delivery {
            webhook: WebhookId(self.webhook_id.0),
            event: EventId(self.message_id.0),
            account: self.account_id.0.clone(),
            object: self.object_id.0,
            sequence: self.sequence,
            is_test: self.test_body.is_some(),
            status: self.status.0,
            attempts: u32::try_from(self.attempts).map_err(corrupt)?,
            scheduled: u32::try_from(self.scheduled).map_err(corrupt)?,
            unrecorded: u32::try_from(self.unrecorded).map_err(corrupt)?,
            created_at: self.created_at.0,
            due_at: self.due_at.map(|at| at.0),
        })
    }

    /// Copies the changed members of the delivery into the row, and ends its lease.
    pub(super) fn set(&mut self, delivery: &Delivery) {
        self.status = Named(delivery.status);
        (self.attempts, self.scheduled) = (delivery.attempts.into(), delivery.scheduled.into());
        (self.unrecorded, self.due_at) = (delivery.unrecorded.into(), delivery.due_at.map(Time));
        (self.blocked, self.lease_id, self.leased_until) = (false, None, None);
    }

    /// Whether the delivery waits, and no lease holds it.
    pub(super) fn is_free(&self, now: Time) -> bool {
        self.status.0.is_waiting() && self.leased_until.is_none_or(|until| until.0 <= now.0)
    }

    /// Whether this claim of the delivery is current.
    pub(super) fn is_held(&self, claim: &DeliveryClaim) -> bool {
        self.lease_id == Some(Id(claim.lease.0)) && self.attempts == i64::from(claim.attempt)
    }

    /// Returns the change that stores the row after a claim or a release.
    pub(super) fn claim_change(&self) -> ClaimChange {
        ClaimChange {
            attempts: self.attempts,
            unrecorded: self.unrecorded,
            lease_id: self.lease_id,
            leased_until: self.leased_until,
            webhook_id: self.webhook_id,
            message_id: self.message_id,
        }
    }

    /// Returns the change that stores the row.
    pub(super) fn change(&self) -> DeliveryChange {
        DeliveryChange {
            status: self.status,
            attempts: self.attempts,
            scheduled: self.scheduled,
            unrecorded: self.unrecorded,
            blocked: self.blocked,
            due_at: self.due_at,
            lease_id: self.lease_id,
            leased_until: self.leased_until,
            webhook_id: self.webhook_id,
            message_id: self.message_id,
        }
    }
}

impl AttemptRow {
    pub(super) fn of(claim: &DeliveryClaim, attempt: &AttemptRecord) -> Self {
        let AttemptOutcome { response, body, took, .. } = &attempt.outcome;
        Self {
            webhook_id: Id(claim.webhook.0),
            message_id: Id(claim.event.0),
            number: attempt.number.into(),
            at: Time(attempt.at),
            duration_ms: took.num_milliseconds(),
            response_status: response.ok().map(i64::from),
            response_body: body.clone(),
            error: response.err().map(Named),
        }
    }

    pub(super) fn read(self) -> Outcome<AttemptRecord> {
        let unreadable = |why: &str| {
            let (webhook, event) = (WebhookId(self.webhook_id.0), EventId(self.message_id.0));
            corrupt(format!("attempt {} of event {event} for webhook {webhook} {why}", self.number))
        };
        let response = match (self.response_status, self.error) {
            (Some(status), None) => {
                Ok(u16::try_from(status).map_err(|_| unreadable("has a response that is no HTTP status"))?)
            }
            (None, Some(error)) => Err(error.0),
            _ => return Err(unreadable("has both a response and an error, or neither")),
        };
        let number = u32::try_from(self.number).map_err(|_| unreadable("has a number out of range"))?;
        let took = TimeDelta::milliseconds(self.duration_ms);
        let outcome = AttemptOutcome { response, body: self.response_body, retry_after: None, took };
        Ok(AttemptRecord { number, at: self.at.0, outcome })
    }
}

/// Returns the bodies of stored events.
pub(crate) fn event_bodies(conn: &mut Conn, ids: Vec<Id>) -> Outcome<BTreeMap<Id, String>> {
    let rows =
        outbox_events::table.filter(outbox_events::id.eq_any(ids)).select((outbox_events::id, outbox_events::body));
    Ok(rows.load::<(Id, String)>(conn)?.into_iter().collect())
}

/// Returns the ids in the list that belong to stored events.
pub(super) fn stored_events(conn: &mut Conn, ids: Vec<Id>) -> Outcome<BTreeSet<Id>> {
    let rows = outbox_events::table.filter(outbox_events::id.eq_any(ids)).select(outbox_events::id);
    Ok(rows.load(conn)?.into_iter().collect())
}

/// Returns the clocks of accounts that have timelines. The clocks of others show real time.
pub(crate) fn clocks(conn: &mut Conn, accounts: BTreeSet<Account>) -> Outcome<BTreeMap<Account, ClockSetting>> {
    let rows = timelines::table.filter(timelines::account_id.eq_any(accounts));
    let rows = rows.select(TimelineRow::as_select()).load(conn)?;
    Ok(rows.into_iter().map(|row: TimelineRow| (row.account_id.clone(), row.clock())).collect())
}
