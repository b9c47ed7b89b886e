//! Deliveries of new events, queued in the transaction of the events.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::tables::access::{accounts, client_features};
use super::body::tables::webhooks::{DeliveryRow, webhooks};
use super::body::types::{Account, Id, Named, Time};
use super::rows::filter_of;
use diesel::prelude::*;
use florin_domain::access::{Environment, Feature};
use florin_domain::event::{Audience, Event, EventKind};
use florin_domain::ids::{AccountId, EventId, WebhookId};
use florin_domain::webhook::{CheckoutIds, DeliveredEvent, Delivery};
use std::collections::{BTreeMap, BTreeSet};

/// Who sees the events of accounts: clients that may list them, and enabled subscriptions.
#[derive(Default)]
pub(crate) struct Observers(BTreeMap<AccountId, OfAccount>);

#[derive(Default)]
struct OfAccount {
    audience: Audience,
    subscriptions: Vec<Subscription>,
}

/// The parts of a subscription that decide whether it receives an event of the account.
struct Subscription {
    id: WebhookId,
    kind: EventKind,
    filter: Option<CheckoutIds>,
}

/// An account, the client if it has the feature, and a subscription.
type Found = (Account, Option<Id>, Option<(Id, Named<EventKind>, Option<String>)>);

impl Observers {
    /// Loads who sees the events of accounts, with one statement in the transaction of the events. Subscriptions of a
    /// disabled client are included: they receive the events once the client is enabled.
    pub(crate) fn load(conn: &mut Conn, of: &BTreeSet<AccountId>, environment: Environment) -> Outcome<Self> {
        let is_its = webhooks::account_id.is_null().or(webhooks::account_id.eq(accounts::id.nullable()));
        let is_its = webhooks::client_id.eq(accounts::client_id).and(webhooks::enabled.eq(true)).and(is_its);
        let lists = client_features::client_id.eq(accounts::client_id);
        let lists = lists.and(client_features::feature.eq(Named(Feature::Events)));
        let found = accounts::table
            .left_join(client_features::table.on(lists))
            .left_join(webhooks::table.on(is_its))
            .filter(accounts::id.eq_any(of.iter().map(AccountId::as_str)))
            .select((
                accounts::id,
                client_features::client_id.nullable(),
                (webhooks::id, webhooks::kind, webhooks::checkout_ids).nullable(),
            ))
            .load::<Found>(conn)?;
        let mut observers = Self::default();
        for (account, feature, subscription) in found {
            let of_account = observers.0.entry(account.0).or_default();
            of_account.audience.lists = environment == Environment::Sandbox || feature.is_some();
            if let Some((id, kind, checkouts)) = subscription {
                of_account.audience.subscribed.insert(kind.0);
                let id = WebhookId(id.0);
                let filter = checkouts.map(|ids| filter_of(id, &ids)).transpose()?;
                of_account.subscriptions.push(Subscription { id, kind: kind.0, filter });
            }
        }
        Ok(observers)
    }

    /// Whether an event is written.
    pub(crate) fn see(&self, account: &AccountId, kind: EventKind) -> bool {
        self.0.get(account).is_some_and(|of_account| of_account.audience.sees(kind))
    }

    /// The deliveries of an event.
    pub(crate) fn deliveries(
        &self,
        event: &Event,
        (id, sequence): (EventId, i64),
        queued_at: Time,
    ) -> impl Iterator<Item = DeliveryRow> {
        let subscriptions = self.0.get(&event.account).into_iter().flat_map(|of_account| &of_account.subscriptions);
        let (kind, checkout) = (event.kind, event.checkout());
        let wants = move |of: &&Subscription| of.kind == kind && CheckoutIds::admits(of.filter.as_ref(), checkout);
        subscriptions.filter(wants).map(move |subscription| {
            let event = DeliveredEvent {
                message: id,
                account: event.account.clone(),
                object: event.object().id(),
                sequence,
                at: event.at,
            };
            DeliveryRow::of(&Delivery::new(subscription.id, event), None, queued_at)
        })
    }
}
