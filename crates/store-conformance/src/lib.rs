//! Does a storage adapter keep the promises of the ports? One named check for each of them.
//!
//! An adapter says how a fresh store of it is made ([`Factory`]) and runs the kit in a test:
//!
//! ```ignore
//! #[tokio::test(flavor = "multi_thread")]
//! async fn my_store_keeps_its_promises() {
//!     florin_store_conformance::run(&MyFactory).await.assert_passed();
//!     florin_store_conformance::run_against(&MyFactory, &MemoryFactory, Cases::default()).await.assert_passed();
//! }
//! ```
//!
//! - [`run`] runs every check, each on a fresh store; [`checks`] lists them, so that one can be run by its name. A check
//!   that needs what a store can't do ([`Need`]) is skipped, and the verdict says so.
//! - [`run_against`] puts random sequences of operations to the adapter and to a reference, and compares all answers.
//!
//! The kit knows the ports and the rules of the domain, and no adapter. It needs a tokio runtime, and tells nothing of how
//! fast a store is. Only what a port shows is checked.

mod check;
mod checks;
mod commands;
mod expect;
mod factory;
mod management;
mod model;
mod observe;
mod payments;
mod scenario;
mod together;
mod verdict;
mod world;

pub use check::{Check, Failure, Need, Outcome};
pub use factory::{EventLog, Factory, Faults, Handle, Outage, Schemas, SetupError};
pub use model::{Cases, ModelVerdict, run_against};
pub use verdict::Verdict;

/// Every check, in the order in which they are run.
pub fn checks() -> Vec<&'static Check> {
    checks::all().collect()
}

/// Runs every check, each on a fresh store.
pub async fn run(factory: &impl Factory) -> Verdict {
    let mut verdict = Verdict::default();
    for check in checks::all() {
        verdict.note(check.name(), check.run(factory).await);
    }
    verdict
}
