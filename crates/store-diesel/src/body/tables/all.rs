//! All tables, in order.

use super::table::Table;
use super::{
    access, batches, cards, cells, checkout, checkpoints, disputes, events, fan_out, keys, merchant, mfa, money,
    people, service, webhooks, worlds,
};

/// The areas, in the order of an export.
const AREAS: [&[Table]; 15] = [
    access::TABLES,
    worlds::TABLES,
    keys::TABLES,
    merchant::TABLES,
    people::TABLES,
    money::TABLES,
    cards::TABLES,
    disputes::TABLES,
    batches::TABLES,
    checkout::TABLES,
    events::TABLES,
    mfa::TABLES,
    service::TABLES,
    webhooks::TABLES,
    cells::TABLES,
];

/// Returns all tables in the order of an export: each table follows the tables that its rows refer to.
pub(crate) fn all() -> impl DoubleEndedIterator<Item = &'static Table> + Clone {
    AREAS.into_iter().flatten()
}

/// Returns the table with this name, if exports contain it.
pub(crate) fn named(name: &str) -> Option<&'static Table> {
    all().find(|table| table.name == name)
}

/// Returns the tables with rows that are derived from other rows, and the table of the fan-out. Each table follows the
/// tables that its rows refer to. Exports and snapshots omit these tables, and the rows of an account are deleted with
/// its other rows.
pub(crate) fn derived() -> impl DoubleEndedIterator<Item = &'static Table> + Clone {
    checkpoints::TABLES.iter().chain(fan_out::TABLES)
}
