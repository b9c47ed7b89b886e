//! Deliveries are queued after the commit of their event, with the same outcome as if its transaction had queued them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::events::events;
use crate::support::assert::text;
use crate::support::receiver::{ReceivedDelivery, Receiver, deliveries, status, wait_for_delivery, webhook_path};
use crate::support::wallet::pay;
use crate::support::worlds::{create_world, frozen_world, restore, set_clock, snapshot, world_path};
use crate::support::{Server, expect_json};

/// The payments and the changes follow each other without a pause.
#[test]
fn a_subscription_receives_the_events_of_its_enabled_times() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    pay(&client, "1");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    let mut expected = Vec::new();
    for (round, enabled) in [true, false, true, false].into_iter().enumerate() {
        let change = json!({"enabled": enabled}).to_string();
        expect_json(&client.call("PATCH", &webhook_path(&webhook, "")).json(change).send(), 200);
        for amount in ["2", "3"] {
            let paid = pay(&client, amount);
            if enabled {
                expected.push(text(&paid, "/token").to_owned());
            }
        }
        assert_eq!(deliveries(&client, &webhook).len(), expected.len(), "after round {round}");
    }
    // Deliveries that wait pause while the subscription is disabled.
    let change = json!({"enabled": true}).to_string();
    expect_json(&client.call("PATCH", &webhook_path(&webhook, "")).json(change).send(), 200);
    let paid = pay(&client, "4");
    expected.push(text(&paid, "/token").to_owned());
    receiver.wait_for(expected.len());
    wait_for_delivery(&client, &webhook, status("delivered"));
    let mut arrived: Vec<_> =
        receiver.arrived().iter().map(|got| text(&got.event(), "/transaction/token").to_owned()).collect();
    arrived.sort_unstable();
    arrived.dedup();
    expected.sort_unstable();
    assert_eq!(arrived, expected);
    assert_eq!(deliveries(&client, &webhook).len(), expected.len());
}

/// The rows of deliveries are deleted as if a crash had prevented the fan-out.
#[test]
fn events_whose_deliveries_were_not_queued_before_a_crash_are_delivered_after_it() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "1");
    receiver.wait_for(1);
    wait_for_delivery(&client, &webhook, status("delivered"));
    let workspace = server.kill();
    workspace
        .sql("DELETE FROM webhook_attempts; DELETE FROM webhook_deliveries; UPDATE event_fan_out SET position = 0")
        .unwrap();
    let server = Server::on(workspace);
    let client = server.client();
    let arrived = receiver.wait_for(2);
    assert_eq!((arrived[0].id(), &arrived[0].body), (arrived[1].id(), &arrived[1].body));
    wait_for_delivery(&client, &webhook, status("delivered"));
    assert_eq!(deliveries(&client, &webhook).len(), 1);
}

#[test]
fn events_count_as_waiting_from_their_commit_on() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    // With this header, no retry is due during the test.
    receiver.answer(500, "Retry-After: 3600\r\n");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    for count in 1..=3 {
        pay(&client, "1");
        assert_eq!(deliveries(&client, &webhook).len(), count);
        let shown = server.workspace().json(&["webhooks", "show", text(&webhook, "/id"), "--json"]);
        assert_eq!(shown["waiting"], json!(count), "{shown}");
    }
}

#[test]
fn a_restore_cancels_deliveries_of_events_just_before_it() {
    let server = Server::sandbox();
    let client = frozen_world(&server);
    let receiver = Receiver::start();
    receiver.answer(500, "Retry-After: 3600\r\n");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    let before = snapshot(&client);
    for _ in 0..3 {
        pay(&client, "1");
    }
    restore(&client, &before);
    let log = deliveries(&client, &webhook);
    assert_eq!(log.len(), 3);
    assert!(log.iter().all(|delivery| delivery["status"] == "cancelled"), "{log:?}");
}

/// A subscription without an account also receives the events of worlds that are created later. A deleted world takes
/// its waiting deliveries with it.
#[test]
fn a_subscription_to_all_accounts_includes_later_worlds() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    // With this header, no retry is due during the test.
    receiver.answer(500, "Retry-After: 3600\r\n");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({"accountId": null}));
    let (_, world) = create_world(&server, json!({"template": "demo"}));
    pay(&client, "1");
    pay(&world, "2");
    let accounts =
        |all: &[Value]| -> BTreeSet<String> { all.iter().map(|one| text(one, "/accountId").to_owned()).collect() };
    let arrived: Vec<_> = receiver.wait_for(2).iter().map(ReceivedDelivery::event).collect();
    let both = BTreeSet::from([client.account.clone(), world.account.clone()]);
    assert_eq!((accounts(&arrived), accounts(&deliveries(&client, &webhook))), (both.clone(), both));
    assert_eq!(client.call("DELETE", &world_path(&world.account)).send().status, 204);
    assert_eq!(accounts(&deliveries(&client, &webhook)), BTreeSet::from([client.account.clone()]));
}

/// A restore to a later snapshot puts events back that an earlier restore undid. They are sent only on request.
#[test]
fn restored_events_are_not_sent_again() {
    let server = Server::sandbox();
    let client = frozen_world(&server);
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    let before = snapshot(&client);
    pay(&client, "1");
    wait_for_delivery(&client, &webhook, status("delivered"));
    receiver.answer(500, "");
    pay(&client, "2");
    wait_for_delivery(&client, &webhook, status("failed"));
    let after = snapshot(&client);
    let written = events(&client, "types=CardTransaction");
    restore(&client, &before);
    assert_eq!(events(&client, "types=CardTransaction").len(), 0);
    restore(&client, &after);
    assert_eq!(events(&client, "types=CardTransaction"), written);
    receiver.answer(200, "");
    set_clock(&client, json!({"advanceBy": "P1D"}));
    pay(&client, "3");
    wait_for_delivery(&client, &webhook, status("delivered"));
    let statuses: Vec<_> = deliveries(&client, &webhook).iter().map(|one| one["status"].clone()).collect();
    assert_eq!(statuses, ["delivered", "cancelled", "delivered"]);
    let since = json!({"since": written[0]["occurredAt"]}).to_string();
    assert_eq!(expect_json(&client.post(&webhook_path(&webhook, "/recover"), since), 202), json!({"count": 1}));
    let amounts = receiver.wait_for(4).into_iter().map(|got| got.event()["transaction"]["amount"].clone());
    assert_eq!(amounts.collect::<Vec<_>>(), ["1.00", "2.00", "3.00", "2.00"]);
}
