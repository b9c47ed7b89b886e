//! Deliveries by two instances, while the instances, the receivers and the database server are killed.

use crate::pair::{Pair, exclusive_use};
use crate::restarts::restart_postgres;
use crate::support::kills::check_deliveries;

#[test]
fn every_event_arrives_whoever_is_killed() {
    let _exclusive = exclusive_use();
    let Pair { first, second } = Pair::sandbox();
    check_deliveries(vec![first, second], Some(&restart_postgres));
}
