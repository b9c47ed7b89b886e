//! Conformance kit for storage adapters: one named check for each promise of the ports.
//!
//! An adapter implements [`Factory`], which creates fresh stores, and runs the kit in a test:
//!
//! ```ignore
//! #[tokio::test(flavor = "multi_thread")]
//! async fn my_store_keeps_its_promises() {
//!     florin_store_conformance::run(&MyFactory).await.assert_passed();
//!     florin_store_conformance::run_against(&MyFactory, &MemoryFactory, Cases::default()).await.assert_passed();
//! }
//! ```
//!
//! - [`run`] runs every check, each on a fresh store. [`checks`] lists the checks, so that a test can run one by name.
//!   A check that requires a capability that the store lacks ([`Need`]) is skipped and reported as skipped.
//! - [`run_against`] applies random sequences of operations to the adapter and to a reference, and compares all
//!   answers.
//!
//! The kit depends on the ports and the domain's rules, but on no adapter. It requires a tokio runtime. It checks only
//! behaviour that the ports expose, and it does not measure performance.

mod check;
mod checkout_sessions;
mod checks;
mod commands;
mod disputes;
mod event_renderer;
mod expect;
mod factory;
mod failing_writes;
mod management;
mod merchants;
mod model;
mod observe;
mod payments;
mod people;
mod report;
mod scenario;
mod seed_data;
mod together;
mod webhooks;
mod worlds;

pub use check::{Check, Failure, Need, Outcome};
pub use factory::{Factory, Faults, Handle, Outage, Schemas, SetupError};
pub use model::{Cases, ModelReport, run_against};
pub use report::Report;

/// Returns every check, in execution order.
pub fn checks() -> Vec<&'static Check> {
    checks::all().collect()
}

/// Runs every check, each on a fresh store.
pub async fn run(factory: &impl Factory) -> Report {
    run_share(factory, 0, 1).await
}

/// Runs one share of the checks, each on a fresh store, so that several tests can divide them: of every `shares`
/// checks, the one with the number `share`, counted from 0. All shares together run every check.
pub async fn run_share(factory: &impl Factory, share: usize, shares: usize) -> Report {
    let mut report = Report::default();
    for check in checks::all().skip(share).step_by(shares.max(1)) {
        report.record(check.name(), check.run(factory).await);
    }
    report
}
