//! Deliveries while the server and receivers are killed.

use crate::support::Server;
use crate::support::kills::check_deliveries;

#[test]
fn every_event_arrives_whoever_is_killed() {
    check_deliveries(vec![Server::sandbox()], None);
}
