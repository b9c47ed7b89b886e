use super::body::backend;
use super::table::Owned;
use super::{all, derived};

#[test]
fn every_table_comes_after_the_tables_it_references() {
    let migrations = backend::migrations::sources();
    let position =
        |name: &str| all().chain(derived()).position(|table| table.name == name).unwrap_or_else(|| panic!("no {name}"));
    let is_gone = |name: &str| {
        let is_dropped = ["", " CASCADE"].iter().any(|how| migrations.contains(&format!("DROP TABLE {name}{how};")));
        is_dropped && !all().any(|table| table.name == name)
    };
    let mut references = 0;
    for table in migrations.split("CREATE TABLE ").skip(1) {
        let (name, body) = table.split_once(" (").unwrap();
        // A migration that recreates a table uses this prefix until the new table replaces the old one.
        let name = name.trim_start_matches("new_");
        if is_gone(name) {
            continue;
        }
        for reference in body.split(");").next().unwrap().split("REFERENCES ").skip(1) {
            let (referred, _columns) = reference.split_once(' ').unwrap();
            let referred = referred.trim_start_matches("new_");
            // A reference to a dropped table was dropped, too.
            if is_gone(referred) {
                continue;
            }
            // Rows of one table are stored together, and their references among each other are checked at the end.
            let is_deferred = referred == name && body.contains("DEFERRABLE INITIALLY DEFERRED");
            assert!(is_deferred || position(referred) < position(name), "{name} refers to {referred}");
            references += 1;
        }
    }
    assert!(references > 20, "{references} references");
}

/// A table with account data that snapshots omit would survive a restore, and would prevent a world from being deleted.
#[test]
fn every_table_of_accounts_is_kept_in_snapshots() {
    // The identity of a world and the access to it. These rows are deleted with the world.
    const OF_WORLDS: [&str; 3] = ["api_key_accounts", "worlds", "world_snapshots"];
    // A restore reverts neither subscriptions nor deliveries. These rows are deleted with the world, too.
    const OF_WEBHOOKS: [&str; 3] = ["webhooks", "webhook_deliveries", "event_redeliveries"];
    // A restore leaves the endpoint of the account, and a copy has none. The row is deleted with the world, too.
    const OF_DECISIONS: [&str; 1] = ["decision_endpoints"];
    // Keyed by payment id; it has no column `account_id`.
    const OF_PAYMENTS: &str = "sandbox_payments";
    for table in all() {
        let has_account = table.columns.iter().any(|column| column.name == "account_id");
        let kept = [&OF_WORLDS[..], &OF_WEBHOOKS[..], &OF_DECISIONS[..]].concat();
        let is_reverted = !kept.contains(&table.name);
        let expected = (has_account && is_reverted) || table.name == OF_PAYMENTS;
        assert_eq!(table.is_reverted(), expected, "{}", table.name);
    }
}

/// Rows of a client that do not move with it would stay in its old cell, and be missing in the new one.
#[test]
fn every_table_of_clients_moves_with_them() {
    // Their rows are found by other columns.
    const OTHERS: [&str; 2] = ["clients", "sandbox_payments"];
    let owners = ["client_id", "account_id", "webhook_id"];
    for table in all().chain(derived()) {
        let has_owner = table.columns.iter().any(|column| owners.contains(&column.name));
        let expected = has_owner || OTHERS.contains(&table.name);
        assert_eq!(table.owned.is_some(), expected, "{}", table.name);
        if let Some(Owned::Client(owner)) = table.owned {
            assert!(table.columns.iter().any(|column| column.name == owner), "{} has no {owner}", table.name);
        }
    }
}

#[test]
fn names_of_tables_are_unique() {
    let mut names: Vec<_> = all().map(|table| table.name).collect();
    names.sort_unstable();
    let declared = names.len();
    names.dedup();
    assert_eq!(names.len(), declared);
}
