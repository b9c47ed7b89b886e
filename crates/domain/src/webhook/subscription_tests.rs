//! Tests of the rules about subscriptions.

use super::*;
use crate::event::EventKind;
use crate::ids::{CheckoutId, EventId};
use crate::test_support::{a_webhook, account, disabled_by_client, noon};
use chrono::TimeDelta;
use uuid::Uuid;

#[test]
fn a_change_keeps_other_fields() {
    let later = noon() + TimeDelta::hours(1);
    let same = a_webhook().changed(WebhookChange::default(), later).unwrap();
    assert_eq!(same, Webhook { updated_at: later, resumptions: 1, ..a_webhook() });
    let filter = CheckoutIds::new(vec![CheckoutId(Uuid::nil())]).unwrap();
    let filtered = WebhookChange { filter: Some(Some(filter)), ordered: Some(true), ..WebhookChange::default() };
    assert_eq!(a_webhook().changed(filtered.clone(), later), Err(WebhookRefusal::NoFilters));
    let merchant = Webhook { kind: EventKind::MerchantPaymentFailed, ..a_webhook() };
    let filtered = merchant.changed(filtered, later).unwrap();
    assert!(filtered.filter.is_some() && filtered.ordered);
    let without = filtered.changed(WebhookChange { filter: Some(None), ..WebhookChange::default() }, later).unwrap();
    assert!(without.filter.is_none() && without.ordered);
}

#[test]
fn enabling_forgets_failures() {
    let later = noon() + TimeDelta::hours(1);
    let mut failed = a_webhook();
    failed.failing = Some(FirstFailure { account: account(), since: noon(), real_since: noon() });
    failed.state = WebhookState::Disabled { at: noon(), reason: Some(DisabledReason::Failing) };
    let change = |enabled| WebhookChange { enabled: Some(enabled), ..WebhookChange::default() };
    let after = |webhook| Webhook { updated_at: later, resumptions: 1, ..webhook };
    assert_eq!(failed.changed(change(false), later).unwrap(), after(failed.clone()));
    assert_eq!(failed.changed(change(true), later).unwrap(), after(a_webhook()));
    let new_url = WebhookChange { url: Some(WebhookUrl::stored("https://example.org/".into())), ..change(false) };
    let changed = failed.changed(new_url, later).unwrap();
    assert_eq!((changed.failing, changed.state), (None, failed.state));
    let disabled = a_webhook().changed(change(false), later).unwrap();
    assert_eq!(disabled.state, WebhookState::Disabled { at: later, reason: None });
}

#[test]
fn maximum_numbers_are_inclusive() {
    assert_eq!(decide_create_webhook(99), Ok(()));
    assert_eq!(decide_create_webhook(100), Err(WebhookRefusal::TooMany));
    let ids = |count| CheckoutIds::new(vec![CheckoutId(Uuid::nil()); count]).is_ok();
    assert_eq!([0, 1, 100, 101].map(ids), [false, true, true, false]);
    assert_eq!([-1, 0, 168, 169].map(|hours| OverlapHours::new(hours).is_some()), [false, true, true, false]);
    assert_eq!(OverlapHours::new(0).unwrap().after(noon()), None);
    assert_eq!(OverlapHours::DEFAULT.after(noon()), Some(noon() + TimeDelta::hours(24)));
}

#[test]
fn a_recovery_starts_within_the_last_30_days() {
    let (second, out_of_range) = (TimeDelta::seconds(1), Err(WebhookRefusal::SinceOutOfRange));
    let ages = [-second, TimeDelta::zero(), DELIVERIES_KEPT, DELIVERIES_KEPT + second];
    let decided = |webhook: &Webhook| ages.map(|age| decide_recover(webhook, noon() - age, noon()));
    assert_eq!(decided(&a_webhook()), [out_of_range, Ok(()), Ok(()), out_of_range]);
    let disabled = Err(WebhookRefusal::Disabled);
    let expected = [out_of_range, disabled, disabled, out_of_range];
    assert_eq!(decided(&Webhook { state: disabled_by_client(), ..a_webhook() }), expected);
}

#[test]
fn a_redelivery_needs_its_event_unless_it_is_a_test() {
    let (id, object) = (EventId(Uuid::nil()), Uuid::nil());
    let event = DeliveredEvent { id, account: account(), object, sequence: 1, at: noon() };
    let of_event = Delivery::new(a_webhook().id, event);
    let test = Delivery { is_test: true, ..of_event.clone() };
    let decided = |webhook: &Webhook, delivery: &Delivery| {
        [true, false].map(|is_event_stored| {
            let (webhook, delivery) = (webhook.clone(), delivery.clone());
            decide_redeliver(&RedeliverSituation { webhook, delivery, is_event_stored })
        })
    };
    assert_eq!(decided(&a_webhook(), &of_event), [Ok(()), Err(WebhookRefusal::EventGone)]);
    assert_eq!(decided(&a_webhook(), &test), [Ok(()); 2]);
    let disabled = Webhook { state: disabled_by_client(), ..a_webhook() };
    for delivery in [of_event, test] {
        assert_eq!(decided(&disabled, &delivery), [Err(WebhookRefusal::Disabled); 2]);
    }
}

#[test]
fn a_filter_selects_checkouts() {
    let (sold, other) = (CheckoutId(Uuid::from_u128(1)), CheckoutId(Uuid::from_u128(2)));
    let kind = EventKind::MerchantPaymentFailed;
    let all = Webhook { kind, ..a_webhook() };
    assert!(all.receives(kind, Some(sold)) && all.receives(kind, None) && !all.receives(EventKind::BoxCredited, None));
    let filtered = Webhook { filter: CheckoutIds::new(vec![sold]).ok(), ..all };
    assert!(filtered.receives(kind, Some(sold)));
    assert!(!filtered.receives(kind, Some(other)) && !filtered.receives(kind, None));
}

#[test]
fn bodies_name_the_event_type_as_the_subscription_does() {
    let kind = EventKind::MerchantRefundCompleted;
    let quoted = r#"{"body":{"reason":"\"webhookEventTypeName\":\"MerchantRefundCompleted\"","#;
    let envelope = format!(r#"{quoted}"webhookEventTypeName":"MerchantRefundCompleted"}}}}"#);
    let of_type = |name: &str| Webhook { kind, type_name: name.into(), ..a_webhook() };
    assert_eq!(of_type("MerchantRefundCompleted").body_of(&envelope), envelope);
    let renamed = format!(r#"{quoted}"webhookEventTypeName":"RoqqettRefundCompleted"}}}}"#);
    assert_eq!(of_type("RoqqettRefundCompleted").body_of(&envelope), renamed);
}
