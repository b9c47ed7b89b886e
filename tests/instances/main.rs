//! Several instances on one PostgreSQL database, and faults of that database. Run with
//! `scripts/with-postgres`, as `make test` does; without a server each test fails.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test fails by panicking, and tests may use the machine's clock and random ids"
)]

mod access;
mod cells_move;
mod changes;
mod crash;
mod database;
mod deliveries;
mod fault_load;
mod faults;
mod feed;
mod frozen;
mod locks;
mod merchants;
mod money;
mod pair;
mod positions_drawn_twice;
mod proxy;
mod replaced;
mod report;
mod restarts;
mod restored;
mod silent_host;
mod standby;
mod start;
mod streams;
#[allow(dead_code, unused_imports, reason = "shared with the black-box suite, which uses all of it")]
#[path = "../blackbox/support/mod.rs"]
mod support;
mod sweep;
mod unknown;

/// Whether the tests of this program run on PostgreSQL only.
const ONLY_POSTGRES: bool = true;
