//! Deliveries in flight when the server stops.

use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::support::Server;
use crate::support::receiver::{Receiver, status, wait_for_delivery};
use crate::support::wallet::pay;

/// The receiver answers while the server stops. The answer is recorded, so the event is not sent again.
#[test]
fn a_stop_waits_for_an_attempt_in_flight() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    receiver.hang(true);
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "1");
    receiver.wait_for(1);
    server.signal_term();
    thread::sleep(Duration::from_secs(5));
    receiver.hang(false);
    let (ended, workspace) = server.ended();
    assert!(ended.success(), "{ended}");
    assert!(!workspace.log().contains("abandoning deliveries"));
    let server = Server::on(workspace);
    let delivered = wait_for_delivery(&server.client(), &webhook, status("delivered"));
    assert_eq!(delivered["attempts"].as_array().unwrap().len(), 1, "{delivered}");
    assert_eq!(receiver.arrived().len(), 1);
}
