//! The checks, by port.

mod access;
mod activity;
mod atomic;
mod batches;
mod books;
mod budgets;
mod card_management;
mod cards;
mod contention;
mod credits;
mod dry_runs;
mod durable;
mod expiry;
mod injected;
mod limits;
mod lists;
mod management_injected;
mod mfa;
mod money;
mod outage;
mod panics;
mod payments_injected;
mod payments_isolation;
mod payments_lists;
mod payments_manage;
mod payments_process;
mod registry;
mod repeats;
mod repeats_upkeep;
mod seeding;
mod stories;
mod tenancy;
mod timelines;
mod times;
mod transfers;
mod unicode;
mod upkeep;
mod worlds;
mod worlds_state;

use crate::check::Check;

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Check> {
    let files = [
        access::CHECKS,
        lists::CHECKS,
        registry::CHECKS,
        seeding::CHECKS,
        cards::CHECKS,
        limits::CHECKS,
        stories::CHECKS,
        expiry::CHECKS,
        credits::CHECKS,
        budgets::CHECKS,
        transfers::CHECKS,
        card_management::CHECKS,
        batches::CHECKS,
        payments_manage::CHECKS,
        payments_lists::CHECKS,
        payments_process::CHECKS,
        payments_isolation::CHECKS,
        dry_runs::CHECKS,
        activity::CHECKS,
        books::CHECKS,
        mfa::CHECKS,
        tenancy::CHECKS,
        repeats::CHECKS,
        repeats_upkeep::CHECKS,
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
        outage::CHECKS,
    ];
    files.into_iter().flatten()
}
