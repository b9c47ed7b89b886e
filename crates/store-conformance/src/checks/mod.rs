//! All checks, by port.

mod access;
mod activity;
mod activity_feed;
mod administration;
mod apart;
mod atomic;
mod audit_log;
mod batches;
mod books;
mod budget_funds;
mod budgets;
mod card_guards;
mod card_management;
mod card_settings;
mod cards;
mod cell_directory;
mod checkout_sessions;
mod checkout_two_handles;
mod contention;
mod credits;
mod days;
mod decision_endpoints;
mod deliveries;
mod deliveries_claim;
mod deliveries_together;
mod disputes;
mod dry_runs;
mod durable;
mod equal_ids;
mod event_reads;
mod event_redeliveries;
mod events;
mod expiry;
mod explanations;
mod fan_out;
mod groups;
mod hash_chains;
mod histories;
mod idempotency_records;
mod injected;
mod limits;
mod lists;
mod logos;
mod long_histories;
mod management_injected;
mod members;
mod merchant_dry_runs;
mod merchants;
mod mfa;
mod money;
mod networks;
mod outage;
mod pages;
mod panics;
mod payments_claim;
mod payments_confirm;
mod payments_injected;
mod payments_isolation;
mod payments_lists;
mod payments_manage;
mod payments_process;
mod payments_two_handles;
mod people;
mod people_cards;
mod physical_cards;
mod refunds;
mod refunds_released;
mod registry;
mod repeats;
mod repeats_two_handles;
mod repeats_upkeep;
mod secrets;
mod seeding;
mod session_lists;
mod session_steps;
mod settlement_accounts;
mod snapshot_files;
mod tenancy;
mod timelines;
mod times;
mod transfers;
mod turns;
mod two_handles;
mod unicode;
mod upkeep;
mod webhooks;
mod worlds;
mod worlds_state;
mod worlds_whole;

use crate::check::Check;

/// The checks of each file, in the order in which they run.
const FILES: &[&[Check]] = &[
    access::CHECKS,
    lists::CHECKS,
    registry::CHECKS,
    secrets::CHECKS,
    audit_log::CHECKS,
    administration::CHECKS,
    networks::CHECKS,
    merchants::CHECKS,
    logos::CHECKS,
    settlement_accounts::CHECKS,
    checkout_sessions::CHECKS,
    session_lists::CHECKS,
    session_steps::CHECKS,
    refunds::CHECKS,
    refunds_released::CHECKS,
    seeding::CHECKS,
    cell_directory::CHECKS,
    cards::CHECKS,
    limits::CHECKS,
    histories::CHECKS,
    expiry::CHECKS,
    credits::CHECKS,
    budgets::CHECKS,
    budget_funds::CHECKS,
    people::CHECKS,
    people_cards::CHECKS,
    transfers::CHECKS,
    card_management::CHECKS,
    card_guards::CHECKS,
    physical_cards::CHECKS,
    card_settings::CHECKS,
    disputes::CHECKS,
    decision_endpoints::CHECKS,
    batches::CHECKS,
    payments_manage::CHECKS,
    payments_lists::CHECKS,
    payments_confirm::CHECKS,
    payments_claim::CHECKS,
    payments_process::CHECKS,
    payments_isolation::CHECKS,
    payments_two_handles::CHECKS,
    dry_runs::CHECKS,
    merchant_dry_runs::CHECKS,
    activity::CHECKS,
    activity_feed::CHECKS,
    books::CHECKS,
    explanations::CHECKS,
    hash_chains::CHECKS,
    long_histories::CHECKS,
    mfa::CHECKS,
    tenancy::CHECKS,
    repeats::CHECKS,
    repeats_upkeep::CHECKS,
    idempotency_records::CHECKS,
    atomic::CHECKS,
    injected::CHECKS,
    payments_injected::CHECKS,
    management_injected::CHECKS,
    panics::CHECKS,
    contention::CHECKS,
    money::CHECKS,
    unicode::CHECKS,
    times::CHECKS,
    durable::CHECKS,
    upkeep::CHECKS,
    timelines::CHECKS,
    worlds::CHECKS,
    worlds_state::CHECKS,
    snapshot_files::CHECKS,
    events::CHECKS,
    event_reads::CHECKS,
    event_redeliveries::CHECKS,
    webhooks::CHECKS,
    deliveries::CHECKS,
    deliveries_claim::CHECKS,
    deliveries_together::CHECKS,
    fan_out::CHECKS,
    members::CHECKS,
    pages::CHECKS,
    days::CHECKS,
    worlds_whole::CHECKS,
    equal_ids::CHECKS,
    groups::CHECKS,
    apart::CHECKS,
    two_handles::CHECKS,
    checkout_two_handles::CHECKS,
    turns::CHECKS,
    repeats_two_handles::CHECKS,
    outage::CHECKS,
];

/// Returns all checks.
pub(crate) fn all() -> impl Iterator<Item = &'static Check> {
    FILES.iter().copied().flatten()
}
