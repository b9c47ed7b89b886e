use super::TABLES;

/// The tables of `schema.rs`, by its text.
fn of_schema() -> Vec<&'static str> {
    let declared = |line: &'static str| line.strip_prefix("    ")?.strip_suffix(") {")?.split_once(" (");
    include_str!("../schema.rs").lines().filter_map(declared).map(|(name, _key)| name).collect()
}

#[test]
fn every_table_is_exported() {
    let exported = TABLES.map(|table| table.name);
    let mut missing = of_schema();
    assert!(missing.len() > 20, "the tables of schema.rs were not found: {missing:?}");
    missing.retain(|table| !exported.contains(table));
    assert!(missing.is_empty(), "not exported: {missing:?}; add rows of them, after what they refer to");
    assert_eq!(exported.len(), of_schema().len());
}

#[test]
fn every_table_comes_after_those_it_refers_to() {
    let migrations = super::backend::migrations::sources();
    let place = |name: &str| TABLES.iter().position(|table| table.name == name).unwrap_or_else(|| panic!("no {name}"));
    let mut references = 0;
    for table in migrations.split("CREATE TABLE ").skip(1) {
        let (name, body) = table.split_once(" (").unwrap();
        // A table that is made anew is called so until it takes the place of the old one.
        let name = name.trim_start_matches("new_");
        for reference in body.split(");").next().unwrap().split("REFERENCES ").skip(1) {
            let (referred, _columns) = reference.split_once(' ').unwrap();
            let referred = referred.trim_start_matches("new_");
            assert!(place(referred) < place(name), "{name} refers to {referred}");
            references += 1;
        }
    }
    assert!(references > 20, "{references} references");
}

/// A table that has an account in its key and is left out of worlds would survive a restore, and keep a world from being deleted.
#[test]
fn every_table_of_accounts_is_part_of_worlds() {
    // What a world is by, and who reaches it: it goes when the world goes.
    const KEPT: [&str; 3] = ["api_key_accounts", "worlds", "world_snapshots"];
    let schema = include_str!("../schema.rs");
    for table in &TABLES {
        let (_, columns) = schema.split_once(&format!("\n    {} (", table.name)).unwrap();
        let has_account = columns.split('}').next().unwrap().contains("account_id -> Text");
        let wanted = has_account && !KEPT.contains(&table.name);
        assert_eq!(table.of_account.is_some(), wanted, "{}", table.name);
        assert_eq!(table.clear.is_some(), wanted, "{}", table.name);
    }
}
