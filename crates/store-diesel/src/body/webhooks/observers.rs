//! Who sees events: clients that may list them, and enabled subscriptions. Deliveries are queued after the commit.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::tables::access::{accounts, client_features};
use super::body::tables::webhooks::webhooks;
use super::body::types::{Account, Id, Named};
use diesel::prelude::*;
use florin_domain::access::{Environment, Feature};
use florin_domain::event::{Audience, EventKind};
use florin_domain::ids::AccountId;
use std::collections::{BTreeMap, BTreeSet};

/// The audiences of accounts.
#[derive(Default)]
pub(crate) struct Observers(BTreeMap<AccountId, Audience>);

/// An account, its client if the client has the feature `Events`, and the kind of events of a subscription.
type Found = (Account, Option<Id>, Option<Named<EventKind>>);

impl Observers {
    /// Loads who sees the events of accounts, with one statement in the transaction of the events. Subscriptions of a
    /// disabled client are included: they receive the events once the client is enabled.
    pub(crate) fn load(conn: &mut Conn, of: &BTreeSet<AccountId>, environment: Environment) -> Outcome<Self> {
        let includes_account = webhooks::account_id.is_null().or(webhooks::account_id.eq(accounts::id.nullable()));
        let receives =
            webhooks::client_id.eq(accounts::client_id).and(webhooks::enabled.eq(true)).and(includes_account);
        let lists = client_features::client_id.eq(accounts::client_id);
        let lists = lists.and(client_features::feature.eq(Named(Feature::Events)));
        let found = accounts::table
            .left_join(client_features::table.on(lists))
            .left_join(webhooks::table.on(receives))
            .filter(accounts::id.eq_any(of.iter().map(AccountId::as_str)))
            .select((accounts::id, client_features::client_id.nullable(), webhooks::kind.nullable()))
            .load::<Found>(conn)?;
        let mut observers = Self::default();
        for (account, feature, kind) in found {
            let audience = observers.0.entry(account.0).or_default();
            audience.may_list = environment == Environment::Sandbox || feature.is_some();
            audience.subscribed.extend(kind.map(|kind| kind.0));
        }
        Ok(observers)
    }

    /// Whether somebody may see an event. Only then is it written.
    pub(crate) fn see(&self, account: &AccountId, kind: EventKind) -> bool {
        self.0.get(account).is_some_and(|audience| audience.sees(kind))
    }

    /// Whether a subscription may receive an event. Filters of subscriptions are not considered.
    pub(crate) fn receive(&self, account: &AccountId, kind: EventKind) -> bool {
        self.0.get(account).is_some_and(|audience| audience.subscribed.contains(&kind))
    }
}
