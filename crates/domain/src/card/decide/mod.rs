//! The card-message rules: pure functions from (state, message) to a decision.

mod booking;
mod conversion;
mod decision;
mod expiry;
#[cfg(test)]
mod extension_tests;
mod first;
mod follow_up;
mod follow_up_effects;
#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod properties;
mod rules;
mod situation;
#[cfg(test)]
mod testing;

pub use decision::{CardDecision, CardRefusal};
pub use expiry::decide_expiry;
pub use first::{Extras, FirstMessage, decide_first};
pub use follow_up::{FollowUp, decide_follow_up};
pub use situation::{ChainSituation, FirstSituation};
