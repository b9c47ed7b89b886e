//! The rules for card messages: pure functions from a situation and a message to a decision.

mod booking;
mod clearing;
mod conversion;
mod decision;
#[cfg(test)]
mod decision_tests;
mod dispute;
mod expiry;
#[cfg(test)]
mod extension_tests;
mod first;
mod first_kind;
mod first_use;
mod follow_up;
mod follow_up_effects;
#[cfg(test)]
mod guard_tests;
#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod new_message_tests;
#[cfg(test)]
mod properties;
mod rules;
#[cfg(test)]
mod settings_tests;
mod situation;
#[cfg(test)]
mod testing;

pub use clearing::{Clearing, ClearingInput};
pub use decision::{CardDecision, CardRefusal};
pub use dispute::{
    DisputeDecision, DisputeDone, DisputeRefusal, DisputeRequest, DisputeSituation, OpenDisputeSituation,
    decide_dispute, decide_new_dispute,
};
pub use expiry::decide_expiry;
pub use first::{Extras, FirstMessage, decide_first};
pub use first_kind::FirstKind;
pub use first_use::{FirstUseDecision, FirstUseSituation, decide_first_use};
pub use follow_up::{FollowUp, decide_follow_up, decide_follow_up_with_endpoint};
pub use situation::{ChainSituation, FirstSituation};
