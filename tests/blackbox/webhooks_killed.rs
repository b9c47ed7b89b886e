//! Deliveries while the server and receivers are killed.

use crate::support::Server;
use crate::support::kills::survive;

#[test]
fn every_event_arrives_whoever_is_killed() {
    survive(vec![Server::sandbox()], None);
}
